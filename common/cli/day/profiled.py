"""Tables of what ./day profile found on a card, from the JSON that its --json wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from day import timed
from day.counters import EXACT, MODEL
from day.errors import UsageError
from day.page_data import load

Kernel = dict[str, Any]
HEADS = {
    "hmma": "HMMA",
    "ldmatrix": "`ldmatrix`",
    "ldmatrix_bank_conflicts": "its conflicts",
    "ldmatrix_wavefronts": "its passes",
    "async_copies": "`cp.async`",
    "cp_async_wavefronts": "its passes",
    "shared_load_wavefronts": "passes of loads",
    "shared_store_wavefronts": "of stores",
}
MOVED = {"dram_read_bytes": "DRAM read", "dram_written_bytes": "written", "l2_bytes": "L2"}
SHARES = {
    "long scoreboard": "long scoreboard",
    "barrier": "barrier",
    "math pipe throttle": "math pipe",
    "MIO throttle": "MIO",
    "short scoreboard": "short scoreboard",
    "warps active, of what an SM holds": "warps active, %",
    "tensor busy, of cycles with a CTA": "tensor busy, % of cycles with a CTA",
    "tensor busy, of all cycles": "of all cycles",
}


def profiled(root: Path, part: str, file: str) -> str:
    recording = load(root, file, "measured")
    if part not in PARTS:
        raise UsageError(f"no table '{part}' of a profile; there are {', '.join(PARTS)}")
    lines = PARTS[part](recording)
    text = "\n".join(lines) + "\n\n" + timed.provenance(recording)
    if part in ("counts", "model"):
        text += (
            "- *Derived: counted by the emulated device*: the same launch, command "
            f"`./day profile all --from notebooks/data/{recording['source']}`.\n"
        )
    return text


def days(recording: dict[str, Any]) -> list[Kernel]:
    return [one for one in recording["kernels"] if one["candidate"][:2].isdigit()]


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    return [
        "| | " + " | ".join(heads) + " |",
        "|---" + "|---:" * len(heads) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def counts(recording: dict[str, Any]) -> list[str]:
    """Two rows a kernel: the card, the emulated device."""
    rows, device = [], recording["provenance"]["device"].removeprefix("NVIDIA ")
    for one in days(recording):
        card, emulated = one["raw"], one["emulated"]
        names = [name for name in EXACT if name in HEADS]
        equal = [name for name in names if name in emulated and card.get(name) == emulated[name]]
        other = ", ".join(HEADS[name] for name in names if name in emulated and name not in equal)
        verdict = f"{len(equal)} of {len(emulated)} equal" + (f"; not {other}" if other else "")
        for who, values, last in ((device, card, ""), ("emulated", emulated, verdict)):
            cells = [f"{values[name]:,.0f}" if name in values else "–" for name in names]
            rows.append([f"{one['candidate']}: {who}", *cells, last])
    return table([*(HEADS[name] for name in EXACT), "equal?"], rows)


def model(recording: dict[str, Any]) -> list[str]:
    """Bytes by a counter, by the model of the caches, and how far the model is off."""
    rows = []
    for one in days(recording):
        cells = []
        for name in MODEL:
            counted, said = one["raw"][name], one["model"].get(name)
            cells.append(f"{counted / 1e6:,.0f}")
            off = ["–", "–"] if said is None else off_by(said, counted)
            cells += off
        rows.append([one["candidate"], *cells])
    heads = [part for name in MODEL for part in (f"{MOVED[name]}, MB", "model", "off by %")]
    return table(heads, rows)


def off_by(said: float, counted: float) -> list[str]:
    return [f"{said / 1e6:,.0f}", f"{100 * (said / counted - 1):+.1f}"]


def shares(recording: dict[str, Any]) -> list[str]:
    """Stalls in warps an issue, and how busy what is, with what each is divided by."""
    flop = 2 * recording["size"] ** 3
    rows = []
    for one in recording["kernels"]:
        found = {name: one["worked_out"][name]["value"] for name in SHARES}
        cells = [
            f"{value:.2f}" if i < 5 else f"{value:.1f}" for i, value in enumerate(found.values())
        ]
        rows.append([one["candidate"], *cells, f"{flop / one['raw']['cycles_elapsed']:,.0f}"])
    return table([*SHARES.values(), "FLOP a clock and SM, all cycles"], rows)


def library(recording: dict[str, Any]) -> list[str]:
    """What is launched: kernel, threads, registers, and how much one tensor instruction does."""
    flop = 2 * recording["size"] ** 3
    rows = []
    for one in recording["kernels"]:
        raw = one["raw"]
        cells = [f"{raw[name]:,.0f}" for name in ("ctas", "threads", "registers", "shared_bytes")]
        each = f"{flop / raw['hmma']:,.0f}"
        cells += [f"{raw['hmma']:,.0f}", each, f"{raw['ldmatrix_bank_conflicts']:,.0f}"]
        rows.append([f"{one['candidate']}: `{short(one['kernel'])}`", *cells])
    heads = ["CTAs", "threads", "registers", "dynamic shared bytes", "HMMA", "FLOP of each"]
    return table([*heads, "`ldmatrix` conflicts"], rows)


def short(kernel: str) -> str:
    return kernel.removeprefix("void ").split("(", 1)[0]


PARTS: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "counts": counts,
    "model": model,
    "shares": shares,
    "library": library,
}
