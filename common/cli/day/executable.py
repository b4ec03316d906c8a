"""What an executable says of itself before it is run: a CUDA program or not, which runtime, which
architectures. Reads the ELF file and the fat binaries in it; the emulated device itself reads them
in common/emulator/fatbin, where the container is described."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

X86_64 = 62
MACHINES = {3: "32-bit x86", 40: "32-bit ARM", 183: "AArch64", 243: "RISC-V"}
PTX, MACHINE_CODE = 1, 2
CONTAINER_MAGIC = 0xBA55ED50
NEEDED = 1  # a tag of the dynamic section: a library's name


class NotElf(Exception):
    """Not an ELF file, or one that is cut off."""


@dataclass
class Executable:
    path: Path
    machine: int
    has_loader: bool  # asks for ld-linux; a wholly static program does not
    needed: list[str] = field(default_factory=list)  # libraries, as it names them
    device_code: list[tuple[int, int]] = field(default_factory=list)  # (PTX or MACHINE_CODE, sm)
    has_static_runtime: bool = False


def read(path: Path) -> Executable:
    """Raises NotElf."""
    data = path.read_bytes()
    try:
        return parse(path, data)
    except (struct.error, IndexError, ValueError) as error:
        raise NotElf(f"{path} is no complete ELF file") from error


def parse(path: Path, data: bytes) -> Executable:
    if data[:4] != b"\x7fELF" or data[5] != 1:  # little-endian
        raise NotElf(f"{path} is no ELF file")
    (machine,) = struct.unpack_from("<H", data, 18)
    found = Executable(path, machine, has_loader=False)
    if data[4] != 2:  # 32 bits: the machine says enough
        return found
    for name, kind, offset, size, link in sections(data):
        if name == ".interp":
            found.has_loader = True
        elif name == ".dynamic":
            strings = section_at(data, link)
            for tag, value in struct.iter_unpack("<qQ", data[offset : offset + size // 16 * 16]):
                if tag == NEEDED:
                    found.needed.append(text_at(strings, value))
        elif name in (".nv_fatbin", "__nv_relfatbin") and kind == 1:
            found.device_code += device_code(data[offset : offset + size])
    needs_runtime = any(library.startswith("libcudart.so") for library in found.needed)
    # The static runtime opens the driver by name and keeps its own name for errors.
    found.has_static_runtime = not needs_runtime and b"cudaErrorInvalidDeviceFunction\0" in data
    return found


Section = tuple[str, int, int, int, int]  # name, type, offset, size, link


def sections(data: bytes) -> Iterator[Section]:
    (table,) = struct.unpack_from("<Q", data, 40)
    entry, count, names_index = struct.unpack_from("<HHH", data, 58)
    names = section_at(data, names_index)
    for index in range(count):
        name, kind, _, _, offset, size, link = struct.unpack_from(
            "<IIQQQQI", data, table + index * entry
        )
        yield text_at(names, name), kind, offset, size, link


def section_at(data: bytes, index: int) -> bytes:
    (table,) = struct.unpack_from("<Q", data, 40)
    (entry,) = struct.unpack_from("<H", data, 58)
    offset, size = struct.unpack_from("<QQ", data, table + index * entry + 24)
    return data[offset : offset + size]


def text_at(strings: bytes, offset: int) -> str:
    return strings[offset : strings.index(b"\0", offset)].decode(errors="replace")


def device_code(data: bytes) -> list[tuple[int, int]]:
    """Every piece of PTX and machine code in a section of fat binaries; what cannot be read is
    left to the device, which explains it."""
    found: list[tuple[int, int]] = []
    at = 0
    while at + 16 <= len(data):
        magic, _, header, size = struct.unpack_from("<IHHQ", data, at)
        if magic != CONTAINER_MAGIC:
            at += 8  # padding: containers are aligned
            continue
        entry, end = at + header, min(at + header + size, len(data))
        while entry + 64 <= end:
            kind, _, entry_header, payload = struct.unpack_from("<HHIQ", data, entry)
            (sm,) = struct.unpack_from("<I", data, entry + 28)
            if kind in (PTX, MACHINE_CODE):
                found.append((kind, sm))
            if entry_header < 64:
                break
            entry += entry_header + payload
        at += max(header + size, 16)
    return found


def libraries(program: Executable, environment: dict[str, str]) -> dict[str, Path | None]:
    """The libraries the loader would take, by name; None: not found. Nothing is run but the loader,
    which lists and stops."""
    if not program.has_loader:
        return {}
    listed = subprocess.run(
        [program.path],
        env={**environment, "LD_TRACE_LOADED_OBJECTS": "1"},
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    found: dict[str, Path | None] = {}
    for line in listed.stdout.splitlines():
        name, arrow, place = line.strip().partition(" => ")
        if arrow:
            path = place.rsplit(" (", 1)[0]
            found[name] = None if path == "not found" else Path(path)
    return found


def of_libraries(found: dict[str, Path | None]) -> list[Executable]:
    """Those that are not the system's, read: a program's kernels may be in its own libraries."""
    own: list[Executable] = []
    for path in found.values():
        if path is None or str(path.resolve()).startswith(("/lib", "/usr/lib")):
            continue
        if not os.access(path, os.R_OK):
            continue
        try:
            own.append(read(path))
        except NotElf:
            continue
    return own
