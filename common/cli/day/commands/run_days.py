"""./day run: builds and runs days on the device there is."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from day import build, child, context, days, state, terminal, verdict
from day import device as devices
from day.days import Day
from day.device import Device
from day.errors import BuildError, UsageError
from day.provision import write_atomically
from day.verdict import Verdict

COLOUR = {"passed": "green", "failed": "red", "not_run": "yellow", "unusable": "red"}
WORD = {"not_run": "not run", "unusable": "could not start"}


def run(
    ctx: typer.Context,
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="[NN… | all]", help="Days to run; default: all.")
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(metavar="gpu|emulated", help="Where to run. Default: a usable GPU, if any."),
    ] = None,
    gpu: Annotated[
        str | None,
        typer.Option(metavar="PROFILE", help=f"Emulate this GPU: {', '.join(devices.PROFILES)}."),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="[FILE.json]",
            help="Alone: print one JSON object, the days' output to stderr. "
            "With a file: keep the verdict of the one day named there.",
        ),
    ] = None,
) -> int:
    """Build and run days. What follows `--` goes to each day as it is.

    Exit code: 0 nothing failed, 1 a gate failed, 2 bad usage or environment. A day that the device
    cannot run is reported as not run; it never counts as passed.
    """
    own = context.of(ctx, takes_extra=True)
    chosen = days.select(days.all_days(own.root), wanted or [])
    as_json = json_file == "-"
    if json_file and not as_json and len(chosen) != 1:
        raise UsageError(f"--json {json_file} keeps one day's verdict: name one day, not all.")
    runtime = build.need_toolkit(own.root).version
    where = devices.choose(device, gpu, runtime)
    print(where.line, file=sys.stderr if as_json else sys.stdout, flush=True)
    verdicts = [run_one(own.root, day, where, own.extra, as_json) for day in chosen]
    if as_json:
        print(json.dumps(as_object(where, verdicts), indent=2))
    else:
        show(verdicts)
    if json_file and not as_json:
        keep(Path(json_file), verdicts[0])
    return verdict.exit_code(verdicts)


def run_one(root: Path, day: Day, where: Device, extra: Sequence[str], to_stderr: bool) -> Verdict:
    try:
        build.build(root, where.preset, [day.target])
    except BuildError as error:
        terminal.complain(str(error))
        return Verdict(day.number, "failed", f"{day.target} does not build")
    started = time.monotonic()
    (root / ".day").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=root / ".day") as folder:
        report = Path(folder) / "verdict.json"
        code = child.run(
            [state.executable(root, where.preset, day), "--json", report, *extra],
            env=day_environment(root, where),
            stdout=sys.stderr if to_stderr else None,
        )
        found = verdict.judge(day.number, code, report)
    found = Verdict(
        found.day, found.status, found.reason, found.report, round(time.monotonic() - started, 3)
    )
    if found.status != "unusable":
        # A verdict that cannot be kept (a read-only checkout) is no reason to withhold it.
        with contextlib.suppress(OSError):
            state.record(root, day, where.preset, found.status, f"{where.kind} {where.name}")
    return found


def day_environment(root: Path, where: Device) -> dict[str, str]:
    """On the emulated device its libcudart goes first: LD_LIBRARY_PATH beats the executable's own
    run path, and many machines with a toolkit have NVIDIA's in it."""
    environment = dict(os.environ)
    if where.kind == "emulated":
        environment["TCD_GPU"] = where.name
        folders = [str(root / "build" / where.preset / "emulator")]
        if before := environment.get("LD_LIBRARY_PATH"):
            folders.append(before)
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(folders)
    return environment


def as_object(where: Device, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "device": {"kind": where.kind, "name": where.name, "reason": where.reason},
        "days": [
            {
                "day": v.day,
                "status": v.status,
                "reason": v.reason,
                "seconds": v.seconds,
                "report": v.report,
            }
            for v in verdicts
        ],
        "summary": verdict.summary(verdicts),
        "exit_code": verdict.exit_code(verdicts),
    }


def keep(file: Path, found: Verdict) -> None:
    if found.report is None:
        terminal.complain(f"{file} is not written: day {found.day} gave no verdict to keep.")
        return
    try:
        write_atomically(file, json.dumps(found.report, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
    print(f"written: {file}")


def show(verdicts: Sequence[Verdict]) -> None:
    print()
    for found in verdicts:
        word = WORD.get(found.status, found.status)
        because = f": {found.reason}" if found.reason else ""
        line = f"day {found.day}  {terminal.paint(word, COLOUR[found.status])}{because}"
        print(f"{line}  ({found.seconds:.1f} s)")
    print(verdict.summary(verdicts))
