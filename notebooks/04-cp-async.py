# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 04, cp.async: how deep a pipeline has to be
#
# A pipeline of S stages has S tiles in shared memory. One is multiplied, the others are on their way. Here you
# see what each depth gives a copy to hide behind, and what it takes away.
#
# **Predict first.** With one stage, how many `mma` does a warp execute between the start of a copy and the wait for
# it? With two? With six?

# %%
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import tcd_notebook as tcd

tcd.code("days/04-cp-async/kernel.cu", "kernel")

# %% [markdown]
# ## The timeline of one warp
#
# The emulated device can write down what a warp does, in order (`TCD_TRACE`). This is warp 0 of the first CTA, for
# eight k-tiles, at each depth. The axis counts the warp's own instructions: it is **order, not time**. On a card
# other warps run in between. But the order is the kernel's, and it says everything about what may overlap.

# %%
DEPTHS = range(1, 7)
TILES = 8
SIZE = ("--m", "128", "--n", "128", "--k", str(TILES * 32))


def variant(depth):
    return "1 stage" if depth == 1 else f"{depth} stages"


def warp_0(depth):
    """The last launch of the run is the one of this size."""
    rows = tcd.timeline("04", "--variant", variant(depth), *SIZE)
    last = max(row["launch"] for row in rows)
    return [row for row in rows if row["launch"] == last and row["warp"] == 0]


