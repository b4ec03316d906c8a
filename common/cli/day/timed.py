"""Tables of what ./day bench and ./day soak measured on a card, from the JSON that they wrote.

Shares of the roof are the bench's own, worked out sample by sample at the clock of each. Shares of
another kernel are ratios of medians of the same run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from day.errors import UsageError
from day.page_data import facts, load

Timing = dict[str, Any]
FASTEST_PEERS = 5
SOFTWARE_POWER_CAP = 4  # nvmlClocksEventReasonSwPowerCap


@dataclass(frozen=True)
class Run:
    """All candidates of one run at one size, fastest first within a kind."""

    size: str
    rounds: int
    days: list[Timing]  # in the order of the course
    cublas: list[Timing]
    peers: list[Timing]

    def of_cublas(self, one: Timing) -> str:
        return share(one, self.cublas)

    def of_peer(self, one: Timing) -> str:
        return share(one, self.peers)


def runs(recording: dict[str, Any]) -> list[Run]:
    timings = [one for one in recording["timings"] if "kind" in one]
    sizes = dict.fromkeys(one["size"] for one in timings)
    return [run_at(size, [one for one in timings if one["size"] == size]) for size in sizes]


def run_at(size: str, timings: Sequence[Timing]) -> Run:
    def kind(name: str) -> list[Timing]:
        return [one for one in timings if one["kind"] == name]

    def fastest(name: str) -> list[Timing]:
        return sorted(kind(name), key=lambda one: -one["gflops"])

    rounds = min(one["samples"] for one in timings)
    return Run(size, rounds, kind("day"), fastest("cublas"), fastest("peer"))


def find(recording: dict[str, Any], size: str) -> Run:
    for one in runs(recording):
        if one.size == size:
            return one
    known = ", ".join(one.size for one in runs(recording))
    raise UsageError(f"a page wants {size} of a bench that has only {known}")


def share(one: Timing, fastest_first: Sequence[Timing]) -> str:
    return f"{100 * one['gflops'] / fastest_first[0]['gflops']:.1f}" if fastest_first else "–"


def timed(root: Path, file: str) -> str:
    """For each size: every day, cuBLAS, and the fastest of CUTLASS's configurations."""
    recording = load(root, file, "measured")
    parts = [one_size(run) for run in runs(recording)]
    return "\n".join(parts) + "\n" + provenance(recording)


