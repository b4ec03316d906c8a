"""What every page of the book keeps: its links lead somewhere, nothing comes from another host, and
every figure says what kind of figures it shows."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from conftest import ROOT, Book
from day.book import contents

LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"')
LOADED = re.compile(
    r'<(?:script|img|iframe|source|video)\b[^>]*?\bsrc="([^"]*)"|<link\b[^>]*?href="([^"]*)"'
)
FIGURE = re.compile(r"<figure\b.*?</figure>", re.DOTALL)
KIND = re.compile(r'<b class="(measured|quoted|derived)">')


def test_every_source_is_in_the_book(book: Book) -> None:
    sources = {str(page.source) for page in contents.find(ROOT)}
    for expected in (
        "README.md",
        "days/05-swizzle/README.md",
        "exercises/01a-fragment-map/README.md",
        "common/emulator/README.md",
        "common/bench/README.md",
        "notebooks/05-swizzle.py",
    ):
        assert expected in sources
    outputs = [page.output for page in book.pages]
    assert len(outputs) == len(set(outputs)), "two pages have one name"
    assert len(outputs) > len(sources)  # and the files that they link to


def test_every_link_leads_to_a_page_and_a_place_on_it(book: Book) -> None:
    seen = 0
    for page in book.pages:
        for link in map(html.unescape, LINK.findall(book.text(page.output))):
            if re.match(r"https?:|mailto:", link):
                continue
            path, _, anchor = link.partition("#")
            to = path or page.output
            assert (book.folder / to).is_file(), f"{page.output} links to {link}"
            if anchor:
                assert f'id="{html.escape(anchor)}"' in book.text(to), f"{page.output}: {link}"
            seen += 1
    assert seen > 1000


def test_nothing_is_loaded_from_another_host(book: Book) -> None:
    for page in book.pages:
        for groups in LOADED.findall(book.text(page.output)):
            loaded = groups[0] or groups[1]
            if not loaded.startswith("data:"):
                assert (book.folder / loaded).is_file(), f"{page.output} loads {loaded}"
    for style in book.folder.glob("*.css"):
        assert not re.search(r"@import|url\((?!['\"]?data:)", style.read_text()), style


def test_every_figure_says_what_kind_of_figures_it_shows(book: Book) -> None:
    notebooks = [page for page in book.pages if page.page and page.page.kind == "notebook"]
    for page in notebooks:
        figures = FIGURE.findall(page.body)
        assert figures, f"{page.output} shows nothing"
        for figure in figures:
            assert KIND.search(figure), f"{page.output}: {figure[:200]}"
            assert "<svg" not in figure or re.search(r'<svg[^>]*aria-label="[^"]', figure)
        assert page.body.count("<svg") == sum(figure.count("<svg") for figure in figures)


SOURCE = re.compile(r'<span class="source">(.*?)</span>', re.DOTALL)
COMMAND = re.compile(r"<code>[^<]*?\./day run (\d\d)[^<]*</code>")


def test_every_figure_can_be_followed_to_a_file_or_a_command(book: Book) -> None:
    """A link to a file of the checkout, or a run of a day that is there, for each of its sources."""
    followed = 0
    for page in book.pages:
        for figure in FIGURE.findall(page.body):
            sources = SOURCE.findall(figure)
            assert sources, f"{page.output}: {figure[:200]}"
            for source in sources:
                files = LINK.findall(source)
                days = COMMAND.findall(source)
                assert files or days, f"{page.output}: {source}"
                assert all((book.folder / file).is_file() for file in files), source
                assert all(list(ROOT.glob(f"days/{day}-*/kernel.cu")) for day in days), source
                followed += 1
    assert followed > 50


@pytest.mark.parametrize(
    "said",
    [
        "notebooks-04-cp-async.html Timelines of pipelines with one to six stages",
        "notebooks-04-cp-async.html Throughput and CTAs per SM over the number of stages",
        "notebooks-05-swizzle.html Where the first chunk of eight rows lies among the banks",
        "notebooks-05-swizzle.html Bank conflicts against throughput",
        "notebooks-06-rasterization.html DRAM reads by the model against the size of L2",
        "notebooks-07-fused-epilogue.html Relative error of FP16 sums over K",
        "notebooks-09-ada-k8.html TFLOP/s on an H200 of 120 configurations",
        "notebooks-09-ada-k8.html Throughput, clock, power and temperature",
        "notebooks-10-register-pipeline.html Fragments loaded and multiplied",
        "notebooks-11-wide-tile.html The course's best kernel, CUTLASS on the same instructions",
        "notebooks-ladder.html Roofline of the H200",
        "notebooks-misleading.html One kernel by two counters",
    ],
)
def test_the_figures_that_the_course_argues_with_are_there(book: Book, said: str) -> None:
    page, _, title = said.partition(" ")
    assert f'aria-label="{title}' in book.text(page)


def test_the_pages_of_a_day_lead_to_one_another(book: Book) -> None:
    together = re.compile(r'<p class="together">(.*?)</p>', re.DOTALL)
    for day in range(12):
        pages = [page for page in book.pages if page.page and page.page.day == f"{day:02}"]
        assert {page.page.part for page in pages} == {"Days", "Notebooks", "Exercises"}, day
        for page in pages:
            line = together.search(book.text(page.output))[1]
            assert set(LINK.findall(line)) == {p.output for p in pages} - {page.output}
    assert not together.search(book.text("index.html"))


def test_hints_are_folded(book: Book) -> None:
    page = book.text("exercises-01a-fragment-map.html")
    assert re.search(r"<details>\s*<summary>Hint 1", page)
    assert "<details open" not in page


def test_search_finds_what_a_page_says(book: Book) -> None:
    index = json.loads(
        book.text("search-index.js").removeprefix("window.tcdIndex = ").rstrip("\n;")
    )
    assert {"page", "title", "anchor", "head", "text"} == set(index[0])
    found = {entry["page"] for entry in index if "accidental optimum" in entry["head"].lower()}
    assert {"days-06-rasterization.html", "notebooks-06-rasterization.html"} <= found


@pytest.mark.parametrize("page", contents.notebooks(ROOT), ids=lambda page: page.source.stem)
def test_a_notebook_has_no_figure_typed_by_hand_in_its_plots(page: contents.Page) -> None:
    """Throughputs stand in data files. Four digits with a decimal point in code were copied."""
    text = (ROOT / page.source).read_text(encoding="utf-8")
    code = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    strings = re.compile(r'f?"[^"\n]*"')
    assert not re.findall(r"\b\d{2,}\.\d{2,}\b", strings.sub("", code))


def test_contents_are_small_enough_for_a_phone(book: Book) -> None:
    for page in book.pages:
        if page.page is not None:
            size = len(book.text(page.output).encode())
            assert size < 1_500_000, f"{page.output} has {size:,} bytes"
    assert Path(book.folder / "book.js").stat().st_size < 20_000