def pieces(rows, mma_a_tile=32):
    """k-tile → (copies start, wait that covers them), and k-tile → (first mma, last mma)."""
    copies, landed, mma = {}, {}, {}
    committed = done = 0
    for row in rows:
        if row["step"] == "cp.async":
            copies[committed] = row["first"]
        elif row["step"] == "commit":
            committed += row["count"]
        elif row["step"] == "wait":
            kept = committed - max(row["pending"], 0)
            for group in copies:
                if group < kept:
                    landed.setdefault(group, (row["first"], done))
        elif row["step"] == "mma":
            first = mma.get(done // mma_a_tile, (row["first"],))[0]
            mma[done // mma_a_tile] = (first, row["last"])
            done += row["count"]
    return copies, landed, mma


TRACES = {depth: warp_0(depth) for depth in DEPTHS}
END = max(row["last"] - min(r["first"] for r in rows) for rows in TRACES.values() for row in rows)
figure = Figure(figsize=(7.2, 7.4))
for ax, depth in zip(figure.subplots(6, 1), DEPTHS, strict=True):
    copies, landed, mma = pieces(TRACES[depth])
    assert set(copies) == set(landed) == set(mma) == set(range(TILES)), depth
    start = min(copies.values())
    for tile in range(TILES):
        at = copies[tile] - start
        ax.add_patch(
            Rectangle(
                (at, tile + 0.12),
                landed[tile][0] - copies[tile],
                0.76,
                facecolor=tcd.COLOURS[0],
                alpha=0.35,
            )
        )
        first, last = mma[tile]
        ax.add_patch(
            Rectangle((first - start, tile + 0.12), last - first, 0.76, facecolor=tcd.COLOURS[1])
        )
    for row in TRACES[depth]:
        if row["step"] == "barrier":
            ax.axvline(row["first"] - start, color=tcd.INK, lw=0.5, ls=":")
    ax.set(xlim=(0, END), ylim=(TILES, 0), yticks=[0.5, TILES - 0.5])
    ax.set_yticklabels(["tile 0", f"tile {TILES - 1}"], fontsize=8)
    ax.set_title(variant(depth), fontsize=9, loc="left")
    ax.grid(False)
    if depth < 6:
        ax.set_xticklabels([])
ax.set_xlabel("PTX instructions of warp 0, from its first copy")
tcd.show(
    figure,
    "Timelines of pipelines with one to six stages: copies in flight and mma of eight k-tiles",
    "Pale: a tile's copies may be in flight. Dark: its mma. Dotted: barriers. With one stage no pale bar lies above "
    "or below a dark one: nothing overlaps.",
    tcd.derived(
        "order of execution, recorded by the emulated device",
        command="TCD_TRACE=trace.csv ./day run 04 -- --variant '3 stages' --m 128 --n 128 --k 256",
    ),
)

# %% [markdown]
# Count what stands between a copy's start and its wait:

# %%
BETWEEN = {}
for depth in DEPTHS:
    rows = TRACES[depth]
    copies, landed, mma = pieces(rows)
    done = {}  # mma executed when the copies of a tile began
    count = group = 0
    for row in rows:
        if row["step"] == "mma":
            count += row["count"]
        elif row["step"] == "cp.async":
            done[group] = count
        elif row["step"] == "commit":
            group += row["count"]
    steady = range(max(depth - 1, 0), TILES)  # not those of the prologue
    BETWEEN[depth] = {landed[tile][1] - done[tile] for tile in steady}
    assert BETWEEN[depth] == {32 * (depth - 1)}, (depth, BETWEEN[depth])
    barriers = sum(row["count"] for row in rows if row["step"] == "barrier")
    assert barriers == TILES * (2 if depth == 1 else 1)

tcd.table(
    ["stages", "mma of the warp between a copy and its wait", "barriers a k-tile"],
    [(depth, next(iter(BETWEEN[depth])), 2 if depth == 1 else 1) for depth in DEPTHS],
    tcd.derived(
        "counted in the timelines above",
        command="TCD_TRACE=trace.csv ./day run 04 -- --variant '3 stages' --m 128 --n 128 --k 256",
    ),
)

# %% [markdown]
# 32·(S − 1). One stage: none, so the whole latency of memory is waited out. Is 32 enough? That depends on the chip,
# and one can say so before measuring. A k-tile of the CTA is 2·128·128·32 FLOP. At the SM's issue rate that takes

# %%
FLOP = 2 * 128 * 128 * 32
RATES = {
    "RTX 4060 Laptop": (tcd.data("day00-ada-account"), "m16n8k16 FP16→FP32"),
    "H200": (tcd.data("day00-h200"), "m16n8k16 FP16→FP32"),
}
tcd.table(
    ["card", "FLOP/clk/SM", "clocks of one k-tile, alone on its SM", "… with two CTAs"],
    [
        (card, rate, FLOP / rate, 2 * FLOP / rate)
        for card, (verdict, name) in RATES.items()
        for rate in [next(t["value"] for t in verdict["timings"] if t["name"] == name)]
    ],
    *(tcd.source(verdict) for verdict, _ in RATES.values()),
    tcd.derived("FLOP of a k-tile over the rate", "notebooks/04-cp-async.py"),
)

# %% [markdown]
# DRAM answers within some hundred clocks. On the laptop card one k-tile lasts thousands: **two stages hide everything,
# and a third has nothing left to hide.** On the H200 it lasts a few hundred: there a third may pay.
#
# ## What depth takes away
#
# A stage is 16 KiB. Each CTA keeps 1 KiB for the system. The registers allow two CTAs an SM. So:

# %%
PROFILES = {p["name"]: p for p in tcd.tables()["profiles"] if p["compute"] >= 80}
STAGE = 2 * 128 * 32 * 2


def residency(profile, depth, registers_allow=2):
    shared = depth * STAGE
    if shared > profile["shared_per_block"]:
        return 0
    return min(registers_allow, profile["shared_per_sm"] // (shared + profile["shared_reserved"]))


for gpu in ("rtx4060-laptop", "a100"):  # the runtime's own answer, asked of the executable
    verdict = tcd.run("04", "--m", "128", "--n", "128", "--k", "32", gpu=gpu)
    for resources in verdict["resources"]:
        depth = int(resources["kernel"].split()[0])
        assert resources["ctas_per_sm"] == residency(PROFILES[gpu], depth), (gpu, depth)

tcd.table(
    ["card", "KiB of shared memory an SM", *(f"{variant(depth)}" for depth in DEPTHS)],
    [
        (
            name,
            profile["shared_per_sm"] // 1024,
            *(residency(profile, depth) or "refused" for depth in DEPTHS),
        )
        for name, profile in PROFILES.items()
    ],
    tcd.derived(
        "CTAs an SM by shared memory and registers",
        command="./day run 04 --gpu a100 -- --m 128 --n 128 --k 32",
    ),
)

# %% [markdown]
# ## Stages, residency, throughput
#
# The account's stage table beside the H200's. Bars: CTAs an SM, and where they fall there is a step.

# %%
account, h200 = tcd.data("day04-ada-account"), tcd.data("day04-h200")
sweep = [
    row
    for row in tcd.rows("sweep09-h200")
    if (row["tile"], row["layout"], row["mma"], row["group"], row["m"]) == (3, 3, "k8", 2, 4096)
]
figure = Figure(figsize=(7.2, 3.8))
left, right = figure.subplots(1, 2)


def residency_bars(ax, resident):
    twin = ax.twinx()
    twin.bar(list(resident), list(resident.values()), 0.8, color=tcd.INK, alpha=0.1)
    twin.set(ylim=(0, 8), yticks=[0, 1, 2])
    twin.tick_params(labelsize=8)
    twin.grid(False)
    twin.spines["right"].set_visible(False)


for ax, verdict, title, kind in (
    (left, account, "RTX 4060 Laptop (quoted)", "quoted"),
    (right, h200, "H200 (measured)", "measured"),
):
    rates = tcd.timings(verdict)
    known = [depth for depth in DEPTHS if variant(depth) in rates]
    label = "xor row & 3, 8 warps" if kind == "quoted" else "row-major, 8 warps: this day"
    ax.plot(
        known,
        [rates[variant(depth)] for depth in known],
        "o-",
        color=tcd.KIND_COLOUR[kind],
        label=label,
    )
    residency_bars(
        ax, {int(r["kernel"].split()[0]): r["ctas_per_sm"] for r in verdict["resources"]}
    )
    ax.set(title=title, xlabel="stages (bars: CTAs an SM)", xlim=(0.4, 6.6))
    ax.set_xticks(DEPTHS)
left.set_ylabel("TFLOP/s")
left.set_ylim(18, 31)
right.plot(
    [row["stages"] for row in sweep],
    [row["tflops"] for row in sweep],
    "s-",
    color=tcd.COLOURS[3],
    label="no conflicts, 4 warps: Day 09",
)
right.set_ylim(0, 360)
for ax in (left, right):
    ax.legend(fontsize=8, loc="lower left")
tcd.show(
    figure,
    "Throughput and CTAs per SM over the number of stages, RTX 4060 Laptop and H200",
    "Left: from four stages on one CTA is alone on its SM, and a seventh of the speed is gone. Right: no such step; "
    "what a third stage buys shows when the banks no longer hide it. Two cards, two axes; the left one begins at 18.",
    tcd.source(account),
    tcd.source(h200),
    tcd.measured_csv("sweep09-h200", like="day09-h200"),
)

# %%
BEST = max(sweep, key=lambda row: row["tflops"])
by = {row["stages"]: row["tflops"] for row in sweep}
tcd.table(
    ["H200, no conflicts, four warps: stages", "TFLOP/s", "times one stage"],
    [(stages, rate, rate / by[1]) for stages, rate in sorted(by.items())],
    tcd.measured_csv("sweep09-h200", like="day09-h200"),
)
assert by[3] > by[2] > by[1] and BEST["stages"] > 1

# %% [markdown]
# The account's profiler saw the same from the other side: warps that wait for memory, for each instruction issued.

# %%
profile = tcd.data("profile09-ada-account")
tcd.table(
    ["stages", "warps stalled on memory for each instruction issued"],
    [(depth, profile["derived"][variant(depth)]["long_scoreboard_stall"]) for depth in (1, 2)],
    tcd.source(profile),
)

# %% [markdown]
# Too shallow: latency shows. Too deep: residency goes. Both edges can be computed before anything runs, and both move
# with the chip. **A stage count copied from another card is a wrong number that compiles.**

# %%
tcd.predictions(tcd.data("day04-emulated"), h200)
