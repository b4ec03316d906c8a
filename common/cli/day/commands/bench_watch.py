"""./day bench watch: from the save to the verdict, on every exercise, as ./day watch does it."""

from __future__ import annotations

import queue
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from day import build, exercises, home, submission
from day.commands import check, watch
from day.errors import UsageError
from day.exercises import Exercise
from day.submission import Tools

MEDIAN_BAR, WORST_BAR = 2.0, 4.0  # seconds from the save to the verdict
TOOLS = ("nvcc", "ptxas", "judge")

Sample = dict[str, float]


def measure(root: Path, samples: int) -> dict[str, list[Sample]]:
    """Each exercise's solution, which passes every stage, saved `samples` times; in turn, so that a
    disturbance meets all of them."""
    tools = check.need_tools(root)
    taken: dict[str, list[Sample]] = {}
    with tempfile.TemporaryDirectory(prefix="day-bench-") as folder:
        there = exercises.all_exercises(root, home.own(Path(folder)))
        for exercise in there:
            exercise.submission.parent.mkdir()
        events: watch.Events = queue.Queue()
        with watch.saves(Path(folder), events):
            for number in range(samples):
                for exercise in there:
                    build.say_progress(f"round {number + 1} of {samples}, {exercise.number} …")
                    taken.setdefault(exercise.number, []).append(sample(exercise, tools, events))
    build.clear_progress()
    return taken


def sample(exercise: Exercise, tools: Tools, events: watch.Events) -> Sample:
    text = exercise.solution.read_text(encoding="utf-8")
    started = time.monotonic()
    exercise.submission.write_text(text, encoding="utf-8")
    try:
        while events.get(timeout=10).name != exercise.name:
            pass
    except queue.Empty:
        raise UsageError("the saved file was not noticed within 10 s: no inotify here?") from None
    noticed = time.monotonic()
    verdict = submission.judge(exercise, exercise.submission, tools)
    if verdict.finding:
        raise UsageError(f"the solution of {exercise.number} fails: ./day test says why.")
    total = time.monotonic() - started
    seconds = {"total": total, "noticed": noticed - started, **verdict.seconds}
    return {name: round(value, 4) for name, value in seconds.items()}


def summary(taken: Mapping[str, Sequence[Sample]]) -> dict[str, Any]:
    everything = [one for samples in taken.values() for one in samples]
    parts = ("noticed", *TOOLS)
    return {
        "median": statistics.median(one["total"] for one in everything),
        "worst": max(one["total"] for one in everything),
        "parts": {name: statistics.median(one[name] for one in everything) for name in parts},
    }


def show(taken: Mapping[str, Sequence[Sample]], figures: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{number}: median {statistics.median(one['total'] for one in samples):.2f} s, "
        f"worst {max(one['total'] for one in samples):.2f} s"
        for number, samples in taken.items()
    ]
    parts = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in figures["parts"].items())
    return [
        *lines,
        f"from save to verdict: median {figures['median']:.2f} s, worst {figures['worst']:.2f} s",
        f"median of each part: {parts}",
    ]
