"""The table of seeded mistakes: who notices each, on the emulated device and on cards.

From a folder of recordings: emulated.json, which `mistakes --survey` wrote, and one file for each
card the list was run on (common/emulator/checks/tests/card/run_on_card.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from day.page_data import facts, load

EMULATED = "emulated.json"
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
PLAIN = {"passed": "right", "failed": "wrong", "hung": "hangs", "crashed": "crashes"}
TOOL = {"reports": "reports", "silent": "–", "hung": "hangs", "crashed": "crashes"}

Recording = dict[str, Any]


def mistakes(root: Path, folder: str) -> str:
    survey = load(root, f"{folder}/{EMULATED}", "derived")
    files = sorted(file.name for file in (root / folder).glob("*.json"))
    cards = [load(root, f"{folder}/{name}", "measured") for name in files if name != EMULATED]
    heads = ["mistake", "what is wrong", "noticed by", "at", "results"]
    for card in cards:
        heads.append(f"{card['provenance']['device']}: results")
        heads += TOOLS
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in survey["mistakes"]:
        cells = [f"`{row['name']}`", row["what"], row["caught_by"], row["line"] or "–"]
        cells.append("right" if row["right"] else "wrong")
        for card in cards:
            cells += cells_of(card, row["name"])
        lines.append(f"| {' | '.join(cells)} |")
    text = "\n".join(lines) + f"\n\n{summary(survey['mistakes'])}\n"
    for card in cards:
        text += f"\n{summary_of_card(card, survey['mistakes'])}\n"
    text += "".join(f"\n- {provenance(recording)}" for recording in (survey, *cards)) + "\n"
    if not cards:
        text += (
            "- On a card, plainly and under compute-sanitizer: not run yet "
            "(`tests/card/run_on_card.py`).\n"
        )
    return text


def cells_of(card: Recording, name: str) -> list[str]:
    """What a card's run and the tools said; a mistake it was not run with has dashes."""
    runs = card["mistakes"].get(name)
    if runs is None:
        return ["not run"] + ["not run"] * len(TOOLS)
    return [PLAIN[runs["plain"]["verdict"]]] + [TOOL[runs[tool]["verdict"]] for tool in TOOLS]


def summary(rows: list[dict[str, Any]]) -> str:
    named = [row for row in rows if row["caught_by"] != "result check"]
    hidden = sum(row["right"] for row in named)
    return (
        f"{len(rows)} mistakes: {len(named)} are named by the emulated device, {hidden} of these "
        f"with results that are right there; in the other {len(rows) - len(named)} every access "
        "is in order, and the result check finds them."
    )


def summary_of_card(card: Recording, rows: list[dict[str, Any]]) -> str:
    named = {row["name"] for row in rows if row["caught_by"] != "result check"}
    runs = {name: run for name, run in card["mistakes"].items() if name in named}
    passed = [run for run in runs.values() if run["plain"]["verdict"] == "passed"]
    seen = [run for run in runs.values() if any(run[t]["verdict"] == "reports" for t in TOOLS)]
    return (
        f"{card['provenance']['device']}: of the {len(runs)} that the emulated device names, "
        f"{len(passed)} had right results on the card, and compute-sanitizer's four tools "
        f"together report {len(seen)}."
    )


def provenance(recording: Recording) -> str:
    source = recording["provenance"]
    words = {"derived": "Derived: run on the emulated device", "measured": "Measured"}
    return f"*{words[source['kind']]}*: {facts(source, 'sanitizer')}."
