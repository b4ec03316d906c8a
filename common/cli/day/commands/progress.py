"""./day progress: the exercises, and how far you are."""

from __future__ import annotations

import typer

from day import context, practice, terminal


def progress(ctx: typer.Context, directory: context.Directory = None) -> int:
    """List the exercises and what became of each."""
    root = context.of(ctx).root
    there = context.exercises_of(ctx, directory)
    home = there[0].home
    state = practice.read(home)
    rows = [
        (
            exercise.number,
            exercise.title,
            practice.describe(state, exercise),
            f"{practice.hints_shown(state, exercise)}/{len(exercise.hints())}",
            f"{exercise.minutes} min",
        )
        for exercise in there
    ]
    terminal.table(("exercise", "title", "state", "hints", "time"), rows, right=(4,))
    done = sum(practice.passed(state, exercise) for exercise in there)
    print(f"{done} of {len(there)} passed. Kept in {context.brief(root, home.practice)}")
    return 0
