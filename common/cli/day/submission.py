"""Judges one submission: compile, gates, checks, limits, in that order, up to the first finding.

nvcc makes PTX of the device code, ptxas reads that for registers and spills, and check_submission
(common/exercises) runs it on the emulated device, or on a card when that is asked for; no host code
of a submission ever runs. Standard library only: the tests of the exercises run on any Python.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from day import machine_rules
from day.errors import UsageError
from day.exercises import HOLE, Exercise
from day.plain_file import read as read_plain
from day.tool import MOST, Done, Limits, Runner
from day.verdict import signal_name

STAGES = ("compile", "gates", "checks", "limits")
ARCH = "sm_80"  # what the PTX asks for
MACHINE_ARCH = "sm_89"  # what ptxas counts registers for: the Ada card of the accounts
INCLUDED = "included.d"  # what the preprocessor read
LISTING = "listing.sass"
NOT_ON_A_CARD = "not checked on a card: needs the emulated device"
NO_NVDISASM = (
    "not checked: no nvdisasm, in the toolkit and in .day. ./day doctor says how to get it"
)
NVCC_ERROR = re.compile(
    r"^(.+?)\((\d+)\): (?:catastrophic )?error: (.*)$|^(.+?):(\d+):\d+: (?:fatal )?error: (.*)$"
)
REPORT_SOURCE = re.compile(r"^\s*source\s+(\S+?:\d+)", re.MULTILINE)
PTXAS_ENTRY = re.compile(r"ptxas info +: Compiling entry function '(\w+)'")
PTXAS_REGISTERS = re.compile(r"ptxas info +: Used (\d+) registers")
PTXAS_SPILLS = re.compile(r" +\d+ bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill")
GUESS = "look at: "  # how a gate's line begins that draws a conclusion from the pattern
MOST_ALSO = 3  # further reports of the device that a verdict names
MOST_VERDICT = 16 * 1024 * 1024  # bytes


@dataclass(frozen=True)
class Tools:
    nvcc: Path
    checker: Path
    nvdisasm: Path | None = None  # not every toolkit has it

    @property
    def ptxas(self) -> Path:
        return self.nvcc.with_name("ptxas")


@dataclass(frozen=True)
class Terms:
    """On which a submission is judged."""

    seed: int = 1  # of the inputs, and of the shapes that are drawn
    drawn_shapes: int = 0  # besides those of the exercise
    kernel_seconds: int = 10  # a kernel that runs longer loops for ever
    limits: Limits = field(default_factory=Limits)  # of nvcc and of ptxas
    device: str = "emulated"  # or "gpu", for what one has written oneself: a card contains nobody

    @property
    def judge_limits(self) -> Limits:
        """An endless kernel may keep every core busy until it is stopped."""
        cpu = self.limits.cpu_seconds + 2 * self.kernel_seconds * (os.cpu_count() or 1)
        return replace(self.limits, cpu_seconds=cpu)


class JudgeFailed(UsageError):
    """check_submission did not survive a submission."""

    def __init__(self, ended: str, said: str) -> None:
        super().__init__(
            f"check_submission ended with {ended}: {said}. "
            "That is a mistake of the checker, not yours."
        )
        self.ended, self.said = ended, said


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
    seconds: dict[str, float] = field(default_factory=dict)  # by tool
    device: dict[str, Any] = field(default_factory=dict)  # the card, when it was one
    not_checked: dict[str, str] = field(default_factory=dict)  # what could not be, and why

    @property
    def passed(self) -> bool:
        return self.finding is None


def judge(
    exercise: Exercise,
    submission: Path,
    tools: Tools,
    seed: int = 1,
    runner: Runner | None = None,
    device: str = "emulated",
) -> Verdict:
    """Reads the file once; that one header is all that is compiled."""
    try:
        text = submission.read_bytes()
    except OSError as error:
        where = shown(exercise.root, str(submission))
        raise UsageError(f"there is no {where} to check ({error.strerror}).") from error
    terms = Terms(seed, device=device)
    return judge_text(exercise, submission, text, tools, terms, runner or Runner())


def judge_text(
    exercise: Exercise, place: Path, text: bytes, tools: Tools, terms: Terms, runner: Runner
) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="day-check-") as top:
        Path(top).chmod(0o711)  # a sandbox's tools run as somebody else
        folder = Path(top) / "job"
        folder.mkdir()
        job = Job(exercise, place, text, folder, runner, terms)
        runner.prepare(folder)
        verdict = judge_job(job, tools)
        verdict.seconds = job.seconds
        return verdict


@dataclass
class Job:
    """One submission in a folder of its own, under the name that is included."""

    exercise: Exercise
    place: Path  # where the submission's author knows it
    text: bytes
    folder: Path
    runner: Runner
    terms: Terms = field(default_factory=Terms)
    seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.copy.write_bytes(self.text)

    @property
    def copy(self) -> Path:
        return self.folder / "submission.cuh"

    @property
    def ptx(self) -> Path:
        return self.folder / "submission.ptx"

    def run(self, name: str, command: Sequence[str | Path]) -> Done:
        started = time.monotonic()
        if name == "judge":  # stdout is the kernel's printf, maybe an endless one: it goes nowhere
            limits, keep_stdout = self.terms.judge_limits, False
        else:
            limits, keep_stdout = self.terms.limits, True
        done = self.runner.run(command, self.folder, limits, keep_stdout)
        self.seconds[name] = time.monotonic() - started
        return done

    def shown(self, text: str) -> str:
        """With the names the author knows."""
        return shown(self.exercise.root, text.replace(str(self.copy), str(self.place)))

    def hole(self) -> str:
        """FILE:LINE of the hole, or the file when its marks are gone."""
        for number, line in enumerate(self.text.decode(errors="replace").splitlines(), 1):
            if HOLE in line:
                return self.shown(f"{self.place}:{number}")
        return self.shown(str(self.place))


def judge_job(job: Job, tools: Tools) -> Verdict:
    if finding := compile_to_ptx(job, tools):
        return Verdict(finding)
    command: list[str | Path] = [tools.ptxas, "-v", f"-arch={MACHINE_ARCH}", job.ptx]
    done = job.run("ptxas", [*command, "-o", job.folder / "cubin"])
    if done.cut or done.code != 0:
        return Verdict(Finding("compile", "ptxas", why(job, "ptxas", done), job.hole()))
    said = run_checker(job, tools)
    if isinstance(said, Finding):
        return Verdict(said)
    verdict = put_together(job, said, done.said)
    if verdict.passed and job.exercise.sass:
        judge_machine_code(job, tools, verdict)
    return verdict


def why(job: Job, tool: str, done: Done) -> list[str]:
    """The first of what a tool said that failed, and what ended it."""
    lines = [job.shown(line) for line in done.said.splitlines() if line.strip()][:3]
    if done.cut == "time":
        seconds = job.terms.limits.seconds
        return [f"{tool} had not come to an end after {seconds:g} s and was stopped"]
    if done.cut == "output":
        return [f"{tool} was stopped: it said more than {MOST // 2**20} MiB", *lines[:1]]
    if done.code < 0:
        return [f"{tool} was ended by {signal_name(-done.code)}", *lines]
    return lines or [f"{tool} ended with code {done.code} and said nothing"]


def compile_to_ptx(job: Job, tools: Tools) -> Finding | None:
    exercise = job.exercise
    kind = exercise.kind.replace("-", "_")
    command: list[str | Path] = [tools.nvcc, "-std=c++20", "-ptx", f"-arch={ARCH}", "-lineinfo"]
    command += ["-I", exercise.root / "common", "-I", job.folder]
    command += [f"-DTCD_MMA_K={exercise.mma_k}", "-o", job.ptx]
    # The preprocessor lists what it reads; nvcc -MD would start it twice, for 0.1 s.
    command += ["-Xcompiler", f"-MD,-MF,{job.folder / INCLUDED}"]
    command += [exercise.root / "common" / "exercises" / "device" / f"{kind}.cu"]
    done = job.run("nvcc", command)
    if done.code == 0 and not done.cut:
        return None
    words = [job.shown(line) for line in done.said.splitlines()]
    for index, line in enumerate(words):
        if match := NVCC_ERROR.match(line):
            file, number, message = match.groups()[:3] if match[1] else match.groups()[3:]
            context = [text for text in words[index + 1 : index + 3] if text.strip()]
            return Finding("compile", "nvcc", [message, *context], f"{file}:{number}")
    return Finding("compile", "nvcc", why(job, "nvcc", done), job.shown(str(job.place)))


def run_checker(job: Job, tools: Tools) -> dict[str, Any] | Finding:
    terms, verdict = job.terms, "verdict.json"
    command = [tools.checker, job.exercise.manifest, job.ptx, job.folder / verdict]
    command += [str(number) for number in (terms.seed, terms.kernel_seconds, terms.drawn_shapes)]
    command.append(terms.device)
    done = job.run("judge", command)
    if done.cut:
        return Finding("gates", "launch", why(job, "the submission", done), job.hole())
    if done.code == 2:
        raise UsageError(done.said.strip())
    if done.code != 0:
        ended = f"code {done.code}" if done.code > 0 else signal_name(-done.code)
        raise JudgeFailed(ended, done.said.strip())
    return json.loads(read_plain(job.folder, [verdict], MOST_VERDICT))


def put_together(job: Job, said: dict[str, Any], resources: str) -> Verdict:
    place = job.hole()
    reports = [job.shown(report["text"]).splitlines() for report in said["reports"]]
    registers, spills = read_resources(resources, job.exercise.kernel)
    verdict = Verdict(figures=dict(said.get("counters", {})))
    verdict.device = said.get("device", {})
    verdict.not_checked = dict.fromkeys(said.get("not_checked", []), NOT_ON_A_CARD)
    if registers is not None:
        verdict.figures |= {"registers": registers, "spill_bytes": spills}
    for gate in said["gates"]:
        if not gate["passed"]:
            lines = [*said.get("wrong_numbers", []), *map(job.shown, gate["lines"])]
            if reports:  # they know what a pattern can only guess
                lines = [line for line in lines if not line.startswith(GUESS)]
            also = reports[0] if reports else []
            verdict.finding = Finding("gates", gate["name"], lines, place, also)
            return verdict
        verdict.gates.append(gate["name"])
    if not verdict.gates:
        verdict.finding = Finding("gates", "launch", ["no gate ran"], place)
    elif reports:
        verdict.finding = check_finding(reports, place)
    else:
        verdict.finding = limit_finding(job, said, verdict.figures, place)
    return verdict


def check_finding(reports: Sequence[Sequence[str]], place: str) -> Finding:
    """The first report whole, and what the next ones say: of two that one mistake causes, either
    may be the one that makes it plain."""
    report, *others = reports
    name, _, _ = report[0].partition(":")
    lines = list(report)
    if others:
        lines.append("  also, and often of the same mistake:")
        lines += [f"    {source_of(other) or place}: {other[0]}" for other in others[:MOST_ALSO]]
    if len(others) > MOST_ALSO:
        lines.append(f"    and {len(others) - MOST_ALSO} more")
    return Finding("checks", name, lines, source_of(report) or place)


def source_of(report: Sequence[str]) -> str | None:
    source = REPORT_SOURCE.search("\n".join(report))
    return source[1] if source else None


def limit_finding(
    job: Job, said: dict[str, Any], figures: dict[str, int], place: str
) -> Finding | None:
    included = read_included(job.folder)
    for header in job.exercise.closed_book:
        if any(f"/{name}".endswith(f"/{header}") for name in included):
            words = [f"{header} is included: it holds the answer, and this exercise is closed book"]
            return Finding("limits", "closed book", words, place)
    for limit in said["limits"]:
        if not limit["passed"]:
            lines = [job.shown(line) for line in limit["lines"]]
            return Finding("limits", limit["name"], lines, place)
    for name in ("registers", "spill_bytes"):
        bar = getattr(job.exercise, name)
        if bar is None:
            continue
        if name not in figures:
            return Finding("limits", name, ["ptxas did not say how many, or not once"], place)
        if figures[name] > bar:
            words = [f"{figures[name]} on {MACHINE_ARCH}, the bar is at most {bar}"]
            return Finding("limits", name, words, place)
    return None


def judge_machine_code(job: Job, tools: Tools, verdict: Verdict) -> None:
    """The listing goes into a file: it is longer than what is kept of what a tool says."""
    rules, place = job.exercise.sass, job.hole()
    if tools.nvdisasm is None:
        verdict.not_checked |= {rule.name: NO_NVDISASM for rule in rules}
        return
    to_file = ["sh", "-c", f'"$@" >{LISTING}', "sh"]
    done = job.run("nvdisasm", [*to_file, tools.nvdisasm, "-c", job.folder / "cubin"])
    if done.cut or done.code != 0:
        verdict.finding = Finding("limits", "SASS", why(job, "nvdisasm", done), place)
        return
    listing = read_plain(job.folder, [LISTING], MOST_VERDICT).decode(errors="replace")
    there = machine_rules.opcodes(listing.splitlines(), job.exercise.kernel)
    if not there:
        verdict.finding = Finding("limits", "SASS", ["nvdisasm found no instruction"], place)
    elif broken := machine_rules.first_broken(rules, there):
        words = machine_rules.words(broken, there, MACHINE_ARCH)
        verdict.finding = Finding("limits", broken.name, words, place)


def read_resources(text: str, kernel: str) -> tuple[int | None, int]:
    """(registers, spill bytes) of the kernel in `ptxas -v`'s lines; None when it does not say.

    ptxas quotes a .pragma it does not know, line ends and all. So a submission can add lines, but
    take none away: when the kernel's comes twice, nobody is believed."""
    current, spills = "", 0
    if PTXAS_ENTRY.findall(text).count(kernel) != 1:
        return None, 0
    for line in text.splitlines():
        if match := PTXAS_ENTRY.match(line):
            current = match[1]
        elif current != kernel:
            continue
        elif match := PTXAS_SPILLS.match(line):
            spills = int(match[1]) + int(match[2])
        elif match := PTXAS_REGISTERS.match(line):
            return int(match[1]), spills
    return None, 0


def read_included(folder: Path) -> list[str]:
    """The files named in a Makefile's rule, as the preprocessor writes it."""
    text = read_plain(folder, [INCLUDED], MOST_VERDICT).decode(errors="replace")
    rule = text.replace("\\\n", " ")
    names = re.split(r"(?<!\\)\s+", rule.partition(":")[2].strip())
    return [name.replace("\\ ", " ") for name in names]


def shown(root: Path, text: str) -> str:
    return text.replace(f"{root}/", "")
