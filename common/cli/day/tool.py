"""Runs one tool of a check for at most so many seconds, and keeps the first of what it says. A tool
that is stopped takes with it all that it started. Standard library only."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

KEPT = 64 * 1024  # bytes of what a tool says; the rest is read and dropped
MOST = 4 * 1024 * 1024  # a tool that says more is stopped

Cut = Literal["", "time", "output"]


class Stopped(Exception):
    """Somebody called Runner.stop()."""


@dataclass(frozen=True)
class Limits:
    """What one tool may use. The plain runner looks at the clock and at the output only; a sandbox
    (sandbox.py) at all of it."""

    seconds: float = 60
    cpu_seconds: int = 60
    memory_bytes: int = 2 * 1024**3  # of each process; of its data, not of reserved addresses
    stack_bytes: int = 64 * 1024**2
    file_bytes: int = 64 * 1024**2
    files: int = 256
    processes: int = 64  # and one a core


@dataclass(frozen=True)
class Done:
    code: int  # negative: the signal that ended it
    said: str
    cut: Cut = ""  # why we ended it


class Runner:
    """Runs tools one after the other. stop() may be called from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def wrapped(self, command: Sequence[str | Path], job: Path, limits: Limits) -> list[str]:
        """What is started in place of `command`, whose working folder is `job`."""
        return [str(part) for part in command]

    def environment(self, job: Path) -> dict[str, str]:
        return {**os.environ, "TMPDIR": str(job)}

    def prepare(self, job: Path) -> None:
        """Called once the folder is filled."""

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._process:
                end(self._process)

    def run(
        self,
        command: Sequence[str | Path],
        job: Path,
        limits: Limits,
        keep_stdout: bool = True,
    ) -> Done:
        with self._lock:
            if self._stopped:
                raise Stopped
            process = subprocess.Popen(
                self.wrapped(command, job, limits),
                cwd=job,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if keep_stdout else subprocess.DEVNULL,
                stderr=subprocess.STDOUT if keep_stdout else subprocess.PIPE,
                env=self.environment(job),
                start_new_session=True,  # so that end() reaches its children too
            )
            self._process = process
        pipe = process.stdout if keep_stdout else process.stderr
        assert pipe is not None
        try:
            with pipe:
                said, cut = listen(pipe.fileno(), process, time.monotonic() + limits.seconds)
        finally:
            end(process)
            process.wait()
            with self._lock:
                self._process = None
        if self._stopped:
            raise Stopped
        return Done(process.returncode, said.decode(errors="replace"), cut)


def listen(pipe: int, process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, Cut]:
    """Reads until the tool has ended, even if something it left behind still holds the pipe."""
    said, total = b"", 0
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return said, "time"
            if not selector.select(min(left, 0.5)):
                if process.poll() is not None:
                    return said, ""
                continue
            chunk = os.read(pipe, KEPT)
            if not chunk:
                break
            total += len(chunk)
            said += chunk[: max(0, KEPT - len(said))]
            if total > MOST:
                return said, "output"
    try:  # it has closed its output; it may still run
        process.wait(timeout=max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return said, "time"
    return said, ""


def end(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to its whole process group: it may have been written by somebody who means harm."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
