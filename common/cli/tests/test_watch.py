"""./day watch, in a terminal of its own and without one. The judge is a pretend one."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from day import exercises, practice
from day.commands import watch
from day.exercises import Exercise

ROOT = Path(__file__).resolve().parents[3]
PRETEND = Path(__file__).with_name("pretend_watch.py")
PATIENCE = 60  # seconds until a word that does not come counts as missing


class Watching:
    """A running ./day watch and what it has said so far."""

    def __init__(self, root: Path, arguments: list[str], terminal: bool) -> None:
        self.keyboard, theirs = pty.openpty() if terminal else (None, subprocess.DEVNULL)
        self.before = termios.tcgetattr(self.keyboard) if terminal else None
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, PRETEND, root, "watch", *arguments],
            cwd=root,
            stdin=theirs,
            stdout=theirs if terminal else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TERM": "xterm"},
            start_new_session=True,
        )
        if terminal:
            os.close(theirs)
        self.output = self.keyboard if terminal else self.process.stdout.fileno()

    def wait_for(self, words: str) -> str:
        """Everything up to the words; the next call looks behind them."""
        while words not in self.said:
            if not select.select([self.output], [], [], PATIENCE)[0]:
                raise AssertionError(f"no [{words}] in {self.said!r}")
            try:
                data = os.read(self.output, 65536)
            except OSError:  # a terminal nobody holds any more
                data = b""
            if not data:
                raise AssertionError(f"ended without [{words}]: {self.said!r}")
            self.said += data.decode(errors="replace")
        before, _, self.said = self.said.partition(words)
        return before

    def press(self, key: str) -> None:
        os.write(self.keyboard, key.encode())

    def end(self) -> int:
        return self.process.wait(timeout=PATIENCE)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("exercises", "solutions"):
        # The first few: what they are does not matter here, and each costs time.
        ignored = shutil.ignore_patterns("0[3-9]*")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for exercise in exercises.all_exercises(tmp_path):
        exercise.submission.write_text(exercise.unsolved())
    return tmp_path


@pytest.fixture
def start(root: Path) -> Iterator:
    started: list[Watching] = []

    def start_one(*arguments: str, terminal: bool = True) -> Watching:
        started.append(Watching(root, list(arguments), terminal))
        return started[-1]

    yield start_one
    for one in started:
        one.process.kill()
        one.process.wait()
        if one.process.stdout:
            one.process.stdout.close()
        if one.keyboard:
            os.close(one.keyboard)


def numbered(root: Path, number: str) -> Exercise:
    return exercises.select(exercises.all_exercises(root), number)


def test_plain_lines_without_a_terminal(root: Path, start) -> None:
    one = start("01a", terminal=False)
    one.wait_for("FAILED: product")
    one.wait_for("0 of ")
    numbered(root, "01a").submission.write_text("right\n")
    said = one.wait_for("1 of ")
    assert "passed. Compare: ./day solution 01a" in said
    numbered(root, "02a").submission.write_text("wrong\n")  # another one: it goes on there
    said = one.wait_for("1 of ")
    assert "02a" in said
    assert "it says wrong" in said
    assert "\033" not in said
    assert "[h]int" not in said
    one.process.send_signal(signal.SIGINT)
    assert one.end() == 130
    assert "Traceback" not in one.said


def test_keys(root: Path, start) -> None:
    one = start()  # the first that is left
    one.wait_for("FAILED")
    one.wait_for("[q]uit")
    one.press("h")
    one.wait_for("Hint 1 of ")
    assert practice.read(numbered(root, "00a").home)["00a"]["hints"] == 1
    one.press("s")
    one.wait_for("once yours has passed")
    one.press("d")
    one.wait_for("as it was given")
    numbered(root, "00a").submission.write_text("right\n")
    one.wait_for("passed. Compare")
    one.wait_for("█")
    one.press("d")
    assert "-#pragma once" in one.wait_for("+right")
    one.press("s")
    one.wait_for("The whole file: solutions/00a")
    one.press("n")
    one.wait_for("01a")
    one.wait_for("FAILED")
    one.press("q")
    assert one.end() == 0
    assert termios.tcgetattr(one.keyboard) == one.before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_gives_the_terminal_back(root: Path, start, number: signal.Signals) -> None:
    numbered(root, "01a").submission.write_text("endless\n")
    one = start("01a")
    one.wait_for("checking")
    one.process.send_signal(number)
    assert one.end() == 128 + number
    assert termios.tcgetattr(one.keyboard) == one.before


def test_a_save_stops_the_check_that_is_under_way(root: Path, start) -> None:
    numbered(root, "01a").submission.write_text("endless\n")
    one = start("01a")
    one.wait_for("checking")
    numbered(root, "01a").submission.write_text("right\n")
    one.wait_for("passed. Compare")


@pytest.mark.parametrize("how", ["renamed over", "deleted and written"])
def test_editors_save_in_their_own_ways(root: Path, start, how: str) -> None:
    file = numbered(root, "01a").submission
    one = start("01a", terminal=False)
    one.wait_for("0 of ")
    if how == "renamed over":
        beside = file.with_name(".submission.cuh.swp")
        beside.write_text("right\n")
        beside.replace(file)
    else:
        file.unlink()
        file.write_text("right\n")
    one.wait_for("passed. Compare")


def test_bar(root: Path) -> None:
    there = exercises.all_exercises(root)
    for exercise in there[: len(there) // 2]:
        practice.change(exercise, passed=True)
    full = watch.BAR * (len(there) // 2) // len(there)
    drawn = watch.bar(there, drawn=True)
    assert drawn.startswith("█" * full + "░" * (watch.BAR - full) + " ")
    assert watch.bar(there, drawn=False) == f"{len(there) // 2} of {len(there)} passed"
