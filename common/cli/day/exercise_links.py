"""The exercises of a day, as links on its page."""

from __future__ import annotations

from pathlib import Path

from day import exercises
from day.errors import UsageError


def of_day(root: Path, day: str) -> str:
    there = [exercise for exercise in exercises.all_exercises(root) if exercise.day == day]
    if not there:
        raise UsageError(f"a page lists the exercises of day {day}, which has none")
    lines = [
        f"- [{exercise.number} {exercise.title}](../../exercises/{exercise.name}/README.md), "
        f"{exercise.minutes} minutes: `./day watch {exercise.number}`"
        for exercise in there
    ]
    return "\n".join(lines) + "\n"
