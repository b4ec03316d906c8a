"""Which nvcc is used, and where its companions are. common/cmake/find_nvcc.cmake keeps the same
rule for a build by hand: the first of $CUDACXX, PATH, /usr/local/cuda, /opt/cuda that is 12.4 or
newer; otherwise the wheels in .day/venv.

TCD_HIDE_TOOLKIT=1 pretends the machine has none, to test the wheels. Standard library only: the
set-up runs this before there is a virtual environment.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

MINIMUM = (12, 4)
USUAL_PLACES = (Path("/usr/local/cuda/bin/nvcc"), Path("/opt/cuda/bin/nvcc"))

Version = tuple[int, int]


@dataclass(frozen=True)
class Toolkit:
    nvcc: Path
    version: Version
    from_wheels: bool

    @property
    def description(self) -> str:
        where = "wheels in .day" if self.from_wheels else "toolkit on this machine"
        return f"{self.nvcc} {text(self.version)} ({where})"


def text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def hidden(environment: Mapping[str, str] = os.environ) -> bool:
    return environment.get("TCD_HIDE_TOOLKIT", "") not in ("", "0")


def candidates(
    environment: Mapping[str, str] = os.environ, usual_places: tuple[Path, ...] = USUAL_PLACES
) -> list[Path]:
    """The machine's own nvcc, in the order they are tried; only those that exist."""
    if hidden(environment):
        return []
    path = environment.get("PATH", "")
    found = []
    for name in (environment.get("CUDACXX"), "nvcc"):
        if name and (hit := shutil.which(name, path=path)):
            found.append(Path(hit))
    found += [place for place in usual_places if os.access(place, os.X_OK)]
    return list(dict.fromkeys(found))


def nvcc_version(nvcc: Path) -> Version | None:
    """(13, 0), or None when it does not run or does not say."""
    try:
        result = subprocess.run(
            [nvcc, "--version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"release (\d+)\.(\d+)", result.stdout)
    return (int(match[1]), int(match[2])) if match else None


def find_on_machine(
    environment: Mapping[str, str] = os.environ,
    usual_places: tuple[Path, ...] = USUAL_PLACES,
    version_of: Callable[[Path], Version | None] = nvcc_version,
) -> tuple[Toolkit | None, list[str]]:
    """The machine's toolkit, if it is new enough, and one remark for each that was passed over."""
    remarks = []
    for nvcc in candidates(environment, usual_places):
        version = version_of(nvcc)
        if version is None:
            remarks.append(f"{nvcc} does not say its version")
        elif version < MINIMUM:
            remarks.append(f"{nvcc} is CUDA {text(version)}, older than {text(MINIMUM)}")
        else:
            return Toolkit(nvcc, version, from_wheels=False), remarks
    return None, remarks


def wheel_folder(root: Path) -> Path | None:
    """…/site-packages/nvidia/cu13 in .day/venv, or None when the wheels are not installed."""
    found = sorted(root.glob(".day/venv/lib/python3*/site-packages/nvidia/cu1[23]"))
    return found[-1] if found else None


def find(root: Path, environment: Mapping[str, str] = os.environ) -> Toolkit | None:
    toolkit, _ = find_on_machine(environment)
    if toolkit:
        return toolkit
    folder = wheel_folder(root)
    if folder and (version := nvcc_version(folder / "bin" / "nvcc")):
        return Toolkit(folder / "bin" / "nvcc", version, from_wheels=True)
    return None


def find_tool(root: Path, nvcc: Path | None, name: str) -> Path | None:
    """cuobjdump or nvdisasm: beside nvcc, else from the wheels, else on PATH."""
    places = [nvcc.parent] if nvcc else []
    if nvcc:  # a distribution may link /usr/bin/nvcc to the toolkit's real folder
        places.append(nvcc.resolve().parent)
    folder = wheel_folder(root)
    if folder:
        places.append(folder / "bin")
    for place in places:
        if os.access(place / name, os.X_OK):
            return place / name
    on_path = None if hidden() else shutil.which(name)
    return Path(on_path) if on_path else None


def newest_supported_gcc(nvcc: Path) -> int | None:
    """The newest g++ this nvcc takes, read from its own host_config.h."""
    for parent in (nvcc.parent.parent, nvcc.resolve().parent.parent):
        for include in (parent / "include", parent / "targets" / "x86_64-linux" / "include"):
            config = include / "crt" / "host_config.h"
            if config.is_file():
                match = re.search(r"#if __GNUC__ > (\d+)", config.read_text(errors="replace"))
                return int(match[1]) if match else None
    return None
