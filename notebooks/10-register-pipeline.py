# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 10, the register pipeline: what an ldmatrix may hide behind
#
# `cp.async` hides DRAM behind a tile. One level down the same question stands again: an `ldmatrix` takes its time,
# and the `mma` that wants its registers waits. So load the fragments of the next k-step while this one is
# multiplied. Here is the order of both, taken from the running kernel.
#
# **Predict first.** How many `mma` of its own warp does an `ldmatrix` have to hide behind: without the second set of
# fragments, and with it?

# %%
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import tcd_notebook as tcd

tcd.code("days/10-register-pipeline/kernel.cu", "load_fragments")

# %% [markdown]
# ## In order
#
# Four k-tiles, eight k-steps, warp 0. The axis counts `mma`: time is not known here, but the order is. A
# set of fragments is loaded by eight `ldmatrix`, then multiplied.

# %%
SIZE = ("--m", "128", "--n", "128", "--k", "128")
VARIANTS = {"k16": 32, "k16, ahead": 32, "two k8": 64, "two k8, ahead": 64}  # mma of a k-step
LOADS = 8  # ldmatrix.x4 of a k-step


def sets(variant):
    """mma executed when each set of fragments was loaded, and at which barriers they stood."""
    rows = tcd.timeline("10", "--variant", variant, *SIZE)
    last = max(row["launch"] for row in rows)
    loaded, barriers, mma, loads = [], [], 0, 0
    for row in rows:
        if row["launch"] != last or row["warp"] != 0:
            continue
        if row["step"] == "mma":
            mma += row["count"]
        elif row["step"] == "barrier":
            barriers.append(mma)
        elif row["step"] == "ldmatrix":
            loads += row["count"]
            loaded += [mma] * (loads // LOADS - len(loaded))
    return loaded, barriers


SETS = {variant: sets(variant) for variant in VARIANTS}
figure = Figure(figsize=(7.2, 4.4))
for ax, (variant, each) in zip(figure.subplots(2, 2).flat, VARIANTS.items(), strict=True):
    loaded, barriers = SETS[variant]
    for step, at in enumerate(loaded):
        use = step * each
        ax.add_patch(
            Rectangle((at, step + 0.15), use - at, 0.7, facecolor=tcd.COLOURS[0], alpha=0.35)
        )
        ax.add_patch(Rectangle((use, step + 0.15), each, 0.7, facecolor=tcd.COLOURS[1]))
    for at in barriers:
        ax.axvline(at, color=tcd.INK, lw=0.6, ls=":")
    ax.set(xlim=(-2, len(loaded) * each), ylim=(len(loaded), 0), yticks=[])
    ax.set_title(variant, fontsize=9)
    ax.grid(False)
for ax in figure.axes[2:]:
    ax.set_xlabel("mma of the warp, in order")
COMMAND = "TCD_TRACE=trace.csv ./day run 10 -- --variant 'k16, ahead' --m 128 --n 128 --k 128"
ORDER = tcd.derived("order of execution, recorded by the emulated device", command=COMMAND)
tcd.show(
    figure,
    "Fragments loaded and multiplied, k-step by k-step, with one set of fragments and with two",
    "Rows: k-steps. Dark: the fragments are multiplied. Pale: they have been asked for and may still be on their way. "
    "Dotted: barriers.",
    ORDER,
)

# %%
HIDDEN = {}
for variant, each in VARIANTS.items():
    loaded, _ = SETS[variant]
    assert len(loaded) == 8, (variant, loaded)
    HIDDEN[variant] = {step * each - at for step, at in enumerate(loaded) if step > 0}
    assert HIDDEN[variant] == {each if "ahead" in variant else 0}, (variant, HIDDEN[variant])
tcd.table(
    ["variant", "mma between a set's ldmatrix and its first use", "FLOP of the warp meanwhile"],
    [
        (variant, gap, gap * 2 * 16 * 8 * (8 if "k8" in variant else 16))
        for variant, gaps in HIDDEN.items()
        for gap in gaps
    ],
    ORDER,
)

# %% [markdown]
# None, or a whole k-step. And look at the dotted lines: without the second set a tile begins with a barrier, then
# `ldmatrix`, then `mma`, and nothing runs while the first fragments come. With it the barrier stands **before the
# last k-step** of a tile: by then that step's fragments are in registers, so the slot may be given away, and the next
# tile's first fragments load behind 32 `mma`.
#
# ## What it costs
#
# The counts are the same. The registers are not.

# %%
verdict = tcd.run("10", "--all", *SIZE)
counts = {name: row for name, row in verdict["derived"].items() if row.get("size") == "128×128×128"}
resources = {r["kernel"]: r for r in verdict["resources"]}
for variant in VARIANTS:
    same = counts[variant.removesuffix(", ahead")]
    for counter in ("ldmatrix", "hmma", "async_copies", "ldmatrix_bank_conflicts"):
        assert counts[variant][counter] == same[counter], (variant, counter)
tcd.table(
    ["variant", "registers", "CTAs an SM", "bytes spilled", "ldmatrix", "mma", "bank conflicts"],
    [
        (
            variant,
            resources[variant]["registers"],
            resources[variant]["ctas_per_sm"],
            resources[variant]["spill_bytes"],
            counts[variant]["ldmatrix"],
            counts[variant]["hmma"],
            counts[variant]["ldmatrix_bank_conflicts"],
        )
        for variant in VARIANTS
    ],
    tcd.source(verdict),
)

# %% [markdown]
# Two sets of fragments, and still no spill: 128 sums, twice 32 registers of fragments, and the addresses had to become
# cheap first. Day 09 kept one for every copy. That is why this day rewrites the copies: one address, and constants.
#
# ## On a card

# %%
h200 = tcd.recorded("day10-h200")
if h200 is None:
    print("Not recorded yet: ./day run 10 --device gpu --json notebooks/data/day10-CARD.json")
else:
    tcd.table(
        ["variant at 4096³", "TFLOP/s"],
        list(tcd.timings(h200).items()),
        tcd.source(h200),
    )
