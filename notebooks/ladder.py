# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The ladder: every day on one roofline
#
# Twelve days, one kernel that changes by one mechanism a day. Here is the whole climb in two pictures: how fast
# each day is, and which roof it stands under.
#
# **Predict first.** At 4096³ a GEMM does 2·4096³ FLOP. Which roof will stop it: the tensor cores, DRAM, L2, or
# shared memory?

# %%
import json
import math
import re

from matplotlib.figure import Figure

import tcd_notebook as tcd

LADDER = json.loads((tcd.DATA / "ladder.json").read_text(encoding="utf-8"))
bench = tcd.data(LADDER["measured"]["bench"])  # one run; it has no Days 01 and 02
TOGETHER = {t["name"]: t for t in bench["timings"] if t.get("size") == LADDER["size"]}
ROWS = []
for row in LADDER["rows"]:
    timing = TOGETHER.get(f"{row['day']} {row['kernel']}")
    if timing is None:
        measured = tcd.data(f"day{row['day']}-h200")
        timing = next(t for t in measured["timings"] if t["name"] == row["kernel"])
    quoted = None
    if "quoted" in row:
        name = f"day{row.get('quoted_day', row['day'])}-ada-account"
        quoted = tcd.timings(tcd.data(name))[row["quoted"]]
    ROWS.append({**row, "tflops": timing["gflops"] / 1000, "quoted_tflops": quoted})

roofs = tcd.data("day00-h200")
CARD = next(p for p in tcd.tables()["profiles"] if p["name"] == "h200")


def roof(name):
    return next(t for t in roofs["timings"] if t["name"] == name)


TENSOR = roof(LADDER["measured"]["roof"])
SMS = roofs["provenance"]["sm_count"]
PEAK = TENSOR["value"] * SMS * TENSOR["sm_clock_mhz"] * 1e6 / 1e12  # TFLOP/s at the clock seen
K8_PEAK = roof("m16n8k8 FP16→FP32")["value"] * SMS * TENSOR["sm_clock_mhz"] * 1e6 / 1e12
DRAM = roof("DRAM read")["value"] / 1000  # TB/s

# %% [markdown]
# ## How fast

# %%
figure = Figure(figsize=(7.2, 4.0))
left, right = figure.subplots(1, 2, width_ratios=[1.35, 1], sharey=True)
places = range(len(ROWS))
bars = left.barh(places, [row["tflops"] for row in ROWS], color=tcd.KIND_COLOUR["measured"])
left.bar_label(bars, fmt=" %.0f", fontsize=8)
left.axvline(PEAK, color=tcd.INK, ls="--", lw=1)
left.set_yticks(places, [f"{row['day']}  {row.get('label', row['kernel'])}" for row in ROWS])
left.tick_params(axis="y", labelsize=8)
left.invert_yaxis()
left.set(title="H200 (measured)", xlabel="TFLOP/s")
left.set_xlim(0, PEAK * 1.08)
there = [(place, row["quoted_tflops"]) for place, row in enumerate(ROWS) if row["quoted_tflops"]]
bars = right.barh(*zip(*there, strict=True), color=tcd.KIND_COLOUR["quoted"])
right.bar_label(bars, fmt=" %.1f", fontsize=8)
right.set(title="RTX 4060 Laptop (quoted)", xlabel="TFLOP/s")
right.margins(x=0.2)
for ax in (left, right):
    ax.grid(axis="y", visible=False)
tcd.show(
    figure,
    "Throughput of each day's kernel on an H200, and of the account's kernels on an RTX 4060 Laptop",
    "Each day's kernel. Dashed: the H200's mma.sync roof. The two panels are two cards with scales of their "
    "own; the quoted kernels are the account's, named in the ladder of the front page.",
    {
        **tcd.source(roofs),
        "command": None,
        "source": "bench-h200.json, day01- and day02-h200.json beside the file that chooses from them",
        "file": "notebooks/data/ladder.json",
    },
    *(tcd.source(tcd.data(name)) for name in ("day05-ada-account", "day09-ada-account")),
)

# %% [markdown]
# ## The roofline, with two memories
#
# A roofline has one slope for every memory. The further right a kernel stands, the more it computes for each
# byte that this memory moves. So the same kernel stands at two places: for DRAM, and for shared memory.
#
# - **DRAM**: bytes read, by the model of Day 06, for this card.
# - **Shared memory**: passes, as counted: one moves up to 128 bytes and takes a clock of its SM.

# %%
FLOP = 2 * 4096**3
EMULATED = {
    row["day"]: (
        tcd.recorded(row.get("counted_in", f"day{row['day']}-emulated")) or {"derived": {}}
    )["derived"]
    for row in ROWS
}


