"""The reader of cuobjdump's listing, on a recorded piece (sm_80, shortened) and made-up loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from day import sass_listing
from day.commands.sass import named
from day.errors import UsageError
from day.sass_listing import Instruction, Kernel, Loop

RECORDED = (Path(__file__).parent / "data/loop.sass").read_text().splitlines()
USAGE = (Path(__file__).parent / "data/loop.usage").read_text().splitlines()


def test_the_recorded_kernels_are_read() -> None:
    kernels = sass_listing.parse(RECORDED)
    assert [kernel.arch for kernel in kernels] == ["sm_75", "sm_80"]
    assert {kernel.name for kernel in kernels} == {"_Z4loopPK6__halfS1_Pfi"}
    turing, ampere = kernels
    assert sass_listing.tally(turing.instructions).shapes.keys() == {"HMMA.1688.F32"}
    assert sass_listing.tally(ampere.instructions).shapes.keys() == {"HMMA.16816.F32"}


def test_counts_equal_those_of_a_plain_search() -> None:
    """Control: the same numbers, got by looking for the word in the text."""
    for index, kernel in enumerate(sass_listing.parse(RECORDED)):
        text = "\n".join(RECORDED).split("Function :")[index + 1]
        counted = sass_listing.tally(kernel.instructions)
        for kind, number in counted.kinds.items():
            assert number == text.count(f" {kind}."), kind
        assert counted.kinds["HMMA"] > 0 and counted.kinds["LDG"] > 0


def test_the_loop_is_found_and_holds_the_tensor_work() -> None:
    for kernel in sass_listing.parse(RECORDED):
        loops = kernel.loops()
        assert loops, kernel.arch
        inner = max(loops, key=lambda loop: sass_listing.tally(kernel.within(loop)).kinds["HMMA"])
        assert sass_listing.tally(kernel.within(inner)).kinds["HMMA"] > 0
        assert len(kernel.within(inner)) < len(kernel.instructions)


def test_registers() -> None:
    registers = sass_listing.parse_registers(USAGE)
    assert set(registers) == {("_Z4loopPK6__halfS1_Pfi", arch) for arch in ("sm_75", "sm_80")}
    assert all(8 < number < 256 for number in registers.values())


def kernel_with(branches: dict[int, int], length: int) -> Kernel:
    return Kernel(
        "k",
        "sm_80",
        [
            Instruction(
                16 * i,
                "BRA" if i in branches else "FADD",
                f" 0x{16 * branches[i]:x}" if i in branches else " R0, R1",
            )
            for i in range(length)
        ],
    )


def test_shapes_of_all_tensor_instructions() -> None:
    opcodes = ["HMMA.1688.F32", "IMMA.8816.S8.S8", "QMMA.16832.F32.E4M3.E4M3", "FADD"]
    instructions = [Instruction(16 * i, opcode, "") for i, opcode in enumerate(opcodes)]
    assert sass_listing.tally(instructions).shapes == dict.fromkeys(opcodes[:3], 1)


def test_nested_loops_and_traps() -> None:
    kernel = kernel_with({5: 3, 8: 1, 10: 12, 13: 13}, 14)  # inner, outer, forward, trap
    assert kernel.loops() == [Loop(0x10, 0x80, 0), Loop(0x30, 0x50, 1)]
    assert len(kernel.within(kernel.loops()[0])) == 8
    assert kernel_with({4: 9, 9: 9}, 10).loops() == []


def test_two_branches_to_one_head_are_one_loop() -> None:
    assert kernel_with({4: 1, 7: 1}, 9).loops() == [Loop(0x10, 0x70, 0)]


def test_predicates_and_uniform_branches() -> None:
    lines = [
        "\t\tcode for sm_90",
        "\t\tFunction : k",
        "        /*0000*/                   @!P0 LDL.64 R2, [R1] ;   /* 0x00 */",
        "        /*0010*/              @UP1 UIADD3 UR4, UR4, 0x1, URZ ; /* 0x00 */",
        "        /*0020*/                   BRA.U UP0, 0x10 ; /* 0x00 */",
        "                                                     /* 0x000fe200078e00ff */",
    ]
    (kernel,) = sass_listing.parse(lines)
    assert kernel.arch == "sm_90"
    assert [i.kind for i in kernel.instructions] == ["LDL", "UIADD3", "BRA"]
    assert sass_listing.tally(kernel.instructions).spills == 1
    assert kernel.loops() == [Loop(0x10, 0x20, 0)]


def test_fillers_that_never_run_are_not_counted() -> None:
    lines = [
        "\t\tcode for sm_80",
        "\t\tFunction : k",
        "        /*0000*/              @!PT LDS RZ, [RZ] ;   /* 0x00 */",
        "        /*0010*/              @!P1 LDS R4, [R2] ;   /* 0x00 */",
        "        /*0020*/              @!UPT UIADD3 URZ, URZ, URZ, URZ ; /* 0x00 */",
    ]
    (kernel,) = sass_listing.parse(lines)
    assert [(i.address, i.kind) for i in kernel.instructions] == [(0x10, "LDS")]


def test_kernels_are_chosen_by_a_word_of_their_name() -> None:
    one, two = Kernel("_Z4loopPf", "sm_80"), Kernel("_Z5storePf", "sm_80")
    both = [(one, "loop(float*)"), (two, "store(float*)")]
    assert named(both, None) == both
    assert named(both, "loop") == both[:1]
    assert named(both, "_Z5") == both[1:]
    with pytest.raises(UsageError, match=r"no kernel has 'lop'.*\n  loop\(float.*\n  store\("):
        named(both, "lop")


def test_nothing_in_nothing_out() -> None:
    assert sass_listing.parse(["", "garbage", "/*0000*/ MOV R1, R2 ;"]) == []
    assert sass_listing.parse_registers(["REG:5"]) == {}
