# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 11, the wide tile: fewer passes for the same product
#
# Shared memory was the roof of every day on the H200. This day lowers what goes through it: a wider tile, deeper
# k-tiles, whole rows on the way out, CTAs that stay. Each can be counted, and each is, here.
#
# **Predict first.** A CTA tile of 128×256 in place of 128×128, with the same warp tile of 64×64. What becomes less:
# reads from shared memory, writes to it, or bytes from L2?

# %%
import math

from matplotlib.figure import Figure

import tcd_notebook as tcd

tcd.code("days/11-wide-tile/kernel.cu", "constants")

# %% [markdown]
# ## Counted, day by day
#
# The real executables have run just now, as an H200, on one shape. Everything is divided by the FLOP, so
# that it does not depend on the shape.

# %%
M, N, K = 512, 512, 4096  # as deep as what was timed: D has the same share of the passes
SHAPE = ("--m", str(M), "--n", str(N), "--k", str(K))
MEGA = 2 * M * N * K / 1e6
H200 = {"gpu": "h200"}
RUNS = {
    "05: 8 warps of 64×32": tcd.run(
        "05", "--variant", "xor row >> 1 & 3, 2 stages", *SHAPE, **H200
    ),
    "09: 4 warps of 64×64": tcd.run("09", "--variant", "no epilogue", *SHAPE, **H200),
    "10: the same, ahead": tcd.run("10", "--variant", "k16, ahead", *SHAPE, **H200),
    "11: 128×256×32": tcd.run("11", "--variant", "128×256×32", *SHAPE, **H200),
    "11: 128×256×64": tcd.run("11", "--variant", "128×256×64", *SHAPE, **H200),
}
COUNTS = {
    name: next(row for row in verdict["derived"].values() if row.get("size") == f"{M}×{N}×{K}")
    for name, verdict in RUNS.items()
}
LATEST = tcd.source(RUNS["11: 128×256×64"])


def passes(row):
    reads = row["ldmatrix_wavefronts"]
    writes = row["cp_async_wavefronts"]
    way_out = row["shared_load_wavefronts"] + row["shared_store_wavefronts"]
    return reads, writes, way_out


figure = Figure(figsize=(7.2, 3.2))
ax = figure.subplots()
left = [0.0] * len(COUNTS)
for i, label in enumerate(("ldmatrix", "cp.async", "D on its way out")):
    part = [passes(row)[i] / MEGA for row in COUNTS.values()]
    ax.barh(list(COUNTS), part, left=left, color=tcd.COLOURS[i], label=label)
    left = [a + b for a, b in zip(left, part, strict=True)]
ax.invert_yaxis()
ax.set_xlabel("passes through shared memory, a million FLOP")
ax.grid(axis="y", visible=False)
figure.legend(loc="outside lower center", ncols=3, fontsize=8)
tcd.show(
    figure,
    "Passes through shared memory for a million FLOP, Days 05, 09, 10 and 11",
    f"Counted by the emulated device at {M}×{N}×{K}. D's share shrinks as K grows; it is paid once a tile.",
    LATEST,
)

# %%
tcd.table(
    [
        "kernel",
        "passes a million FLOP",
        "passes a cp.async",
        "bytes copied a million FLOP",
        "barriers, a warp each, a million FLOP",
        "sectors stored / sectors of D",
    ],
    [
        (
            name,
            sum(passes(row)) / MEGA,
            row["cp_async_wavefronts"] / row["async_copies"],
            row["cp_async_bytes"] / MEGA,
            row["barriers"] / MEGA,
            row["global_store_sectors"] / (M * N * 2 / 32),
        )
        for name, row in COUNTS.items()
    ],
    LATEST,
)

# %% [markdown]
# - **Reads do not change.** A warp tile of 64×64 reads what it reads, whoever stands beside it. Compare Days 09 and 11. (The
#   sliver more is one set of fragments at the very end, loaded in vain: cheaper than a branch.)
# - **Bytes from L2 fall by a quarter**: 2·(1/128 + 1/256) for each multiply-add, where 128×128 has 2·(1/128 + 1/128). The
#   passes of the writes fall with them.
# - **A k-tile of 64 halves the writes once more.** A line of 64 halves is 128 bytes, a whole line of the banks, and a copy's
#   eight lanes fill it. With 32 two rows share a line, and a copy takes twice as many passes. It halves the barriers, too.
# - **Whole rows on the way out.** From registers a warp stores 8 rows of 16 bytes: half sectors, twice as many as D has.
#   Through shared memory each sector is written once. The price is in the picture: a sliver of passes.
#
# ## What that would allow
#
# One pass a clock and SM is the roof of shared memory, as in the notebook of Day 09.

# %%
CARD = next(p for p in tcd.tables()["profiles"] if p["name"] == "h200")
ROOFS = tcd.data("day00-h200")
TENSOR = next(t for t in ROOFS["timings"] if t["name"] == "m16n8k16 FP16→FP32")
PEAK = TENSOR["value"] * CARD["sms"] * TENSOR["sm_clock_mhz"] / 1e6


def slope(row):
    return CARD["sms"] * TENSOR["sm_clock_mhz"] / (sum(passes(row)) / MEGA)


tcd.table(
    ["kernel", "shared memory would allow, TFLOP/s", "… of the mma.sync roof"],
    [(name, slope(row), slope(row) / PEAK) for name, row in COUNTS.items()],
    tcd.source(ROOFS),
    tcd.derived("SMs × clock / passes", "notebooks/11-wide-tile.py"),
)
assert (
    slope(COUNTS["11: 128×256×64"])
    > slope(COUNTS["09: 4 warps of 64×64"])
    > slope(COUNTS["05: 8 warps of 64×32"])
)

