"""Which C++ compiler builds the host code: the one CMake would take by itself when it will do, else
the first that does (Ubuntu 22.04: g++-12 beside a default of 11). ./day has the same list for the
set-up; a test compares them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

MINIMUM_GCC, MINIMUM_CLANG = 12, 15
CANDIDATES = (
    *("c++", "g++", "g++-15", "g++-14", "g++-13", "g++-12"),
    *("clang++", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16"),
    "clang++-15",
)


@dataclass(frozen=True)
class HostCompiler:
    path: Path
    name: str  # "g++" or "clang++"
    version: int
    is_default: bool  # CMake takes it without being told


def identify(path: Path) -> tuple[str, int] | None:
    """("g++", 12), from the preprocessor's own macros; None when it does not work."""
    try:
        result = subprocess.run(
            [path, "-dM", "-E", "-x", "c++", "-"],
            input="",
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    for name, macro in (("clang++", "__clang_major__"), ("g++", "__GNUC__")):
        if match := re.search(rf"#define {macro} (\d+)", result.stdout):
            return name, int(match[1])
    return None


def find(
    newest_gcc: int | None = None,
    environment: Mapping[str, str] = os.environ,
    identify_one: Callable[[Path], tuple[str, int] | None] = identify,
) -> tuple[HostCompiler | None, list[str]]:
    """The compiler, and a remark for each one passed over. `newest_gcc` is nvcc's upper limit."""
    remarks: list[str] = []
    seen: set[Path] = set()
    wanted = environment.get("CXX")
    for index, name in enumerate([wanted, *CANDIDATES] if wanted else CANDIDATES):
        hit = shutil.which(name, path=environment.get("PATH", ""))
        if hit is None or Path(hit).resolve() in seen:
            continue
        path = Path(hit)
        seen.add(path.resolve())
        found = identify_one(path)
        if found is None:
            remarks.append(f"{path} does not work")
            continue
        kind, version = found
        minimum = MINIMUM_CLANG if kind == "clang++" else MINIMUM_GCC
        if version < minimum:
            remarks.append(f"{path} is {kind} {version}, older than {minimum}")
        elif kind == "g++" and newest_gcc and version > newest_gcc:
            remarks.append(f"{path} is g++ {version}; this nvcc takes up to {newest_gcc}")
        else:
            return HostCompiler(path, kind, version, is_default=index == 0), remarks
    return None, remarks
