"""on_card.py ROOT NVCC CHECKER DRIVER: submissions judged on a card. DRIVER is the folder of a
stand-in for libcuda.so.1, so that the way there is walked without a card: gates compare what comes
back, and what needs the emulated device is named as not checked. Without a driver: exit code 2.
Then the pack that records all solutions on a card, of one exercise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

KERNEL = "gemm_kernel(tcd::GemmArguments gemm"
BODY = KERNEL + ") {\n"

# (exercise, what is judged, a patch of the solution or how the kernel is to begin, what is said)
CASES = [
    ("00a", "the solution", None, "passed"),
    ("01b", "the solution", None, "passed"),
    ("02a", "the solution", None, "passed"),
    ("06b", "the solution", None, "passed"),
    ("07a", "the solution", None, "passed"),
    ("02a", "what is given", "unsolved", "gates: product 64×64×32"),
    ("02a", "a forbidden instruction", "ldmatrix-kept", "limits: ldmatrix.trans forbidden"),
    ("02a", "a wild address", BODY + "*(float*)16 = 0;",
     "gates: launch: CUDA_ERROR_ILLEGAL_ADDRESS"),
    ("02a", "a loop without end", BODY + "while (true) atomicAdd(gemm.d, 1.0f);",
     "gates: launch: had not come to its end after 1 s"),
    ("02a", "other parameters", KERNEL + ", int",
     "gates: launch: takes 76 bytes of parameters"),
    ("04b", "a race, which no gate sees", "unsolved", "passed"),
    ("05a", "the XOR of the day: conflicts, which a card does not count", "row-pair", "passed"),
]  # fmt: skip
NEEDS_THE_EMULATED_DEVICE = {
    "00a": ["checks"],
    "02a": [
        "checks",
        "ldmatrix per hmma",
        "shared_loads per hmma",
        "shared_load_bank_conflicts",
    ],
}


def main(root: Path, nvcc: Path, checker: Path, driver: Path) -> int:
    sys.path.insert(0, str(root / "common" / "cli"))
    from day import exercises, patches
    from day.device import ask_driver
    from day.errors import UsageError
    from day.submission import Terms, Tools, judge_text
    from day.tool import Runner

    class WithDriver(Runner):
        def environment(self, job: Path) -> dict[str, str]:
            return {**super().environment(job), "LD_LIBRARY_PATH": str(driver)}

    there = exercises.all_exercises(root)
    tools = Tools(nvcc, checker)
    terms = Terms(kernel_seconds=1, device="gpu")
    wrong = 0
    for number, what, change, wanted in CASES:
        exercise = exercises.select(there, number)
        text = exercise.solution.read_text(encoding="utf-8")
        if change and change.startswith(KERNEL):
            old = next(known for known in (BODY, KERNEL) if change.startswith(known))
            assert text.count(old) == 1, f"{number}: the solution no longer has one `{old}`"
            text = text.replace(old, change)
        elif change:
            text = patches.apply(text, (exercise.patches / f"{change}.patch").read_text())
        verdict = judge_text(exercise, exercise.solution, text.encode(), tools, terms, WithDriver())
        finding = verdict.finding
        said = (
            f"{finding.stage}: {finding.name}: {' '.join(finding.lines)}" if finding else "passed"
        )
        print(f"{number}: {what}: {said}")
        open_ends = NEEDS_THE_EMULATED_DEVICE.get(number)
        if not all(part in said for part in wanted.split(": ")):
            wrong += 1
            print(f"WRONG: wanted [{wanted}]")
        if not finding and open_ends and list(verdict.not_checked) != open_ends:
            wrong += 1
            print(f"WRONG: not checked: {verdict.not_checked}, wanted {open_ends}")
        if not finding and verdict.device.get("name") != "stand-in for a card":
            wrong += 1
            print(f"WRONG: judged on {verdict.device}")
    if ask_driver().version is None:
        exercise = exercises.select(there, "01a")
        text = exercise.solution.read_bytes()
        try:
            judge_text(exercise, exercise.solution, text, tools, terms, Runner())
            wrong += 1
            print("WRONG: judged on a card that is not there")
        except UsageError as error:
            print(f"without a driver: {error}")
            wrong += "no NVIDIA driver on this machine" not in str(error)
    with tempfile.TemporaryDirectory(prefix="pack-test-") as folder:
        for words in packed(root, nvcc, checker, driver, Path(folder)):
            wrong += 1
            print(f"WRONG: {words}")
    return 1 if wrong else 0


def packed(root: Path, nvcc: Path, checker: Path, driver: Path, folder: Path) -> list[str]:
    """What is wrong with 02a's pack and its outcome."""
    pack, file = folder / "pack", folder / "outcome.json"
    maker = root / "common" / "exercises" / "card" / "pack_for_card.py"
    subprocess.run(
        [sys.executable, maker, pack, "02a", "--nvcc", nvcc, "--checker", checker], check=True
    )
    environment = {**os.environ, "LD_LIBRARY_PATH": str(driver)}
    command = [sys.executable, pack / "judge_on_card.py", "--json", file, "--jobs", "2"]
    command += ["--smi", folder / "absent"]

    def judge() -> tuple[int, dict[str, Any]]:
        done = subprocess.run(command, env=environment, check=False)
        return done.returncode, json.loads(file.read_text(encoding="utf-8"))

    wrong = []
    code, outcome = judge()
    found = outcome["exercises"]["02a"]
    solution, kept = found["solution"], found["wrong"]["ldmatrix-kept"]
    if code != 0 or solution["caught"] or solution["gates_passed"] != 16:
        wrong.append(
            f"code {code}: {solution}; two seeds, four shapes, two gates each were to pass"
        )
    if outcome["provenance"]["device"] != "stand-in for a card":
        wrong.append(f"{outcome['provenance']}")
    if kept["words"] != "12 × ldmatrix.trans, the first at submission.cuh:132":
        wrong.append(f"the place depends on where it was packed: {kept}")
    if found["wrong"]["halves-exchanged"]["caught"] != "gates: product 64×64×32":
        wrong.append(f"halves-exchanged: {found['wrong']['halves-exchanged']}")
    (pack / "02a" / "solution.ptx").write_bytes((pack / "02a" / "unsolved.ptx").read_bytes())
    (pack / "02a" / "halves-exchanged.ptx").unlink()
    code, outcome = judge()
    if code != 1 or not outcome["exercises"]["02a"]["solution"]["caught"]:
        wrong.append(f"a solution that fails: code {code}")
    lost = outcome["exercises"]["02a"]["wrong"]["halves-exchanged"]
    if "cannot read" not in lost.get("words", ""):
        wrong.append(f"an answer without a verdict: {lost}")
    # What a pack says when no gate notices anything.
    sys.path.insert(0, str(maker.parent))
    from judge_on_card import as_it_must_be

    blind = {"solution": {"caught": ""}, "wrong": {"x": {"caught": "limits: y"}}}
    if len(as_it_must_be({"02a": blind})) != 1 or as_it_must_be({"02a": found}):
        wrong.append("gates that notice nothing go unnoticed")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:5])))
