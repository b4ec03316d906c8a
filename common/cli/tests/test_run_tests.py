"""The bookkeeping of ./day test: counts, skips with reasons, and runs that must not look green."""

from __future__ import annotations

from pathlib import Path

import pytest

from day import app
from day.commands import run_tests
from day.commands.run_tests import Result, judged, misformatted, run_steps

CASES = {
    "pass": '<testcase name="a" status="run"/>',
    "fail": '<testcase name="b" status="fail"><failure message="x"/></testcase>',
    "error": '<testcase name="c"><error message="x"/></testcase>',
    "skip": '<testcase name="d" status="notrun"><skipped message="no vectors here"/></testcase>',
    "odd": '<testcase name="e" status="disabled"/>',
}


def judge(tmp_path: Path, code: int, *cases: str) -> Result:
    log, junit = tmp_path / "log", tmp_path / "junit.xml"
    log.write_text("the runner's words\n")
    junit.write_text(f"<testsuite>{''.join(CASES[case] for case in cases)}</testsuite>")
    return judged("ctest", code, junit, log)


@pytest.mark.parametrize(
    ("code", "cases", "line"),
    [
        (0, ["pass", "pass"], "2 passed, 0 failed"),
        (1, ["pass", "fail", "error"], "1 passed, 2 failed"),
        (0, ["pass", "skip"], "1 passed, 0 failed, 1 skipped"),
        (0, ["pass", "odd"], "1 passed, 1 failed"),
        (1, ["pass"], "1 passed, 1 failed"),  # the runner failed without naming a test
        (0, [], "0 passed, 1 failed"),  # no test is no success
        (0, ["skip"], "0 passed, 1 failed, 1 skipped"),
    ],
)
def test_counts(tmp_path: Path, code: int, cases: list[str], line: str) -> None:
    assert judge(tmp_path, code, *cases).closing_line == line


def test_a_skip_keeps_its_reason(tmp_path: Path) -> None:
    assert judge(tmp_path, 0, "pass", "skip").skipped == ["ctest: d: no vectors here"]


def test_no_report_is_a_failure_and_the_log_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    log.write_text("Segmentation fault\n")
    result = judged("pytest", 0, tmp_path / "none.xml", log)
    assert result.closing_line == "0 passed, 1 failed"
    assert "Segmentation fault" in capsys.readouterr().out


def test_misformatted_files_are_listed_once_with_the_cure(tmp_path: Path) -> None:
    complaint = "{0}:{1}:5: error: code should be clang-formatted [-W]\n  x\n    ^\n"
    text = "".join(
        complaint.format(tmp_path / name, line)
        for name, line in (("a.cpp", 1), ("a.cpp", 2), ("sub/b.h", 9))
    )
    assert misformatted(tmp_path, text).splitlines() == [
        "not as clang-format would have it:",
        "  a.cpp: 2 places",
        "  sub/b.h: 1 places",
        "cure: .day/venv/bin/clang-format -i a.cpp sub/b.h",
    ]
    assert misformatted(tmp_path, "cannot start\n") == "cannot start\n"


def test_ctrl_c_reports_the_steps_that_ended(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> Result:
        raise KeyboardInterrupt

    def never() -> Result:
        raise AssertionError("a step ran after Ctrl-C")

    steps = [
        ("ruff", lambda: Result(passed=2)),
        ("pages", lambda: Result(failed=["pages"])),
        ("pytest", interrupted),
        ("emulated", never),
    ]
    assert run_steps(steps) == 130
    captured = capsys.readouterr()
    assert captured.out.endswith("failed: pages\n2 passed, 1 failed\n")
    assert captured.err.endswith("interrupted during pytest\n")
    assert run_steps(steps[:2]) == 1
    assert run_steps(steps[:1]) == 0


def test_tsan_builds_and_runs_the_tests_with_threads_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[object] = []

    def pretend(_root: Path, *what: object, **label: object) -> Result:
        asked.append((what, label))
        return Result(passed=2)

    monkeypatch.setattr(run_tests, "build_and_ctest", pretend)
    assert app.run(tmp_path, ["test", "--tsan"]) == 0
    assert asked == [(("tsan", ["threads_tests"]), {"label": "threads"})]
    assert capsys.readouterr().out.endswith("2 passed, 0 failed\n")
    assert app.run(tmp_path, ["test", "--tsan", "--quick"]) == 2
    assert "choose" in capsys.readouterr().err
    assert len(asked) == 1
