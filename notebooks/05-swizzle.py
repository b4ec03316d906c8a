# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 05, the swizzle: banks, conflicts, and what they cost
#
# Day 05 keeps the tile and moves its furniture. Here are the pictures of it, the counts, and the times
# of two cards that do not agree with each other, for a reason.
#
# **Predict first.** A row of the tile is 32 halves, 64 bytes. Eight rows are read at once. How many of them
# queue up for the same banks in each of four layouts?

# %%
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import tcd_notebook as tcd

tcd.code("days/05-swizzle/kernel.cu", "constants")

# %% [markdown]
# ## One phase, drawn
#
# Shared memory has 32 banks of 4 bytes. A row of an 8×8 matrix is 16 bytes: four banks. So there are
# **eight groups** and eight rows for them. One row in each group is one pass. Four rows in one group are
# four passes.

# %%
BANK_GROUPS, GROUP_BYTES, CHUNKS = 8, 16, 4


def row_major(row, chunk):
    return row * 64 + chunk * 16


def padded(row, chunk):
    return row * 80 + chunk * 16


def xor_row(row, chunk):
    return row * 64 + (chunk ^ (row & 3)) * 16


def xor_row_pair(row, chunk):
    return row * 64 + (chunk ^ (row >> 1 & 3)) * 16


LAYOUTS = {
    "row-major, 2 stages": row_major,
    "padded, 2 stages": padded,
    "xor row & 3, 2 stages": xor_row,
    "xor row >> 1 & 3, 2 stages": xor_row_pair,
}


def short(name):
    return name.removesuffix(", 2 stages")


