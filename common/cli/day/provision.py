"""The set-up: .day/venv with the packages of requirements*.lock. Standard library only.

.day/stamp.json is written last and says which locks are installed. Without a matching stamp the
virtual environment is thrown away and made again, so an interrupted set-up is never used; pip keeps
its downloads, so starting again costs seconds, not the download. A file lock holds a second ./day
back meanwhile. pip runs with whatever settings this machine has (mirrors, certificates, proxies).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from day import toolkit

BASE, CUDA, DISASSEMBLER = "requirements", "requirements-cuda", "requirements-disassembler"
# Only when asked for: need()
BOOK, JUPYTERLAB, PEER = "requirements-book", "requirements-jupyterlab", "requirements-peer"
FORMAT = 1


class SetUpError(Exception):
    """A sentence for the person: what went wrong, and what to do next."""


def stamp_path(root: Path) -> Path:
    return root / ".day" / "stamp.json"


def venv_python(root: Path) -> Path:
    return root / ".day" / "venv" / "bin" / "python"


def lock_path(root: Path, name: str) -> Path:
    return root / "common" / "cli" / f"{name}.lock"


def lock_hash(root: Path, name: str) -> str:
    return hashlib.sha256(lock_path(root, name).read_bytes()).hexdigest()


def needed_sets(root: Path) -> list[str]:
    """The lock files this machine needs: NVIDIA's wheels only for what the toolkit lacks."""
    found, _ = toolkit.find_on_machine()
    if found is None:
        return [BASE, CUDA, DISASSEMBLER]
    if not (found.nvcc.parent / "cuobjdump").exists() and shutil.which("cuobjdump") is None:
        return [BASE, DISASSEMBLER]
    return [BASE]


def read_stamp(root: Path) -> dict[str, Any] | None:
    try:
        stamp = json.loads(stamp_path(root).read_text())
    except (OSError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) and isinstance(stamp.get("locks"), dict) else None


def why_stale(root: Path) -> str | None:
    """None when .day/venv is what this checkout asks for, else the reason it is not."""
    stamp = read_stamp(root)
    if stamp is None or stamp.get("format") != FORMAT:
        return "there is no finished set-up in .day"
    if stamp.get("root") != str(root):
        return f"the checkout has moved from {stamp.get('root')}"
    for name, installed in stamp["locks"].items():
        if not lock_path(root, name).is_file() or lock_hash(root, name) != installed:
            return f"common/cli/{name}.lock has changed"
    if not os.access(venv_python(root), os.X_OK):
        return "the Python that .day/venv was made with is gone"
    if CUDA not in stamp["locks"]:
        nvcc = stamp.get("nvcc")
        if toolkit.hidden() or not nvcc or not os.access(nvcc, os.X_OK):
            missing = [name for name in needed_sets(root) if name not in stamp["locks"]]
            if missing:
                return f"the toolkit at {nvcc} is not to be had any more"
    return None


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """One set-up at a time; the second waits, says so, and then finds the work done."""
    folder = root / ".day"
    try:
        folder.mkdir(exist_ok=True)
        handle = (folder / "lock").open("w")
    except OSError as error:
        raise SetUpError(f"cannot write into {folder}: {error.strerror}.") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("day: another ./day is setting up; waiting for it …", file=sys.stderr)
            fcntl.flock(handle, fcntl.LOCK_EX)
        os.set_inheritable(handle.fileno(), True)  # a pip that outlives us still holds the lock
        yield


def set_up(root: Path) -> None:
    with exclusive(root):
        if why_stale(root) is None:
            return
        started = time.monotonic()
        before = read_stamp(root)
        stamp_path(root).unlink(missing_ok=True)
        sets = needed_sets(root)
        installed = reusable_sets(root, before)
        if not installed:
            make_venv(root)
        for name in sets:
            if name not in installed:
                install(root, name)
        folder = toolkit.wheel_folder(root)
        if folder:
            complete_wheels(folder)
        check_result(root, sets)
        found, _ = toolkit.find_on_machine()
        write_stamp(root, sorted({*sets, *installed}), str(found.nvcc) if found else None)
        print(f"day: set up in {time.monotonic() - started:.0f} s.", file=sys.stderr)


