"""./day bench NN, soak, sweep: what they run on a pretend card, what they say without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from day import app, build, provision, toolkit
from day import device as devices
from day.device import Card, Driver

CARD = Driver((13, 0), [Card("NVIDIA H200", (9, 0))])


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose executables print what they were given, and a card."""
    days = "add_day(01-one ARCH 75)\nadd_day(05-five ARCH 80)\nadd_day(09-nine ARCH 80)\n"
    (tmp_path / "CMakeLists.txt").write_text(days)
    for preset in ("gpu", "emulated"):
        for name in ("bench", "day09"):
            program = tmp_path / "build" / preset / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(f'#!/bin/sh\necho "{preset} {name} $*"\n')
            program.chmod(0o755)
    monkeypatch.setattr(build, "build", lambda _root, _preset, _targets: None)
    found = toolkit.Toolkit(Path("/pretend/nvcc"), (13, 0), from_wheels=False)
    monkeypatch.setattr(build, "need_toolkit", lambda _root: found)
    monkeypatch.setattr(devices, "ask_driver", lambda: CARD)
    monkeypatch.delenv("TCD_GPU", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench"], "bench measures a card, and none can be used here: no NVIDIA driver"),
        (["bench", "09"], "`./day bench -- --gate-only`"),
        (["soak", "5"], "soak measures a card, and none can be used here: no NVIDIA driver"),
        (["sweep", "--csv", "s.csv"], "`./day run 09 -- --sweep --m 512"),
        (["profile", "05"], "`./day profile NN --from FILE.csv`"),
        (["profile", "cublas"], "profile measures a card, and none can be used here"),
    ],
)
def test_without_a_card_they_say_what_can_be_run(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.setattr(devices, "ask_driver", lambda: Driver())
    monkeypatch.chdir(root)
    assert app.run(root, arguments) == 2
    captured = capfd.readouterr()
    assert words in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("arguments", [["soak", "5", "all"]])
def test_one_day_is_not_all_of_them(
    root: Path, capfd: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert app.run(root, arguments) == 2
    captured = capfd.readouterr()
    assert captured.err == f"day: {arguments[0]} takes one day: ./day list has them.\n"
    assert captured.out == ""


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["bench"], "gpu bench"),
        (["bench", "all"], "gpu bench"),
        (["bench", "05", "9", "--", "--size", "8192"], "gpu bench --day 05 --day 09 --size 8192"),
        (["bench", "--json", "k.json"], "gpu bench --json k.json"),
        (["soak", "240"], "gpu bench --soak 240"),
        (["soak", "5", "09", "--", "--size", "512"], "gpu bench --day 09 --soak 5 --size 512"),
    ],
)
def test_what_runs_on_a_card(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    command: str,
) -> None:
    monkeypatch.chdir(root)
    assert app.run(root, arguments) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "device: gpu NVIDIA H200 (compute capability 9.0)"
    assert [line.strip() for line in lines[1:]] == [command]


def test_the_gates_alone_need_no_card(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    choose = devices.choose

    def without(*arguments: object) -> devices.Device:
        return choose(*arguments, {}, Driver)  # type: ignore[arg-type]

    monkeypatch.setattr(devices, "choose", without)
    assert app.run(root, ["bench", "05", "--", "--gate-only"]) == 0
    assert capfd.readouterr().out.splitlines()[1] == "emulated bench --day 05 --gate-only"


def test_sweep_takes_both_shapes_into_one_file(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    (root / "s.csv").write_text("rows of another day")
    assert app.run(root, ["sweep", "--csv", "s.csv", "--size", "512", "--groups", "1,2"]) == 0
    out = capfd.readouterr().out
    for shape in ("k8", "k16"):
        line = f"gpu day09 --sweep --mma {shape} --groups 1,2 --csv s.csv --resume --m 512 --n 512"
        assert line in out
    assert (root / "s.csv").exists()
    assert app.run(root, ["sweep", "--csv", "s.csv", "--fresh"]) == 0
    assert not (root / "s.csv").exists()


def test_sweep_stops_when_a_gate_fails(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    (root / "build/gpu/day09").write_text('#!/bin/sh\necho "$3"; exit 1\n')
    assert app.run(root, ["sweep", "--csv", "s.csv"]) == 1
    assert "k16\n" not in capfd.readouterr().out.replace("m16n8k16", "")


def test_bad_usage(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        (["bench", "gpu"], "there is no day 'gpu'"),
        (["bench", "01"], "day 01 has no GEMM in the layout that bench compares"),
        (["bench", "05", "--quick"], "--quick and --samples are for emulator, kernels and watch"),
        (["bench", "--json", "/nowhere/x.json"], "cannot write /nowhere/x.json"),
        (["soak", "5", "01"], "day 01 has no GEMM"),
        (["soak", "5", "--json"], "--json FILE.json"),
        (["sweep", "--csv", "/nowhere/s.csv"], "cannot write /nowhere/s.csv"),
    ):
        assert app.run(root, arguments) == 2
        assert words in capfd.readouterr().err


def test_the_peer_takes_headers_of_ones_own(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "build/gpu/CMakeCache.txt").write_text("TCD_CUTLASS_DIR:PATH=/mine\n")
    assert app.run(root, ["bench", "09", "--peer"]) == 0
    assert f"--day 09 --peer {root}/build/gpu/libpeer.so" in capfd.readouterr().out


def test_the_peers_headers_come_from_the_wheel(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(provision, "need", lambda _root, *names: asked.extend(names))
    assert app.run(root, ["bench", "--peer"]) == 2
    assert "brought no CUTLASS headers" in capfd.readouterr().err
    assert asked == ["requirements-peer"]
    (root / ".day/venv/lib/python3.12/site-packages/cutlass_library/source").mkdir(parents=True)
    cmake = root / ".day/venv/bin/cmake"
    cmake.parent.mkdir(parents=True)
    cmake.write_text(f'#!/bin/sh\necho "$*" >"{root}/configured"\n')
    cmake.chmod(0o755)
    assert app.run(root, ["bench", "--peer"]) == 0
    assert (root / "configured").read_text().startswith("-DTCD_CUTLASS_DIR=")
