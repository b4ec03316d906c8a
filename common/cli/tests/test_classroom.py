"""The workflow for GitHub Classroom and the folder for Gradescope, as far as they can be tried."""

from __future__ import annotations

import re
import shlex
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml
from test_grade import hand_in, root  # noqa: F401  (the pretend judge)

from day import exercises
from day.app import run

ROOT = Path(__file__).resolve().parents[3]
WORKFLOW = ROOT / "common" / "exercises" / "classroom" / "classroom.yml"
GRADESCOPE = ROOT / "common" / "exercises" / "gradescope"
STEPS = yaml.safe_load(WORKFLOW.read_text())["jobs"]["grade"]["steps"]
GRADERS = [step for step in STEPS if "autograding-command-grader" in step.get("uses", "")]


def test_every_step_is_reported() -> None:
    reporter = STEPS[-1]
    ids = [step["id"] for step in GRADERS]
    assert reporter["with"]["runners"].split(",") == ids
    assert reporter["env"] == {
        f"{name.upper()}_RESULTS": f"${{{{ steps.{name}.outputs.result }}}}" for name in ids
    }
    for step in GRADERS:
        assert set(step["with"]) == {
            "test-name", "setup-command", "command", "timeout", "max-score",
        }  # fmt: skip


def test_no_token_stays_in_what_is_checked_out() -> None:
    checkouts = [step for step in STEPS if step.get("uses", "").startswith("actions/checkout")]
    assert {step["with"]["path"] for step in checkouts} == {"hand-in", "course"}
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("step", GRADERS, ids=lambda step: step["id"])
def test_every_command_grades(
    root: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: dict,
) -> None:
    program, *arguments = shlex.split(step["with"]["command"])
    assert program == "course/day"
    monkeypatch.chdir(tmp_path)
    name = exercises.select(exercises.all_exercises(root), step["with"]["test-name"]).name
    hand_in(tmp_path, "hand-in", "right", name)
    assert run(root, arguments) == 0
    hand_in(tmp_path, "hand-in", "wrong", name)
    assert run(root, arguments) == 1


def test_the_packages_are_those_of_ci() -> None:
    ours = next(step["run"] for step in STEPS if "apt-get" in step.get("run", ""))
    ci = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    wanted = set(re.search(r"apt-get install -y (.*)", ci)[1].split())
    assert set(re.search(r"apt-get install -y (.*)", ours)[1].split()) == wanted | {"bubblewrap"}


def test_what_is_packed_for_gradescope(tmp_path: Path) -> None:
    file = tmp_path / "an autograder.zip"
    pack = [GRADESCOPE / "pack.sh", file]
    subprocess.run([*pack, "05a", "05b"], check=True, capture_output=True)
    with zipfile.ZipFile(file) as packed:
        names = ["commit.txt", "course.tar", "exercises.txt", "run_autograder", "setup.sh"]
        assert sorted(packed.namelist()) == names
        assert packed.read("exercises.txt") == b"05a\n05b\n"
        assert packed.read("commit.txt").strip()
        packed.extract("course.tar", tmp_path)
    with tarfile.open(tmp_path / "course.tar") as course:
        assert {"day", "common/cli/__main__.py"} <= set(course.getnames())
    for arguments in (["05q"], []):
        assert subprocess.run([*pack, *arguments], check=False, capture_output=True).returncode == 2


def test_the_scripts_are_shell() -> None:
    for name in ("setup.sh", "run_autograder", "pack.sh"):
        shell = (GRADESCOPE / name).read_text().splitlines()[0].removeprefix("#!")
        subprocess.run([shell, "-n", GRADESCOPE / name], check=True)
