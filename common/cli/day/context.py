"""What every command is handed: where the checkout is, and what stood after `--`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from day.errors import UsageError


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
