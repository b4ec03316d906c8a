"""What counts as passed: only an exit code 0 with a verdict that says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from day.verdict import Verdict, exit_code, judge, summary


@pytest.fixture
def report(tmp_path: Path):
    def write(content: object) -> Path:
        path = tmp_path / "verdict.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def test_the_report_decides_when_the_exit_code_is_zero(report) -> None:
    assert judge("01", 0, report({"day": "01", "status": "passed"})).status == "passed"
    found = judge("03", 0, report({"status": "not_run", "reason": "needs sm_80, this is sm_75"}))
    assert (found.status, found.reason) == ("not_run", "needs sm_80, this is sm_75")
    assert judge("01", 0, report({"status": "failed"})).status == "failed"


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        (1, "failed", "gate failed"),
        (2, "unusable", "bad usage"),
        (77, "failed", "exit code 77"),
        (-11, "failed", "SIGSEGV"),
        (-6, "failed", "SIGABRT"),
    ],
)
def test_the_exit_code_wins_when_it_is_not_zero(report, code, status, reason) -> None:
    for content in ({"status": "passed"}, {"status": "not_run"}, "no JSON"):
        found = judge("01", code, report(content))
        assert found.status == status
        assert reason in found.reason


@pytest.mark.parametrize("content", ["", "[]", "{", '{"status": "splendid"}', "{}"])
def test_no_verdict_is_no_pass(report, content: str) -> None:
    assert judge("01", 0, report(content)).status == "failed"


def test_a_missing_report_is_no_pass(tmp_path: Path) -> None:
    found = judge("01", 0, tmp_path / "none.json")
    assert found.status == "failed"
    assert "no verdict" in found.reason


PASSED, NOT_RUN = Verdict("01", "passed"), Verdict("03", "not_run", "needs sm_80, this is sm_75")
FAILED, UNUSABLE = Verdict("02", "failed"), Verdict("04", "unusable")


@pytest.mark.parametrize(
    ("verdicts", "code", "line"),
    [
        ([PASSED], 0, "1 passed, 0 failed"),
        ([NOT_RUN], 0, "0 passed, 0 failed, 1 not run"),
        ([PASSED, NOT_RUN, NOT_RUN], 0, "1 passed, 0 failed, 2 not run"),
        ([PASSED, FAILED, NOT_RUN], 1, "1 passed, 1 failed, 1 not run"),
        ([PASSED, UNUSABLE], 2, "1 passed, 0 failed, 1 could not start"),
        ([FAILED, UNUSABLE], 1, "0 passed, 1 failed, 1 could not start"),
    ],
)
def test_summary(verdicts: list[Verdict], code: int, line: str) -> None:
    assert summary(verdicts) == line
    assert exit_code(verdicts) == code
