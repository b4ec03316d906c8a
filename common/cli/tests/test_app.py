"""The command line as a person meets it: arguments, exit codes, verdicts of pretend days."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from day import app, build, toolkit
from day import device as devices
from day.device import Driver
from day.errors import BuildError

CLI = Path(__file__).resolve().parents[1]

PASSES = """echo "gate ok $TCD_GPU $3"; echo '{"day": "01", "status": "passed"}' >"$2" """
SKIPS = """echo 'not run: needs sm_80, this is sm_75'
echo '{"status": "not_run", "reason": "needs sm_80, this is sm_75"}' >"$2" """


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with three days that are shell scripts, already built, and no GPU."""
    lines = "add_day(01-one ARCH 75)\nadd_day(02-two ARCH 80)\nadd_day(03-three ARCH 80)\n"
    (tmp_path / "CMakeLists.txt").write_text(lines)
    for number, body in (("01", PASSES), ("02", SKIPS), ("03", "exit 1")):
        binary = tmp_path / "build/emulated" / f"day{number}"
        binary.parent.mkdir(parents=True, exist_ok=True)
        binary.write_text(f"#!/bin/sh\n{body}\n")
        binary.chmod(0o755)
    monkeypatch.setattr(build, "build", lambda _root, _preset, _targets: None)
    found = toolkit.Toolkit(Path("/pretend/nvcc"), (13, 0), from_wheels=False)
    monkeypatch.setattr(build, "need_toolkit", lambda _root: found)
    monkeypatch.setattr(devices.choose, "__defaults__", (os.environ, Driver))
    monkeypatch.delenv("TCD_GPU", raising=False)
    return tmp_path


def test_one_day_that_passes(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert app.run(root, ["run", "1", "--", "--n=128"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "device: emulated rtx4060-laptop (no NVIDIA driver on this machine)"
    assert lines[1] == "gate ok rtx4060-laptop --n=128"
    assert lines[-2].startswith("day 01  passed")
    assert lines[-1] == "1 passed, 0 failed"


def test_a_day_not_run_is_no_pass(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert app.run(root, ["run", "01", "02", "--gpu", "t4"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("device: emulated t4 (asked for with --gpu t4)\n")
    assert "day 02  not run: needs sm_80, this is sm_75" in out
    assert out.endswith("1 passed, 0 failed, 1 not run\n")
    assert app.run(root, ["list"]) == 0
    assert "not run on emulated t4" in capfd.readouterr().out


def test_all_days_and_a_failure(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for arguments in (["run"], ["run", "all"]):
        assert app.run(root, arguments) == 1
        assert capfd.readouterr().out.endswith("1 passed, 1 failed, 1 not run\n")


def test_json_alone_prints_one_object(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert app.run(root, ["run", "--json", "01", "02"]) == 0
    captured = capfd.readouterr()
    printed = json.loads(captured.out)
    assert [day["status"] for day in printed["days"]] == ["passed", "not_run"]
    assert printed["device"]["name"] == "rtx4060-laptop"
    assert "gate ok" in captured.err


def test_json_with_a_file_keeps_the_verdict(
    root: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "kept.json"
    assert app.run(root, ["run", "01", "--json", str(file)]) == 0
    assert json.loads(file.read_text()) == {"day": "01", "status": "passed"}
    assert app.run(root, ["run", "--json", str(file)]) == 2
    assert "name one day" in capfd.readouterr().err
    assert app.run(root, ["run", "03", "--json", str(tmp_path / "no.json")]) == 1
    assert not (tmp_path / "no.json").exists()
    assert app.run(root, ["run", "01", "--json", "/nowhere/x.json"]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "7"], "The days there are: 01 (one), 02 (two), 03 (three)."),
        (["run", "--device", "tpu"], "--device takes gpu or emulated"),
        (["run", "--device", "gpu"], "no NVIDIA driver on this machine"),
        (["run", "--gpu", "gtx"], "Profiles: t4, a100"),
        (["run", "--bogus"], "No such option"),
        (["fly"], "No such command"),
        (["list", "--", "x"], "takes no arguments after"),
        (["sass"], "Missing argument"),
        (["sass", "7"], "The days there are"),
        (["sass", "all"], "one day at a time"),
        (["sass", "02", "--arch", "75"], "not built for 75, only for 80"),
    ],
)
def test_bad_usage_is_exit_code_2(
    root: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert app.run(root, arguments) == 2
    captured = capfd.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("command", ["run", "list", "test", "doctor", "sass", "pages"])
def test_help(root: Path, capfd: pytest.CaptureFixture[str], command: str) -> None:
    assert app.run(root, [command, "--help"]) == 0
    assert f"./day {command}" in capfd.readouterr().out


def test_a_day_that_does_not_build_fails(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(_root: Path, _preset: str, _targets: list[str]) -> None:
        raise BuildError("building day01 failed")

    monkeypatch.setattr(build, "build", broken)
    assert app.run(root, ["run", "01"]) == 1
    assert "day01 does not build" in capfd.readouterr().out


def test_the_emulated_runtime_goes_before_nvidias(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/local/cuda/lib64")
    binary = root / "build/emulated/day01"
    binary.write_text('#!/bin/sh\necho "path $LD_LIBRARY_PATH"\nexit 1\n')
    assert app.run(root, ["run", "01"]) == 1
    assert f"path {root}/build/emulated/emulator:/usr/local/cuda/lib64\n" in capfd.readouterr().out


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_child_and_leaves_nothing(root: Path, number: int, code: int) -> None:
    binary = root / "build/emulated/day01"
    binary.write_text('#!/bin/sh\necho $$ >"$PID_FILE"\nexec sleep 60\n')
    pid_file = root / "pid"
    script = f"""
import sys
sys.path.insert(0, {str(CLI)!r})
from pathlib import Path
from day import app, build, toolkit
build.build = lambda *_: None
build.need_toolkit = lambda _root: toolkit.Toolkit(Path("/pretend/nvcc"), (13, 0), False)
sys.exit(app.run(Path({str(root)!r}), ["run", "01", "--device", "emulated"]))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PID_FILE": str(pid_file)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 10
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(timeout=10) == code
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert [path.name for path in (root / ".day").iterdir()] == []
