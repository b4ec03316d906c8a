# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Three numbers that mislead
#
# A kernel is held against a roof, and the roof comes from somewhere: a datasheet, a counter, a loop that was
# timed. Each of the three can be wrong by a factor of two and look like a measurement.
#
# **Predict first.** A profiler says that the tensor cores of a kernel are busy 47 % of the time. How much
# faster can it get?

# %%
import re

from matplotlib.figure import Figure

import tcd_notebook as tcd

roofs, account = tcd.data("day00-h200"), tcd.data("day00-ada-account")
profile = tcd.data("profile09-ada-account")
profiled = tcd.data("ncu00-h200")
MEASURED = {t["name"]: t for t in roofs["timings"]}
QUOTED = {t["name"]: t for t in account["timings"]}

# %% [markdown]
# ## 1. The width of the sums
#
# A GeForce multiplies halves at one rate if the sums are FP16, and at half of that if they are FP32. The
# number on the box is the larger one. A data-centre card has one rate for both.

# %%
WIDTHS = ("m16n8k16 FP16→FP32", "m16n8k16 FP16→FP16")
figure = Figure(figsize=(7.2, 2.6))
for ax, values, title, kind in (
    (None, QUOTED, "RTX 4060 Laptop (quoted)", "quoted"),
    (None, MEASURED, "H200 (measured)", "measured"),
):
    ax = figure.add_subplot(1, 2, 1 if kind == "quoted" else 2)
    bars = ax.barh(
        [name.split()[1] for name in WIDTHS],
        [values[name]["value"] for name in WIDTHS],
        color=tcd.KIND_COLOUR[kind],
    )
    ax.bar_label(bars, fmt=" %.0f", fontsize=8)
    ax.set(title=title, xlabel="FLOP/clk/SM")
    ax.margins(x=0.25)
    ax.grid(axis="y", visible=False)
tcd.show(
    figure,
    "Issue rates with FP32 and with FP16 sums: different on a GeForce, equal on an H200",
    "Divide a kernel with FP32 sums by the rate for FP16 sums, and on the GeForce it looks half as good as it is.",
    tcd.source(account),
    tcd.source(roofs),
)

# %% [markdown]
# It is the product that is restricted, not the architecture: an L4 is sm_89 like the GeForce and has both at
# full rate, by its datasheet. So ask the card: `./day run 00 --device gpu`.
#
# ## 2. The counter that stops at 50 %
#
# Nsight Compute's `sm__pipe_tensor_op_hmma_cycles_active` adds a fixed number of cycles for each `mma`. On the
# account's card that is 16 for an `m16n8k16`. With FP32 sums the instruction takes twice as long:
# 4,096 FLOP / (512 / 4) = 32 cycles. So a tensor core that never rests reads 50 %.

# %%
KERNEL = profile["derived"]["4 warps"]
FLOP, SCHEDULERS = 2 * 16 * 8 * 16, 4
TAKES = FLOP / (QUOTED["m16n8k16 FP16→FP32"]["value"] / SCHEDULERS)  # cycles, FP32 sums
ADDS = FLOP / (QUOTED["m16n8k16 FP16→FP16"]["value"] / SCHEDULERS)  # what the counter adds
figure = Figure(figsize=(7.2, 2.2))
ax = figure.subplots()
bars = ax.barh(
    ["the cycle counter", "the counter of FP16→FP32 operations"],
    [KERNEL["hmma_cycles_counter_percent"], KERNEL["tensor_busy_percent"]],
    color=tcd.KIND_COLOUR["quoted"],
)
ax.bar_label(bars, fmt="%.1f %%", fontsize=9, label_type="center", color="black")
ax.axvline(100 * ADDS / TAKES, color=tcd.KIND_COLOUR["derived"], ls="--", lw=1.2)
ax.set(
    xlim=(0, 118),
    xlabel="% busy (quoted); dashed: where the first one ends (derived)",
)
ax.grid(axis="y", visible=False)
tcd.show(
    figure,
    "One kernel by two counters: 47 % and 92.7 %",
    "The same run of the same kernel. The first counter cannot pass the dashed line.",
    tcd.source(profile),
    tcd.derived(
        "cycles added over cycles taken, from the rates above",
        "notebooks/data/day00-ada-account.json",
    ),
)
assert abs(KERNEL["hmma_cycles_counter_percent"] - KERNEL["tensor_busy_percent"] * ADDS / TAKES) < 1

