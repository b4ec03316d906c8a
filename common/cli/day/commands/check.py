"""./day check: is my submission right, and if not, what is the first thing to mend?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from day import build, context, exercises, practice, submission, terminal, toolkit
from day import device as devices
from day.exercises import Exercise
from day.submission import STAGES, Tools, Verdict

TARGET = "check_submission"
CHECKER_SOURCES = ("common/exercises", "common/gates", "common/emulator", "common/ptx")


def check(
    ctx: typer.Context,
    number: context.Number,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Other inputs: another seed.")
    ] = 1,
    device: Annotated[
        str,
        typer.Option(metavar="gpu|emulated", help="On your card: no checks and no counters there."),
    ] = "emulated",
    directory: context.Directory = None,
) -> int:
    """Judge your submission. Compile, gates, checks, limits, up to the first thing to mend."""
    exercise = exercises.select(context.exercises_of(ctx, directory), number)
    root = context.of(ctx).root
    found = toolkit.find(root) if device == "gpu" else None
    where = devices.choose(device, None, found.version if found else None)
    tools = need_tools(root)
    started = time.monotonic()
    verdict = submission.judge(exercise, exercise.submission, tools, seed, device=where.kind)
    seconds = time.monotonic() - started
    if where.kind == "emulated":  # a card leaves too much open for a pass
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
    cached = build.cache_value(folder, "CMAKE_CUDA_COMPILER")
    nvcc = Path(cached) if cached else build.need_toolkit(root).nvcc
    return Tools(nvcc, checker, toolkit.find_tool(root, nvcc, "nvdisasm"))


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
        if stage == "checks" and "checks" in verdict.not_checked:
            out.append(f"  {stage:<8} {verdict.not_checked[stage]}")
        else:
            out.append(f"  {stage:<8} {terminal.paint('ok', 'green')}{detail(stage, verdict)}")
    if not finding:
        out += [
            f"  {name.replace('_', ' '):<26} {value:>9,}" for name, value in verdict.figures.items()
        ]
        out += [f"  {name}: {why}" for name, why in verdict.not_checked.items() if name != "checks"]
        if verdict.device:
            rest = f"./day check {exercise.number}, without --device, judges the rest."
            return [*out, f"right on {verdict.device['name']}. {rest}"]
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
