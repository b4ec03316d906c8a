"""The bench's table: every day asked for, one line for a library, nothing that was not measured."""

import json

import pytest

from day.bench_table import bench
from day.errors import UsageError


def timing(kind, name, size, gflops, **more):
    return {
        "kind": kind,
        "name": name,
        "size": size,
        "gflops": gflops,
        "sm_clock_mhz": 1979.4,
        "percent_of_roof": gflops / 7000,
    } | more


def write(tmp_path, kind, timings):
    recording = {"provenance": {"kind": kind, "device": "NVIDIA X"}, "timings": timings}
    (tmp_path / "bench.json").write_text(json.dumps(recording))


ROOF = {"name": "roof", "unit": "FLOP/clk/SM", "value": 2730}


def test_the_best_of_a_library_stands_for_it(tmp_path):
    timings = [ROOF]
    for size in ("2048", "4096"):
        timings += [
            timing("day", "09 k8", size, 311e3, percent_of_peer=62.9),
            timing("day", "11 deep", size, 525e3, percent_of_peer=106.15),
            timing("peer", "peer s3", size, 480e3, percent_of_peer=97.1),
            timing("peer", "peer s4, swizzle 16", size, 494e3, percent_of_peer=100.0),
        ]
    write(tmp_path, "measured", timings)
    lines = bench(tmp_path, "bench.json", "11").splitlines()
    assert lines[0].endswith("| % of `mma.sync` roof | % of the peer's best |")
    assert "| 4096 | 11 deep | 525.0 | 1979 | 75.0 | 106.2 |" in lines
    assert (
        "| 2048 | CUTLASS sm_80, best of 2: s4, swizzle 16 | 494.0 | 1979 | 70.6 | 100.0 |" in lines
    )
    assert not any("k8" in line or "s3" in line for line in lines)
    assert lines[-1] == "- *Measured*: device `NVIDIA X`."
    assert "| 2048 | 09 k8 |" in bench(tmp_path, "bench.json")


def test_a_cost_has_its_bound(tmp_path):
    cost = {"cost_percent": 0.706, "cost_upper_95_percent": 0.72, "pairs": 250}
    timings = [timing("day", "11 a", "4", 2e3), timing("day", "11 b", "4", 1e3, **cost)]
    write(tmp_path, "measured", timings)
    lines = bench(tmp_path, "bench.json").splitlines()
    assert lines[0].endswith("| cost, upper 95 % bound |")
    assert lines[2] == "| 4 | 11 a | 2.0 | 1979 | 0.3 |  |"
    assert lines[3] == "| 4 | 11 b | 1.0 | 1979 | 0.1 | +0.71 %, +0.72 %, 250 pairs |"


def test_what_was_not_measured_is_no_time(tmp_path):
    write(tmp_path, "derived", [timing("day", "11 a", "4", 2e3)])
    with pytest.raises(UsageError, match="derived, not measured"):
        bench(tmp_path, "bench.json")
