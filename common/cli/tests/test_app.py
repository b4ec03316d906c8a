"""The command line as a person meets it: arguments, exit codes, verdicts of pretend days."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

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


def must_not_run(root: Path) -> Path:
    """Day 01 leaves a file behind when it runs."""
    mark = root / "it-ran"
    (root / "build/emulated/day01").write_text(f"#!/bin/sh\ntouch {mark}\n{PASSES}\n")
    return mark


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("/nowhere/x.json", "No such file or directory"),
        ("folder.json", "Is a directory"),
        ("file/x.json", "Not a directory"),
    ],
)
def test_a_json_file_that_cannot_be_written_is_refused_before_the_run(
    root: Path, capfd: pytest.CaptureFixture[str], file: str, reason: str
) -> None:
    mark = must_not_run(root)
    (root / "folder.json").mkdir()
    (root / "file").touch()
    assert app.run(root, ["run", "01", "--json", str(root / file)]) == 2
    captured = capfd.readouterr()
    assert f"cannot write {root / file}: {reason}." in captured.err
    assert not mark.exists()


def test_a_full_disk_is_bad_environment_but_hides_no_failed_gate(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert app.run(root, ["run", "01", "--json", "/dev/full"]) == 2
    captured = capfd.readouterr()
    assert "cannot write /dev/full: No space left on device." in captured.err
    assert "1 passed, 0 failed" in captured.out
    failing = """#!/bin/sh
echo '{"status": "failed"}' >"$2"
exit 1
"""
    (root / "build/emulated/day03").write_text(failing)
    assert app.run(root, ["run", "03", "--json", "/dev/full"]) == 1
    assert "No space left on device" in capfd.readouterr().err
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("after", [["--json", "x.json"], ["--json=x.json"]])
def test_json_after_the_double_dash_is_refused_with_the_right_place(
    root: Path, capfd: pytest.CaptureFixture[str], after: list[str]
) -> None:
    mark = must_not_run(root)
    assert app.run(root, ["run", "01", "--", "--n", "64", *after]) == 2
    assert "./day run NN --json x.json" in capfd.readouterr().err
    assert not mark.exists()
    assert app.run(root, ["run", "01", "--", "--jsonish"]) == 0  # another option is the day's own


def test_help_of_a_day_is_no_verdict(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "build/emulated/day01").write_text('#!/bin/sh\necho "Usage: $*"\n')
    assert app.run(root, ["run", "01", "--", "--help"]) == 0
    captured = capfd.readouterr()
    assert captured.out.endswith("Usage: --help\n")
    assert not (root / ".day").exists()
    (root / "build/emulated/day01").write_text("#!/bin/sh\nexit 2\n")
    assert app.run(root, ["run", "01", "--", "-h"]) == 2


def test_a_control_leaves_the_recorded_state_alone(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    binary = root / "build/emulated/day01"
    binary.write_text(f"#!/bin/sh\ncase $3 in --control*) exit 1 ;; esac\n{PASSES}\n")
    assert app.run(root, ["run", "01", "--", "--control", "one-bit"]) == 1
    app.run(root, ["list"])
    assert "built (emulated)" in capfd.readouterr().out
    assert app.run(root, ["run", "01"]) == 0
    assert app.run(root, ["run", "01", "--", "--control=one-bit"]) == 1
    capfd.readouterr()
    app.run(root, ["list"])
    assert "passed on emulated rtx4060-laptop" in capfd.readouterr().out
    assert app.run(root, ["run", "03"]) == 1  # a failure that nobody asked for is recorded
    app.run(root, ["list"])
    assert "failed on emulated rtx4060-laptop" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "7"], "The days there are: 01 (one), 02 (two), 03 (three)."),
        (["run", "--device", "tpu"], "--device takes gpu or emulated"),
        (["run", "--device", "gpu"], "no NVIDIA driver on this machine"),
        (["run", "--gpu", "gtx"], "Profiles: t4, a100"),
        (["run", "--bogus"], "No such option"),
        (["run", "01", "--n", "512"], "behind `--`: ./day run 01 -- --n 512"),
        (["emulate", "./program"], "behind `--`: ./day emulate -- ./program"),
        (["emulate", "./program", "--size", "3"], "behind `--`: ./day emulate -- ./program"),
        (["fly"], "No such command"),
        (["list", "--", "x"], "takes no arguments after"),
        (["sass"], "Missing argument"),
        (["sass", "7"], "The days there are"),
        (["sass", "all"], "one day at a time"),
        (["sass", "02", "--raw", "--kernel", "x"], "leave --kernel out"),
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


COMMANDS = [command.name or "" for command in app.app.registered_commands]
OF_PYTHON = r"INTEGER|TEXT|PATH|RANGE|\b(?:wanted|first|second|what|directory|folder|number|name)  "


@pytest.mark.parametrize("command", COMMANDS)
def test_help(root: Path, capfd: pytest.CaptureFixture[str], command: str) -> None:
    assert app.run(root, [command, "--help"]) == 0
    out = capfd.readouterr().out
    assert out.startswith(f"Usage: ./day {command} ")
    assert not re.search(OF_PYTHON, out)


def test_each_command_is_said_in_one_line(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert app.run(root, ["--help"]) == 0
    listed = capfd.readouterr().out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == COMMANDS
    assert not [line for line in listed if line.endswith("...")]


@pytest.mark.parametrize(
    ("command", "words"),
    [("check", "The exercise, e.g. 01a."), ("init", "it need not exist"), ("diff", "start from")],
)
def test_help_explains_the_arguments(
    root: Path, capfd: pytest.CaptureFixture[str], command: str, words: str
) -> None:
    assert app.run(root, [command, "--help"]) == 0
    assert words in capfd.readouterr().out


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


def start(root: Path, arguments: list[str], **options: Any) -> subprocess.Popen[str]:
    """./day as a process of its own, with the pretend days of `root`."""
    script = f"""
