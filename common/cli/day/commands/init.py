"""./day init: a learner's own folder, so that a solution never ends up in a pull request here."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from day import context, exercises, home
from day.errors import UsageError
from day.home import Home
from day.provision import write_atomically

README = """# My exercises of Tensor Core Days

    ./day next            # which exercise is next
    ./day watch           # check it each time it is saved
    ./day progress        # all of them

`./day` here calls the course at the place where it is on this machine. On another machine, or when
the course has new exercises: `./day init` with this folder, from the course. What you wrote is
never overwritten. `practice.json` says how far you are; keep it with your files.
"""
LAUNCHER = """#!/bin/sh
# Written by ./day init: where the course is on this machine.
exec {course} "$@"
"""
INTO_COURSE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")  # a link that leads nowhere from there
IGNORED = "# Of this machine only.\n/day\n/.practice.lock\n/backups/\n"


def init(
    ctx: typer.Context,
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The folder; it need not exist.")
    ] = None,
    git: Annotated[bool, typer.Option("--git", help="Make it a git repository.")] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Go back to the exercises of this checkout.")
    ] = False,
) -> int:
    """Make a folder of your own with the exercises. The other commands then use it."""
    root = context.of(ctx).root
    if forget:
        if directory or git:
            raise UsageError(
                "--forget stands alone: it deletes nothing but our memory of a folder."
            )
        home.forget(root)
        print(f"back to the exercises in {root / 'exercises'}. Your folder is as it was.")
        return 0
    if directory is None:
        raise UsageError("which folder? ./day init DIR, e.g. ./day init ~/my-exercises")
    folder = directory.expanduser().resolve()
    if folder.is_relative_to(root):
        raise UsageError(f"{folder} is inside this checkout: choose a place outside of {root}.")
    added = fill(root, folder)
    if git and not (folder / ".git").exists():
        make_repository(folder)
    home.remember(root, folder)
    there = exercises.all_exercises(root, home.own(folder))
    print(f"{folder}: {added} exercises added, {len(there) - added} left as they were.")
    print(f"Go on there: cd {shlex.quote(str(folder))} && ./day next")
    return 0


def fill(root: Path, folder: Path) -> int:
    """Returns how many exercises are new. A file that is not ours is never overwritten."""
    ours = {"README.md": README, ".gitignore": IGNORED, "day": launcher(root)}
    there = exercises.all_exercises(root, Home(folder, folder))
    if not home.is_own(folder):
        foreign = [name for name in ours if (folder / name).exists()]
        foreign += [e.submission.parent.name for e in there if e.submission.parent.exists()]
        if foreign:
            raise UsageError(f"{folder} has a {foreign[0]} already: choose an empty folder.")
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / home.MARK, "A folder of ./day init. Do not delete this file.\n")
    for name, text in ours.items():
        if name == "day" or not (folder / name).exists():
            write_atomically(folder / name, text)
    (folder / "day").chmod(0o755)
    added = 0
    for exercise in there:
        exercise.submission.parent.mkdir(exist_ok=True)
        page = (exercise.folder / "README.md").read_text(encoding="utf-8")
        write_atomically(exercise.submission.with_name("README.md"), INTO_COURSE.sub(r"\1", page))
        if not exercise.submission.exists():
            write_atomically(exercise.submission, exercise.unsolved())
            added += 1
    return added


def launcher(root: Path) -> str:
    """`./day` for the folder: the course's own, which looks where it was called."""
    return LAUNCHER.format(course=shlex.quote(str(root / "day")))


def make_repository(folder: Path) -> None:
    try:
        done = subprocess.run(
            ["git", "init", "--quiet", "."], cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise UsageError("git is not installed: sudo apt-get install -y git") from error
    if done.returncode != 0:
        raise UsageError(f"git init failed: {done.stderr.strip()}")
