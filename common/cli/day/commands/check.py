"""./day check: is my submission right, and if not, what is the first thing to mend?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from day import build, context, exercises, practice, submission, terminal
from day.exercises import Exercise
from day.submission import STAGES, Tools, Verdict

TARGET = "check_submission"
CHECKER_SOURCES = ("common/exercises", "common/gates", "common/emulator", "common/ptx")


def check(
    ctx: typer.Context,
    number: context.Number,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Other inputs: another seed.")] = 1,
    directory: context.Directory = None,
) -> int:
    """Judge your submission: compile, gates, checks, limits; stop at the first thing to mend."""
    exercise = exercises.select(context.exercises_of(ctx, directory), number)
    tools = need_tools(context.of(ctx).root)
    started = time.monotonic()
    verdict = submission.judge(exercise, exercise.submission, tools, seed)
    seconds = time.monotonic() - started
    keep(exercise, verdict)
    print("\n".join(words(exercise, verdict)))
    print(terminal.paint(f"checked in {seconds:.1f} s", "dim"))
    return 0 if verdict.passed else 1


def keep(exercise: Exercise, verdict: Verdict) -> None:
    if verdict.finding:
        practice.change(exercise, stage=verdict.finding.stage)
    else:
        practice.change(exercise, passed=True, stage="passed")


def need_tools(root: Path) -> Tools:
    """The checker, built when it is missing or older than its sources; asking Ninja each time would
    cost more than the check."""
    folder = root / "build" / "emulated"
    checker = folder / TARGET
    if not checker.exists() or stale(root, checker):
        build.build(root, "emulated", [TARGET])
        checker.touch()  # sources of the tests beside it are no reason to ask again
    nvcc = build.cache_value(folder, "CMAKE_CUDA_COMPILER")
    return Tools(Path(nvcc) if nvcc else build.need_toolkit(root).nvcc, checker)


def stale(root: Path, checker: Path) -> bool:
    built = checker.stat().st_mtime_ns
    return any(
        path.suffix in (".h", ".cpp", ".def") and path.stat().st_mtime_ns > built
        for folder in CHECKER_SOURCES
        for path in (root / folder).rglob("*")
    )


def words(exercise: Exercise, verdict: Verdict) -> list[str]:
    out = [terminal.paint(f"{exercise.number}  {exercise.title}", "bold")]
    finding = verdict.finding
    for stage in STAGES:
        if finding and stage == finding.stage:
            out.append(f"  {stage:<8} {terminal.paint('FAILED', 'red')}: {finding.name}")
            break
        out.append(f"  {stage:<8} {terminal.paint('ok', 'green')}{detail(stage, verdict)}")
    if not finding:
        out += [
            f"  {name.replace('_', ' '):<26} {value:>9,}" for name, value in verdict.figures.items()
        ]
        out.append(f"passed. Compare: ./day solution {exercise.number}. Go on: ./day next")
        return out
    out += [f"    {line}" for line in finding.lines]
    if finding.also:
        out += ["  the device reports as well:", *(f"    {line}" for line in finding.also)]
    out += [f"  look at  {finding.where}", f"  stuck?   ./day hint {exercise.number}"]
    return out


def detail(stage: str, verdict: Verdict) -> str:
    if stage != "gates":
        return ""
    count = len(verdict.gates)
    return f" ({count} {'gate' if count == 1 else 'gates'}, bit for bit)"
