"""Child processes: none outlives ./day. On Ctrl-C (which a terminal sends to the child as well) a
child that is still there is told to end, and killed when it has not after two seconds."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def started(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | None = subprocess.DEVNULL,
    stdout: int | IO[str] | None = None,
    stderr: int | IO[str] | None = None,
) -> Iterator[subprocess.Popen[str]]:
    process: subprocess.Popen[str] | None = None
    try:
        with signals_wait():
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=cwd,
                env=env,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                text=True,
                errors="replace",
            )
        yield process
        process.wait()
    finally:
        if process is not None:
            end(process)


@contextmanager
def signals_wait() -> Iterator[None]:
    """Holds Ctrl-C and SIGTERM back until the child that is being started is known to us."""
    arrived: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _frame: arrived.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in arrived:
            signal.raise_signal(number)


def end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
    for patience in (2.0, 3.0):
        try:
            process.wait(timeout=patience)
            return
        except subprocess.TimeoutExpired:
            process.kill()


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    log: Path | None = None,
    stdin: int | None = subprocess.DEVNULL,
    stdout: int | IO[str] | None = None,
) -> int:
    """The exit code (negative: the signal that ended it). With `log`, output goes there instead.
    stdin=None: the child reads ours."""
    if log is None:
        with started(command, cwd=cwd, env=env, stdin=stdin, stdout=stdout) as process:
            pass
        return process.returncode
    log.parent.mkdir(parents=True, exist_ok=True)
    with (
        log.open("w") as file,
        started(command, cwd=cwd, env=env, stdout=file, stderr=subprocess.STDOUT) as process,
    ):
        pass
    return process.returncode
