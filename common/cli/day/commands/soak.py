"""./day soak SEC [NN]: one day's kernel without a pause, on a card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from day import context
from day.commands import bench_card
from day.commands.run_days import check_writable
from day.errors import UsageError

INSTEAD = "What can be run here: `./day bench -- --gate-only` gates what would be soaked."


def soak(
    ctx: typer.Context,
    seconds: Annotated[int, typer.Argument(metavar="SEC", min=1, max=86400, help="How long.")],
    day: Annotated[
        str | None,
        typer.Argument(metavar="[NN]", help="The day, 03 or later; default: the last one."),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE.json", help="Keep every sample, with provenance."),
    ] = None,
) -> int:
    """Run one kernel for SEC seconds. Rate, power, clock, temperature, what held it back, decay.

    Four readings a second; launches are counted, and the last tenth is compared with the first.
    What follows `--` goes to the bench: ./day soak 240 09 -- --size 8192. Exit code: 0 soaked,
    1 a gate failed, 2 bad usage or no card.
    """
    own = context.of(ctx, takes_extra=True)
    if json_file == "-":
        raise UsageError("soak keeps its samples in a file: --json FILE.json")
    if json_file:
        check_writable(Path(json_file))
    kept = ["--json", json_file] if json_file else []
    wanted = [bench_card.gemm_day(own.root, day, "soak")] if day else []
    arguments = ["--soak", str(seconds), *kept, *own.extra]
    return bench_card.run(own.root, wanted, False, arguments, "soak", INSTEAD)
