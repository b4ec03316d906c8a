"""./day hint: the next hint of an exercise, one at a time."""

from __future__ import annotations

from typing import Annotated

import typer

from day import context, exercises, practice
from day.errors import UsageError


def hint(
    ctx: typer.Context,
    number: Annotated[str, typer.Argument(metavar="EXERCISE", help="The exercise, e.g. 01a.")],
    again: Annotated[bool, typer.Option("--again", help="Those you have seen, once more.")] = False,
) -> int:
    """Show the next hint of an exercise; each call one more."""
    root = context.of(ctx).root
    exercise = exercises.select(exercises.all_exercises(root), number)
    hints = exercise.hints()
    seen = min(practice.hints_shown(practice.read(root), exercise), len(hints))
    if again and seen == 0:
        raise UsageError(f"you have seen no hint yet: ./day hint {exercise.number}")
    if again:
        first, last = 0, seen
    elif seen < len(hints):
        first, last = seen, seen + 1
        practice.change(exercise, hints=last)
    else:
        print(f"That was the last of {len(hints)} hints.")
        print(f"All again: ./day hint {exercise.number} --again")
        print(f"The solution: ./day solution {exercise.number} --spoil")
        return 0
    for index in range(first, last):
        title, text = hints[index]
        print(f"Hint {index + 1} of {len(hints)}: {title}\n\n{text}\n")
    return 0
