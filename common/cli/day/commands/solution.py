"""./day solution: ours, after yours has passed."""

from __future__ import annotations

from typing import Annotated

import typer

from day import context, exercises, practice
from day.errors import UsageError
from day.exercises import HOLE


def solution(
    ctx: typer.Context,
    number: Annotated[str, typer.Argument(metavar="EXERCISE", help="The exercise, e.g. 01a.")],
    spoil: Annotated[bool, typer.Option("--spoil", help="Before yours has passed.")] = False,
) -> int:
    """Show our solution and why, once yours has passed (or with --spoil)."""
    root = context.of(ctx).root
    exercise = exercises.select(exercises.all_exercises(root), number)
    if not spoil and not practice.passed(practice.read(root), exercise):
        raise UsageError(
            f"{exercise.number} has not passed yet, and a solution read is an exercise lost. "
            f"A hint: ./day hint {exercise.number}. All the same: "
            f"./day solution {exercise.number} --spoil"
        )
    print(filled_hole(exercise.solution.read_text(encoding="utf-8")), end="")
    print(f"\nThe whole file: {exercise.solution.relative_to(root)}")
    return 0


def filled_hole(text: str) -> str:
    """What stands between the marks of the hole; the rest of the file the learner knows."""
    lines = text.splitlines(keepends=True)
    marks = [index for index, line in enumerate(lines) if line.lstrip().startswith("// ---- ")]
    start = next(index for index in marks if HOLE in lines[index])
    end = next(index for index in marks if index > start)
    return "".join(lines[start + 1 : end]).strip("\n") + "\n"
