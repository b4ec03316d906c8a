"""./day sass NN: what the compiler made of a day's kernels, counted by instruction and by loop."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from day import build, context, days, sass_listing, state, terminal, toolkit
from day.errors import UsageError
from day.sass_listing import Instruction, Kernel


def sass(
    ctx: typer.Context,
    wanted: Annotated[str, typer.Argument(metavar="NN", help="The day, e.g. 01.")],
    arch: Annotated[
        str | None, typer.Option(metavar="NN", help="Only this architecture: 75, 80, …")
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="Only kernels that have WORD in their name."),
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print the disassembly itself.")] = False,
) -> int:
    """Count the machine instructions of a day. Tensor, memory and spills, per kernel and loop.

    Needs cuobjdump and nvdisasm, from the toolkit or from .day; neither needs a GPU.
    """
    root = context.of(ctx).root
    if wanted == "all":
        raise UsageError("sass shows one day at a time: ./day sass 01")
    day = days.select(days.all_days(root), [wanted])[0]
    number = arch.removeprefix("sm_") if arch else None
    if number and number not in day.architectures:
        built = ", ".join(day.architectures)
        raise UsageError(f"day {day.number} is not built for {arch}, only for {built}.")
    found = toolkit.find(root)
    tool = toolkit.find_tool(root, found and found.nvcc, "cuobjdump")
    if tool is None:
        raise UsageError(
            "cuobjdump is missing, in the toolkit and in .day. Remove .day and type "
            "the command again: the set-up fetches it."
        )
    preset = next((p for p in state.PRESETS if state.executable(root, p, day).exists()), "emulated")
    build.build(root, preset, [day.target])
    binary = state.executable(root, preset, day)
    if raw and kernel:
        raise UsageError("--raw prints all that cuobjdump says: leave --kernel out.")
    only = ["--gpu-architecture", f"sm_{number}"] if number else []
    listing = dump(root, tool, ["--dump-sass", *only], binary)
    if raw:
        sys.stdout.write(listing)
        return 0
    kernels = [kernel for kernel in sass_listing.parse(listing.splitlines()) if kernel.instructions]
    if not kernels:
        raise UsageError(f"{tool} found no machine code in {binary}.")
    usage = dump(root, tool, ["--dump-resource-usage"], binary)
    registers = sass_listing.parse_registers(usage.splitlines())
    names = demangle([one.name for one in kernels])
    wanted_ones = named(list(zip(kernels, names, strict=True)), kernel)
    print(f"{binary.relative_to(root)}, as {tool} reads it")
    for one, name in wanted_ones:
        show(one, name, registers.get((one.name, one.arch)))
    return 0


def named(kernels: Sequence[tuple[Kernel, str]], word: str | None) -> list[tuple[Kernel, str]]:
    """Those with the word in their name, as it is mangled or as C++ has it."""
    found = [(one, name) for one, name in kernels if not word or word in name or word in one.name]
    if not found:
        there = "\n  ".join(sorted({name for _, name in kernels}))
        raise UsageError(f"no kernel has {word!r} in its name. The kernels there are:\n  {there}")
    return found


def dump(root: Path, tool: Path, options: Sequence[str], binary: Path) -> str:
    environment = build.tools_environment(root)
    environment["PATH"] = f"{tool.parent}:{environment['PATH']}"  # cuobjdump calls nvdisasm
    result = subprocess.run(
        [tool, *options, binary], capture_output=True, text=True, env=environment, check=False
    )
    if result.returncode != 0:
        raise UsageError(f"{tool} cannot read {binary}: {result.stderr.strip() or 'no reason'}")
    return result.stdout


def demangle(names: Sequence[str]) -> list[str]:
    program = shutil.which("c++filt")
    if program is None:
        return list(names)
    result = subprocess.run(
        [program], input="\n".join(names), capture_output=True, text=True, check=False
    )
    plain = result.stdout.splitlines()
    return plain if result.returncode == 0 and len(plain) == len(names) else list(names)


def show(kernel: Kernel, name: str, registers: int | None) -> None:
    count = "registers unknown" if registers is None else f"{registers} registers"
    print(f"\n{terminal.paint(name, 'bold')}\n{kernel.arch}, {count}")
    whole = sass_listing.tally(kernel.instructions)
    rows = [row("whole kernel", kernel.instructions)]
    for loop in kernel.loops():
        indent = "  " * loop.depth
        rows.append(row(f"{indent}loop {loop.first:#06x}-{loop.last:#06x}", kernel.within(loop)))
    header = ("where", *sass_listing.KINDS, "spills", "all")
    terminal.table(header, rows, right=range(1, len(header)))
    for shape, times in whole.shapes.items():
        print(f"  {shape} x {times}")


def row(where: str, instructions: Sequence[Instruction]) -> list[str]:
    counted = sass_listing.tally(instructions)
    numbers = [*counted.kinds.values(), counted.spills, counted.total]
    return [where, *(str(number) if number else "-" for number in numbers)]
