"""The bench's tables: which is the best of a kind, and that the recordings say what pages claim."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from day import pages, timed
from day.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]


def one(kind: str, name: str, gflops: float, **more: Any) -> dict[str, Any]:
    size = "256×256×256"
    quartiles = {"first_quartile_ms": 0.99, "third_quartile_ms": 1.01, "median_ms": 1.0}
    common = {"size": size, "samples": 20, "sm_clock_mhz": 1979.4, "percent_of_roof": 73.6}
    return {"kind": kind, "name": name, "gflops": gflops, **quartiles, **common, **more}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    run = [
        one("peer", "peer slow", 100e3),
        one("day", "11 wide", 520e3, resources={"registers": 242}),
        one("cublas", "cuBLAS", 700e3),
        one("cublas", "cuBLASLt guess 2", 800e3),
        one("peer", "peer fast", 500e3),
    ]
    paired = {"baseline": "11 wide", "cost_percent": 0.706, "cost_upper_95_percent": 0.72}
    run.append(one("day", "11 bias", 515e3, resources={"registers": 238}, pairs=250, **paired))
    source = {"kind": "measured", "device": "NVIDIA X", "command": "bench"}
    (tmp_path / "x.json").write_text(json.dumps({"provenance": source, "timings": run}))
    return tmp_path


def test_the_best_of_a_kind_is_what_others_are_a_share_of(root: Path) -> None:
    text = pages.render(root, "<!-- timed x.json -->\n<!-- end timed -->\n")
    assert "| **11** wide | 520.0 | 1.00 | 1979 | 73.6 | 65.0 | 104.0 |" in text
    assert "| cuBLASLt guess 2, the fastest of 2 | 800.0 |" in text
    assert "| cuBLAS |" not in text
    assert text.index("CUTLASS fast") < text.index("CUTLASS slow")
    assert "2 CUTLASS sm80 configurations were tried" in text
    assert "- *Measured*: device `NVIDIA X`, command `bench`." in text


def test_the_claim_names_the_other_and_how_many_there_were(root: Path) -> None:
    text = timed.claim(root, "x.json", "11", "256")
    assert "Day 11, 256³: 520.0 TFLOP/s, 104.0 % of the best of 2 CUTLASS" in text
    assert "(`fast`, 500.0)" in text
    with pytest.raises(UsageError, match="no day 10 beside CUTLASS"):
        timed.claim(root, "x.json", "10", "256")
    with pytest.raises(UsageError, match="wants 4096×4096×4096 of a bench that has only 256"):
        timed.claim(root, "x.json", "11", "4096")


def test_a_cost_stands_beside_both_kernels(root: Path) -> None:
    text = timed.fused(root, "x.json")
    assert "| 11 bias | 515.0 | 238 | 11 wide | 520.0 | 242 | 250 | +0.71 | +0.72 |" in text


def test_only_measured_runs_are_shown(root: Path) -> None:
    (root / "x.json").write_text(json.dumps({"provenance": {"kind": "quoted"}, "timings": []}))
    with pytest.raises(UsageError, match="quoted, not measured"):
        timed.timed(root, "x.json")


@pytest.mark.parametrize("name", ["fused11-h200", "fused09-h200"])
def test_the_recorded_cost_is_what_its_samples_say(name: str) -> None:
    timings = json.loads((ROOT / f"notebooks/data/{name}.json").read_text())["timings"]
    (paired,) = [one for one in timings if "cost_percent" in one]
    (base,) = [one for one in timings if one["name"] == paired["baseline"]]
    pairs = zip(paired["sample_ms"], base["sample_ms"], strict=True)
    costs = [100 * (with_it / without - 1) for with_it, without in pairs]
    assert paired["pairs"] == len(costs) >= 200
    assert paired["cost_percent"] == pytest.approx(mean(costs), abs=0.005)
    bound = mean(costs) + 1.645 * stdev(costs) / len(costs) ** 0.5
    assert paired["cost_upper_95_percent"] == pytest.approx(bound, abs=0.005)


def test_shares_of_the_recorded_bench_are_those_that_it_printed() -> None:
    recording = json.loads((ROOT / "notebooks/data/bench-h200.json").read_text())
    for run in timed.runs(recording):
        assert len(run.peers) >= 20
        for entry in [*run.days, *run.peers]:
            assert float(run.of_peer(entry)) == pytest.approx(entry["percent_of_peer"], abs=0.06)
            assert float(run.of_cublas(entry)) == pytest.approx(
                entry["percent_of_cublas"], abs=0.06
            )
