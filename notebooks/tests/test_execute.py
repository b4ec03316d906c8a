"""A notebook that fails stops the book, and an output is never shown for other inputs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from conftest import ROOT
from day.book import contents, execute, render
from day.book.contents import Page
from day.errors import BuildError, UsageError
from matplotlib.figure import Figure

import tcd_notebook as tcd


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a checkout as a notebook's key is made of."""
    for name in ("notebooks/tcd_notebook.py", "common/cli/day/pages.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "notebooks/data").mkdir()
    (tmp_path / "notebooks/data/day01-x.json").write_text("{}")
    (tmp_path / "build/emulated").mkdir(parents=True)
    return tmp_path


def page_of(checkout: Path, text: str) -> Page:
    source = Path("notebooks/01-x.py")
    (checkout / source).write_text(text)
    return Page("Notebooks", source, "notebook")


def test_a_failing_cell_stops_the_book_and_is_named(checkout: Path) -> None:
    page = page_of(checkout, "# %%\nprint(1)\n\n# %%\nraise ValueError('seven banks')\n")
    with pytest.raises(BuildError, match=r"01-x\.py stopped:[\s\S]*seven banks"):
        execute.all_executed(checkout, [page], fresh=False, say=lambda _: None)
    assert not list((checkout / "build/book-cache").glob("*.ipynb"))


def test_an_output_belongs_to_its_inputs(checkout: Path) -> None:
    text = '# %%\nrun("01")\ncode("days/01-x/kernel.cu")\n'
    page = page_of(checkout, text)
    keys = [execute.key(checkout, page)]
    assert execute.key(checkout, page) == keys[0]
    changes = {
        "notebooks/01-x.py": text + "# more\n",
        "notebooks/data/day01-x.json": '{"a": 1}',
        "notebooks/tcd_notebook.py": "changed",
        "build/emulated/day01": "an executable",
        "days/01-x/kernel.cu": "// a kernel",
    }
    for name, content in changes.items():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(content)
        keys.append(execute.key(checkout, page))
    assert len(set(keys)) == len(keys)


def test_times_of_the_notebooks_are_kept_for_the_closing_lines(checkout: Path) -> None:
    assert execute.times(checkout) == ""
    page = page_of(checkout, "# %%\n1\n")
    execute.all_executed(checkout, [page], fresh=True, say=lambda _: None)
    assert "notebooks, in seconds: 01-x " in execute.times(checkout)
    assert "together, two at a time" in execute.times(checkout)


def test_targets_are_what_the_notebooks_call() -> None:
    assert {"day01", "day02", "day05", "day11", "book_tables"} <= set(contents.targets(ROOT))
    for page in contents.notebooks(ROOT):  # a day in a variable would not be built for the book
        text = (ROOT / page.source).read_text(encoding="utf-8")
        calls = re.findall(r"\btcd\.(?:run|report|timeline)\(", text)
        assert len(calls) == len(contents.CALL.findall(text)), page.source


def test_a_dead_link_is_an_error() -> None:
    body = '<a href="nowhere.md">x</a>'
    with pytest.raises(UsageError, match=r"README\.md links to nowhere\.md"):
        render.with_links(ROOT, Path("README.md"), body, str)


def test_a_figure_needs_a_source() -> None:
    with pytest.raises(ValueError, match="sources"):
        tcd.show(Figure(), "nothing", "nothing")
    with pytest.raises(ValueError, match="measured, quoted or derived"):
        tcd.provenance({"kind": "felt"})


def test_a_source_names_a_file_or_a_command() -> None:
    with pytest.raises(ValueError, match="cannot follow"):
        tcd.provenance(tcd.derived("counted"))
    with pytest.raises(ValueError, match="not there"):
        tcd.provenance(tcd.derived("counted", "common/nowhere.h"))
    followed = tcd.provenance(tcd.derived("counted", "common/ptx/fragments.h"))
    assert 'href="../common/ptx/fragments.h"' in followed
    assert "<code>./day run 01</code>" in tcd.provenance(tcd.derived("x", command="./day run 01"))


def test_a_plot_is_the_same_text_each_time_and_has_the_page_s_ink() -> None:
    def drawn() -> str:
        figure = Figure()
        figure.subplots().plot([1, 2, 3])
        return tcd.svg_of(figure, 'a "line"')

    assert drawn() == drawn()
    assert "currentColor" in drawn()
    assert 'aria-label="a &quot;line&quot;"' in drawn()
    assert tcd.INK not in drawn()


def test_a_run_says_what_a_reader_types() -> None:
    verdict = tcd.run(
        "08", "--variant", "no epilogue", "--m", "1", "--n", "1", "--k", "8", gpu="l4"
    )
    assert verdict["provenance"]["kind"] == "derived"
    assert verdict["provenance"]["command"] == (
        "./day run 08 --gpu l4 -- --variant 'no epilogue' --m 1 --n 1 --k 8"
    )


def test_a_control_must_fail_as_asked() -> None:
    size = ("--m", "128", "--n", "128", "--k", "32", "--variant", "128×128×32")
    assert "FAILED" in tcd.run("03", *size, "--control", "one-bit", fails=True)["printed"]
    with pytest.raises(RuntimeError, match="ended with 0, not 1"):
        tcd.run("03", *size, fails=True)


def test_a_timeline_is_the_order_of_a_warp() -> None:
    rows = tcd.timeline("04", "--variant", "2 stages", "--m", "128", "--n", "128", "--k", "64")
    last = max(row["launch"] for row in rows)
    steps = [(r["step"], r["count"]) for r in rows if r["launch"] == last and r["warp"] == 7]
    multiply = [("ldmatrix", 6), ("mma", 16)] * 2
    assert steps == [
        *[("cp.async", 4), ("commit", 1), ("wait", 1), ("barrier", 1), ("cp.async", 4)],
        *[("commit", 1), *multiply, ("wait", 1), ("barrier", 1), ("commit", 1), *multiply],
    ]


def test_predictions_say_what_became_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    def verdict(held: bool | None, seen: str) -> dict[str, object]:
        return {
            "predictions": [{"number": 1, "text": f"it is fast{seen}", "held": held}],
            "provenance": {"kind": "measured", "device": "X", "file": "README.md"},
        }

    shown: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tcd, "show_html", shown.append)
        tcd.predictions(verdict(False, " (0.5 times)"), verdict(None, ""))
    assert "<td>it is fast</td><td>NOT held: 0.5 times</td><td>–</td>" in shown[0]


def test_a_run_that_fails_a_gate_stops_the_notebook() -> None:
    with pytest.raises(RuntimeError, match=r"\./day run 05 -- --stages none ended with 2"):
        tcd.run("05", "--stages", "none")
