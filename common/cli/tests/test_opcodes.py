"""The tables of instructions, from pretend .def files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from day import opcodes, pages
from day.errors import UsageError

TABLE = """// A comment: TCD_OPCODE(name, …)
TCD_OPCODE("add", decode_add, 0, "9.7.1", "u/s 16, all")
TCD_OPCODE("mma", decode_mma, 75, "9.7.14", "f16")
"""
MISSING = """TCD_UNSUPPORTED("cp.async.bulk", "9.7.9.25", "no bulk copies", "cp.async.bulk.wait;")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "ptx/opcodes.def": TABLE,
        "ptx/unsupported.def": MISSING,
        "machine/tests/test_x.cpp": 'run("add.u32 %d, %a, %b;");',
        "tensor/tests/test_t.cpp": '"mma.sync.aligned.m16n8k8"',
        "machine/tests/recorded/h200_instructions.txt": "# c\nI\t0\tadd.u32 x;\nI\t0\tadd.s64 y;\n",
        "tensor/tests/card/recorded/h200.json": json.dumps({"ops": [{"op": "m16n8k8.f32"}]}),
    }
    for name, content in files.items():
        file = tmp_path / opcodes.EMULATOR / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return tmp_path


def test_rows_say_what_was_compared_and_tested(root: Path) -> None:
    text = pages.render(root, "<!-- opcodes -->\n<!-- end opcodes -->\n")
    assert "| `add` | u/s 16, all | 9.7.1 |  | 2 | `test_x.cpp` |" in text
    assert "| `mma` | f16 | 9.7.14 | sm_75 | 1 | `test_t.cpp` |" in text
    text = pages.render(root, "<!-- unsupported -->\n<!-- end unsupported -->\n")
    assert "| `cp.async.bulk` | 9.7.9.25 | no bulk copies |" in text


def test_an_opcode_without_a_test_is_an_error(root: Path) -> None:
    (root / opcodes.EMULATOR / "machine/tests/test_x.cpp").write_text("int add = 1;")
    with pytest.raises(UsageError, match="no test of common/emulator uses add"):
        opcodes.opcodes(root)


def test_a_line_that_cannot_be_read_is_an_error(root: Path) -> None:
    with (root / opcodes.EMULATOR / "ptx/opcodes.def").open("a") as file:
        file.write('TCD_OPCODE("sub", decode_sub, 0, "9.7.1")\n')
    with pytest.raises(UsageError, match=r"opcodes\.def has a line"):
        opcodes.opcodes(root)
