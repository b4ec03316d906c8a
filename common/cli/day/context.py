"""What every command is handed: where the checkout is, and what stood after `--`. What the commands
of the exercises share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from day import exercises, home
from day.errors import UsageError
from day.exercises import Exercise

Number = Annotated[str, typer.Argument(metavar="EXERCISE", help="The exercise, e.g. 01a.")]
Directory = Annotated[
    Path | None,
    typer.Option("--dir", metavar="DIR", help="The folder of ./day init, if you are not in it."),
]


@dataclass(frozen=True)
class Context:
    root: Path
    extra: tuple[str, ...] = ()  # the arguments after `--`


def of(context: typer.Context, takes_extra: bool = False) -> Context:
    found = context.obj
    assert isinstance(found, Context)
    if found.extra and not takes_extra:
        raise UsageError(f"{context.command_path} takes no arguments after `--`: {found.extra[0]}")
    return found


def exercises_of(context: typer.Context, directory: Path | None) -> list[Exercise]:
    root = of(context).root
    return exercises.all_exercises(root, home.find(root, directory))


def brief(root: Path, path: Path) -> str:
    """As one would type it: from the checkout or from here, whichever it is inside of."""
    for base in (root, Path.cwd()):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return str(path)
