# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The generations, asked of the assembler
#
# What this course writes by hand, later chips do in hardware. But which chip, exactly? The two accounts that
# this course grew from disagree: one gives Volta an `ldmatrix`, the other says that a V100 has neither
# `ldmatrix` nor `m16n8k8`. So nobody is believed here. One instruction of each kind goes to `ptxas`, once for
# each architecture, while this page is made.

# %%
import re
import subprocess
import tempfile
from pathlib import Path

import tcd_notebook as tcd

PTXAS = tcd.toolkit.find(tcd.ROOT).nvcc.parent / "ptxas"
VERSION = re.search(
    r"V[\d.]+",
    subprocess.run([PTXAS, "--version"], capture_output=True, text=True, check=True).stdout,
)[0]
ASSEMBLER = tcd.derived(
    f"the assembler, not a card: ptxas {VERSION} assembled it, or refused",
    "notebooks/generations.py",
)

HALVES = "{%r1, %r2}, {%r5, %r6}"
INSTRUCTIONS = {
    "mma.sync m8n8k4": "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 "
    "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8}, {%r1, %r2, %r3, %r4};",
    "mma.sync m16n8k8": f"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {HALVES}, {{%r7}}, {{%r1, %r2}};",
    "ldmatrix": "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
    "mma.sync m16n8k16": "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
    "{%r1, %r2}, {%r5, %r6, %r7, %r8}, {%r3, %r4}, {%r1, %r2};",
    "cp.async": "cp.async.cg.shared.global [%r1], [%rd1], 16;",
    "mbarrier": "mbarrier.init.shared.b64 [%r1], 1;",
    "mma.sync on FP8": "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
    "{%f1, %f2, %f3, %f4}, {%r5, %r6, %r7, %r8}, {%r3, %r4}, {%f1, %f2, %f3, %f4};",
    "TMA (cp.async.bulk.tensor)": "cp.async.bulk.tensor.2d.shared::cluster.global"
    ".mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];",
    "stmatrix": "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], {%r1, %r2, %r3, %r4};",
    "wgmma": "wgmma.fence.sync.aligned;",
    "tcgen05, TMEM": "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;",
}
TARGETS = {
    "sm_75": "Turing",
    "sm_80": "Ampere",
    "sm_89": "Ada",
    "sm_90a": "Hopper",
    "sm_100a": "Blackwell, data centre",
    "sm_120a": "Blackwell, consumer",
}


def assembles(instruction, target):
    """True, or what ptxas says."""
    with tempfile.TemporaryDirectory(prefix="generations-") as folder:
        source = Path(folder) / "one.ptx"
        source.write_text(
            f".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k() {{\n"
            ".reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .f32 %f<8>;\n"
            f"{instruction}\nret;\n}}\n"
        )
        command = [PTXAS, "-arch", target, source, "-o", Path(folder) / "one.cubin"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return True if done.returncode == 0 else done.stderr.strip().splitlines()[0]


ANSWERS = {
    (name, target): assembles(text, target)
    for name, text in INSTRUCTIONS.items()
    for target in TARGETS
}
REFUSAL = re.compile(r"requires|not supported")  # anything else would be a mistake of this page
assert all(a is True or REFUSAL.search(a) for a in ANSWERS.values()), ANSWERS

tcd.table(
    ["instruction", *(f"{target} {name}" for target, name in TARGETS.items())],
    [
        (name, *("yes" if ANSWERS[name, target] is True else "–" for target in TARGETS))
        for name in INSTRUCTIONS
    ],
    ASSEMBLER,
)

# %% [markdown]
# ## Why it refuses

# %%
tcd.table(
    ["instruction", "first refused on", "ptxas"],
    [
        (name, target, re.sub(r"^.*error\s*:\s*", "", ANSWERS[name, target]))
        for name in INSTRUCTIONS
        for target in [next((t for t in TARGETS if ANSWERS[name, t] is not True), None)]
        if target
    ],
    ASSEMBLER,
)

# %% [markdown]
# ## What it means
#
# **Volta** (sm_70) is missing: this toolkit no longer assembles for it. The PTX ISA gives it `m8n8k4`,
# which computes four products a warp, and `wmma`. `ldmatrix` and `m16n8k8` begin with sm_75; the table shows that
# the assembler has them from its oldest target on, and the quoted T4 account shows the refusal on sm_70:
# *Feature 'ldmatrix' requires .target sm_75 or higher*. The Ada account's table is wrong in this one
# cell.
#
# **Turing** brings `ldmatrix` and `m16n8k8`: Days 01 and 02 run there.
#
# **Ampere** brings `cp.async` and `m16n8k16`: Days 03 to 09. **Ada** changes nothing of that; its FP8 is
# new.
#
# **Hopper** takes the addresses out of your code (TMA: one thread, a whole tile) and the fragments too
# (`wgmma` reads shared memory itself). `wgmma` exists on sm_90a and on nothing later.
#
# **Blackwell is two things.** The data-centre chip takes the accumulator out of the registers into a memory of
# its own, TMEM, with `tcgen05`. The consumer chip has TMA, and neither `tcgen05` nor `wgmma`: there a
# kernel is again `ldmatrix` and `mma.sync`, as in this course, with better copies.
#
# | | global → shared | shared → tensor core | accumulator | who issues |
# |---|---|---|---|---|
# | Volta | loads and stores | loads | registers | warp |
# | Turing | loads and stores | `ldmatrix` | registers | warp |
# | Ampere, Ada | `cp.async` | `ldmatrix` | registers | warp |
# | Hopper | TMA | `wgmma` reads shared memory | registers | four warps |
# | Blackwell, data centre | TMA | `tcgen05` reads shared memory | TMEM | one thread |
# | Blackwell, consumer | TMA or `cp.async` | `ldmatrix` | registers | warp |
#
# ## What transfers
#
# - **The stage table.** A ring of tiles, an arrival to wait for, a depth that residency pays for. With TMA the
#   arrival is an mbarrier; the table is the same.
# - **The swizzle.** TMA's 64-byte mode is `(row >> 1) & 3`, Day 05's last layout. `wgmma` reads tiles that lie so.
# - **The order of the CTAs.** L2 does not know which instruction asked.
# - **Exact gates.** Integers in, bits compared. Nothing about them is Ada's.
# - **What does not:** the fragment maps of `ldmatrix`. Hopper's and Blackwell's own paths have none. On a consumer
#   Blackwell they are as useful as ever.
