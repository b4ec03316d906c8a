# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 00, roofs: how a tensor core is kept busy
#
# Before a kernel is fast there is a number that it cannot pass. Here it is measured, predicted from two other
# numbers, and turned into a clock that every later day can be held against.
#
# **Predict first.** An `mma` takes 24 cycles from its operands to its result. A new one can start every 6
# cycles. How many must be under way at once to keep the tensor core busy?

# %%
from matplotlib.figure import Figure

import tcd_notebook as tcd

tcd.code("days/00-roofs/kernel.cu", "compute")

# %% [markdown]
# ## Two numbers, twenty measurements
#
# The day measures the rate for 1 to 16 warps an SM and for 1 to 8 chains a warp. A chain is a row of `mma`
# that each wait for the one before. An SM has four schedulers, each with a tensor core of its own, and
# warps are dealt to them in turn. So what counts is **chains a scheduler**.
#
# Take two of the twenty figures: one warp with one chain (that is the latency), and sixteen warps with eight
# (that is the rate). They foretell the other eighteen: the rate grows with the chains until it hits the roof.

# %%
roofs, profiled = tcd.data("day00-h200"), tcd.data("ncu00-h200")
FLOP = {"m16n8k16": 2 * 16 * 8 * 16, "m16n8k8": 2 * 16 * 8 * 8}  # of one instruction
SCHEDULERS = 4


def measured(shape):
    """(chains a scheduler, warps, FLOP/clk of four busy schedulers)"""
    for name, rate in roofs["derived"][f"NVIDIA H200: {shape} FP16→FP32"].items():
        warps, chains = (int(part.lstrip("wilp")) for part in name.split("_"))
        busy = min(warps, SCHEDULERS)
        yield warps * chains / busy, warps, rate * SCHEDULERS / busy


def two_numbers(shape):
    rates = roofs["derived"][f"NVIDIA H200: {shape} FP16→FP32"]
    return FLOP[shape] / rates["w1_ilp1"], SCHEDULERS * FLOP[shape] / rates["w16_ilp8"]


figure = Figure(figsize=(7.2, 3.6))
for ax, shape in zip(figure.subplots(1, 2, sharey=True), FLOP, strict=True):
    latency, interval = two_numbers(shape)
    roof = SCHEDULERS * FLOP[shape] / interval
    x = [0.9 + 0.1 * i for i in range(330)]
    ax.plot(
        x,
        [min(roof, chains * SCHEDULERS * FLOP[shape] / latency) for chains in x],
        color=tcd.KIND_COLOUR["derived"],
        lw=1.2,
    )
    points = list(measured(shape))
    for warps, marker in ((1, "v"), (2, "s"), (4, "o"), (8, "D"), (16, "^")):
        ax.plot(
            *zip(*[(c, r) for c, w, r in points if w == warps], strict=True),
            marker,
            color=tcd.KIND_COLOUR["measured"],
            ms=5,
            mfc="none" if warps <= SCHEDULERS else None,
            label=f"{warps} warps",
        )
    ax.set(xscale="log", title=shape, xlabel="chains a scheduler")
    ax.set_xticks([1, 2, 4, 8, 16, 32], [1, 2, 4, 8, 16, 32])
    ax.minorticks_off()
    if shape == "m16n8k16":
        ax.set_ylabel("FLOP/clk, four schedulers busy")
        ax.legend(fontsize=8, loc="lower right")
tcd.show(
    figure,
    "Issue rate on an H200 against chains a scheduler: it grows, then meets the roof",
    "Points: measured. Line: foretold from the latency and the rate. Hollow points have one warp a scheduler: "
    "they miss the roof.",
    tcd.source(roofs),
    tcd.derived(
        "min(roof, chains / latency), from two of the measurements",
        "notebooks/data/day00-h200.json",
    ),
)

# %%
tcd.table(
    [
        "instruction",
        "latency, cycles",
        "one every … cycles",
        "in flight to fill it",
        "roof, FLOP/clk/SM",
    ],
    [
        (shape, latency, every, latency / every, SCHEDULERS * FLOP[shape] / every)
        for shape in FLOP
        for latency, every in [two_numbers(shape)]
    ],
    tcd.derived("from the rates of one chain and of 128", "notebooks/data/day00-h200.json"),
)