def need(root: Path, *names: str) -> None:
    """Adds lock files to a finished set-up: what one command needs, and the others never wait for.
    The stamp is gone meanwhile, so an interrupted pip is never taken for a finished one."""
    with exclusive(root):
        stamp = read_stamp(root)
        if stamp is None:
            raise SetUpError("there is no finished set-up in .day. Type the same command again.")
        missing = [name for name in names if name not in stamp["locks"]]
        if not missing:
            return
        stamp_path(root).unlink()
        for name in missing:
            install(root, name)
        write_stamp(root, sorted({*stamp["locks"], *missing}), stamp.get("nvcc"))


def reusable_sets(root: Path, stamp: dict[str, Any] | None) -> list[str]:
    """What a finished set-up left that is still right: only then is the venv kept and added to."""
    if not stamp or stamp.get("format") != FORMAT or stamp.get("root") != str(root):
        return []
    if not os.access(venv_python(root), os.X_OK):
        return []
    locks = stamp["locks"]
    if any(
        not lock_path(root, name).is_file() or lock_hash(root, name) != value
        for name, value in locks.items()
    ):
        return []
    return list(locks)


def make_venv(root: Path) -> None:
    folder = root / ".day" / "venv"
    print(f"day: making {folder.relative_to(root)} …", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-I", "-m", "venv", str(folder)]
    result = subprocess.run(command, stdout=sys.stderr, check=False)
    if result.returncode != 0:
        raise SetUpError(
            f"{sys.executable} could not make a virtual environment in {folder} (see above). "
            "On Debian and Ubuntu: sudo apt-get install -y python3-venv"
        )


def install(root: Path, name: str) -> None:
    lock = lock_path(root, name)
    count = sum(1 for line in lock.read_text().splitlines() if "==" in line)
    size = "; about 100 MB to download" if name == CUDA else ""
    print(f"day: installing {count} packages of common/cli/{lock.name}{size} …", file=sys.stderr)
    command = [str(venv_python(root)), "-I", "-m", "pip", "install", "--require-hashes"]
    command += ["--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check"]
    if not sys.stderr.isatty():
        command.append("--quiet")
    environment = {**os.environ, "PIP_USER": "0"}  # "--user" has no meaning in a venv
    result = subprocess.run(
        [*command, "-r", str(lock)],
        stdout=sys.stderr,
        env=environment,
        close_fds=False,  # hands on the lock, see exclusive()
        check=False,
    )
    if result.returncode != 0:
        raise SetUpError(
            f"pip could not install common/cli/{lock.name} (its reason is above). Is the network "
            "there? Type the same command again: set-up starts anew and nothing is half done."
        )


def complete_wheels(folder: Path) -> None:
    """The wheels have lib/libcudart.so.13 only; nvcc looks in lib64 and the linker for the bare
    name. Both are links, made again without harm."""
    link(folder / "lib64", "lib")
    for library in sorted((folder / "lib").glob("libcudart.so.*")):
        link(folder / "lib" / "libcudart.so", library.name)


def link(path: Path, target: str) -> None:
    if path.is_symlink() and path.readlink() == Path(target):
        return
    if path.is_symlink() or path.is_file():
        path.unlink()
    if not path.exists():
        path.symlink_to(target)


def check_result(root: Path, sets: list[str]) -> None:
    folder = root / ".day" / "venv" / "bin"
    programs = [folder / "cmake", folder / "ninja"]
    if CUDA in sets:
        wheels = toolkit.wheel_folder(root)
        if wheels is None:
            raise SetUpError("NVIDIA's wheels were installed, yet nvidia/cu13 is not in .day/venv.")
        programs.append(wheels / "bin" / "nvcc")
    for program in programs:
        try:
            subprocess.run([str(program), "--version"], capture_output=True, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise SetUpError(f"{program} was installed but does not run: {error}.") from error


def write_stamp(root: Path, sets: list[str], nvcc: str | None) -> None:
    stamp = {
        "format": FORMAT,
        "root": str(root),
        "python": sys.version.split()[0],
        "nvcc": nvcc,
        "locks": {name: lock_hash(root, name) for name in sets},
    }
    write_atomically(stamp_path(root), json.dumps(stamp, indent=2) + "\n")


def write_atomically(path: Path, content: str) -> None:
    """Whole or not at all: written beside the place, then renamed over it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
