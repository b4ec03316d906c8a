"""When a build folder is configured anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from day import build

NVCC = Path("/usr/local/cuda/bin/nvcc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As ./day's own CMake leaves it."""
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "build.ninja").touch()
    (folder / "CMakeCache.txt").write_text(
        f"CMAKE_HOME_DIRECTORY:INTERNAL={tmp_path}\n"
        f"CMAKE_CUDA_COMPILER:FILEPATH={NVCC}\n"
        f"CMAKE_COMMAND:INTERNAL={build.cmake_program(tmp_path)}\n"
    )
    return folder


def test_nothing_has_changed(tmp_path: Path, folder: Path) -> None:
    assert build.why_configure(tmp_path, folder, NVCC) is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("CMAKE_COMMAND:INTERNAL=", "CMAKE_COMMAND:INTERNAL=/opt", "configured by /opt/"),
        ("CMAKE_HOME_DIRECTORY:INTERNAL=", "CMAKE_HOME_DIRECTORY:INTERNAL=/opt", "has moved"),
        ("FILEPATH=/usr/local", "FILEPATH=/opt", f"nvcc is now {NVCC}"),
    ],
)
def test_what_has_changed_is_said(
    tmp_path: Path, folder: Path, old: str, new: str, reason: str
) -> None:
    cache = folder / "CMakeCache.txt"
    text = cache.read_text()
    assert text.count(old) == 1
    cache.write_text(text.replace(old, new))
    assert reason in str(build.why_configure(tmp_path, folder, NVCC))


def test_the_first_time(tmp_path: Path) -> None:
    assert build.why_configure(tmp_path, tmp_path / "build", NVCC) == "first"
