"""What is printed, and how: colour and progress on a terminal only, plain lines otherwise.

rich is imported where it is used, so that a command which prints plain lines starts at once.
NO_COLOR turns colour off; TERM=dumb turns colour and progress off.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

COLOURS = {"green": "32", "red": "31", "yellow": "33", "cyan": "36", "dim": "2", "bold": "1"}


def is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str, stream: TextIO | None = None) -> str:
    if os.environ.get("NO_COLOR") or not is_terminal(stream or sys.stdout):
        return text
    return f"\033[{COLOURS[colour]}m{text}\033[0m"


def complain(message: str) -> None:
    print(f"{paint('day:', 'red', sys.stderr)} {message}", file=sys.stderr)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """A table on stdout; the columns named in `right` hold numbers."""
    if not is_terminal(sys.stdout):
        print_plain(header, rows, right)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    view = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, name in enumerate(header):
        view.add_column(name, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        view.add_row(*(Text(cell) for cell in row))
    Console().print(view)


def print_plain(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()
) -> None:
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
