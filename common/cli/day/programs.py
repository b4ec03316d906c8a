"""The page of programs nobody here wrote: by which rule they were chosen, and how they ended.

From common/emulator/outside/programs.json, which is written by hand after running them. The
programs themselves stay outside of the repository.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from day.errors import UsageError
from day.page_data import load

LIST = Path("common/emulator/outside/programs.json")
# How a program ended, and the fields an entry must have for it beside its name.
OUTCOMES = {
    "own check": ("passed its own check", {"run", "seconds"}),
    "reference": ("agrees with a reference of ours", {"run", "seconds"}),
    "ends": ("runs to its end; it checks nothing", {"run", "seconds"}),
    "fails": ("fails", {"run", "why"}),
    "does not qualify": ("does not qualify", {"rule"}),
}
OPTIONAL = {"found", "why"}


def programs(root: Path, part: str) -> str:
    known = load(root, LIST)
    check(known)
    makers = {"rule": rule, "counts": counts, "table": table}
    if part not in makers:
        raise UsageError(f"programs {part}: the parts are {', '.join(makers)}")
    return makers[part](known)


def check(known: dict[str, Any]) -> None:
    for repository in known["repositories"]:
        names = Counter(entry["name"] for entry in repository["programs"])
        for entry in repository["programs"]:
            name = f"{LIST}: {repository['name']}: {entry['name']}"
            if names[entry["name"]] != 1:
                raise UsageError(f"{name} is listed {names[entry['name']]} times")
            if entry["outcome"] not in OUTCOMES:
                raise UsageError(f"{name}: outcome {entry['outcome']!r} is none of the known ones")
            needed = OUTCOMES[entry["outcome"]][1] | {"name", "outcome"}
            if not needed <= entry.keys() or not entry.keys() <= needed | OPTIONAL:
                raise UsageError(f"{name}: an entry like this has {', '.join(sorted(needed))}")
            if entry.get("rule", next(iter(known["rules"]))) not in known["rules"]:
                raise UsageError(f"{name}: rule {entry['rule']!r} is not written down")


def rule(known: dict[str, Any]) -> str:
    used = Counter(
        entry["rule"]
        for repository in known["repositories"]
        for entry in repository["programs"]
        if "rule" in entry
    )
    lines = ["| out | because | programs |", "|---|---|---:|"]
    lines += [f"| {name} | {why} | {used[name]} |" for name, why in known["rules"].items()]
    return "\n".join(lines) + "\n"


def counts(known: dict[str, Any]) -> str:
    lines = [
        "| repository | commit | " + " | ".join(OUTCOMES) + " |",
        "|---|---|" + "---:|" * len(OUTCOMES),
    ]
    total: Counter[str] = Counter()
    for repository in known["repositories"]:
        ended = Counter(entry["outcome"] for entry in repository["programs"])
        total += ended
        cells = " | ".join(str(ended[outcome]) for outcome in OUTCOMES)
        commit = repository["commit"][:10]
        lines.append(f"| [{repository['name']}](#{anchor(repository)}) | `{commit}` | {cells} |")
    lines.append("| all | | " + " | ".join(str(total[outcome]) for outcome in OUTCOMES) + " |")
    source = known["provenance"]
    facts = ", ".join(f"{name} `{value}`" for name, value in source.items() if name != "kind")
    return "\n".join(lines) + f"\n\n- *{source['kind'].capitalize()}*: {facts}.\n"


def anchor(repository: dict[str, Any]) -> str:
    return "".join(c for c in repository["name"].lower() if c.isalnum() or c in "-_")


def table(known: dict[str, Any]) -> str:
    parts = []
    for repository in known["repositories"]:
        lines = [
            f"### {repository['name']}\n",
            f"{repository['about']} Commit `{repository['commit']}`. Built with "
            f"`{repository['built']}`.\n",
            "| program | run | outcome | seconds | what the checks found, or why |",
            "|---|---|---|---:|---|",
        ]
        lines += [
            row(entry) for entry in repository["programs"] if entry["outcome"] != "does not qualify"
        ]
        out: dict[str, list[str]] = {}
        for entry in repository["programs"]:
            if entry["outcome"] == "does not qualify":
                out.setdefault(entry["rule"], []).append(f"`{entry['name']}`")
        if out:
            lines.append("\nDo not qualify:\n")
            lines += [f"- {name}: {', '.join(names)}" for name, names in out.items()]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def row(entry: dict[str, Any]) -> str:
    seconds = f"{entry['seconds']:,}" if "seconds" in entry else ""
    said = "; ".join(entry[field] for field in ("why", "found") if field in entry)
    run = f"`{entry['run']}`" if entry["run"] else "as it is"
    return f"| `{entry['name']}` | {run} | {OUTCOMES[entry['outcome']][0]} | {seconds} | {said} |"
