"""Runs the notebooks, each in a fresh kernel. What came out is kept in build/book-cache under a key
made of everything that went in, so a stale output cannot be taken for a current one."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from day.book import contents
from day.book.contents import Page
from day.errors import BuildError

SECONDS = 120  # for one cell
SHOWN_FILE = re.compile(r"\bcode\(\s*\"([^\"]+)\"")


def inputs(root: Path, page: Page) -> Iterator[Path]:
    source = root / page.source
    yield source
    yield root / "notebooks" / "tcd_notebook.py"
    yield root / "common" / "cli" / "day" / "pages.py"
    yield root / "common" / "cli" / "requirements-book.lock"
    yield from sorted((root / "notebooks" / "data").iterdir())
    text = source.read_text(encoding="utf-8")
    yield from (root / name for name in sorted(set(SHOWN_FILE.findall(text))))
    build = root / "build" / "emulated"
    yield from (build / f"day{day}" for day in sorted(set(contents.CALL.findall(text))))
    yield build / "notebooks" / "tables" / "book_tables"
    yield from sorted((build / "emulator").glob("libcudart.so*"))


def key(root: Path, page: Page) -> str:
    digest = hashlib.sha256()
    for path in inputs(root, page):
        content = path.read_bytes() if path.is_file() else b"absent"
        digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:24]


def execute(root: Path, page: Page, scratch: Path) -> nbformat.NotebookNode:
    """The notebook with its outputs. Raises BuildError with the cell and its error."""
    notebook = jupytext.read(root / page.source)
    folder = root / "notebooks"
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # it warns of plain TCP; this one stays on localhost
        resources={"metadata": {"path": str(folder)}},
    )
    environment = {
        **os.environ,
        "IPYTHONDIR": str(scratch / "ipython"),  # no history in the reader's home
        "MPLCONFIGDIR": str(scratch / "matplotlib"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        client.execute(env=environment)
    except CellExecutionError as error:
        raise BuildError(f"{page.source} stopped:\n{error.traceback or error}") from error
    warnings = [
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stderr"
    ]
    if warnings:
        raise BuildError(f"{page.source} wrote to stderr:\n{''.join(warnings)}")
    return notebook


@contextmanager
def runtime_folder() -> Iterator[None]:
    """The kernels' connection files: none of them is left behind."""
    with tempfile.TemporaryDirectory(prefix="book-") as folder:
        os.environ["JUPYTER_RUNTIME_DIR"] = folder
        try:
            yield
        finally:
            del os.environ["JUPYTER_RUNTIME_DIR"]


def all_executed(
    root: Path, pages: Sequence[Page], fresh: bool, say: Callable[[str], None]
) -> dict[Page, nbformat.NotebookNode]:
    """Two at a time: each waits for an executable that uses every core most of the time."""
    scratch = root / "build" / "book-cache"
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel of this environment, not of a home

    seconds: dict[str, float] = {}

    def one(page: Page) -> nbformat.NotebookNode:
        kept = scratch / f"{page.source.stem}-{key(root, page)}.ipynb"
        if kept.is_file() and not fresh:
            return nbformat.read(kept, as_version=4)
        say(f"running {page.source}")
        started = time.monotonic()
        notebook = execute(root, page, scratch)
        seconds[page.source.stem] = round(time.monotonic() - started, 1)
        for old in scratch.glob(f"{page.source.stem}-{'?' * 24}.ipynb"):
            old.unlink(missing_ok=True)
        nbformat.write(notebook, kept)
        return notebook

    with runtime_folder(), ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        started = time.monotonic()
        executed = dict(zip(pages, pool.map(one, pages), strict=True))
        together = round(time.monotonic() - started, 1)
    (scratch / "seconds.json").write_text(json.dumps({"each": seconds, "together": together}))
    return executed


def times(root: Path) -> str:
    """What the last execution took, one line for people; "" before there was one."""
    file = root / "build" / "book-cache" / "seconds.json"
    if not file.is_file():
        return ""
    took = json.loads(file.read_text())
    each = ", ".join(f"{name} {seconds}" for name, seconds in sorted(took["each"].items()))
    return f"notebooks, in seconds: {each}; {took['together']} together, two at a time"
