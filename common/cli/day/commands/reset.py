"""./day reset: the exercise as it was given, and what you had beside it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from day import context, exercises
from day.exercises import Exercise
from day.provision import write_atomically


def reset(
    ctx: typer.Context,
    number: Annotated[str, typer.Argument(metavar="EXERCISE", help="The exercise, e.g. 01a.")],
) -> int:
    """Put the unsolved submission.cuh back; yours is kept in .day/backups."""
    root = context.of(ctx).root
    exercise = exercises.select(exercises.all_exercises(root), number)
    fresh, file = exercise.unsolved(), exercise.submission
    if file.exists() and file.read_text(encoding="utf-8", errors="replace") == fresh:
        print(f"{file.relative_to(root)} is as it was given; nothing to do.")
        return 0
    if file.exists():
        backup = keep(exercise)
        print(f"yours is now {backup.relative_to(root)}")
    write_atomically(file, fresh)
    print(f"{file.relative_to(root)} is as it was given.")
    return 0


def keep(exercise: Exercise) -> Path:
    folder = exercise.root / ".day" / "backups"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    backup = folder / f"{exercise.name}-{stamp}.cuh"
    backup.write_bytes(exercise.submission.read_bytes())
    return backup
