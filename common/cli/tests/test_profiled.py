"""The profile's tables: card and emulated device side by side, and what is not equal is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from day import counters, pages, profiled
from day.errors import UsageError

SAME = dict.fromkeys(counters.EXACT, 8)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    raw = {**SAME, "async_copies": 11, "dram_read_bytes": 2e6, "dram_written_bytes": 1e6}
    raw |= {"l2_bytes": 4e6, "ctas": 16, "threads": 256, "registers": 128, "shared_bytes": 49152}
    raw |= {"cycles_elapsed": 2 * 64**3}
    shares = {name: {"value": 12.345} for name in profiled.SHARES}
    kernel: dict[str, Any] = {"candidate": "05 xor", "kernel": "void k<3>(T)", "raw": raw}
    kernel |= {"worked_out": shares, "emulated": SAME, "model": {"dram_read_bytes": 1.5e6}}
    library = {**kernel, "candidate": "cuBLAS", "kernel": "nvjet", "emulated": {}, "model": {}}
    source = {"kind": "measured", "device": "NVIDIA X"}
    document = {"provenance": source, "size": 64, "source": "x.csv", "kernels": [kernel, library]}
    (tmp_path / "x.json").write_text(json.dumps(document))
    return tmp_path


def rows(root: Path, part: str) -> list[str]:
    text = pages.render(root, f"<!-- profiled {part} x.json -->\n<!-- end profiled -->\n")
    assert "*Measured*: device `NVIDIA X`" in text
    return [line for line in text.splitlines() if line.startswith("| ")][1:]


def test_counts_stand_side_by_side_and_the_other_one_is_named(root: Path) -> None:
    card, emulated = rows(root, "counts")  # the library has no emulated counts
    assert card == "| 05 xor: X | 8 | 8 | 8 | 8 | 11 | 8 | 8 | 8 |  |"
    assert emulated.endswith("| 8 | 8 | 8 | 8 | 7 of 8 equal; not `cp.async` |")


def test_the_model_is_off_by_what_it_is_off_by(root: Path) -> None:
    assert rows(root, "model") == ["| 05 xor | 2 | 2 | -25.0 | 1 | – | – | 4 | – | – |"]


def test_shares_and_what_the_library_launches(root: Path) -> None:
    day, library = rows(root, "shares")
    assert day.endswith("| 12.35 | 12.3 | 12.3 | 12.3 | 1 |")
    assert library.startswith("| cuBLAS | 12.35 |")
    assert rows(root, "library")[0] == (
        "| 05 xor: `k<3>` | 16 | 256 | 128 | 49,152 | 8 | 65,536 | 8 |"
    )


def test_an_unknown_table_is_refused(root: Path) -> None:
    with pytest.raises(UsageError, match="no table 'typo' of a profile; there are counts, model"):
        profiled.profiled(root, "typo", "x.json")
