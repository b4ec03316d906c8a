"""./day sweep: tile × layout × stages × group × mma of Day 09's kernel, on a card, as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from day import build, child, context, days, state
from day import device as devices
from day.commands import run_days
from day.errors import UsageError

DAY = "09"  # whose bench has a kernel for every combination
SHAPES = ("k8", "k16")
INSTEAD = (
    "What can be run here: `./day run 09 -- --sweep --m 512 --n 512 --k 512 --csv FILE` gates and "
    "counts every configuration on the emulated device."
)


def sweep(
    ctx: typer.Context,
    csv: Annotated[
        str,
        typer.Option(
            "--csv", metavar="FILE.csv", help="The rows; what is in it already is not done again."
        ),
    ],
    size: Annotated[int, typer.Option(metavar="N", min=256, help="M = N = K.")] = 4096,
    groups: Annotated[
        str, typer.Option(metavar="G,G…", help="Tile rows walked together.")
    ] = "1,2,4,8",
    fresh: Annotated[bool, typer.Option("--fresh", help="Start the file anew.")] = False,
) -> int:
    """Time every variant of the kernel on a card. Tile, layout, stages, group and mma shape.

    Gated first; in batches, each beside the same reference kernel; the file has a batch as soon as
    it is finished, so the command can be stopped and typed again. Exit code: 0 swept, 1 a gate
    failed, 2 bad usage or no card.
    """
    own = context.of(ctx, takes_extra=True)
    file = Path(csv)
    run_days.check_writable(file)
    runtime = build.need_toolkit(own.root).version
    where = devices.need_card(runtime, "sweep", INSTEAD)
    found = days.select(days.all_days(own.root), [DAY])[0]
    print(where.line, flush=True)
    build.build(own.root, where.preset, [found.target])
    if fresh:
        if file.exists() and not file.is_file():
            raise UsageError(f"--fresh removes the file first, and {file} is none.")
        file.unlink(missing_ok=True)
    for shape in SHAPES:
        print(f"\n{shape}: two m16n8k8 a step" if shape == "k8" else f"\n{shape}: one m16n8k16")
        edges = [part for side in ("--m", "--n", "--k") for part in (side, str(size))]
        arguments = ["--sweep", "--mma", shape, "--groups", groups, "--csv", file, "--resume"]
        code = child.run(
            [state.executable(own.root, where.preset, found), *arguments, *edges, *own.extra],
            env=run_days.day_environment(own.root, where),
        )
        if code != 0:
            return code
    print(f"written: {file}")
    return 0
