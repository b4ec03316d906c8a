"""./day hint: the next hint of an exercise, one at a time."""

from __future__ import annotations

from typing import Annotated

import typer

from day import context, exercises, practice
from day.errors import UsageError
from day.exercises import Exercise


def hint(
    ctx: typer.Context,
    number: context.Number,
    again: Annotated[bool, typer.Option("--again", help="Those you have seen, once more.")] = False,
    directory: context.Directory = None,
) -> int:
    """Show the next hint of an exercise; each call one more."""
    exercise = exercises.select(context.exercises_of(ctx, directory), number)
    print("\n".join(seen_before(exercise) if again else one_more(exercise)))
    return 0


def one_more(exercise: Exercise) -> list[str]:
    hints = exercise.hints()
    seen = practice.hints_shown(practice.read(exercise.home), exercise)
    if seen < len(hints):
        practice.change(exercise, hints=seen + 1)
        return words(hints, seen)
    return [
        f"That was the last of {len(hints)} hints.",
        f"All again: ./day hint {exercise.number} --again",
        f"The solution: ./day solution {exercise.number} --spoil",
    ]


def seen_before(exercise: Exercise) -> list[str]:
    hints = exercise.hints()
    seen = min(practice.hints_shown(practice.read(exercise.home), exercise), len(hints))
    if seen == 0:
        raise UsageError(f"you have seen no hint yet: ./day hint {exercise.number}")
    return [line for index in range(seen) for line in words(hints, index)]


def words(hints: list[tuple[str, str]], index: int) -> list[str]:
    title, text = hints[index]
    return [f"Hint {index + 1} of {len(hints)}: {title}", "", text, ""]
