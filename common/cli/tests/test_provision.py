"""The set-up's stamp: what makes it stale, and that nothing unfinished is ever taken for finished.
pip and venv are replaced; nothing is downloaded."""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from pathlib import Path

import pytest

from day import provision, toolkit
from day.provision import BASE, BOOK, CUDA, DISASSEMBLER, JUPYTERLAB

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """A machine without a toolkit, and a set-up whose steps are only recorded."""
    made: list[str] = []

    def make_venv(root: Path) -> None:
        made.append("venv")
        provision.venv_python(root).parent.mkdir(parents=True, exist_ok=True)
        if not provision.venv_python(root).exists():
            provision.venv_python(root).symlink_to(sys.executable)

    monkeypatch.setattr(provision, "make_venv", make_venv)
    monkeypatch.setattr(provision, "install", lambda _root, name: made.append(name))
    monkeypatch.setattr(provision, "check_result", lambda _root, _sets: None)
    monkeypatch.setattr(toolkit, "find_on_machine", lambda: (None, []))
    folder = tmp_path / "common/cli"
    folder.mkdir(parents=True)
    for name in (BASE, CUDA, DISASSEMBLER):
        (folder / f"{name}.lock").write_text(f"{name}==1\n")
    return made


def test_set_up_once_then_never(calls: list[str], tmp_path: Path) -> None:
    assert provision.why_stale(tmp_path) == "there is no finished set-up in .day"
    provision.set_up(tmp_path)
    assert calls == ["venv", BASE, CUDA, DISASSEMBLER]
    assert provision.why_stale(tmp_path) is None
    calls.clear()
    provision.set_up(tmp_path)
    assert calls == []


