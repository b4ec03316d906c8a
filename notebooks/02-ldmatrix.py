# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 02, ldmatrix: fewer instructions is not the same as less traffic
#
# One `ldmatrix` replaces eight loads of a half each. This notebook counts what becomes less, and by how much:
# instructions, passes through shared memory, time. Three different answers.
#
# **Predict first.** Twelve loads a step become two. How much less goes through shared memory?

# %%
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import tcd_notebook as tcd

tcd.code("days/02-ldmatrix/kernel.cu", "compute")

# %% [markdown]
# ## Where the instructions went
#
# The day runs both kernels, yesterday's and today's, on the same tiles. The emulated device counted every PTX
# instruction of both, a moment ago:

# %%
kernels = [k for k in tcd.report("02", "--n", "64") if k["counters"]["hmma"] >= 2304]
scalar = next(k for k in kernels if k["counters"]["shared_loads"] and not k["counters"]["ldmatrix"])
today = next(k for k in kernels if k["counters"]["ldmatrix"] and k["grid"] == scalar["grid"])
assert scalar["counters"]["hmma"] == today["counters"]["hmma"]
STEPS = today["counters"]["hmma"] / 4  # a step of k = 8 is 4 mma of a warp
NAMES = {"scalar loads (Day 01)": scalar, "ldmatrix": today}
KINDS = {
    "tensor": "mma",
    "shared load": "loads from shared memory",
    "matrix move": "ldmatrix",
    "integer": "address arithmetic",
    "logic": "packing, bits",
    "move": "moves",
}

figure = Figure(figsize=(7.2, 2.8))
ax = figure.subplots()
left = np.zeros(len(NAMES))
for i, (kind, label) in enumerate([*KINDS.items(), ("rest", "everything else")]):
    counts = np.array(
        [
            sum(n for k, n in kernel["instructions"].items() if k not in KINDS)
            if kind == "rest"
            else kernel["instructions"].get(kind, 0)
            for kernel in NAMES.values()
        ]
    )
    colour = [*tcd.COLOURS, tcd.INK][i]
    ax.barh(
        list(NAMES),
        counts / STEPS,
        left=left,
        color=colour,
        alpha=0.35 if kind == "rest" else 0.9,
        label=label,
    )
    left += counts / STEPS
ax.invert_yaxis()
ax.set(xlabel="PTX instructions of a warp for one step: k = 8, 4 mma")
ax.grid(axis="y", visible=False)
figure.legend(loc="outside lower center", ncols=3, fontsize=8)
tcd.show(
    figure,
    "Instructions of a step by kind: scalar loads against ldmatrix",
    "The whole kernel's instructions, by kind, over the number of its steps.",
    tcd.source(today),
)

# %%
tcd.table(
    ["a step of a warp", "scalar loads", "ldmatrix", "ratio"],
    [
        (name, of(scalar) / STEPS, of(today) / STEPS, of(scalar) / of(today))
        for name, of in (
            ("instructions", lambda k: k["counters"]["warp_instructions"]),
            (
                "loads from shared memory",
                lambda k: k["counters"]["shared_loads"] + k["counters"]["ldmatrix"],
            ),
            (
                "passes through shared memory",
                lambda k: (
                    k["counters"]["shared_load_wavefronts"] + k["counters"]["ldmatrix_wavefronts"]
                ),
            ),
            ("mma", lambda k: k["counters"]["hmma"]),
        )
    ],
    tcd.source(today),
)

# %% [markdown]
# Loads: a sixth. Passes: only half. A pass moves up to 128 bytes. A scalar load brings 2 bytes a lane: 64. One
# 8×8 tile is 128, a full pass. So `ldmatrix` halves what shared memory does, and no more. The rest of the gain is
# arithmetic that is gone.
#
# ## Padding, and what it was for
#
# No bank conflict on either side. That is no gift of `ldmatrix`, it is the padding: 8 halves at the end of
# each row. Count the passes of one 8×8 tile for any length of row. (The rule is 32 banks of 4 bytes; rows in the
# same banks queue up.)

# %%
CODE_TILE = {"A": 32, "B": 64}  # halves of k, or of n, that a row of the 64×64×32 tile holds


