# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 09, the Ada kernel: sweeps, a soak, and one law under all of them
#
# 120 configurations, every one gated, then timed. Here is the map of them, the cliff in it, and the one number that
# orders most of it. Then the same kernel for half a minute without a pause.
#
# **Predict first.** Five tiles, four layouts, six depths. Which of the three matters most on an H200?

# %%
import tempfile
from pathlib import Path

from matplotlib.figure import Figure

import tcd_notebook as tcd

SWEEP = [
    row
    for row in tcd.rows("sweep09-h200")
    if (row["mma"], row["group"], row["m"]) == ("k8", 2, 4096)
]
MEASURED = tcd.measured_csv("sweep09-h200", like="day09-h200")
TILES = {
    0: "64×64, 4 warps of 32×32",
    1: "128×128, 8 warps of 64×32",
    2: "256×128, 8 warps of 64×64",
    3: "128×128, 4 warps of 64×64",
    4: "256×128, 4 warps of 128×64",
}
LAYOUTS = {0: "row-major", 1: "padded", 2: "row & 3", 3: "row >> 1 & 3"}
DEPTHS = range(1, 7)
assert len(SWEEP) == len(TILES) * len(LAYOUTS) * len(DEPTHS)
assert all(row["passed"] == "yes" or row["refused"] for row in SWEEP)

# %% [markdown]
# ## The heat map

# %%
AT = {(row["tile"], row["layout"], row["stages"]): row for row in SWEEP}
TOP = max(row["tflops"] for row in SWEEP if row["tflops"])
figure = Figure(figsize=(7.2, 7.0))
axes = figure.subplots(3, 2).flat
for ax, (tile, name) in zip(axes, TILES.items(), strict=False):
    grid = [
        [AT[tile, layout, depth]["tflops"] or float("nan") for depth in DEPTHS]
        for layout in LAYOUTS
    ]
    ax.imshow(grid, vmin=0, vmax=TOP, cmap="viridis", aspect="auto")
    for y, line in enumerate(grid):
        for x, value in enumerate(line):
            known = value == value
            ax.text(
                x,
                y,
                f"{value:.0f}" if known else "–",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if known and value < 0.6 * TOP else "black" if known else tcd.INK,
            )
    ax.set_title(f"{tile}: {name}", fontsize=9)
    ax.set_xticks(range(len(DEPTHS)), DEPTHS, fontsize=8)
    ax.set_yticks(range(len(LAYOUTS)), LAYOUTS.values(), fontsize=8)
    ax.grid(False)
    ax.tick_params(length=0)
axes = list(figure.axes)
axes[-1].axis("off")
for ax in axes[3:5]:
    ax.set_xlabel("stages", fontsize=8)
tcd.show(
    figure,
    "TFLOP/s on an H200 of 120 configurations: five tiles, four layouts, one to six stages",
    "TFLOP/s at 4096³, two m16n8k8 a step, FP32 sums, G = 2.",
    MEASURED,
)

# %%
ranked = sorted((row for row in SWEEP if row["tflops"]), key=lambda row: -row["tflops"])


