# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 03, the CTA tile: a larger tile, and a slower kernel
#
# Twice as many columns for every element of A that was copied, twice as many rows for every element of B. And on
# the H200 the kernel becomes slower. Here is what the larger tile buys, what it costs, and what ate the gain.
#
# **Predict first.** A 128×128 tile instead of 64×64. How many bytes does one multiply-add cost now?

# %%
import math

import numpy as np
from matplotlib.figure import Figure

import tcd_notebook as tcd

tcd.code("days/03-cta-tile/kernel.cu", "constants")

# %% [markdown]
# ## Bytes for a multiply-add
#
# One step of k copies M + N halves and makes M·N multiply-adds. So a multiply-add costs 2·(1/M + 1/N) bytes. The
# emulated device counted the copies of the whole 4096³ kernel; the two must agree to the last byte.

# %%
counts = tcd.data("day03-emulated")["derived"]["128×128×32"]
before = tcd.data("day02-emulated")["derived"]["ldmatrix 2048×2048×2048"]
SIDES = [16, 32, 64, 128, 256, 512]
figure = Figure(figsize=(7.2, 3.4))
left, right = figure.subplots(1, 2)
left.plot(SIDES, [2 * 2 / side for side in SIDES], color=tcd.KIND_COLOUR["derived"])
for side, row, size, day in ((64, before, 2048, "Day 02"), (128, counts, 4096, "Day 03")):
    per = row["global_load_bytes"] / size**3
    assert per == 2 * 2 / side, (day, per)
    left.plot([side], [per], "o", color=tcd.COLOURS[1])
    left.annotate(day, (side, per), xytext=(6, 4), textcoords="offset points", fontsize=9)
left.set(xscale="log", yscale="log", title="from global memory", xlabel="side of the CTA tile")
left.set_ylabel("bytes a multiply-add")
left.set_xticks(SIDES, SIDES)
left.minorticks_off()


