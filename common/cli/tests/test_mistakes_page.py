"""The table of seeded mistakes: what stands in it with and without a card."""

from __future__ import annotations

import json

import pytest

from day import pages
from day.errors import UsageError

MARKER = "<!-- mistakes recorded -->\n<!-- end mistakes -->\n"
ROWS = [
    {"name": "a", "what": "no wait", "caught_by": "race", "line": "x.cuh:3", "right": True},
    {"name": "b", "what": "rows", "caught_by": "result check", "line": "", "right": False},
]
SURVEY = {"provenance": {"kind": "derived", "device": "NVIDIA X (emulated)"}, "mistakes": ROWS}
QUIET = {
    tool: {"verdict": "silent"} for tool in ("memcheck", "racecheck", "synccheck", "initcheck")
}
CARD = {
    "provenance": {"kind": "measured", "device": "NVIDIA Y", "sanitizer": "2025.3"},
    "mistakes": {
        "a": {"plain": {"verdict": "passed"}, **QUIET, "racecheck": {"verdict": "reports"}},
    },
}


@pytest.fixture
def recorded(tmp_path):
    folder = tmp_path / "recorded"
    folder.mkdir()
    (folder / "emulated.json").write_text(json.dumps(SURVEY))
    return tmp_path


def test_without_a_card_the_page_says_so(recorded):
    text = pages.render(recorded, MARKER)
    assert "| `a` | no wait | race | x.cuh:3 | right |\n" in text
    assert "| `b` | rows | result check | – | wrong |\n" in text
    assert "2 mistakes: 1 are named by the emulated device, 1 of these with results" in text
    assert "On a card, plainly and under compute-sanitizer: not run yet" in text


def test_a_card_has_columns_of_its_own(recorded):
    (recorded / "recorded" / "y.json").write_text(json.dumps(CARD))
    text = pages.render(recorded, MARKER)
    assert "| NVIDIA Y: results | memcheck | racecheck | synccheck | initcheck |\n" in text
    assert "| x.cuh:3 | right | right | – | reports | – | – |\n" in text
    assert "| wrong | not run | not run | not run | not run | not run |\n" in text
    assert "of the 1 that the emulated device names, 1 had right results on the card" in text
    assert "four tools together report 1." in text
    assert "not run yet" not in text


def test_the_emulated_device_is_no_card(recorded):
    (recorded / "recorded" / "y.json").write_text(json.dumps(SURVEY))
    with pytest.raises(UsageError, match=r"y\.json is derived, not measured"):
        pages.render(recorded, MARKER)


def test_a_folder_without_a_survey_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="does not exist"):
        pages.render(tmp_path, MARKER)
