"""./day solution: ours, after yours has passed."""

from __future__ import annotations

from typing import Annotated

import typer

from day import context, exercises, home, practice
from day.errors import UsageError
from day.exercises import HOLE, Exercise


def solution(
    ctx: typer.Context,
    number: context.Number,
    spoil: Annotated[bool, typer.Option("--spoil", help="Before yours has passed.")] = False,
    directory: context.Directory = None,
) -> int:
    """Show our solution and why, once yours has passed. Or before, with --spoil."""
    exercise = exercises.select(context.exercises_of(ctx, directory), number)
    if not spoil and not practice.passed(practice.read(exercise.home), exercise):
        raise UsageError(
            f"{exercise.number} has not passed yet, and a solution read is an exercise lost. "
            f"A hint: ./day hint {exercise.number}. All the same: "
            f"./day solution {exercise.number} --spoil"
        )
    print("\n".join(words(exercise)))
    return 0


def words(exercise: Exercise) -> list[str]:
    hole = filled_hole(exercise.solution.read_text(encoding="utf-8"))
    whole = exercise.solution
    if exercise.home == home.checkout(exercise.root):  # from a folder of one's own it is elsewhere
        whole = whole.relative_to(exercise.root)
    return [*hole.splitlines(), "", f"The whole file: {whole}"]


def filled_hole(text: str) -> str:
    """What stands between the marks of the hole; the rest of the file the learner knows."""
    lines = text.splitlines(keepends=True)
    marks = [index for index, line in enumerate(lines) if line.lstrip().startswith("// ---- ")]
    start = next(index for index in marks if HOLE in lines[index])
    end = next(index for index in marks if index > start)
    return "".join(lines[start + 1 : end]).strip("\n") + "\n"