def passes(row_halves):
    """Of one 8×8 tile: rows of 16 bytes, in how many of the eight bank groups?"""
    groups = [row * row_halves * 2 // 16 % 8 for row in range(8)]
    return max(groups.count(group) for group in groups)


PADS = [0, 8, 16, 24, 32]
tcd.table(
    ["operand", *(f"pad {pad} halves" for pad in PADS)],
    [
        (f"{name}: {row} halves a row", *(passes(row + pad) for pad in PADS))
        for name, row in CODE_TILE.items()
    ],
    tcd.derived(
        "passes of one 8×8 tile, by the rule of the banks",
        "common/emulator/counters/shared_wavefronts.h",
    ),
)
assert today["counters"]["ldmatrix_bank_conflicts"] == 0
assert passes(32 + 8) == passes(64 + 8) == 1

# %% [markdown]
# Padding by 8 halves is enough, and it is the least there is: a row must begin on 16 bytes. It costs 25 % more
# shared memory for A. From Day 03 on it is gone, on purpose; Day 05 finds something better.
#
# ## .trans turns tiles, not the group
#
# `ldmatrix.x4.trans` brings four 8×8 tiles, each transposed. Name the four quarters of a 16×16 matrix in
# reading order and look where its elements end up, against the transpose of the whole:

# %%
TRANS = tcd.tables()["ldmatrix"]["trans"]  # lane → its two elements (row, column) of each tile
PLAIN = tcd.tables()["ldmatrix"]["plain"]


def delivered(order):
    """16×16 of where each element comes from, if the tiles are named in this order."""
    out = np.empty((16, 16, 2), int)
    for slot, tile in enumerate(order):
        for lane in range(32):
            for (row, column), (to_row, to_column) in zip(TRANS[lane], PLAIN[lane], strict=True):
                out[slot // 2 * 8 + to_row, slot % 2 * 8 + to_column] = (
                    tile // 2 * 8 + row,
                    tile % 2 * 8 + column,
                )
    return out


wanted = np.moveaxis(np.array(np.meshgrid(range(16), range(16), indexing="ij"))[::-1], 0, -1)
figure = Figure(figsize=(7.2, 3.4))
RIGHT = {}
for ax, (title, order) in zip(
    figure.subplots(1, 2),
    {"tiles 0, 1, 2, 3": (0, 1, 2, 3), "tiles 0, 2, 1, 3": (0, 2, 1, 3)}.items(),
    strict=True,
):
    right = (delivered(order) == wanted).all(axis=2)
    RIGHT[order] = int(right.sum())
    for row in range(16):
        for column in range(16):
            good = right[row, column]
            ax.add_patch(
                Rectangle(
                    (column, row),
                    1,
                    1,
                    facecolor=tcd.COLOURS[2] if good else tcd.COLOURS[1],
                    alpha=0.3 if good else 0.85,
                    lw=0.2,
                    edgecolor=tcd.INK,
                )
            )
    ax.axhline(8, color=tcd.INK, lw=1)
    ax.axvline(8, color=tcd.INK, lw=1)
    ax.set(xlim=(0, 16), ylim=(16, 0), aspect="equal", xticks=[], yticks=[])
    ax.set_title(f"named {title}\n{right.sum()} of 256 in place", fontsize=9)
    ax.grid(False)
tcd.show(
    figure,
    "Elements of a transposed 16×16 that ldmatrix.x4.trans delivers in place, for two orders of naming",
    "Dark: another element than the transpose has there. The quarters on the diagonal are right by luck.",
    tcd.derived("what each lane receives", "common/ptx/fragment_ldmatrix.h"),
)
assert RIGHT == {(0, 1, 2, 3): 128, (0, 2, 1, 3): 256}

# %% [markdown]
# The order of the tiles is yours to choose, by addresses. The turning is not.
#
# ## What it is worth

# %%
h200, t4 = tcd.data("day02-h200"), tcd.data("day02-t4-account")
rates = tcd.timings(h200)
resources = {r["kernel"]: r for r in h200["resources"]}
tcd.table(
    ["n = 2048", "TFLOP/s", "registers", "CTAs an SM"],
    [
        (name, rates[name], resources[name]["registers"], resources[name]["ctas_per_sm"])
        for name in ("scalar loads (Day 01)", "ldmatrix")
    ],
    tcd.source(h200),
)
tcd.table(
    ["n = 2048", "TFLOP/s", "registers"],
    [("ldmatrix", tcd.timings(t4)["ldmatrix"], t4["resources"][0]["registers"])],
    tcd.source(t4),
)

# %% [markdown]
# A third faster on the H200, with a third fewer CTAs on each SM: an `ldmatrix.x4` fills four registers at once.
# Neither a sixth of the loads nor half of the passes foretells that. The kernel now waits for something
# else: every tile is copied, waited for, multiplied, waited for.

# %%
tcd.predictions(tcd.data("day02-emulated"), h200)
