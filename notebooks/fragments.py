# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The fragments as pictures
#
# `mma.sync` has no addresses. Its operands are registers, spread over the 32 lanes of a warp, and the
# PTX ISA says which lane holds which element. Put a value into the wrong lane and nothing faults: you
# get another matrix.
#
# These are the maps. They are drawn from `common/ptx`, the header that the kernels and the gates
# include, and at the end the emulated device is asked whether it agrees.
#
# **Predict first.** Lane 5 in `m16n8k8`: which four elements of A, which two of B?

# %%
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import tcd_notebook as tcd

TABLES = tcd.tables()
HEADERS = tcd.derived("the ownership tables", "common/ptx/fragment_owners.h")


def draw_operand(ax, operand, lit=None):
    """Each cell: the lane, and the element of its fragment. One colour for each register."""
    rows, columns = operand["rows"], operand["columns"]
    for row, line in enumerate(operand["owners"]):
        for column, (lane, _element, register, _half) in enumerate(line):
            chosen = lane == lit
            ax.add_patch(
                Rectangle(
                    (column, row),
                    1,
                    1,
                    facecolor=tcd.COLOURS[register % len(tcd.COLOURS)],
                    alpha=0.75 if chosen else 0.08 + 0.05 * (lane // 4 % 2),
                    edgecolor=tcd.INK,
                    linewidth=0.3,
                )
            )
            ax.text(
                column + 0.5,
                row + 0.5,
                f"{lane}",
                ha="center",
                va="center",
                fontsize=7.5,
                fontweight="bold" if chosen else "normal",
            )
    ax.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    ax.set_xticks([column + 0.5 for column in range(columns)], range(columns), fontsize=7)
    ax.set_yticks([row + 0.5 for row in range(rows)], range(rows), fontsize=7)
    ax.tick_params(length=0)
    ax.grid(False)
    ax.set_title(f"{operand['name']} ({operand['type']}), {rows}×{columns}", fontsize=9)
    for spine in ax.spines.values():
        spine.set_visible(False)


def draw_shape(shape, lit):
    a, b, c, _ = shape["operands"]
    figure = Figure(figsize=(7.2, 4.6))
    axes = figure.subplots(1, 3, width_ratios=[a["columns"], b["columns"], c["columns"]])
    for ax, operand in zip(axes, (a, b, c), strict=True):
        draw_operand(ax, operand, lit)
    return figure


K8, K16 = TABLES["shapes"]

# %% [markdown]
# ## m16n8k8
#
# A number is a lane, a colour is a register. Lane 5 is lit.

# %%
tcd.show(
    draw_shape(K8, lit=5),
    "The fragments of m16n8k8: which lane holds each element of A, B and C",
    "m16n8k8. The columns of A are k, and so are the rows of B. A and C have the same map, so a right "
    "accumulator proves nothing about A.",
    HEADERS,
)

# %% [markdown]
# Cut the lane number in two. `lane / 4` (the ISA's *groupID*) is the row of A, the column of B.
# `lane % 4` (*threadID_in_group*) chooses a pair of neighbours along k. That is the whole rule. The second
# register of A is the same eight rows further down.

# %%
tcd.code("common/ptx/fragments.h", "a_m16n8k8")

# %%
LANE = 5
tcd.table(
    ["operand", "elements of lane 5, as (row, column)"],
    [
        (
            f"{shape['name']} {operand['name']} ({operand['type']})",
            " ".join(f"({row},{column})" for row, column in operand["lanes"][LANE]),
        )
        for shape in (K8, K16)
        for operand in shape["operands"][:3]
    ],
    HEADERS,
)

# %% [markdown]
# ## m16n8k16
#
# Twice as long in k: the same map again, eight columns further right. The four registers of A are four 8×8
# quarters: upper left, **lower left**, upper right, lower right. Down before right: who guesses
# reading order swaps two quarters, and nothing faults.

# %%
tcd.show(
    draw_shape(K16, lit=5),
    "The fragments of m16n8k16: which lane holds each element of A, B and C",
    "m16n8k16. One colour of A is one 8×8 matrix, which is what one ldmatrix delivers.",
    HEADERS,
)

# %% [markdown]
# ## ldmatrix: who names a row, who gets it
#
# `ldmatrix.x4` takes 32 addresses, one a lane: lane 8i + r names row r of matrix i. But lane 8i + r does not
# get that row. Each row is dealt to four lanes, two halves each.

# %%
LDMATRIX = TABLES["ldmatrix"]


def receivers(elements):
    """Element (row, column) → lane, from what each lane receives."""
    grid = [[None] * 8 for _ in range(8)]
    for lane, held in enumerate(elements):
        for row, column in held:
            grid[row][column] = lane
    return grid


figure = Figure(figsize=(7.2, 2.9))
axes = figure.subplots(1, 3)
named = [[row] * 8 for row in range(8)]
assert [LDMATRIX["x1"][lane] for lane in range(8)] == [[0, row] for row in range(8)]
for ax, grid, title in (
    (axes[0], named, "lane that names the row"),
    (axes[1], receivers(LDMATRIX["plain"]), "lane that receives"),
    (axes[2], receivers(LDMATRIX["trans"]), "… with .trans"),
):
    for row, line in enumerate(grid):
        for column, lane in enumerate(line):
            colour = tcd.COLOURS[lane % 8 % len(tcd.COLOURS)]
            ax.add_patch(
                Rectangle(
                    (column, row), 1, 1, facecolor=colour, alpha=0.25, edgecolor=tcd.INK, lw=0.3
                )
            )
            ax.text(column + 0.5, row + 0.5, lane, ha="center", va="center", fontsize=8)
    ax.set(xlim=(0, 8), ylim=(8, 0), aspect="equal", title=title, xticks=[], yticks=[])
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
tcd.show(
    figure,
    "ldmatrix: the lane that names a row of an 8×8 matrix, and the lanes that receive it",
    "The first matrix of an ldmatrix. A row lies in memory as one piece of 16 bytes. With .trans each "
    "8×8 matrix is transposed alone, never the group of four.",
    tcd.derived("its tables", "common/ptx/fragment_ldmatrix.h"),
)

# %% [markdown]
# ## Does the device agree?
#
# Day 01 loads tiles in which every cell has a value of its own, so that each register says where it came
# from. This is its verdict, from the real executable, run a moment ago.

# %%
verdict = tcd.run("01", "--n", "256")
OWNERSHIP = [gate for gate in verdict["gates"] if "ownership" in gate["name"]]
assert OWNERSHIP, "day01 has no gate on ownership any more"
tcd.table(
    ["gate", "compared", "verdict"],
    [(g["name"], g["checked"], "exact" if g["passed"] else "FAILED") for g in OWNERSHIP],
    tcd.source(verdict),
)

# %% [markdown]
# With the mouse, a finger or the arrow keys: [the fragment explorer](book/interactive/fragment-explorer.html).
