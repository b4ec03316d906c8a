"""Grades folders of submissions from people one does not trust.

A submission is one header. It is read here, once, as a plain file; its text goes into a fresh
folder, and all that touches it from then on runs in a sandbox (sandbox.py). One thread a submission
that is under way; what goes wrong with one is written down as its verdict and stops no other.
Standard library only.
"""

from __future__ import annotations

import hashlib
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from day import plain_file, sandbox
from day.errors import UsageError
from day.exercises import Exercise
from day.submission import JudgeFailed, Terms, Tools, Verdict, judge_text
from day.tool import Limits

MOST_BYTES = 256 * 1024  # of a submission; ours have about 10 KiB
DRAWN_SHAPES = 4
TERMS = Terms(drawn_shapes=DRAWN_SHAPES, limits=Limits(seconds=60, cpu_seconds=30))
LINES, COLUMNS = 20, 300  # of a verdict: a compiler quotes as much as a submission wants

Record = dict[str, Any]
Status = Literal["passed", "failed", "missing", "refused", "error"]


@dataclass(frozen=True)
class Work:
    """One exercise of one student, as it was found."""

    student: str  # the folder's name, whatever it is
    exercise: Exercise
    text: bytes = b""
    problem: tuple[Status, str] | None = None  # there is nothing to judge

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text).hexdigest()

    @property
    def key(self) -> tuple[str, str]:
        return shown_name(self.student), self.exercise.number


def shown_name(name: str) -> str:
    """A name on one line of plain text; two names never become the same."""
    return clean(name.replace("\\", "\\\\"))


def clean(text: str) -> str:
    """Without what a terminal would obey: control characters, and bytes that are no UTF-8."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def students(folder: Path) -> list[str]:
    """The entries of the folder; what is a plain file or hidden is nobody's submission."""
    return sorted(
        entry.name
        for entry in folder.iterdir()
        if not entry.name.startswith(".") and (entry.is_symlink() or entry.is_dir())
    )


def find(folder: Path, name: str | None, exercise: Exercise, flat: bool) -> Work:
    """What `name` handed in; None: all of the folder is one submission. Looks into NNx-name/, into
    exercises/NNx-name/ (a fork of the course), and, with `flat`, for a submission.cuh by itself."""
    student = [] if name is None else [name]
    shown = folder.resolve().name if name is None else name
    places = [[exercise.name], ["exercises", exercise.name], *([[]] if flat else [])]
    for place in places:
        try:
            text = plain_file.read(folder, [*student, *place, "submission.cuh"], MOST_BYTES)
        except plain_file.Missing:
            continue
        except plain_file.NotPlain as error:
            return Work(shown, exercise, problem=("refused", str(error)))
        if not text.strip():
            return Work(shown, exercise, text, ("refused", "submission.cuh is empty"))
        if b"\0" in text:
            at = text.index(b"\0")
            words = f"submission.cuh is no text: byte {at:,} is 0"
            return Work(shown, exercise, text, ("refused", words))
        return Work(shown, exercise, text)
    where = f"{exercise.name}/submission.cuh"
    return Work(shown, exercise, problem=("missing", f"there is no {where}"))


def collect(folder: Path, wanted: Sequence[Exercise], one: bool, asked: bool) -> list[Work]:
    """Everybody and every exercise. Unless the exercises were asked for by name, those that nobody
    has handed in are left out."""
    names: list[str | None] = [None] if one else [*students(folder)]
    if not names:
        raise UsageError(
            f"{folder} holds no folders: each submission is a folder in it, named after its "
            "author. Is it one submission itself? --one"
        )
    flat = len(wanted) == 1
    found = [[find(folder, name, exercise, flat) for name in names] for exercise in wanted]
    if not asked:
        found = [
            works
            for works in found
            if any(not work.problem or work.problem[0] != "missing" for work in works)
        ]
        if not found:
            raise UsageError(
                f"nothing in {folder} looks like a submission: FOLDER/NNx-name/submission.cuh, or "
                "FOLDER/submission.cuh with --exercise NNx."
            )
    return [work for works in found for work in works]


