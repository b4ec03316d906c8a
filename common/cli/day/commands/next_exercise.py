"""./day next: the first exercise that has not passed."""

from __future__ import annotations

import typer

from day import context, exercises, practice


def next_exercise(ctx: typer.Context) -> int:
    """Name the next exercise: its page, its file, the commands."""
    root = context.of(ctx).root
    there = exercises.all_exercises(root)
    state = practice.read(root)
    left = [exercise for exercise in there if not practice.passed(state, exercise)]
    if not left:
        print(f"All {len(there)} exercises have passed. The days: ./day list")
        return 0
    exercise = left[0]
    print(f"{exercise.number}  {exercise.title} (day {exercise.day}, {exercise.minutes} minutes)")
    print(f"  read   {(exercise.folder / 'README.md').relative_to(root)}")
    print(f"  write  {exercise.submission.relative_to(root)}, about {exercise.hole_lines} lines")
    print(f"  then   ./day check {exercise.number}")
    return 0
