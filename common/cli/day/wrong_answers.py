"""The table of wrong answers: exercise × mistake × what catches it, from the heads of the patches.

What a patch says is no promise: each is applied and judged by its exercise's test
(common/exercises/tests/judge_exercise.py), which fails when something else catches it. So the table
needs no recording that could go stale."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from day import exercises, patches
from day.submission import STAGES


def wrong_answers(root: Path) -> str:
    lines = ["| exercise | mistake | what is wrong | caught by |", "|---|---|---|---|"]
    caught: Counter[str] = Counter()
    there = exercises.all_exercises(root)
    for exercise in there:
        link = f"[{exercise.number}]({exercise.name}/submission.cuh)"
        for file in sorted(exercise.patches.glob("*.patch")):
            if file.name == exercises.UNSOLVED:
                continue
            head = patches.header(file.read_text(encoding="utf-8"))
            stage, _, name = head["caught by"].partition(": ")
            caught[stage] += 1
            lines.append(
                f"| {link} | [`{file.stem}`]({exercise.name}/patches/{file.name}) "
                f"| {head['mistake']} | {stage}: `{name}` |"
            )
    by_stage = ", ".join(f"{caught[stage]} by {stage}" for stage in STAGES if caught[stage])
    total = f"{caught.total()} wrong answers to {len(there)} exercises: {by_stage}."
    return "\n".join(lines) + f"\n\n{total}\n"
