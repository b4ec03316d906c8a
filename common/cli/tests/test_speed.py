"""The table of the emulated device's speed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from day import speed
from day.errors import UsageError


def test_the_table_says_what_the_file_says(tmp_path: Path) -> None:
    mine = {
        "seconds": 1.2,
        "ratio": 3.96,
        "million_warp_instructions_per_second_and_core": 30.0,
        "proven_share": 1.0,
        "peak_bytes": 200 * 2**20,
    }
    taken = {
        "provenance": {
            "cpu": "A CPU",
            "cores": 2,
            "date": "2026-11-30",
            "command": "./day bench emulator",
            "load_1min": 0.0,
        },
        "size": 4096,
        "sgemm": {"seconds": 0.303, "gflops": 453.6, "core": "SkylakeX"},
        "exact": mine,
        "random": {**mine, "proven_share": 0.0},
    }
    (tmp_path / "speed.json").write_text(json.dumps(taken))
    lines = speed.speed(tmp_path, "speed.json").splitlines()
    assert "454 GFLOP/s, kernel SkylakeX | 0.303 | 1 |" in lines[2]
    assert "no checks | 1.200 | 4.0 | 30.0 | 100% | 200 MiB |" in lines[3]
    assert "every check | 1.200 | 4.0 | 30.0 | 0% |" in lines[4]
    assert "A CPU, 2 cores, date `2026-11-30`" in lines[-1]


def test_a_page_without_its_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        speed.speed(tmp_path, "speed.json")
