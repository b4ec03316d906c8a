"""The table of what `./day bench` measured: every day, and the best of each library.

From the JSON that the bench wrote, one run, one card. "peer" is CUTLASS's sm_80 path: of its many
configurations, and of cuBLAS's guesses, the fastest at each size stands for all, with its name.
Where the run compared pairs, the last column is the cost over the baseline, with its 95 % bound.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from day.page_data import load

Timing = dict[str, Any]
HEADS = ["size", "kernel", "TFLOP/s", "MHz", "% of `mma.sync` roof"]
SHARES = {"percent_of_peer": "% of the peer's best", "percent_of_cublas": "% of cuBLAS's best"}
LIBRARIES = {"peer": "CUTLASS sm_80", "cublas": "cuBLAS"}


def bench(root: Path, file: str, *days: str) -> str:
    """days: which to show; none: all that were timed."""
    recording = load(root, file, "measured")
    timings = [timing for timing in recording["timings"] if "size" in timing]
    shares = [share for share in SHARES if any(share in timing for timing in timings)]
    pairs = any("cost_percent" in timing for timing in timings)
    heads = HEADS + [SHARES[share] for share in shares]
    heads += ["cost, upper 95 % bound"] if pairs else []
    lines = [f"| {' | '.join(heads)} |", "|---|---" + "|---:" * (len(heads) - 2) + "|"]
    for size in dict.fromkeys(timing["size"] for timing in timings):
        for name, timing in rows([t for t in timings if t["size"] == size], days):
            cells = [size, name, f"{timing['gflops'] / 1000:.1f}", f"{timing['sm_clock_mhz']:.0f}"]
            cells.append(f"{timing['percent_of_roof']:.1f}")
            cells += [f"{timing[share]:.1f}" for share in shares]
            cells += [cost(timing)] if pairs else []
            lines.append(f"| {' | '.join(cells)} |")
    source = recording["provenance"]
    known = ("device", "architecture", "driver", "cuda", "date", "command")
    facts = ", ".join(f"{name} `{source[name]}`" for name in known if source.get(name))
    return "\n".join(lines) + f"\n\n- *Measured*: {facts}.\n"


def rows(timings: list[Timing], days: tuple[str, ...]) -> list[tuple[str, Timing]]:
    """Of one size."""
    found = [
        (timing["name"], timing)
        for timing in timings
        if timing["kind"] == "day" and (not days or timing["name"].split()[0] in days)
    ]
    for kind, words in LIBRARIES.items():
        candidates = [timing for timing in timings if timing["kind"] == kind]
        if candidates:
            best = max(candidates, key=lambda timing: timing["gflops"])
            name = best["name"].removeprefix(f"{kind} ").replace("cuBLASLt ", "")
            found.append((f"{words}, best of {len(candidates)}: {name}", best))
    return found


def cost(timing: Timing) -> str:
    if "cost_percent" not in timing:
        return ""
    return (
        f"{timing['cost_percent']:+.2f} %, {timing['cost_upper_95_percent']:+.2f} %, "
        f"{timing['pairs']} pairs"
    )
