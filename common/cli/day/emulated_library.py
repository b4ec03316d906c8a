"""The emulated libcudart, asked for what it makes of the environment. Run as a script it is the
child that loads the library and prints the answers, so that nothing of it stays in ./day."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

COMPUTE_MAJOR, COMPUTE_MINOR = 75, 76  # cudaDeviceAttr


@dataclass(frozen=True)
class Answers:
    error: str | None  # why the environment will not do
    compute: int  # 89 for sm_89


def find(root: Path, preset: str = "emulated") -> Path | None:
    found = sorted((root / "build" / preset / "emulator").glob("libcudart.so.*"))
    return found[0] if found else None


def ask(library: Path, environment: dict[str, str]) -> Answers:
    done = subprocess.run(
        [sys.executable, "-I", __file__, library],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return Answers(**json.loads(done.stdout))


def main(library: str) -> None:
    runtime = ctypes.CDLL(library)
    runtime.tcd_settings_error.restype = ctypes.c_char_p
    error = runtime.tcd_settings_error()
    numbers = []
    for attribute in (COMPUTE_MAJOR, COMPUTE_MINOR):
        number = ctypes.c_int()
        runtime.cudaDeviceGetAttribute(ctypes.byref(number), attribute, 0)
        numbers.append(number.value)
    print(
        json.dumps(
            {"error": error.decode() if error else None, "compute": numbers[0] * 10 + numbers[1]}
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
