#!/usr/bin/env python3
"""Judges on a card what pack_for_card.py packed: each solution must pass, and of each exercise at
least one wrong answer must fail a gate, or these are worth nothing there.

    FOLDER/judge_on_card.py --json solutions/recorded/h200.json
    ./day pages

A solution is judged with two seeds, and in shapes that the exercise does not have. Of a wrong
answer the outcome is recorded: one that only the checks or the counters of the emulated device
notice passes on a card. Every answer has a process of its own, for a wild address ends one. Needs
Python 3.10 and a driver, nothing else. Exit codes: 0 written and all as it must be, 1 written and
not so, 2 bad usage or environment, nothing written.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

SEEDS = (1, 2)  # of the inputs; a wrong answer gets the first
DRAWN_SHAPES = 2  # for the solutions of GEMM exercises
KERNEL_SECONDS = 5  # a kernel that runs longer loops for ever
MOST_SECONDS = 120  # for one process, the start of the driver included
MOST_WORDS = 300


class Trouble(Exception):
    """Bad usage or environment: exit code 2."""


class NoVerdict(Trouble):
    """The checker gives none. The first time that is the machine's fault; later the answer's."""


def judge(folder: Path, answer: dict[str, str], seed: int, shapes: int) -> dict[str, Any]:
    """The verdict of check_submission; one that did not survive has a gate that says so."""
    manifest = folder / answer["exercise"] / "exercise.json"
    with tempfile.TemporaryDirectory(prefix="card-") as place:
        file = Path(place) / "verdict.json"
        command = [folder / "check_submission", manifest, folder / answer["ptx"], file]
        command += [str(number) for number in (seed, KERNEL_SECONDS, shapes)]
        try:
            done = subprocess.run(
                [*command, "gpu"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=MOST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return broken(f"the checker had not ended after {MOST_SECONDS} s")
        except OSError as error:
            raise Trouble(f"cannot start {command[0]}: {error.strerror}") from error
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode == 2:
            raise NoVerdict(f"{answer['exercise']} {answer['name']}: {said}")
        if done.returncode != 0:
            return broken(f"the checker ended with code {done.returncode}: {said[:MOST_WORDS]}")
        verdict: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return verdict


def broken(words: str) -> dict[str, Any]:
    gate = {"name": "launch", "passed": False, "lines": [words]}
    return {"gates": [gate], "limits": []}


def caught(verdict: dict[str, Any]) -> tuple[str, str]:
    """("gates: product 64×64×32", its first line), or twice nothing."""
    if not verdict["gates"]:
        return "gates: launch", "no gate ran"
    for stage in ("gates", "limits"):
        for gate in verdict[stage]:
            if not gate["passed"]:
                return f"{stage}: {gate['name']}", "".join(gate["lines"][:1])[:MOST_WORDS]
    return "", ""


def judge_fully(folder: Path, answer: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what is recorded, the last verdict)"""
    is_solution = answer["name"] == "solution"
    verdict: dict[str, Any] = {}
    gates = 0
    for seed in SEEDS if is_solution else SEEDS[:1]:
        verdict = judge(folder, answer, seed, DRAWN_SHAPES if is_solution else 0)
        by, words = caught(verdict)
        gates += sum(gate["passed"] for gate in verdict["gates"])
        if by:
            break
    out = {"sha256": answer["sha256"], "gates_passed": gates, "caught": by}
    if by:
        out["words"] = words
    if not is_solution:
        out["emulated"] = answer["emulated"]
    print(f"{answer['exercise']} {answer['name']}: {by or 'passed'}", flush=True)
    return out, verdict


def judge_anyway(folder: Path, answer: dict[str, str]) -> dict[str, Any]:
    """One answer without a verdict does not cost the others theirs."""
    try:
        return judge_fully(folder, answer)[0]
    except NoVerdict as error:
        print(f"NO VERDICT: {error}", flush=True)
        kept = {name: answer[name] for name in ("sha256", "emulated")}
        return {**kept, "gates_passed": 0, "caught": "gates: launch", "words": str(error)}


def driver_version(smi: str) -> str:
    command = [smi, "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 else "unknown"


def as_it_must_be(outcome: dict[str, Any]) -> list[str]:
    """What is not so."""
    wrong = []
    for number, found in outcome.items():
        if found["solution"]["caught"]:
            solution = found["solution"]
            wrong.append(f"{number}: the solution fails: {solution['caught']}: {solution['words']}")
        if not any(one["caught"].startswith("gates: ") for one in found["wrong"].values()):
            wrong.append(f"{number}: no wrong answer fails a gate: they notice nothing here")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", required=True, type=Path, help="where to write the outcome")
    parser.add_argument("--packed", type=Path, default=Path(__file__).resolve().parent)
    parser.add_argument("--smi", default="nvidia-smi")
    parser.add_argument("--jobs", type=int, default=4, help="answers that are judged at a time")
    options = parser.parse_args()
    folder = options.packed
    try:
        if not (folder / "answers.json").is_file():
            raise Trouble(f"{folder} holds no answers.json: pack_for_card.py writes it")
        listed = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
        (folder / "check_submission").chmod(0o755)
        answers = listed["answers"]
        first, verdict = judge_fully(folder, answers[0])  # alone: whether there is a card at all
        if not verdict.get("device"):
            raise Trouble(f"no device in the verdict of {answers[0]['ptx']}: {first}")
        with ThreadPoolExecutor(options.jobs) as pool:
            rest = list(pool.map(lambda answer: judge_anyway(folder, answer), answers[1:]))
        outcome: dict[str, Any] = {}
        for answer, found in zip(answers, [first, *rest], strict=True):
            one = outcome.setdefault(answer["exercise"], {"solution": None, "wrong": {}})
            if answer["name"] == "solution":
                one["solution"] = found
            else:
                one["wrong"][answer["name"]] = found
        device = verdict["device"]
        source = {
            "kind": "measured",
            "device": device["name"],
            "architecture": device["architecture"],
            "sm_count": device["sm_count"],
            "driver": driver_version(options.smi),
            "cuda": listed["cuda"],
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "command": "judge_on_card.py",
        }
        rows = ",\n".join(
            f'  {json.dumps(number)}: {{"solution": {json.dumps(found["solution"])}, "wrong": {{\n'
            + ",\n".join(
                f"   {json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}"
                for name, one in found["wrong"].items()
            )
            + "}}"
            for number, found in outcome.items()
        )
        text = (
            f'{{\n "schema": "tcd-exercises-card/1",\n "provenance": {json.dumps(source)},\n'
            f' "seeds": {json.dumps(SEEDS)}, "drawn_shapes": {DRAWN_SHAPES},\n'
            f' "exercises": {{\n{rows}\n }}\n}}\n'
        )
        json.loads(text)
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(text, encoding="utf-8")
    except (Trouble, OSError, ValueError, KeyError) as error:
        print(f"judge_on_card.py: {error}", file=sys.stderr)
        return 2
    wrong = as_it_must_be(outcome)
    for words in wrong:
        print(f"WRONG: {words}")
    passed = sum(not found["solution"]["caught"] for found in outcome.values())
    print(f"{device['name']}: {passed} of {len(outcome)} solutions pass")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
