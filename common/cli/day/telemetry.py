"""What card 0 is allowed: its highest clocks and its power limit, asked of NVML through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

LIBRARY = "libnvidia-ml.so.1"
SM_CLOCK, MEMORY_CLOCK = 1, 2


def limits(load: Callable[[str], Any] = ctypes.CDLL) -> dict[str, float]:
    """Empty where NVML is absent or refuses; a figure the card does not tell is left out."""
    try:
        library = load(LIBRARY)
    except OSError:
        return {}
    handle = ctypes.c_void_p()
    if library.nvmlInit_v2() != 0:
        return {}
    try:
        if library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(handle)) != 0:
            return {}
        found: dict[str, float] = {}
        number = ctypes.c_uint()
        for name, domain in (("sm_max_mhz", SM_CLOCK), ("memory_max_mhz", MEMORY_CLOCK)):
            if library.nvmlDeviceGetMaxClockInfo(handle, domain, ctypes.byref(number)) == 0:
                found[name] = number.value
        if library.nvmlDeviceGetEnforcedPowerLimit(handle, ctypes.byref(number)) == 0:
            found["power_limit_watts"] = number.value / 1000
        return found
    finally:
        library.nvmlShutdown()