# %% [markdown]
# So the answer to the prediction: not twice as fast. 8 %. The H200's counter adds a fixed number as well, but the
# one that an `mma` really takes, and there it tells the truth:

# %%
tcd.table(
    [
        "H200, 16 warps of 8 chains",
        "mma executed",
        "cycles the counter added",
        "each",
        "% of the peak it says",
    ],
    [
        (
            name.removeprefix("NVIDIA H200: ").removesuffix(", 16 warps, ILP 8"),
            row["hmma_executed"],
            row["hmma_cycles_active"],
            row["cycles_each"],
            row["percent_of_peak_active"],
        )
        for name, row in profiled["derived"].items()
    ],
    tcd.source(profiled),
)

# %% [markdown]
# There is a second trap behind the first: without the suffix `_sparsity_off` the counter of operations divides by the
# *sparse* peak, and everything reads half. A utilization is a ratio. Know its denominator.
#
# ## 3. The roof in TFLOP/s
#
# A loop of nothing but `mma` is the densest load there is. The card runs into its power limit and slows its
# clock, so the roof in TFLOP/s depends on what ran the second before. The roof in FLOP a clock does not.

# %%
ROOF = "m16n8k16 FP16→FP32"
SMS = roofs["provenance"]["sm_count"]
CASES = []
for name in (f"{ROOF}, rested", f"{ROOF}, after 1.5 s back to back"):
    timing = MEASURED[name]
    per_clock, watts = map(
        float, re.match(r"([\d.]+) FLOP/clk/SM, (\d+) W", timing["detail"]).groups()
    )
    CASES.append((name.split(", ")[1], timing["value"], timing["sm_clock_mhz"], per_clock, watts))
timing = MEASURED[ROOF]
short = timing["value"] * SMS * timing["sm_clock_mhz"] / 1e6
CASES.insert(
    0, ("short samples, pauses between", short, timing["sm_clock_mhz"], timing["value"], None)
)
tcd.table(
    ["how it was measured", "TFLOP/s", "clock, MHz", "FLOP/clk/SM", "W"],
    CASES,
    tcd.source(roofs),
)
assert max(c[3] for c in CASES) < 1.002 * min(c[3] for c in CASES), "a clock is a clock"
assert max(c[1] for c in CASES) > 1.08 * min(c[1] for c in CASES)

# %% [markdown]
# Three roofs of one chip in TFLOP/s, and one in FLOP a clock. A GEMM has the same two faces. Here is Day 09's
# bench, once with pauses and once for half a minute without:

# %%
soak = tcd.data("soak09-h200")
rested = tcd.data("day09-h200")
NAME = soak["derived"]["soak"]["configuration"]
timing = next(t for t in rested["timings"] if t["name"] == NAME)
SECONDS = soak["derived"]["soak"]["each second"][5:]
clock = sum(s["clock_mhz"] for s in SECONDS) / len(SECONDS)
rate = soak["derived"]["soak"]["tflops"]
pairs = (
    ("with pauses", timing["gflops"] / 1000, timing["sm_clock_mhz"]),
    ("without", rate, clock),
)
tcd.table(
    ["launches", "TFLOP/s", "clock, MHz", "FLOP/clk/SM"],
    [(name, value, mhz, value * 1e6 / mhz / SMS) for name, value, mhz in pairs],
    tcd.source(rested),
    tcd.source(soak),
)

# %% [markdown]
# The account's laptop knows the same: in its FP16 runs the power cap was on in every one of its samples, and the
# gain of FP16 sums in TFLOP/s is not the gain in clocks. So: **compare only within one run, and write the clock
# beside every figure.**

# %%
CAP = profile["derived"]["power cap"]
tcd.table(
    ["the account's samples", "of them at the power cap"],
    [(CAP["samples"], CAP["samples_at_the_cap"])],
    tcd.source(profile),
)
