"""What Nsight Compute counted on a card is what the emulated device counted, to the last one."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[3] / "notebooks" / "data"
EQUAL = (
    "hmma", "ldmatrix", "ldmatrix_bank_conflicts", "ldmatrix_wavefronts",
    "async_copies", "cp_async_wavefronts",
)  # fmt: skip


def derived(name):
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))["derived"]


@pytest.mark.parametrize("day", ["03", "04", "05", "09"])
def test_the_emulated_device_counts_what_the_card_counted(day):
    recorded, emulated = derived(f"ncu{day}-h200"), derived(f"day{day}-emulated")
    assert recorded
    for kernel, counted in recorded.items():
        assert counted["size"] == emulated[kernel]["size"]
        for counter in EQUAL:
            assert counted[counter] == emulated[kernel][counter], (kernel, counter)


def test_no_order_changes_a_count_of_day_06():
    recorded, emulated = derived("ncu06-h200"), derived("day06-emulated")["G = 8"]
    for size, scale in (("4096³", 1), ("8192³", 8)):
        rows = [counted for name, counted in recorded.items() if name.endswith(size)]
        assert len(rows) == 4
        for counted in rows:
            for counter in EQUAL:
                assert counted[counter] == scale * emulated[counter], (size, counter)


def test_the_dram_model_stands_beside_the_counter_as_it_came_out():
    """Agreement at 8192³, a miss at 4096³; with half the cache both agree."""
    recorded, emulated = derived("ncu06-h200"), derived("day06-emulated")
    for name, counted in recorded.items():
        model = emulated[f"{name} on an H200"]
        assert model == {key: counted[key] for key in model}
        counter = counted["dram_read_bytes"] / 1e6
        assert counted["counter_MB"] == round(counter)
        for key, off in (("model_MB", "off_percent"), ("model_half_L2_MB", "off_half_percent")):
            assert counted[off] == pytest.approx(100 * (counted[key] / counter - 1), abs=0.5)
        assert abs(counted["off_half_percent"]) < 5
        assert (abs(counted["off_percent"]) < 5) == name.endswith("8192³")
