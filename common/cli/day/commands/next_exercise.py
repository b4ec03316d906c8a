"""./day next: the first exercise that has not passed."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from day import context, practice
from day.exercises import Exercise


def next_exercise(ctx: typer.Context, directory: context.Directory = None) -> int:
    """Name the next exercise: its page, its file, the commands."""
    root = context.of(ctx).root
    there = context.exercises_of(ctx, directory)
    exercise = first_left(there)
    if exercise is None:
        print(f"All {len(there)} exercises have passed. The days: ./day list")
        return 0
    print(f"{exercise.number}  {exercise.title} (day {exercise.day}, {exercise.minutes} minutes)")
    print(f"  read   {context.brief(root, exercise.page)}")
    file = context.brief(root, exercise.submission)
    print(f"  write  {file}, about {exercise.hole_lines} lines")
    print(f"  then   ./day watch {exercise.number}, or ./day check {exercise.number}")
    return 0


def first_left(there: Sequence[Exercise], after: Exercise | None = None) -> Exercise | None:
    """The first that has not passed, of those behind `after` and then from the top."""
    state = practice.read(there[0].home) if there else {}
    start = there.index(after) + 1 if after else 0
    for exercise in (*there[start:], *there[:start]):
        if exercise is not after and not practice.passed(state, exercise):
            return exercise
    return None
