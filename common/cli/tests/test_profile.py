"""./day profile: the table that Nsight Compute wrote on an H200, read and worked out.

data/ncu-day05-row-major-h200.csv is a recording with its columns cut to those that are read; the
line `launched: …`, which the bench prints, is added.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from day import app, build, counters, ncu, toolkit
from day import device as devices
from day.commands import profile
from day.counters import Kernel
from day.device import Card, Driver
from day.errors import UsageError

RECORDED = Path(__file__).parent / "data" / "ncu-day05-row-major-h200.csv"
EMULATED = {
    "hmma": 33554432,
    "ldmatrix": 12582912,
    "ldmatrix_bank_conflicts": 150994944,
    "ldmatrix_wavefronts": 201326592,
    "async_copies": 4194304,
    "cp_async_wavefronts": 33554432,
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "CMakeLists.txt").write_text("add_day(05-five ARCH 80)\n")
    counted = {"05 row-major, 2 stages": dict(EMULATED)}
    monkeypatch.setattr(profile, "count_emulated", lambda _root, _arguments, _gpu: counted)
    return tmp_path


def test_the_table() -> None:
    (kernel,) = counters.parse(RECORDED.read_text())
    assert kernel.name == "void gemm_kernel<0, 2, __half>(GemmArguments<T3>)"
    assert kernel.capability == (9, 0)
    assert kernel.values["ldmatrix_bank_conflicts"] == 150_994_944
    assert kernel.values["registers"] == 128
    assert "tensor_cycles" not in kernel.values  # was not asked for


def test_beside_the_emulated_device(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = root / "kept.json"
    command = ["profile", "05", "--from", str(RECORDED), "--json", str(kept)]
    assert app.run(root, command) == 0
    out = capsys.readouterr().out
    assert "== 05 row-major, 2 stages\n" in out
    assert "128 registers, 256 threads, 1,024 ctas, 32,768 shared bytes, 132 sms" in out
    assert "conflicts, of ldmatrix wavefronts                   75.00 %" in out
    assert "6 of 6 counts are the emulated device's, to the last one" in out
    (found,) = json.loads(kept.read_text())["kernels"]
    assert found["raw"]["hmma"] == 33554432
    assert found["worked_out"]["DRAM read"]["value"] == pytest.approx(236677888 / 1025440)
    assert found["worked_out"]["DRAM read"]["formula"] == "dram_read_bytes / nanoseconds"


ALL = Path(__file__).resolve().parents[3] / "notebooks" / "data" / "ncu-h200.csv"


@pytest.mark.parametrize(
    ("what", "shown"),
    [
        ("03", ["03 128×128×32"]),
        ("05", ["05 row-major, 2 stages", "05 xor row >> 1 & 3, 2 stages"]),
        ("cublas", ["cuBLAS"]),
    ],
)
def test_a_day_is_picked_out_of_a_recording_of_all(
    root: Path, capsys: pytest.CaptureFixture[str], what: str, shown: list[str]
) -> None:
    (root / "CMakeLists.txt").write_text("add_day(03-three ARCH 80)\nadd_day(05-five ARCH 80)\n")
    assert app.run(root, ["profile", what, "--from", str(ALL)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[3:] for line in lines if line.startswith("== ")] == shown
    if what == "05":
        assert "6 of 6 counts are the emulated device's, to the last one" in lines


def test_all_of_a_recording_and_none_of_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(root, ["profile", "all", "--from", str(ALL)]) == 0
    assert capsys.readouterr().out.count("\n== ") == 11
    (root / "CMakeLists.txt").write_text("add_day(12-twelve ARCH 80)\n")
    assert app.run(root, ["profile", "12", "--from", str(ALL)]) == 2
    assert "has none of it, only 03 128×128×32, 04" in capsys.readouterr().err


def test_the_recorded_card_chooses_the_emulated_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(profile, "count_emulated", lambda _r, _a, gpu: asked.append(gpu) or {})
    app.run(root, ["profile", "05", "--from", str(ALL)])
    assert asked == ["h200"]
    assert devices.profile_like("NVIDIA GeForce RTX 4060 Laptop GPU") == "rtx4060-laptop"
    assert devices.profile_like("Tesla T4") == "t4"
    assert devices.profile_like("NVIDIA GeForce RTX 3090") is None


def test_guards_and_the_model_are_said(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """1,024 CTAs of 8 warps; 236,677,888 bytes were read."""
    caches = {"dram_reads": 7396184, "dram_writes": 0, "l2_reads": 0, "l2_writes": 0}
    counted = {**EMULATED, "async_copies": 4194304 - 3 * 8192, "caches": caches | {"l2_atomics": 0}}
    names = {"05 row-major, 2 stages": counted}
    monkeypatch.setattr(profile, "count_emulated", lambda _root, _arguments, _gpu: names)
    assert app.run(root, ["profile", "05", "--from", str(RECORDED)]) == 1
    out = capsys.readouterr().out
    assert "DIFFERS: 3 more a warp, as guards do that are false in every lane" in out
    assert "236,677,888          236,677,888  by a model, +0.0 %" in out


def test_counts_and_caches_of_one_launch_are_joined() -> None:
    counts = {"derived": {"05 xor": {"hmma": 8, "ldmatrix": 3}, "06 G = 8": {"hmma": 8}}}
    kernels = [
        {"kernel": "day05::k<0>()", "launches": 1, "counters": {"hmma": 8, "ldmatrix": 2}},
        {"kernel": "day05::k<3>()", "launches": 3, "counters": {"hmma": 24, "ldmatrix": 9}},
        {"kernel": "day06::k()", "launches": 1, "counters": {"hmma": 4}},
    ]
    for launches, kernel in zip((1, 3, 1), kernels, strict=True):
        kernel["caches"] = {"dram_reads": 100 * launches}
    joined = profile.join(counts, {"kernels": kernels})
    assert joined["05 xor"]["caches"] == {"dram_reads": 100}
    assert "caches" not in joined["06 G = 8"]


def test_a_count_that_differs_fails(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = {"05 row-major, 2 stages": {**EMULATED, "ldmatrix_bank_conflicts": 150994943}}
    monkeypatch.setattr(profile, "count_emulated", lambda _root, _arguments, _gpu: counted)
    assert app.run(root, ["profile", "05", "--from", str(RECORDED)]) == 1
    out = capsys.readouterr().out
    assert "150,994,944          150,994,943  DIFFERS" in out
    assert "5 of 6 counts" in out


def test_another_number_of_kernels_is_not_compared(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = RECORDED.read_text()
    recorded = tmp_path / "two.csv"
    recorded.write_text(text.replace("launched:", "launched: 04 2 stages\nlaunched:"))
    assert app.run(root, ["profile", "05", "--from", str(recorded)]) == 0
    out = capsys.readouterr().out
    assert "1 kernels were recorded, 2 candidates are here: not compared" in out
    assert "to the last one" not in out


def test_the_separator_parts_candidates() -> None:
    names = ["splitk", "reduce", "tcd::bench::clock_kernel(Interval *)", "gemm", "clock_kernel"]
    groups = counters.by_candidate([Kernel(name, (9, 0)) for name in names])
    assert [[kernel.name for kernel in group] for group in groups] == [
        ["splitk", "reduce"],
        ["gemm"],
    ]


def test_percentages_under_each_denominator() -> None:
    kernel = Kernel("k", (8, 9))
    kernel.values = {
        "tensor_cycles": 160,
        "cycles_active": 80,
        "cycles_elapsed": 100,
        "cycles_of_the_slowest": 10,
        "tensor_flop": 900,
        "tensor_flop_peak": 100,
        "warps_active": 80 * 12,
        "stalled_barrier": 30,
        "issue_active": 60,
    }
    found = {one.text: round(value, 6) for one, value in counters.worked_out(kernel)}
    assert found["tensor busy, of cycles with a CTA"] == 50
    assert found["tensor busy, of all cycles"] == 40
    assert found["FP16→FP32 FLOP, of the dense peak, all cycles"] == 90
    assert found["warps active, of what an SM holds"] == 25  # of 48 on 8.9
    assert found["barrier"] == 0.5
    assert "long scoreboard" not in found  # its raw value is not there


def test_names_of_this_chip() -> None:
    listed = counters.queried(
        "Device NVIDIA H200 (GH100)\n"
        "----------------------- ------- --------\n"
        "Metric Name             Metric  Unit\n"
        "sm__pipe_tensor_cycles_active  Counter cycle  # of cycles\n"
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm  Counter  # of\n"
        "gpu__time_duration  Counter ns  time\n"
    )
    chosen = counters.choose(listed)
    assert chosen["tensor_cycles"] == "sm__pipe_tensor_cycles_active.sum"  # the second choice
    assert "dram_read_bytes" not in chosen
    assert "ldmatrix_bank_conflicts" not in chosen
    # A list without any smsp__sass_ leaves these out: they are counted by patching the code.
    without = counters.choose(["gpu__time_duration"])
    assert without["ldmatrix_bank_conflicts"].startswith("smsp__sass_l1tex_data_bank_conflicts")
    assert set(counters.choose(None)) == set(counters.CONFIRMED)


def test_no_table_is_said(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text("==ERROR== nothing\n")
    assert app.run(root, ["profile", "05", "--from", str(tmp_path / "x.csv")]) == 2
    assert "no table of Nsight Compute" in capsys.readouterr().err
    (tmp_path / "y.csv").write_text(RECORDED.read_text().rsplit('"0",', 1)[0])
    assert app.run(root, ["profile", "05", "--from", str(tmp_path / "y.csv")]) == 2
    assert "nothing was profiled" in capsys.readouterr().err
    assert app.run(root, ["profile", "05", "--from", str(tmp_path / "z.csv")]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_the_command_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(root, ["profile", "05", "--dry-run", "--size", "2048"]) == 0
    out = capsys.readouterr().out
    assert "--profile-from-start off --clock-control none" in out
    assert out.endswith("build/gpu/bench --launch-once --size 2048 --day 05\n")
    assert app.run(root, ["profile", "all", "--dry-run"]) == 0
    assert capsys.readouterr().out.endswith("bench --launch-once --size 4096\n")
    assert app.run(root, ["profile", "cublas", "--dry-run"]) == 0
    assert "--only cuBLAS --guesses 0\n" in capsys.readouterr().out


def pretend_ncu(folder: Path, says: str, code: int) -> Path:
    tool = folder / "ncu"
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\nexit {code}\n")
    tool.chmod(0o755)
    return tool


@pytest.mark.parametrize(
    ("says", "code", "words"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", 1, "may not read the"),
        ("==ERROR== LibraryNotLoaded", 1, "did not profile (exit code 1); its last words:\n  =="),
        ("no table", 0, "did not profile (exit code 0)"),
    ],
)
def test_what_ncu_refuses(tmp_path: Path, says: str, code: int, words: str) -> None:
    tool = pretend_ncu(tmp_path, says, code)
    with pytest.raises(UsageError) as caught:
        ncu.run([str(tool)], {})
    assert words in str(caught.value)


def test_on_a_card(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole way, with an ncu that answers from the recording."""
    asked: list[Any] = []
    monkeypatch.setattr(
        devices, "ask_driver", lambda: Driver((13, 0), [Card("NVIDIA H200", (9, 0))])
    )
    found = toolkit.Toolkit(Path("/pretend/nvcc"), (13, 0), from_wheels=False)
    monkeypatch.setattr(build, "need_toolkit", lambda _root: found)
    monkeypatch.setattr(build, "build", lambda _root, _preset, targets: asked.append(targets))
    tool = pretend_ncu(root, RECORDED.read_text(), 0)
    monkeypatch.setattr(ncu, "find", lambda _root: tool)
    assert app.run(root, ["profile", "05"]) == 0
    out = capsys.readouterr().out
    assert asked == [["bench"]]
    assert "6 of 6 counts" in out
    monkeypatch.setattr(ncu, "find", lambda _root: None)
    assert app.run(root, ["profile", "05"]) == 2
    assert "ncu is not on this machine" in capsys.readouterr().err