def loads_and_registers(m, n):
    """For a warp tile of m × n and one m16n8k16 a step: ldmatrix.x4 an mma, accumulators a lane."""
    mmas = (m // 16) * (n // 8)
    return (m / 16 + n / 16) / mmas, m * n // 32


for m, n in ((16, 32), (32, 32), (64, 32), (64, 64), (128, 64)):
    loads, registers = loads_and_registers(m, n)
    right.plot([registers], [loads], "o", color=tcd.KIND_COLOUR["derived"])
    right.annotate(
        f"{m}×{n}", (registers, loads), xytext=(5, 5), textcoords="offset points", fontsize=9
    )
right.set(
    title="from shared memory", xlabel="registers for the sums, a lane", ylabel="ldmatrix.x4 an mma"
)
right.set(ylim=(0, 0.85), xlim=(0, 300))
tcd.show(
    figure,
    "Bytes a multiply-add over the CTA tile, and ldmatrix an mma over the registers of the warp tile",
    "Left: the line is 4/side, the dots are counted. Right: a larger warp tile loads less and holds more; a thread "
    "has 255 registers.",
    tcd.source(tcd.data("day03-emulated")),
    tcd.source(tcd.data("day02-emulated")),
)
assert counts["ldmatrix"] / counts["hmma"] == loads_and_registers(64, 32)[0]

# %% [markdown]
# The same law twice: area over edge. From global memory the CTA tile decides, from shared memory the warp
# tile. What it costs are registers, and they decide how many CTAs an SM holds.
#
# ## What ate the gain

# %%
kernel = tcd.report("03", "--m", "128", "--n", "128", "--k", "64")
kernel = next(k for k in kernel if k["counters"]["ldmatrix"])
each = kernel["counters"]["ldmatrix_wavefronts"] / kernel["counters"]["ldmatrix"]
assert each == 16, "four passes for each of four tiles"

LADDER = [
    ("02", "ldmatrix 2048×2048×2048", "ldmatrix", 2048),
    ("03", "128×128×32", "128×128×32", 4096),
    ("05", "xor row >> 1 & 3, 2 stages", "xor row >> 1 & 3, 2 stages", 4096),
]
ROWS = []
for day, counted, timed, size in LADDER:
    row = tcd.data(f"day{day}-emulated")["derived"][counted]
    mega = 2 * size**3 / 1e6
    kinds = ("ldmatrix", "shared_load", "shared_store", "cp_async")
    through = sum(row.get(f"{kind}_wavefronts", 0) for kind in kinds)
    ROWS.append(
        (
            day,
            row["global_load_bytes"] / mega + row.get("cp_async_bytes", 0) / mega,
            row["ldmatrix"] / mega,
            row["ldmatrix_bank_conflicts"] / mega,
            through / mega,
            tcd.timings(tcd.data(f"day{day}-h200"))[timed],
        )
    )
tcd.table(
    [
        "day",
        "bytes copied",
        "ldmatrix",
        "of its passes: conflicts",
        "all passes through shared memory",
        "H200: TFLOP/s (measured)",
    ],
    ROWS,
    tcd.derived(
        "counters, for each million FLOP",
        "notebooks/data/day02-emulated.json",
        "notebooks/data/day03-emulated.json",
    ),
    tcd.source(tcd.data("day03-h200")),
)
assert ROWS[1][1] < ROWS[0][1] and ROWS[1][2] < ROWS[0][2]
assert ROWS[1][4] > ROWS[0][4] and ROWS[1][5] < ROWS[0][5]

# %% [markdown]
# Half of the bytes, fewer `ldmatrix`: everything the tile promised came true. And the passes through shared memory
# went *up*, because Day 02's rows were padded and these are not. Each `ldmatrix` takes 16 passes where 4
# would do. On this chip that is all that counts, and the last row shows the same tile without conflicts.
#
# So a step that is right can look wrong until its neighbour is mended. Keep the counters beside the times.
#
# ## What a stored half hides
#
# Suppose every sum is off by 1/16, the least that a lost product can do. How many FP16 outputs still look
# right? A half has 11 significant bits, so between 128 and 256 neighbours are 1/8 apart, and half of such errors
# round away. Predict the share from the spread of the sums alone: a sum of K products of quarters is nearly
# normal.

# %%
QUARTERS = np.arange(-8, 9) / 4
SPREAD = (QUARTERS**2).mean()  # standard deviation of x·y: root of the mean of x² times that of y²


def share_hidden(k):
    """Of a normal sum with K·SPREAD² variance, in steps of 1/16: how often does + 1/16 not show?"""
    x = np.arange(-60000, 60001) / 16
    sigma = math.sqrt(k) * SPREAD
    weight = np.exp(-(x**2) / (2 * sigma**2))
    same = x.astype(np.float16) == (x + 1 / 16).astype(np.float16)
    return float((weight * same).sum() / weight.sum())


GATE = "an error of 1/16 at 256×256×4096"
seen = tcd.data("day03-h200")["derived"][GATE]
came_out = seen["unseen in FP16"] / seen["elements"]
KS = [2**e for e in range(8, 15)]
figure = Figure(figsize=(7.2, 3.0))
ax = figure.subplots()
ax.plot(
    KS,
    [100 * share_hidden(k) for k in KS],
    ".-",
    color=tcd.KIND_COLOUR["derived"],
    label="foretold",
)
ax.plot([4096], [100 * came_out], "o", color=tcd.KIND_COLOUR["measured"], ms=8, label="H200")
ax.set(xscale="log", xlabel="K", ylabel="% of wrong elements that look right")
ax.set_xticks(KS, KS)
ax.minorticks_off()
ax.legend(fontsize=9)
tcd.show(
    figure,
    "Share of elements in which an error of 1/16 is invisible in FP16, over K",
    "Every sum is wrong by 1/16. The dot: elements of the day's kernel that looked right all the same.",
    tcd.derived("a normal distribution, rounded to FP16", "notebooks/03-cta-tile.py"),
    tcd.source(tcd.data("day03-h200")),
)
assert abs(share_hidden(4096) - came_out) < 0.01

# %% [markdown]
# At K = 256 nothing is hidden, so a test at a small size finds what a test at the real size does not. With
# FP32 output nothing is hidden at any K. The gates run both.

# %%
tcd.predictions(tcd.data("day03-emulated"), tcd.data("day03-h200"))
