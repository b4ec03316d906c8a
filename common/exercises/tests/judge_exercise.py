"""judge_exercise.py ROOT NVCC CHECKER NUMBER: the exercise itself is judged. The solution passes
without a report; what the learner is given, and every plausible mistake, compiles and is caught by
what its patch names. Prints the table mistake × who caught it; the exit code says whether all held.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

FEWEST_MISTAKES = 6
SEEDS = (1, 2)  # of the solution: it must not pass by luck


def main(root: Path, nvcc: Path, checker: Path, number: str) -> int:
    sys.path.insert(0, str(root / "common" / "cli"))
    from day import exercises, patches, toolkit
    from day.submission import Tools, judge

    from remembering import remembering

    exercise = exercises.select(exercises.all_exercises(root), number)
    tools = Tools(nvcc, checker, toolkit.find_tool(root, nvcc, "nvdisasm"))
    runner = remembering(root, checker.parent / "compiled-exercises")
    wrong: list[str] = []

    def caught_by(text: str, seed: int) -> tuple[str, str]:
        with tempfile.TemporaryDirectory(prefix="exercise-") as folder:
            file = Path(folder) / "submission.cuh"
            file.write_text(text, encoding="utf-8")
            finding = judge(exercise, file, tools, seed, runner).finding
        if finding is None:
            return "", ""
        return f"{finding.stage}: {finding.name}", "\n".join(finding.lines)

    solution = exercise.solution.read_text(encoding="utf-8")
    for seed in SEEDS:
        caught, words = caught_by(solution, seed)
        print(f"{exercise.name}: solution, seed {seed}: {caught or 'passed'}")
        if caught:
            wrong.append(f"the solution fails: {caught}\n{words}")

    files = sorted(exercise.patches.glob("*.patch"))
    if exercise.patches / exercises.UNSOLVED not in files:
        wrong.append(f"{exercises.UNSOLVED} is missing")
    if len(files) - 1 < FEWEST_MISTAKES:
        wrong.append(f"{len(files) - 1} mistakes; the fewest are {FEWEST_MISTAKES}")
    for file in files:
        patch = file.read_text(encoding="utf-8")
        wanted = patches.header(patch).get("caught by", "nobody")
        if wanted.endswith(" in SASS") and tools.nvdisasm is None:
            print(
                f"{exercise.name}: {file.stem}: not judged: no nvdisasm, in the toolkit or in .day"
            )
            continue
        caught, words = caught_by(patches.apply(solution, patch), SEEDS[0])
        print(f"{exercise.name}: {file.stem}: {caught or 'PASSED'}")
        if caught != wanted:
            wrong.append(
                f"{file.name} is caught by [{caught}], not by [{wanted}]\n{words}"
            )
    for words in wrong:
        print(f"WRONG: {words}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:4]), sys.argv[4]))
