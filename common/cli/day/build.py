"""Configures a preset once and builds targets in it, with CMake and Ninja from .day/venv.

A build folder is configured anew when it was made for another checkout, by another CMake, or with
another nvcc than the one find_nvcc.cmake would take today."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from day import child, host_compiler, provision, terminal, toolkit
from day.errors import BuildError, UsageError

STEP = re.compile(r"^\[(\d+)/(\d+)\] ")


def tools_environment(root: Path) -> dict[str, str]:
    """The environment of every build step: Ninja and friends of .day/venv come first."""
    folder = str(provision.venv_python(root).parent)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}


def cmake_program(root: Path, name: str = "cmake") -> Path:
    """The wheel's real program; the one in .day/venv/bin starts a Python first."""
    found = sorted(root.glob(f".day/venv/lib/python3*/site-packages/cmake/data/bin/{name}"))
    return found[-1] if found else provision.venv_python(root).with_name(name)


def cache_value(folder: Path, name: str) -> str | None:
    try:
        cache = (folder / "CMakeCache.txt").read_text(errors="replace")
    except OSError:
        return None
    match = re.search(rf"^{re.escape(name)}:\w+=(.*)$", cache, re.MULTILINE)
    return match[1] if match else None


def why_configure(root: Path, folder: Path, nvcc: Path) -> str | None:
    if not (folder / "build.ninja").exists():
        return "first"
    if cache_value(folder, "CMAKE_HOME_DIRECTORY") not in (None, str(root)):
        return "the checkout has moved"
    cached = cache_value(folder, "CMAKE_CUDA_COMPILER")
    if cached and Path(cached) != nvcc:
        return f"nvcc is now {nvcc}"
    by = cache_value(folder, "CMAKE_COMMAND")
    if by and Path(by).resolve() != cmake_program(root).resolve():
        return f"it was configured by {by}, which may be another version"
    return None


def need_toolkit(root: Path) -> toolkit.Toolkit:
    found = toolkit.find(root)
    if found is None:
        raise UsageError(
            f"no nvcc of {toolkit.text(toolkit.MINIMUM)} or newer, on this machine or in .day/. "
            "Remove .day and type the command again: the set-up fetches one."
        )
    return found


@contextmanager
def one_at_a_time(root: Path, preset: str) -> Iterator[None]:
    (root / "build").mkdir(exist_ok=True)
    with (root / "build" / f".{preset}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"another ./day is building {preset}; waiting for it …", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def configure(root: Path, preset: str, nvcc: Path) -> None:
    folder = root / "build" / preset
    reason = why_configure(root, folder, nvcc)
    if reason is None:
        return
    newest_gcc = toolkit.newest_supported_gcc(nvcc)
    compiler, remarks = host_compiler.find(newest_gcc)
    if compiler is None:
        raise UsageError(
            f"no C++ compiler will do: {'; '.join(remarks) or 'none found'}. "
            "./day doctor says what to install."
        )
    command: list[str | Path] = [cmake_program(root), "--preset", preset]
    if reason != "first":
        command.append("--fresh")
    command.append(f"-DCMAKE_CUDA_COMPILER={nvcc}")
    if not compiler.is_default:
        command.append(f"-DCMAKE_CXX_COMPILER={compiler.path}")
        command.append(f"-DCMAKE_CUDA_HOST_COMPILER={compiler.path}")
    if shutil.which("ccache"):
        command += [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("CXX", "CUDA")]
    say_progress(f"configuring {preset}")
    if reason != "first":
        print(f"configuring build/{preset} anew: {reason}", file=sys.stderr)
    log = root / ".day" / "logs" / f"configure-{preset}.log"
    code = child.run(command, cwd=root, env=tools_environment(root), log=log)
    clear_progress()
    if code != 0:
        sys.stderr.write(log.read_text(errors="replace"))
        raise BuildError(f"CMake could not configure preset {preset} (its words are above).")


def build(root: Path, preset: str, targets: Sequence[str] = ()) -> None:
    """Configures if needed and builds; no target means all. Raises BuildError after showing why."""
    nvcc = need_toolkit(root).nvcc
    with one_at_a_time(root, preset):
        configure(root, preset, nvcc)
        started = time.monotonic()
        folder = root / "build" / preset
        what = " ".join(targets) or preset
        command = [provision.venv_python(root).with_name("ninja"), "-C", folder, *targets]
        environment = {**tools_environment(root), "NINJA_STATUS": "[%f/%t] "}
        lines: list[str] = []
        with child.started(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line)
                if step := STEP.match(line):
                    say_progress(f"building {what} [{step[1]}/{step[2]}]")
        clear_progress()
        if process.returncode != 0:
            sys.stderr.writelines(failure(lines))
            raise BuildError(f"building {what} failed (the compiler's words are above).")
        if not any(line.startswith("ninja: no work to do") for line in lines):
            seconds = time.monotonic() - started
            print(f"built {what} in {seconds:.1f} s", file=sys.stderr)


def failure(lines: Sequence[str]) -> list[str]:
    """Ninja's output without the steps that went well."""
    shown = [line for line in lines if not STEP.match(line)]
    return shown or list(lines)


def say_progress(text: str) -> None:
    """One line that is written over: on a terminal only."""
    if terminal.is_terminal(sys.stderr):
        columns = shutil.get_terminal_size().columns
        sys.stderr.write(f"\r\033[K{text[: columns - 1]}")
        sys.stderr.flush()


def clear_progress() -> None:
    if terminal.is_terminal(sys.stderr):
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
