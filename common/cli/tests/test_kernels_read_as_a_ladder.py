"""The course is read day against day: from Day 03 on a kernel.cu is one screenful more or less than
the last, and its diff holds one idea. What two days share unchanged moves to common/."""

from __future__ import annotations

import difflib
import itertools
from pathlib import Path

import pytest

KERNELS = sorted((Path(__file__).parents[3] / "days").glob("*/kernel.cu"))
LADDER = [kernel for kernel in KERNELS if "03" <= kernel.parent.name[:2] <= "09"]

LONGEST = 220  # lines; the aim is 200
MOST_CHANGED = 70  # lines gone and lines come; the aim is 60


def changed(a: list[str], b: list[str]) -> int:
    return sum(
        line.startswith(("- ", "+ ")) for line in difflib.ndiff(a, b) if not line.startswith("?")
    )


def test_the_whole_ladder_is_there() -> None:
    assert [kernel.parent.name[:2] for kernel in LADDER] == [f"{day:02}" for day in range(3, 10)]


@pytest.mark.parametrize("kernel", LADDER, ids=lambda kernel: kernel.parent.name)
def test_a_kernel_is_read_in_one_go(kernel: Path) -> None:
    assert len(kernel.read_text().splitlines()) <= LONGEST


@pytest.mark.parametrize(
    ("yesterday", "today"),
    itertools.pairwise(LADDER),
    ids=lambda kernel: kernel.parent.name[:2],
)
def test_a_day_changes_one_thing(yesterday: Path, today: Path) -> None:
    a, b = yesterday.read_text().splitlines(), today.read_text().splitlines()
    assert 0 < changed(a, b) <= MOST_CHANGED
