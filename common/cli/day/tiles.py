"""The table of instructions in which a card and the emulator were compared, tile by tile.

From the file that compare_on_card wrote on the card. Instructions that differ only in signedness,
saturation or layout share a row: elements and differences are sums, tiles those of the form with
the fewest.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from day.page_data import facts, load


def tiles(root: Path, file: str) -> str:
    recording = load(root, file, "measured")
    source = recording["provenance"]
    groups: dict[str, list[dict[str, Any]]] = {}
    for op in recording["ops"]:
        groups.setdefault(group_of(op["op"]), []).append(op)
    lines = [
        "| instruction | forms | tiles of each, at least | result elements | bits differ in |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, ops in groups.items():
        lines.append(
            f"| `{name}` | {len(ops)} | {min(op['tiles'] for op in ops):,} "
            f"| {sum(op['elements'] for op in ops):,} | {sum(op['differ'] for op in ops):,} |"
        )
    lines.append(
        f"| all | {len(recording['ops'])} | | {recording['elements']:,} | {recording['differ']:,} |"
    )
    control = (
        f"Control, in the same run: one bit of the card's answer flipped, found in "
        f"{recording['controls_found']:,} of {recording['controls']:,} tries."
    )
    return "\n".join(lines) + f"\n\n- *Measured*: {facts(source)}.\n- {control}\n"


def group_of(op: str) -> str:
    """m16n8k32.satfinite.s32.u8.s8.s32 -> m16n8k32.s32.{s8,u8}; wmma's layout is dropped."""
    op = op.replace(".satfinite", "").replace(".mma.row.col", "").replace(".mma.col.row", "")
    op = re.sub(r"\.[su]([48])\.[su]\1\.s32$", r".{s\1,u\1}", op)
    return re.sub(r"\.e[45]m[23]\.e[45]m[23]\.", ".{e4m3,e5m2}.", op)
