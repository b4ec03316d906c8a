"""The ladder: every figure looked up, none moved between measured, quoted and derived."""

import json

import pytest

from day import pages
from day.errors import UsageError

PLAN = {
    "measured": {"device": "NVIDIA X", "file": "x", "bench": "bench-x", "roof": "m16n8k16"},
    "size": "4096×4096×4096",
    "quoted": {"device": "Ada", "file": "ada-account"},
    "dram": "4096³_MB",
    "rows": [
        {"day": "01", "adds": "mma", "kernel": "matmul"},
        {"day": "05", "adds": "swizzle", "kernel": "xor", "quoted": "xor 3", "order": "row-major"},
        {"day": "09", "adds": "four warps", "kernel": "k8"},
    ],
}


def bench(kind, name, gflops, **more):
    size = "4096×4096×4096"
    return {"kind": kind, "name": name, "gflops": gflops, "size": size, "samples": 20, **more}


FILES = {
    "ladder": PLAN,
    "day00-x": {
        "provenance": {"sm_count": 100},
        "derived": {"m16n8k16": {"flop_per_clock_and_sm": 2000}},
    },
    "day05-emulated": {"derived": {"xor": {"ldmatrix_bank_conflicts": 50331648}}},
    "day01-x": {"timings": [{"name": "matmul", "gflops": 150000.0, "sm_clock_mhz": 1500}]},
    "day05-x": {"timings": [{"name": "xor", "gflops": 1.0, "sm_clock_mhz": 1500}]},
    "bench-x": {
        "timings": [
            bench("day", "05 xor", 150000.0, percent_of_roof=49.7),
            bench("cublas", "cuBLAS", 500000.0),
            bench("cublas", "cuBLASLt guess 1", 600000.0),
            bench("peer", "peer slow", 100000.0),
            bench("peer", "peer fast", 300000.0),
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
    # The bench's own share of the roof; cuBLAS's best guess; CUTLASS's best configuration.
    assert rows(root)["05"] == [
        "50,331,648", "751 MB", "150.0", "49.7", "25.0", "50.0", "29.2 (xor 3)", "93.9",
    ]  # fmt: skip


def test_a_day_that_the_bench_does_not_take_is_from_its_own_run(root):
    # 150 of 2000 · 100 · 1.5 GHz = 300 TFLOP/s; no library stood beside it.
    assert rows(root)["01"][2:6] == ["150.0", "50.0", "–", "–"]


def test_what_nobody_recorded_is_a_dash(root):
    assert rows(root)["09"] == ["–"] * 8


def test_conflicts_may_be_counted_as_the_card_that_was_timed(root):
    plan = json.loads(json.dumps(PLAN))
    plan["rows"][2]["counted_in"] = "deep09"
    (root / "notebooks/data/ladder.json").write_text(json.dumps(plan))
    assert rows(root)["09"][0] == "–"
    deep = {"derived": {"k8": {"ldmatrix_bank_conflicts": 7}}}
    (root / "notebooks/data/deep09.json").write_text(json.dumps(deep))
    assert rows(root)["09"][0] == "7"


def test_without_a_measured_roof_there_is_no_share_of_it(root):
    (root / "notebooks/data/day00-x.json").unlink()
    assert rows(root)["01"][2:4] == ["150.0", "–"]


def test_a_kernel_that_the_bench_calls_otherwise_is_not_taken_from_another_run(root):
    plan = json.loads((root / "notebooks/data/ladder.json").read_text())
    plan["rows"][1]["kernel"] = "xor of old"
    (root / "notebooks/data/ladder.json").write_text(json.dumps(plan))
    with pytest.raises(UsageError, match="has day 05, but no 'xor of old'"):
        rows(root)


@pytest.mark.parametrize("missing", ["ladder", "bench-x"])
def test_no_plan_and_no_bench_no_ladder(root, missing):
    (root / f"notebooks/data/{missing}.json").unlink()
    with pytest.raises(UsageError, match=rf"notebooks/data/{missing}\.json"):
        rows(root)
