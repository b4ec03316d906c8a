"""A finished grading in the formats that others read: our JSON, JUnit XML, CSV, and Gradescope's
results.json. Standard library only."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from day.errors import UsageError
from day.grading import Record

Report = dict[str, Any]

POINTS = 1  # of an exercise that passed; there is no half a pass
COLUMNS = ("student", "exercise", "status", "points", "stage", "name", "message", "seed", "sha256")


def points(record: Record) -> int:
    return POINTS if record["status"] == "passed" else 0


def headline(record: Record) -> str:
    """gates: product 128×128×32, or what there was instead of a submission."""
    if record["status"] == "passed":
        return "passed"
    if "stage" in record:
        return f"{record['stage']}: {record['name']}"
    return str(record["status"])


def make(header: Mapping[str, Any], records: Sequence[Record]) -> Report:
    ordered = sorted(records, key=lambda r: (r["student"], r["exercise"]))
    passed = sum(r["status"] == "passed" for r in ordered)
    return {
        "course": "Tensor Core Days",
        **header,
        "passed": passed,
        "failed": len(ordered) - passed,
        "results": ordered,
    }


def as_json(report: Report) -> str:
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def as_junit(report: Report) -> str:
    """As Jenkins, GitLab and GitHub's reporters read it: a suite a student, a case an exercise."""
    results = report["results"]
    top = ElementTree.Element("testsuites", name=report["course"], **counts(results))
    for student in dict.fromkeys(r["student"] for r in results):
        theirs = [r for r in results if r["student"] == student]
        suite = ElementTree.SubElement(top, "testsuite", name=student, **counts(theirs))
        properties = ElementTree.SubElement(suite, "properties")
        for name in ("seed", "sandbox", "commit"):
            ElementTree.SubElement(properties, "property", name=name, value=str(report[name]))
        for r in theirs:
            case = ElementTree.SubElement(
                suite, "testcase", classname=student, name=r["exercise"], time=seconds([r])
            )
            if r["status"] == "passed":
                continue
            kind = "error" if r["status"] == "error" else "failure"
            told = ElementTree.SubElement(case, kind, type=r["status"], message=headline(r))
            told.text = "\n".join(r["lines"])
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def counts(results: Sequence[Record]) -> dict[str, str]:
    errors = sum(r["status"] == "error" for r in results)
    failures = sum(r["status"] != "passed" for r in results) - errors
    return {
        "tests": str(len(results)),
        "failures": str(failures),
        "errors": str(errors),
        "time": seconds(results),
    }


def seconds(results: Sequence[Record]) -> str:
    return f"{sum(r.get('seconds', 0.0) for r in results):.3f}"


def as_csv(report: Report) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for r in report["results"]:
        message = " / ".join(r["lines"][:3])
        row = [r["student"], r["exercise"], r["status"], points(r), r.get("stage", "")]
        row += [r.get("name", ""), message, report["seed"], r["sha256"]]
        writer.writerow([no_formula(cell) for cell in row])
    return out.getvalue()


def no_formula(cell: object) -> str:
    """A spreadsheet computes what begins like a formula, and a student chose these words."""
    text = str(cell)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


def as_gradescope(report: Report) -> str:
    results = report["results"]
    if len({r["student"] for r in results}) != 1:
        raise UsageError("Gradescope grades one submission at a time: --one, with its folder.")
    tests = [
        {
            "number": r["exercise"],
            "name": f"{r['exercise']} {headline(r)}",
            "name_format": "text",
            "score": points(r),
            "max_score": POINTS,
            "status": "passed" if r["status"] == "passed" else "failed",
            "output": "\n".join(
                [*r["lines"], *([f"look at {r['where']}"] if "where" in r else [])]
            ),
            "output_format": "text",
            "visibility": "visible",
        }
        for r in results
    ]
    content = {
        "score": sum(points(r) for r in results),
        "output": f"{report['passed']} of {len(results)} exercises passed.",
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"seed": report["seed"], "commit": report["commit"]},
        "tests": tests,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[Report], str]] = {
    "json": as_json,
    "junit": as_junit,
    "csv": as_csv,
    "gradescope": as_gradescope,
}