def ways(layout, first_row=0, chunk=0):
    """Rows in the fullest group: the passes of this phase."""
    groups = [layout(first_row + row, chunk) // GROUP_BYTES % BANK_GROUPS for row in range(8)]
    return max(groups.count(group) for group in groups)


figure = Figure(figsize=(7.2, 4.1))
axes = figure.subplots(2, 2)
for ax, (name, layout) in zip(axes.flat, LAYOUTS.items(), strict=True):
    for row in range(8):
        for chunk in range(CHUNKS):
            place = layout(row, chunk)
            x, y = place // GROUP_BYTES % BANK_GROUPS, place // 128
            read = chunk == 0
            ax.add_patch(
                Rectangle(
                    (x, y),
                    1,
                    1,
                    facecolor=tcd.COLOURS[1] if read else tcd.COLOURS[0],
                    alpha=0.75 if read else 0.12,
                    edgecolor=tcd.INK,
                    lw=0.4,
                )
            )
            if read:
                ax.text(x + 0.5, y + 0.5, f"row {row}", ha="center", va="center", fontsize=7.5)
    lines = layout(7, 3) // 128 + 1
    count = ways(layout)
    ax.set(xlim=(0, 8), ylim=(lines, 0), yticks=[])
    ax.set_xticks(range(9), range(0, 33, 4), fontsize=7)
    ax.set_title(f"{short(name)}: {count} pass{'es' if count > 1 else ''}", fontsize=9)
    ax.set_xlabel("bank", fontsize=8)
    ax.grid(axis="x")
tcd.show(
    figure,
    "Where the first chunk of eight rows lies among the banks, in four layouts",
    "Eight rows of 64 bytes, a line is 128 bytes of shared memory. Lit: the eight chunks that one phase "
    "of ldmatrix reads (k 0 to 7). Two lit chunks in one column are in the same banks.",
    tcd.derived("the four layout formulas, counted below", "days/05-swizzle/kernel.cu"),
)

# %% [markdown]
# **Why `row & 3` is not enough.** Two rows fill one line of 128 bytes. Inside the line they cannot meet: one
# has banks 0–15, the other 16–31. Who can meet are the four even rows, and the four odd ones. So the chooser
# must tell 0, 2, 4 and 6 apart. The low bit of `row & 3` says odd or even, which the address says already. To
# the even rows it says 0, 2, 0, 2: rows 0 and 4 fall into one group, and so do 2 and 6. Two passes.
# `(row >> 1) & 3` says 0, 1, 2, 3 for them: four places for four rows, one pass.


# %%
def group(layout, row):
    return layout(row, 0) // GROUP_BYTES % BANK_GROUPS


tcd.table(
    ["row", "half of the line", "row & 3", "its group", "(row >> 1) & 3", "its group"],
    [
        (
            row,
            "first" if row % 2 == 0 else "second",
            row & 3,
            group(xor_row, row),
            row >> 1 & 3,
            group(xor_row_pair, row),
        )
        for row in range(8)
    ],
    tcd.derived("arithmetic on the formulas", "days/05-swizzle/kernel.cu"),
)
assert [group(xor_row, row) for row in (0, 2)] == [group(xor_row, row) for row in (4, 6)]
assert sorted(group(xor_row_pair, row) for row in range(8)) == list(range(8))

# %% [markdown]
# Read the two columns *its group* downwards. The first has 0, 5, 2, 7 twice: eight rows in four groups, two
# passes. In the second each of the eight groups stands once.
#
# With BK = 64 a row is 128 bytes, a whole line. Then every row meets every other one, all eight have to differ, and
# `row & 7` is right: the chooser counts **lines**, and there a row is a line. At BK = 32 a line is two rows,
# so divide by two first. That is the whole secret of `row >> 1`.

# %% [markdown]
# ## Counted, not only drawn
#
# The executable of Day 05 has run just now on the emulated device, at a small shape. The drawing must say
# what the counter says: three extra passes for each of four phases are 12, and so on. If it did not, this
# notebook would have stopped here.

# %%
verdict = tcd.run("05", "--m", "256", "--n", "384", "--k", "320")
EACH = {name: verdict["derived"][f"{name}, each"] for name in LAYOUTS}
for name, layout in LAYOUTS.items():
    phases = [ways(layout, row, chunk) for row in range(0, 128, 8) for chunk in range(CHUNKS)]
    drawn = 4 * sum(count - 1 for count in phases) / len(phases)
    assert drawn == EACH[name]["conflicts an ldmatrix"], (name, drawn, EACH[name])

tcd.table(
    ["layout", "extra passes an ldmatrix.x4", "passes a cp.async", "passes a CTA's k-tile"],
    [
        (
            short(name),
            int(each["conflicts an ldmatrix"]),
            int(each["wavefronts a cp.async"]),
            int(each["passes a k-tile"]),
        )
        for name, each in EACH.items()
    ],
    tcd.source(verdict),
)

# %% [markdown]
# The third column is the half of the bill that a conflict counter does not show. Padded rows begin in the
# middle of 32-byte sectors, and `cp.async` moves sectors: it writes in nearly twice as many passes.
#
# At 4096³ an H200 counted, with its own profiler:

# %%
counted, profiled = tcd.data("day05-emulated"), tcd.data("ncu05-h200")
account = tcd.data("day05-ada-account")
tcd.table(
    ["layout", "conflicts, emulated", "conflicts, H200", "conflicts, RTX 4060 Laptop"],
    [
        (
            short(name),
            counted["derived"][name]["ldmatrix_bank_conflicts"],
            profiled["derived"][name]["ldmatrix_bank_conflicts"],
            account["derived"].get(name, {}).get("bank_conflicts_ada_account"),
        )
        for name in LAYOUTS
    ],
    *map(tcd.source, (counted, profiled, account)),
)
for name in LAYOUTS:
    for counter in ("ldmatrix_bank_conflicts", "cp_async_wavefronts"):
        assert counted["derived"][name][counter] == profiled["derived"][name][counter], name

# %% [markdown]
# ## Fewest conflicts is not fastest
#
# Read conflicts against throughput, on two cards. Never compare the two axes with one another; look at the
# order within a panel.

# %%
h200 = tcd.data("day05-h200")


def scatter(ax, verdict, title, colour):
    rates = tcd.timings(verdict)
    for name in LAYOUTS:
        if name not in rates:
            continue
        x = counted["derived"][name]["ldmatrix_bank_conflicts"] / 1e6
        ax.plot(x, rates[name], "o", color=colour, ms=8)
        ax.annotate(
            short(name), (x, rates[name]), xytext=(7, 5), textcoords="offset points", fontsize=8
        )
    ax.set(title=title, xlabel="bank conflicts at 4096³ (millions, derived)", ylabel="TFLOP/s")
    ax.set_xlim(-8, 215)
    ax.margins(y=0.2)


figure = Figure(figsize=(7.2, 3.6))
left, right = figure.subplots(1, 2)
scatter(left, account, "RTX 4060 Laptop (quoted)", tcd.KIND_COLOUR["quoted"])
scatter(right, h200, "H200 (measured)", tcd.KIND_COLOUR["measured"])
tcd.show(
    figure,
    "Bank conflicts against throughput for the layouts, on an RTX 4060 Laptop and on an H200",
    "On the account's card a layout with 50 million conflicts beats the padded one without any. On the "
    "H200 padding has no conflict either, and the pair's XOR is much faster.",
    *map(tcd.source, (account, h200, counted)),
)

# %% [markdown]
# The account explains padding's loss by capacity: 8 KiB more at two stages. But there both layouts
# leave two CTAs on its SM. What does explain the H200's order is the sum of all passes, reads and
# writes:

# %%
figure = Figure(figsize=(7.2, 3.4))
ax = figure.subplots()
rates = tcd.timings(h200)
ordered = sorted(LAYOUTS, key=lambda name: EACH[name]["passes a k-tile"])
assert ordered == sorted(LAYOUTS, key=lambda name: -rates[name]), "passes no longer order the times"
for name in ordered:
    x = EACH[name]["passes a k-tile"]
    ax.plot(x, rates[name], "o", color=tcd.COLOURS[0], ms=8)
    ax.annotate(short(name), (x, rates[name]), xytext=(8, 4), textcoords="offset points")
ax.set(xlabel="passes through shared memory, a CTA's k-tile (derived)", ylabel="TFLOP/s (measured)")
ax.set_xlim(500, 2100)
ax.margins(y=0.15)
tcd.show(
    figure,
    "Passes through shared memory of a k-tile against the H200's throughput: a falling line",
    "All passes, reads and writes together: fewer is faster, for all four layouts.",
    tcd.source(h200),
    tcd.source(verdict),
)

# %% [markdown]
# ## The sequel: conflicts turn a ranking round
#
# One `m16n8k16`, or two `m16n8k8` for it? Same arithmetic, same tile. With conflicts the tensor cores wait
# anyway. Without them the better instruction shows.

# %%
PAIRS = [name for name in LAYOUTS if f"{name}, two k8" in rates]
figure = Figure(figsize=(7.2, 3.3))
ax = figure.subplots()
for offset, suffix, colour in ((-0.2, "", 0), (0.2, ", two k8", 1)):
    bars = ax.bar(
        [index + offset for index in range(len(PAIRS))],
        [rates[name + suffix] for name in PAIRS],
        0.38,
        color=tcd.COLOURS[colour],
        label="two m16n8k8" if suffix else "m16n8k16",
    )
    ax.bar_label(bars, fmt="%.0f", fontsize=8)
ax.set_xticks(range(len(PAIRS)), [short(name) for name in PAIRS])
ax.set_ylabel("TFLOP/s (measured)")
ax.grid(axis="x", visible=False)
ax.legend(loc="upper left")
tcd.show(
    figure,
    "m16n8k16 against two m16n8k8 in three layouts on an H200",
    "Where conflicts rule, two k8 are as fast or faster; without conflicts k16 wins.",
    tcd.source(h200),
)

# %% [markdown]
# So a choice that was tuned on a kernel with conflicts may be the wrong one without them. What the
# conflict-free XOR is worth on an Ada card nobody has measured yet; `./day contribute` makes the file.
#
# Type your own expression into [the bank viewer](book/interactive/bank-viewer.html).
