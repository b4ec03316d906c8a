"""The report of ./day emulate for people: a few lines a kernel. The whole of it is the JSON file;
common/emulator/counters/README.md describes both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

KERNELS_SHOWN = 5
PLACES_SHOWN = 3
KINDS_SHOWN = 6
SHARED = ("ldmatrix", "shared_load", "shared_store", "stmatrix")


def summary(report: dict[str, Any]) -> str:
    kernels = sorted(report["kernels"], key=work, reverse=True)
    launches = sum(kernel["launches"] for kernel in kernels)
    lines = [
        f"tcd: on an emulated {report['device']}: {counted(len(kernels), 'kernel')} in "
        f"{counted(launches, 'launch', 'launches')}"
    ]
    for kernel in kernels[:KERNELS_SHOWN]:
        lines += of_kernel(kernel)
    left = len(kernels) - KERNELS_SHOWN
    if left > 0:
        lines.append(f"  and {left} with fewer instructions: --report FILE has them all")
    if stopped := sum(kernel["stopped"] for kernel in kernels):
        lines.append(f"tcd: {counted(stopped, 'launch', 'launches')} stopped by a fault")
    checks = report["checks"]
    lines.append(
        f"tcd: the checks found {counted(len(checks), 'mistake')}, told above"
        if checks
        else "tcd: the checks found nothing"
    )
    return "\n".join(lines)


def work(kernel: dict[str, Any]) -> int:
    return int(kernel["counters"]["warp_instructions"])


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def of_kernel(kernel: dict[str, Any]) -> list[str]:
    grid, block = ("×".join(str(n) for n in kernel[name]) for name in ("grid", "block"))
    lines = [
        f"  {shortened(kernel['kernel'])}",
        f"    {counted(kernel['launches'], 'launch', 'launches')} of {grid} CTAs of {block} "
        f"threads, {kernel['shared_bytes']:,} bytes of shared memory",
        f"    {counted(work(kernel), 'warp instruction')}: {by_size(kernel['instructions'])}",
    ]
    if kernel["tensor"]:
        lines.append(f"    tensor cores: {by_size(kernel['tensor'])}")
    lines += shared_memory(kernel)
    counters = kernel["counters"]
    if sectors := counters["global_sectors"]:
        requests = counters["global_loads"] + counters["global_stores"] + counters["async_copies"]
        lines.append(
            f"    global memory: {sectors:,} sectors of 32 bytes, "
            f"{sectors / max(requests, 1):.1f} a request"
        )
    if caches := kernel.get("caches"):
        to_l2 = caches["l2_reads"] + caches["l2_writes"] + caches["l2_atomics"]
        read, written = caches["dram_reads"], caches["dram_writes"]
        lines.append(
            f"    caches, by a model: {size(to_l2)} between SMs and L2, "
            f"{size(read)} read from DRAM, {size(written)} written"
        )
    return [*lines, *floors(kernel["floors"])]


def size(sectors: int) -> str:
    count = sectors * 32
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count:,} bytes"


def floors(found: dict[str, Any]) -> list[str]:
    """The least cycles each resource needs, the largest first; what is not known is left out."""
    if found["binds"] is None:
        return []
    cycles = {name: part["cycles"] or 0 for name, part in found["resources"].items()}
    return [f"    floor, not a time: {cycles[found['binds']]:,} cycles ({by_size(cycles)})"]


def shared_memory(kernel: dict[str, Any]) -> list[str]:
    counters = kernel["counters"]
    passes = sum(counters[f"{name}_wavefronts"] for name in (*SHARED, "cp_async"))
    if passes == 0:
        return []
    conflicts = {name.replace("_", " "): counters[f"{name}_bank_conflicts"] for name in SHARED}
    total = sum(conflicts.values())
    line = f"    shared memory: {passes:,} wavefronts, {total:,} of them bank conflicts"
    if total == 0:
        return [line]
    where = {
        line["place"]: sum(
            part["bank_conflicts"] for kind, part in line["memory"].items() if kind != "cp.async"
        )
        for line in kernel["lines"]
    }
    worst = sorted(((n, place) for place, n in where.items() if n), reverse=True)[:PLACES_SHOWN]
    unknown = "an unknown line (compile with -lineinfo)"
    return [
        f"{line} ({by_size(conflicts)})",
        *(f"      {n:,} at {from_here(place) or unknown}" for n, place in worst),
    ]


def from_here(place: str) -> str:
    """Paths below the current folder without its name."""
    return place.replace(f"{Path.cwd()}/", "")


def by_size(counts: dict[str, int]) -> str:
    ordered = sorted(((n, name) for name, n in counts.items() if n), reverse=True)
    words = [f"{name} {n:,}" for n, name in ordered[:KINDS_SHOWN]]
    if rest := sum(n for n, _ in ordered[KINDS_SHOWN:]):
        words.append(f"others {rest:,}")
    return ", ".join(words)


def shortened(name: str, width: int = 100) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"
