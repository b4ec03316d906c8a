"""Rules about machine code, on listings as nvdisasm writes them."""

from __future__ import annotations

import pytest

from day import machine_rules
from day.errors import UsageError
from day.machine_rules import Rule

LISTING = """
        .global         other
        .other          other,@"STO_CUDA_ENTRY STV_DEFAULT"
.text.other:
        /*0000*/                   HMMA.1688.F32 R4, R2, R3, R4 ;
        .other          multiply,@"STO_CUDA_ENTRY STV_DEFAULT"
.text.multiply:
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;
        /*0010*/              @!P0 LDL.LU.64 R8, [R1+0x40] ;
        /*0020*/              @!PT LDS RZ, [RZ] ;
.text.helper:
        /*0000*/                   STL [R1], R0 ;
"""
WIDE = Rule("HMMA.F32.16816", required=True, why="w")
NO_LOCAL = Rule("LDL", required=False, why="keep it in registers")


def opcodes(kernel: str) -> list[str]:
    return machine_rules.opcodes(LISTING.splitlines(), kernel)


def test_what_runs_is_counted() -> None:
    assert opcodes("multiply") == ["IMAD.MOV.U32", "LDL.LU.64", "STL"]
    assert opcodes("other") == ["HMMA.1688.F32", "STL"]


def test_the_first_rule_that_is_broken() -> None:
    found = opcodes("multiply")
    other = opcodes("other")
    assert machine_rules.first_broken([NO_LOCAL, WIDE], found) is NO_LOCAL
    assert machine_rules.first_broken([NO_LOCAL], other) is None
    assert machine_rules.first_broken([WIDE], other) is WIDE
    assert machine_rules.first_broken([Rule("HMMA.F32.1688", True, "")], other) is None
    assert machine_rules.words(NO_LOCAL, found, "sm_89") == [
        "1 × LDL among the 3 machine instructions for sm_89",
        "keep it in registers",
    ]
    assert machine_rules.words(WIDE, found, "sm_89")[0].startswith("no HMMA.F32.16816 in the 3 ")
    assert (NO_LOCAL.name, WIDE.name) == (
        "LDL forbidden in SASS",
        "HMMA.F32.16816 required in SASS",
    )


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"why": ""}, "required or forbidden"),
        ({"required": "LDL", "forbidden": "LDL", "why": ""}, "required or forbidden"),
        ({"required": "LDL"}, "and why"),
        ({"required": "LDL", "why": "", "at_most": 1}, "required or forbidden, and why"),
        ({"forbidden": "ldl", "why": ""}, "ldl is no instruction"),
        ({"forbidden": "LDL [R1]", "why": ""}, "is no instruction"),
    ],
)
def test_a_rule_with_a_slip_is_refused(rule: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        machine_rules.read([rule], "exercise.json")