def spread(knob, rows):
    """Best divided by worst over one knob, the mean over all values of the other two."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[k] for k in KNOBS if k != knob), []).append(row["tflops"])
    return sum(max(rates) / min(rates) for rates in groups.values()) / len(groups)


KNOBS = ("tile", "layout", "stages")
tcd.table(
    ["knob", "values", "best / worst, the other two held", "… without tile 4"],
    [
        (
            knob,
            len({row[knob] for row in SWEEP}),
            spread(knob, ranked),
            spread(knob, [row for row in ranked if row["tile"] != 4]),
        )
        for knob in KNOBS
    ],
    MEASURED,
)
tcd.table(
    ["rank", "tile", "layout", "stages", "TFLOP/s", "registers", "bytes spilled", "CTAs an SM"],
    [
        (
            rank,
            TILES[row["tile"]],
            LAYOUTS[row["layout"]],
            row["stages"],
            row["tflops"],
            row["registers"],
            row["spill_bytes"],
            row["ctas_per_sm"],
        )
        for rank, row in enumerate(ranked, 1)
        if rank <= 5 or rank == len(ranked)
    ],
    MEASURED,
)

# %% [markdown]
# The tile, at first sight. But that is tile 4. Leave it out, and the layout matters most: a line of XOR is worth more than
# any shape.
#
# ## The cliff
#
# Tile 4 has 256 sums for each thread, and a thread has 255 registers. So some live in memory. Tile 2 is the same CTA
# tile on twice the threads.

# %%
BEST = {
    tile: max((r for r in ranked if r["tile"] == tile), key=lambda r: r["tflops"]) for tile in TILES
}
tcd.table(
    ["tile", "sums a thread", "registers", "bytes spilled", "CTAs an SM", "best TFLOP/s"],
    [
        (TILES[tile], sums, row["registers"], row["spill_bytes"], row["ctas_per_sm"], row["tflops"])
        for (tile, row), sums in zip(BEST.items(), (32, 64, 128, 128, 256), strict=True)
    ],
    MEASURED,
)
assert BEST[4]["spill_bytes"] > 1000 and BEST[4]["tflops"] < BEST[2]["tflops"]

# %% [markdown]
# The account measured the same edge on its card and kept the result. A negative result that is not kept is found again.
#
# ## One law
#
# Count, for each configuration, the passes through shared memory: `ldmatrix` and `cp.async`, conflicts
# included. The emulated device has done so just now, for the whole sweep at a small shape. For each million FLOP
# the number does not depend on the shape. Then put the H200's time beside it.

# %%
with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
    file = Path(folder) / "sweep.csv"
    tcd.run(
        "09", "--sweep", "--m", "256", "--n", "256", "--k", "256", "--csv", str(file), gpu="h200"
    )
    COUNTED = tcd.read_rows(file)
COUNTS = tcd.derived(
    "passes counted by the emulated device",
    command="./day run 09 --gpu h200 -- --sweep --m 256 --n 256 --k 256 --csv sweep.csv",
)
MEGA = 2 * 256**3 / 1e6


def passes(row):
    reads = 4 * row["ldmatrix"] + row["ldmatrix_bank_conflicts"]
    return (reads + row["cp_async_wavefronts"]) / MEGA


PASSES = {(r["tile"], r["layout"], r["stages"]): passes(r) for r in COUNTED if r["passed"] == "yes"}
figure = Figure(figsize=(7.2, 4.2))
ax = figure.subplots()
SMS = tcd.data("day09-h200")["provenance"]["sm_count"]
FASTEST = max(row["sm_clock_mhz"] for row in SWEEP if row["tflops"])


def line(passes_a_mega, mhz=FASTEST):
    """TFLOP/s at one pass a clock and SM."""
    return SMS * mhz / passes_a_mega


X = [300, 3000]
ax.plot(X, [line(x) for x in X], color=tcd.INK, lw=1, ls="--")
for tile, marker in zip(TILES, "osD^v", strict=True):
    points = [
        (PASSES[key], row["tflops"])
        for key, row in AT.items()
        if key[0] == tile and key in PASSES and row["tflops"]
    ]
    ax.plot(
        *zip(*points, strict=True),
        marker,
        ms=5,
        alpha=0.8,
        color=tcd.COLOURS[tile],
        label=f"tile {tile}",
    )
ax.set(
    xscale="log",
    yscale="log",
    xlabel="passes through shared memory, a million FLOP (derived)",
    ylabel="TFLOP/s (measured)",
)
ax.set_ylim(80, 600)
ax.set_yticks([100, 200, 400], [100, 200, 400])
ax.set_xticks([300, 500, 1000, 2000, 3000], [300, 500, 1000, 2000, 3000])
ax.minorticks_off()
ax.legend(fontsize=8)
tcd.show(
    figure,
    "Throughput of 120 configurations against passes through shared memory",
    "Dashed: one pass a clock and SM, nothing else. Nobody passes it, and where passes are many everybody stands near it.",
    MEASURED,
    COUNTS,
)
SHARE = {
    key: AT[key]["tflops"] / line(PASSES[key], AT[key]["sm_clock_mhz"])
    for key in PASSES
    if AT[key]["tflops"]
}
assert max(SHARE.values()) < 1.01, "nothing passes the line"
tcd.table(
    [
        "% of the line, the best of each tile",
        *(f"tile {tile}" for tile in TILES),
    ],
    [
        (
            name,
            *(
                100 * max(SHARE[tile, layout, d] for d in DEPTHS if (tile, layout, d) in SHARE)
                for tile in TILES
            ),
        )
        for layout, name in LAYOUTS.items()
    ],
    MEASURED,
    COUNTS,
)

# %% [markdown]
# With row-major rows the tiles of 128×128 and 64×64 stand close under the line: shared memory is all there is. Tile 2
# is alone on its SM, and nobody works while its eight warps stand at a barrier. Layouts with fewer passes move a
# point to the left *and* away from the line: then something else is short. Tile 4, which spills, obeys
# another law, and no counter of shared memory shows it.
#
# ## The order of the CTAs, at 8192³

# %%
GROUPS = tcd.rows("gsweep09-h200")
figure = Figure(figsize=(7.2, 3.2))
ax = figure.subplots()
twin = ax.twinx()
groups = [row["group"] for row in GROUPS]
twin.bar(
    range(len(groups)),
    [row["dram_model_bytes"] / 1e9 for row in GROUPS],
    color=tcd.KIND_COLOUR["derived"],
    alpha=0.3,
)
twin.set_ylabel("DRAM read, GB (bars, derived)")
twin.grid(False)
ax.plot(
    range(len(groups)), [row["tflops"] for row in GROUPS], "o-", color=tcd.KIND_COLOUR["measured"]
)
ax.set(xlabel="G", ylabel="TFLOP/s (measured)", ylim=(320, 345))
ax.set_xticks(range(len(groups)), groups)
ax.set_zorder(2)
ax.patch.set_visible(False)
tcd.show(
    figure,
    "Throughput and DRAM reads at 8192³ over the group size G on an H200",
    "Half of the bytes, two percent of the time: on this card nobody waits for DRAM. The left axis does not begin at 0.",
    tcd.measured_csv("gsweep09-h200", like="day09-h200"),
    tcd.derived("model_dram_traffic(), a column of the same file", "common/harness/dram_model.h"),
)

# %% [markdown]
# ## Half a minute without a pause

# %%
soak = tcd.data("soak09-h200")["derived"]["soak"]
SECONDS = soak["each second"]
figure = Figure(figsize=(7.2, 5.4))
for ax, (key, label) in zip(
    figure.subplots(4, 1, sharex=True),
    {"tflops": "TFLOP/s", "clock_mhz": "clock, MHz", "watts": "W", "celsius": "°C"}.items(),
    strict=True,
):
    ax.plot(
        range(1, len(SECONDS) + 1),
        [s[key] for s in SECONDS],
        ".-",
        color=tcd.KIND_COLOUR["measured"],
    )
    ax.set_ylabel(label)
    ax.margins(y=0.25)
ax.set_xlabel("seconds back to back")
tcd.show(
    figure,
    "Throughput, clock, power and temperature of an H200 over half a minute of the same kernel",
    "The card is at its power limit from the first second. The clock gives way; what is left is steady.",
    tcd.source(tcd.data("soak09-h200")),
)
assert soak["throttled seconds"] == len(SECONDS)

# %%
quoted = tcd.data("profile09-ada-account")
ada = quoted["derived"]["soak"]
tcd.table(
    [
        "card",
        "seconds",
        "launches",
        "TFLOP/s",
        "decay, %",
        "W at the end",
        "MHz at the end",
        "°C at the end",
    ],
    [
        (
            "H200 (measured)",
            soak["seconds"],
            soak["launches"],
            soak["tflops"],
            soak["decay percent"],
            SECONDS[-1]["watts"],
            SECONDS[-1]["clock_mhz"],
            SECONDS[-1]["celsius"],
        ),
        (
            "RTX 4060 Laptop (quoted)",
            ada["seconds"],
            ada["launches"],
            ada["tflops"],
            ada["decay_percent"],
            ada["watts"],
            ada["clock_mhz"],
            ada["celsius"],
        ),
    ],
    tcd.source(tcd.data("soak09-h200")),
    tcd.source(quoted),
)

# %% [markdown]
# ## Why it won on Ada
#
# There the order is another. The account's profiler at 4096³, beside cuBLAS:

# %%
PROFILE = quoted["derived"]
tcd.table(
    ["kernel", "registers", "warps active, %", "stall at barriers", "tensor cores busy, %"],
    [
        (
            name,
            row["registers"],
            row["warps_active_percent"],
            row["barrier_stall"],
            row["tensor_busy_percent"],
        )
        for name, row in PROFILE.items()
        if name in ("8 warps", "4 warps", "cuBLAS")
    ],
    tcd.source(quoted),
)

# %% [markdown]
# Half of the warps, a third less waiting at barriers, and cuBLAS's own shape: few warps, many registers. On that chip
# the tensor cores are the narrow place, and the last percent is won by waiting less. On the H200 they are half
# idle, and the passes decide. **The same source, two bottlenecks.** That is why prediction 7 failed:

# %%
tcd.predictions(tcd.data("day09-emulated"), tcd.data("day09-h200"))
