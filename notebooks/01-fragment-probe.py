# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 01, the fragment probe: a mistake that nothing notices
#
# An `mma` with its operands in the wrong registers does not fault. It multiplies other numbers. This notebook
# makes that mistake on purpose, shows what it looks like, and shows why the gate compares bits.
#
# **Predict first.** Two of A's registers are exchanged, `a[0]` and `a[1]`. What is wrong with D: nothing, all of
# it, or a part? Which part?

# %%
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import tcd_notebook as tcd

tcd.code("days/01-fragment-probe/kernel.cu", "compute")

# %% [markdown]
# ## An mma in Python
#
# Here is the instruction as the tables define it: take from each lane what it holds, put it where the table
# says, multiply. The tables are the ones that the gates use, printed by a C++ program.

# %%
K8 = next(shape for shape in tcd.tables()["shapes"] if shape["name"] == "m16n8k8")
A, B, C = (
    np.array(operand["lanes"]) for operand in K8["operands"][:3]
)  # lane, element → row, column


def held(matrix, coordinates):
    """What each lane holds of the matrix: 32 × elements."""
    return matrix[coordinates[..., 0], coordinates[..., 1]]


def mma(a, b):
    """16×8 of D from what the lanes hold of A and B."""
    matrix_a, matrix_b = np.zeros((16, 8)), np.zeros((8, 8))
    matrix_a[A[..., 0], A[..., 1]] = a
    matrix_b[B[..., 0], B[..., 1]] = b
    return matrix_a @ matrix_b


random = np.random.default_rng(1)
a_matrix, b_matrix = random.integers(-8, 9, (16, 8)) / 4, random.integers(-8, 9, (8, 8)) / 4
a, b = held(a_matrix, A), held(b_matrix, B)
right = a_matrix @ b_matrix
assert (mma(a, b) == right).all(), "the tables are a map: each element once"

# %% [markdown]
# Now the mistakes. A lane's `a[0]` holds its elements 0 and 1, `a[1]` holds 2 and 3.

# %%
MISTAKES = {
    "a[0] and a[1] exchanged": (a[:, [2, 3, 0, 1]], b),
    "low and high half exchanged": (a[:, [1, 0, 3, 2]], b),
    "… in A and in B": (a[:, [1, 0, 3, 2]], b[:, [1, 0]]),
    "B read by rows": (a, held(b_matrix.T, B)),
}
figure = Figure(figsize=(7.2, 3.6))
for ax, (name, operands) in zip(figure.subplots(1, 4), MISTAKES.items(), strict=True):
    wrong = mma(*operands) != right
    for row in range(16):
        for column in range(8):
            ax.add_patch(
                Rectangle(
                    (column, row),
                    1,
                    1,
                    facecolor=tcd.COLOURS[1] if wrong[row, column] else tcd.COLOURS[2],
                    alpha=0.85 if wrong[row, column] else 0.25,
                    edgecolor=tcd.INK,
                    lw=0.3,
                )
            )
    ax.set(xlim=(0, 8), ylim=(16, 0), aspect="equal", xticks=[])
    ax.set_yticks([0, 8, 16])
    ax.grid(False)
    ax.set_title(
        f"{name.replace(' and ', ' and' + chr(10))}\n{wrong.sum()} of 128 wrong", fontsize=8
    )
tcd.show(
    figure,
    "Which elements of D are wrong after four mistakes with the registers of A and B",
    "D, 16×8, after four mistakes. Dark: wrong. The third is no mistake: k is summed over, and a swap that "
    "both operands make cancels.",
    tcd.derived("the tables above, with one random tile", "common/ptx/fragment_owners.h"),
)
swapped = mma(*MISTAKES["a[0] and a[1] exchanged"])
assert (swapped == np.roll(right, 8, axis=0)).all(), "rows 0–7 and 8–15 change places"
assert (mma(*MISTAKES["… in A and in B"]) == right).all()

# %% [markdown]
# The first mistake makes no wrong number at all. Every value of D is right and stands eight rows away. A
# checksum passes it. A norm passes it. And if A's two halves happen to be equal, so does everything else.
#
# ## The gate names it
#
# The same mistake in the real kernel, run a moment ago. The gate must fail; if it had passed, this page would
# not exist.

