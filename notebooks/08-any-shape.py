# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 08, any shape: what an edge costs
#
# The kernel works on tiles of 128×128×32, and a matrix is whatever it is. The copies fill up with zeros, the stores
# look where they write. This notebook counts what that wastes, and checks three formulas against the executable
# on shapes that nobody would choose.
#
# **Predict first.** 129 rows instead of 128. How much more work is that?

# %%
import math

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import tcd_notebook as tcd

tcd.code("days/08-any-shape/kernel.cu", "load")

# %% [markdown]
# ## One matrix, drawn
#
# The shape of the day's own counts: 200×300, K = 104.

# %%
M, N, K = 200, 300, 104
TILE, DEPTH = 128, 32


def up(x, step):
    return math.ceil(x / step) * step


figure = Figure(figsize=(7.2, 3.2))
left, right = figure.subplots(1, 2, width_ratios=[1.5, 1])
left.add_patch(
    Rectangle((0, 0), up(N, TILE), up(M, TILE), facecolor=tcd.COLOURS[1], alpha=0.35, lw=0)
)
left.add_patch(Rectangle((0, 0), N, M, facecolor=tcd.COLOURS[2], alpha=0.9, lw=0))
left.set(
    xlim=(0, up(N, TILE)),
    ylim=(up(M, TILE), 0),
    aspect="equal",
    title="D: tiles of 128×128",
    xlabel="n",
    ylabel="m",
)
left.set_xticks([0, 128, 256, N, up(N, TILE)])
left.set_yticks([0, 128, M, up(M, TILE)])
right.add_patch(
    Rectangle((0, 0), up(K, DEPTH), up(M, TILE), facecolor=tcd.COLOURS[1], alpha=0.35, lw=0)
)
right.add_patch(Rectangle((0, 0), K, M, facecolor=tcd.COLOURS[0], alpha=0.9, lw=0))
right.set(xlim=(0, up(K, DEPTH)), ylim=(up(M, TILE), 0), title="A: k-tiles of 32", xlabel="k")
right.set_xticks([0, 32, 64, 96, K, up(K, DEPTH)], [0, 32, 64, 96, "", up(K, DEPTH)])
right.set_yticks([0, 128, M, up(M, TILE)])
tcd.show(
    figure,
    "A 200 by 300 result under tiles of 128 by 128, and a 200 by 104 operand under k-tiles of 32",
    "Pale: zeros that were never in memory. They are multiplied like everything else.",
    tcd.derived("the tile is 128×128×32", "days/08-any-shape/kernel.cu"),
)

# %% [markdown]
# ## Three formulas, six shapes
#
# An edge tile costs what a whole one costs, so `mma` go by shapes rounded up. Copies read what is there and nothing
# else. Stores write what is wanted and nothing else. The real executable has just run on each of these shapes, every
# bit gated and everything counted:

# %%
SHAPES = [
    (128, 128, 32),
    (129, 128, 32),
    (1, 1, 8),
    (200, 300, 104),
    (37, 257, 72),
    (130, 127, 256),
]


def foretold(m, n, k):
    mma = up(m, TILE) * up(n, TILE) * up(k, DEPTH) // (16 * 8 * 16)
    read = 2 * k * (m * math.ceil(n / TILE) + n * math.ceil(m / TILE))
    return mma, read, 2 * m * n


ROWS, verdicts = [], []
for m, n, k in SHAPES:
    verdict = tcd.run("08", "--variant", "no epilogue", "--m", str(m), "--n", str(n), "--k", str(k))
    verdicts.append(verdict)
    row = next(r for r in verdict["derived"].values() if r.get("size") == f"{m}×{n}×{k}")
    seen = row["hmma"], row["cp_async_bytes"], row["global_store_bytes"]
    assert seen == foretold(m, n, k), (m, n, k, seen)
    whole = up(m, TILE) * up(n, TILE) * up(k, DEPTH)
    ROWS.append((f"{m}×{n}×{k}", *seen, 100 * m * n * k / whole, row["ldmatrix_bank_conflicts"]))
