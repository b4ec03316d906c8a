"""./day run: builds and runs days on the device there is."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
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
INTERRUPTED = 128 + signal.SIGINT
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
    """Build and run days. What follows `--` goes to each day as it is: ./day run 01 -- --n 512

    Exit code: 0 nothing failed, 1 a gate failed, 2 bad usage or environment. A day that the device
    cannot run is reported as not run; it never counts as passed.
    """
    own = context.of(ctx, takes_extra=True)
    refuse_json_among(own.extra)
    chosen = days.select(days.all_days(own.root), wanted or [])
    as_json = json_file == "-"
    if json_file and not as_json and len(chosen) != 1:
        raise UsageError(f"--json {json_file} keeps one day's verdict: name one day, not all.")
    runtime = build.need_toolkit(own.root).version
    where = devices.choose(device, gpu, runtime)
    print(where.line, file=sys.stderr if as_json else sys.stdout, flush=True)
    kept = None if json_file in (None, "-") else Path(json_file)
    if kept is not None:
        check_writable(kept)
    if {"-h", "--help"} & set(own.extra):
        return max(show_help(own.root, day, where, own.extra) for day in chosen)
    verdicts: list[Verdict] = []
    interrupted = ""
    try:
        for day in chosen:
            interrupted = day.number
            verdicts.append(run_one(own.root, day, where, own.extra, as_json))
        interrupted = ""
    except KeyboardInterrupt:
        build.clear_progress()
    if as_json:
        print(json.dumps(as_object(where, verdicts, interrupted), indent=2))
    else:
        show(verdicts)
    if interrupted:
        left = len(chosen) - len(verdicts) - 1
        after = f", {left} more not started" if left else ""
        print(f"interrupted during day {interrupted}{after}", file=sys.stderr)
        return INTERRUPTED
    code = verdict.exit_code(verdicts)
    return keep(kept, verdicts[0], code) if kept is not None else code


def refuse_json_among(extra: Sequence[str]) -> None:
    """./day asks every day for its verdict with --json, so a second one has no room."""
    for index, argument in enumerate(extra):
        if argument == "--json" or argument.startswith("--json="):
            named = argument.removeprefix("--json").removeprefix("=")
            file = named or next(iter(extra[index + 1 :]), "FILE.json")
            raise UsageError(
                "--json goes before `--`, where ./day reads it (after `--` are the day's own "
                f"options): ./day run NN --json {file}"
            )


def show_help(root: Path, day: Day, where: Device, extra: Sequence[str]) -> int:
    """`./day run 01 -- --help`: the day's own options. Nothing is run, so there is no verdict."""
    build.build(root, where.preset, [day.target])
    return execute(root, day, where, extra)


def execute(
    root: Path, day: Day, where: Device, arguments: Sequence[str | Path], to_stderr: bool = False
) -> int:
    """The executable's exit code; BrokenPipeError when its reader has gone: ./day run | head."""
    code = child.run(
        [state.executable(root, where.preset, day), *arguments],
        env=day_environment(root, where),
        stdout=sys.stderr if to_stderr else None,
    )
    if code == -signal.SIGPIPE:
        raise BrokenPipeError
    return code


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
        code = execute(root, day, where, ["--json", report, *extra], to_stderr)
        found = verdict.judge(day.number, code, report)
    found = Verdict(
        found.day, found.status, found.reason, found.report, round(time.monotonic() - started, 3)
    )
    if found.status != "unusable" and not breaks_on_purpose(extra):
        # A verdict that cannot be kept (a read-only checkout) is no reason to withhold it.
        with contextlib.suppress(OSError):
            state.record(root, day, where.preset, found.status, f"{where.kind} {where.name}")
    return found


def breaks_on_purpose(extra: Sequence[str]) -> bool:
    """A control must fail, which says nothing about the day."""
    return any(part == "--control" or part.startswith("--control=") for part in extra)


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


def as_object(where: Device, verdicts: Sequence[Verdict], interrupted: str) -> dict[str, Any]:
    """`interrupted`: the day during which Ctrl-C was typed; empty when all ran to their end."""
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
        "interrupted": interrupted or None,
        "exit_code": INTERRUPTED if interrupted else verdict.exit_code(verdicts),
    }


def check_writable(file: Path) -> None:
    """Before the run, which a typo should not cost. Leaves nothing behind."""
    try:
        if file.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if file.exists() and not os.access(file, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if file.is_file() or not file.exists():
            with tempfile.TemporaryFile(dir=file.parent):
                pass
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}.") from error


def keep(file: Path, found: Verdict, code: int) -> int:
    """The exit code: a file that cannot be written is bad environment, but hides no failed gate."""
    if found.report is None:
        terminal.complain(f"{file} is not written: day {found.day} gave no verdict to keep.")
        return code
    write = Path.write_text if file.exists() and not file.is_file() else write_atomically
    try:
        write(file, json.dumps(found.report, indent=2) + "\n")
    except OSError as error:
        terminal.complain(f"cannot write {file}: {error.strerror}.")
        return code or 2
    print(f"written: {file}")
    return code


def show(verdicts: Sequence[Verdict]) -> None:
    print()
    for found in verdicts:
        word = WORD.get(found.status, found.status)
        because = f": {found.reason}" if found.reason else ""
        line = f"day {found.day}  {terminal.paint(word, COLOUR[found.status])}{because}"
        print(f"{line}  ({found.seconds:.1f} s)")
    print(verdict.summary(verdicts))