def test_an_interrupted_set_up_is_made_anew(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = provision.install

    def stop_at_cuda(root: Path, name: str) -> None:
        if name == CUDA:
            raise KeyboardInterrupt
        good(root, name)

    monkeypatch.setattr(provision, "install", stop_at_cuda)
    with pytest.raises(KeyboardInterrupt):
        provision.set_up(tmp_path)
    assert provision.why_stale(tmp_path) == "there is no finished set-up in .day"
    monkeypatch.setattr(provision, "install", good)
    calls.clear()
    provision.set_up(tmp_path)
    assert calls == ["venv", BASE, CUDA, DISASSEMBLER]


def test_an_interrupted_second_set_up_leaves_no_stamp(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provision.set_up(tmp_path)
    provision.lock_path(tmp_path, BASE).write_text("typer==2\n")

    def broken(_root: Path, _name: str) -> None:
        raise provision.SetUpError("no network")

    monkeypatch.setattr(provision, "install", broken)
    with pytest.raises(provision.SetUpError):
        provision.set_up(tmp_path)
    assert provision.read_stamp(tmp_path) is None


def test_a_changed_lock_makes_all_anew(calls: list[str], tmp_path: Path) -> None:
    provision.set_up(tmp_path)
    provision.lock_path(tmp_path, BASE).write_text("typer==2\n")
    assert provision.why_stale(tmp_path) == "common/cli/requirements.lock has changed"
    calls.clear()
    provision.set_up(tmp_path)
    assert calls == ["venv", BASE, CUDA, DISASSEMBLER]


def test_a_moved_checkout_makes_all_anew(calls: list[str], tmp_path: Path) -> None:
    provision.set_up(tmp_path)
    stamp = json.loads(provision.stamp_path(tmp_path).read_text())
    provision.stamp_path(tmp_path).write_text(json.dumps({**stamp, "root": "/elsewhere"}))
    assert "moved from /elsewhere" in (provision.why_stale(tmp_path) or "")
    calls.clear()
    provision.set_up(tmp_path)
    assert calls[0] == "venv"


def test_a_lost_python_is_noticed(calls: list[str], tmp_path: Path) -> None:
    provision.set_up(tmp_path)
    provision.venv_python(tmp_path).unlink()
    assert "Python" in (provision.why_stale(tmp_path) or "")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format": 1, "locks": []}'])
def test_a_damaged_stamp_is_no_stamp(calls: list[str], tmp_path: Path, content: str) -> None:
    provision.set_up(tmp_path)
    provision.stamp_path(tmp_path).write_text(content)
    assert provision.why_stale(tmp_path) is not None


def test_wheels_are_added_when_the_toolkit_goes(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvcc = tmp_path / "cuda/bin/nvcc"
    nvcc.parent.mkdir(parents=True)
    for program in (nvcc, nvcc.with_name("cuobjdump")):
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    found = toolkit.Toolkit(nvcc, (12, 8), from_wheels=False)
    monkeypatch.delenv("TCD_HIDE_TOOLKIT", raising=False)
    monkeypatch.setattr(toolkit, "find_on_machine", lambda: (found, []))
    provision.set_up(tmp_path)
    assert calls == ["venv", BASE]
    assert provision.why_stale(tmp_path) is None
    monkeypatch.setattr(toolkit, "find_on_machine", lambda: (None, []))
    assert provision.why_stale(tmp_path) is None  # the recorded nvcc is still there
    monkeypatch.setenv("TCD_HIDE_TOOLKIT", "1")
    assert "not to be had any more" in (provision.why_stale(tmp_path) or "")
    calls.clear()
    provision.set_up(tmp_path)
    assert calls == [CUDA, DISASSEMBLER]  # added to the venv there is
    assert provision.why_stale(tmp_path) is None


def hold(root: Path, ready, seconds: float) -> None:
    with provision.exclusive(root):
        ready.set()
        time.sleep(seconds)


def test_a_second_set_up_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    other = context.Process(target=hold, args=(tmp_path, ready, 0.3))
    other.start()
    assert ready.wait(5)
    started = time.monotonic()
    with provision.exclusive(tmp_path):
        waited = time.monotonic() - started
    other.join()
    assert waited > 0.1
    assert "another ./day is setting up" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / ".day").write_text("a file in the way")
    with (
        pytest.raises(provision.SetUpError, match="cannot write into"),
        provision.exclusive(tmp_path),
    ):
        pass


def test_the_wheels_are_completed_twice_without_harm(tmp_path: Path) -> None:
    library = tmp_path / "lib/libcudart.so.13"
    library.parent.mkdir()
    library.write_text("elf")
    for _ in range(2):
        provision.complete_wheels(tmp_path)
        assert (tmp_path / "lib64/libcudart.so").read_text() == "elf"


def test_writing_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "file"
    provision.write_atomically(path, "old")
    with pytest.raises(TypeError):
        provision.write_atomically(path, 5)  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", [BASE, CUDA, DISASSEMBLER])
def test_the_locks_have_hashes_and_no_addresses(name: str) -> None:
    text = provision.lock_path(REPOSITORY, name).read_text()
    assert "://" not in text and "index-url" not in text
    pins = [line for line in text.splitlines() if line and line[0] not in "# "]
    assert pins
    for pin in pins:
        assert "==" in pin and pin.endswith("\\"), pin
    named = {line.split("==")[0] for line in pins}
    for line in (REPOSITORY / f"common/cli/{name}.in").read_text().splitlines():
        if line and not line.startswith("#"):
            assert line.replace("<", "==").split("==")[0] in named


def test_what_one_command_needs_is_added_once(calls: list[str], tmp_path: Path) -> None:
    provision.set_up(tmp_path)
    (tmp_path / f"common/cli/{BOOK}.lock").write_text("book==1\n")
    calls.clear()
    provision.need(tmp_path, BOOK)
    provision.need(tmp_path, BOOK)
    assert calls == [BOOK]
    assert provision.why_stale(tmp_path) is None
    (tmp_path / f"common/cli/{BOOK}.lock").write_text("book==2\n")
    assert provision.why_stale(tmp_path) == f"common/cli/{BOOK}.lock has changed"


def test_an_interrupted_addition_is_never_taken_for_a_finished_one(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provision.set_up(tmp_path)

    def stop(_root: Path, _name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(provision, "install", stop)
    with pytest.raises(KeyboardInterrupt):
        provision.need(tmp_path, BOOK)
    assert provision.why_stale(tmp_path) == "there is no finished set-up in .day"


def test_the_locks_that_share_an_environment_agree() -> None:
    # A set: where older Pythons get an older version, a lock has both.
    found: dict[str, dict[str, set[str]]] = {BASE: {}, BOOK: {}, JUPYTERLAB: {}}
    for name in (BASE, BOOK, JUPYTERLAB):
        for line in provision.lock_path(REPOSITORY, name).read_text().splitlines():
            package, separator, rest = line.partition("==")
            if separator:
                found[name].setdefault(package, set()).add(rest.split()[0])
    versions = found[BASE]
    for name in (BOOK, JUPYTERLAB):
        for package, version in found[name].items():
            assert versions.setdefault(package, version) == version, f"{name}: {package}"
    assert {"typer", "matplotlib", "jupyterlab"} <= versions.keys()