tcd.table(
    ["M×N×K", "mma", "bytes copied", "bytes stored", "% of the products wanted", "bank conflicts"],
    ROWS,
    tcd.source(verdicts[SHAPES.index((200, 300, 104))]),
)

# %% [markdown]
# One row too many doubles the work: 129 rows cost what 256 cost. And a 1×1 result costs a whole tile.
#
# ## How much is wanted, over the size
#
# Two tiles for square matrices. The small one wastes less at the edge and reuses less in the middle (Day 03's curve).

# %%
SIZES = list(range(64, 2049, 8))
figure = Figure(figsize=(7.2, 3.2))
ax = figure.subplots()
for tile, colour in ((128, 0), (64, 1)):
    ax.plot(
        SIZES,
        [100 * size**3 / (up(size, tile) ** 2 * up(size, DEPTH)) for size in SIZES],
        color=tcd.COLOURS[colour],
        lw=1.1,
        label=f"tile {tile}×{tile}",
    )
ax.set(xlabel="M = N = K", ylabel="% of the products wanted", ylim=(0, 103))
ax.legend(loc="lower right", fontsize=9)
tcd.show(
    figure,
    "Share of wanted products over the size of a square matrix, for tiles of 128 and of 64",
    "A saw: just above a multiple of the tile the waste is largest, and it fades as tiles become many.",
    tcd.derived("shapes rounded up", "notebooks/08-any-shape.py"),
)

# %% [markdown]
# ## What guards cost on whole tiles
#
# The guarded kernel can do everything. Why keep a second one without guards? Because a comparison for every copy and
# every store is not free, and most tiles are whole.

# %%
emulated, h200 = tcd.data("day08-emulated"), tcd.data("day08-h200")
GUARDS = emulated["derived"]["guards on whole tiles"]
rates = tcd.timings(h200)
tcd.table(
    ["instance, on whole tiles", "warp instructions (derived)", "H200: TFLOP/s (measured)"],
    [
        ("without guards", GUARDS["without"], rates["no epilogue"]),
        ("with guards", GUARDS["with"], rates["guarded"]),
        (
            "with / without",
            GUARDS["with"] / GUARDS["without"],
            rates["guarded"] / rates["no epilogue"],
        ),
    ],
    tcd.source(emulated),
    tcd.source(h200),
)
assert GUARDS["with"] > 1.3 * GUARDS["without"] and rates["guarded"] < rates["no epilogue"]

# %% [markdown]
# Two fifths more instructions, and a few percent of the time: most of them hide behind waits. On whole tiles the day's
# counters are equal to the day before, to the last one:

# %%
WHOLE = emulated["derived"]["whole tiles, 384×256×160"]
assert WHOLE["today"] == WHOLE["yesterday"]
tcd.table(
    ["384×256×160", "warp instructions"],
    [(f"{when}'s kernel", n) for when, n in WHOLE.items()],
    tcd.source(emulated),
)

# %% [markdown]
# ## The other way: pad it yourself
#
# Copy A and B into larger matrices first, and use yesterday's kernel. What does that move, for a vocabulary of 50,257
# words and a batch of 37 sentences?

# %%
CASE = (37, 50257, 768)
m, n, k = CASE
operands = 2 * (m * k + n * k)
padded = 2 * (up(m, TILE) * up(k, DEPTH) + up(n, TILE) * up(k, DEPTH))
result, result_padded = 2 * m * n, 2 * up(m, TILE) * up(n, TILE)
tcd.table(
    ["37×50,257×768", "MB"],
    [
        ("A and B", operands / 1e6),
        ("read and written once more, to pad them", (operands + padded) / 1e6),
        ("D", result / 1e6),
        ("D with its padding, and D cut out of it", (result_padded + 2 * result) / 1e6),
    ],
    tcd.derived("two bytes an element", "notebooks/08-any-shape.py"),
)

# %% [markdown]
# Three times the traffic, and a second copy of the weights. The fourth operand of `cp.async` saves all of it.

# %%
tcd.predictions(emulated, h200)
