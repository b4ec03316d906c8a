"""The same grading as a Slurm job array: each task grades every Nth submission and leaves its
verdicts beside the report; whoever waits for the array puts them together. Partition, account and
the like come from Slurm's own variables (SBATCH_PARTITION=…). Standard library only."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from day import child, grade_state
from day.errors import UsageError
from day.grade_state import State

SCRIPT = """#!/bin/sh
exec {command} --part "$SLURM_ARRAY_TASK_ID/{tasks}"
"""


def submit(command: Sequence[str], tasks: int, out: Path) -> None:
    """Waits for the array. On a Ctrl-C the array is taken back."""
    log = out.with_name(f"{out.name}.slurm-%a.log")
    options = ["--wait", "--parsable", f"--array=0-{tasks - 1}", "--job-name=day-grade"]
    options += ["--ntasks=1", f"--output={log}"]
    script = SCRIPT.format(command=shlex.join(command), tasks=tasks)
    process = None
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as errors:
        try:
            with child.signals_wait():
                process = subprocess.Popen(
                    ["sbatch", *options],
                    stdin=subprocess.PIPE,
                    stdout=said,
                    stderr=errors,
                    text=True,
                )
            process.communicate(script)
        except OSError as error:
            raise UsageError(
                f"sbatch: {error.strerror}. Slurm is not installed here: leave --slurm out."
            ) from error
        except BaseException:
            if process:
                process.kill()
                process.wait()
                if job := job_of(said):
                    subprocess.run(["scancel", job], check=False)
            raise
        if not job_of(said):
            errors.seek(0)
            raise UsageError(f"sbatch took no job: {errors.read().strip()}")


def job_of(said: TextIO) -> str:
    said.seek(0)
    return said.readline().strip().partition(";")[0]


def parts(out: Path) -> list[Path]:
    """What tasks have left, this time or before."""
    name = grade_state.path(out).name
    found = (file for file in out.parent.iterdir() if file.name.startswith(f"{name}."))
    return sorted(file for file in found if file.suffix[1:].isdigit())


def gather(state: State, out: Path) -> None:
    """Moves the verdicts of all tasks into the one state."""
    known = {grade_state.identity(record) for record in state.records}
    for file in parts(out):
        for record in grade_state.read_lines(file)[1:]:
            if grade_state.identity(record) not in known:
                known.add(grade_state.identity(record))
                state.add(record)
        file.unlink()
