"""./day diff: which two kernels, what is shown, how many lines are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from day import app, terminal

KERNELS = {
    "01-one": "constant\nload\nstore\n",
    "02-two": "constant\nload matrix\nstore\n",
    "04-four": "constant\ncopy\nwait\nstore\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "CMakeLists.txt").write_text(
        "".join(f"add_day({name} ARCH 80)\n" for name in [*KERNELS, "05-five"])
    )
    for name, text in KERNELS.items():
        (tmp_path / "days" / name).mkdir(parents=True)
        (tmp_path / "days" / name / "kernel.cu").write_text(text)
    return tmp_path


def test_two_days_as_a_unified_diff(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(root, ["diff", "01", "02"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "--- days/01-one/kernel.cu",
        "+++ days/02-two/kernel.cu",
        "@@ -1,3 +1,3 @@",
        " constant",
        "-load",
        "+load matrix",
        " store",
        "2 lines changed, day 01 to 02",
    ]


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        (["2"], "2 lines changed, day 01 to 02"),
        (["04"], "3 lines changed, day 02 to 04"),  # the day before it in the table, not 03
        (["1", "day04"], "3 lines changed, day 01 to 04"),
        (["04-four", "01"], "3 lines changed, day 04 to 01"),  # the order is the user's
        (["01", "01"], "0 lines changed, day 01 to 01"),
    ],
)
def test_which_days(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], last: str
) -> None:
    assert app.run(root, ["diff", *arguments]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == last


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["01"], "day 01 is the first, so there is no day before it"),
        (["01", "03"], "there is no day '03'. The days there are: 01 (one)"),
        (["x", "01"], "there is no day 'x'"),
        (["all"], "diff compares two days: ./day diff 03 04"),
        (["04", "05"], "there is no days/05-five/kernel.cu to compare."),
        ([], "Missing argument"),
    ],
)
def test_bad_usage(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert app.run(root, ["diff", *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_colour_on_a_terminal_only(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app.run(root, ["diff", "02"])
    assert "\033" not in capsys.readouterr().out
    monkeypatch.setattr(terminal, "is_terminal", lambda _stream: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    app.run(root, ["diff", "02"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[4] == "\033[31m-load\033[0m"
    assert lines[5] == "\033[32m+load matrix\033[0m"
    assert lines[3] == " constant"
    monkeypatch.setenv("NO_COLOR", "1")
    app.run(root, ["diff", "02"])
    assert "\033" not in capsys.readouterr().out


def test_without_the_program_diff_the_cure_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(root))
    assert app.run(root, ["diff", "02"]) == 2
    assert "apt-get install -y diffutils" in capsys.readouterr().err
