"""The exercises there are: the folders of exercises/, each with its manifest. Standard library
only: the tests of the exercises run on any Python."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from day import home, machine_rules, patches
from day.errors import UsageError
from day.home import Home
from day.machine_rules import Rule

FOLDER = re.compile(r"^(\d\d[a-z])-([\w-]+)$")
HINT = re.compile(r"<details><summary>Hint \d+: (.+?)</summary>\s*(.*?)\s*</details>", re.DOTALL)
HOLE = "// ---- the hole"
UNSOLVED = "unsolved.patch"


@dataclass(frozen=True)
class Exercise:
    root: Path
    home: Home  # where the learner's submissions are
    number: str  # "01a"
    slug: str  # "fragment-map"
    title: str
    day: str  # "01"
    minutes: int
    hole_lines: int
    kind: str  # "fragment-map", "gemm"
    kernel: str
    mma_k: int
    closed_book: tuple[str, ...]  # headers that would give the answer away
    registers: int | None
    spill_bytes: int | None
    sass: tuple[Rule, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.number}-{self.slug}"

    @property
    def folder(self) -> Path:
        return self.root / "exercises" / self.name

    @property
    def manifest(self) -> Path:
        return self.folder / "exercise.json"

    @property
    def submission(self) -> Path:
        return self.home.folder / self.name / "submission.cuh"

    @property
    def page(self) -> Path:
        """Beside the submission: a folder of one's own has a copy, the checkout the original."""
        return self.submission.parent / "README.md"

    @property
    def solution(self) -> Path:
        return self.root / "solutions" / self.name / "submission.cuh"

    @property
    def patches(self) -> Path:
        """The solution's plausible mistakes, and UNSOLVED: what the learner is given."""
        return self.solution.parent / "patches"

    def unsolved(self) -> str:
        return patches.apply(self.solution.read_text(), (self.patches / UNSOLVED).read_text())

    def hints(self) -> list[tuple[str, str]]:
        """(title, text) of each folded hint of the page, in its order."""
        return HINT.findall((self.folder / "README.md").read_text(encoding="utf-8"))


def all_exercises(root: Path, where: Home | None = None) -> list[Exercise]:
    folders = sorted((root / "exercises").glob("*/exercise.json"))
    return [read(root, where or home.checkout(root), path) for path in folders]


def read(root: Path, where: Home, manifest: Path) -> Exercise:
    file = manifest.relative_to(root)
    match = FOLDER.match(manifest.parent.name)
    if not match:
        raise UsageError(f"{file}: the folder's name must be NNx-name, e.g. 01a-fragment-map.")
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        return Exercise(
            root=root,
            home=where,
            number=match[1],
            slug=match[2],
            title=content["title"],
            day=content["day"],
            minutes=content["minutes"],
            hole_lines=content["hole_lines"],
            kind=content["kind"],
            kernel=content["kernel"],
            mma_k=content.get("mma_k", 0),
            closed_book=tuple(content.get("closed_book", ())),
            registers=content.get("registers"),
            spill_bytes=content.get("spill_bytes"),
            sass=machine_rules.read(content.get("sass", ()), file),
        )
    except ValueError as error:
        raise UsageError(f"{file} is not JSON: {error}.") from error
    except KeyError as error:
        raise UsageError(f"{file} lacks the key {error}.") from error


def select(there: Sequence[Exercise], wanted: str) -> Exercise:
    """`1a`, `01a` or `01a-fragment-map`."""
    name = wanted if wanted[:2].isdigit() else f"0{wanted}"
    for exercise in there:
        if name in (exercise.number, exercise.name):
            return exercise
    names = ", ".join(f"{e.number} ({e.slug})" for e in there) or "none"
    raise UsageError(f"there is no exercise '{wanted}'. The exercises there are: {names}.")
