"""./day grade with a pretend judge: who is graded, what is kept, resumed and reported."""

from __future__ import annotations

import csv
import io
import json
import shutil
import signal
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from day import grade_report, grade_state, grading, hostile, plain_file, sandbox
from day.app import run
from day.commands import check
from day.sandbox import Way
from day.submission import Finding, JudgeFailed, Tools, Verdict
from day.tool import Limits

ROOT = Path(__file__).resolve().parents[3]
FIRST, SECOND = "01a-fragment-map", "02a-without-ldmatrix"
SEEDS: list[int] = []  # that the pretend judge was given


def pretend(exercise, place, text, tools, terms, runner) -> Verdict:
    SEEDS.append(terms.seed)
    word = text.decode().split()[0]
    if word == "crash":
        raise JudgeFailed("SIGSEGV", "")
    if word == "flood":
        raise plain_file.NotPlain("verdict.json has 99 bytes; 16 are allowed")
    if word == "bug":
        raise RuntimeError("a mistake of ours")
    if word == "interrupt":
        signal.raise_signal(signal.SIGINT)
    if word == "endless":
        STARTED.set()
        runner.run(["sleep", "300"], Path("/"), Limits(seconds=300))
    if word == "right":
        return Verdict(gates=["product"], figures={"hmma": 4}, seconds={"nvcc": 0.5})
    lines = [f"it says {word}", "\x1b[31mred"]
    return Verdict(Finding("gates", "product", lines, f"{place}:3"), seconds={"nvcc": 0.25})


STARTED = threading.Event()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    course = tmp_path / "course"
    for name in ("exercises", "solutions"):
        shutil.copytree(ROOT / name, course / name)
    monkeypatch.setattr(grading, "judge_text", pretend)
    monkeypatch.setattr(check, "need_tools", lambda _root: Tools(Path("/usr/bin/nvcc"), Path("x")))
    way = Way("pretend", lambda command, *_: list(command))
    monkeypatch.setattr(sandbox, "choose", lambda _nvcc: way)
    monkeypatch.setattr(grading, "commit", lambda _root: "abc")
    SEEDS.clear()
    STARTED.clear()
    return course


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "class"


