"""Which nvcc and which host compiler are used, with pretend programs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from day import host_compiler, toolkit
from day.build import cmake_program

ROOT = Path(__file__).resolve().parents[3]


def pretend_nvcc(folder: Path, release: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "nvcc"
    path.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {release}, V{release}.1'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, Path]:
    return {
        "path": pretend_nvcc(tmp_path / "path", "12.0"),
        "usual": pretend_nvcc(tmp_path / "usual", "12.4"),
        "cudacxx": pretend_nvcc(tmp_path / "cudacxx", "13.1"),
    }


def find(machine: dict[str, Path], **environment: str):
    environment.setdefault("PATH", f"{machine['path'].parent}:/usr/bin:/bin")
    return toolkit.find_on_machine(environment, (machine["usual"],))


def test_the_first_that_is_new_enough_wins(machine: dict[str, Path]) -> None:
    found, remarks = find(machine)
    assert found == toolkit.Toolkit(machine["usual"], (12, 4), from_wheels=False)
    assert remarks == [f"{machine['path']} is CUDA 12.0, older than 12.4"]
    found, _ = find(machine, CUDACXX=str(machine["cudacxx"]))
    assert found is not None and found.version == (13, 1)


def test_hidden_means_none(machine: dict[str, Path]) -> None:
    assert find(machine, TCD_HIDE_TOOLKIT="1") == (None, [])
    assert find(machine, TCD_HIDE_TOOLKIT="0")[0] is not None


def test_one_that_does_not_run_is_passed_over(machine: dict[str, Path]) -> None:
    machine["usual"].write_text("#!/bin/sh\nexit 1\n")
    found, remarks = find(machine)
    assert found is None
    assert remarks[-1] == f"{machine['usual']} does not say its version"


def test_the_wheels_come_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TCD_HIDE_TOOLKIT", "1")
    assert toolkit.find(tmp_path) is None
    folder = tmp_path / ".day/venv/lib/python3.11/site-packages/nvidia/cu13/bin"
    nvcc = pretend_nvcc(folder, "13.0")
    assert toolkit.find(tmp_path) == toolkit.Toolkit(nvcc, (13, 0), from_wheels=True)
    assert toolkit.find_tool(tmp_path, nvcc, "cuobjdump") is None
    shutil.copy(nvcc, folder / "cuobjdump")
    tool = toolkit.find_tool(tmp_path, nvcc, "cuobjdump")
    assert tool == folder / "cuobjdump"


def test_cmake_keeps_the_same_rule(machine: dict[str, Path], tmp_path: Path) -> None:
    """find_nvcc.cmake in script mode, on the same pretend machine."""
    (tmp_path / "find.cmake").write_text(
        f"set(PROJECT_SOURCE_DIR {tmp_path})\n"
        f"include({ROOT}/common/cmake/find_nvcc.cmake)\n"
        'message(STATUS "chosen=${CMAKE_CUDA_COMPILER}=")\n'
    )

    def cmake(**environment: str) -> str:
        result = subprocess.run(
            [cmake_program(ROOT), "-P", tmp_path / "find.cmake"],
            env={"PATH": f"{machine['path'].parent}:/usr/bin:/bin", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return result.stdout + result.stderr

    assert f"chosen={machine['cudacxx']}=" in cmake(CUDACXX=str(machine["cudacxx"]))
    old = pretend_nvcc(tmp_path / "old", "11.8")
    assert f"chosen={old}=" not in cmake(CUDACXX=str(old))
    said = cmake(TCD_HIDE_TOOLKIT="1")
    assert "No CUDA compiler of version 12.4 or newer" in said
    assert "./day doctor" in said
    wheel = pretend_nvcc(
        tmp_path / ".day/venv/lib/python3.11/site-packages/nvidia/cu13/bin", "13.0"
    )
    assert f"chosen={wheel}=" in cmake(TCD_HIDE_TOOLKIT="1")


def test_the_newest_gcc_is_read_from_nvccs_header(tmp_path: Path) -> None:
    nvcc = pretend_nvcc(tmp_path / "bin", "13.0")
    assert toolkit.newest_supported_gcc(nvcc) is None
    config = tmp_path / "include/crt/host_config.h"
    config.parent.mkdir(parents=True)
    config.write_text("#if defined(__GNUC__)\n#if __GNUC__ > 15\n#error no\n")
    assert toolkit.newest_supported_gcc(nvcc) == 15


@pytest.mark.parametrize(
    ("programs", "newest", "chosen", "is_default"),
    [
        ({"c++": ("g++", 12)}, 15, "c++", True),
        ({"c++": ("g++", 11), "g++-12": ("g++", 12)}, 15, "g++-12", False),
        ({"c++": ("g++", 16), "g++-15": ("g++", 15)}, 15, "g++-15", False),
        ({"c++": ("g++", 16)}, None, "c++", True),
        ({"c++": ("clang++", 14), "clang++-16": ("clang++", 16)}, 15, "clang++-16", False),
        ({"c++": ("g++", 11), "clang++": ("clang++", 14)}, 15, None, None),
    ],
)
def test_host_compiler(tmp_path: Path, programs, newest, chosen, is_default) -> None:
    for name in programs:
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(0o755)
    found, remarks = host_compiler.find(
        newest, {"PATH": str(tmp_path)}, lambda path: programs[path.name]
    )
    if chosen is None:
        assert found is None
        assert len(remarks) == len(programs)
    else:
        assert found is not None
        assert (found.path.name, found.is_default) == (chosen, is_default)


def test_cxx_is_asked_first(tmp_path: Path) -> None:
    for name in ("c++", "mine"):
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": str(tmp_path), "CXX": "mine"}
    found, _ = host_compiler.find(None, environment, lambda _path: ("g++", 13))
    assert found is not None and found.path.name == "mine"
