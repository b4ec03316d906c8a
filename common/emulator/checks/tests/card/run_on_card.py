#!/usr/bin/env python3
"""Runs every seeded mistake on a card, plainly and under compute-sanitizer's four tools.

    cmake --preset emulated -DTCD_MISTAKES_ARCHS="80;90"
    cmake --build --preset emulated --target mistakes
    common/emulator/checks/tests/card/run_on_card.py \
        --program build/emulated/mistakes --libraries /usr/local/cuda/lib64 \
        --json common/emulator/checks/tests/recorded/h200.json
    ./day pages

The program is the one that runs on the emulated device: --libraries leads it to NVIDIA's runtime.
First each program without its mistake runs plainly: results that are wrong there would mean that
the card or the build is, and nothing is written. Needs Python 3.10 and the CUDA toolkit, nothing
else. Exit codes: 0 written, 1 a program without a mistake fails, 2 bad usage or environment.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
TOOL_FOUND_SOMETHING = 66  # an exit code of our own, for --error-exitcode
MOST_WORDS = 300


class Trouble(Exception):
    """Bad usage or environment: exit code 2."""


def run(command: list[str], seconds: float, environment: dict[str, str]) -> tuple[int | None, str]:
    """Exit code (None: it was stopped after that many seconds) and all it said."""
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as child:
        try:
            said, _ = child.communicate(timeout=seconds)
            return child.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)  # compute-sanitizer's child too
            said, _ = child.communicate()
            return None, said


def plain_verdict(code: int | None, said: str) -> dict[str, str]:
    if code is None:
        return {"verdict": "hung"}
    lines = [line for line in said.splitlines() if line.startswith(("passed: ", "FAILED: "))]
    if code not in (0, 1) or not lines:
        return {"verdict": "crashed", "words": said[-MOST_WORDS:]}
    return {
        "verdict": "passed" if code == 0 else "failed",
        "words": lines[-1][8:][:MOST_WORDS],
    }


def tool_verdict(code: int | None, said: str) -> dict[str, str]:
    """What one tool of compute-sanitizer made of it. Its lines begin with =========."""
    lines = [line[10:].strip() for line in said.splitlines() if line.startswith("=========")]
    found = [line for line in lines if line and not re.match(r"COMPUTE-SANITIZER|Target app", line)]
    summary = next((line for line in lines if "SUMMARY" in line), "")
    if code == TOOL_FOUND_SOMETHING and found:
        return {
            "verdict": "reports",
            "words": " ".join(found[:3])[:MOST_WORDS],
            "summary": summary,
        }
    if code is None:
        return {"verdict": "hung"}
    if code in (0, 1) and summary:
        return {"verdict": "silent", "summary": summary}
    return {"verdict": "crashed", "words": said[-MOST_WORDS:]}


def answer(command: list[str], what: str, environment: dict[str, str]) -> str:
    try:
        code, said = run(command, 60, environment)
    except OSError as error:
        raise Trouble(f"{what}: cannot start {command[0]}: {error.strerror}") from error
    if code != 0:
        raise Trouble(f"{what}: `{' '.join(command)}` ended with {code}: {said.strip()[-300:]}")
    return said.strip()


def provenance(options: argparse.Namespace, environment: dict[str, str]) -> dict[str, str]:
    query = [
        options.smi,
        "--query-gpu=name,driver_version,compute_cap",
        "--format=csv,noheader",
    ]
    name, driver, compute = answer(query, "the card", environment).splitlines()[0].split(", ")
    nvcc = answer([options.nvcc, "--version"], "the toolkit", environment)
    version = answer([options.sanitizer, "--version"], "compute-sanitizer", environment)
    found = re.search(r"release (\S+),", nvcc)
    numbers = re.search(r"[Vv]ersion (\S+)", version)
    return {
        "kind": "measured",
        "device": name,
        "architecture": f"sm_{compute.replace('.', '')}",
        "driver": driver,
        "cuda": found[1] if found else "unknown",
        "sanitizer": numbers[1] if numbers else version.splitlines()[-1],
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "command": "run_on_card.py",
    }


def known(options: argparse.Namespace, source: dict[str, str]) -> dict[str, Any]:
    """The rows of an older outcome, of the same card, driver and tools: they stand."""
    if not options.keep:
        return {}
    old = json.loads(Path(options.keep).read_text(encoding="utf-8"))
    for what in ("device", "driver", "cuda", "sanitizer"):
        if old["provenance"][what] != source[what]:
            raise Trouble(
                f"--keep {options.keep} is of another {what} ({old['provenance'][what]}, here "
                f"{source[what]}): run them all, without --keep"
            )
    rows: dict[str, Any] = old["mistakes"]
    return rows


def survey(
    options: argparse.Namespace, environment: dict[str, str], kept: dict[str, Any]
) -> dict[str, Any]:
    program = str(Path(options.program).resolve())
    listed = answer([program, "--list"], "the program", environment).splitlines()
    names = [line.split()[0] for line in listed]
    if not names:
        raise Trouble(f"{program} --list shows no mistake")

    def plainly(name: str, *flags: str) -> dict[str, str]:
        return plain_verdict(*run([program, name, *flags], options.seconds, environment))

    def under(tool: str, name: str) -> dict[str, str]:
        flags = ["--tool", tool, "--error-exitcode", str(TOOL_FOUND_SOMETHING)]
        command = [options.sanitizer, *flags, program, name]
        return tool_verdict(*run(command, options.seconds * 3, environment))

    def all_runs(name: str) -> dict[str, Any]:
        runs = {"right": plainly(name, "--right"), "plain": plainly(name)}
        for tool in TOOLS:
            runs[tool] = under(tool, name)
        verdicts = " ".join(f"{what} {run['verdict']}" for what, run in runs.items())
        print(f"{name}: {verdicts}", flush=True)
        return runs

    missing = [name for name in names if name not in kept]
    with ThreadPoolExecutor(options.jobs) as pool:
        new = dict(zip(missing, pool.map(all_runs, missing), strict=True))
    return {name: new[name] if name in new else kept[name] for name in names}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="the executable `mistakes`")
    parser.add_argument("--libraries", help="folder of NVIDIA's libcudart.so")
    parser.add_argument("--json", required=True, help="where to write the outcome")
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--smi", default="nvidia-smi")
    parser.add_argument("--seconds", type=float, default=20, help="for one run; a tool gets thrice")
    parser.add_argument("--jobs", type=int, default=4, help="mistakes that run at a time")
    parser.add_argument("--keep", help="an older outcome: only what it lacks is run")
    options = parser.parse_args()
    environment = dict(os.environ)
    if options.libraries:
        environment["LD_LIBRARY_PATH"] = options.libraries
    try:
        source = provenance(options, environment)
        runs = survey(options, environment, known(options, source))
        broken = [name for name, run in runs.items() if run["right"]["verdict"] != "passed"]
        for name in broken:
            print(f"{name} --right: {runs[name]['right']}", file=sys.stderr)
        if broken:
            print(
                f"{len(broken)} programs without a mistake fail: no outcome",
                file=sys.stderr,
            )
            return 1
        rows = ",\n  ".join(f"{json.dumps(name)}: {json.dumps(run)}" for name, run in runs.items())
        text = (
            f'{{\n "schema": "tcd-mistakes-card/1",\n "provenance": {json.dumps(source)},\n'
            f' "mistakes": {{\n  {rows}\n }}\n}}\n'
        )
        Path(options.json).write_text(text, encoding="utf-8")
    except (Trouble, OSError) as error:
        print(f"run_on_card.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