def dram_bytes(row, counts):
    """By the model, for a 128×128 tile in this order; None for another tile, which it was not asked for."""
    copied = (counts["cp_async_bytes"] + counts["global_load_bytes"]) / 4096**3
    if not 0.99 < copied * 32 < 1.01:
        return None
    group = re.search(r"in groups of +(\d+)", row["order"])[1]
    return CARD["dram_read_bytes"]["4096"][group] + 4096 * 4096 * 2


SHARED_ROOF = SMS * 128 * TENSOR["sm_clock_mhz"] * 1e6 / 1e12  # TB/s if every pass is full

POINTS = []
for row in ROWS:
    counts = EMULATED[row["day"]].get(row.get("counted", row["kernel"]))
    if not counts or counts.get("size") != "4096×4096×4096":
        continue  # Days 01 and 02 multiply 2048³
    passes = sum(
        counts.get(f"{kind}_wavefronts", 0)
        for kind in ("ldmatrix", "cp_async", "shared_load", "shared_store")
    )
    dram = dram_bytes(row, counts)
    POINTS.append((row["day"], row["tflops"], FLOP / dram if dram else None, FLOP / (passes * 128)))
assert len(POINTS) >= 6, "days have lost their counts"

figure = Figure(figsize=(7.2, 4.4))
ax = figure.subplots()
X = [10**e for e in (0.4, 1, 1.5, 2, 2.5, 3, 3.5)]
ax.plot(X, [PEAK] * len(X), color=tcd.INK, lw=1.4)
ax.text(X[-1], PEAK * 1.04, "mma.sync m16n8k16", ha="right", fontsize=8)
ax.plot(X, [K8_PEAK] * len(X), color=tcd.INK, lw=0.9, ls="--")
ax.text(X[-1], K8_PEAK * 0.9, "mma.sync m16n8k8", ha="right", fontsize=8)
for slope, name, colour in ((DRAM, "DRAM", 0), (SHARED_ROOF, "shared memory, full passes", 1)):
    ax.plot(X, [min(x * slope, PEAK * 3) for x in X], color=tcd.COLOURS[colour], lw=1.4, label=name)
for place, colour, marker in ((2, 0, "s"), (3, 1, "o")):
    together = {}  # days that stand on one spot share a label
    for point in POINTS:
        if point[place] is None:
            continue
        ax.plot(point[place], point[1], marker, color=tcd.COLOURS[colour], ms=6)
        spot = round(math.log(point[place]) * 5), round(math.log(point[1]) * 8)
        together.setdefault(spot, []).append(point)
    for points in together.values():
        days = ", ".join(point[0] for point in points)
        ax.annotate(
            days,
            (points[0][place], points[0][1]),
            xytext=(8, -12),
            textcoords="offset points",
            fontsize=8,
        )
ax.set(
    xscale="log",
    yscale="log",
    xlabel="FLOP for each byte that this memory moves (derived)",
    ylabel="TFLOP/s (measured)",
    xlim=(3, 3200),
    ylim=(60, 1000),
)
ax.legend(loc="upper left", fontsize=8)
tcd.show(
    figure,
    "Roofline of the H200: days 03 to 11 under the tensor roof, the DRAM slope and the shared-memory slope",
    "Squares: FLOP a byte of DRAM, by the model. Circles: FLOP a byte of shared-memory passes, as counted. "
    "All days are far right of DRAM's slope: nobody waits for DRAM here. Days 03 and 04 stand on "
    "the shared-memory slope: conflicts are their roof. Day 05 moves the circle to the right.",
    tcd.source(roofs),
    tcd.source(bench),
    tcd.derived(
        "counters of day03-emulated.json and the days after it, beside this one; the model of Day 06",
        "notebooks/data/day05-emulated.json",
        "common/harness/dram_model.h",
    ),
)

# %%
tcd.table(
    ["day", "TFLOP/s", "% of mma.sync m16n8k16", "% of the shared-memory slope"],
    [
        (day, rate, 100 * rate / PEAK, 100 * rate / min(PEAK, at_shared * SHARED_ROOF))
        for day, rate, _, at_shared in POINTS
    ],
    tcd.source(bench),
    tcd.derived(
        "counters, divided by the two roofs above",
        "notebooks/data/day05-emulated.json",
        "notebooks/data/day00-h200.json",
    ),
)

# %% [markdown]
# Nobody reaches the tensor roof, and one should say why: `mma.sync` is the older path on this card. cuBLAS
# uses `wgmma` there, which reads shared memory without passing through registers. On an Ada card there is no such
# path, and the same kernel stands at 95 % of cuBLAS, by the account. What is left on this card is between the
# conflict-free layout and its slope: latency, which the days after Ada (fragments ahead, a
# wider tile) attack.
