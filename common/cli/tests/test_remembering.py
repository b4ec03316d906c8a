"""What the exercises' tests keep of a compiler: the same text is compiled once, another one anew,
and what comes back names the folder that asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from day.tool import Limits, Runner

sys.path.insert(0, str(Path(__file__).parents[2] / "exercises" / "tests"))
from remembering import headers, remembering

NVCC = """#!/bin/sh
echo call >>{log}
echo "// $PWD/submission.cuh" >submission.ptx
cat submission.cuh >>submission.ptx
[ "$1" != fail ]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "common" / "ptx").mkdir(parents=True)
    (tmp_path / "common" / "ptx" / "mma.cuh").write_text("one")
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(NVCC.format(log=tmp_path / "log"))
    nvcc.chmod(0o755)
    return tmp_path


def compiled(root: Path, name: str, text: str, *arguments: str) -> tuple[int, str]:
    headers.cache_clear()
    job = root / f"day-check-{name}" / "job"
    job.mkdir(parents=True)
    (job / "submission.cuh").write_text(text)
    runner: Runner = remembering(root, root / "kept")
    done = runner.run([root / "nvcc", *arguments], job, Limits())
    return done.code, (job / "submission.ptx").read_text()


def calls(root: Path) -> int:
    return len((root / "log").read_text().splitlines())


def test_the_same_text_is_compiled_once(root: Path) -> None:
    first = compiled(root, "aaaaaaaa", "text")
    assert compiled(root, "bbbbbbbb", "text") == (0, first[1].replace("aaaaaaaa", "bbbbbbbb"))
    assert calls(root) == 1


def test_what_changes_is_compiled_again(root: Path) -> None:
    compiled(root, "aaaaaaaa", "text")
    assert "other" in compiled(root, "bbbbbbbb", "other")[1]
    compiled(root, "cccccccc", "text", "-lineinfo")
    (root / "common" / "ptx" / "mma.cuh").write_text("two")
    compiled(root, "dddddddd", "text")
    assert calls(root) == 4


def test_a_failure_stays_one(root: Path) -> None:
    assert compiled(root, "aaaaaaaa", "text", "fail")[0] == 1
    assert compiled(root, "bbbbbbbb", "text", "fail")[0] == 1


def test_other_programs_always_run(root: Path) -> None:
    (root / "nvcc").rename(root / "check_submission")
    (root / "nvcc").symlink_to("check_submission")
    job = root / "day-check-eeeeeeee" / "job"
    job.mkdir(parents=True)
    (job / "submission.cuh").write_text("text")
    for _ in range(2):
        remembering(root, root / "kept").run([root / "check_submission"], job, Limits())
    assert calls(root) == 2
