"""The table of the emulated device's speed, from the file that `./day bench emulator` wrote."""

from __future__ import annotations

from pathlib import Path

from day.page_data import load

KINDS = {"exact": "exact inputs, no checks", "random": "random inputs, every check"}


def speed(root: Path, file: str) -> str:
    taken = load(root, file)
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
    lines += [
        "",
        f"- *Measured*: {source['cpu']}, {source['cores']} cores, date `{source['date']}`, "
        f"command `{source['command']}`, medians, load {source['load_1min']:.1f} before.",
    ]
    return "\n".join(lines) + "\n"
