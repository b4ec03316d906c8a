# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Day 07, the fused epilogue: round once, and what rounding costs
#
# Bias and ReLU in the registers: one rounding instead of two, one trip of D instead of three. This notebook
# foretells which elements a second rounding changes, what a NaN becomes, and how wrong sums in FP16 get, each
# from first principles, and holds it against the executables.
#
# **Predict first.** Store a sum as FP16, add a bias to it later. Of 65,536 elements at K = 4096, how many differ from
# those that were rounded once: none, a handful, thousands?

# %%
import math
import re

import numpy as np
from matplotlib.figure import Figure

import tcd_notebook as tcd

tcd.code("days/07-fused-epilogue/kernel.cu", "finish")

# %% [markdown]
# ## One element, twice rounded
#
# The day has run a moment ago, on the emulated device, and printed the first element that differs: the sum is
# −182.5625, the bias 198.5. Between 128 and 256 a half holds multiples of 1/8, below 16 multiples of 1/128.
# So:

# %%
verdict = tcd.run("07", "--m", "128", "--n", "128", "--k", "64")
FIRST = r"sum (-?[\d.]+), bias ([\d.]+): fused ([\d.]+), unfused ([\d.]+)"
SUM, BIAS, *said = map(float, re.search(FIRST, verdict["printed"]).groups())
ONCE = np.float16(SUM + BIAS)
STORED = np.float16(SUM)
TWICE = np.float16(float(STORED) + BIAS)
assert said == [round(float(x), 3) for x in (ONCE, TWICE)], said
figure = Figure(figsize=(7.2, 2.4))
halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(float)  # all there are
for ax, centre, reach, points in zip(
    figure.subplots(1, 2),
    (SUM, SUM + BIAS),
    (0.3, 0.1),
    ({"the sum": SUM, "stored": float(STORED)}, {"once": float(ONCE), "twice": float(TWICE)}),
    strict=True,
):
    low, high = centre - reach, centre + reach
    marks = halves[(halves >= low) & (halves <= high)]
    ax.vlines(marks, -0.12, 0.12, color=tcd.INK, lw=0.8)
    ax.axhline(0, color=tcd.INK, lw=0.8)
    for i, (name, value) in enumerate(points.items()):
        ax.plot([value], [0], "o", color=tcd.COLOURS[i])
        ax.annotate(
            f"{name}\n{value}",
            (value, 0),
            xytext=(0, 14 if i == 0 else -34),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    ax.set(
        xlim=(low, high),
        ylim=(-0.7, 0.7),
        yticks=[],
        title="halves near the sum" if centre == SUM else "halves near the result",
    )
    ax.tick_params(labelsize=7)
    ax.spines["left"].set_visible(False)
    ax.grid(False)
tcd.show(
    figure,
    "The halves near −182.5625 and near 15.9375: the sum falls between two of them, the result does not",
    "Ticks: what a half can hold. The sum lies in the middle of two and goes to the even one. The bias cannot bring "
    "back what that lost.",
    tcd.source(verdict),
    tcd.derived("IEEE 754 halves", "common/gates/half.h"),
)

# %% [markdown]
# ## How many, over K
#
# A sum of K products of quarters is nearly normal, and its spread is known. So the share of elements that a
# second rounding changes needs no GPU: round each possible sum once, and twice, and weigh.

# %%
QUARTERS = np.arange(-8, 9) / 4
SPREAD = (QUARTERS**2).mean()  # standard deviation of a product
BIASES = 192 + 0.25 * np.arange(33)  # the day's: large enough that most sums stay positive


def share_changed(k):
    x = np.arange(-24000, 24001) / 16
    weight = np.exp(-(x**2) / (2 * k * SPREAD**2))
    stored = x.astype(np.float16).astype(float)
    changed = np.zeros_like(x)
    for bias in BIASES:
        once = np.maximum(x + bias, 0).astype(np.float16)
        twice = np.maximum(stored + bias, 0).astype(np.float16)
        changed += once != twice
    return float((weight * changed).sum() / weight.sum() / len(BIASES))


h200, emulated = tcd.data("day07-h200"), tcd.data("day07-emulated")
NAME = "rounding at 256×256×4096"
rounding = h200["derived"][NAME]
assert rounding == emulated["derived"][NAME], "the card and the emulated device agree"
came_out = rounding["differ"] / rounding["elements"]
KS = [2**e for e in range(8, 16)]
figure = Figure(figsize=(7.2, 3.0))
ax = figure.subplots()
ax.plot(
    KS,
    [100 * share_changed(k) for k in KS],
    ".-",
    color=tcd.KIND_COLOUR["derived"],
    label="foretold",
)
ax.plot(
    [4096],
    [100 * came_out],
    "o",
    ms=8,
    color=tcd.KIND_COLOUR["measured"],
    label="H200, and the emulated device",
)
ax.set(xscale="log", xlabel="K", ylabel="% of elements changed")
ax.set_xticks(KS, KS)
ax.minorticks_off()
ax.legend(fontsize=9)
tcd.show(
    figure,
    "Share of elements that differ between one rounding and two, over K",
    "Small K hides the mistake: sums below 128 are multiples of 1/16 that a half holds exactly.",
    tcd.derived("a normal distribution, rounded once and twice", "notebooks/07-fused-epilogue.py"),
    tcd.source(h200),
)
assert abs(share_changed(4096) - came_out) < 0.004

# %% [markdown]
# Thousands. And the day's gate is stricter than this curve: from the exact sums the host says *which* elements
# differ, and every bit of both kernels is what it says.

# %%
tcd.table(
    ["at 256×256×4096", *rounding],
    [
        ("H200", *rounding.values()),
        ("emulated RTX 4060 Laptop", *emulated["derived"][NAME].values()),
    ],
    tcd.source(h200),
    tcd.source(emulated),
)

# %% [markdown]
# ## What a NaN becomes
#
# IEEE 754's maxNum prefers a number: `fmaxf(NaN, 0)` is 0. So a ReLU written with it turns a NaN, the sign
# of many a mistake, into the most ordinary value there is. A comparison does not:

# %%
VALUES = np.array([2.5, -2.5, -0.0, np.inf, -np.inf, np.nan], np.float32)
WAYS = {
    "fmaxf(x, 0)": np.fmax(VALUES, np.float32(0)),
    "x > 0 ? x : 0": np.where(VALUES > 0, VALUES, np.float32(0)),
    "x < 0 ? 0 : x (the kernel)": np.where(VALUES < 0, np.float32(0), VALUES),
}
tcd.table(
    ["ReLU written as", *(f"x = {value:g}" for value in VALUES)],
    [(way, *(f"{value:g}" for value in result)) for way, result in WAYS.items()],
    tcd.derived("IEEE 754, by the host", "days/07-fused-epilogue/kernel.cu"),
)
assert np.isnan(WAYS["x < 0 ? 0 : x (the kernel)"][-1])
assert not np.isnan(WAYS["fmaxf(x, 0)"][-1])

nan = next(p for p in verdict["predictions"] if "NaN" in p["text"])
assert nan["held"], nan
tcd.table(
    ["prediction", "on the emulated device, just now"],
    [(nan["text"], "held" if nan["held"] else "NOT held")],
    tcd.source(verdict),
)

# %% [markdown]
# ## The trip that is saved
#
# Counted by the emulated device at 4096³, and then timed by the card:

# %%
COUNTS = emulated["derived"]
FUSED, APART = COUNTS["bias + ReLU"], COUNTS["the separate kernel alone"]
tcd.table(
    ["at 4096³", "bytes loaded", "bytes stored", "sectors loaded", "sectors stored"],
    [
        (
            name,
            *(
                row[f"global_{what}"]
                for what in ("load_bytes", "store_bytes", "load_sectors", "store_sectors")
            ),
        )
        for name, row in (
            ("fused: bias, and D once", FUSED),
            ("the separate kernel, on top", APART),
        )
    ],
    tcd.source(emulated),
)
TIMES = {t["name"]: t["median_ms"] for t in h200["timings"]}
quoted = tcd.data("day07-ada-account")
EXTRA = quoted["timings"][0]["median_ms"]
MOVED = APART["global_load_bytes"] + APART["global_store_bytes"]
tcd.table(
    ["card", "the second kernel costs, ms", "that is, GB/s", "kind"],
    [
        (
            "H200",
            TIMES["bias + ReLU, unfused"] - TIMES["bias + ReLU"],
            MOVED / (TIMES["bias + ReLU, unfused"] - TIMES["bias + ReLU"]) / 1e6,
            "measured",
        ),
        ("RTX 4060 Laptop", EXTRA, MOVED / EXTRA / 1e6, "quoted"),
    ],
    tcd.source(h200),
    tcd.source(quoted),
    tcd.derived("bytes over that time", "notebooks/data/day07-emulated.json"),
)

# %% [markdown]
# On the laptop card the second kernel takes all the bandwidth there is. The H200's is so short that starting
# it counts, and part of D is still in L2 when it asks. The larger D, the less either helps: then it is a whole
# trip.
#
# ## Sums in FP16: how wrong, over K
#
# The other place to round is inside the sum. A GeForce multiplies twice as fast if the accumulators are halves.
# What it costs is ‖err‖/‖ref‖ against a sum in double. First foretell it, in six lines: add eight products
# exactly (that is what one `m16n8k8` does), round to FP16, go on.

# %%
KS = [128, 256, 512, 1024, 2048, 4096, 8192]
random = np.random.default_rng(9)


def foretold(k, elements=500, at_once=8):
    x, y = (
        random.uniform(-1, 1, (elements, k)).astype(np.float16).astype(np.float32) for _ in "xy"
    )
    exact = (x.astype(float) * y).sum(axis=1)
    total = np.zeros(elements, np.float16)
    for products in (x * y).reshape(elements, -1, at_once).sum(axis=2).T:
        total = (total.astype(np.float32) + products).astype(np.float16)
    return np.linalg.norm(total - exact) / np.linalg.norm(exact)


bench, counted = tcd.data("check09-h200"), tcd.data("day09-emulated")


def errors(verdict, width):
    return [verdict["derived"][f"sums, k8, K = {k:4d}"][f"{width}_error_ppm"] / 1e6 for k in KS]


def fitted(values):
    exponent, constant = np.polyfit(np.log(KS), np.log(values), 1)
    return exponent, math.exp(constant)


EXPONENT, CONSTANT = fitted(errors(bench, "f16"))
FIT = bench["derived"]["sums, k8, fitted"]
assert abs(100 * EXPONENT - FIT["exponent_percent"]) < 0.1, "the executable's own fit"

FORETOLD = [foretold(k) for k in KS]
account = tcd.data("profile09-ada-account")["derived"]["sums in FP16"]
figure = Figure(figsize=(7.2, 4.6))
ax = figure.subplots()
ax.plot(
    KS, errors(bench, "f16"), "o", ms=7, color=tcd.KIND_COLOUR["measured"], label="FP16 sums, H200"
)
ax.plot(KS, errors(counted, "f16"), "x", ms=7, color=tcd.INK, label="… emulated device")
ax.plot(
    KS,
    FORETOLD,
    "-",
    color=tcd.KIND_COLOUR["derived"],
    label="foretold: eight products, then one rounding",
)
ax.plot(KS, errors(bench, "f32"), "s", ms=5, color=tcd.COLOURS[3], label="FP32 sums, H200")
ax.plot(KS, [math.sqrt(k) * 2**-11 for k in KS], "--", color=tcd.INK, lw=1, label="√K · 2⁻¹¹")
ax.plot(
    [account["k"]],
    [account["relative_error"]],
    "D",
    color=tcd.KIND_COLOUR["quoted"],
    label="the account's figure",
)
ax.set(xscale="log", yscale="log", xlabel="K", ylabel="‖err‖ / ‖ref‖")
ax.set_xticks(KS, KS)
ax.minorticks_off()
figure.legend(loc="outside lower center", ncols=2, fontsize=8)
tcd.show(
    figure,
    "Relative error of FP16 sums over K: measured, foretold, and the account's rule of thumb",
    "FP16 sums get worse like √K; FP32 sums stay at the rounding of the store.",
    tcd.source(bench),
    tcd.source(counted),
    tcd.source(tcd.data("profile09-ada-account")),
    tcd.derived("six lines of Python above", "notebooks/07-fused-epilogue.py"),
)
for k, seen, said in zip(KS, errors(bench, "f16"), FORETOLD, strict=True):
    assert abs(seen / said - 1) < 0.12, (k, seen, said)

# %%
own_exponent, own_constant = fitted(FORETOLD)
tcd.table(
    ["‖err‖/‖ref‖ = constant · K^exponent", "constant", "exponent", "at K = 4096"],
    [
        ("H200, fitted", CONSTANT, EXPONENT, errors(bench, "f16")[KS.index(4096)]),
        ("foretold, fitted", own_constant, own_exponent, FORETOLD[KS.index(4096)]),
        ("√K · 2⁻¹¹", 2.0**-11, 0.5, 2.0**-11 * math.sqrt(4096)),
        ("the account's figure", None, None, account["relative_error"]),
    ],
    tcd.source(bench),
    tcd.source(tcd.data("profile09-ada-account")),
    tcd.derived("least squares on the logarithms", "notebooks/07-fused-epilogue.py"),
)

# %% [markdown]
# The rule of thumb has the right exponent and a constant nine times too large, and the six lines say why: eight
# products share one rounding, half of an ulp is the *most* that a rounding loses, and the sum was smaller for most of
# its life. The account's own figure lies above even the rule; it does not say what it divided by what.
#
# Sixteen times as wrong as FP32 sums at K = 4096, and worse with every doubling. That is the price of the factor two.

# %%
tcd.predictions(emulated, h200)
