"""Tables of how long things take: the emulated device, from the file that `./day bench emulator`
and `./day bench kernels` wrote, and a verdict, from that of `./day bench watch`."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from day import exercises
from day.page_data import load

KINDS = {"exact": "exact inputs, no checks", "random": "random inputs, every check"}


def speed(root: Path, file: str) -> str:
    taken = load(root, file, "measured")
    source, sgemm, size = taken["provenance"], taken["sgemm"], taken["size"]
    lines = [
        "| | seconds | times SGEMM | M warp instructions/s and core | proven exact | memory |",
        "|---|---:|---:|---:|---:|---:|",
        f"| OpenBLAS SGEMM {size}³, {sgemm['gflops']:.0f} GFLOP/s, kernel {sgemm['core']} "
        f"| {sgemm['seconds']:.3f} | 1 | | | |",
    ]
    for name, words in KINDS.items():
        mine = taken[name]
        lines.append(
            f"| emulated FP16 GEMM {size}³, {words} | {mine['seconds']:.3f} | {mine['ratio']:.1f} "
            f"| {mine['million_warp_instructions_per_second_and_core']:.1f} "
            f"| {mine['proven_share']:.0%} | {mine['peak_bytes'] / 2**20:.0f} MiB |"
        )
    lines += ["", provenance(source)]
    return "\n".join(lines) + "\n"


def kernels(root: Path, file: str) -> str:
    taken = load(root, file, "measured")
    lines = [
        "| day, variant | exact inputs, no checks | every check | random inputs, every check |",
        "|---|---:|---:|---:|",
    ]
    for one in taken["kernels"]:
        cells = [f"{one[kind]:.1f}" for kind in ("plain", "checked", "random")]
        lines.append(f"| {one['name']} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", provenance(taken["provenance"])]) + "\n"


def watch(root: Path, file: str) -> str:
    """A row for each exercise there is: one that was not measured says so."""
    taken = load(root, file, "measured")
    parts = list(taken["parts"])
    lines = [
        f"| exercise | from save to verdict, s | slowest | {' | '.join(parts)} |",
        "|---|" + "---:|" * (2 + len(parts)),
    ]
    for exercise in exercises.all_exercises(root):
        samples = taken["samples"].get(exercise.number)
        if not samples:
            lines.append(f"| {exercise.number} | not measured |" + " |" * (1 + len(parts)))
            continue
        totals = [one["total"] for one in samples]
        cells = [median(totals), max(totals)]
        cells += [median(one[part] for one in samples) for part in parts]
        lines.append(f"| {exercise.number} | {' | '.join(f'{cell:.2f}' for cell in cells)} |")
    cells = [taken["median"], taken["worst"], *taken["parts"].values()]
    lines.append(f"| all | {' | '.join(f'{cell:.2f}' for cell in cells)} |")
    return "\n".join([*lines, "", provenance(taken["provenance"])]) + "\n"


def provenance(source: dict[str, Any]) -> str:
    return (
        f"- *Measured*: {source['cpu']}, {source['cores']} cores, date `{source['date']}`, "
        f"command `{source['command']}`, medians, load {source['load_1min']:.1f} before."
    )
