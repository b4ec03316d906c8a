"""HTML of one page: Markdown and executed notebooks by nbconvert, links to the book's own files."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import nbformat
from nbconvert import HTMLExporter
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from day.errors import UsageError

HEADING = re.compile(r"<h([1-6])( id=\"[^\"]*\")?>(.*?)</h\1>", re.DOTALL)
LINK = re.compile(r'(<a\b[^>]*?\bhref=)"([^"]*)"')
TAG = re.compile(r"<[^>]+>")
LANGUAGES = {".cuh": "a.cu", ".def": "a.cpp", ".lock": "a.txt", ".in": "a.txt"}


def exporter(template_folder: Path) -> HTMLExporter:
    return HTMLExporter(
        template_name="tcd",
        extra_template_basedirs=[str(template_folder)],
        anchor_link_text="",
    )


def markdown(export: HTMLExporter, text: str) -> str:
    cell = nbformat.v4.new_markdown_cell(text)
    return notebook(export, nbformat.v4.new_notebook(cells=[cell]))


def notebook(export: HTMLExporter, content: nbformat.NotebookNode) -> str:
    body, _ = export.from_notebook_node(content)
    return with_anchors(body)


def text_of(fragment: str) -> str:
    return html.unescape(TAG.sub("", fragment)).strip()


def with_anchors(body: str) -> str:
    """Headings get the anchors that GitHub gives them, so a link to one works in both places."""
    seen: dict[str, int] = {}

    def replace(match: re.Match[str]) -> str:
        inner = re.sub(r'<a class="anchor-link".*?</a>', "", match[3], flags=re.DOTALL)
        slug = re.sub(r"[^\w\- ]", "", text_of(inner).lower()).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        anchor = f"{slug}-{seen[slug]}" if seen[slug] else slug
        return f'<h{match[1]} id="{html.escape(anchor)}">{inner}</h{match[1]}>'

    return HEADING.sub(replace, body)


def with_links(root: Path, source: Path, body: str, target: Callable[[Path], str]) -> str:
    """`target` names the book's file for a path of the checkout. A dead link is an error."""

    def replace(match: re.Match[str]) -> str:
        link = html.unescape(match[2])
        if re.match(r"[a-z]+:", link):
            return f'{match[1]}"{match[2]}" rel="noreferrer"'
        path, _, anchor = link.partition("#")
        if not path:
            return match[0]
        place = (root / source.parent / unquote(path)).resolve()
        if not place.is_relative_to(root) or not place.exists():
            raise UsageError(f"{source} links to {link}, which is not in the checkout")
        to = target(PurePosixPath(place.relative_to(root)))
        return f'{match[1]}"{html.escape(to + ("#" + anchor if anchor else ""))}"'

    return LINK.sub(replace, body)


def listing(path: Path) -> str:
    """A file of the checkout as a page of its own, for who follows a link to it."""
    text = path.read_text(encoding="utf-8")
    try:
        lexer = get_lexer_for_filename(LANGUAGES.get(path.suffix, path.name))
    except ClassNotFound:
        lexer = get_lexer_for_filename("a.txt")
    return highlight(text, lexer, HtmlFormatter(cssclass="highlight listing"))


def folder(path: Path) -> str:
    names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in path.iterdir())
    shown = (name for name in names if not name.startswith((".", "__pycache__")))
    items = "".join(f'<li><a href="{html.escape(n)}">{html.escape(n)}</a></li>' for n in shown)
    return f"<ul>{items}</ul>"
