"""The days there are: the add_day(...) lines of CMakeLists.txt, which is the table of contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from day.errors import UsageError

ADD_DAY = re.compile(r"^[ \t]*add_day\(\s*(\d\d)-([\w-]+)\s+ARCH\s+([^)]*?)\s*\)", re.MULTILINE)


@dataclass(frozen=True)
class Day:
    number: str  # "01"
    slug: str  # "fragment-probe"
    architectures: tuple[str, ...]  # ("75", "80")
    title: str

    @property
    def name(self) -> str:
        return f"{self.number}-{self.slug}"

    @property
    def target(self) -> str:
        return f"day{self.number}"


def parse(cmake_lists: str) -> list[tuple[str, str, tuple[str, ...]]]:
    without_comments = re.sub(r"#.*", "", cmake_lists)
    return [
        (number, slug, tuple(architectures.split()))
        for number, slug, architectures in ADD_DAY.findall(without_comments)
    ]


def first_heading(page: Path) -> str:
    try:
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                return line[2:].strip()
    except OSError:
        pass
    return "(no page yet)"


def all_days(root: Path) -> list[Day]:
    path = root / "CMakeLists.txt"
    try:
        rows = parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    return sorted(
        (
            Day(number, slug, archs, first_heading(root / "days" / f"{number}-{slug}/README.md"))
            for number, slug, archs in rows
        ),
        key=lambda day: day.number,
    )


def select(days: Sequence[Day], wanted: Sequence[str]) -> list[Day]:
    """`1`, `01`, `day01`, `01-fragment-probe` or `all`; nothing means all. In the table's order."""
    if not days:
        raise UsageError("CMakeLists.txt has no add_day(...) line, so there is no day to run.")
    if not wanted or "all" in wanted:
        return list(days)
    chosen = set()
    for name in wanted:
        number = name.removeprefix("day")
        number = number.zfill(2) if number.isascii() and number.isdigit() else number
        match = [day for day in days if number in (day.number, day.name)]
        if not match:
            there = ", ".join(f"{day.number} ({day.slug})" for day in days)
            raise UsageError(f"there is no day '{name}'. The days there are: {there}.")
        chosen.add(match[0].number)
    return [day for day in days if day.number in chosen]
