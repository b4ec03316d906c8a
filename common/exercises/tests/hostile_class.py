"""hostile_class.py ROOT NVCC CHECKER: a class in which everybody means harm is graded, in the first
sandbox that works on this machine. Every verdict is the one of the table (day/hostile.py), which
stands on the page exercises/GRADING.md too. And those that recognise ./day check do pass it: else
drawing inputs and shapes would have found nobody. Without a sandbox: exit code 77, not run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

NOT_RUN = 77


def main(root: Path, nvcc: Path, checker: Path) -> int:
    sys.path.insert(0, str(root / "common" / "cli"))
    from day import exercises, hostile, sandbox
    from day.errors import UsageError
    from day.submission import Tools, judge

    try:
        way = sandbox.choose(nvcc)
    except UsageError as error:
        print(error)
        return NOT_RUN
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        tools = Tools(nvcc, checker)
        wrong = hostile.rehearse(root, Path(folder), tools, way, print)
        for attack in hostile.recognisers():
            exercise = exercises.select(exercises.all_exercises(root), attack.number)
            file = Path(folder) / attack.name / exercise.name / "submission.cuh"
            if finding := judge(exercise, file, tools).finding:
                wrong.append(f"{attack.name} does not even pass ./day check: {finding}")
    print(f"{sandbox.version(way)}: {len(hostile.ATTACKS)} submissions")
    for words in wrong:
        print(f"WRONG: {words}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:4])))
