"""The table of the emulated device's speed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from day import exercises, speed
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
            "kind": "measured",
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


def test_every_exercise_has_a_row(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[3]
    numbers = [exercise.number for exercise in exercises.all_exercises(root)]
    one = {"total": 0.5, "noticed": 0.1, "nvcc": 0.4}
    taken = {
        "provenance": {
            "kind": "measured",
            "cpu": "A CPU",
            "cores": 2,
            "date": "2026-11-30",
            "command": "./day bench watch --samples 2",
            "load_1min": 0.0,
        },
        "median": 0.6,
        "worst": 1.5,
        "parts": {"noticed": 0.1, "nvcc": 0.3},
        "samples": {number: [one, {**one, "total": 1.5}] for number in numbers[1:]},
    }
    file = tmp_path / "watch.json"
    file.write_text(json.dumps(taken))
    lines = speed.watch(root, str(file)).splitlines()
    assert lines[0] == "| exercise | from save to verdict, s | slowest | noticed | nvcc |"
    assert lines[2] == f"| {numbers[0]} | not measured | | | |"
    assert lines[3] == f"| {numbers[1]} | 1.00 | 1.50 | 0.10 | 0.40 |"
    assert [line.split(" | ")[0] for line in lines[2:-3]] == [f"| {n}" for n in numbers]
    assert lines[-3] == "| all | 0.60 | 1.50 | 0.10 | 0.30 |"
    assert "command `./day bench watch --samples 2`" in lines[-1]


def test_the_recorded_verdicts_are_of_every_exercise() -> None:
    root = Path(__file__).resolve().parents[3]
    taken = json.loads((root / "common/exercises/watch.json").read_text())
    assert set(taken["samples"]) == {one.number for one in exercises.all_exercises(root)}
    assert all(len(samples) >= 3 for samples in taken["samples"].values())


def test_a_page_without_its_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        speed.speed(tmp_path, "speed.json")
