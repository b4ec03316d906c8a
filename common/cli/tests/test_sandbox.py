"""What holds in each kind of sandbox that this machine has, tried by programs that mean harm. The
compiler in it, and whole submissions, are tried by the exercises' own tests."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from day import confine, sandbox
from day.errors import UsageError
from day.sandbox import Sandboxed, Way
from day.tool import Done, Limits, Runner

LIMITS = Limits(seconds=60, cpu_seconds=1, memory_bytes=64 * 1024**2, file_bytes=1024**2)


def works(way: Way, folder: Path) -> str | None:
    """Whether `true` can be started at all."""
    try:
        done = Sandboxed(way, []).run(["true"], folder, Limits())
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return None if done.code == 0 else done.said.strip()


@pytest.fixture
def job() -> Iterator[Path]:
    """A folder that others may pass through: as root the tools run as somebody else. Not pytest's
    own: another pytest on this machine closes those to others when it starts."""
    with tempfile.TemporaryDirectory(prefix="day-sandbox-") as top:
        Path(top).chmod(0o711)
        job = Path(top) / "job"
        job.mkdir()
        yield job


@pytest.fixture(params=sandbox.WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest, job: Path) -> Way:
    if remark := works(request.param, job):
        pytest.skip(f"{request.param.name} does not work here: {remark}")
    return request.param


def bash(way: Way, job: Path, script: str, limits: Limits = LIMITS) -> Done:
    runner = Sandboxed(way, [])
    runner.prepare(job)
    return runner.run(["bash", "-c", script], job, limits)


def test_the_attempts_succeed_without_a_sandbox(job: Path) -> None:
    found = sandbox.attempts(Runner(), job.parent, job)
    assert len(found) == 5


def test_nothing_outside_is_reached(way: Way, job: Path) -> None:
    runner = Sandboxed(way, [])
    runner.prepare(job)
    assert sandbox.attempts(runner, job.parent, job) == sandbox.HELD


def test_a_way_that_does_not_hold_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho > empty.ptx\n")
    nvcc.chmod(0o755)
    bare = Way("bare", lambda command, *_: list(command))
    absent = Way("absent", lambda command, *_: ["no-such-program", *command])
    assert "does not hold: a file outside" in (sandbox.why_not(bare, nvcc) or "")
    monkeypatch.setattr(sandbox, "WAYS", (bare, absent))
    with pytest.raises(UsageError) as error:
        sandbox.choose(nvcc)
    assert "apt-get install -y bubblewrap" in str(error.value)
    assert "no-such-program: " in str(error.value)


def test_processor_time(way: Way, job: Path) -> None:
    assert bash(way, job, "while :; do :; done").code == -signal.SIGXCPU


def test_memory(way: Way, job: Path) -> None:
    script = "x=x; for i in {1..30}; do x=$x$x; done; echo got it"
    assert "got it" not in bash(way, job, script).said
    assert "got it" in bash(way, job, script.replace("30", "10")).said


def test_output(way: Way, job: Path) -> None:
    done = bash(way, job, "yes > big; echo $?")
    assert (job / "big").stat().st_size == LIMITS.file_bytes
    assert done.said.strip().splitlines()[-1] == str(128 + signal.SIGXFSZ)


def test_processes(way: Way, job: Path) -> None:
    few = replace(LIMITS, processes=8)
    runner = Sandboxed(way, [])
    script = "i=0; while [ $i -lt 400 ]; do sleep 60 & i=$((i + 1)); done; echo all"
    done = runner.run(["sh", "-c", script], job, few)  # bash would try again, for 15 s
    assert "all" not in done.said.splitlines()
    assert "fork" in done.said.lower()


def test_time_ends_everything(way: Way, job: Path) -> None:
    script = "(while :; do date +%N > alive; sleep 0.05; done) & sleep 60"
    assert bash(way, job, script, replace(LIMITS, seconds=1)).cut == "time"
    alive = job / "alive"
    before = alive.stat().st_mtime_ns
    assert bash(way, job, "sleep 0.3").code == 0
    assert alive.stat().st_mtime_ns == before


def test_no_privilege_and_no_environment(
    way: Way, job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", "secret")
    done = bash(way, job, "env; grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status || echo none")
    assert "secret" not in done.said
    for line in done.said.splitlines():
        if line.startswith("Cap"):
            assert int(line.split()[1], 16) == 0
        if line.startswith("NoNewPrivs"):
            assert line.split()[1] == "1"


def test_only_the_named_folders(way: Way, job: Path) -> None:
    course = job.parent / "course"
    course.mkdir()
    (course / "header").write_text("text\n")
    (job.parent / "beside").write_text("secret\n")
    runner = Sandboxed(way, [course])
    runner.prepare(job)
    script = f"cat {course}/header; cat {job.parent}/beside; echo x > {course}/new"
    done = runner.run(["bash", "-c", script], job, LIMITS)
    assert done.said.startswith("text\n")
    assert "secret" not in done.said
    assert not (course / "new").exists()


def test_no_links_and_no_devices(way: Way, job: Path) -> None:
    """Who reads the folder afterwards is not led astray; bubblewrap's are seen through instead."""
    if way.name == "bubblewrap":
        pytest.skip("bubblewrap lets links be made; plain_file.py follows none")
    bash(way, job, "ln -s /etc/passwd link; mkfifo pipe; mknod device c 1 3; echo x > plain")
    assert [path.name for path in job.iterdir()] == ["plain"]


def test_no_landlock_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confine, "landlock_abi", lambda: 0)
    with pytest.raises(confine.Refused, match="no Landlock"):
        confine.restrict_files([], [])
