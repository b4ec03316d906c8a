"""What came out of the last run of each day: .day/state.json. Written whole or not at all.

A verdict belongs to the executable that gave it: once that is built anew, the verdict is gone."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any

from day.days import Day
from day.provision import write_atomically

PRESETS = ("emulated", "gpu")


def executable(root: Path, preset: str, day: Day) -> Path:
    return root / "build" / preset / day.target


def path(root: Path) -> Path:
    return root / ".day" / "state.json"


def read(root: Path) -> dict[str, Any]:
    try:
        content = json.loads(path(root).read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def fingerprint(binary: Path) -> list[int] | None:
    try:
        status = binary.stat()
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns]


def record(root: Path, day: Day, preset: str, status: str, device: str) -> None:
    path(root).parent.mkdir(exist_ok=True)
    with (path(root).parent / "state.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = read(root)
        state[day.number] = {
            "status": status,
            "device": device,
            "preset": preset,
            "executable": fingerprint(executable(root, preset, day)),
        }
        write_atomically(path(root), json.dumps(state, indent=2) + "\n")


def describe(root: Path, day: Day, state: dict[str, Any]) -> str:
    last = state.get(day.number)
    if isinstance(last, dict) and last.get("preset") in PRESETS:
        now = fingerprint(executable(root, last["preset"], day))
        if now is not None and now == last.get("executable"):
            return f"{last['status'].replace('_', ' ')} on {last['device']}"
    built = [preset for preset in PRESETS if executable(root, preset, day).exists()]
    return f"built ({', '.join(built)})" if built else "not built"