# %%
broken = tcd.run("01", "--n", "64", "--control", "swapped-fragments", fails=True)
said = [line for line in broken["printed"].splitlines() if "exchanged" in line or "FAILED" in line]
assert any("rows 0-7 and 8-15" in line for line in said), said
print("\n".join(said[:6]))

# %% [markdown]
# ## Why bits can be compared
#
# Floating-point sums depend on their order, and a tensor core's order is its own. A tolerance would forgive the
# mistakes above, now and then. So the inputs are chosen so that **no order can round**: multiples of 1/4 up to 2.
# Each product is a multiple of 1/16, at most 4; a sum of K of them is at most 4·K, and an accumulator holds
# all multiples of 1/16 up to some bound.

# %%
KS = 2.0 ** np.arange(3, 21)
figure = Figure(figsize=(7.2, 3.2))
ax = figure.subplots()
ax.plot(KS, 4 * KS, color=tcd.COLOURS[0], label="largest sum that K products can make")
for bits, name, colour in ((24, "FP32", 2), (11, "FP16", 1)):
    bound = 2.0**bits / 16
    ax.axhline(bound, color=tcd.COLOURS[colour], lw=1.2, ls="--")
    place = {"x": KS[0], "ha": "left"} if bits == 24 else {"x": KS[-1], "ha": "right"}
    ax.text(**place, y=bound * 1.3, s=f"{name} holds every 1/16 up to {bound:,.0f}", fontsize=8)
    ax.plot([bound / 4], [bound], "o", color=tcd.COLOURS[colour])
    ax.annotate(
        f"K = {bound / 4:,.0f}",
        (bound / 4, bound),
        xytext=(6, -12),
        textcoords="offset points",
        fontsize=8,
    )
ax.set(xscale="log", yscale="log", xlabel="K", ylabel="magnitude", ylim=(10, 2e7))
ax.legend(fontsize=8, loc="upper left")
tcd.show(
    figure,
    "The largest sum of K products of quarters against what FP32 and FP16 hold exactly",
    "Left of its dot an accumulator cannot round, whatever the order. FP32: 262,144. FP16: 32, so kernels with "
    "FP16 sums are gated on other inputs.",
    tcd.derived(
        "24 and 11 significant bits; the bound that the gates check", "common/gates/exactness.h"
    ),
)

# %% [markdown]
# ## What the instruction mix says
#
# The matmul on top of the map is slow. The report of the emulated device says where its instructions go:

# %%
kernels = tcd.report("01", "--n", "64")
matmul = max((k for k in kernels if k["counters"]["hmma"]), key=lambda k: k["counters"]["hmma"])
mix = dict(sorted(matmul["instructions"].items(), key=lambda item: -item[1]))
total = sum(mix.values())
tcd.table(
    ["kind of instruction", "executed", "% of all", "for each mma"],
    [(kind, n, 100 * n / total, n / matmul["counters"]["hmma"]) for kind, n in mix.items()],
    tcd.source(matmul),
)
assert mix["shared load"] / mix["tensor"] == 3, "12 loads for 4 mma"

# %% [markdown]
# Three loads of two bytes, and the packing, for one `mma`. Tomorrow half a load.
#
# ## On a card

# %%
h200, t4 = tcd.data("day01-h200"), tcd.data("day01-t4-account")
tcd.table(
    ["n = 2048", "H200, ms (measured)", "Tesla T4, ms (quoted)"],
    [
        (
            name,
            next(t["median_ms"] for t in h200["timings"] if t["name"] == name),
            next((t["median_ms"] for t in t4["timings"] if t["name"] == name), None),
        )
        for name in ("row zero (FP32)", "matmul")
    ],
    tcd.source(h200),
    tcd.source(t4),
)

# %%
tcd.predictions(tcd.data("day01-emulated"), h200)

# %% [markdown]
# Draw the maps: [the fragments](fragments.py). Touch them: [the fragment
# explorer](book/interactive/fragment-explorer.html).
