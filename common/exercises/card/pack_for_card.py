#!/usr/bin/env python3
"""Packs every solution and every wrong answer as PTX, with the checker, for a machine with a card.

    ./day check 01a                                 # builds the checker
    common/exercises/card/pack_for_card.py FOLDER [01a 04b …]
    FOLDER/judge_on_card.py --json h200.json        # there; needs a driver and Python, no compiler

Exit codes: 0 packed, 2 bad usage or environment.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

Entry = dict[str, str]

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "common" / "cli"))

from day import exercises, patches, toolkit  # noqa: E402
from day.errors import UsageError  # noqa: E402
from day.exercises import Exercise  # noqa: E402
from day.submission import Job, Tools, compile_to_ptx  # noqa: E402
from day.tool import Runner  # noqa: E402


def answers(exercise: Exercise) -> Iterator[tuple[str, str, str]]:
    """(name, what catches it on the emulated device, text); nothing catches the solution."""
    solution = exercise.solution.read_text(encoding="utf-8")
    yield "solution", "", solution
    for file in sorted(exercise.patches.glob("*.patch")):
        patch = file.read_text(encoding="utf-8")
        yield file.stem, patches.header(patch)["caught by"], patches.apply(solution, patch)


def pack(exercise: Exercise, name: str, caught: str, text: str, tools: Tools, to: Path) -> Entry:
    with tempfile.TemporaryDirectory(prefix="pack-") as folder:
        job = Job(exercise, exercise.solution, text.encode(), Path(folder), Runner())
        if finding := compile_to_ptx(job, tools):
            raise UsageError(f"{exercise.number} {name}: {finding.lines[0]}")
        file = to / exercise.number / f"{name}.ptx"
        ptx = job.ptx.read_text(encoding="utf-8")
        for place in (folder, ROOT):  # the names of lines, as every other machine would have them
            ptx = ptx.replace(f"{place}/", "")
        file.write_text(ptx, encoding="utf-8")
    return {
        "exercise": exercise.number,
        "name": name,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "emulated": caught,
        "ptx": str(file.relative_to(to)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to; it must be empty or not exist")
    parser.add_argument("numbers", nargs="*", help="only these exercises")
    parser.add_argument("--checker", type=Path, default=ROOT / "build/emulated/check_submission")
    parser.add_argument("--nvcc", type=Path)
    options = parser.parse_args()
    try:
        found = toolkit.find(ROOT)
        nvcc = options.nvcc or (found and found.nvcc)
        if not nvcc or not options.checker.is_file():
            raise UsageError("nvcc or the checker is missing. ./day check 01a sets up both.")
        version = toolkit.nvcc_version(nvcc)
        there = exercises.all_exercises(ROOT)
        if options.numbers:
            there = [exercises.select(there, number) for number in options.numbers]
        to = options.folder
        to.mkdir(parents=True, exist_ok=True)
        if any(to.iterdir()):
            raise UsageError(f"{to} is not empty. Remove it, or name another.")
        for exercise in there:
            (to / exercise.number).mkdir()
            shutil.copy(exercise.manifest, to / exercise.number)
        todo = [(exercise, *answer) for exercise in there for answer in answers(exercise)]
        tools = Tools(nvcc, options.checker)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            packed = list(pool.map(lambda one: pack(*one, tools, to), todo))
        listed = {
            "cuda": toolkit.text(version) if version else "unknown",
            "answers": packed,
        }
        (to / "answers.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
        shutil.copy(options.checker, to / "check_submission")
        shutil.copy(Path(__file__).with_name("judge_on_card.py"), to)
    except (UsageError, OSError, patches.PatchError) as error:
        print(f"pack_for_card.py: {error}", file=sys.stderr)
        return 2
    size = sum(file.stat().st_size for file in to.rglob("*") if file.is_file())
    print(f"{len(packed)} answers to {len(there)} exercises in {to}, {size / 2**20:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
