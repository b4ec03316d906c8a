"""The ladder: one row a day, from committed data only.

notebooks/data/ladder.json names, for each day, the mechanism and which kernel of which file stands
for it. Every figure is looked up in notebooks/data/, and a column holds figures of one kind:
derived (counted by the emulated device), measured (the card named in its head) or quoted (the
account's own card). Measured are the days of one run of the bench, beside the libraries in it; a
day that the bench does not take is from its own run. "counted_in" names another recording than
dayNN-emulated, of a card that runs the kernel which was timed. What nobody has recorded is a dash.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from day import timed
from day.errors import UsageError

Verdict = dict[str, Any]
NOTHING = "–"


def ladder(root: Path) -> str:
    plan = read(root, "ladder")
    measured, run = plan["measured"], bench(root, plan)
    together = {one["name"]: one for one in run.days} if run else {}
    lines = [
        f"| day | adds | kernel | bank conflicts (derived) "
        f"| DRAM read by model, {plan['quoted']['device']} (derived) "
        f"| {measured['device']}: TFLOP/s (measured) | % of its `mma.sync` roof "
        "| % of cuBLAS's best there | % of the best CUTLASS sm80 there "
        f"| {plan['quoted']['device']}: TFLOP/s (quoted) | % of cuBLAS there |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in plan["rows"]:
        here = together.get(f"{row['day']} {row['kernel']}")
        if here is None and any(name.startswith(f"{row['day']} ") for name in together):
            raise UsageError(f"the ladder's bench has day {row['day']}, but no '{row['kernel']}'")
        quoted_day = row.get("quoted_day", row["day"])  # the day whose file quotes this kernel
        there = timing(verdict(root, quoted_day, plan["quoted"]["file"]), row.get("quoted"))
        cells = [
            row["day"],
            row["adds"],
            row.get("label", row["kernel"]),
            conflicts(root, row),
            dram(root, row, plan),
            *(in_one_run(run, here) if run and here else alone(root, plan, row)),
            tflops(there) + of_another_kernel(row),
            share(there, cublas(root, quoted_day, plan["quoted"]["file"])),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def bench(root: Path, plan: dict[str, Any]) -> timed.Run | None:
    """The run in which the days stood beside the libraries; None when nobody recorded one."""
    name = plan["measured"].get("bench")
    return timed.find(read(root, name), plan["size"]) if name else None


def in_one_run(run: timed.Run, here: Verdict) -> list[str]:
    of_roof = f"{here['percent_of_roof']:.1f}"
    return [tflops(here), of_roof, run.of_cublas(here), run.of_peer(here)]


def alone(root: Path, plan: dict[str, Any], row: dict[str, Any]) -> list[str]:
    """A day that the bench cannot take: its own run, no library beside it at this size."""
    here = timing(verdict(root, row["day"], plan["measured"]["file"]), row["kernel"])
    return [
        tflops(here),
        share(here, roof_of(root, plan)(here) if here else None),
        NOTHING,
        NOTHING,
    ]


def read(root: Path, name: str) -> dict[str, Any]:
    path = root / "notebooks" / "data" / f"{name}.json"
    if not path.is_file():
        raise UsageError(f"the ladder needs notebooks/data/{name}.json, which does not exist")
    return json.loads(path.read_text(encoding="utf-8"))


def verdict(root: Path, day: str, file: str) -> Verdict | None:
    path = root / "notebooks" / "data" / f"day{day}-{file}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def timing(run: Verdict | None, kernel: str | None) -> Verdict | None:
    for entry in (run or {}).get("timings", []):
        if entry["name"] == kernel:
            return entry
    return None


def roof_of(root: Path, plan: dict[str, Any]) -> Callable[[Verdict], float | None]:
    """Measured FLOP a clock and SM of Day 00, times SMs, times the clock of the timing itself."""
    found = verdict(root, "00", plan["measured"]["file"])
    rate = (found or {}).get("derived", {}).get(plan["measured"]["roof"])
    if rate is None:
        return lambda _: None
    count = found["provenance"]["sm_count"]
    return lambda entry: rate["flop_per_clock_and_sm"] * count * entry["sm_clock_mhz"] * 1e6


def cublas(root: Path, day: str, file: str) -> float | None:
    entry = timing(verdict(root, day, file), "cuBLAS")
    return entry["gflops"] * 1e9 if entry else None


def tflops(entry: Verdict | None) -> str:
    return f"{entry['gflops'] / 1000:.1f}" if entry else NOTHING


def of_another_kernel(row: dict[str, Any]) -> str:
    """The account's nearest kernel, named where it is not the day's own."""
    return f" ({row['quoted']})" if row.get("quoted", row["kernel"]) != row["kernel"] else ""


def share(entry: Verdict | None, of: float | None) -> str:
    return f"{100 * entry['gflops'] * 1e9 / of:.1f}" if entry and of else NOTHING


def conflicts(root: Path, row: dict[str, Any]) -> str:
    name = row.get("counted", row["kernel"])
    file = row.get("counted_in", f"day{row['day']}-emulated")
    path = root / "notebooks" / "data" / f"{file}.json"
    run = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    counted = run.get("derived", {}).get(name)
    if not isinstance(counted, dict):
        return NOTHING
    return f"{counted['ldmatrix_bank_conflicts']:,}"


def dram(root: Path, row: dict[str, Any], plan: dict[str, Any]) -> str:
    """Day 06's model: the same for all days whose CTAs run in one order."""
    if "order" not in row:
        return NOTHING
    model = (verdict(root, "06", "emulated") or {}).get("derived", {}).get(row["order"])
    return f"{model[plan['dram']]:,} MB" if isinstance(model, dict) else NOTHING
