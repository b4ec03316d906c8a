"""./day doctor: whatever is missing comes with the command that gets it, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from day import app, device, host_compiler, sandbox, toolkit
from day.commands import doctor
from day.commands.doctor import Finding
from day.device import Card, Driver
from day.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]
HEADERS = ("CLI/CLI.hpp", "nlohmann/json.hpp", "doctest/doctest.h", "zstd.h", "lz4.h")


def test_missing_headers_name_their_packages(tmp_path: Path) -> None:
    for header in HEADERS[:-1]:
        (tmp_path / header).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / header).touch()
    found = list(doctor.headers([tmp_path / "empty", tmp_path]))
    assert [finding.level for finding in found] == ["ok"] * 4 + ["missing"]
    assert found[-1].cure == "sudo apt-get install -y liblz4-dev"


def test_missing_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_compiler, "find", lambda _newest: (None, ["/usr/bin/g++ is g++ 11"]))
    found = list(doctor.compilers(None, ["/usr/bin/nvcc is CUDA 11.8, older than 12.4"]))
    assert [finding.level for finding in found] == ["missing", "note", "missing"]
    assert "g++ 11" in found[0].says and "g++-12" in found[0].cure
    assert "passed over: /usr/bin/nvcc is CUDA 11.8" in found[1].says


def test_a_card_and_an_old_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver((12, 2), [Card("NVIDIA GeForce RTX 4090", (8, 9))])
    monkeypatch.setattr(device, "ask_driver", lambda: driver)
    monkeypatch.delenv("TCD_GPU", raising=False)
    found = toolkit.Toolkit(Path("/pretend/nvcc"), (13, 0), from_wheels=True)
    says = {finding.what: finding.says for finding in doctor.devices(found)}
    assert says["driver"] == "supports CUDA 12.2"
    assert says["card"] == "NVIDIA GeForce RTX 4090, compute capability 8.9"
    assert "driver too old for this runtime" in says["device"]


def test_the_sandbox_of_a_grading(monkeypatch: pytest.MonkeyPatch) -> None:
    found = toolkit.Toolkit(Path("/pretend/nvcc"), (13, 0), from_wheels=True)

    def none(_nvcc: Path) -> sandbox.Way:
        raise UsageError("no sandbox works here")

    monkeypatch.setattr(sandbox, "choose", lambda _nvcc: sandbox.WAYS[-1])
    weak = doctor.of_grading(found)
    monkeypatch.setattr(sandbox, "choose", none)
    absent = doctor.of_grading(found)
    assert [weak.level, absent.level] == ["note", "note"]
    assert weak.cure == absent.cure == "sudo apt-get install -y bubblewrap"
    assert "refuses without one" in absent.says


@pytest.mark.parametrize(
    ("finding", "code", "last"),
    [
        (Finding("a", "ok", "fine"), 0, "All that is needed is here."),
        (Finding("a", "note", "hm"), 0, "All that is needed is here."),
        (Finding("a", "missing", "gone", "get a"), 2, "1 missing."),
    ],
)
def test_exit_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finding: Finding,
    code: int,
    last: str,
) -> None:
    monkeypatch.setattr(doctor, "examine", lambda _root: iter([finding]))
    assert app.run(ROOT, ["doctor"]) == code
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == last
    assert ("get it: get a" in out) is (code == 2)
