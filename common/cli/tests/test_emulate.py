"""./day emulate before the program runs: what is read from the file, what is refused, and how the
report is told. Real programs: common/emulator/standalone/tests."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import pytest

from day import app, build, emulated_library, executable, report_text
from day.emulated_library import Answers
from day.executable import MACHINE_CODE, PTX

HEADER, ENTRY = 64, 64
REPORT = {
    "device": "l4",
    "kernels": [
        {
            "kernel": "add(float*)",
            "grid": [4, 1, 1],
            "block": [128, 1, 1],
            "shared_bytes": 1024,
            "launches": 2,
            "stopped": 0,
            "counters": {
                "warp_instructions": 4096,
                "global_sectors": 64,
                "global_loads": 16,
                "global_stores": 0,
                "async_copies": 0,
                "cp_async_wavefronts": 0,
                **{
                    f"{kind}_{what}": 12 if kind == "ldmatrix" else 0
                    for kind in ("ldmatrix", "shared_load", "shared_store", "stmatrix")
                    for what in ("wavefronts", "bank_conflicts")
                },
            },
            "instructions": {"tensor": 4000, "move": 96},
            "tensor": {"mma.m16n8k8.f32.f16.f16.f32": 4000},
            "caches": {
                "l2_reads": 1_000_000,
                "l2_writes": 0,
                "l2_atomics": 0,
                "dram_reads": 500_000,
                "dram_writes": 0,
            },
            "floors": {
                "binds": "tensor cores",
                "resources": {
                    "tensor cores": {"cycles": 8000},
                    "L2": {"cycles": None},
                    "DRAM": {"cycles": 900},
                },
            },
            "lines": [{"place": "a.cu:7", "memory": {"ldmatrix": {"bank_conflicts": 12}}}],
        }
    ],
    "checks": [],
    "faults": [],
}


def elf(sections: dict[str, bytes], machine: int = 62) -> bytes:
    """An ELF file of these sections; nobody could run it."""
    contents = {"": b"", **sections}
    names = b"\0" + b"".join(name.encode() + b"\0" for name in [*sections, ".shstrtab"])
    contents[".shstrtab"] = names
    body, headers = b"", b""
    index = {name: number for number, name in enumerate(contents)}
    for name, content in contents.items():
        link = index[".dynstr"] if name == ".dynamic" else 0
        at = names.index(name.encode() + b"\0") if name else 0
        headers += struct.pack(
            "<IIQQQQIIQQ", at, 1, 0, 0, HEADER + len(body), len(content), link, 0, 8, 0
        )
        body += content
    start = struct.pack(
        "<4sBBBB8xHHIQQQ", b"\x7fELF", 2, 1, 1, 0, 3, machine, 1, 0, 0, HEADER + len(body)
    )
    return (
        start
        + struct.pack("<IHHHHHH", 0, 64, 0, 0, 64, len(contents), len(contents) - 1)
        + body
        + headers
    )


def dynamic(*libraries: str) -> dict[str, bytes]:
    strings = b"\0"
    entries = b""
    for library in libraries:
        entries += struct.pack("<qQ", 1, len(strings))
        strings += library.encode() + b"\0"
    return {".dynstr": strings, ".dynamic": entries + struct.pack("<qQ", 0, 0)}


def fatbin(*entries: tuple[int, int]) -> dict[str, bytes]:
    body = b""
    for kind, sm in entries:
        body += struct.pack("<HHIQIIII32x", kind, 1, ENTRY, 8, 0, 0, 0, sm) + b"payload\0"
    return {".nv_fatbin": struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose emulated library has been built and answers as an RTX 4060's would."""
    folder = tmp_path / "build/emulated/emulator"
    folder.mkdir(parents=True)
    (folder / "libcudart.so.13").write_text("")
    monkeypatch.setattr(build, "build", lambda _root, _preset, _targets: None)
    monkeypatch.setattr(emulated_library, "ask", lambda _library, _environment: Answers(None, 89))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(root: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, **libraries: Path) -> str:
    """`libraries`: what the loader would find, NAME=path; a _ in the name stands for a dot."""
    file = root / "program"
    file.write_bytes(content)
    file.chmod(0o755)
    found = {name.replace("_", "."): path for name, path in libraries.items()}
    monkeypatch.setattr(executable, "libraries", lambda _program, _environment: found)
    return "./program"


