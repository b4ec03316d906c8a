"""The exercises' bookkeeping: manifests, pages, hints, progress, reset, patches, verdicts."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from day import device as devices
from day import exercises, patches, practice, submission
from day.app import run
from day.commands import check
from day.errors import UsageError
from day.exercises import Exercise
from day.machine_rules import Rule
from day.submission import Job, Tools, Verdict
from day.tool import Runner
from day.wrong_answers import wrong_answers

ROOT = Path(__file__).resolve().parents[3]
ALL = exercises.all_exercises(ROOT)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with real exercises and nothing else."""
    for folder in ("exercises", "solutions"):
        # The first few: what they are does not matter here, and each costs time.
        ignored = shutil.ignore_patterns("0[3-9]*", "1*")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for exercise in exercises.all_exercises(tmp_path):
        exercise.submission.write_text(exercise.unsolved())
    return tmp_path


def one(root: Path) -> Exercise:
    return exercises.select(exercises.all_exercises(root), "01a")


def each(name: str = "exercise") -> pytest.MarkDecorator:
    return pytest.mark.parametrize(name, ALL, ids=lambda exercise: exercise.number)


def test_there_are_exercises() -> None:
    assert [exercise.number for exercise in ALL] == sorted({e.number for e in ALL})
    assert "01a" in {exercise.number for exercise in ALL}


@each()
def test_a_page_says_what_is_needed(exercise: Exercise) -> None:
    page = (exercise.folder / "README.md").read_text()
    assert page.startswith(f"# {exercise.number} — ")
    assert f"\n{exercise.minutes} minutes" in page
    assert f"./day check {exercise.number}" in page
    assert "**Submit**" in page
    assert 30 <= exercise.minutes <= 45
    hints = exercise.hints()
    assert len(hints) >= 3
    assert page.count("<details>") == len(hints)
    assert all(len(text) > 40 for _, text in hints)


LINK = re.compile(r"\]\((\.\./[^)#]+)")


@each()
def test_a_page_and_its_day_link_each_other(exercise: Exercise) -> None:
    page = exercise.folder / "README.md"
    days = list((ROOT / "days").glob(f"{exercise.day}-*/README.md"))
    assert len(days) == 1
    linked = {(page.parent / link).resolve() for link in LINK.findall(page.read_text())}
    assert days[0] in linked
    back = {(days[0].parent / link).resolve() for link in LINK.findall(days[0].read_text())}
    assert page in back


@pytest.mark.parametrize("page", sorted((ROOT / "days").glob("*/README.md")), ids=str)
def test_every_day_has_its_exercises_and_no_others(page: Path) -> None:
    number = page.parent.name[:2]
    linked = {(page.parent / link).resolve() for link in LINK.findall(page.read_text())}
    found = {path for path in linked if path.is_relative_to(ROOT / "exercises")}
    there = {one.folder / "README.md" for one in ALL if one.day == number}
    assert there or number > "09"
    assert there <= found
    assert all(path.is_file() for path in found)


@each()
def test_both_files_have_one_hole(exercise: Exercise) -> None:
    for text in (exercise.unsolved(), exercise.solution.read_text()):
        assert text.count(exercises.HOLE) == 1
        assert text.count("// ---- end of the hole") == 1


@each()
def test_what_is_given_is_the_unsolved_patch(exercise: Exercise) -> None:
    file = exercise.submission.relative_to(ROOT)
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", file], cwd=ROOT, check=False)
    if changed.returncode != 0:
        pytest.skip(f"somebody is solving {exercise.number} here")
    assert exercise.submission.read_text() == exercise.unsolved()


@each()
def test_every_mistake_says_what_it_is_and_who_catches_it(exercise: Exercise) -> None:
    for file in exercise.patches.glob("*.patch"):
        header = patches.header(file.read_text())
        assert header["mistake"].endswith(".")
        stage, _, name = header["caught by"].partition(": ")
        assert stage in submission.STAGES[1:]
        assert name


