"""The sh part of ./day, in a pretend system: a folder of stub programs is the whole PATH."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from day import host_compiler

ROOT = Path(__file__).resolve().parents[3]
HEADERS = [
    line.split()
    for line in (ROOT / "common/cli/system-packages.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


@dataclass
class Machine:
    checkout: Path
    programs: Path
    system: Path

    def program(self, name: str, body: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def compiler(self, name: str, version: int, macro: str = "__GNUC__") -> None:
        self.program(name, f"echo '#define {macro} {version}'")

    def python(self, name: str = "python3", works: bool = True) -> None:
        test = "exit 0" if works else "exit 1"
        self.program(name, f'case "$2" in -c) {test} ;; esac; echo "python $*"')

    def headers(self) -> None:
        for header, _ in HEADERS:
            path = self.system / "usr/include" / header
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    def complete(self) -> None:
        self.compiler("g++", 12)
        self.python()
        self.headers()

    def day(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.checkout / "day", *arguments],
            env={"PATH": str(self.programs), "DAY_SYSTEM_ROOT": str(self.system), **environment},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path / "checkout", tmp_path / "bin", tmp_path / "system")
    (made.checkout / "common/cli").mkdir(parents=True)
    made.programs.mkdir()
    made.system.mkdir()
    shutil.copy(ROOT / "day", made.checkout / "day")
    shutil.copy(ROOT / "common/cli/system-packages.txt", made.checkout / "common/cli")
    for name in ("grep", "readlink"):
        (made.programs / name).symlink_to(shutil.which(name) or "")
    made.program("uname", 'case "$1" in -s) echo Linux ;; *) echo x86_64 ;; esac')
    made.program("id", "echo 1000")
    made.program("apt-get", "echo must-not-be-called >&2; exit 9")
    return made


def test_a_complete_machine_goes_to_python_with_the_arguments(machine: Machine) -> None:
    machine.complete()
    result = machine.day("run", "01")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"python -I {machine.checkout}/common/cli --set-up run 01\n"


def test_a_finished_set_up_is_not_set_up_again(machine: Machine) -> None:
    venv = machine.checkout / ".day/venv/bin"
    venv.mkdir(parents=True)
    (machine.checkout / ".day/stamp.json").touch()
    (venv / "python").write_text('#!/bin/sh\necho "venv $*"\n')
    (venv / "python").chmod(0o755)
    assert machine.day("list").stdout == f"venv -I {machine.checkout}/common/cli list\n"
    # Control: told that the stamp is old, it does not go that way.
    machine.complete()
    assert "--set-up" in machine.day("list", DAY_SET_UP="1").stdout


def test_without_root_the_one_line_is_printed(machine: Machine) -> None:
    result = machine.day("run")
    assert result.returncode == 2
    packages = "g++ python3 python3-venv " + " ".join(package for _, package in HEADERS)
    assert f"sudo apt-get update && sudo apt-get install -y {packages}" in result.stderr
    assert "must-not-be-called" not in result.stderr


def test_the_line_names_only_what_is_missing(machine: Machine) -> None:
    machine.complete()
    (machine.system / "usr/include/zstd.h").unlink()
    lists = machine.system / "var/lib/apt/lists"
    lists.mkdir(parents=True)
    (lists / "debian_Packages").touch()
    result = machine.day("run")
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == "sudo apt-get install -y libzstd-dev"


def test_ubuntu_jammy_gets_the_compiler_beside_its_default(machine: Machine) -> None:
    machine.complete()
    machine.compiler("g++", 11)
    (machine.system / "etc").mkdir()
    (machine.system / "etc/os-release").write_text("ID=ubuntu\nUBUNTU_CODENAME=jammy\n")
    assert "install -y g++-12\n" in machine.day("run").stderr
    machine.compiler("g++-12", 12)
    assert machine.day("run").returncode == 0


@pytest.mark.parametrize(
    ("name", "version", "macro", "enough"),
    [
        ("g++", 11, "__GNUC__", False),
        ("g++", 12, "__GNUC__", True),
        ("g++-13", 13, "__GNUC__", True),
        ("clang++-14", 14, "__clang_major__", False),
        ("clang++", 14, "__clang_major__", False),
        ("clang++-15", 15, "__clang_major__", True),
    ],
)
def test_compiler_versions(
    machine: Machine, name: str, version: int, macro: str, enough: bool
) -> None:
    machine.python()
    machine.headers()
    machine.compiler(name, version, macro)
    assert (machine.day("run").returncode == 0) is enough


def test_a_python_without_venv_is_passed_over(machine: Machine) -> None:
    machine.complete()
    machine.python(works=False)
    assert "python3 python3-venv" in machine.day("run").stderr
    machine.python("python3.11")
    assert machine.day("run").returncode == 0


def test_root_installs_what_is_missing_and_goes_on(machine: Machine) -> None:
    machine.complete()
    (machine.system / "usr/include/lz4.h").unlink()
    log = machine.checkout / "apt.log"
    machine.program("id", "echo 0")
    header = machine.system / "usr/include/lz4.h"
    machine.program("apt-get", f'echo "$@" >>{log}; case "$*" in *install*) : >{header} ;; esac')
    result = machine.day("doctor")
    assert result.returncode == 0, result.stderr
    calls = log.read_text().splitlines()
    assert [call for call in calls if call.endswith(" update")]
    assert calls[-1].endswith("install -y --no-install-recommends liblz4-dev")


def test_root_stops_when_the_install_did_not_help(machine: Machine) -> None:
    machine.complete()
    machine.compiler("g++", 10)
    machine.program("id", "echo 0")
    machine.program("apt-get", "exit 0")
    result = machine.day("doctor")
    assert result.returncode == 2
    assert "installed, yet still not usable: g++" in result.stderr
    machine.program("apt-get", "exit 100")
    assert "apt-get update failed" in machine.day("doctor").stderr


def test_without_apt_it_says_what_is_needed(machine: Machine) -> None:
    (machine.programs / "apt-get").unlink()
    result = machine.day("run")
    assert result.returncode == 2
    assert "g++ >= 12 or clang++ >= 15" in result.stderr
    assert "sudo" not in result.stderr


@pytest.mark.parametrize(("system", "chip"), [("Darwin", "arm64"), ("Linux", "aarch64")])
def test_other_systems_are_told_so(machine: Machine, system: str, chip: str) -> None:
    machine.complete()
    machine.program("uname", f'case "$1" in -s) echo {system} ;; *) echo {chip} ;; esac')
    result = machine.day("run")
    assert result.returncode == 2
    assert "x86-64" in result.stderr


def test_day_works_from_elsewhere_and_through_a_link(machine: Machine, tmp_path: Path) -> None:
    machine.complete()
    link = tmp_path / "link"
    link.symlink_to(machine.checkout / "day")
    result = subprocess.run(
        [link, "list"],
        cwd="/",
        env={"PATH": str(machine.programs), "DAY_SYSTEM_ROOT": str(machine.system)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{machine.checkout}/common/cli --set-up list" in result.stdout


def test_sh_and_python_look_for_the_same_compilers() -> None:
    script = (ROOT / "day").read_text()
    listed = re.search(r'\$\{CXX:\+"\$CXX"\} (.*?); do', script, re.DOTALL)
    assert listed is not None
    assert listed[1].replace("\\", " ").split() == list(host_compiler.CANDIDATES)
    assert f"minimum_gcc={host_compiler.MINIMUM_GCC}\n" in script
    assert f"minimum_clang={host_compiler.MINIMUM_CLANG}\n" in script
