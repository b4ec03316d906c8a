"""./day contribute: one file from a card, with the card faked; nothing without one."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from day import app, build, telemetry, toolkit
from day import device as devices
from day.device import Card, Driver

REPORT = {
    "day": "01",
    "status": "passed",
    "provenance": {
        "kind": "measured",
        "architecture": "sm_89",
        "sm_count": 24,
        "driver": "580.1",
        "cuda": "13.0",
        "command": "day01",
    },
    "timings": [{"name": "matmul", "median_ms": 1.5, "sm_clock_mhz": 2370}],
}
CARD = Driver((13, 0), [Card("NVIDIA GeForce RTX 4060 Laptop GPU", (8, 9))])
FILE = re.compile(r"contribute-nvidia-geforce-rtx-4060-laptop-gpu-\d{4}-\d\d-\d\d\.json")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two days that are shell scripts, built for a card, which is there."""
    (tmp_path / "CMakeLists.txt").write_text("add_day(01-one ARCH 75)\nadd_day(02-two ARCH 80)\n")
    script(tmp_path, "01", f"echo gate ok; echo '{json.dumps(REPORT)}' >\"$2\"")
    script(tmp_path, "02", """echo '{"day": "02", "status": "not_run", "reason": "r"}' >"$2" """)
    monkeypatch.setattr(build, "build", lambda _root, _preset, _targets: None)
    found = toolkit.Toolkit(Path("/pretend/nvcc"), (13, 0), from_wheels=False)
    monkeypatch.setattr(build, "need_toolkit", lambda _root: found)
    monkeypatch.setattr(telemetry, "limits", lambda: {"sm_max_mhz": 2370})
    monkeypatch.delenv("TCD_GPU", raising=False)
    with_driver(monkeypatch, CARD)
    return tmp_path


def script(root: Path, number: str, body: str) -> None:
    binary = root / f"build/gpu/day{number}"
    binary.parent.mkdir(parents=True, exist_ok=True)
    binary.write_text(f"#!/bin/sh\n{body}\n")
    binary.chmod(0o755)


def with_driver(monkeypatch: pytest.MonkeyPatch, driver: Driver) -> None:
    monkeypatch.setattr(devices.choose, "__defaults__", (os.environ, lambda: driver))


