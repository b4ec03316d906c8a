"""./day grade: a folder of submissions from people one does not trust."""

from __future__ import annotations

import dataclasses
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from day import (
    build,
    context,
    exercises,
    grade_report,
    grade_state,
    grading,
    hostile,
    sandbox,
    slurm,
    terminal,
)
from day.commands import check
from day.commands.run_days import check_writable
from day.errors import UsageError
from day.exercises import Exercise
from day.grade_state import State
from day.grading import Grader, Record, Work
from day.provision import write_atomically
from day.submission import Terms, Tools

SEED_BITS = 32  # enough not to be guessed, few enough to be read out

Format = Enum("Format", {name: name for name in grade_report.FORMATS}, type=str)


def grade(
    ctx: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Holds a folder a student.")
    ] = None,
    wanted: Annotated[
        list[str] | None,
        typer.Option("--exercise", "-e", metavar="NNx", help="Only this one; may be repeated."),
    ] = None,
    one: Annotated[bool, typer.Option("--one", help="DIR itself is one submission.")] = False,
    jobs: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many at a time.")
    ] = os.cpu_count() or 1,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The report; an interrupted run goes on from FILE.state."
        ),
    ] = None,
    form: Annotated[
        Format | None, typer.Option("--format", help="Of the report; json if left out.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Repeat a grading: the seed of its report."),
    ] = None,
    on_slurm: Annotated[
        bool, typer.Option("--slurm", help="As an array of --jobs Slurm tasks, for a large class.")
    ] = False,
    part: Annotated[str | None, typer.Option(hidden=True, help="Task I of N of --slurm.")] = None,
    rehearsal: Annotated[
        bool, typer.Option("--rehearse", help="Grade a hostile class: does it hold here?")
    ] = False,
) -> int:
    """Grade a folder of submissions, each in a sandbox. Inputs and shapes are drawn now.

    Exit code: 0 all passed, 1 some did not, 2 bad usage, or no sandbox works here.
    """
    root = context.of(ctx).root
    if rehearsal:
        return rehearse(root)
    if folder is None:
        raise UsageError("which folder? ./day grade DIR; it holds a folder for each student.")
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder.")
    if on_slurm and not out:
        raise UsageError("--slurm needs --out FILE, in a folder that all nodes share.")
    if out:
        check_writable(out)
    chosen = choose(exercises.all_exercises(root), wanted)
    works = grading.collect(folder, chosen, one, asked=bool(wanted))
    tools = check.need_tools(root)
    way = sandbox.choose(tools.nvcc)
    if part:
        assert out is not None
        grade_part(root, tools, way, works, out, part)
        return 0
    header: dict[str, Any] = {
        "seed": secrets.randbits(SEED_BITS) if seed is None else seed,
        "exercises": list(dict.fromkeys(work.exercise.number for work in works)),
        "commit": grading.commit(root),
        "sandbox": sandbox.version(way),
    }
    state = State(None, header, [])
    if out:
        state = grade_state.open_state(grade_state.path(out), header, seed is not None, works)
        if state.records:
            say(f"going on: {len(state.records)} of {len(works)} were graded before.")
    started = time.monotonic()
    try:
        if on_slurm and out:
            command = [
                str(root / "day"),
                "grade",
                str(folder.resolve()),
                "--out",
                str(out.resolve()),
            ]
            command += [word for number in wanted or () for word in ("--exercise", number)]
            command += ["--one"] if one else []
            run_on_slurm(command, state, works, jobs, out.resolve())
        else:
            run(Grader(root, tools, way, terms(state), jobs), state, works)
    except KeyboardInterrupt:
        if out:
            say(f"interrupted; the same command goes on with {state.file}.")
        raise
    report = grade_report.make(state.header, state.records)
    deliver(report, form, out)
    state.finish()
    summary(report, time.monotonic() - started, sys.stdout if out or not form else sys.stderr)
    return 0 if report["failed"] == 0 else 1


def terms(state: State) -> Terms:
    return dataclasses.replace(grading.TERMS, seed=state.header["seed"])


def run_on_slurm(
    command: Sequence[str], state: State, works: Sequence[Work], tasks: int, out: Path
) -> None:
    slurm.gather(state, out)  # of a run that was interrupted
    if not state.left(works):
        return
    slurm.submit(command, tasks, out)
    slurm.gather(state, out)
    if left := state.left(works):
        raise UsageError(
            f"{len(left)} of {len(works)} submissions got no verdict; {out.name}.slurm-*.log say "
            "why. The same command goes on with them."
        )


def grade_part(
    root: Path, tools: Tools, way: sandbox.Way, works: Sequence[Work], out: Path, part: str
) -> None:
    """One task of --slurm: every Nth of what was left when the array was submitted."""
    index, tasks = (int(number) for number in part.split("/"))
    before = grade_state.read(grade_state.path(out))
    mine = before.left(works)[index::tasks]
    state = grade_state.open_state(
        grade_state.path(out, index), before.header, seed_given=True, works=mine
    )
    run(Grader(root, tools, way, terms(state), 1), state, mine)


def rehearse(root: Path) -> int:
    tools = check.need_tools(root)
    way = sandbox.choose(tools.nvcc)
    with tempfile.TemporaryDirectory(prefix="day-rehearsal-") as folder:
        wrong = hostile.rehearse(
            root,
            Path(folder),
            tools,
            way,
            lambda r: print(f"{r['student']}: {grade_report.headline(r)}", flush=True),
        )
    for words in wrong:
        print(f"NOT HELD: {words}")
    count = len(hostile.ATTACKS)
    print(f"sandbox {sandbox.version(way)}: {count - len(wrong)} of {count} held")
    return 1 if wrong else 0


def choose(there: Sequence[Exercise], wanted: Sequence[str] | None) -> list[Exercise]:
    if not wanted:
        return list(there)
    return list(dict.fromkeys(exercises.select(there, number) for number in wanted))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(grader: Grader, state: State, works: Sequence[Work]) -> None:
    count = len(works)

    def each(record: Record) -> None:
        state.add(record)
        text = f"{len(state.records)}/{count} {record['student']} {record['exercise']}"
        if terminal.is_terminal(sys.stderr):
            build.say_progress(text)
        else:
            say(f"{text}: {grade_report.headline(record)}")

    try:
        grader.run(state.left(works), each)
    finally:
        build.clear_progress()


def deliver(report: grade_report.Report, form: Format | None, out: Path | None) -> None:
    text = grade_report.FORMATS[form.value if form else "json"](report)
    if out:
        write_atomically(out, text)
    elif form:
        print(text, end="")
    else:
        rows = [
            (r["student"], r["exercise"], grade_report.headline(r), (r["lines"] or [""])[0])
            for r in report["results"]
        ]
        terminal.table(("student", "exercise", "verdict", "first words"), rows)


def summary(report: grade_report.Report, seconds: float, stream: Any) -> None:  # noqa: ANN401
    print(
        f"graded {len(report['results'])} in {seconds:.1f} s, sandbox {report['sandbox']}. "
        f"Repeat it: --seed {report['seed']}\n"
        f"{report['passed']} passed, {report['failed']} failed",
        file=stream,
    )
