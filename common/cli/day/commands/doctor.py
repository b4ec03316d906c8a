"""./day doctor: what is here, what is missing, and the exact command that gets it."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer

from day import build, context, device, host_compiler, provision, sandbox, terminal, toolkit
from day.errors import UsageError

Level = Literal["ok", "note", "missing"]
SIGN = {"ok": ("ok", "green"), "note": ("note", "yellow"), "missing": ("missing", "red")}


@dataclass(frozen=True)
class Finding:
    what: str
    level: Level
    says: str
    cure: str = ""


def doctor(ctx: typer.Context) -> int:
    """Say what this machine has, and how to get what it lacks."""
    root = context.of(ctx).root
    missing = 0
    for finding in examine(root):
        word, colour = SIGN[finding.level]
        print(f"{terminal.paint(f'{word:<8}', colour)}{finding.what:<14}{finding.says}")
        if finding.cure:
            print(f"{'':<22}get it: {finding.cure}")
        missing += finding.level == "missing"
    print(f"\n{missing} missing." if missing else "\nAll that is needed is here.")
    return 2 if missing else 0


def examine(root: Path) -> Iterator[Finding]:
    system = f"{platform.system()} {platform.machine()}, {distribution()}"
    yield Finding("system", "ok", f"{system}, {os.cpu_count()} cores")
    found, passed_over = toolkit.find_on_machine()
    found = found or toolkit.find(root)
    yield from compilers(found, passed_over)
    yield from headers(include_folders())
    yield Finding("python", "ok", f"{platform.python_version()} in {provision.venv_python(root)}")
    yield program(root, "cmake", build.cmake_program(root))
    yield program(root, "ninja", provision.venv_python(root).with_name("ninja"))
    yield disassembler(root, found)
    if found:
        yield of_grading(found)
    yield from devices(found)


def distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "an unnamed distribution"


def compilers(found: toolkit.Toolkit | None, passed_over: list[str]) -> Iterator[Finding]:
    newest = toolkit.newest_supported_gcc(found.nvcc) if found else None
    compiler, remarks = host_compiler.find(newest)
    if compiler:
        default = "" if compiler.is_default else " (the default one will not do)"
        says = f"{compiler.name} {compiler.version} at {compiler.path}{default}"
        yield Finding("C++ compiler", "ok", says)
    else:
        yield Finding(
            "C++ compiler",
            "missing",
            "; ".join(remarks) or "none found",
            "sudo apt-get install -y g++-12",
        )
    for remark in passed_over:
        yield Finding("nvcc", "note", f"passed over: {remark}")
    if found:
        yield Finding("nvcc", "ok", found.description)
    else:
        yield Finding(
            "nvcc", "missing", "not on this machine, not in .day", "rm -rf .day && ./day doctor"
        )


def include_folders() -> list[Path]:
    prefixes = ["/usr", "/usr/local", *filter(None, [os.environ.get("CMAKE_PREFIX_PATH")])]
    return [Path(prefix) / "include" for prefix in prefixes]


def headers(folders: Sequence[Path]) -> Iterator[Finding]:
    listing = Path(__file__).parents[2] / "system-packages.txt"
    for line in listing.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        header, package = line.split()
        places = (folder / header for folder in folders)
        place = next((place for place in places if place.exists()), None)
        if place:
            yield Finding("header", "ok", str(place))
        else:
            yield Finding("header", "missing", header, f"sudo apt-get install -y {package}")


def program(root: Path, name: str, path: Path) -> Finding:
    try:
        result = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return Finding(name, "missing", f"{path} does not run", "rm -rf .day && ./day doctor")
    version = result.stdout.splitlines()[0].removeprefix(f"{name} version ")
    return Finding(name, "ok", f"{version} at {path.relative_to(root)}")


def disassembler(root: Path, found: toolkit.Toolkit | None) -> Finding:
    tool = toolkit.find_tool(root, found and found.nvcc, "cuobjdump")
    if tool:
        return Finding("cuobjdump", "ok", f"{tool} (for ./day sass)")
    return Finding("cuobjdump", "missing", "for ./day sass", "rm -rf .day && ./day doctor")


def of_grading(found: toolkit.Toolkit) -> Finding:
    try:
        way = sandbox.choose(found.nvcc)
    except UsageError as error:
        says = f"./day grade refuses without one; {' '.join(str(error).split())}"
        return Finding("sandbox", "note", says, sandbox.INSTALL)
    if way.name == "bubblewrap":
        return Finding("sandbox", "ok", f"{sandbox.version(way)} (for ./day grade)")
    says = f"{way.name} (for ./day grade); bubblewrap hides more"
    return Finding("sandbox", "note", says, sandbox.INSTALL)


def devices(found: toolkit.Toolkit | None) -> Iterator[Finding]:
    driver = device.ask_driver()
    runtime = found.version if found else None
    if driver.version is None:
        yield Finding("driver", "note", "none: the days run on the emulated device")
    else:
        says = driver.error or f"supports CUDA {toolkit.text(driver.version)}"
        yield Finding("driver", "note" if driver.error else "ok", says)
    for card in driver.cards:
        capability = toolkit.text(card.capability)
        yield Finding("card", "ok", f"{card.name}, compute capability {capability}")
    try:
        chosen = device.choose(None, None, runtime, ask=lambda: driver)
    except UsageError as error:
        yield Finding("device", "missing", str(error), "unset TCD_GPU")
        return
    yield Finding("device", "ok", f"{chosen.kind} {chosen.name} ({chosen.reason})")
    profiles = " ".join(device.PROFILES)
    yield Finding("profiles", "ok", f"{profiles} (./day run --gpu NAME)")
