"""Writes the folder: every page in its frame, listings of the files they link to, the search index.

The folder is made beside its place and renamed over it, so a reader never sees half a book."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import jinja2
from pygments.formatters import HtmlFormatter

from day.book import contents, execute, render
from day.book.contents import Page
from day.errors import BuildError

ASSETS = ("book.css", "book.js")
SECTION = re.compile(r"<h[1-3] id=\"([^\"]*)\">(.*?)</h[1-3]>", re.DOTALL)
SILENT = re.compile(r"<(script|style|svg|pre)\b.*?</\1>", re.DOTALL)


@dataclass
class Made:
    output: str
    title: str
    body: str
    page: Page | None = None  # None: a listing, found through a link


def write(root: Path, to: Path, fresh: bool, say: Callable[[str], None]) -> list[Made]:
    """The pages written. Raises UsageError for a dead link, BuildError for a failed notebook."""
    root = root.resolve()
    pages = contents.find(root)
    executed = execute.all_executed(root, contents.notebooks(root), fresh, say)
    assets = root / "notebooks" / "book"
    export = render.exporter(assets / "template")
    made: list[Made] = []
    for page in pages:
        if page.kind == "notebook":
            body = render.notebook(export, executed[page])
        else:
            text = (root / page.source).read_text(encoding="utf-8")
            body = render.markdown(export, text) if page.kind == "markdown" else text
        made.append(Made(page.output, title(body, page), body, page))
    link_all(root, made)
    unfinished = to.with_name(to.name + ".tmp")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    frame = jinja2.Environment(
        loader=jinja2.FileSystemLoader(assets), autoescape=False, undefined=jinja2.StrictUndefined
    ).get_template("frame.html.j2")
    order = [entry for entry in made if entry.page is not None]
    for index, entry in enumerate(made):
        around = {
            "previous": made[index - 1] if 0 < index < len(order) else None,
            "next": made[index + 1] if index + 1 < len(order) else None,
            "together": of_the_same_day(order, entry),
        }
        text = frame.render(entry=entry, parts=parts(order), **around)
        (unfinished / entry.output).write_text(text, encoding="utf-8")
    for name in ASSETS:
        shutil.copy(assets / name, unfinished / name)
    for script in sorted((assets / "interactive").glob("*.js")):
        shutil.copy(script, unfinished / script.name)
    (unfinished / "pygments.css").write_text(colours(), encoding="utf-8")
    write_data(root, unfinished, order)
    shutil.rmtree(to, ignore_errors=True)
    unfinished.rename(to)
    return made


def title(body: str, page: Page) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.DOTALL)
    if not found:
        raise BuildError(f"{page.source} has no heading of the first level")
    return render.text_of(found[1])


def link_all(root: Path, made: list[Made]) -> None:
    """Rewrites the links; what they lead to and is no page becomes a listing."""
    names: dict[PurePosixPath, str] = {}
    for entry in made:
        assert entry.page is not None
        source = PurePosixPath(entry.page.source)
        names[source] = entry.output
        if source.name == "README.md":
            names[source.parent] = entry.output
    waiting: list[PurePosixPath] = []

    def target(path: PurePosixPath) -> str:
        if path not in names:
            names[path] = "source-" + "-".join(path.parts) + ".html"
            waiting.append(path)
        return names[path]

    for entry in list(made):
        entry.body = render.with_links(root, entry.page.source, entry.body, target)
    while waiting:
        path = waiting.pop()
        place = root / path
        body = render.folder(place) if place.is_dir() else render.listing(place)
        if place.is_dir():
            body = render.with_links(root, Path(path) / "x", body, target)
        made.append(Made(names[path], str(path), f"<h1>{path}</h1>\n{body}"))


def of_the_same_day(order: list[Made], entry: Made) -> list[Page]:
    """The day's page, its notebook, its exercises: who reads one finds the others."""
    day = entry.page.day if entry.page is not None else ""
    return [other.page for other in order if day and other.page.day == day]


def parts(order: list[Made]) -> dict[str, list[Made]]:
    found: dict[str, list[Made]] = {}
    for entry in order:
        found.setdefault(entry.page.part, []).append(entry)
    return found


def colours() -> str:
    """Syntax colours for light and, where the page or the system says so, for dark."""
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(':root[data-theme="dark"] .highlight')
    return f"{light}\n{dark}\n"


def write_data(root: Path, folder: Path, order: list[Made]) -> None:
    """Scripts, not JSON: a page opened as a file may not fetch anything."""
    index = [
        {"page": entry.output, "title": entry.title, "anchor": anchor, "head": head, "text": text}
        for entry in order
        for anchor, head, text in sections(entry)
    ]
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (folder / "search-index.js").write_text(f"window.tcdIndex = {text};\n", encoding="utf-8")
    program = root / "build" / "emulated" / "notebooks" / "tables" / "book_tables"
    tables = subprocess.run([program], capture_output=True, text=True, check=True).stdout.strip()
    (folder / "tables.js").write_text(f"window.tcdTables = {tables};\n", encoding="utf-8")


def sections(entry: Made) -> list[tuple[str, str, str]]:
    """(anchor, heading, text) for each heading: what a search finds."""
    pieces = SECTION.split(SILENT.sub(" ", entry.body))
    found = []
    for anchor, head, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        words = " ".join(render.text_of(re.sub(r"(<[^>]+>)", r" \1", text)).split())
        found.append((anchor, render.text_of(head), words))
    return found