def test_the_table_has_every_wrong_answer_and_who_catches_it() -> None:
    table = wrong_answers(ROOT)
    for exercise in ALL:
        for file in exercise.patches.glob("*.patch"):
            row = f"| [{exercise.number}]({exercise.name}/submission.cuh) | [`{file.stem}`]"
            assert table.count(row) == (file.name != exercises.UNSOLVED)
    assert "| Both take k 0–7 of B. | gates: `product 128×128×32` |" in table


def test_a_card_has_a_column_in_the_table_and_no_stale_cell(root: Path) -> None:
    exercise = one(root)
    sha256 = hashlib.sha256(exercise.solution.read_bytes()).hexdigest()
    fine = {"sha256": sha256, "caught": ""}
    stale = {"sha256": "0" * 64, "caught": ""}
    text = exercise.solution.read_text()
    mutant = patches.apply(text, (exercise.patches / "b-by-rows.patch").read_text())
    failed = {"sha256": hashlib.sha256(mutant.encode()).hexdigest(), "caught": "gates: product"}
    recording = {
        "provenance": {"kind": "measured", "device": "NVIDIA X", "date": "2026-01-01"},
        "seeds": [1, 2],
        "drawn_shapes": 2,
        "exercises": {
            "01a": {"solution": fine, "wrong": {"b-by-rows": failed, "d-transposed": stale}},
            "01b": {"solution": stale, "wrong": {}},
            "02a": {"solution": failed, "wrong": {}},
        },
    }
    folder = root / "solutions" / "recorded"
    shutil.rmtree(folder, ignore_errors=True)  # what real cards said
    folder.mkdir()
    (folder / "x.json").write_text(json.dumps(recording))
    table = wrong_answers(root)
    assert "| caught by | on NVIDIA X |\n|---|---|---|---|---|\n" in table
    rows = {line.split("[`")[1].split("`]")[0]: line for line in table.splitlines() if "[`" in line}
    assert rows["b-by-rows"].endswith(" | gates: `product` |")
    assert rows["d-transposed"].endswith(" | not run |")
    assert "NVIDIA X: 1 of the 5 solutions pass" in table
    assert "(not: 00a, 01b, 02a, 02b)" in table
    assert "- *Measured*: device `NVIDIA X`, date `2026-01-01`." in table


def test_select() -> None:
    assert exercises.select(ALL, "1a").number == "01a"
    assert exercises.select(ALL, "01a-fragment-map").number == "01a"
    with pytest.raises(UsageError, match=r"no exercise '77z'.*01a \(fragment-map\)"):
        exercises.select(ALL, "77z")


def test_a_manifest_that_lacks_a_key_is_named(root: Path) -> None:
    manifest = one(root).manifest
    content = json.loads(manifest.read_text())
    del content["kernel"]
    manifest.write_text(json.dumps(content))
    with pytest.raises(UsageError, match=r"exercises/01a-fragment-map/.* lacks the key 'kernel'"):
        exercises.all_exercises(root)
    manifest.write_text("{")
    with pytest.raises(UsageError, match="is not JSON"):
        exercises.all_exercises(root)


