"""What a manifest says of machine code: instructions that it must, or must not, have as ptxas wrote
it for MACHINE_ARCH. PTX is not the last word: what lives in a register is decided behind it.
Standard library only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from day.errors import UsageError
from day.sass_listing import INSTRUCTION, NEVER

PATTERN = re.compile(r"[A-Z][A-Z0-9]*(\.[A-Z0-9]+)*")
ENTRY = re.compile(r'^\s*\.other\s+(\S+?),@"STO_CUDA_ENTRY')
SECTION = re.compile(r"^\.text\.(\S+):$")


@dataclass(frozen=True)
class Rule:
    instruction: str  # "HMMA.1688": the opcode, and suffixes it must have, in any order
    required: bool  # else forbidden
    why: str

    @property
    def name(self) -> str:
        return f"{self.instruction} {'required' if self.required else 'forbidden'} in SASS"

    def matches(self, opcode: str) -> bool:
        kind, *suffixes = opcode.split(".")
        wanted, *having = self.instruction.split(".")
        return kind == wanted and set(having) <= set(suffixes)


def read(content: Sequence[dict[str, Any]], file: object) -> tuple[Rule, ...]:
    """A rule with a slip in it must not be no rule."""
    rules = []
    for part in content:
        kinds = [key for key in ("required", "forbidden") if key in part]
        if len(kinds) != 1 or set(part) != {*kinds, "why"}:
            raise UsageError(f"{file}: a rule of sass is required or forbidden, and why: {part}")
        if not PATTERN.fullmatch(part[kinds[0]]):
            raise UsageError(f"{file}: {part[kinds[0]]} is no instruction like HMMA.1688.F32")
        rules.append(Rule(part[kinds[0]], kinds[0] == "required", part["why"]))
    return tuple(rules)


def opcodes(listing: Sequence[str], kernel: str) -> list[str]:
    """Those of the kernel and of what it may call, with their suffixes, in the order of a listing
    of `nvdisasm -c`; other kernels do not run."""
    entries = {match[1] for line in listing if (match := ENTRY.match(line))}
    found: list[str] = []
    counts = False
    for line in listing:
        if match := SECTION.match(line):
            counts = match[1] == kernel or match[1] not in entries
        elif counts and not NEVER.match(line) and (match := INSTRUCTION.match(line)):
            found.append(match[2])
    return found


def first_broken(rules: Sequence[Rule], there: Sequence[str]) -> Rule | None:
    for rule in rules:
        if rule.required != any(rule.matches(opcode) for opcode in there):
            return rule
    return None


def words(rule: Rule, there: Sequence[str], arch: str) -> list[str]:
    count = sum(rule.matches(opcode) for opcode in there)
    of = f"the {len(there):,} machine instructions for {arch}"
    said = f"{count} × {rule.instruction} among {of}" if count else f"no {rule.instruction} in {of}"
    return [said, rule.why]