def hand_in(folder: Path, student: str, text: str, exercise: str = FIRST) -> Path:
    file = folder / student / exercise / "submission.cuh"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def grade(root: Path, folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    out = folder.with_name("grades.json")
    code = run(root, ["grade", str(folder), "--out", str(out), *arguments])
    return code, json.loads(out.read_text()) if out.exists() else {}


def statuses(report: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(r["student"], r["exercise"]): r["status"] for r in report["results"]}


def test_everybody_gets_a_verdict(root: Path, folder: Path) -> None:
    hand_in(folder, "ann", "right")
    hand_in(folder, "ann", "wrong", SECOND)
    hand_in(folder, "bob", "right", f"exercises/{FIRST}")  # a fork of the course
    hand_in(folder, ".git", "right")
    (folder / "notes.txt").write_text("nobody's")
    code, report = grade(root, folder)
    assert code == 1
    assert statuses(report) == {
        ("ann", "01a"): "passed",
        ("ann", "02a"): "failed",
        ("bob", "01a"): "passed",
        ("bob", "02a"): "missing",
    }
    failure = next(r for r in report["results"] if r["status"] == "failed")
    assert failure["lines"] == ["it says wrong", "\\x1b[31mred"]
    assert failure["where"] == f"{SECOND}/submission.cuh:3"
    assert (report["passed"], report["failed"]) == (2, 2)


def test_one_exercise_may_lie_flat(root: Path, folder: Path) -> None:
    (folder / "ann").mkdir(parents=True)
    (folder / "ann" / "submission.cuh").write_text("right")
    (folder / "bob").mkdir()
    code, report = grade(root, folder, "--exercise", "1a")
    assert code == 1
    assert statuses(report) == {("ann", "01a"): "passed", ("bob", "01a"): "missing"}
    assert grade(root, folder)[0] == 2  # which exercise it is, nobody can tell


def test_one_submission(root: Path, folder: Path) -> None:
    hand_in(folder, ".", "right")
    code, report = grade(root, folder, "--one")
    assert code == 0
    assert statuses(report) == {("class", "01a"): "passed"}


def test_a_crash_of_one_stops_no_other(root: Path, folder: Path) -> None:
    words = ["right", "crash", "bug", "right", "wrong", "flood"]
    for index, word in enumerate(words):
        hand_in(folder, f"s{index}", word)
    code, report = grade(root, folder, "--jobs", "3")
    assert code == 1
    found = [r["status"] for r in report["results"]]
    assert found == ["passed", "failed", "error", "passed", "failed", "failed"]
    assert "99 bytes" in report["results"][5]["lines"][0]
    assert "SIGSEGV" in report["results"][1]["lines"][0]
    assert report["results"][2]["lines"] == ["RuntimeError: a mistake of ours"]


def test_seeds_are_drawn_and_can_be_repeated(root: Path, folder: Path) -> None:
    hand_in(folder, "ann", "right")
    hand_in(folder, "bob", "right")
    seeds = [grade(root, folder)[1]["seed"] for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert [seeds[0]] * 2 + [seeds[1]] * 2 == SEEDS
    SEEDS.clear()
    assert grade(root, folder, "--seed", str(seeds[0]))[1]["seed"] == seeds[0]
    assert [seeds[0]] * 2 == SEEDS


def test_an_interrupted_run_goes_on(
    root: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "bob", "cleo"):
        hand_in(folder, name, "right")
    broken = hand_in(folder, "dan", "bug")
    changed = hand_in(folder, "eva", "wrong")
    last = hand_in(folder, "zoe", "interrupt")
    code, report = grade(root, folder, "--jobs", "1")
    assert (code, report) == (130, {})
    state = folder.with_name("grades.json.state")
    seed = json.loads(state.read_text().splitlines()[0])["seed"]
    assert state.name in capfd.readouterr().err
    with state.open("a") as file:  # as a power cut leaves it
        file.write('{"student": "zo')
    before = len(SEEDS)
    changed.write_text("right")
    broken.write_text("right")
    last.write_text("right")
    code, report = grade(root, folder, "--jobs", "1")
    assert code == 0
    assert report["seed"] == seed
    assert set(SEEDS[before:]) == {seed}
    assert len(SEEDS) - before < 6  # ann, bob and cleo were not judged again
    assert len(report["results"]) == 6
    assert not state.exists()
    assert "going on: " in capfd.readouterr().err


def test_a_state_of_another_grading_is_refused(
    root: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hand_in(folder, "ann", "right")
    state = folder.with_name("grades.json.state")
    state.write_text('{"seed": 1, "exercises": ["02a"], "commit": "abc", "sandbox": "pretend"}\n')
    assert grade(root, folder)[0] == 2
    assert "another exercises (['02a'], now ['01a'])" in capfd.readouterr().err
    state.write_text('{"seed": 1, "exercises": ["01a"], "commit": "abc", "sandbox": "pretend"}\n')
    assert grade(root, folder, "--seed", "2")[0] == 2
    assert grade(root, folder)[1]["seed"] == 1


def test_what_is_under_way_is_stopped(root: Path, folder: Path) -> None:
    hand_in(folder, "ann", "endless")
    hand_in(folder, "bob", "right")
    records: list[dict[str, Any]] = []

    def each(record: dict[str, Any]) -> None:
        assert STARTED.wait(timeout=60)
        records.append(record)
        raise KeyboardInterrupt

    works = grading.collect(folder, hostile_exercises(root), False, True)
    way = Way("pretend", lambda command, *_: list(command))
    grader = grading.Grader(root, Tools(Path("nvcc"), Path("x")), way, grading.TERMS, 2)
    with pytest.raises(KeyboardInterrupt):
        grader.run(works, each)
    assert [r["student"] for r in records] == ["bob"]


def hostile_exercises(root: Path) -> list:
    from day import exercises

    return [exercises.select(exercises.all_exercises(root), "01a")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "is no folder"),
        (["{folder}"], "holds no folders"),
        (["{folder}", "--exercise", "77z"], "no exercise '77z'"),
        (["{folder}", "--out", "/nowhere/x"], "cannot write"),
        ([], "which folder?"),
    ],
)
def test_bad_usage(
    root: Path,
    folder: Path,
    arguments: list[str],
    words: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder.mkdir()
    assert run(root, ["grade", *(a.format(folder=folder) for a in arguments)]) == 2
    assert words in capfd.readouterr().err


def test_names_never_collide_nor_reach_the_terminal(root: Path, folder: Path) -> None:
    names = ["a\nb", "a\\nb", "\x1b[31m", "-rf", "b\udcff", "=1+1", "ü"]
    for name in names:
        hand_in(folder, name, "right")
    _, report = grade(root, folder)
    shown = [r["student"] for r in report["results"]]
    assert len(set(shown)) == len(names)
    assert all(name.isprintable() for name in shown)
    assert {"a\\nb", "a\\\\nb", "-rf", "ü"} <= set(shown)


REPORT = grade_report.make(
    {"seed": 7, "exercises": ["01a"], "commit": "abc", "sandbox": "bubblewrap 0.8.0"},
    [
        {"student": "=ann", "exercise": "01a", "status": "passed", "lines": [], "sha256": "0",
         "seconds": 0.5},
        {"student": "=ann", "exercise": "02a", "status": "failed", "lines": ["@1", "<&\\x01"],
         "sha256": "1", "stage": "gates", "name": "product", "where": "x:3", "seconds": 0.25},
        {"student": "=ann", "exercise": "04a", "status": "missing", "lines": ["none"],
         "sha256": "2"},
        {"student": "=ann", "exercise": "05a", "status": "error", "lines": ["ours"],
         "sha256": "3"},
    ],
)  # fmt: skip


def test_json() -> None:
    assert json.loads(grade_report.as_json(REPORT)) == REPORT
    assert (REPORT["passed"], REPORT["failed"]) == (1, 3)


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(grade_report.as_csv(REPORT))))
    assert tuple(rows[0]) == grade_report.COLUMNS
    assert [row["status"] for row in rows] == ["passed", "failed", "missing", "error"]
    assert [row["points"] for row in rows] == ["1", "0", "0", "0"]
    assert rows[1]["message"] == "'@1 / <&\\x01"
    assert {row["student"] for row in rows} == {"'=ann"}
    assert all(cell[:1] not in ("=", "+", "-", "@") for row in rows for cell in row.values())