def written(root: Path) -> list[Path]:
    folder = root / "notebooks/data"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_one_file_holds_the_card_and_every_days_verdict(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x.invalid"]
    subprocess.run([*git, "init", "-q"], cwd=root, check=True)
    subprocess.run([*git, "add", "CMakeLists.txt"], cwd=root, check=True)
    subprocess.run([*git, "commit", "-qm", "x"], cwd=root, check=True)
    assert app.run(root, ["contribute"]) == 0
    (file,) = written(root)
    assert FILE.fullmatch(file.name)
    content = json.loads(file.read_text())
    assert content["device"] == "NVIDIA GeForce RTX 4060 Laptop GPU"
    assert (content["driver"], content["cuda"]) == ("580.1", "13.0")
    assert content["architecture"] == "sm_89"
    assert content["clocks"] == {"sm_max_mhz": 2370}
    assert content["date"] in file.name
    assert re.fullmatch("[0-9a-f]{40}", content["commit"])
    assert content["days"]["01"] == REPORT
    assert content["days"]["02"] == {"day": "02", "status": "not_run", "reason": "r"}
    assert content["summary"] == "1 passed, 0 failed, 1 not run"
    assert str(root) not in file.read_text()
    out = capfd.readouterr().out
    assert out.startswith("device: gpu NVIDIA GeForce RTX 4060 Laptop GPU (")
    assert f"written: notebooks/data/{file.name}" in out
    assert f"git add notebooks/data/{file.name}" in out
    assert "pull request" in out
    # A changed file is told apart from the commit.
    with (root / "CMakeLists.txt").open("a") as text:
        text.write("# changed\n")
    assert app.run(root, ["contribute"]) == 0
    assert json.loads(file.read_text())["commit"] == content["commit"] + "-changed"


def test_a_failed_gate_is_written_and_said(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script(root, "02", """echo '{"day": "02", "status": "failed"}' >"$2"; exit 1""")
    assert app.run(root, ["contribute"]) == 1
    (file,) = written(root)
    content = json.loads(file.read_text())
    assert content["days"]["02"]["status"] == "failed"
    assert content["commit"] is None  # no git here
    assert "Not everything passed." in capfd.readouterr().out


def test_a_day_without_a_verdict_keeps_its_place(root: Path) -> None:
    script(root, "02", "kill -SEGV $$")
    assert app.run(root, ["contribute"]) == 1
    (file,) = written(root)
    assert json.loads(file.read_text())["days"]["02"] == {
        "day": "02",
        "status": "failed",
        "reason": "ended by SIGSEGV",
    }


def test_nothing_to_contribute_is_no_file(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for number in ("01", "02"):
        script(root, number, "exit 2")
    assert app.run(root, ["contribute"]) == 2
    assert "no day gave a verdict" in capfd.readouterr().err
    assert written(root) == []


@pytest.mark.parametrize(
    ("driver", "why"),
    [
        (Driver(), "no NVIDIA driver on this machine"),
        (Driver((12, 4), CARD.cards), "driver too old"),
        (Driver((13, 0), [Card("GTX 1080", (6, 1))]), "card too old"),
    ],
)
def test_without_a_usable_card_it_says_why(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    driver: Driver,
    why: str,
) -> None:
    with_driver(monkeypatch, driver)
    assert app.run(root, ["contribute"]) == 2
    captured = capfd.readouterr()
    assert why in captured.err
    assert "./day contribute --dry-run" in captured.err
    assert (captured.out, written(root)) == ("", [])
    assert app.run(root, ["contribute", "--dry-run"]) == 0
    assert why in capfd.readouterr().out


def test_a_dry_run_names_days_and_file_and_does_nothing(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert app.run(root, ["contribute", "--dry-run"]) == 0
    out = capfd.readouterr().out
    assert "would run on: NVIDIA GeForce RTX 4060 Laptop GPU" in out
    assert "day 01  build/gpu/day01 (built for sm_75)" in out
    assert "day 02  build/gpu/day02 (built for sm_80)" in out
    assert FILE.search(out)
    assert "gate ok" not in out
    assert written(root) == []


def test_ctrl_c_writes_no_file(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_root: Path, _preset: str, targets: list[str]) -> None:
        if targets == ["day02"]:
            raise KeyboardInterrupt

    monkeypatch.setattr(build, "build", interrupted)
    assert app.run(root, ["contribute"]) == 130
    captured = capfd.readouterr()
    assert "1 passed, 0 failed" in captured.out
    assert "interrupted during day 02; no file is written" in captured.err
    assert written(root) == []


class FakeNvml:
    """As much of NVML as is called."""

    def __init__(self, card: int = 0, power: int = 0) -> None:
        self.card, self.power, self.open = card, power, 0

    def nvmlInit_v2(self) -> int:
        self.open += 1
        return 0

    def nvmlShutdown(self) -> int:
        self.open -= 1
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, _index: int, _out: Any) -> int:
        return self.card

    def nvmlDeviceGetMaxClockInfo(self, _handle: ctypes.c_void_p, domain: int, out: Any) -> int:
        out._obj.value = {1: 2370, 2: 8001}[domain]
        return 0

    def nvmlDeviceGetEnforcedPowerLimit(self, _handle: ctypes.c_void_p, out: Any) -> int:
        out._obj.value = 55_000
        return self.power


def test_clocks_and_power_limit_as_far_as_the_card_tells() -> None:
    library = FakeNvml()
    full = {"sm_max_mhz": 2370, "memory_max_mhz": 8001, "power_limit_watts": 55.0}
    assert telemetry.limits(lambda _name: library) == full
    assert library.open == 0
    del full["power_limit_watts"]
    assert telemetry.limits(lambda _name: FakeNvml(power=3)) == full
    assert telemetry.limits(lambda _name: FakeNvml(card=6)) == {}

    def absent(name: str) -> Any:
        raise OSError(f"{name}: cannot open shared object file")

    assert telemetry.limits(absent) == {}
