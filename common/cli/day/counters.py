"""Nsight Compute's counters: their names on this chip, its CSV read, every percentage worked out.

A percentage that a tool gives has a denominator, and which one it does not say. So the raw values
are asked for, and the division is done here, where one can read it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from day.errors import UsageError

# What each counter may be called; the first that the chip has is taken. Left: our name, which is
# the emulated device's where it counts the same.
NAMES: dict[str, tuple[str, ...]] = {
    "ldmatrix": ("smsp__inst_executed_op_ldsm.sum", "sm__inst_executed_op_ldsm.sum"),
    "ldmatrix_bank_conflicts": (
        "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    ),
    "ldmatrix_wavefronts": (
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    ),
    "async_copies": ("smsp__inst_executed_op_ldgsts.sum", "sm__inst_executed_op_ldgsts.sum"),
    "cp_async_wavefronts": ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",),
    "shared_load_wavefronts": ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",),
    "shared_store_wavefronts": ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",),
    "all_shared_wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",),
    "hmma": (
        "sm__inst_executed_pipe_tensor_op_hmma.sum",
        "sm__inst_executed_pipe_tensor_op_hmma_v2.sum",
        "sm__inst_executed_pipe_tensor.sum",
    ),
    "warp_instructions": ("smsp__inst_executed.sum", "sm__inst_executed.sum"),
    "tensor_cycles": (
        "sm__pipe_tensor_op_hmma_cycles_active.sum",
        "sm__pipe_tensor_cycles_active.sum",
    ),
    "tensor_flop": (
        "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum",
        "sm__ops_path_tensor_src_fp16_dst_fp32.sum",
    ),
    "tensor_flop_peak": (
        "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum.peak_sustained",
        "sm__ops_path_tensor_src_fp16_dst_fp32.sum.peak_sustained",
    ),
    "cycles_active": ("sm__cycles_active.sum",),
    "cycles_elapsed": ("sm__cycles_elapsed.sum",),
    "cycles_of_the_slowest": ("sm__cycles_elapsed.max",),
    "warps_active": ("sm__warps_active.sum",),
    "issue_active": ("smsp__issue_active.sum",),
    "stalled_long_scoreboard": ("smsp__warps_issue_stalled_long_scoreboard.sum",),
    "stalled_barrier": ("smsp__warps_issue_stalled_barrier.sum",),
    "stalled_math_pipe": ("smsp__warps_issue_stalled_math_pipe_throttle.sum",),
    "stalled_mio": ("smsp__warps_issue_stalled_mio_throttle.sum",),
    "stalled_short_scoreboard": ("smsp__warps_issue_stalled_short_scoreboard.sum",),
    "ratio_long_scoreboard": (
        "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    ),
    "ratio_barrier": ("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",),
    "dram_read_bytes": ("dram__bytes_read.sum",),
    "dram_written_bytes": ("dram__bytes_write.sum",),
    "l2_bytes": ("lts__t_bytes.sum",),
    "l2_sectors": ("lts__t_sectors.sum",),
    "l2_hits": ("lts__t_sectors_lookup_hit.sum",),
    "nanoseconds": ("gpu__time_duration.sum",),
}
# Of the launch itself; always there.
LAUNCH = {
    "registers": "launch__registers_per_thread",
    "threads": "launch__block_size",
    "ctas": "launch__grid_size",
    "shared_bytes": "launch__shared_mem_per_block_dynamic",
    "sms": "launch__sm_count",
}
# The emulated device counts these; on a card they must come out the same.
EXACT = (
    "hmma",
    "ldmatrix",
    "ldmatrix_bank_conflicts",
    "ldmatrix_wavefronts",
    "async_copies",
    "cp_async_wavefronts",
    "shared_load_wavefronts",
    "shared_store_wavefronts",
)
# Its model of the caches has these, in sectors.
SECTOR = 32
MODEL = {
    "dram_read_bytes": ("dram_reads",),
    "dram_written_bytes": ("dram_writes",),
    "l2_bytes": ("l2_reads", "l2_writes", "l2_atomics"),
}
MAX_WARPS = {(7, 5): 32, (8, 0): 64, (8, 6): 48, (8, 9): 48, (9, 0): 64}
SEPARATOR = "clock_kernel"  # the bench launches it behind each candidate


@dataclass
class Kernel:
    name: str
    capability: tuple[int, int]
    values: dict[str, float] = field(default_factory=dict)  # by our names


def base(metric: str) -> str:
    """The name without its roll-up, which is all that `ncu --query-metrics` lists."""
    return metric.split(".", 1)[0]


# Seen to work on GH100: what is asked for where ncu does not list its names.
CONFIRMED = (
    "ldmatrix",
    "ldmatrix_bank_conflicts",
    "ldmatrix_wavefronts",
    "async_copies",
    "cp_async_wavefronts",
    "hmma",
    "warp_instructions",
    "dram_read_bytes",
    "dram_written_bytes",
    "l2_bytes",
    "nanoseconds",
)
BY_PATCHING = "smsp__sass_"  # counted by instrumenting the code; some versions do not list these


def choose(available: Iterable[str] | None) -> dict[str, str]:
    """Our name → the metric of this chip. Without a list: what is known to work on one."""
    if available is None:
        return {ours: NAMES[ours][0] for ours in CONFIRMED}
    there = {base(name) for name in available}
    patched = any(name.startswith(BY_PATCHING) for name in there)

    def has(metric: str) -> bool:
        return base(metric) in there or (not patched and metric.startswith(BY_PATCHING))

    chosen = {ours: next(filter(has, names), None) for ours, names in NAMES.items()}
    return {ours: name for ours, name in chosen.items() if name is not None}


def queried(text: str) -> list[str]:
    """The names in the output of `ncu --query-metrics`: the first word of each row."""
    words = (line.split() for line in text.splitlines())
    return [row[0] for row in words if row and "__" in row[0]]


def parse(text: str) -> list[Kernel]:
    """`ncu --csv --page raw --print-units base`, with or without what was printed around it."""
    start = text.find('"ID","')
    if start < 0:
        raise UsageError('there is no table of Nsight Compute in this (a line that begins "ID",)')
    rows = [row for row in csv.reader(io.StringIO(text[start:])) if len(row) > 1]
    head, kernels = rows[0], []
    for row in rows[1:]:
        if len(row) != len(head) or not row[0].isdigit():
            continue  # the row of units
        cells = dict(zip(head, row, strict=True))
        major, _, minor = cells.get("CC", "0.0").partition(".")
        kernel = Kernel(cells["Kernel Name"], (int(major), int(minor or 0)))
        for ours, metrics in {**NAMES, **{k: (v,) for k, v in LAUNCH.items()}}.items():
            for metric in metrics:
                if (value := number(cells.get(metric, ""))) is not None:
                    kernel.values[ours] = value
                    break
        kernels.append(kernel)
    if not kernels:
        raise UsageError("Nsight Compute's table has no kernel: nothing was profiled.")
    return kernels


def launched(text: str) -> list[str]:
    """The bench says what it launches, in order."""
    return [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith("launched: ")]


def provenance(text: str) -> dict[str, str]:
    """What stands before the table: the bench's line about the device, or a recording's head."""
    known = ("device", "architecture", "driver", "cuda", "date", "command")
    found = {"kind": "measured"}
    for line in text.partition('"ID","')[0].splitlines():
        key, colon, value = line.partition(": ")
        if colon and key in known and key not in found:
            found[key] = value.split(", ", 1)[0] if key == "device" else value
    return found


def by_model(name: str, beside: Mapping[str, Any]) -> int | None:
    """Bytes that the emulated device's model of the caches moves."""
    caches = beside.get("caches")
    if not caches or name not in MODEL:
        return None
    return SECTOR * sum(caches[one] for one in MODEL[name])


