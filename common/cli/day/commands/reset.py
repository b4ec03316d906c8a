"""./day reset: the exercise as it was given, and what you had beside it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import typer

from day import context, exercises
from day.exercises import Exercise
from day.provision import write_atomically


def reset(ctx: typer.Context, number: context.Number, directory: context.Directory = None) -> int:
    """Put the unsolved submission.cuh back. Yours is kept in a folder of backups."""
    root = context.of(ctx).root
    exercise = exercises.select(context.exercises_of(ctx, directory), number)
    fresh, file = exercise.unsolved(), exercise.submission
    shown = context.brief(root, file)
    if file.exists() and file.read_text(encoding="utf-8", errors="replace") == fresh:
        print(f"{shown} is as it was given; nothing to do.")
        return 0
    if file.exists():
        print(f"yours is now {context.brief(root, keep(exercise))}")
    file.parent.mkdir(exist_ok=True)
    write_atomically(file, fresh)
    print(f"{shown} is as it was given.")
    return 0


def keep(exercise: Exercise) -> Path:
    folder = exercise.home.backups
    folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    backup = folder / f"{exercise.name}-{stamp}.cuh"
    backup.write_bytes(exercise.submission.read_bytes())
    return backup
