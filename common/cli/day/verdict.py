"""The verdict on one day, and on all of them. A day that did not run never counts as passed."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Status = Literal["passed", "failed", "not_run", "unusable"]


@dataclass(frozen=True)
class Verdict:
    day: str
    status: Status  # unusable: bad usage or environment, the executable's exit code 2
    reason: str = ""
    report: dict[str, Any] | None = None
    seconds: float = 0.0


def judge(day: str, exit_code: int, report_file: Path) -> Verdict:
    """The exit code decides when it is not 0; else the day's own JSON report does. Exit code 0
    without a report is a failure: a program that checked nothing also exits 0."""
    report = read_report(report_file)
    reason = str(report.get("reason", "")) if report else ""
    if exit_code < 0:
        return Verdict(day, "failed", f"ended by {signal_name(-exit_code)}", report)
    if exit_code == 2:
        return Verdict(day, "unusable", reason or "bad usage or environment, see above", report)
    if exit_code != 0:
        default = "a gate failed, see above" if exit_code == 1 else f"exit code {exit_code}"
        return Verdict(day, "failed", reason or default, report)
    if report is None:
        return Verdict(day, "failed", "exited 0 but wrote no verdict (--json)", report)
    status = report.get("status")
    if status not in ("passed", "failed", "not_run"):
        return Verdict(day, "failed", f"its verdict has the unknown status {status!r}", report)
    return Verdict(day, status, reason, report)


def read_report(file: Path) -> dict[str, Any] | None:
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) else None


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def summary(verdicts: Sequence[Verdict]) -> str:
    count = {
        status: sum(v.status == status for v in verdicts)
        for status in ("passed", "failed", "not_run", "unusable")
    }
    parts = [f"{count['passed']} passed", f"{count['failed']} failed"]
    if count["not_run"]:
        parts.append(f"{count['not_run']} not run")
    if count["unusable"]:
        parts.append(f"{count['unusable']} could not start")
    return ", ".join(parts)


def exit_code(verdicts: Sequence[Verdict]) -> int:
    statuses = {verdict.status for verdict in verdicts}
    if "failed" in statuses:
        return 1
    return 2 if "unusable" in statuses else 0
