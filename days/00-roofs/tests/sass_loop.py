"""What ptxas made of Day 00's kernels: sass_loop.py EXECUTABLE.

Each issue_kernel must hold one loop with exactly the mma it was written with, nothing spilled, and
next to nothing else; on an architecture without the instruction, no mma at all. Without this a rate
may be that of a loop the compiler folded. FP8 on sm_90 is such a case: it must be seen to be.
Exit code: 0 as expected, 1 not, 2 no disassembler.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "common" / "cli"))

from day import sass_listing, toolkit
from day.sass_listing import Instruction, Kernel

# struct of mma_kinds.cuh → its machine instruction, and the first architecture that has it
INSTRUCTIONS = {
    "F16F32K16": ("HMMA.16816.F32", 80),
    "F16F16K16": ("HMMA.16816.F16", 80),
    "F16F32K8": ("HMMA.1688.F32", 75),
    "F16F16K8": ("HMMA.1688.F16", 75),
    "Bf16F32K16": ("HMMA.16816.F32.BF16", 80),
    "Tf32F32K8": ("HMMA.1688.F32.TF32", 80),
    "Int8K32": ("IMMA.16832.S8.S8", 80),
    "Int8K16": ("IMMA.8816.S8.S8", 75),
    "Fp8F32K32": ("QMMA.16832.F32.E4M3.E4M3", 89),
}
TENSOR = ("HMMA", "IMMA", "QMMA")
NAME = re.compile(r"issue_kernelINS_\d+(\w+?)ELi(\d+)ELi(\d+)EE")
MOST_OTHERS = (
    8  # counter, comparison, branch, and what ptxas moves into the loop's shadow
)


def is_filler(instruction: Instruction) -> bool:
    """What ptxas puts where a lone chain waits anyway: NOP, or `@!UPT UIADD3 URZ, URZ, URZ, URZ`."""
    nowhere = set(re.findall(r"\w+", instruction.operands)) == {"URZ"}
    return instruction.kind == "NOP" or (instruction.kind == "UIADD3" and nowhere)


def complaints(kernel: Kernel, struct: str, mmas: int) -> Iterator[str]:
    wanted, since = INSTRUCTIONS[struct]
    here = int(kernel.arch.removeprefix("sm_"))
    everywhere = Counter(i.opcode for i in kernel.instructions if i.kind in TENSOR)
    if sass_listing.tally(kernel.instructions).spills:
        yield "it spills"
    if here < since:
        if everywhere:
            yield f"holds {dict(everywhere)}, and {kernel.arch} has no such instruction"
        return
    loops = kernel.loops()
    if len(loops) != 1:
        yield f"{len(loops)} loops, wanted 1"
        return
    body = kernel.within(loops[0])
    inside = Counter(i.opcode for i in body if i.kind in TENSOR)
    if struct == "Fp8F32K32" and here == 90:
        unpacked = sum(i.opcode.startswith("F2FP.F16.E4M3.UNPACK") for i in body)
        if (
            "QMMA" in str(inside)
            or not unpacked
            or not 0 < inside["HMMA.16816.F32"] < mmas
        ):
            yield f"sm_90's FP8 is no longer emulated: {dict(inside)}, {unpacked} conversions"
        return
    if inside != {wanted: mmas}:
        yield f"the loop holds {dict(inside)}, wanted {mmas} {wanted}"
    if everywhere != inside:
        yield f"there are mma outside of the loop: {dict(everywhere)}"
    others = sum(i.kind not in TENSOR and not is_filler(i) for i in body)
    if others > MOST_OTHERS:
        yield f"{others} other instructions in the loop, at most {MOST_OTHERS} expected"


def main(executable: Path) -> int:
    found = toolkit.find(ROOT)
    tool = toolkit.find_tool(ROOT, found and found.nvcc, "cuobjdump")
    if tool is None:
        print("cuobjdump is missing; `./day doctor` says where it can come from")
        return 2
    environment = os.environ | {"PATH": f"{tool.parent}:{os.environ['PATH']}"}
    listing = subprocess.run(
        [tool, "--dump-sass", executable],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    if listing.returncode:
        print(f"{tool} cannot read {executable}: {listing.stderr.strip()}")
        return 2
    seen, wrong = Counter(), 0
    for kernel in sass_listing.parse(listing.stdout.splitlines()):
        match = NAME.search(kernel.name)
        if not match:
            continue
        seen[kernel.arch] += 1
        for complaint in complaints(kernel, match[1], int(match[3])):
            wrong += 1
            print(
                f"{kernel.arch} {match[1]}, ILP {match[2]}, {match[3]} mma: {complaint}"
            )
    if not seen or wrong:
        print(f"{wrong} complaints about {sum(seen.values())} loops")
        return 1
    print(
        ", ".join(
            f"{arch}: {count} loops as written" for arch, count in sorted(seen.items())
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
