"""The table of wrong answers: exercise × mistake × what catches it, from the heads of the patches;
and what a card says of each, from the recordings that judge_on_card.py wrote.

What a patch says is no promise: each is applied and judged by its exercise's test
(common/exercises/tests/judge_exercise.py), which fails when something else catches it. A recording
can go stale, so it has a checksum of each answer: one that has changed since is \"not run\"."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from day import exercises, page_data, patches
from day.exercises import Exercise
from day.submission import STAGES

RECORDED = Path("solutions/recorded")
NOT_RUN = "not run"

Recording = dict[str, Any]


def wrong_answers(root: Path) -> str:
    cards = [
        page_data.load(root, file.relative_to(root), "measured")
        for file in sorted((root / RECORDED).glob("*.json"))
    ]
    heads = ["exercise", "mistake", "what is wrong", "caught by"]
    heads += [f"on {card['provenance']['device']}" for card in cards]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    caught: Counter[str] = Counter()
    there = exercises.all_exercises(root)
    for exercise in there:
        link = f"[{exercise.number}]({exercise.name}/submission.cuh)"
        solution = exercise.solution.read_text(encoding="utf-8")
        for file in sorted(exercise.patches.glob("*.patch")):
            if file.name == exercises.UNSOLVED:
                continue
            patch = file.read_text(encoding="utf-8")
            head = patches.header(patch)
            stage, _, name = head["caught by"].partition(": ")
            caught[stage] += 1
            cells = [
                link,
                f"[`{file.stem}`]({exercise.name}/patches/{file.name})",
                head["mistake"],
                f"{stage}: `{name}`",
            ]
            if cards:
                text = patches.apply(solution, patch)
                cells += [on_card(card, exercise, file.stem, text) for card in cards]
            lines.append(f"| {' | '.join(cells)} |")
    by_stage = ", ".join(f"{caught[stage]} by {stage}" for stage in STAGES if caught[stage])
    total = f"{caught.total()} wrong answers to {len(there)} exercises: {by_stage}."
    return "\n".join([*lines, "", total, *(summary(card, there) for card in cards)]) + "\n"


def outcome(card: Recording, exercise: Exercise, name: str, text: str) -> Recording | None:
    """None: that card has not judged this answer as it is today."""
    found = card["exercises"].get(exercise.number, {"solution": None, "wrong": {}})
    one = found["solution"] if name == "solution" else found["wrong"].get(name)
    if one is None or one["sha256"] != hashlib.sha256(text.encode()).hexdigest():
        return None
    return one


def on_card(card: Recording, exercise: Exercise, name: str, text: str) -> str:
    one = outcome(card, exercise, name, text)
    if one is None:
        return NOT_RUN
    stage, _, gate = one["caught"].partition(": ")
    return f"{stage}: `{gate}`" if gate else "right"


def summary(card: Recording, there: list[Exercise]) -> str:
    """A solution that has changed since, or that failed, is not among those that pass."""
    passed = []
    for exercise in there:
        text = exercise.solution.read_text(encoding="utf-8")
        one = outcome(card, exercise, "solution", text)
        if one is not None and not one["caught"]:
            passed.append(exercise.number)
    left = [exercise.number for exercise in there if exercise.number not in passed]
    words = f" (not: {', '.join(left)})" if left else ""
    source = card["provenance"]
    seeds = " and ".join(str(seed) for seed in card["seeds"])
    return (
        f"\n{source['device']}: {len(passed)} of the {len(there)} solutions pass their gates "
        f"there{words}, with seeds {seeds}, a GEMM in {card['drawn_shapes']} shapes more than the "
        "exercise has. Nothing but gates and rules on PTX is judged there: `right` is a wrong "
        "answer whose results are right.\n\n"
        f"- *Measured*: {page_data.facts(source)}."
    )
