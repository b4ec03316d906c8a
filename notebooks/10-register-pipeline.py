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
# ## The other side of the ledger
#
# The barrier came forward by a k-step, and the wait for the copies stands before it. So a copy must have landed half a
# tile earlier. Count, as on Day 04, what it has to hide behind:


# %%
def slack(variant):
    """mma of the warp between the start of a tile's copies and the wait that covers them."""
    rows = tcd.timeline("10", "--variant", variant, "--m", "128", "--n", "128", "--k", "256")
    last = max(row["launch"] for row in rows)
    issued, waited = {}, {}
    mma = committed = 0
    for row in rows:
        if row["launch"] != last or row["warp"] != 0:
            continue
        if row["step"] == "mma":
            mma += row["count"]
        elif row["step"] == "cp.async":
            issued.setdefault(committed, mma)
        elif row["step"] == "commit":
            committed += row["count"]
        elif row["step"] == "wait":
            for group in issued:
                if group < committed - row["pending"]:
                    waited.setdefault(group, mma)
    steady = [waited[g] - at for g, at in issued.items() if at > 0]  # not those of the prologue
    assert len(set(steady)) == 1, (variant, steady)
    return steady[0]


DEEP = ("k16", "k16, ahead", "k16, 4 stages", "k16, ahead, 4 stages")
SLACK = {variant: slack(variant) for variant in DEEP}
assert SLACK["k16, ahead"] < SLACK["k16"] < SLACK["k16, ahead, 4 stages"]
h200 = tcd.data("day10-h200")
rates = tcd.timings(h200)
tcd.table(
    [
        "variant",
        "ldmatrix hides behind … mma (derived)",
        "copies hide behind … mma (derived)",
        "H200: TFLOP/s (measured)",
    ],
    [
        (variant, 32 if "ahead" in variant else 0, SLACK[variant], rates[variant])
        for variant in DEEP
    ],
    ORDER,
    tcd.source(h200),
)
assert rates["k16, ahead"] < rates["k16"] < rates["k16, ahead, 4 stages"]
assert rates["k16, 4 stages"] < rates["k16, ahead, 4 stages"]

# %% [markdown]
# There it is, in one run, twenty samples each, and the samples of the four do not overlap where they differ. With three
# stages the second set of fragments *loses*: what the `ldmatrix` gain, the copies lose. Pay the half tile back with a fourth
# stage and it wins. The fourth stage alone buys nothing. **Two pipelines share one barrier; tune one alone and you
# measure the other.**
#
# How sure is that? The order is counted, and exact. The times also depend on where ptxas put the loads: the table below has
# the three-stage kernel with bias and ReLU, which does more and is faster. Trust the fourth stage, and hold the rest
# loosely.
#
# On an Ada card four stages of 16 KiB leave one CTA on an SM (Day 04). There the trade is another, and nobody has measured
# it.
#
# With two `m16n8k8` it loses as well, and by more:

# %%
tcd.table(
    ["variant at 4096³", "TFLOP/s"],
    [(name, rate) for name, rate in rates.items() if name != "cuBLAS"],
    tcd.source(h200),
)