import sys
sys.path.insert(0, {str(CLI)!r})
from pathlib import Path
from day import app, build, toolkit
build.build = lambda *_: None
build.need_toolkit = lambda _root: toolkit.Toolkit(Path("/pretend/nvcc"), (13, 0), False)
sys.exit(app.run(Path({str(root)!r}), {arguments!r}))
"""
    return subprocess.Popen([sys.executable, "-c", script], text=True, **options)


def wait_for(file: Path) -> str:
    deadline = time.monotonic() + 30
    while not (file.exists() and file.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return file.read_text().strip()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_child_and_leaves_nothing(root: Path, number: int, code: int) -> None:
    pid_file = root / "pid"
    binary = root / "build/emulated/day01"
    binary.write_text(f"#!/bin/sh\necho $$ >{pid_file}\nexec sleep 60\n")
    with start(
        root,
        ["run", "01", "--device", "emulated"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        child = int(wait_for(pid_file))
        process.send_signal(number)
        assert process.wait(timeout=10) == code
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert [path.name for path in (root / ".day").iterdir()] == []


@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_keeps_what_has_come_out_so_far(root: Path, as_json: bool) -> None:
    mark = root / "mark"
    (root / "build/emulated/day02").write_text(f"#!/bin/sh\necho x >{mark}\nexec sleep 60\n")
    arguments = ["run", "--device", "emulated", *(["--json"] if as_json else [])]
    with start(root, arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(mark)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err.endswith("interrupted during day 02, 1 more not started\n")
    assert "Traceback" not in err
    if as_json:
        printed = json.loads(out)
        assert [day["status"] for day in printed["days"]] == ["passed"]
        assert (printed["interrupted"], printed["exit_code"]) == ("02", 130)
    else:
        assert "day 01  passed" in out
        assert out.endswith("1 passed, 0 failed\n")
    assert list(json.loads((root / ".day/state.json").read_text())) == ["01"]


@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        (
            ["run", "01", "--device", "emulated"],
            "exec yes",
        ),  # the day is writing when the reader goes
        (["run", "01", "--device", "emulated"], "sleep 0.2\n" + PASSES),  # ./day itself is
        (["list"], ""),
        (["--help"], ""),
    ],
    ids=["the day writes", "day itself writes", "list", "help"],
)
def test_a_reader_that_goes_away_ends_it_quietly(
    root: Path, arguments: list[str], body: str
) -> None:
    (root / "build/emulated/day01").write_text(f"#!/bin/sh\nexec 2>/dev/null\n{body}\n")
    with start(root, arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        if arguments[0] == "run":
            assert process.stdout.readline().startswith("device: ")
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(timeout=10) == 128 + signal.SIGPIPE
    assert err == ""
    assert not (root / ".day/state.json").exists()


@pytest.mark.parametrize("command", ["list", "--help"])
def test_output_to_a_full_disk_is_no_success(root: Path, command: str) -> None:
    with (
        Path("/dev/full").open("w") as full,
        start(root, [command], stdout=full, stderr=subprocess.PIPE) as process,
    ):
        assert process.stderr is not None
        err = process.stderr.read()
        assert process.wait(timeout=10) == 2
    assert err == "day: the output cannot be written: No space left on device\n"