# %% [markdown]
# ## CTAs that stay, and the last wave
#
# 4096³ is 512 tiles of 128×256. An H200 has 132 SMs and each holds one such CTA. So the tiles come in waves of 132, and
# the last wave is not full. No kernel of this tile can be faster than this share of the roof:

# %%
SMS = CARD["sms"]


def waves(size, m, n, together):
    tiles = math.ceil(size / m) * math.ceil(size / n)
    return tiles / together / math.ceil(tiles / together)


SIZES = list(range(1024, 12289, 256))
figure = Figure(figsize=(7.2, 3.2))
ax = figure.subplots()
ax.plot(
    SIZES,
    [100 * waves(size, 128, 256, SMS) for size in SIZES],
    ".-",
    color=tcd.KIND_COLOUR["derived"],
)
ax.set(xlabel="M = N", ylabel="% of the SMs' time used", ylim=(0, 103))
tcd.show(
    figure,
    "Share of the SMs' time that whole waves use, over the size of the matrix",
    "132 SMs, 128×256. A tile that starts a new wave leaves the others idle; the larger the matrix, the less. 128×128 with "
    "two CTAs an SM has the same curve: twice the tiles, twice the places.",
    tcd.derived("tiles over the CTAs that an H200 holds", "notebooks/11-wide-tile.py"),
)
assert abs(waves(4096, 128, 256, SMS) - 512 / 132 / 4) < 1e-9
assert all(waves(s, 128, 256, SMS) == waves(s, 128, 128, 2 * SMS) for s in SIZES)

# %% [markdown]
# CTAs that stay do not change this count. What they change is the seam: the copies of the next tile's first k-tiles are on
# their way while this tile's sums go out, where a new CTA would begin with an empty pipeline. With one CTA an SM nobody
# else would cover that.
#
# ## What came of it
#
# One process, all days, in random turn, rested before each sample: so these may be compared.

# %%
BENCH = [row for row in tcd.rows("bench-h200") if row["m"] == row["n"] == row["k"] == 4096]
FROM_BENCH = tcd.measured_csv("bench-h200", like="bench-h200")
TIMED = {row["name"]: row["gflops"] / 1000 for row in BENCH}
NAMES = {
    "05: 8 warps of 64×32": "05 xor row >> 1 & 3, 2 stages",
    "09: 4 warps of 64×64": "09 no epilogue",
    "10: the same, ahead": "10 k16, ahead",
    "11: 128×256×64": "11 128×256×64",
}
tcd.table(
    ["kernel at 4096³", "TFLOP/s (measured)", "shared memory would allow (derived)", "of that, %"],
    [
        (name, TIMED[timed], slope(COUNTS[name]), 100 * TIMED[timed] / slope(COUNTS[name]))
        for name, timed in NAMES.items()
    ],
    FROM_BENCH,
    LATEST,
)

# %% [markdown]
# Days 05 and 10 stand at three quarters of what shared memory would allow; Day 09, with two `m16n8k8`, stays
# below. Day 11 is allowed more than the roof of `mma.sync`, so shared memory alone no longer holds it.
#
# ## Beside the libraries

# %%
SIZES = (2048, 4096, 8192)
ALL = tcd.rows("bench-h200")


def best(kind, size):
    return max(
        (row for row in ALL if row["kind"] == kind and row["m"] == row["n"] == row["k"] == size),
        key=lambda row: row["gflops"],
    )


figure = Figure(figsize=(7.2, 3.4))
ax = figure.subplots()
for offset, (kind, label), colour in zip(
    (-0.27, 0, 0.27),
    {
        "day": "this course's best",
        "peer": "CUTLASS, sm_80 path, best",
        "cublas": "cuBLAS, best",
    }.items(),
    (0, 3, 1),
    strict=True,
):
    bars = ax.bar(
        [i + offset for i in range(len(SIZES))],
        [best(kind, size)["gflops"] / 1000 for size in SIZES],
        0.26,
        color=tcd.COLOURS[colour],
        label=label,
    )
    ax.bar_label(bars, fmt="%.0f", fontsize=8)
ax.axhline(PEAK, color=tcd.INK, ls="--", lw=1)
ax.set_xticks(range(len(SIZES)), [f"{size}³" for size in SIZES])
ax.set_ylabel("TFLOP/s (measured)")
ax.grid(axis="x", visible=False)
figure.legend(loc="outside lower center", ncols=3, fontsize=8)
tcd.show(
    figure,
    "The course's best kernel, CUTLASS on the same instructions, and cuBLAS, at three sizes on an H200",
    "Dashed: the mma.sync roof. cuBLAS passes it: it uses wgmma. CUTLASS's kernels here use what we use.",
    FROM_BENCH,
    tcd.source(ROOFS),
)

# %%
tcd.table(
    ["size", "this course", "CUTLASS's best of its sm_80 path", "ours / CUTLASS", "ours / cuBLAS"],
    [
        (
            f"{size}³",
            best("day", size)["name"],
            best("peer", size)["name"].removeprefix("peer "),
            best("day", size)["gflops"] / best("peer", size)["gflops"],
            best("day", size)["gflops"] / best("cublas", size)["gflops"],
        )
        for size in SIZES
    ],
    FROM_BENCH,
)

# %% [markdown]
# On the instructions that this course teaches nothing faster was found here. What is left to cuBLAS is another
# instruction.
