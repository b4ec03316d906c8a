"""./day emulate: runs any CUDA program on the emulated device."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from day import build, child, context, emulated_library, executable, report_text, terminal
from day import device as devices
from day.commands.run_days import check_writable
from day.errors import UsageError
from day.executable import MACHINE_CODE, PTX, Executable
from day.provision import write_atomically

PRESET = "emulated"
HELP = "common/emulator/standalone/README.md"


def emulate(
    ctx: typer.Context,
    gpu: Annotated[
        str | None,
        typer.Option(metavar="PROFILE", help=f"The GPU: {', '.join(devices.PROFILES)}."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the whole report as JSON, by kernel and line."),
    ] = None,
    checks: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS", help="report, stop or off; and which: races,async,… (TCD_CHECKS)"
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="S", help="Stop a kernel after S seconds: endless loops, spins."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="Host threads; 0: all cores. Changes no result.")
    ] = None,
    where: Annotated[
        bool,
        typer.Option("--where", help="Run nothing: print the folder of the emulated libcudart."),
    ] = False,
) -> int:
    """Run a CUDA program on the emulated device. ./day emulate -- ./program its arguments

    The program must use the shared CUDA runtime (nvcc -cudart shared) and hold PTX. Exit code: the
    program's; 1 if it passed but a check found a mistake; 2 if it cannot be run here.
    """
    own = context.of(ctx, takes_extra=True)
    if where:
        build.build(own.root, PRESET, ["cudart"])
        print(built_library(own.root).parent)
        return 0
    if not own.extra:
        raise UsageError("which program? It goes behind `--`: ./day emulate -- ./program arguments")
    path = find_program(own.extra[0])
    if report is not None:
        check_writable(report)
    program = read_program(path)
    build.build(own.root, PRESET, ["cudart"])
    options = {"TCD_GPU": gpu, "TCD_CHECKS": checks, "TCD_TIMEOUT": timeout, "TCD_THREADS": threads}
    environment = program_environment(own.root, options)
    library = built_library(own.root)
    answers = emulated_library.ask(library, environment)
    if answers.error:
        raise UsageError(as_option(answers.error))
    refuse_what_cannot_run(program, library, answers.compute, environment)
    with tempfile.TemporaryDirectory(prefix="tcd-") as folder:
        written = Path(folder) / "report.json"
        environment["TCD_REPORT"] = str(written)
        code = child.run([path, *own.extra[1:]], env=environment, stdin=None)
        found = read_report(written)
    if code < 0:
        name = signal.Signals(-code).name
        print(f"tcd: {own.extra[0]} was ended by {name}, so there is no report", file=sys.stderr)
        return 128 - code
    if found is None:
        print("tcd: no kernel was launched (or the program left by _exit)", file=sys.stderr)
        return code
    found = {"command": list(own.extra), "exit_code": code, **found}
    print(report_text.summary(found), file=sys.stderr)
    if report is not None:
        keep(report, found)
    return 1 if code == 0 and found["checks"] else code


def built_library(root: Path) -> Path:
    library = emulated_library.find(root, PRESET)
    if library is None:
        raise UsageError(
            f"build/{PRESET}/emulator holds no libcudart; remove build/ and try again."
        )
    return library


def find_program(name: str) -> Path:
    found = shutil.which(name)
    if found is not None:
        return Path(found).absolute()
    if Path(name).is_file():
        raise UsageError(f"{name} is not executable. Is it the program? Then: chmod +x {name}")
    where = "no such file" if "/" in name else "not on PATH; a file here is ./" + name
    raise UsageError(f"there is no program {name}: {where}.")


def read_program(path: Path) -> Executable:
    try:
        program = executable.read(path)
    except executable.NotElf as error:
        raise UsageError(
            f"{path} is no executable file of its own, perhaps a script. {no_wrapper()}"
        ) from error
    if program.machine != executable.X86_64:
        name = executable.MACHINES.get(program.machine, f"machine {program.machine}")
        raise UsageError(f"{path} is built for {name}; the emulated device runs x86-64 programs.")
    return program


def no_wrapper() -> str:
    return (
        "./day emulate takes the CUDA program itself. To run all that a script, ctest or pytest "
        f"starts, put the emulated libcudart into LD_LIBRARY_PATH: {HELP} shows how."
    )


def program_environment(root: Path, options: dict[str, Any]) -> dict[str, str]:
    """LD_LIBRARY_PATH beats the executable's own RUNPATH; an option beats the variable."""
    environment = dict(os.environ)
    folders = [str(root / "build" / PRESET / "emulator")]
    if before := environment.get("LD_LIBRARY_PATH"):
        folders.append(before)
    environment["LD_LIBRARY_PATH"] = os.pathsep.join(folders)
    environment.update({name: str(value) for name, value in options.items() if value is not None})
    return environment


