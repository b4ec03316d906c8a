"""What the book holds, in reading order. The output is one flat folder, so every link is a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HELPER = "tcd_notebook"


@dataclass(frozen=True)
class Page:
    part: str  # the heading it stands under
    source: Path  # relative to the checkout
    kind: str  # "markdown", "notebook", "interactive"

    @property
    def output(self) -> str:
        if self.source == Path("README.md"):
            return "index.html"
        stem = (
            self.source.parent if self.source.name == "README.md" else self.source.with_suffix("")
        )
        return "-".join(stem.parts) + ".html"

    @property
    def day(self) -> str:
        """The two digits of the day it belongs to; "" for none."""
        name = self.source.parent.name if self.source.name == "README.md" else self.source.stem
        return name[:2] if name[:2].isdigit() else ""

    @property
    def of_the_day(self) -> str:
        """What it is among the pages of its day."""
        names = {"Days": "page", "Notebooks": "notebook"}
        return names.get(self.part, f"exercise {self.source.parent.name[:3]}")


def find(root: Path) -> list[Page]:
    def all_of(part: str, kind: str, *patterns: str) -> list[Page]:
        found = (path for pattern in patterns for path in sorted(root.glob(pattern)))
        return [Page(part, path.relative_to(root), kind) for path in found]

    notebooks = [
        page
        for page in all_of("Notebooks", "notebook", "notebooks/*.py")
        if page.source.stem != HELPER
    ]
    return [
        *all_of("Start", "markdown", "README.md"),
        *all_of("Days", "markdown", "days/*/README.md"),
        *sorted(notebooks, key=lambda page: page.source.stem[:1].isdigit()),
        *all_of("Interactive", "interactive", "notebooks/book/interactive/*.html"),
        *all_of("Exercises", "markdown", "exercises/README.md", "exercises/*/README.md"),
        *all_of("Background", "markdown", "notebooks/pages/*.md"),
        *all_of(
            "Manual",
            "markdown",
            "common/emulator/README.md",
            "common/emulator/*/README.md",
            "common/bench/README.md",
            "common/gates/README.md",
            "common/exercises/README.md",
            "exercises/GRADING.md",
            "common/cli/README.md",
            "CONTRIBUTING.md",
        ),
    ]


def notebooks(root: Path) -> list[Page]:
    return [page for page in find(root) if page.kind == "notebook"]


CALL = re.compile(r"\b(?:run|report|timeline)\(\s*\"(\d\d)\"")


def targets(root: Path) -> list[str]:
    """The executables that the notebooks call, and the program behind the interactive pages."""
    texts = [(root / page.source).read_text(encoding="utf-8") for page in notebooks(root)]
    days = sorted({day for text in texts for day in CALL.findall(text)})
    return [*(f"day{day}" for day in days), "book_tables"]