# %% [markdown]
# The answer is four. And the tensor core does not care where the four come from: warps or chains. A kernel with
# few warps and a large register tile has plenty of chains. That is the account's fastest kernel, Day 09.
#
# **What the line does not foretell** are the hollow points: one warp a scheduler stays below the roof, however
# many chains it has. The page of Day 00 finds the reason in the loop. Its way back to the top costs about 18
# cycles, and while the only warp makes it, nobody issues. Unroll it and the loss is paid less often:

# %%
LOOPS = {
    int(name.removeprefix("loop_of_")): rate
    for name, rate in roofs["derived"]["NVIDIA H200: m16n8k16 FP16→FP32, 4 warps, ILP 8"].items()
}
_, every = two_numbers("m16n8k16")
lost = {n: n * (SCHEDULERS * FLOP["m16n8k16"] / rate - every) for n, rate in LOOPS.items()}
tcd.table(
    ["mma in the loop", "FLOP/clk/SM (measured)", "cycles lost an iteration (derived)"],
    [(n, LOOPS[n], lost[n]) for n in sorted(LOOPS)],
    tcd.source(roofs),
)
assert max(lost.values()) < 1.5 * min(lost.values()), (
    "the loss is the loop's: the same for any length"
)

# %% [markdown]
# ## Counted, not only timed
#
# Without a card the day counts. It has run just now, on the emulated device: CTAs × warps × chains × steps
# instructions of each kind must have been executed, none folded away, and each accumulator exact.

# %%
verdict = tcd.run("00")
KINDS = {name: row for name, row in verdict["derived"].items() if "mma_executed" in row}
RATES = {t["name"]: t["value"] for t in roofs["timings"]}
QUOTED = {t["name"]: t["value"] for t in tcd.data("day00-ada-account")["timings"]}
assert all(row["mma_executed"] == row["mma_predicted"] for row in KINDS.values())
tcd.table(
    [
        "instruction",
        "executed = foretold",
        "FLOP each",
        "H200: FLOP/clk/SM",
        "H200: cycles each",
        "RTX 4060 Laptop: FLOP/clk/SM",
    ],
    [
        (
            name,
            row["mma_executed"],
            row["flop_each"],
            RATES.get(name),
            SCHEDULERS * row["flop_each"] / RATES[name] if name in RATES else None,
            QUOTED.get(name),
        )
        for name, row in sorted(KINDS.items())
    ],
    tcd.source(verdict),
    tcd.source(roofs),
    tcd.source(tcd.data("day00-ada-account")),
)

# %% [markdown]
# Six cycles or four, whatever the type. On this card an `m16n8k8` takes four: two thirds of an `m16n8k16`, for
# half of the work. (FP8 has no rate there: the compiler makes FP16 of it. The page says how that was seen.)
#
# ## The identity of busy tensor cycles
#
# A GEMM executes a known number of `mma`. Each takes a known number of cycles of its tensor core. So a kernel's
# busy cycles are known before it runs, and they are the *same number* as FLOP over roof:
#
# **`mma` × cycles each / (4 · SMs) = 2·M·N·K / (FLOP/clk/SM · SMs)**
#
# Divide by the cycles that went by, and you have the share of the roof that the kernel reached. No counter that
# may mislead, no datasheet.

# %%
SMS = roofs["provenance"]["sm_count"]
CYCLES = {
    shape: profiled["derived"][f"NVIDIA H200: {shape} FP16→FP32, 16 warps, ILP 8"] for shape in FLOP
}
for shape, row in CYCLES.items():  # the profiler's own counters, one against another
    assert row["hmma_executed"] * row["cycles_each"] == row["hmma_cycles_active"], shape