# The elements of the JUnit format that readers agree on: what each may hold, and its attributes
# (those with ! must be there).
JUNIT = {
    "testsuites": ({"testsuite"}, {"name", "tests!", "failures!", "errors!", "time"}),
    "testsuite": (
        {"properties", "testcase"},
        {"name!", "tests!", "failures!", "errors!", "time"},
    ),
    "properties": ({"property"}, set()),
    "property": (set(), {"name!", "value!"}),
    "testcase": ({"failure", "error", "skipped"}, {"name!", "classname!", "time"}),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
}


def test_junit() -> None:
    top = ElementTree.fromstring(grade_report.as_junit(REPORT))
    assert top.tag == "testsuites"
    for element in top.iter():
        children, attributes = JUNIT[element.tag]
        assert {child.tag for child in element} <= children
        assert set(element.attrib) <= {name.rstrip("!") for name in attributes}
        assert {name.rstrip("!") for name in attributes if "!" in name} <= set(element.attrib)
        for name in ("tests", "failures", "errors"):
            assert element.get(name, "0").isdigit()
    suite = top.find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "1")
    assert len(suite.findall("testcase")) == 4
    assert len(suite.findall("testcase/failure")) == 2
    assert suite.find("testcase[@name='02a']/failure").text == "@1\n<&\\x01"
    assert suite.find("properties/property[@name='seed']").get("value") == "7"


VISIBLE = ("hidden", "after_due_date", "after_published", "visible")
FORMATS = ("text", "html", "simple_format", "md", "ansi")


def test_gradescope() -> None:
    """By Gradescope's own description of results.json."""
    content = json.loads(grade_report.as_gradescope(REPORT))
    assert content.keys() <= {
        "score", "execution_time", "output", "output_format", "test_output_format",
        "test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard",
    }  # fmt: skip
    assert content["score"] == sum(test["score"] for test in content["tests"]) == 1
    assert content["visibility"] in VISIBLE
    assert content["stdout_visibility"] in VISIBLE
    assert content["output_format"] in FORMATS
    assert len(content["tests"]) == 4
    for test in content["tests"]:
        assert test.keys() <= {
            "score", "max_score", "status", "name", "name_format", "number", "output",
            "output_format", "tags", "visibility", "extra_data",
        }  # fmt: skip
        assert 0 <= test["score"] <= test["max_score"]
        assert test["status"] in ("passed", "failed")
        assert isinstance(test["number"], str)
        assert test["output_format"] in FORMATS
        assert test["visibility"] in VISIBLE
    two = grade_report.make(REPORT, [*REPORT["results"], {**REPORT["results"][0], "student": "b"}])
    with pytest.raises(Exception, match="--one"):
        grade_report.as_gradescope(two)


def test_a_report_on_stdout_is_nothing_but_the_report(
    root: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hand_in(folder, "ann", "right")
    assert run(root, ["grade", str(folder), "--format", "csv"]) == 0
    said = capfd.readouterr()
    assert said.out.splitlines()[0] == ",".join(grade_report.COLUMNS)
    assert len(said.out.splitlines()) == 2
    assert "1 passed, 0 failed" in said.err
    assert run(root, ["grade", str(folder)]) == 0
    assert "verdict" in capfd.readouterr().out


def test_the_table_of_the_hostile_is_whole() -> None:
    names = [attack.name for attack in hostile.ATTACKS]
    assert len(set(names)) == len(names)
    rows = hostile.table(ROOT).splitlines()
    assert len(rows) == len(names) + 2
    assert all(row.count("|") - row.count("\\|") == 5 for row in rows)
    assert all(row.isprintable() for row in rows)


def test_a_verdict_that_is_not_the_tables_is_named(tmp_path: Path) -> None:
    attacks = [a for a in hostile.ATTACKS if a.name in ("honest", "endless-kernel", "empty")]
    good = {"student": "honest", "exercise": "01a", "status": "passed", "lines": []}
    let_through = {"student": "endless-kernel", "exercise": "02a", "status": "passed", "lines": []}
    wrong = hostile.differences([good, let_through], tmp_path, attacks)
    assert [words.partition(":")[0] for words in wrong] == [
        "'endless-kernel'",
        "'empty' has no verdict",
    ]
    (tmp_path / hostile.OWNED).write_text("x")
    assert "host code has run" in hostile.differences([good], tmp_path, attacks)[0]


def test_the_commit_of_a_copy(tmp_path: Path) -> None:
    (tmp_path / ".commit").write_text("abc\n")
    assert grading.commit(tmp_path) == "abc"
    assert grading.commit(ROOT)


def test_state_without_a_file() -> None:
    state = grade_state.State(None, {}, [])
    state.add({"student": "a"})
    state.finish()
    assert state.records == [{"student": "a"}]
