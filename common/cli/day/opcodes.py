"""The tables of instructions: what the emulated device runs, and what it says of the rest. Both
from the files the decoder itself is made of, common/emulator/ptx/*.def; a test runs every line."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from day.errors import UsageError

EMULATOR = Path("common/emulator")
RECORDED = EMULATOR / "machine/tests/recorded/h200_instructions.txt"
TILES = EMULATOR / "tensor/tests/card/recorded/h200.json"
# Every opcode of the table is run once here, which says little about one; looked at last.
EVERY_OPCODE = "test_opcodes.cpp"
TEST_FOLDERS = ("machine/tests", "counters/tests", "checks/tests", "tensor/tests")
TEST_SUFFIXES = (".cpp", ".h", ".def", ".cu")


def entries(root: Path, file: str, macro: str, fields: int) -> list[list[str]]:
    """The arguments of every `macro(…)` of a .def file, quotes removed."""
    text = (root / EMULATOR / "ptx" / file).read_text(encoding="utf-8")
    field = r'("(?:[^"\\]|\\.)*"|[\w]+)'
    pattern = rf"^{macro}\({', '.join([field] * fields)}\)$"
    found = [
        [part.strip('"') for part in match] for match in re.findall(pattern, text, re.MULTILINE)
    ]
    if not found or len(found) != len(re.findall(rf"^{macro}\(", text, re.MULTILINE)):
        raise UsageError(
            f"{EMULATOR}/ptx/{file} has a line that is not {macro}(… {fields} fields …)"
        )
    return found


def opcodes(root: Path) -> str:
    on_card = forms_on_card(root)
    tests = test_texts(root)
    lines = [
        "| opcode | forms | PTX ISA | from | forms compared with an H200 | a test |",
        "|---|---|---|---|---:|---|",
    ]
    for name, _, since, section, covers in entries(root, "opcodes.def", "TCD_OPCODE", 5):
        first = f"sm_{since}" if since != "0" else ""
        compared = str(on_card[name] or "")
        lines.append(
            f"| `{name}` | {covers} | {section} | {first} | {compared} "
            f"| {tested_by(name, tests, on_card[name])} |"
        )
    return "\n".join(lines) + "\n"


def unsupported(root: Path) -> str:
    lines = ["| family | PTX ISA | the device says |", "|---|---|---|"]
    for name, section, why, _ in entries(root, "unsupported.def", "TCD_UNSUPPORTED", 4):
        lines.append(f"| `{name}` | {section} | {why} |")
    return "\n".join(lines) + "\n"


def forms_on_card(root: Path) -> Counter[str]:
    """How many forms of an opcode a card's answers are committed for."""
    count: Counter[str] = Counter()
    for line in (root / RECORDED).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            ptx = line.split("\t")[2]
            count[re.split(r"[ .;]", ptx, maxsplit=1)[0]] += 1
    for op in json.loads((root / TILES).read_text(encoding="utf-8"))["ops"]:
        count["wmma" if op["op"].startswith("wmma") else "mma"] += 1
    return count


def test_texts(root: Path) -> dict[str, str]:
    files = [
        path
        for folder in TEST_FOLDERS
        for path in sorted((root / EMULATOR / folder).rglob("*"))
        if path.suffix in TEST_SUFFIXES
    ]
    files.sort(key=lambda path: path.name == EVERY_OPCODE)
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def tested_by(name: str, tests: dict[str, str], recorded: int) -> str:
    use = re.compile(rf'(?<![\w.%/"`]){name}(\.[a-z0-9_:]+)*[ ;][^=()]*;|"{name}[ .;]')
    for file, text in tests.items():
        if use.search(text):
            return "`test_recorded.cpp`" if recorded and file == EVERY_OPCODE else f"`{file}`"
    raise UsageError(f"no test of {EMULATOR} uses {name}, which ptx/opcodes.def claims to be run")
