"""Nsight Compute as a program: where it is, what it says when it may not count, one run of it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from day import build, counters, toolkit
from day.errors import UsageError

FORBIDDEN = "ERR_NVGPUCTRPERM"


def find(root: Path) -> Path | None:
    on_path = shutil.which("ncu")
    if on_path:
        return Path(on_path)
    found = toolkit.find(root)
    tool = toolkit.find_tool(root, found and found.nvcc, "ncu")
    if tool is not None:
        return tool
    installed = sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"))
    return installed[-1] if installed else None


def metrics_of_this_chip(tool: Path) -> list[str] | None:
    """None when ncu does not say."""
    done = subprocess.run(
        [tool, "--query-metrics"], capture_output=True, text=True, errors="replace", check=False
    )
    names = counters.queried(done.stdout) if done.returncode == 0 else []
    return names or None


def command(tool: Path | str, metrics: Sequence[str], program: Sequence[Path | str]) -> list[str]:
    """Clocks are left alone: counts do not need them held, and a shared card is not ours to set."""
    return [
        str(tool),
        "--profile-from-start",
        "off",
        "--clock-control",
        "none",
        "--csv",
        "--page",
        "raw",
        "--print-units",
        "base",
        "--metrics",
        ",".join(metrics),
        *(str(part) for part in program),
    ]


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """What it printed, the program's own lines among it."""
    build.say_progress("profiling: every kernel is replayed a few times …")
    done = subprocess.run(
        arguments, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    build.clear_progress()
    said = done.stdout + done.stderr
    if FORBIDDEN in said:
        raise UsageError(
            "this user may not read the card's counters (ERR_NVGPUCTRPERM). Run the same command "
            "as root; or let everybody: options nvidia NVreg_RestrictProfilingToAdminUsers=0 in "
            "/etc/modprobe.d, then a reboot; in a container, --cap-add SYS_ADMIN. Without them: "
            "`./day run` counts the same on the emulated device."
        )
    if done.returncode != 0 or '"ID","' not in said:
        last = [line for line in said.splitlines() if line.strip()][-8:]
        raise UsageError(
            "Nsight Compute did not profile (exit code "
            f"{done.returncode}); its last words:\n  " + "\n  ".join(last)
        )
    return said