def as_option(error: str) -> str:
    """The runtime speaks of variables; here options set them."""
    name, equals, rest = error.partition("=")
    option = f"--{name.removeprefix('TCD_').lower()}"
    return f"{option} {rest} (or the variable {name})" if equals else error


def refuse_what_cannot_run(
    program: Executable, library: Path, compute: int, environment: dict[str, str]
) -> None:
    """Raises UsageError with the line to change."""
    found = executable.libraries(program, environment)
    parts = [program, *executable.of_libraries(found)]
    runtimes = {name: path for name, path in found.items() if name.startswith("libcudart.so")}
    if not runtimes:
        refuse_without_runtime(program, parts)
    for name, path in runtimes.items():
        if path is not None and path.resolve() == library.resolve():
            continue
        if name != library.name:
            raise UsageError(
                f"{program.path} needs {name}; the emulated device stands in for {library.name}, "
                "as the toolkit it was built with. Build both with one major version of CUDA."
            )
        raise UsageError(
            f"{program.path} would load {path or 'no ' + name}, not the emulated {name}: an "
            "old-style RPATH goes before LD_LIBRARY_PATH. Link with -Wl,--enable-new-dtags, or "
            "without -rpath."
        )
    code = [entry for part in parts for entry in part.device_code]
    if not code:
        return  # it may load kernels later; without any, nothing is launched
    ptx = sorted({sm for kind, sm in code if kind == PTX})
    machine = sorted({sm for kind, sm in code if kind == MACHINE_CODE})
    if not ptx:
        raise UsageError(
            f"{program.path} holds machine code only ({names('sm_', machine)}), and the emulated "
            f"device executes PTX.\n{how_to_embed(machine[0])}"
        )
    if ptx[0] > compute:
        raise UsageError(
            f"the PTX in {program.path} is for {names('compute_', ptx)}; the emulated GPU is "
            f"sm_{compute}. Choose a newer one with --gpu, or compile for it.\n"
            f"{how_to_embed(compute)}"
        )


def refuse_without_runtime(program: Executable, parts: list[Executable]) -> None:
    if any(part.has_static_runtime for part in parts):
        raise UsageError(
            f"{program.path} holds the CUDA runtime itself (nvcc links it statically unless told "
            "otherwise), so it would go past the emulated one. Link the shared runtime:\n"
            "  nvcc:  nvcc -cudart shared …\n"
            "  CMake: set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)     before the targets, or\n"
            "         set_property(TARGET … PROPERTY CUDA_RUNTIME_LIBRARY Shared); link "
            "CUDA::cudart, not CUDA::cudart_static"
        )
    if any("libcuda.so.1" in part.needed for part in parts):
        raise UsageError(
            f"{program.path} talks to the driver (libcuda.so.1), not to the CUDA runtime. The "
            "driver API is not emulated."
        )
    raise UsageError(
        f"{program.path} is no CUDA program: neither it nor its libraries need libcudart. "
        f"{no_wrapper()}"
    )


def names(prefix: str, numbers: list[int]) -> str:
    return ", ".join(f"{prefix}{number}" for number in numbers)


def how_to_embed(sm: int) -> str:
    return (
        f"  nvcc:  -gencode arch=compute_{sm},code=[compute_{sm},sm_{sm}]\n"
        f"  CMake: set(CMAKE_CUDA_ARCHITECTURES {sm})     without -real"
    )


def read_report(file: Path) -> dict[str, Any] | None:
    """None when nothing was launched, or the program ended without its exit handlers (_exit)."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def keep(file: Path, found: dict[str, Any]) -> None:
    content = json.dumps(found, indent=1) + "\n"
    try:
        if file.exists() and not file.is_file():
            file.write_text(content)
        else:
            write_atomically(file, content)
    except OSError as error:
        terminal.complain(f"cannot write {file}: {error.strerror}.")
