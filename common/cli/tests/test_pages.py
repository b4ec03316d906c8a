"""Generated parts of the pages: listings from real files, figures from data with provenance."""

import json

import pytest

from day import pages
from day.errors import UsageError

KERNEL = """// A file.
namespace day01 {

// ---- load

__device__ void load_tile() {}

// ---- compute

__device__ void compute_tile() {}

}  // namespace day01
"""

WRAPPERS = """// One instruction.
// Requires sm_75.
__device__ inline void mma(float (&d)[4],
                           int a) {
  asm("…");
}

__device__ inline void other() {
}
"""

VERDICT = {
    "provenance": {"kind": "measured", "device": "NVIDIA X", "date": "2026-11-30"},
    "gates": [{"name": "matmul", "passed": True, "checked": 4194304}],
    "not_run": [{"name": "k16", "reason": "needs sm_80"}],
    "resources": [
        {"kernel": "matmul", "registers": 40, "static_shared_bytes": 9728, "spill_bytes": 0}
    ],
    "timings": [{"name": "matmul", "median_ms": 2.47, "gflops": 6955.2, "sm_clock_mhz": 1590}],
}


@pytest.fixture
def root(tmp_path):
    day = tmp_path / "days" / "01-x"
    day.mkdir(parents=True)
    (day / "kernel.cu").write_text(KERNEL)
    (tmp_path / "mma.cuh").write_text(WRAPPERS)
    data = tmp_path / "notebooks" / "data"
    data.mkdir(parents=True)
    (data / "day01-x.json").write_text(json.dumps(VERDICT))
    quoted = {"provenance": {"kind": "quoted", "device": "Tesla T4", "source": "the account"}}
    (data / "day01-t4.json").write_text(json.dumps(quoted))
    (tmp_path / "README.md").write_text("# Nothing generated\n")
    return tmp_path


def page(root, marker, kind, between=""):
    return f"before\n<!-- {marker} -->\n{between}<!-- end {kind} -->\nafter\n"


def test_a_section_goes_from_its_heading_to_the_next(root):
    text = pages.render(root, page(root, "include days/01-x/kernel.cu load", "include"))
    assert "load_tile" in text
    assert "compute_tile" not in text
    assert text.startswith("before\n") and text.endswith("\nafter\n")


def test_the_last_section_ends_with_the_namespace(root):
    text = pages.render(root, page(root, "include days/01-x/kernel.cu compute", "include"))
    assert "compute_tile" in text
    assert "namespace" not in text


def test_a_function_comes_with_its_comment(root):
    text = pages.render(root, page(root, "include mma.cuh mma", "include"))
    assert "// One instruction." in text
    assert 'asm("…");\n}' in text
    assert "other" not in text


def test_a_whole_file_in_its_language(root):
    (root / "CMakeLists.txt").write_text("project(x)\n")
    text = pages.render(root, page(root, "include CMakeLists.txt", "include"))
    assert "\n```cmake\nproject(x)\n```\n" in text


def test_old_text_between_the_markers_is_replaced(root):
    text = pages.render(root, page(root, "include mma.cuh mma", "include", "stale\n"))
    assert "stale" not in text
    assert pages.render(root, text) == text


@pytest.mark.parametrize(
    "marker, kind",
    [("include mma.cuh gone", "include"), ("include no.cu x", "include"), ("data day77", "data")],
)
def test_a_marker_that_names_nothing_is_an_error(root, marker, kind):
    with pytest.raises(UsageError):
        pages.render(root, page(root, marker, kind))


def test_figures_keep_their_kind_and_source(root):
    text = pages.render(root, page(root, "data day01", "data"))
    assert "| | NVIDIA X (measured) | Tesla T4 (quoted) |" in text
    assert "| matmul | exact, 4,194,304 compared | – |" in text
    assert "| k16 | not run: needs sm_80 | – |" in text
    assert "2.470 ms, 6,955.2 GFLOP/s at 1590 MHz" in text
    assert "- *Measured*: device `NVIDIA X`, date `2026-11-30`." in text
    assert "- *Quoted*: device `Tesla T4`, source `the account`." in text


