"""What a day runs on: a usable GPU if there is one, else the emulated device; and why.

The driver is asked directly (libcuda.so.1 through ctypes), not nvidia-smi, which may be absent.
A GPU is usable when its compute capability is at least 7.5 and its driver is new enough for the
CUDA runtime that the days are built with.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from day.errors import UsageError
from day.toolkit import Version, text

# Must name what common/emulator/profiles has; a test compares the two.
PROFILES = ("t4", "a100", "rtx4060-laptop", "rtx4090", "l4", "h100", "h200")
DEFAULT_PROFILE = "rtx4060-laptop"

MINIMUM_CAPABILITY = (7, 5)
LIBRARIES = ("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")  # the second: WSL2

CUDA_ERROR_STUB_LIBRARY, CUDA_ERROR_NO_DEVICE = 34, 100
ATTRIBUTE_MAJOR, ATTRIBUTE_MINOR = 75, 76


@dataclass(frozen=True)
class Card:
    name: str
    capability: Version


@dataclass(frozen=True)
class Driver:
    """What libcuda says. `version` is the newest CUDA it supports; None when there is no driver."""

    version: Version | None = None
    cards: list[Card] = field(default_factory=list)
    error: str | None = None


@dataclass(frozen=True)
class Device:
    kind: Literal["emulated", "gpu"]
    name: str
    reason: str

    @property
    def line(self) -> str:
        return f"device: {self.kind} {self.name} ({self.reason})"

    @property
    def preset(self) -> str:
        return self.kind


def ask_driver(load: Callable[[str], Any] = ctypes.CDLL) -> Driver:
    library = None
    for name in LIBRARIES:
        try:
            library = load(name)
            break
        except OSError:
            continue
    if library is None:
        return Driver()
    status = library.cuInit(0)
    if status == CUDA_ERROR_STUB_LIBRARY:
        return Driver()
    number = ctypes.c_int()
    version = None
    if library.cuDriverGetVersion(ctypes.byref(number)) == 0:
        version = (number.value // 1000, number.value % 1000 // 10)
    if version is None or (status not in (0, CUDA_ERROR_NO_DEVICE)):
        return Driver(version or (0, 0), error=f"cuInit failed with CUDA error {status}")
    if status == CUDA_ERROR_NO_DEVICE:
        return Driver(version)
    count = ctypes.c_int()
    library.cuDeviceGetCount(ctypes.byref(count))
    return Driver(version, [read_card(library, index) for index in range(count.value)])


def read_card(library: Any, index: int) -> Card:  # noqa: ANN401 (a ctypes library has no type)
    handle, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    library.cuDeviceGet(ctypes.byref(handle), index)
    library.cuDeviceGetAttribute(ctypes.byref(major), ATTRIBUTE_MAJOR, handle)
    library.cuDeviceGetAttribute(ctypes.byref(minor), ATTRIBUTE_MINOR, handle)
    name = ctypes.create_string_buffer(256)
    library.cuDeviceGetName(name, len(name), handle)
    return Card(name.value.decode(errors="replace") or "GPU", (major.value, minor.value))


def why_unusable(driver: Driver, runtime: Version | None) -> str | None:
    """None when device 0, the one the runtime picks, can run the days."""
    if driver.version is None:
        return "no NVIDIA driver on this machine"
    if driver.error:
        return f"the NVIDIA driver does not start: {driver.error}"
    if not driver.cards:
        return "the NVIDIA driver finds no GPU"
    card = driver.cards[0]
    if card.capability < MINIMUM_CAPABILITY:
        return (
            f"card too old: {card.name} has compute capability {text(card.capability)}, "
            f"the days need {text(MINIMUM_CAPABILITY)}"
        )
    if runtime and not driver_is_new_enough(driver.version, runtime, card):
        return (
            f"driver too old for this runtime: it supports CUDA {text(driver.version)}, "
            f"the days are built with {text(runtime)}"
        )
    return None


def driver_is_new_enough(driver: Version, runtime: Version, card: Card) -> bool:
    """Within one major version an older driver runs machine code of a newer compiler, but does not
    translate its PTX. The days embed machine code for 7.5 and 8.x; other cards need the PTX."""
    if driver >= runtime:
        return True
    return driver[0] == runtime[0] and card.capability[0] in (7, 8)


def check_profile(name: str) -> str:
    if name not in PROFILES:
        raise UsageError(f"there is no GPU profile '{name}'. Profiles: {', '.join(PROFILES)}.")
    return name


def profile_like(card: str) -> str | None:
    """The profile that a card's name holds: "NVIDIA H200" is h200. None: no such card is known."""
    letters = re.sub(r"[^a-z0-9]", "", card.lower())
    named = [name for name in PROFILES if name.replace("-", "") in letters]
    return max(named, key=len, default=None)


def need_card(runtime: Version | None, what: str, instead: str) -> Device:
    """The card, for a command that measures one. `instead`: what runs without, a sentence."""
    driver = ask_driver()
    problem = why_unusable(driver, runtime)
    if problem:
        raise UsageError(f"{what} measures a card, and none can be used here: {problem}. {instead}")
    card = driver.cards[0]
    return Device("gpu", card.name, f"compute capability {text(card.capability)}")


def choose(
    wanted: str | None,
    profile: str | None,
    runtime: Version | None,
    environment: Mapping[str, str] = os.environ,
    ask: Callable[[], Driver] = ask_driver,
) -> Device:
    """`wanted` is --device, `profile` is --gpu. Raises UsageError when a request cannot be met."""
    if wanted not in (None, "gpu", "emulated"):
        raise UsageError(f"--device takes gpu or emulated, not '{wanted}'.")
    if wanted == "gpu" and profile:
        raise UsageError("--gpu picks an emulated GPU, so it does not go with --device gpu.")
    preferred = profile or environment.get("TCD_GPU") or DEFAULT_PROFILE
    if wanted != "gpu":
        check_profile(preferred)
    if profile:
        return Device("emulated", profile, f"asked for with --gpu {profile}")
    if wanted == "emulated":
        return Device("emulated", preferred, "asked for with --device emulated")
    driver = ask()
    problem = why_unusable(driver, runtime)
    if problem is None:
        card = driver.cards[0]
        what = f"compute capability {text(card.capability)}, driver for CUDA {text(driver.version)}"
        return Device("gpu", card.name, what if wanted is None else f"asked for; {what}")
    if wanted == "gpu":
        raise UsageError(
            f"--device gpu cannot be met: {problem}. Without --device, it runs on the"
            " emulated device."
        )
    return Device("emulated", preferred, problem)
