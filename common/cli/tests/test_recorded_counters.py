"""What Nsight Compute counted on a card is what the emulated device counted, to the last one."""

import json
from pathlib import Path

import pytest

from day import counters

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


def test_day_02_and_the_kernel_of_day_01():
    """ptxas merges 16 of the 48 two-byte loads of Day 01's loop, A's pairs, into 8 of four bytes:
    the card makes 40, the PTX that the emulated device runs says 48."""
    recorded, emulated = derived("ncu02-h200"), derived("day02-emulated")
    assert set(recorded) == {
        f"{kernel} {size}"
        for kernel in ("ldmatrix", "scalar loads")
        for size in ("192×128×96", "2048×2048×2048")
    }
    for kernel, counted in recorded.items():
        for counter in (*EQUAL[:4], "shared_store_wavefronts"):
            assert counted[counter] == emulated[kernel][counter], (kernel, counter)
        loads = emulated[kernel]["shared_load_wavefronts"]
        assert counted["shared_load_wavefronts"] * 48 == loads * 40
        assert (loads > 0) == kernel.startswith("scalar")


# What ptxas made of an if around copies or loads: executed by no lane, once for each warp.
GUARDED = {
    "10 k16, ahead": {"ldmatrix": 8, "async_copies": 2 * 8},
    "11 128×256×64": {"async_copies": 2 * 12, "cp_async_wavefronts": 2 * 12 * 32},
}


def profile():
    found = json.loads((DATA / "profile-h200.json").read_text(encoding="utf-8"))
    return {one["candidate"]: one for one in found["kernels"]}


def test_the_profile_holds_the_recording():
    text = (DATA / "ncu-h200.csv").read_text(encoding="utf-8")
    groups = counters.by_candidate(counters.parse(text))
    recorded = {
        name: kernel.values for name, (kernel,) in zip(counters.launched(text), groups, strict=True)
    }
    assert {name: one["raw"] for name, one in profile().items()} == recorded
    assert list(recorded) == sorted(recorded)  # the days in order, then cuBLAS
    for name, one in profile().items():
        kernel = counters.Kernel(one["kernel"], (9, 0), recorded[name])
        again = {share.text: value for share, value in counters.worked_out(kernel)}
        assert {text: share["value"] for text, share in one["worked_out"].items()} == again


@pytest.mark.parametrize("name", [name for name in profile() if name != "cuBLAS"])
def test_a_profiled_launch_counts_the_same_on_both(name):
    one, guarded = profile()[name], GUARDED.get(name, {})
    card, emulated = one["raw"], one["emulated"]
    assert set(emulated) == set(counters.EXACT)
    warps = card["ctas"] * card["threads"] / 32
    for counter in counters.EXACT:
        assert card[counter] == emulated[counter] + guarded.get(counter, 0) * warps, counter


@pytest.mark.parametrize("name", [name for name in profile() if name[:2] in "03 04 05 06 07 08 09"])
def test_the_profile_s_emulated_counts_are_those_of_the_day(name):
    day, kernel = name.split(" ", 1)
    counted = derived(f"day{day}-emulated")[kernel]
    for counter, value in profile()[name]["emulated"].items():
        assert counted[counter] == value, counter


def test_tensor_cores_are_never_busier_than_always():
    busy = "tensor busy, of cycles with a CTA"
    shares = [one["worked_out"][busy]["value"] for one in profile().values()]
    assert all(0 < share < 100 for share in shares)
    assert max(shares) > 90  # cuBLAS: the denominator is no larger than it must be
