"""Reads cuobjdump's listing of machine code: kernels, instructions, loops.

A loop is a branch backwards: everything from its target to the branch. A branch to itself is the
trap that ends every kernel, not a loop. Counts of an outer loop include its inner ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

KINDS = ("HMMA", "LDSM", "LDGSTS", "LDS", "STS", "LDG", "STG", "BAR")
TENSOR = ("HMMA", "IMMA", "QMMA")
SPILLS = ("LDL", "STL")

ARCH = re.compile(r"^\s*code for (sm_\w+)")
FUNCTION = re.compile(r"^\s*Function : (\S+)")
INSTRUCTION = re.compile(
    r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(?:@!?\w+\s+)?([A-Z][\w.]*)([^;]*);"
)
# Guarded by "never": ptxas leaves such fillers, `@!PT LDS RZ, [RZ]`, where the hardware wants a
# pause between instructions. They do no work, so they are not counted.
NEVER = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?:\{\s*)?@!U?PT\s")
HEX = re.compile(r"\b0x[0-9a-f]+\b")
RESOURCES_FUNCTION = re.compile(r"^\s*Function (\S+):")
RESOURCES_ARCH = re.compile(r"^arch = (sm_\w+)")
REGISTERS = re.compile(r"\bREG:(\d+)\b")


@dataclass(frozen=True)
class Instruction:
    address: int
    opcode: str  # with its suffixes: "HMMA.16816.F32"
    operands: str

    @property
    def kind(self) -> str:
        return self.opcode.split(".", 1)[0]

    @property
    def branch_target(self) -> int | None:
        targets = HEX.findall(self.operands) if self.kind in ("BRA", "JMP") else []
        return int(targets[-1], 16) if targets else None


@dataclass(frozen=True)
class Loop:
    first: int
    last: int
    depth: int  # 0: in no other loop


@dataclass
class Kernel:
    name: str  # mangled
    arch: str  # "sm_80"
    instructions: list[Instruction] = field(default_factory=list)

    def loops(self) -> list[Loop]:
        ends: dict[int, int] = {}
        for instruction in self.instructions:
            target = instruction.branch_target
            if target is not None and target < instruction.address:
                ends[target] = max(ends.get(target, 0), instruction.address)
        spans = sorted(ends.items(), key=lambda span: (span[0], -span[1]))
        return [
            Loop(
                first,
                last,
                sum(a <= first and last <= b and (a, b) != (first, last) for a, b in spans),
            )
            for first, last in spans
        ]

    def within(self, loop: Loop) -> list[Instruction]:
        return [i for i in self.instructions if loop.first <= i.address <= loop.last]


@dataclass(frozen=True)
class Tally:
    kinds: dict[str, int]  # one entry for each of KINDS
    spills: int
    shapes: dict[str, int]  # "HMMA.1688.F32": 64
    total: int


def tally(instructions: Sequence[Instruction]) -> Tally:
    by_kind = Counter(instruction.kind for instruction in instructions)
    shapes = Counter(i.opcode for i in instructions if i.kind in TENSOR)
    return Tally(
        kinds={kind: by_kind[kind] for kind in KINDS},
        spills=sum(by_kind[kind] for kind in SPILLS),
        shapes=dict(sorted(shapes.items())),
        total=len(instructions),
    )


def parse(lines: Iterable[str]) -> list[Kernel]:
    """The kernels of a `cuobjdump --dump-sass` listing, in its order."""
    kernels: list[Kernel] = []
    arch = "sm_?"
    for line in lines:
        if match := ARCH.match(line):
            arch = match[1]
        elif match := FUNCTION.match(line):
            kernels.append(Kernel(match[1], arch))
        elif kernels and not NEVER.match(line) and (match := INSTRUCTION.match(line)):
            address, opcode, operands = match.groups()
            kernels[-1].instructions.append(Instruction(int(address, 16), opcode, operands))
    return kernels


def parse_registers(lines: Iterable[str]) -> dict[tuple[str, str], int]:
    """{(kernel, arch): registers} from a `cuobjdump --dump-resource-usage` listing."""
    found: dict[tuple[str, str], int] = {}
    arch, function = "sm_?", None
    for line in lines:
        if match := RESOURCES_ARCH.match(line):
            arch, function = match[1], None
        elif match := RESOURCES_FUNCTION.match(line):
            function = match[1]
        elif function and (match := REGISTERS.search(line)):
            found[function, arch] = int(match[1])
            function = None
    return found
