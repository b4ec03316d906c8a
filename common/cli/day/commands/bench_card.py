"""./day bench [NN…] on a card: build/gpu/bench, and the peer it is compared with."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from day import build, child, days, provision
from day import device as devices
from day.commands import run_days
from day.errors import BuildError, UsageError

FIRST = 3  # the first day whose kernel is a GEMM in cuBLAS's layout
INSTEAD = (
    "Without one, `./day run` gates every day and counts what it does, and `./day bench emulator` "
    "times the emulated device itself. What can be run here of this: `./day bench -- --gate-only`"
)


def run(
    root: Path,
    wanted: Sequence[str],
    peer: bool,
    arguments: Sequence[str | Path],
    command_name: str = "bench",
    instead: str = INSTEAD,
) -> int:
    """The executable's exit code. With --gate-only the emulated device will do."""
    chosen = gemm_days(root, wanted)
    runtime = build.need_toolkit(root).version
    if "--gate-only" in arguments or {"-h", "--help"} & set(arguments):
        where = devices.choose(None, None, runtime)
    else:
        where = devices.need_card(runtime, command_name, instead)
    print(where.line, flush=True)
    build.build(root, where.preset, ["bench"])
    command: list[str | Path] = [root / "build" / where.preset / "bench"]
    for number in chosen:
        command += ["--day", number]
    if peer:
        command += ["--peer", build_peer(root, where.preset)]
    return child.run([*command, *arguments], env=run_days.day_environment(root, where))


def gemm_days(root: Path, wanted: Sequence[str]) -> list[str]:
    """Their numbers; none: all of them, which the executable knows."""
    if not wanted:
        return []
    chosen = [day.number for day in days.select(days.all_days(root), list(wanted))]
    if "all" in wanted:
        return []
    for number in chosen:
        if int(number) < FIRST:
            raise UsageError(
                f"day {number} has no GEMM in the layout that bench compares; `./day run {number} "
                f"--device gpu` times it. bench takes days from {FIRST:02} on."
            )
    return chosen


def gemm_day(root: Path, name: str, command_name: str) -> str:
    """The number of the one day that a command takes."""
    if name == "all":
        raise UsageError(f"{command_name} takes one day: ./day list has them.")
    return gemm_days(root, [name])[0]


def headers(root: Path) -> Path | None:
    found = sorted(root.glob(".day/venv/lib/python3*/site-packages/cutlass_library/source"))
    return found[-1] if found else None


def build_peer(root: Path, preset: str) -> Path:
    """CUTLASS's kernels as a shared library. Its headers are fetched the first time, and the build
    folder is told where they lie, unless it was told a place of somebody's own."""
    folder = root / "build" / preset
    own = build.cache_value(folder, "TCD_CUTLASS_DIR")
    if not own:
        provision.need(root, provision.PEER)
        found = headers(root)
        if found is None:
            raise UsageError(
                "the wheel of common/cli/requirements-peer.lock brought no CUTLASS headers. With "
                f"some of your own: cmake -DTCD_CUTLASS_DIR=FOLDER {folder.relative_to(root)}"
            )
        log = root / ".day" / "logs" / "configure-peer.log"
        command = [build.cmake_program(root), f"-DTCD_CUTLASS_DIR={found}", folder]
        if child.run(command, cwd=root, env=build.tools_environment(root), log=log) != 0:
            sys.stderr.write(log.read_text(errors="replace"))
            raise BuildError("CMake could not add the peer (its words are above).")
    build.build(root, preset, ["peer"])
    return folder / "libpeer.so"
