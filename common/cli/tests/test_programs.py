"""The page of programs of others, from a pretend list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from day import pages, programs
from day.errors import UsageError


def known() -> dict[str, Any]:
    return {
        "provenance": {"kind": "measured", "device": "emulated"},
        "rules": {"graphics": "it draws", "textures": "it samples"},
        "repositories": [
            {
                "name": "some/Samples",
                "about": "Small ones.",
                "commit": "0123456789abcdef",
                "built": "nvcc -rdc=true",
                "programs": [
                    {"name": "add", "outcome": "own check", "run": "--n=4", "seconds": 1500},
                    {
                        "name": "mul",
                        "outcome": "reference",
                        "run": "",
                        "seconds": 2,
                        "found": "a race",
                    },
                    {"name": "sin", "outcome": "fails", "run": "", "why": "no such luck"},
                    {"name": "draw", "outcome": "does not qualify", "rule": "graphics"},
                ],
            }
        ],
    }


def render(root: Path, content: dict[str, Any], part: str) -> str:
    file = root / programs.LIST
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))
    return pages.render(root, f"<!-- programs {part} -->\n<!-- end programs -->\n")


def test_the_page_counts_and_lists_what_the_file_says(tmp_path: Path) -> None:
    counts = render(tmp_path, known(), "counts")
    assert "| [some/Samples](#somesamples) | `0123456789` | 1 | 1 | 0 | 1 | 1 |" in counts
    assert "| all | | 1 | 1 | 0 | 1 | 1 |" in counts
    table = render(tmp_path, known(), "table")
    assert "| `add` | `--n=4` | passed its own check | 1,500 |  |" in table
    assert "| `mul` | as it is | agrees with a reference of ours | 2 | a race |" in table
    assert "| `sin` | as it is | fails |  | no such luck |" in table
    assert "- graphics: `draw`" in table
    rules = render(tmp_path, known(), "rule")
    assert "| graphics | it draws | 1 |" in rules
    assert "| textures | it samples | 0 |" in rules


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"outcome": "fine"}, "none of the known ones"),
        ({"outcome": "fails"}, "an entry like this has name, outcome, run, why"),
        ({"outcome": "does not qualify", "rule": "graphics"}, "an entry like this has"),
        ({"name": "mul"}, "is listed 2 times"),
    ],
)
def test_an_entry_that_says_too_little_or_too_much_is_an_error(
    tmp_path: Path, change: dict[str, str], complaint: str
) -> None:
    content = known()
    content["repositories"][0]["programs"][0] |= change
    with pytest.raises(UsageError, match=complaint):
        render(tmp_path, content, "table")


def test_an_unwritten_rule_and_an_unknown_part_are_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the parts are rule, counts, table"):
        render(tmp_path, known(), "all")
    content = known()
    content["repositories"][0]["programs"][3]["rule"] = "taste"
    with pytest.raises(UsageError, match="rule 'taste' is not written down"):
        render(tmp_path, content, "counts")
