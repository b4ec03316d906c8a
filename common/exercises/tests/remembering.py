"""What nvcc and its tools made of a text, kept beside the build: the same text again costs nothing.

A test of an exercise compiles its solution and every wrong answer; the second `./day test` would
compile two hundred texts again that nobody has changed. What is judged is never remembered."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from day.tool import Done, Limits, Runner

HERE = b"@" * 8
KEPT = 3000  # results; the oldest go first


def remembering(root: Path, folder: Path) -> Runner:
    """A runner that keeps results in `folder`. Import after the path to `day` is set."""
    from day.tool import Runner

    class Remembering(Runner):
        def run(
            self,
            command: Sequence[str | Path],
            job: Path,
            limits: Limits,
            keep_stdout: bool = True,
        ) -> Done:
            if not Path(command[0]).name.startswith(("nvcc", "ptxas", "nvdisasm")):
                return super().run(command, job, limits, keep_stdout)
            # The name of the job's folder is in the results (lines of PTX, sections of a cubin): as
            # long as ever, so that one can stand for another.
            name = str(job).encode()
            short = name[-len(job.parent.name) - len(job.name) - 1 :]
            kept = folder / digest(root, command, job, name)
            if (found := read(kept)) is not None:
                done, files = found
                for file, content in files.items():
                    (job / file).write_bytes(content.replace(mark(short), short))
                return done
            before = {
                file: file.stat().st_mtime_ns
                for file in job.iterdir()
                if file.is_file()
            }
            done = super().run(command, job, limits, keep_stdout)
            made = {
                file.name: file.read_bytes().replace(short, mark(short))
                for file in job.iterdir()
                if file.is_file() and before.get(file) != file.stat().st_mtime_ns
            }
            if not done.cut and name.decode() not in done.said:
                write(kept, (done, made))
            return done

    return Remembering()


def mark(short: bytes) -> bytes:
    return HERE * (len(short) // len(HERE)) + HERE[: len(short) % len(HERE)]


def digest(root: Path, command: Sequence[str | Path], job: Path, name: bytes) -> str:
    """Of the command, of the files it may read, and of the compiler."""
    parts = [str(part).encode().replace(name, b"@") for part in command]
    for file in sorted(job.iterdir()):
        if file.is_file():
            short = name[-len(job.parent.name) - len(job.name) - 1 :]
            parts += [file.name.encode(), file.read_bytes().replace(short, b"@")]
    return hashlib.sha256(
        b"\0".join([*parts, headers(root), tool(Path(command[0]))])
    ).hexdigest()


@lru_cache
def headers(root: Path) -> bytes:
    """Everything that device code may include."""
    found = hashlib.sha256()
    for folder in ("ptx", "tile", "gates", "exercises/device"):
        for file in sorted((root / "common" / folder).glob("*")):
            if file.suffix in (".h", ".cuh", ".cu"):
                found.update(file.read_bytes())
    return found.digest()


@lru_cache
def tool(program: Path) -> bytes:
    state = program.resolve().stat()
    return f"{program} {state.st_size} {state.st_mtime_ns}".encode()


def read(file: Path) -> tuple[Done, dict[str, bytes]] | None:
    try:
        found: tuple[Done, dict[str, bytes]] = pickle.loads(
            file.read_bytes()
        )  # our own writing
    except (OSError, pickle.UnpicklingError, EOFError):
        return None
    os.utime(file)
    return found


def write(file: Path, found: tuple[Done, dict[str, bytes]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    scratch.write_bytes(pickle.dumps(found))
    scratch.replace(file)
    kept = sorted(file.parent.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for old in kept[: max(0, len(kept) - KEPT)]:
        old.unlink(missing_ok=True)
