"""Applies a unified diff of one file, strictly: every line of context must stand where the patch
says it does. What comes before `---` is the patch's own text, in lines of `key: value`."""

from __future__ import annotations

import re

HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


class PatchError(Exception):
    """The patch does not fit the file any more."""


def header(patch: str) -> dict[str, str]:
    found = {}
    for line in patch.splitlines():
        if line.startswith("--- "):
            break
        key, colon, value = line.partition(": ")
        if colon:
            found[key] = value.strip()
    return found


def apply(text: str, patch: str) -> str:
    old = text.splitlines()
    new: list[str] = []
    at, in_hunk, hunks = 0, False, 0
    for line in patch.splitlines():
        if match := HUNK.match(line):
            start = int(match[1]) - 1
            new += old[at:start]
            at, in_hunk, hunks = start, True, hunks + 1
        elif in_hunk and line[:1] in ("-", " ", ""):
            if at >= len(old) or old[at] != line[1:]:
                seen = old[at] if at < len(old) else "the end of the file"
                raise PatchError(f"line {at + 1} is `{seen}`, the patch has `{line[1:]}`")
            if line[:1] != "-":
                new.append(old[at])
            at += 1
        elif in_hunk and line[0] == "+":
            new.append(line[1:])
    if hunks == 0:
        raise PatchError("the patch holds no change")
    return "\n".join([*new, *old[at:]]) + "\n"
