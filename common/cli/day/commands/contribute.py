"""./day contribute: every day's gates and times on your card, in one file for a pull request."""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from day import build, context, days, state, telemetry, terminal, toolkit, verdict
from day import device as devices
from day.commands import run_days
from day.days import Day
from day.device import Device
from day.errors import UsageError
from day.provision import write_atomically
from day.verdict import Verdict

FOLDER = Path("notebooks/data")


def contribute(
    ctx: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Run nothing: say what would be run and written.")
    ] = False,
) -> int:
    """Run every day on your card, for a pull request. One file holds the results.

    Needs a GPU: figures of the emulated device are derived, and anybody can have those. Exit code:
    0 nothing failed, 1 a gate failed (the file is written all the same), 2 no card or no file.
    """
    root = context.of(ctx).root
    chosen = days.select(days.all_days(root), [])
    found = toolkit.find(root) if dry_run else build.need_toolkit(root)
    where = devices.choose(None, None, found.version if found else None)
    if dry_run:
        rehearse(root, where, chosen)
        return 0
    if where.kind != "gpu":
        raise UsageError(
            f"contribute measures a card, and none can be used here: {where.reason}. "
            "./day contribute --dry-run shows what it would do."
        )
    file = root / FOLDER / file_name(where)
    file.parent.mkdir(parents=True, exist_ok=True)
    run_days.check_writable(file)
    print(where.line, flush=True)
    verdicts: list[Verdict] = []
    for day in chosen:
        try:
            verdicts.append(run_days.run_one(root, day, where, (), to_stderr=False))
        except KeyboardInterrupt:
            build.clear_progress()
            run_days.show(verdicts)
            print(f"interrupted during day {day.number}; no file is written", file=sys.stderr)
            return run_days.INTERRUPTED
    run_days.show(verdicts)
    if not any(found.report for found in verdicts):
        raise UsageError("no day gave a verdict, so there is nothing to contribute.")
    try:
        write_atomically(file, json.dumps(as_object(root, where, verdicts), indent=2) + "\n")
    except OSError as error:
        terminal.complain(f"cannot write {file}: {error.strerror}.")
        return verdict.exit_code(verdicts) or 2
    say_how_to_send(file.relative_to(root), where, verdicts)
    return verdict.exit_code(verdicts)


def rehearse(root: Path, where: Device, chosen: Sequence[Day]) -> None:
    if where.kind == "gpu":
        print(f"would run on: {where.name} ({where.reason})")
        name = file_name(where)
    else:
        print(f"would stop here: no card can be used: {where.reason}. With one it would run:")
        name = f"contribute-CARD-{today()}.json"
    for day in chosen:
        binary = state.executable(root, "gpu", day).relative_to(root)
        print(f"  day {day.number}  {binary} (built for sm_{', sm_'.join(day.architectures)})")
    print(f"would write: {FOLDER / name}")
    print("with device, clocks, driver, CUDA, date, commit, and each day's gates, times, resources")


def file_name(where: Device) -> str:
    card = re.sub(r"[^a-z0-9]+", "-", where.name.lower()).strip("-")
    return f"contribute-{card}-{today()}.json"


def today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


def as_object(root: Path, where: Device, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """One provenance for all, and each day's own --json as it is. No host, user or path in it."""
    sources = [found.report.get("provenance", {}) for found in verdicts if found.report]
    source = next(filter(None, sources), {})
    return {
        "kind": "contribution",
        "device": where.name,
        "architecture": source.get("architecture"),
        "sm_count": source.get("sm_count"),
        "clocks": telemetry.limits(),
        "driver": source.get("driver"),
        "cuda": source.get("cuda"),
        "date": today(),
        "commit": commit(root),
        "command": "./day contribute",
        "summary": verdict.summary(verdicts),
        "days": {
            found.day: found.report
            or {"day": found.day, "status": found.status, "reason": found.reason}
            for found in verdicts
        },
    }


def commit(root: Path) -> str | None:
    """The commit that was measured, with `-changed` behind it when files differ from it."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=-changed"],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None  # a checkout without git
    return done.stdout.strip()


def say_how_to_send(file: Path, where: Device, verdicts: Sequence[Verdict]) -> None:
    print(f"\nwritten: {file}")
    print(
        "It holds the card's name, clocks and driver, CUDA, date and commit, and of every day the"
    )
    print("gates, times and resources. It does not name you or your machine.")
    if verdict.exit_code(verdicts):
        print(
            "Not everything passed. That is worth sending too: say in the pull request what failed."
        )
    print("To send it, fork the project, push this commit there, and open a pull request:")
    print(f"  git switch -c {file.stem}")
    print(f"  git add {file}")
    print(f'  git commit -m "Measured on {where.name}"')