LADDER = [("03", "128×128×32"), ("04", "2 stages"), ("05", "xor row >> 1 & 3, 2 stages")]
LADDER += [("07", "bias + ReLU"), ("09", "no epilogue")]
ROWS = []
for day, kernel in LADDER:
    counts = tcd.data(f"day{day}-emulated")["derived"][kernel]
    timing = next(t for t in tcd.data(f"day{day}-h200")["timings"] if t["name"] == kernel)
    shape = "m16n8k8" if counts["hmma_m16n8k8"] else "m16n8k16"
    each = CYCLES[shape]["cycles_each"]
    busy = counts["hmma"] * each / (SCHEDULERS * SMS)
    by_flop = 2 * 4096**3 / (SCHEDULERS * FLOP[shape] / each * SMS)
    assert abs(busy - by_flop) < 1e-6 * busy, "the identity"
    went_by = timing["median_ms"] * 1e-3 * timing["sm_clock_mhz"] * 1e6
    ROWS.append((f"{day} {kernel}", counts["hmma"], each, busy, went_by, 100 * busy / went_by))
tcd.table(
    [
        "kernel at 4096³",
        "mma executed (derived)",
        "cycles each (measured)",
        "busy cycles of a tensor core (derived)",
        "cycles that went by (measured)",
        "busy, %",
    ],
    ROWS,
    tcd.derived("mma counted by the emulated device", "notebooks/data/day05-emulated.json"),
    tcd.source(profiled),
    tcd.source(tcd.data("day05-h200")),
)

# %% [markdown]
# Look at Day 09 beside Day 05. Its tensor cores are busier, and it is not faster: it issues `m16n8k8`, which takes
# more cycles for the same work here. *Busy* is not *useful*. On the account's card the same identity says
# 2·4096³ / (512 · 24) cycles; the day prints it: `./day run 09`.

# %%
ADA = tcd.data("day09-emulated")["derived"]["busy tensor cycles"]
assert ADA["tensor_cycles"] == round(2 * 4096**3 / (ADA["flop_per_clock_and_sm"] * ADA["sms"]))
tcd.table(
    ["device", "SMs", "FLOP/clk/SM", "busy tensor cycles at 4096³"],
    [("RTX 4060 Laptop", ADA["sms"], ADA["flop_per_clock_and_sm"], ADA["tensor_cycles"])],
    tcd.source(tcd.data("day09-emulated")),
)

# %% [markdown]
# ## Where L2 ends
#
# A GEMM's other roof is memory. Read a buffer again and again; make it larger; watch L2 stop answering.

# %%
READS = sorted(
    (row["buffer_bytes"] / 2**20, row["gb_per_s"])
    for name, row in roofs["derived"].items()
    if name.startswith("NVIDIA H200: read,")
)
L2 = roofs["derived"]["limits"]["l2_bytes"] / 2**20
figure = Figure(figsize=(7.2, 3.0))
ax = figure.subplots()
ax.plot(*zip(*READS, strict=True), "o-", color=tcd.KIND_COLOUR["measured"])
ax.axvline(L2, color=tcd.INK, ls=":", lw=1)
ax.text(L2, ax.get_ylim()[1], " L2", fontsize=8, va="top")
ax.axhline(roofs["derived"]["limits"]["dram_ceiling_gb_per_s"], color=tcd.INK, ls="--", lw=0.9)
ax.text(
    READS[0][0],
    roofs["derived"]["limits"]["dram_ceiling_gb_per_s"] * 1.02,
    "what the DRAM bus allows",
    fontsize=8,
)
ax.set(xscale="log", xlabel="buffer (MiB)", ylabel="GB/s read", ylim=(0, None))
ax.set_xticks([8, 16, 32, 64, 128, 256], [8, 16, 32, 64, 128, 256])
ax.minorticks_off()
tcd.show(
    figure,
    "Read rate of an H200 against the size of the buffer",
    "A buffer of exactly L2's size comes from DRAM in good part. Day 06 lives on this edge.",
    tcd.source(roofs),
)

# %% [markdown]
# ## What became of the predictions

# %%
tcd.predictions(roofs, verdict)

# %% [markdown]
# Two of them did not hold on this card, and both taught something: see above, and the page of
# [Day 00](../days/00-roofs/README.md). Three numbers that look like these and are not:
# [misleading numbers](misleading.py).
