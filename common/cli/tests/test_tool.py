"""Tools of a check: how long, how much they say, and what ends them."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from day import tool
from day.tool import Done, Limits, Runner, Stopped


def sh(tmp_path: Path, script: str, seconds: float = 30, keep_stdout: bool = True) -> Done:
    return Runner().run(["sh", "-c", script], tmp_path, Limits(seconds), keep_stdout)


def test_what_it_says_and_how_it_ends(tmp_path: Path) -> None:
    assert sh(tmp_path, "echo a; echo b >&2; exit 3") == Done(3, "a\nb\n")
    assert sh(tmp_path, "echo a; echo b >&2", keep_stdout=False) == Done(0, "b\n")
    assert sh(tmp_path, "kill -SEGV $$").code == -11
    assert sh(tmp_path, "pwd; echo $TMPDIR").said == f"{tmp_path}\n{tmp_path}\n"
    assert sh(tmp_path, "printf '\\377'").said == "\ufffd"


def alive(pid: int) -> bool:
    """Not a zombie, which only waits for somebody to ask."""
    try:
        return "(sleep) Z" not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def gone(pid: int) -> bool:
    for _ in range(500):
        if not alive(pid):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    ("script", "cut"),
    [
        ("sleep 300 & echo $!; wait", "time"),
        ("sleep 300 & echo $!; exec >&- 2>&-; wait", "time"),
        ("sleep 300 & echo $!; exit 0", ""),  # left behind, and it holds the pipe
    ],
)
def test_nothing_is_left_behind(tmp_path: Path, script: str, cut: str) -> None:
    done = sh(tmp_path, script, seconds=0.7)
    assert done.cut == cut
    assert gone(int(done.said))


def test_a_flood_is_stopped(tmp_path: Path) -> None:
    done = sh(tmp_path, "yes")
    assert done.cut == "output"
    assert len(done.said) == tool.KEPT


def test_stop_from_another_thread(tmp_path: Path) -> None:
    runner, outcome = Runner(), []

    def run() -> None:
        try:
            runner.run(["sh", "-c", "echo $$ > pid; exec sleep 300"], tmp_path, Limits())
        except Stopped:
            outcome.append("stopped")

    thread = threading.Thread(target=run)
    thread.start()
    file = tmp_path / "pid"
    while not (file.exists() and file.read_text()):
        time.sleep(0.01)
    runner.stop()
    thread.join(timeout=30)
    assert outcome == ["stopped"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)
    with pytest.raises(Stopped):
        runner.run(["true"], tmp_path, Limits())
