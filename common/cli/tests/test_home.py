"""./day init: a learner's own folder, and which folder the other commands use."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from day import exercises, home, practice
from day.app import run
from day.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]
FIRST = "00a-issue-rate"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the real exercises and nothing else; we stand beside it."""
    folder = tmp_path / "course"
    for name in ("exercises", "solutions"):
        shutil.copytree(ROOT / name, folder / name)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def mine(root: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "my own"
    assert run(root, ["init", str(folder)]) == 0
    return folder


def test_what_init_makes(root: Path, mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = exercises.all_exercises(root)
    assert run(root, ["init", str(mine.with_name("second"))]) == 0
    said = capsys.readouterr().out
    assert f"{len(there)} exercises added, 0 left" in said
    assert f"cd {mine.with_name('second')} && ./day next" in said
    for exercise in there:
        assert (mine / exercise.name / "submission.cuh").read_text() == exercise.unsolved()
        page = (exercise.folder / "README.md").read_text()
        copy = (mine / exercise.name / "README.md").read_text()
        assert "](.." in page
        assert "](.." not in copy
        assert copy.splitlines()[2] == f"Day {exercise.day} comes first."
        assert copy.splitlines()[3:] == page.splitlines()[3:]
    assert not list(mine.rglob("exercise.json"))
    assert not (mine / ".git").exists()


def test_init_again_overwrites_nothing(
    root: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (mine / FIRST / "submission.cuh").write_text("mine\n")
    (mine / "README.md").write_text("mine too\n")
    shutil.rmtree(mine / "05b-swizzle-bk16")
    (mine / "day").write_text("of another machine\n")
    assert run(root, ["init", str(mine)]) == 0
    assert "1 exercises added" in capsys.readouterr().out
    assert (mine / FIRST / "submission.cuh").read_text() == "mine\n"
    assert (mine / "README.md").read_text() == "mine too\n"
    assert str(root / "day") in (mine / "day").read_text()


def test_the_launcher_calls_the_course(root: Path, mine: Path) -> None:
    (root / "day").write_text('#!/bin/sh\necho "$PWD|$1|$2"\n')
    (root / "day").chmod(0o755)
    done = subprocess.run(
        ["./day", "check", "a b"], cwd=mine, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{mine}|check|a b\n"


@pytest.mark.parametrize("name", ["README.md", FIRST])
def test_a_foreign_folder_is_left_alone(root: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "thesis"
    (folder / name).mkdir(parents=True)
    assert run(root, ["init", str(folder)]) == 2
    assert [path.name for path in folder.iterdir()] == [name]
    assert home.remembered(root) is None


def test_not_inside_the_checkout(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, ["init", str(root / "mine")]) == 2
    assert "inside this checkout" in capsys.readouterr().err
    assert run(root, ["init"]) == 2
    assert run(root, ["init", "x", "--forget"]) == 2


def test_git(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert run(root, ["init", str(folder), "--git"]) == 0
    git = ["git", "-C", str(folder)]
    top = subprocess.run([*git, "rev-parse", "--show-toplevel"], capture_output=True, text=True)
    assert top.stdout.strip() == str(folder)
    practice.change(exercises.all_exercises(root, home.own(folder))[0], passed=True)
    seen = subprocess.run([*git, "status", "--short", "-uall"], capture_output=True, text=True)
    files = {line.split()[1] for line in seen.stdout.splitlines()}
    assert {"practice.json", home.MARK, f"{FIRST}/submission.cuh"} <= files
    assert not {"day", ".practice.lock"} & files


def test_which_folder(root: Path, mine: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert run(root, ["init", str(other)]) == 0
    assert home.find(root).folder == other  # the last one is remembered
    assert home.find(root, here=mine / FIRST).folder == mine  # where we stand comes first
    assert home.find(root, given=mine, here=other).folder == mine  # --dir before that
    with pytest.raises(UsageError, match="no folder of exercises"):
        home.find(root, given=tmp_path)
    shutil.rmtree(other)
    with pytest.raises(UsageError, match="--forget"):
        home.find(root)
    assert run(root, ["init", "--forget"]) == 0
    assert home.find(root) == home.checkout(root)


def test_the_commands_use_it(
    root: Path,
    mine: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = (root / "exercises" / FIRST / "submission.cuh").read_text()
    monkeypatch.chdir(mine)
    assert run(root, ["hint", "00a"]) == 0
    assert run(root, ["next"]) == 0
    said = capsys.readouterr().out
    assert f"write  {FIRST}/submission.cuh" in said
    assert f"read   {FIRST}/README.md" in said  # the copy that lies there, not one they have not
    assert run(root, ["solution", "00a", "--spoil"]) == 0
    assert f"The whole file: {root}/solutions/{FIRST}/submission.cuh" in capsys.readouterr().out
    assert json.loads((mine / "practice.json").read_text())["00a"]["hints"] == 1
    assert not (root / ".day" / "practice.json").exists()
    (mine / FIRST / "submission.cuh").write_text("mine\n")
    assert run(root, ["reset", "00a"]) == 0
    assert (mine / FIRST / "submission.cuh").read_text() == given
    assert [file.read_text() for file in (mine / "backups").iterdir()] == ["mine\n"]
    monkeypatch.chdir(root)
    assert run(root, ["progress", "--dir", str(mine)]) == 0
    assert str(mine / "practice.json") in capsys.readouterr().out
    assert run(root, ["solution", "00a"]) == 2
    assert (root / "exercises" / FIRST / "submission.cuh").read_text() == given
