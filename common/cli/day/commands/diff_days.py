"""What a day changed in the kernel of another: ./day diff OLD NEW. The difference is the lesson."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from day import context, days, terminal
from day.days import Day
from day.errors import UsageError

COLOURS = (("--- ", "bold"), ("+++ ", "bold"), ("@@", "cyan"), ("-", "red"), ("+", "green"))


def diff_days(
    ctx: typer.Context,
    first: Annotated[str, typer.Argument(metavar="OLD", help="The day to start from.")],
    second: Annotated[
        str | None,
        typer.Argument(
            metavar="[NEW]", help="The day to look at. Without it: OLD, against the day before it."
        ),
    ] = None,
) -> int:
    """Show what a day changed in kernel.cu. A unified diff, and how many lines.

    `./day diff 04` compares day 04 with the day before it, `./day diff 02 04` two days you name.
    """
    root = context.of(ctx).root
    there = days.all_days(root)
    new = one(there, second or first)
    old = one(there, first) if second else day_before(there, new)
    lines = unified(root, old, new)
    for line in lines:
        print(painted(line))
    changed = sum(line.startswith(("-", "+")) for line in lines[2:])
    print(
        f"{changed} {'line' if changed == 1 else 'lines'} changed, day {old.number} to {new.number}"
    )
    return 0


def one(there: Sequence[Day], name: str) -> Day:
    if name == "all":
        raise UsageError("diff compares two days: ./day diff 03 04")
    return days.select(there, [name])[0]


def day_before(there: Sequence[Day], new: Day) -> Day:
    at = there.index(new)
    if at == 0:
        raise UsageError(
            f"day {new.number} is the first, so there is no day before it to compare with. "
            "Name two days: ./day diff 01 02"
        )
    return there[at - 1]


def unified(root: Path, old: Day, new: Day) -> list[str]:
    files = [f"days/{day.name}/kernel.cu" for day in (old, new)]
    for file in files:
        if not (root / file).is_file():
            raise UsageError(f"there is no {file} to compare.")
    labels = [option for file in files for option in ("--label", file)]
    try:
        done = subprocess.run(
            ["diff", "-u", *labels, "--", *files],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise UsageError(
            "the program `diff` is missing: sudo apt-get install -y diffutils"
        ) from error
    if done.returncode not in (0, 1):
        raise UsageError(f"diff cannot compare {files[0]} and {files[1]}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def painted(line: str) -> str:
    colour = next((colour for start, colour in COLOURS if line.startswith(start)), None)
    return terminal.paint(line, colour) if colour else line