def record(work: Work, status: Status, lines: Sequence[str] = (), **more: Any) -> Record:  # noqa: ANN401
    student, exercise = work.key
    kept = [clean(line)[:COLUMNS] for line in lines[:LINES]]
    return {
        "student": student,
        "exercise": exercise,
        "status": status,
        "lines": kept,
        "sha256": work.sha256,
        **more,
    }


def of_verdict(work: Work, verdict: Verdict) -> Record:
    seconds = round(sum(verdict.seconds.values()), 3)
    finding = verdict.finding
    if finding is None:
        more: dict[str, Any] = {"not_checked": verdict.not_checked} if verdict.not_checked else {}
        more |= {"gates": verdict.gates, "figures": verdict.figures, "seconds": seconds}
        return record(work, "passed", **more)
    lines = [*finding.lines, *finding.also]
    place = {"stage": finding.stage, "name": clean(finding.name), "where": clean(finding.where)}
    return record(work, "failed", lines, **place, figures=verdict.figures, seconds=seconds)


@dataclass
class Grader:
    root: Path
    tools: Tools
    way: sandbox.Way
    terms: Terms
    jobs: int
    _active: set[sandbox.Sandboxed] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def run(self, works: Sequence[Work], each: Callable[[Record], None]) -> None:
        """Calls `each` with every record, in this thread, as they come. Whatever ends it early (a
        Ctrl-C, say) first stops what is under way."""
        slots: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(self.jobs):
            slots.put(slot)
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                for finished in self._finished(pool, works, slots):
                    each(finished.result())
            except BaseException:
                self._stop()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _finished(
        self, pool: ThreadPoolExecutor, works: Sequence[Work], slots: queue.SimpleQueue[int]
    ) -> Iterator[Future[Record]]:
        """Hands out a few at a time, so that there is little to take back."""
        waiting, under_way = iter(works), set[Future[Record]]()
        while True:
            for work in waiting:
                under_way.add(pool.submit(self._grade, work, slots))
                if len(under_way) >= 2 * self.jobs:
                    break
            if not under_way:
                return
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from done

    def _grade(self, work: Work, slots: queue.SimpleQueue[int]) -> Record:
        if work.problem:
            return record(work, work.problem[0], [work.problem[1]])
        slot = slots.get()
        runner = sandbox.Sandboxed(self.way, self._readable(work.exercise), slot)
        try:
            with self._lock:
                self._active.add(runner)
                if self._stopped:
                    runner.stop()
            place = Path(work.exercise.name) / "submission.cuh"
            terms = self.terms
            return of_verdict(
                work, judge_text(work.exercise, place, work.text, self.tools, terms, runner)
            )
        except JudgeFailed as error:
            where = {"stage": "gates", "name": "launch"}
            lines = [f"the judge did not survive it: it ended with {error.ended}", error.said]
            return record(work, "failed", lines, **where)
        except (plain_file.Missing, plain_file.NotPlain) as error:
            where = {"stage": "gates", "name": "launch"}
            return record(
                work, "failed", [f"it left no verdict that can be read: {error}"], **where
            )
        except Exception as error:  # ours: it must not cost the others their grade
            return record(work, "error", [f"{type(error).__name__}: {error}"])
        finally:
            with self._lock:
                self._active.discard(runner)
            slots.put(slot)

    def _readable(self, exercise: Exercise) -> list[Path]:
        common = self.root / "common"
        course = [common / "ptx", common / "exercises" / "device", exercise.manifest]
        tools = [tool for tool in (self.tools.checker, self.tools.nvdisasm) if tool]
        return [*sandbox.of_toolkit(self.tools.nvcc), *course, *tools]

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for runner in self._active:
                runner.stop()


def commit(root: Path) -> str:
    """Of the course, for the report: a grade can be repeated with the same one. `.commit` stands in
    a copy that is no repository (Gradescope's)."""
    if (root / ".commit").is_file():
        return (root / ".commit").read_text(encoding="utf-8").strip()
    command = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()
