"""Judges one submission: compile, gates, checks, limits, in that order, up to the first finding.

nvcc makes PTX of the device code and check_submission (common/exercises) runs that on the emulated
device; no host code of a submission ever runs. ptxas reads the same PTX meanwhile, for registers
and spills. Standard library only: the tests of the exercises run on any Python.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from day.errors import UsageError
from day.exercises import HOLE, Exercise

STAGES = ("compile", "gates", "checks", "limits")
ARCH = "sm_80"  # what the PTX asks for
MACHINE_ARCH = "sm_89"  # what ptxas counts registers for: the Ada card of the accounts
SECONDS = 60
NVCC_ERROR = re.compile(r"^(\S+?)\((\d+)\): error: (.*)$|^(\S+?):(\d+):\d+: error: (.*)$")
REPORT_SOURCE = re.compile(r"^\s*source\s+(\S+?:\d+)", re.MULTILINE)
PTXAS_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
PTXAS_REGISTERS = re.compile(r"Used (\d+) registers")
PTXAS_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


@dataclass(frozen=True)
class Tools:
    nvcc: Path
    checker: Path

    @property
    def ptxas(self) -> Path:
        return self.nvcc.with_name("ptxas")


@dataclass
class Finding:
    stage: str
    name: str
    lines: list[str]
    where: str
    also: list[str] = field(default_factory=list)  # what a check says about a gate's failure


@dataclass
class Verdict:
    finding: Finding | None = None
    gates: list[str] = field(default_factory=list)  # the names of those that passed
    figures: dict[str, int] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.finding is None


def judge(exercise: Exercise, submission: Path, tools: Tools, seed: int = 1) -> Verdict:
    """`submission` is a file called submission.cuh, in a folder of its own."""
    if not submission.is_file():
        raise UsageError(f"there is no {shown(exercise.root, str(submission))} to check.")
    with tempfile.TemporaryDirectory(prefix="day-check-") as folder:
        ptx = Path(folder) / "submission.ptx"
        if finding := compile_to_ptx(exercise, submission, tools, ptx):
            return Verdict(finding)
        with subprocess.Popen(
            [tools.ptxas, "-v", f"-arch={MACHINE_ARCH}", ptx, "-o", Path(folder) / "cubin"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as ptxas:
            try:
                said = run_checker(exercise, tools, ptx, seed)
            except BaseException:
                ptxas.kill()
                raise
            resources = ptxas.communicate()[0]
        if ptxas.returncode != 0:
            return Verdict(
                Finding("compile", "ptxas", resources.splitlines()[:3], hole(submission))
            )
    return put_together(exercise, submission, said, resources)


def compile_to_ptx(exercise: Exercise, submission: Path, tools: Tools, ptx: Path) -> Finding | None:
    kind = exercise.kind.replace("-", "_")
    command = [tools.nvcc, "-std=c++20", "-ptx", f"-arch={ARCH}", "-lineinfo"]
    command += ["-I", exercise.root / "common", "-I", submission.parent]
    command += [f"-DTCD_MMA_K={exercise.mma_k}", "-o", ptx]
    command += [exercise.root / "common" / "exercises" / "device" / f"{kind}.cu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    words = [shown(exercise.root, line) for line in (done.stdout + done.stderr).splitlines()]
    for index, line in enumerate(words):
        if match := NVCC_ERROR.match(line):
            file, number, message = match.groups()[:3] if match[1] else match.groups()[3:]
            context = [text for text in words[index + 1 : index + 3] if text.strip()]
            return Finding("compile", "nvcc", [message, *context], f"{file}:{number}")
    return Finding("compile", "nvcc", words[:5], shown(exercise.root, str(submission)))


def run_checker(exercise: Exercise, tools: Tools, ptx: Path, seed: int) -> dict[str, Any]:
    verdict = ptx.with_name("verdict.json")
    command = [tools.checker, exercise.manifest, ptx, verdict, str(seed)]
    try:
        # The kernel's printf may be endless: it goes nowhere. The verdict has a file of its own.
        done = subprocess.run(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        lines = [f"the submission had not come to an end after {SECONDS} s"]
        gate = {"name": "launch", "passed": False, "lines": lines}
        return {"gates": [gate], "reports": [], "limits": []}
    if done.returncode == 2:
        raise UsageError(done.stderr.strip())
    if done.returncode != 0:
        raise UsageError(
            f"check_submission ended with code {done.returncode}: {done.stderr.strip()}. "
            "That is a mistake of the checker, not yours."
        )
    return json.loads(verdict.read_text(encoding="utf-8"))


def put_together(
    exercise: Exercise, submission: Path, said: dict[str, Any], resources: str
) -> Verdict:
    root, place = exercise.root, shown(exercise.root, hole(submission))
    reports = [shown(root, report["text"]).splitlines() for report in said["reports"]]
    registers, spills = read_resources(resources, exercise.kernel)
    verdict = Verdict(figures=dict(said.get("counters", {})))
    if registers is not None:
        verdict.figures |= {"registers": registers, "spill_bytes": spills}
    for gate in said["gates"]:
        if not gate["passed"]:
            lines = [shown(root, line) for line in gate["lines"]]
            also = reports[0] if reports else []
            verdict.finding = Finding("gates", gate["name"], lines, place, also)
            return verdict
        verdict.gates.append(gate["name"])
    if not verdict.gates:
        verdict.finding = Finding("gates", "launch", ["no gate ran"], place)
    elif reports:
        verdict.finding = check_finding(reports[0], len(reports), place)
    else:
        verdict.finding = limit_finding(exercise, submission, said, verdict.figures, place)
    return verdict


def check_finding(report: Sequence[str], count: int, place: str) -> Finding:
    name, _, _ = report[0].partition(":")
    source = REPORT_SOURCE.search("\n".join(report))
    lines = list(report)
    if count > 1:
        lines.append(f"  and {count - 1} more reports, often of the same mistake")
    return Finding("checks", name, lines, source[1] if source else place)


def limit_finding(
    exercise: Exercise,
    submission: Path,
    said: dict[str, Any],
    figures: dict[str, int],
    place: str,
) -> Finding | None:
    text = submission.read_text(encoding="utf-8", errors="replace")
    for header in exercise.closed_book:
        if re.search(rf'^\s*#\s*include\s*["<][^">]*\b{re.escape(header)}[">]', text, re.MULTILINE):
            words = [f"{header} is included: it holds the answer, and this exercise is closed book"]
            return Finding("limits", "closed book", words, place)
    for limit in said["limits"]:
        if not limit["passed"]:
            lines = [shown(exercise.root, line) for line in limit["lines"]]
            return Finding("limits", limit["name"], lines, place)
    for name in ("registers", "spill_bytes"):
        bar = getattr(exercise, name)
        if bar is None:
            continue
        if name not in figures:
            return Finding("limits", name, ["ptxas did not say how many"], place)
        if figures[name] > bar:
            words = [f"{figures[name]} on {MACHINE_ARCH}, the bar is at most {bar}"]
            return Finding("limits", name, words, place)
    return None


def read_resources(text: str, kernel: str) -> tuple[int | None, int]:
    """(registers, spill bytes) of the kernel in `ptxas -v`'s lines; None when it does not say."""
    current, spills = "", 0
    for line in text.splitlines():
        if match := PTXAS_ENTRY.search(line):
            current = match[1]
        elif current != kernel:
            continue
        elif match := PTXAS_SPILLS.search(line):
            spills = int(match[1]) + int(match[2])
        elif match := PTXAS_REGISTERS.search(line):
            return int(match[1]), spills
    return None, 0


def hole(submission: Path) -> str:
    """FILE:LINE of the hole, or the file when its marks are gone."""
    text = submission.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if HOLE in line:
            return f"{submission}:{number}"
    return str(submission)


def shown(root: Path, text: str) -> str:
    return text.replace(f"{root}/", "")
