"""The book in a real browser. The pages' own JavaScript must say what the course's C++ says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
from conftest import Book

import tcd_notebook as tcd


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Tab]:
    program = browser.find()
    if program is None:
        # A machine without a browser is fine for a reader; CI says that it must have one.
        give_up = pytest.fail if os.environ.get("TCD_BROWSER") == "required" else pytest.skip
        give_up(browser.MISSING)
    made = browser.Tab(program, tmp_path_factory.mktemp("chromium"))
    yield made
    made.close()


def test_a_browser_that_sees_no_temporary_files_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, script in (("a", 'exec /snap/bin/chromium "$@"'), ("b", "exec /usr/lib/x")):
        program = tmp_path / folder / "chromium"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent))
        assert browser.find() == (None if folder == "a" else str(program))


def open_page(tab: browser.Tab, book: Book, name: str) -> None:
    tab.open(book.folder / f"notebooks-book-interactive-{name}.html")


EVERY_CELL = """
(() => {
  const select = document.getElementById("shape");
  const answers = [];
  for (const option of select.options) {
    select.value = option.value;
    select.dispatchEvent(new Event("change"));
    for (const cell of document.querySelectorAll("#tiles td")) {
      cell.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      const lit = [...document.querySelectorAll("#tiles td.lit")].map((c) =>
        [c.dataset.operand, c.dataset.row, c.dataset.column].map(Number));
      const { operand, row, column } = cell.dataset;
      answers.push([Number(option.value), Number(operand), Number(row), Number(column),
        document.getElementById("said").textContent, lit]);
    }
  }
  return answers;
})()
"""


def test_every_element_names_its_owner_and_lights_what_else_the_lane_holds(
    tab: browser.Tab, book: Book
) -> None:
    open_page(tab, book, "fragment-explorer")
    shapes = tcd.tables()["shapes"]
    answers = tab.run(EVERY_CELL)
    assert len(answers) == sum(o["rows"] * o["columns"] for s in shapes for o in s["operands"])
    lanes = set()
    for shape, index, row, column, said, lit in answers:
        operands = shapes[shape]["operands"]
        lane, element, register, half = operands[index]["owners"][row][column]
        # The owners and the lanes' own lists are two tables; they must agree as well.
        assert operands[index]["lanes"][lane][element] == [row, column]
        letter = operands[index]["name"].lower()[0]
        assert (
            f"({row},{column}): lane {lane}, element {letter}{element}, register {register}" in said
        )
        if operands[index]["type"] == "f16":
            assert said.endswith(f"{'high' if half else 'low'} half.")
        held = {(o, *at) for o, one in enumerate(operands) for at in map(tuple, one["lanes"][lane])}
        assert set(map(tuple, lit)) == held
        lanes.add(lane)
    assert lanes == set(range(32))
    assert tab.problems == []


def test_the_explorer_by_keyboard(tab: browser.Tab, book: Book) -> None:
    open_page(tab, book, "fragment-explorer")
    tab.run('document.querySelector("#tiles td").focus()')
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        tab.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key)
    # m16n8k8, A (1,2): lane 5, as the page of Day 01 says.
    assert tab.run('document.getElementById("said").textContent').startswith("A (1,2): lane 5,")
    tab.run(
        'lane.value = 31; lane.dispatchEvent(new Event("input"))'.replace(
            "lane.", 'document.getElementById("lane").'
        )
    )
    assert tab.run('document.getElementById("said").textContent').startswith("Lane 31 holds A f16")


def test_the_viewer_counts_what_the_emulated_device_counts(tab: browser.Tab, book: Book) -> None:
    open_page(tab, book, "bank-viewer")
    vectors = tcd.tables()["banks"]
    reads = tab.run("tcdTables.banks.reads.map((v) => bank_rules.matrix_passes(v.rows))")
    writes = tab.run(
        "tcdTables.banks.writes.map((v) => bank_rules.copy_passes(v.shared, v.global))"
    )
    assert reads == [vector["passes"] for vector in vectors["reads"]]
    assert writes == [vector["passes"] for vector in vectors["writes"]]
    assert len(set(reads)) > 5
    assert len(set(writes)) > 5


@pytest.mark.parametrize("preset", range(4))
def test_a_known_layout_gives_the_counts_of_day_05(
    tab: browser.Tab, book: Book, preset: int
) -> None:
    open_page(tab, book, "bank-viewer")
    name = tab.run(
        f"""(() => {{
          const box = document.getElementById("preset");
          box.value = {preset};
          box.dispatchEvent(new Event("change"));
          return box.selectedOptions[0].textContent;
        }})()"""
    )
    each = tcd.data("day05-emulated")["derived"][f"{name}, 2 stages, each"]
    assert tab.run('document.getElementById("said").textContent') == (
        f"Reading: {each['conflicts an ldmatrix']:.0f} extra passes an ldmatrix.x4. "
        f"Writing: {each['wavefronts a cp.async']:.0f} passes a cp.async. "
        f"A CTA's k-tile: {each['passes a k-tile']:.0f} passes. (derived)"
    )


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("chunk ^ (row >> 1 & 3)", "Reading: 0 extra"),
        ("chunk ^ row % 4", "Reading: 4 extra"),
        ("(chunk + (row >> 1)) % 4", "Reading: 0 extra"),
        ("chunk ^ (row & 7)", "Not a layout: chunk 0 of row 4 would stand at place 4"),
        ("chunk & 2", "Not a layout: chunks 0 and 1 of row 0 would share place 0"),
        ("chunk ^ (row", "Not a layout: “)” wanted at the end"),
        ("alert(1)", "Not a layout: row, chunk or a number wanted before"),
        ("chunk / (row - row)", "Not a layout: division by zero"),
    ],
)
def test_an_expression_that_is_typed(
    tab: browser.Tab, book: Book, expression: str, said: str
) -> None:
    open_page(tab, book, "bank-viewer")
    tab.run('document.getElementById("place").focus(); document.getElementById("place").select()')
    tab.call("Input.insertText", text=expression)
    assert tab.run('document.getElementById("said").textContent').startswith(said)
    assert tab.problems == []


def test_the_player_walks_as_the_kernel_does(tab: browser.Tab, book: Book) -> None:
    open_page(tab, book, "rasterization-player")
    orders = tcd.tables()["orders"]
    walked = tab.run(
        "tcdTables.orders.map((o) => Array.from({ length: o.rows * o.columns },"
        " (_, i) => grouped_tile(i, o.rows, o.columns, o.group)))"
    )
    assert walked == [order["order"] for order in orders]
    for size, group in ((8192, 1), (8192, 2), (4096, 8)):
        said = tab.run(
            f"""(() => {{
              for (const [id, value] of [["size", {size}], ["group", {group}]]) {{
                const box = document.getElementById(id);
                box.value = value;
                box.dispatchEvent(new Event("change"));
              }}
              return document.getElementById("said").textContent;
            }})()"""
        )
        read = tcd.tables("dram", str(size), "48", "32", str(group))[0]["read_bytes"]
        assert "48 CTAs at once" in said
        assert f"reads {read / 1e9:.2f} GB from DRAM" in said


def test_the_search_finds_a_page_and_leads_to_it(tab: browser.Tab, book: Book) -> None:
    tab.open(book.folder / "index.html")
    found = tab.run(
        """(async () => {
          const box = document.getElementById("search");
          box.value = "accidental optimum";
          await show_found(box, document.getElementById("found"));
          return [...document.querySelectorAll("#found a")].map((a) => a.getAttribute("href"));
        })()"""
    )
    assert "notebooks-06-rasterization.html#the-accidental-optimum" in found
    assert tab.problems == []


# Every piece of text against what lies behind it, by the rule of WCAG: 4.5, or 3 for large text.
CONTRAST = """
(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const part = (x) => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(at).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const poor = new Set();
  for (const node of document.querySelectorAll("body *")) {
    if (node.closest("svg") || !node.checkVisibility()) continue;
    if (![...node.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim())) continue;
    const style = getComputedStyle(node);
    const [x, y] = [light(parse(style.color)), light(behind(node))].sort((a, b) => b - a);
    const ratio = (x + 0.05) / (y + 0.05);
    const enough = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if (ratio < enough) {
      poor.add(`${node.tagName}.${node.className}: ${ratio.toFixed(2)} ${style.color} “${node.textContent.slice(0, 20)}”`);
    }
  }
  return [...poor].slice(0, 9);
})()
"""


# Plots whose letters shrink with them, and names in tables that are cut into a column of letters.
TOO_SMALL = """
[...document.querySelectorAll("figure svg, .wide td code")].filter((e) => e.checkVisibility())
  .filter((e) => (e.closest("td") ?? e).getBoundingClientRect().width < (e.closest("td") ? 120 : 500))
  .map((e) => e.outerHTML.slice(0, 60))
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_can_be_read(tab: browser.Tab, book: Book, theme: str, width: int) -> None:
    """Nothing is wider than the screen, nothing is fainter than it may be, nothing goes wrong."""
    tab.size(width, 900)
    shown = [page for page in book.pages if page.page is not None]
    # Each page once in each theme and once at each width: the other two combinations add nothing.
    half = 0 if (theme == "light") == (width == 1280) else 1
    for page in shown if half == 0 else shown[::4]:
        tab.open(book.folder / page.output)
        tab.run(f'document.documentElement.dataset.theme = "{theme}"')
        wide = tab.run(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0, f"{page.output} is {wide} pixels wider than {width}"
        assert tab.run(CONTRAST) == [], page.output
        assert tab.run(TOO_SMALL) == [], f"{page.output} at {width}"
        assert tab.problems == [], page.output
        unnamed = tab.run(
            "[...document.querySelectorAll('button, input, select')].filter((e) =>"
            " !e.getAttribute('aria-label') && !e.closest('label') &&"
            " !(e.tagName === 'BUTTON' && e.textContent.trim())).map((e) => e.outerHTML)"
        )
        assert unnamed == [], page.output
