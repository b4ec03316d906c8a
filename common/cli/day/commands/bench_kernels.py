"""./day bench kernels: how fast the emulated device runs every day's kernel."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from day import build
from day.errors import UsageError

TARGET = "bench_kernels"
SIZE = 2048
SPEED_BAR = 20.0  # million warp instructions a second and core
# The inputs, and TCD_CHECKS. Random ones take the chip's own arithmetic for every mma.
KINDS = {"plain": ("exact", "off"), "checked": ("exact", "report"), "random": ("random", "report")}

Sample = list[dict[str, Any]]  # one of each kernel


def take(root: Path, kind: str, environment: Mapping[str, str]) -> Sample:
    inputs, checks = KINDS[kind]
    program = root / "build/emulated/common/emulator/bench" / TARGET
    done = subprocess.run(
        [program, inputs, str(SIZE)],
        env={**environment, "TCD_CHECKS": checks},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise UsageError(done.stderr.strip() or f"{TARGET} {inputs} ended with {done.returncode}.")
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def measure(root: Path, count: int, environment: Mapping[str, str]) -> dict[str, list[Sample]]:
    """All kernels by turns, so that a disturbance meets all of them."""
    taken: dict[str, list[Sample]] = {kind: [] for kind in KINDS}
    for round_number in range(count):
        build.say_progress(f"round {round_number + 1} of {count} …")
        for kind in KINDS:
            taken[kind].append(take(root, kind, environment))
    build.clear_progress()
    return taken


def summary(taken: Mapping[str, Sequence[Sample]], cores: int) -> dict[str, Any]:
    kernels = []
    for number, first in enumerate(taken["plain"][0]):
        rates = {
            kind: statistics.median(
                one[number]["warp_instructions"] / one[number]["seconds"] / cores / 1e6
                for one in taken[kind]
            )
            for kind in KINDS
        }
        kernels.append({"name": first["name"], **rates})
    reports = sum(one["check_reports"] for s in taken.values() for kinds in s for one in kinds)
    return {"size": SIZE, "kernels": kernels, "check_reports": reports}


def show(figures: Mapping[str, Any]) -> list[str]:
    lines = [
        f"M warp instructions/s and core at {figures['size']}³: exact inputs and no checks; exact "
        "inputs, every check; random inputs, every check"
    ]
    width = max(len(one["name"]) for one in figures["kernels"])
    for one in figures["kernels"]:
        lines.append(f"  {one['name']:{width}}" + "".join(f"  {one[kind]:6.1f}" for kind in KINDS))
    return lines


def below_the_bar(figures: Mapping[str, Any]) -> list[str]:
    return [one["name"] for one in figures["kernels"] if one["plain"] < SPEED_BAR]
