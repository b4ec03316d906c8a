"""Fills the generated parts of the pages: code from the real files, figures from committed data.

A page holds pairs of markers; what stands between them is replaced:

    <!-- include days/01-fragment-probe/kernel.cu compute -->  …  <!-- end include -->
    <!-- data day01 -->  …  <!-- end data -->
    <!-- counters day02 ldmatrix shared_loads -->  …  <!-- end counters -->
    <!-- exercises 04 -->  …  <!-- end exercises -->
    <!-- ladder -->  …  <!-- end ladder -->
    <!-- tiles common/…/recorded/h200.json -->  …  <!-- end tiles -->
    <!-- opcodes -->  …  <!-- end opcodes -->
    <!-- unsupported -->  …  <!-- end unsupported -->
    <!-- mistakes common/…/recorded -->  …  <!-- end mistakes -->
    <!-- hostile -->  …  <!-- end hostile -->
    <!-- answers -->  …  <!-- end answers -->
    <!-- programs counts -->  …  <!-- end programs -->
    <!-- speed common/…/speed.json -->  …  <!-- end speed -->
    <!-- kernels common/…/kernels.json -->  …  <!-- end kernels -->
    <!-- watch common/…/watch.json -->  …  <!-- end watch -->
    <!-- timed FILE -->  …  <!-- end timed -->
    <!-- claim FILE 11 4096 -->  …  <!-- end claim -->
    <!-- fused FILE… -->  …  <!-- end fused -->
    <!-- soaked FILE… -->  …  <!-- end soaked -->
     <!-- profiled counts FILE -->  …  <!-- end profiled -->

`include FILE SECTION` takes the part under `// ---- SECTION` up to the next such heading, or else
the function SECTION with the comment above it; without SECTION, the whole file. `data dayNN` makes
a table with one column for each notebooks/data/dayNN-*.json, headed by where its figures come from.
`counters dayNN NAME…` makes a table of what was counted there: a row for each entry of "derived"
that has all the counters named, a column for each counter, and the device's name where several
counted the same. `exercises NN` links the exercises of a day (exercise_links.py). `ladder` is the
table of all days (ladder.py). `tiles FILE` makes a table of the instructions in which a card and
the emulator were compared (tiles.py). `opcodes` and `unsupported` are the decoder's tables
(opcodes.py). `mistakes FOLDER` is the table of seeded mistakes and of who notices them
(mistakes.py). `hostile` is the table of hostile submissions and of what holds each (hostile.py).
`answers` is the table of wrong answers to the exercises and of what catches each
(wrong_answers.py). `programs rule|counts|table` is about the programs of others that were run
(programs.py). `speed FILE` is what ./day bench emulator measured, `kernels FILE` what ./day bench
kernels, `watch FILE` what ./day bench watch did. `timed`, `claim`, `fused` and `soaked` show what
./day bench and ./day soak wrote on a card (timed.py), `profiled counts|model|shares|library FILE`
what ./day profile found (profiled.py).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from day import exercise_links, hostile
from day.errors import UsageError
from day.ladder import ladder
from day.mistakes import mistakes
from day.opcodes import opcodes, unsupported
from day.profiled import profiled
from day.programs import programs
from day.speed import kernels, speed, watch
from day.tiles import tiles
from day.timed import claim, fused, soaked, timed
from day.wrong_answers import wrong_answers

Verdict = dict[str, Any]

MARKER = re.compile(
    r"(?P<open><!-- (?P<kind>include|data|counters|ladder|tiles|opcodes|unsupported|mistakes"
    r"|hostile|answers|programs|speed|kernels|watch|timed|claim|fused|soaked|profiled"
    r"|exercises)"
    r"(?P<arguments>[^>]*?) -->\n)"
    r".*?"
    r"(?P<close><!-- end (?P=kind) -->)",
    re.DOTALL,
)


def pages(root: Path) -> list[Path]:
    return [
        root / "README.md",
        *sorted(root.glob("days/*/README.md")),
        *sorted(root.glob("common/emulator/**/README.md")),
        root / "common" / "bench" / "README.md",
        root / "common" / "exercises" / "README.md",
        root / "exercises" / "GRADING.md",
        root / "solutions" / "README.md",
    ]


def render(root: Path, text: str) -> str:
    """The page with every generated part made anew. Raises UsageError for a bad marker."""

    def replace(match: re.Match[str]) -> str:
        arguments = match["arguments"].split()
        body = MAKERS[match["kind"]](root, *arguments)
        return f"{match['open']}{body}{match['close']}"

    return MARKER.sub(replace, text)


LANGUAGES = {".txt": "cmake", ".yml": "yaml"}  # anything else is C++ or CUDA


def include(root: Path, file: str, section: str | None = None) -> str:
    path = root / file
    if not path.is_file():
        raise UsageError(f"a page includes {file}, which does not exist")
    text = path.read_text(encoding="utf-8")
    if section is None:
        return f"```{LANGUAGES.get(path.suffix, 'cpp')}\n{text.strip(chr(10))}\n```\n"
    code = section_of(text, section)
    if code is None:
        raise UsageError(f"{file} has neither a heading '// ---- {section}' nor that function")
    return f"```cpp\n{code.strip(chr(10))}\n```\n"


def section_of(text: str, section: str) -> str | None:
    """The part of a source file that a page asked for by name; None when it is not there."""
    heading = re.search(
        rf"^// ---- {re.escape(section)}\n(.*?)(?=^// ---- |^}}  // namespace|\Z)",
        text,
        re.DOTALL | re.MULTILINE,
    )
    if heading:
        return heading[1]
    function = re.search(
        rf"((?:^//[^\n]*\n)*)^[^\s/#][^\n;]*\b{re.escape(section)}\((?:[^;{{]*)\{{.*?^\}}\n",
        text,
        re.DOTALL | re.MULTILINE,
    )
    return function[0] if function else None


def verdicts_of(root: Path, day: str) -> list[Verdict]:
    files = sorted((root / "notebooks" / "data").glob(f"{day}-*.json"))
    if not files:
        raise UsageError(f"no notebooks/data/{day}-*.json to fill the page from")
    verdicts = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    verdicts.sort(key=lambda verdict: ["derived", "measured", "quoted"].index(kind(verdict)))
    return verdicts


def data(root: Path, day: str) -> str:
    verdicts = verdicts_of(root, day)
    return table(verdicts) + "\n" + "".join(provenance(verdict) for verdict in verdicts)


def counters(root: Path, day: str, *names: str) -> str:
    lines = [f"| | {' | '.join(names)} |", "|---" + "|---:" * len(names) + "|"]
    found = [
        (str(verdict["provenance"]["device"]), entry, counted)
        for verdict in verdicts_of(root, day)
        for entry, counted in verdict.get("derived", {}).items()
        if isinstance(counted, dict) and all(name in counted for name in names)
    ]
    times = Counter(entry for _, entry, _ in found)
    for device, entry, counted in found:
        size = f", {counted['size']}" if "size" in counted else ""
        where = f", {device}" if times[entry] > 1 else ""  # which of the devices it was
        cells = " | ".join(number(counted[name]) for name in names)
        lines.append(f"| {entry}{size}{where} | {cells} |")
    if len(lines) == 2:
        raise UsageError(f"nothing in notebooks/data/{day}-*.json counts all of {', '.join(names)}")
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def kind(verdict: Verdict) -> str:
    return str(verdict["provenance"]["kind"])


def table(verdicts: list[Verdict]) -> str:
    columns = [cells(verdict) for verdict in verdicts]
    names = list(dict.fromkeys(name for column in columns for name in column))
    heads = [f"{verdict['provenance']['device']} ({kind(verdict)})" for verdict in verdicts]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for name in names:
        lines.append(
            f"| {name} | " + " | ".join(column.get(name, "–") for column in columns) + " |"
        )
    return "\n".join(lines) + "\n"


def cells(verdict: Verdict) -> dict[str, str]:
    """Row name → what one device said, in the order of the run."""
    cell: dict[str, str] = {}
    for gate in verdict.get("gates", []):
        if gate["passed"] and gate["name"].endswith("guard bands"):
            continue  # a row each would double the table; a failed one stays in it
        state = "exact" if gate["passed"] else "FAILED"
        cell[gate["name"]] = f"{state}, {gate['checked']:,} compared"
    for part in verdict.get("not_run", []):
        cell[part["name"]] = f"not run: {part['reason']}"
    for resource in verdict.get("resources", []):
        cell[f"{resource['kernel']}: resources"] = resources(resource)
    for timing in verdict.get("timings", []):
        kind = "rate" if "unit" in timing else "time"
        cell[f"{timing['name']}: {kind}"] = time_of(timing)
    return cell


def time_of(timing: dict[str, Any]) -> str:
    parts = []  # a quoted figure may be a time, a rate, or both
    if "median_ms" in timing:
        parts.append(f"{timing['median_ms']:.3f} ms")
    if "unit" in timing:
        parts.append(f"{timing['value']:,.1f} {timing['unit']}")
    if "gflops" in timing:
        parts.append(f"{timing['gflops']:,.1f} GFLOP/s")
    return ", ".join(parts) + (
        f" at {timing['sm_clock_mhz']} MHz" if timing.get("sm_clock_mhz") else ""
    )


def resources(resource: dict[str, Any]) -> str:
    shared = resource["static_shared_bytes"] + resource.get("dynamic_shared_bytes", 0)
    parts = [f"{shared:,} B shared"]
    if "registers" in resource:
        parts.insert(0, f"{resource['registers']} registers")
    if resource.get("spill_bytes") is not None:
        parts.append(f"{resource['spill_bytes']} B spilled")
    if "ctas_per_sm" in resource:
        count = resource["ctas_per_sm"]
        parts.append(f"{count} {'CTA' if count == 1 else 'CTAs'}/SM")
    return ", ".join(parts)


def provenance(verdict: Verdict) -> str:
    source = verdict["provenance"]
    words = {
        "derived": "Derived: counted by the emulated device",
        "measured": "Measured",
        "quoted": "Quoted",
    }[source["kind"]]
    known = ("device", "architecture", "driver", "cuda", "date", "command", "source")
    facts = ", ".join(f"{name} `{source[name]}`" for name in known if source.get(name))
    return f"- *{words}*: {facts}.\n"


MAKERS = {
    "include": include,
    "data": data,
    "counters": counters,
    "exercises": exercise_links.of_day,
    "ladder": ladder,
    "tiles": tiles,
    "opcodes": opcodes,
    "unsupported": unsupported,
    "mistakes": mistakes,
    "hostile": hostile.table,
    "answers": wrong_answers,
    "programs": programs,
    "speed": speed,
    "kernels": kernels,
    "watch": watch,
    "timed": timed,
    "claim": claim,
    "fused": fused,
    "soaked": soaked,
    "profiled": profiled,
}


def stale(root: Path) -> list[Path]:
    """Pages whose generated parts differ from what would be written now."""
    return [
        page
        for page in pages(root)
        if page.is_file() and render(root, text := page.read_text(encoding="utf-8")) != text
    ]


def write(root: Path) -> list[Path]:
    """Rewrites stale pages; returns them."""
    changed = stale(root)
    for page in changed:
        text = render(root, page.read_text(encoding="utf-8"))
        unfinished = page.with_suffix(".md.tmp")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(page)
    return changed