def test_a_rate_keeps_its_unit(root):
    rate = {"name": "mma", "value": 2730.42, "unit": "FLOP/clk/SM", "sm_clock_mhz": 1980}
    rated = VERDICT | {"timings": [rate, {"name": "read", "value": 259.5, "unit": "GB/s"}]}
    (root / "notebooks/data/day01-x.json").write_text(json.dumps(rated))
    text = pages.render(root, page(root, "data day01", "data"))
    assert "| mma: rate | 2,730.4 FLOP/clk/SM at 1980 MHz | – |" in text
    assert "| read: rate | 259.5 GB/s | – |" in text


def test_a_failed_gate_is_not_shown_as_exact(root):
    spoiled = VERDICT | {"gates": [{"name": "matmul", "passed": False, "checked": 9}]}
    (root / "notebooks/data/day01-x.json").write_text(json.dumps(spoiled))
    text = pages.render(root, page(root, "data day01", "data"))
    assert "| matmul | FAILED, 9 compared |" in text


TILES = {
    "provenance": {"kind": "measured", "device": "NVIDIA X", "command": "compare_on_card"},
    "elements": 900,
    "differ": 2,
    "controls": 3,
    "controls_found": 3,
    "ops": [
        {"op": "m16n8k8.f32.f16.f16.f32", "tiles": 2000, "elements": 500, "differ": 0},
        {"op": "m16n8k32.s32.s8.u8.s32", "tiles": 3000, "elements": 300, "differ": 1},
        {"op": "m16n8k32.satfinite.s32.u8.u8.s32", "tiles": 1000, "elements": 100, "differ": 1},
    ],
}


def test_tiles_are_summed_over_forms(root):
    (root / "card.json").write_text(json.dumps(TILES))
    text = pages.render(root, "<!-- tiles card.json -->\n<!-- end tiles -->\n")
    assert "| `m16n8k8.f32.f16.f16.f32` | 1 | 2,000 | 500 | 0 |\n" in text
    assert "| `m16n8k32.s32.{s8,u8}` | 2 | 1,000 | 400 | 2 |\n" in text
    assert "| all | 3 | | 900 | 2 |\n" in text
    assert "device `NVIDIA X`" in text and "found in 3 of 3 tries" in text


def test_tiles_of_the_emulated_device_are_no_evidence(root):
    derived = TILES | {"provenance": {"kind": "derived", "device": "NVIDIA X (emulated)"}}
    (root / "card.json").write_text(json.dumps(derived))
    with pytest.raises(UsageError, match="not measured: no page shows"):
        pages.render(root, "<!-- tiles card.json -->\n<!-- end tiles -->\n")
    with pytest.raises(UsageError, match="does not exist"):
        pages.render(root, "<!-- tiles none.json -->\n<!-- end tiles -->\n")


def test_pages_of_the_emulator_are_kept_too(root):
    file = root / "common" / "emulator" / "tensor" / "README.md"
    file.parent.mkdir(parents=True)
    (root / "card.json").write_text(json.dumps(TILES))
    file.write_text("<!-- tiles card.json -->\nold\n<!-- end tiles -->\n")
    assert pages.stale(root) == [file]


def test_stale_pages_are_found_and_written(root):
    file = root / "days/01-x/README.md"
    file.write_text(page(root, "include days/01-x/kernel.cu load", "include"))
    assert pages.stale(root) == [file]
    assert pages.write(root) == [file]
    assert pages.stale(root) == []
    assert not list(root.rglob("*.tmp"))


def test_counters_are_a_row_for_each_entry_that_has_them(root):
    counted = {
        "provenance": {"kind": "derived", "device": "NVIDIA X (emulated)"},
        "derived": {
            "2 stages": {"ldmatrix": 1234567, "hmma": 2, "size": "4096×4096×4096"},
            "other": {"hmma": 3},
            "4 warps": {"rate": 2296.297, "share": 1},
        },
    }
    (root / "notebooks" / "data" / "day02-x.json").write_text(json.dumps(counted))
    text = "<!-- counters day02 ldmatrix hmma -->\n<!-- end counters -->"
    assert "| 2 stages, 4096×4096×4096 | 1,234,567 | 2 |\n" in pages.render(root, text)
    assert "other" not in pages.render(root, text)
    rates = "<!-- counters day02 rate share -->\n<!-- end counters -->"
    assert "| 4 warps | 2,296.3 | 1 |\n" in pages.render(root, rates)


def test_a_counter_nobody_counted_is_an_error(root):
    with pytest.raises(UsageError, match="counts all of ldmatrix"):
        pages.render(root, "<!-- counters day01 ldmatrix -->\n<!-- end counters -->")