def number(text: str) -> float | None:
    """ "1,024" is 1024; "n/a", what a counter says that was not to be had, is nothing."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def by_candidate(kernels: Sequence[Kernel]) -> list[list[Kernel]]:
    """The kernels between two separators belong to one candidate."""
    groups: list[list[Kernel]] = [[]]
    for kernel in kernels:
        if SEPARATOR in kernel.name:
            groups.append([])
        else:
            groups[-1].append(kernel)
    return [group for group in groups if group]


@dataclass(frozen=True)
class Share:
    """A figure worked out from raw values, and how, in the words of the table."""

    text: str
    formula: str
    needs: tuple[str, ...]
    work_out: Callable[[Mapping[str, float]], float]
    unit: str = "%"


def ratio(above: str, below: str, scale: float = 100) -> Callable[[Mapping[str, float]], float]:
    return lambda v: scale * v[above] / v[below] if v[below] else 0.0


def share(text: str, above: str, below: str, scale: float = 100, unit: str = "%") -> Share:
    return Share(text, f"{above} / {below}", (above, below), ratio(above, below, scale), unit)


def quarter(text: str, above: str, below: str) -> Share:
    """Each of an SM's four sub-cores counts for itself (seen on GH100: an m16n8k16 is 6 cycles)."""
    return Share(text, f"{above} / (4 × {below})", (above, below), ratio(above, below, 25))