def one_size(run: Run) -> str:
    lines = [
        f"At {run.size}:",
        "",
        "| | TFLOP/s | ± % | SM MHz | % of the `mma.sync` roof | % of cuBLAS's best guess "
        "| % of the best CUTLASS |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [row(f"**{one['name'][:2]}**{one['name'][2:]}", one, run) for one in run.days]
    for one in run.cublas[:1]:
        lines.append(row(f"{one['name']}, the fastest of {len(run.cublas)}", one, run))
    for one in run.peers[:FASTEST_PEERS]:
        lines.append(row(one["name"].replace("peer", "CUTLASS", 1), one, run))
    shown = min(FASTEST_PEERS, len(run.peers))
    lines += [
        "",
        f"{run.rounds} rounds. {len(run.peers)} CUTLASS sm80 configurations were tried; "
        f"the fastest {shown} are here."
        if run.peers
        else f"{run.rounds} rounds, without CUTLASS.",
        "",
    ]
    return "\n".join(lines)


def row(name: str, one: Timing, run: Run) -> str:
    spread = 50 * (one["third_quartile_ms"] - one["first_quartile_ms"]) / one["median_ms"]
    cells = [
        name,
        f"{one['gflops'] / 1000:.1f}",
        f"{spread:.2f}",
        f"{one['sm_clock_mhz']:.0f}",
        f"{one['percent_of_roof']:.1f}",
        run.of_cublas(one),
        run.of_peer(one),
    ]
    return "| " + " | ".join(cells) + " |"


def claim(root: Path, file: str, number: str, *sizes: str) -> str:
    """One sentence a size about a day beside the best of the peer's configurations."""
    recording = load(root, file, "measured")
    lines = []
    for size in sizes:
        run = find(recording, f"{size}×{size}×{size}")
        mine = [one for one in run.days if one["name"].startswith(f"{number} ")]
        if not mine or not run.peers:
            raise UsageError(f"{file} has no day {number} beside CUTLASS at {run.size}")
        best = max(mine, key=lambda one: one["gflops"])
        lines.append(
            f"- Day {number}, {size}³: {best['gflops'] / 1000:.1f} TFLOP/s, "
            f"{run.of_peer(best)} % of the best of {len(run.peers)} CUTLASS sm80 configurations in "
            f"the same run (`{run.peers[0]['name'].removeprefix('peer ')}`, "
            f"{run.peers[0]['gflops'] / 1000:.1f}); {best['percent_of_roof']:.1f} % of the "
            f"measured `mma.sync` roof at {best['sm_clock_mhz']:.0f} MHz."
        )
    return "\n".join(lines) + "\n"


def fused(root: Path, *files: str) -> str:
    """What an epilogue costs, in pairs of one run: --baseline of the bench."""
    lines = [
        "| | TFLOP/s | registers | beside it | TFLOP/s | registers | pairs | costs % "
        "| upper 95 % bound |",
        "|---|---:|---:|---|---:|---:|---:|---:|---:|",
    ]
    sources = []
    for file in files:
        recording = load(root, file, "measured")
        by_name = {one["name"]: one for one in recording["timings"]}
        found = [one for one in by_name.values() if "cost_percent" in one]
        if not found:
            raise UsageError(f"{file} compares nothing in pairs: ./day bench -- --baseline NAME")
        for one in found:
            base = by_name[one["baseline"]]
            cells = [
                one["name"],
                *speed_and_registers(one),
                base["name"],
                *speed_and_registers(base),
                f"{one['pairs']}",
                f"{one['cost_percent']:+.2f}",
                f"{one['cost_upper_95_percent']:+.2f}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
        sources.append(provenance(recording))
    return "\n".join(lines) + "\n\n" + "".join(sources)


def speed_and_registers(one: Timing) -> list[str]:
    return [f"{one['gflops'] / 1000:.1f}", f"{one['resources']['registers']}"]


def soaked(root: Path, *files: str) -> str:
    """One row a soak: how fast it stayed, and what held it back."""
    lines = [
        "| | seconds | launches | TFLOP/s | slower at the end, % | SM MHz | W | °C at the end "
        "| held back by the power cap, % of the time |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    sources = []
    for file in files:
        recording = load(root, file, "measured")
        lines.append("| " + " | ".join(soak_row(recording["derived"]["soak"])) + " |")
        sources.append(provenance(recording))
    return "\n".join(lines) + "\n\n" + "".join(sources)


def soak_row(soak: dict[str, Any]) -> list[str]:
    """Day 09's own --soak writes once a second and has other names for the same things."""
    samples = soak["samples"] if "candidate" in soak else soak["each second"]
    name, decay = (
        (soak["candidate"], soak["decay_percent"])
        if "candidate" in soak
        else (f"09 {soak['configuration']}", soak["decay percent"])
    )
    capped = sum(bool(one["throttle_reasons"] & SOFTWARE_POWER_CAP) for one in samples)
    return [
        name,
        f"{soak['seconds']:.0f}",
        f"{soak['launches']:,}",
        f"{soak['tflops']:.1f}",
        f"{decay:.2f}",
        f"{median(one['clock_mhz'] for one in samples):.0f}",
        f"{median(one['watts'] for one in samples):.0f}",
        f"{samples[-1]['celsius']}",
        f"{100 * capped / len(samples):.0f}",
    ]


def provenance(recording: dict[str, Any]) -> str:
    source = recording["provenance"]
    return f"- *Measured*: {facts(source)}.\n"
