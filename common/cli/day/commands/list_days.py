"""./day list: the days, their state, and the command that runs each."""

from __future__ import annotations

import typer

from day import context, days, state, terminal


def list_days(ctx: typer.Context) -> None:
    """List the days, what became of each, and the command to run it."""
    root = context.of(ctx).root
    known = state.read(root)
    rows = [
        (day.number, day.title, state.describe(root, day, known), f"./day run {day.number}")
        for day in days.all_days(root)
    ]
    terminal.table(("day", "title", "state", "command"), rows)