SHARES: tuple[Share, ...] = (
    quarter("tensor busy, of cycles with a CTA", "tensor_cycles", "cycles_active"),
    quarter("tensor busy, of all cycles", "tensor_cycles", "cycles_elapsed"),
    Share(
        "FP16→FP32 FLOP, of the dense peak, all cycles",
        "tensor_flop / (tensor_flop_peak × cycles_of_the_slowest)",
        ("tensor_flop", "tensor_flop_peak", "cycles_of_the_slowest"),
        lambda v: 100 * v["tensor_flop"] / (v["tensor_flop_peak"] * v["cycles_of_the_slowest"]),
    ),
    Share(
        "warps active, of what an SM holds",
        "warps_active / (max_warps × cycles_active)",
        ("warps_active", "max_warps", "cycles_active"),
        lambda v: 100 * v["warps_active"] / (v["max_warps"] * v["cycles_active"]),
    ),
    quarter("issue slots used, of cycles with a CTA", "issue_active", "cycles_active"),
    share("long scoreboard", "stalled_long_scoreboard", "issue_active", 1, "warps an issue"),
    share("barrier", "stalled_barrier", "issue_active", 1, "warps an issue"),
    share("math pipe throttle", "stalled_math_pipe", "issue_active", 1, "warps an issue"),
    share("MIO throttle", "stalled_mio", "issue_active", 1, "warps an issue"),
    share("short scoreboard", "stalled_short_scoreboard", "issue_active", 1, "warps an issue"),
    share("conflicts, of ldmatrix wavefronts", "ldmatrix_bank_conflicts", "ldmatrix_wavefronts"),
    share("shared memory busy, of cycles with a CTA", "all_shared_wavefronts", "cycles_active"),
    share("L2 hits, of sectors", "l2_hits", "l2_sectors"),
    share("DRAM read", "dram_read_bytes", "nanoseconds", 1, "GB/s"),
    share("L2", "l2_bytes", "nanoseconds", 1, "GB/s"),
    share("SM clock", "cycles_of_the_slowest", "nanoseconds", 1000, "MHz"),
)


def worked_out(kernel: Kernel) -> list[tuple[Share, float]]:
    """Every share whose raw values are there."""
    values = dict(kernel.values)
    if kernel.capability in MAX_WARPS:
        values["max_warps"] = MAX_WARPS[kernel.capability]
    return [
        (one, one.work_out(values))
        for one in SHARES
        if all(name in values for name in one.needs) and values[one.needs[-1]]
    ]
