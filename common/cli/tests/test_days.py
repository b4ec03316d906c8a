"""The table of contents, the choice of days, and what is remembered of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from day import days, state
from day.days import Day
from day.errors import UsageError

TABLE = """\
project(x)
# add_day(99-commented-out ARCH 75)
add_day(03-cta-tile ARCH 80 90a)  # comment
  add_day(01-fragment-probe ARCH 75 80)
add_day(02-ldmatrix
        ARCH 75 80)
add_day_like(04-other ARCH 75)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "CMakeLists.txt").write_text(TABLE)
    page = tmp_path / "days/01-fragment-probe/README.md"
    page.parent.mkdir(parents=True)
    page.write_text("<!-- note -->\n\n# Day 01: who holds what\n\n# Later\n")
    return tmp_path


def test_the_table_is_read(root: Path) -> None:
    found = days.all_days(root)
    assert [day.name for day in found] == ["01-fragment-probe", "02-ldmatrix", "03-cta-tile"]
    assert [day.architectures for day in found] == [("75", "80"), ("75", "80"), ("80", "90a")]
    assert found[0].title == "Day 01: who holds what"
    assert found[1].title == "(no page yet)"
    assert found[2].target == "day03"


def test_this_repository_begins_with_day_00() -> None:
    here = days.all_days(Path(__file__).resolve().parents[3])
    assert here[0].number == "00"


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ([], ["01", "02", "03"]),
        (["all"], ["01", "02", "03"]),
        (["1"], ["01"]),
        (["03", "01"], ["01", "03"]),
        (["day02", "02", "02-ldmatrix"], ["02"]),
    ],
)
def test_days_are_selected(root: Path, wanted: list[str], numbers: list[str]) -> None:
    assert [day.number for day in days.select(days.all_days(root), wanted)] == numbers


@pytest.mark.parametrize("name", ["7", "0", "", "fragment", "-1", "99"])
def test_an_unknown_day_lists_those_there_are(root: Path, name: str) -> None:
    with pytest.raises(UsageError, match="there is no day") as error:
        days.select(days.all_days(root), [name])
    assert "01 (fragment-probe), 02 (ldmatrix), 03 (cta-tile)" in str(error.value)


def test_a_verdict_is_remembered_until_the_executable_changes(tmp_path: Path) -> None:
    day = Day("01", "fragment-probe", ("75",), "title")
    assert state.describe(tmp_path, day, state.read(tmp_path)) == "not built"
    binary = state.executable(tmp_path, "emulated", day)
    binary.parent.mkdir(parents=True)
    binary.write_text("one")
    assert state.describe(tmp_path, day, state.read(tmp_path)) == "built (emulated)"
    state.record(tmp_path, day, "emulated", "not_run", "emulated t4")
    assert state.describe(tmp_path, day, state.read(tmp_path)) == "not run on emulated t4"
    binary.write_text("another")
    assert state.describe(tmp_path, day, state.read(tmp_path)) == "built (emulated)"


def test_a_damaged_state_file_is_no_error(tmp_path: Path) -> None:
    (tmp_path / ".day").mkdir()
    for content in ("", "{", "[]", '{"01": 5}', '{"01": {"preset": "x"}}'):
        state.path(tmp_path).write_text(content)
        day = Day("01", "fragment-probe", ("75",), "title")
        assert state.describe(tmp_path, day, state.read(tmp_path)) == "not built"
