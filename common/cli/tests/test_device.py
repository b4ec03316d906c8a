"""The choice of device, with libcuda's answers faked."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from day import device
from day.device import Card, Driver, choose
from day.errors import UsageError

H200 = Card("NVIDIA H200", (9, 0))
RTX4090 = Card("NVIDIA GeForce RTX 4090", (8, 9))
GTX1080 = Card("NVIDIA GeForce GTX 1080", (6, 1))
CUDA13 = (13, 0)


class FakeLibrary:
    """As much of libcuda as is called."""

    def __init__(self, status: int, version: int, cards: list[Card]) -> None:
        self.status, self.version, self.cards = status, version, cards

    def cuInit(self, _flags: int) -> int:
        return self.status

    def cuDriverGetVersion(self, out) -> int:
        out._obj.value = self.version
        return 0

    def cuDeviceGetCount(self, out) -> int:
        out._obj.value = len(self.cards)
        return 0

    def cuDeviceGet(self, out, index: int) -> int:
        out._obj.value = index
        return 0

    def cuDeviceGetAttribute(self, out, attribute: int, handle: ctypes.c_int) -> int:
        out._obj.value = self.cards[handle.value].capability[attribute - 75]
        return 0

    def cuDeviceGetName(self, buffer, _size: int, handle: ctypes.c_int) -> int:
        buffer.value = self.cards[handle.value].name.encode()
        return 0


def ask(status: int = 0, version: int = 13000, cards: list[Card] | None = None) -> Driver:
    return device.ask_driver(lambda _name: FakeLibrary(status, version, cards or []))


def no_library(name: str):
    raise OSError(f"{name}: cannot open shared object file")


def test_the_driver_is_read() -> None:
    assert ask(cards=[H200, RTX4090]) == Driver((13, 0), [H200, RTX4090])
    assert ask(version=12040, cards=[GTX1080]).version == (12, 4)
    assert device.ask_driver(no_library) == Driver()
    assert ask(status=34) == Driver()  # the toolkit's stub library is no driver
    assert ask(status=100) == Driver((13, 0))
    assert ask(status=803).error == "cuInit failed with CUDA error 803"


def test_wsl_library_is_tried() -> None:
    tried = []

    def load(name: str):
        tried.append(name)
        if not name.startswith("/usr/lib/wsl"):
            raise OSError
        return FakeLibrary(0, 13000, [RTX4090])

    assert device.ask_driver(load).cards == [RTX4090]
    assert tried == list(device.LIBRARIES)


def pick(driver: Driver, wanted: str | None = None, profile: str | None = None, **environment: str):
    return choose(wanted, profile, CUDA13, environment, lambda: driver)


def test_a_usable_card_is_taken_and_named() -> None:
    chosen = pick(Driver((13, 0), [H200]))
    assert (chosen.kind, chosen.name) == ("gpu", "NVIDIA H200")
    assert "compute capability 9.0" in chosen.line
    assert chosen.line.startswith("device: gpu NVIDIA H200 (")


UNUSABLE = [
    (Driver(), "no NVIDIA driver on this machine"),
    (Driver((13, 0)), "the NVIDIA driver finds no GPU"),
    (Driver((13, 0), error="cuInit failed with CUDA error 803"), "does not start"),
    (Driver((12, 2), [RTX4090]), "driver too old for this runtime: it supports CUDA 12.2"),
    (Driver((13, 0), [GTX1080]), "card too old: NVIDIA GeForce GTX 1080 has compute capability"),
]


@pytest.mark.parametrize(("driver", "reason"), UNUSABLE)
def test_otherwise_the_emulated_device_with_the_reason(driver: Driver, reason: str) -> None:
    chosen = pick(driver)
    assert chosen.line.startswith("device: emulated rtx4060-laptop (")
    assert reason in chosen.reason


@pytest.mark.parametrize(("driver", "reason"), UNUSABLE)
def test_a_gpu_asked_for_in_vain_is_an_error(driver: Driver, reason: str) -> None:
    with pytest.raises(UsageError, match="--device gpu cannot be met") as error:
        pick(driver, wanted="gpu")
    assert reason in str(error.value)


def test_every_reason_is_a_sentence_of_its_own() -> None:
    reasons = {device.why_unusable(driver, CUDA13) for driver, _ in UNUSABLE}
    assert len(reasons) == len(UNUSABLE)
    assert None not in reasons


@pytest.mark.parametrize(
    ("driver", "runtime", "card", "enough"),
    [
        ((13, 1), (13, 0), H200, True),
        ((13, 0), (13, 0), H200, True),
        ((12, 9), (13, 0), RTX4090, False),
        ((12, 4), (12, 8), RTX4090, True),  # its machine code is embedded
        ((12, 4), (12, 8), H200, False),  # its PTX would have to be translated
    ],
)
def test_driver_and_runtime(driver, runtime, card: Card, enough: bool) -> None:
    assert device.driver_is_new_enough(driver, runtime, card) is enough


def test_emulated_and_profiles() -> None:
    card = Driver((13, 0), [H200])
    assert pick(card, wanted="emulated").name == "rtx4060-laptop"
    assert pick(card, profile="t4").line == "device: emulated t4 (asked for with --gpu t4)"
    assert pick(Driver(), TCD_GPU="l4").name == "l4"
    assert pick(Driver(), profile="t4", TCD_GPU="l4").name == "t4"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"profile": "gtx"}, "no GPU profile 'gtx'. Profiles: t4, a100"),
        ({"TCD_GPU": "gtx"}, "no GPU profile 'gtx'"),
        ({"wanted": "cpu"}, "not 'cpu'"),
        ({"wanted": "gpu", "profile": "t4"}, "--gpu picks an emulated GPU"),
    ],
)
def test_bad_requests(arguments: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError) as error:
        pick(Driver(), **arguments)
    assert words in str(error.value)


def test_the_profiles_are_the_emulators() -> None:
    folder = Path(__file__).resolve().parents[2] / "emulator/profiles"
    source = (folder / "profiles.cpp").read_text()
    for name in device.PROFILES:
        assert f'"{name}"' in source
    assert f'kDefaultProfile = "{device.DEFAULT_PROFILE}"' in (folder / "profile.h").read_text()
