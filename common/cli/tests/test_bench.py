"""./day bench emulator with a pretend program: ratios, bars, words, and what ends it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from day import app, build, speed
from day.commands import bench, bench_kernels

SGEMM = {"core": "SkylakeX", "config": "OpenBLAS 0.3.21", "threads": 2}


class Pretend:
    """Stands in for bench_emulator; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, dict[str, str]]] = []
        self.seconds = {"sgemm": [1.0, 9.0, 1.2], "exact": [3.6, 3.7, 99.0], "random": [24.0] * 3}
        self.wrong = 0

    def __call__(self, _root: Path, kind: str, size: int, settings: Mapping[str, str]) -> Any:
        number = sum(asked[0] == kind for asked in self.asked)
        self.asked.append((kind, size, dict(settings)))
        seconds = {"seconds": self.seconds[kind][number]}
        if kind == "sgemm":
            return {**SGEMM, **seconds}
        counts = {"warp_instructions": 200_000_000, "mma": 1000, "check_reports": 0}
        proven = {"exact": 1000, "random": 5}[kind]
        rest = {"mma_proven": proven, "wrong": self.wrong, "peak_bytes": 300 * 2**20}
        return {**seconds, **counts, **rest}


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> Pretend:
    found = Pretend()
    monkeypatch.setattr(build, "build", lambda _root, _preset, _targets: None)
    monkeypatch.setattr(bench, "sample", found)
    machine = {"cpu": "A CPU", "cores": 2, "load_1min": 0.0}
    monkeypatch.setattr(bench, "describe_machine", lambda: machine)
    return found


def test_medians_bars_and_words(
    tmp_path: Path, pretend: Pretend, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kept.json"
    assert app.run(tmp_path, ["bench", "emulator", "--json", str(file)]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert captured.err == ""
    assert lines[0] == "A CPU, 2 cores, load average 0.0"
    assert "4096³: 1.200 s, 115 GFLOP/s, kernel SkylakeX, 2 threads" in lines[1]
    assert "no checks: 3.700 s, 3.1 times SGEMM; 27.0 M warp" in lines[2]
    assert "100.0% of the mma proven exact; peak memory 300 MiB" in lines[2]
    assert "every check: 24.000 s, 20.0 times SGEMM" in lines[3]
    assert "0.5% of the mma proven exact" in lines[3]
    assert [line.rsplit(": ", 1)[1] for line in lines[4:]] == [
        "held",
        "held",
        "NOT held",
        "held",
    ]
    kept = json.loads(file.read_text())
    assert kept["provenance"]["command"] == "./day bench emulator --samples 3"
    assert kept["exact"]["ratio"] == pytest.approx(3.7 / 1.2)
    assert len(kept["samples"]["random"]) == 3


def test_samples_are_taken_in_turn(tmp_path: Path, pretend: Pretend) -> None:
    assert app.run(tmp_path, ["bench", "emulator", "--quick", "--samples", "2"]) == 0
    assert [asked[0] for asked in pretend.asked] == ["sgemm", "exact", "random"] * 2
    assert {asked[1] for asked in pretend.asked} == {1024}
    assert pretend.asked[1][2] == {"TCD_CHECKS": "off"}
    assert pretend.asked[2][2] == {"TCD_CHECKS": "report"}


def test_wrong_results_fail(
    tmp_path: Path, pretend: Pretend, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend.wrong = 1
    assert app.run(tmp_path, ["bench", "emulator", "--quick"]) == 1
    assert "6 wrong elements or check reports" in capsys.readouterr().err


def test_every_kernel_is_named_with_its_speed(
    tmp_path: Path,
    pretend: Pretend,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert pretend.asked == []
    seconds = {"plain": iter([1.0, 2.0, 9.0]), "checked": iter([4.0] * 3)}
    seconds["random"] = iter([5.0] * 3)
    reports = 0

    def take(_root: Path, kind: str, _environment: Mapping[str, str]) -> Any:
        one = {"warp_instructions": 100_000_000, "check_reports": reports}
        fast = {"name": "01", "seconds": next(seconds[kind]), **one}
        return [fast, {**fast, "name": "03 128×128×32", "seconds": 20.0}]

    monkeypatch.setattr(bench_kernels, "take", take)
    file = tmp_path / "kernels.json"
    assert app.run(tmp_path, ["bench", "kernels", "--json", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-3:] for line in lines[2:4]] == [["25.0", "12.5", "10.0"], ["2.5"] * 3]
    assert lines[2].startswith("  01 ") and lines[3].startswith("  03 128×128×32 ")
    assert lines[4].endswith("at least 20 M/s and core: NOT held")
    kept = json.loads(file.read_text())
    assert kept["provenance"]["command"] == "./day bench kernels --samples 3"
    assert kept["kernels"][0] == {
        "name": "01",
        "plain": 25.0,
        "checked": 12.5,
        "random": 10.0,
    }
    table = speed.kernels(tmp_path, "kernels.json")
    assert "| 03 128×128×32 | 2.5 | 2.5 | 2.5 |" in table
    seconds = {kind: iter([1.0]) for kind in seconds}
    reports = 1
    assert app.run(tmp_path, ["bench", "kernels", "--samples", "1"]) == 1
    assert "6 check reports" in capsys.readouterr().err


def test_a_busy_machine_is_named(
    tmp_path: Path,
    pretend: Pretend,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine = {"cpu": "A CPU", "cores": 2, "load_1min": 7.5}
    monkeypatch.setattr(bench, "describe_machine", lambda: machine)
    assert app.run(tmp_path, ["bench", "emulator"]) == 0
    assert "warning: the machine is busy (load 7.5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["emulator", "03"], "emulator stands alone"),
        (["emulator", "--peer"], "--peer is for the days"),
        (["watch", "--quick"], "leave it out of watch"),
        (["kernels", "--quick"], "leave it out of kernels"),
        (["kernels", "03"], "kernels stands alone"),
        (["emulator", "--json"], "--json FILE.json"),
        (["emulator", "--json", "/nowhere/x.json"], "cannot write /nowhere/x.json"),
    ],
)
def test_bad_usage_runs_nothing(
    tmp_path: Path,
    pretend: Pretend,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    assert app.run(tmp_path, ["bench", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert pretend.asked == []


def program(root: Path, body: str) -> None:
    file = root / "build/emulated/common/emulator/bench/bench_emulator"
    file.parent.mkdir(parents=True)
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)


def test_a_sample_runs_the_program_without_foreign_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = '"$OPENBLAS_CORETYPE$OPENBLAS_L2_SIZE$TCD_GPU|$TCD_CHECKS|$1|$2"'
    program(tmp_path, f'printf \'{{"seen": "%s"}}\' {settings}')
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "TCD_GPU", "TCD_CHECKS"):
        monkeypatch.setenv(name, "foreign")
    found = bench.sample(tmp_path, "exact", 1024, {"TCD_CHECKS": "off"})
    assert found == {"seen": "|off|exact|1024"}


def test_no_openblas_is_exit_code_2_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "build", lambda _root, _preset, _targets: None)
    program(tmp_path, "echo 'Install it: sudo apt-get install -y libopenblas0-pthread' >&2; exit 2")
    assert app.run(tmp_path, ["bench", "emulator"]) == 2
    assert "sudo apt-get install -y libopenblas0-pthread" in capsys.readouterr().err
