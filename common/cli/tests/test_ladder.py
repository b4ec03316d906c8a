"""The ladder: every figure looked up, none moved between measured, quoted and derived."""

import json

import pytest

from day import pages
from day.errors import UsageError

PLAN = {
    "measured": {"device": "NVIDIA X", "file": "x", "roof": "m16n8k16"},
    "quoted": {"device": "Ada", "file": "ada-account"},
    "dram": "4096³_MB",
    "rows": [
        {"day": "05", "adds": "swizzle", "kernel": "xor", "quoted": "xor 3", "order": "row-major"},
        {"day": "09", "adds": "four warps", "kernel": "k8"},
    ],
}
FILES = {
    "ladder": PLAN,
    "day00-x": {
        "provenance": {"sm_count": 100},
        "derived": {"m16n8k16": {"flop_per_clock_and_sm": 2000}},
    },
    "day05-emulated": {"derived": {"xor": {"ldmatrix_bank_conflicts": 50331648}}},
    "day05-x": {
        "timings": [
            {"name": "xor", "gflops": 150000.0, "sm_clock_mhz": 1500},
            {"name": "cuBLAS", "gflops": 600000.0, "sm_clock_mhz": 1500},
        ]
    },
    "day05-ada-account": {
        "timings": [{"name": "xor 3", "gflops": 29170.0}, {"name": "cuBLAS", "gflops": 31060.0}]
    },
    "day06-emulated": {"derived": {"row-major": {"4096³_MB": 751}}},
}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "notebooks" / "data"
    folder.mkdir(parents=True)
    for name, content in FILES.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def rows(root):
    text = pages.render(root, "<!-- ladder -->\nold\n<!-- end ladder -->\n")
    assert "old" not in text
    table = [line for line in text.splitlines() if line.startswith("| 0")]
    return {line[2:4]: [cell.strip() for cell in line.split("|")[4:-1]] for line in table}


def test_figures_stand_in_the_column_of_their_kind(root):
    # 150 of 2000 · 100 · 1.5 GHz = 300 TFLOP/s, and of cuBLAS in the same run.
    assert rows(root)["05"] == [
        "50,331,648", "751 MB", "150.0", "50.0", "25.0", "29.2 (xor 3)", "93.9",
    ]  # fmt: skip


def test_what_nobody_recorded_is_a_dash(root):
    assert rows(root)["09"] == ["–"] * 7


def test_without_a_measured_roof_there_is_no_share_of_it(root):
    (root / "notebooks/data/day00-x.json").unlink()
    assert rows(root)["05"][2:5] == ["150.0", "–", "25.0"]


def test_a_figure_needs_a_run_of_that_card(root):
    (root / "notebooks/data/day05-x.json").unlink()
    assert rows(root)["05"][2:] == ["–", "–", "–", "29.2 (xor 3)", "93.9"]


def test_no_plan_no_ladder(root):
    (root / "notebooks/data/ladder.json").unlink()
    with pytest.raises(UsageError, match=r"notebooks/data/ladder\.json"):
        rows(root)