def test_hints_come_one_at_a_time(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    titles = [title for title, _ in one(root).hints()]
    for index, title in enumerate(titles, 1):
        assert run(root, ["hint", "01a"]) == 0
        said = capsys.readouterr().out
        assert f"Hint {index} of {len(titles)}: {title}" in said
        assert sum(other in said for other in titles) == 1
    assert run(root, ["hint", "01a"]) == 0
    assert "--spoil" in capsys.readouterr().out
    assert run(root, ["hint", "01a", "--again"]) == 0
    said = capsys.readouterr().out
    assert all(title in said for title in titles)
    assert run(root, ["hint", "02a", "--again"]) == 2


def test_a_solution_wants_a_pass(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, ["solution", "01a"]) == 2
    said = capsys.readouterr()
    assert "--spoil" in said.err
    assert said.out == ""
    assert run(root, ["solution", "01a", "--spoil"]) == 0
    spoiled = capsys.readouterr().out
    assert "element_of_b" in spoiled
    assert "#pragma once" not in spoiled
    practice.change(one(root), passed=True)
    assert run(root, ["solution", "01a"]) == 0
    assert capsys.readouterr().out == spoiled


def test_next_and_progress(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = exercises.all_exercises(root)
    practice.change(there[0], stage="gates")
    assert run(root, ["next"]) == 0
    assert f"./day check {there[0].number}" in capsys.readouterr().out
    practice.change(there[0], passed=True, stage="passed")
    practice.change(there[1], stage="gates", hints=2)
    assert run(root, ["next"]) == 0
    assert f"./day check {there[1].number}" in capsys.readouterr().out
    assert run(root, ["progress"]) == 0
    said = capsys.readouterr().out
    assert f"1 of {len(there)} passed" in said
    assert "stopped at gates" in said
    assert "2/3" in said
    for exercise in exercises.all_exercises(root):
        practice.change(exercise, passed=True)
    assert run(root, ["next"]) == 0
    assert f"All {len(there)} exercises have passed" in capsys.readouterr().out


def test_a_pass_outlives_a_later_failure(root: Path) -> None:
    practice.change(one(root), passed=True, stage="passed")
    practice.change(one(root), stage="gates")
    assert practice.passed(practice.read(one(root).home), one(root))


def test_reset_keeps_what_was_there(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exercise = one(root)
    given = exercise.submission.read_text()
    exercise.submission.write_text("mine\n")
    assert run(root, ["reset", "01a"]) == 0
    assert exercise.submission.read_text() == given
    backups = list((root / ".day" / "backups").iterdir())
    assert [backup.read_text() for backup in backups] == ["mine\n"]
    assert backups[0].name in capsys.readouterr().out
    assert run(root, ["reset", "01a"]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert list((root / ".day" / "backups").iterdir()) == backups


OLD = "a\nb\nc\nd\n"
PATCH = "mistake: B is X.\n--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"


def test_patches() -> None:
    assert patches.apply(OLD, PATCH) == "a\nx\nc\nd\n"
    assert patches.header(PATCH) == {"mistake": "B is X."}
    with pytest.raises(patches.PatchError, match="line 2 is `B`, the patch has `b`"):
        patches.apply("a\nB\nc\n", PATCH)
    with pytest.raises(patches.PatchError, match="the end of the file"):
        patches.apply("a\nb\n", PATCH)
    with pytest.raises(patches.PatchError, match="no change"):
        patches.apply(OLD, "mistake: none.\n")


PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'other' for 'sm_89'
ptxas info    : Function properties for other
    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers
ptxas info    : Compiling entry function 'multiply' for 'sm_89'
ptxas info    : Function properties for multiply
    0 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 26 registers, used 0 barriers
"""


def test_ptxas_lines_are_those_of_the_kernel() -> None:
    assert submission.read_resources(PTXAS, "multiply") == (26, 16)
    assert submission.read_resources(PTXAS, "multi") == (None, 0)
    forged = PTXAS.replace("255", "1").replace("other", "multiply") + PTXAS
    assert submission.read_resources(forged, "multiply") == (None, 0)


def job(exercise: Exercise, included: str = "submission.cuh") -> Job:
    """As it is after nvcc: the text, and what the preprocessor read."""
    folder = exercise.root / "job"
    folder.mkdir()
    (folder / submission.INCLUDED).write_text(f"gemm.o: /usr/include/a.h \\\n {included}\n")
    text = exercise.submission.read_bytes()
    return Job(exercise, exercise.submission, text, folder, Runner())


def test_what_was_included(root: Path) -> None:
    made = job(one(root), "/a\\ b/ptx/fragments.h /c.h")
    found = submission.read_included(made.folder)
    assert found == ["/usr/include/a.h", "/a b/ptx/fragments.h", "/c.h"]
    said = {"gates": [GOOD], "reports": [], "limits": []}
    finding = submission.put_together(made, said, FINE).finding
    assert finding is not None
    assert (finding.stage, finding.name) == ("limits", "closed book")


GOOD = {"name": "product", "passed": True, "lines": []}
BAD = {"name": "product", "passed": False, "lines": ["3 of 4 elements differ"]}
RACE = {"key": "k", "text": "race in shared memory: read\n  source  /r/exercises/x.cuh:7\n"}
LIMIT = {"name": "spills", "passed": False, "lines": ["8, the bar is at most 0"]}
FINE = """ptxas info    : Compiling entry function 'multiply' for 'sm_89'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 26 registers, used 0 barriers
"""


@pytest.mark.parametrize(
    ("gates", "reports", "limits", "resources", "finding"),
    [
        ([GOOD, BAD], [RACE], [LIMIT], FINE, "gates: product"),
        ([GOOD], [RACE], [LIMIT], FINE, "checks: race in shared memory"),
        ([GOOD], [], [LIMIT], FINE, "limits: spills"),
        ([GOOD], [], [], FINE.replace("26", "65"), "limits: registers"),
        ([GOOD], [], [], FINE.replace("0 bytes spill loads", "4 bytes spill loads"),
         "limits: spill_bytes"),
        ([GOOD], [], [], "", "limits: registers"),  # ptxas said nothing: that is no pass
        ([], [], [], FINE, "gates: launch"),  # no gate ran: neither is that
        ([GOOD], [], [], FINE, None),
    ],
)  # fmt: skip
def test_the_first_finding_in_order(
    root: Path,
    gates: list[dict[str, Any]],
    reports: list[dict[str, str]],
    limits: list[dict[str, Any]],
    resources: str,
    finding: str | None,
) -> None:
    exercise = one(root)
    said = {"gates": gates, "reports": reports, "limits": limits, "counters": {"hmma": 4}}
    verdict = submission.put_together(job(exercise), said, resources)
    got = verdict.finding
    assert (f"{got.stage}: {got.name}" if got else None) == finding
    words = "\n".join(check.words(exercise, verdict))
    assert ("FAILED" in words) == (finding is not None)
    if finding:
        assert "./day hint 01a" in words
        assert "look at" in words
    else:
        assert "./day solution 01a" in words
        assert "hmma" in words


def test_a_card_leaves_open_what_it_does_not_see(root: Path) -> None:
    exercise = one(root)
    said = {"gates": [GOOD], "reports": [], "limits": [], "device": {"name": "NVIDIA H200"}}
    said["not_checked"] = ["checks", "ldmatrix per hmma"]
    verdict = submission.put_together(job(exercise), said, FINE)
    words = check.words(exercise, verdict)
    assert f"  checks   {submission.NOT_ON_A_CARD}" in words
    assert f"  ldmatrix per hmma: {submission.NOT_ON_A_CARD}" in words
    assert words[-1].startswith("right on NVIDIA H200. ./day check 01a, without --device,")
    assert not any(line.startswith("passed") for line in words)


def test_without_a_disassembler_the_verdict_says_so(root: Path) -> None:
    exercise = replace(one(root), sass=(Rule("LDL", required=False, why=""),))
    verdict = Verdict(gates=["product"])
    submission.judge_machine_code(job(exercise), Tools(Path("nvcc"), Path("x")), verdict)
    assert verdict.not_checked == {"LDL forbidden in SASS": submission.NO_NVDISASM}
    assert f"  LDL forbidden in SASS: {submission.NO_NVDISASM}" in check.words(exercise, verdict)


@pytest.mark.parametrize(
    ("listing", "finding"),
    [
        (".text.multiply:\n /*0000*/ LDL.64 R8, [R1] ;\n", "limits: LDL forbidden in SASS"),
        (".text.multiply:\n /*0000*/ LDS.64 R8, [R1] ;\n", None),
        ("", "limits: SASS"),
    ],
)
def test_machine_code_is_what_the_disassembler_says(
    root: Path, tmp_path: Path, listing: str, finding: str | None
) -> None:
    pretend = tmp_path / "nvdisasm"
    pretend.write_text(f"#!/bin/sh\ncat <<'END'\n{listing}END\n")
    pretend.chmod(0o755)
    exercise = replace(one(root), sass=(Rule("LDL", required=False, why=""),))
    verdict = Verdict(gates=["product"])
    submission.judge_machine_code(job(exercise), Tools(Path("nvcc"), Path("x"), pretend), verdict)
    got = verdict.finding
    assert (f"{got.stage}: {got.name}" if got else None) == finding


def test_a_card_that_is_not_there(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if devices.ask_driver().version is not None:
        pytest.skip("a card is there")
    assert run(root, ["check", "01a", "--device", "gpu"]) == 2
    assert "no NVIDIA driver on this machine" in capsys.readouterr().err
    assert run(root, ["check", "01a", "--device", "h200"]) == 2
    assert "--device takes gpu or emulated" in capsys.readouterr().err
    assert practice.read(one(root).home) == {}


def test_a_report_beside_a_failed_gate_is_shown(root: Path) -> None:
    exercise = one(root)
    said = {"gates": [BAD], "reports": [RACE], "limits": []}
    verdict = submission.put_together(job(exercise), said, FINE)
    assert "race in shared memory" in "\n".join(check.words(exercise, verdict))


def test_a_wrong_number_comes_first_and_a_guess_is_no_match_for_a_report(root: Path) -> None:
    exercise = one(root)
    gate = {**BAD, "lines": ["3 of 4 elements differ", "look at: the store"]}
    numbers = ["cp.async.wait_group 3 was given, 2 is needed", "count groups"]
    said = {"gates": [gate], "reports": [], "limits": [], "wrong_numbers": numbers}
    judged = job(exercise)
    finding = submission.put_together(judged, said, FINE).finding
    assert finding is not None
    assert finding.lines == [*numbers, "3 of 4 elements differ", "look at: the store"]
    finding = submission.put_together(judged, {**said, "reports": [RACE]}, FINE).finding
    assert finding is not None
    assert finding.lines == [*numbers, "3 of 4 elements differ"]


def test_the_place_of_a_report_is_its_source_line(root: Path) -> None:
    exercise = one(root)
    said = {"gates": [GOOD], "reports": [RACE], "limits": []}
    finding = submission.put_together(job(exercise), said, FINE).finding
    assert finding is not None
    assert finding.where == "/r/exercises/x.cuh:7"


def report(kind: str, line: int) -> list[str]:
    return [f"{kind}: read of 4 bytes", "  kernel  k", f"  source  mine.cuh:{line} (inlined)"]


def test_a_verdict_names_each_report_but_not_without_end() -> None:
    one = submission.check_finding([report("race", 7)], "mine.cuh:1")
    assert (one.name, one.where, one.lines) == ("race", "mine.cuh:7", report("race", 7))
    two = submission.check_finding([report("early", 7), report("race", 8)], "mine.cuh:1")
    assert two.where == "mine.cuh:7"
    assert two.lines[3:] == [
        "  also, and often of the same mistake:",
        "    mine.cuh:8: race: read of 4 bytes",
    ]
    many = [report("race", line) for line in range(submission.MOST_ALSO + 3)]
    assert submission.check_finding(many, "mine.cuh:1").lines[-1] == "    and 2 more"
    nowhere = submission.check_finding([["race: one"], ["race: two"]], "mine.cuh:1")
    assert (nowhere.where, nowhere.lines[-1]) == ("mine.cuh:1", "    mine.cuh:1: race: two")
