"""How far the learner is: practice.json, one entry an exercise. Small and readable, so that it
can be copied to another machine. Written whole or not at all."""

from __future__ import annotations

import fcntl
import json
from typing import Any

from day.exercises import Exercise
from day.home import Home
from day.provision import write_atomically


def read(home: Home) -> dict[str, dict[str, Any]]:
    try:
        content = json.loads(home.practice.read_text())
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {key: value for key, value in content.items() if isinstance(value, dict)}


def change(exercise: Exercise, **values: object) -> None:
    home = exercise.home
    home.state.mkdir(exist_ok=True)
    with (home.state / ".practice.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = read(home)
        state[exercise.number] = {**state.get(exercise.number, {}), **values}
        write_atomically(home.practice, json.dumps(state, indent=2) + "\n")


def passed(state: dict[str, dict[str, Any]], exercise: Exercise) -> bool:
    """It has passed once. What the file says now is ./day check's business."""
    return state.get(exercise.number, {}).get("passed") is True


def hints_shown(state: dict[str, dict[str, Any]], exercise: Exercise) -> int:
    count = state.get(exercise.number, {}).get("hints", 0)
    return count if isinstance(count, int) else 0


def describe(state: dict[str, dict[str, Any]], exercise: Exercise) -> str:
    entry = state.get(exercise.number, {})
    if passed(state, exercise):
        return "passed"
    stage = entry.get("stage")
    return f"stopped at {stage}" if stage else "not tried"