def refused(root: Path, capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert app.run(root, ["emulate", "--", *arguments]) == 2
    return capfd.readouterr().err


def test_an_executable_is_read(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(
        elf({**dynamic("libcudart.so.13", "libc.so.6"), **fatbin((PTX, 80), (MACHINE_CODE, 89))})
    )
    found = executable.read(file)
    assert found.machine == executable.X86_64
    assert found.needed == ["libcudart.so.13", "libc.so.6"]
    assert found.device_code == [(PTX, 80), (MACHINE_CODE, 89)]
    assert not found.has_loader and not found.has_static_runtime


def test_a_cut_off_file_is_no_elf(tmp_path: Path) -> None:
    whole = elf({**dynamic("libcudart.so.13"), **fatbin((PTX, 80))})
    file = tmp_path / "x"
    for length in (0, 3, 17, 63, 200, len(whole) - 30):
        file.write_bytes(whole[:length])
        with pytest.raises(executable.NotElf):
            executable.read(file)


def test_a_fat_binary_that_lies_ends(tmp_path: Path) -> None:
    lies = struct.pack("<IHHQ", 0xBA55ED50, 1, 0, 0) * 4 + struct.pack(
        "<IHHQ", 0xBA55ED50, 1, 16, 1 << 60
    )
    assert executable.device_code(lies + bytes(200)) == []


def test_no_program_named(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert app.run(root, ["emulate"]) == 2
    assert "./day emulate -- ./program" in capfd.readouterr().err
    assert "there is no program ./nowhere: no such file" in refused(root, capfd, "./nowhere")
    (root / "text").write_text("x")
    assert "chmod +x ./text" in refused(root, capfd, "./text")


def test_a_script_is_told_about_the_variable(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name = program(root, monkeypatch, b"#!/bin/sh\n")
    assert "LD_LIBRARY_PATH" in refused(root, capfd, name)


def test_another_machine(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name = program(root, monkeypatch, elf({}, machine=183))
    assert "is built for AArch64; the emulated device runs x86-64" in refused(root, capfd, name)


def test_programs_without_the_shared_runtime(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    static = elf({**fatbin((PTX, 80)), ".rodata": b"cudaErrorInvalidDeviceFunction\0"})
    said = refused(root, capfd, program(root, monkeypatch, static))
    assert "nvcc -cudart shared" in said and "CMAKE_CUDA_RUNTIME_LIBRARY Shared" in said
    driver = elf({**dynamic("libcuda.so.1"), **fatbin((PTX, 80))})
    assert "talks to the driver" in refused(root, capfd, program(root, monkeypatch, driver))
    assert "is no CUDA program" in refused(root, capfd, program(root, monkeypatch, elf({})))


def test_another_runtime_than_ours(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    old = elf({**dynamic("libcudart.so.12"), **fatbin((PTX, 80))})
    name = program(root, monkeypatch, old, libcudart_so_12=None)
    assert "needs libcudart.so.12; the emulated device stands in for libcudart.so.13" in refused(
        root, capfd, name
    )
    rpath = elf({**dynamic("libcudart.so.13"), **fatbin((PTX, 80))})
    name = program(root, monkeypatch, rpath, libcudart_so_13=root / "cuda/libcudart.so.13")
    assert "-Wl,--enable-new-dtags" in refused(root, capfd, name)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([(MACHINE_CODE, 80), (MACHINE_CODE, 90)], "machine code only (sm_80, sm_90)"),
        ([(PTX, 90), (MACHINE_CODE, 80)], "is for compute_90; the emulated GPU is sm_89"),
    ],
)
def test_no_ptx_for_this_device(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    entries: list[tuple[int, int]],
    words: str,
) -> None:
    content = elf({**dynamic("libcudart.so.13"), **fatbin(*entries)})
    library = root / "build/emulated/emulator/libcudart.so.13"
    said = refused(root, capfd, program(root, monkeypatch, content, libcudart_so_13=library))
    assert words in said and "-gencode arch=compute_" in said


def test_bad_options_are_the_runtimes_to_judge(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name = program(root, monkeypatch, elf({}))
    answer = Answers("TCD_CHECKS=rases: no check", 89)
    monkeypatch.setattr(emulated_library, "ask", lambda _library, _environment: answer)
    assert "--checks rases: no check (or the variable TCD_CHECKS)" in refused(root, capfd, name)
    assert app.run(root, ["emulate", "--report", "no/folder.json", "--", name]) == 2
    assert "cannot write no/folder.json" in capfd.readouterr().err


def test_exit_codes_and_the_report_that_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The program is Python here, which writes what the runtime would."""
    monkeypatch.setattr("day.commands.emulate.refuse_what_cannot_run", lambda *_: None)
    report = {**REPORT, "checks": ["race in shared memory"]}
    write = f"import os, sys; open(os.environ['TCD_REPORT'], 'w').write({json.dumps(report)!r});"
    run = ["emulate", "--gpu", "l4", "--report", "kept.json", "--", sys.executable, "-c"]
    assert app.run(root, [*run, f"{write} assert os.environ['TCD_GPU'] == 'l4'"]) == 1
    assert "tcd: the checks found 1 mistake, told above" in capfd.readouterr().err
    kept = json.loads((root / "kept.json").read_text())
    assert kept["exit_code"] == 0 and kept["kernels"] == REPORT["kernels"]
    assert app.run(root, [*run, f"{write} sys.exit(5)"]) == 5
    assert app.run(root, [*run, "pass"]) == 0
    assert "no kernel was launched" in capfd.readouterr().err


def test_the_summary() -> None:
    text = report_text.summary(REPORT)
    assert text.splitlines()[0] == "tcd: on an emulated l4: 1 kernel in 2 launches"
    assert "2 launches of 4×1×1 CTAs of 128×1×1 threads, 1,024 bytes" in text
    assert "4,096 warp instructions: tensor 4,000, move 96" in text
    assert "12 wavefronts, 12 of them bank conflicts (ldmatrix 12)\n      12 at a.cu:7" in text
    assert "64 sectors of 32 bytes, 4.0 a request" in text
    assert "32.0 MB between SMs and L2, 16.0 MB read from DRAM, 0 bytes written" in text
    assert "floor, not a time: 8,000 cycles (tensor cores 8,000, DRAM 900)" in text
    assert text.endswith("tcd: the checks found nothing")
