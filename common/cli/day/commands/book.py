"""./day book: everything as pages for a browser, in build/book. --serve shows it at an address."""

from __future__ import annotations

import functools
import http.server
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from day import build, context, provision
from day.book import contents
from day.errors import UsageError


def book(
    ctx: typer.Context,
    serve: Annotated[
        bool, typer.Option("--serve", help="Then serve it on this machine until Ctrl-C.")
    ] = False,
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="For --serve; 0: any free one.")
    ] = 0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run every notebook again, changed or not.")
    ] = False,
) -> int:
    """Build the book: pages, notebooks, exercises. Its files open without a network."""
    root = context.of(ctx).root
    started = time.monotonic()
    prepare(root)
    from day.book import site  # nbconvert and friends: only now are they sure to be installed

    folder = root / "build" / "book"
    written = site.write(root, folder, fresh, build.say_progress)
    build.clear_progress()
    seconds = time.monotonic() - started
    print(f"{len(written)} pages in {seconds:.0f} s: {folder / 'index.html'}", flush=True)
    return show(folder, port) if serve else 0


def prepare(root: Path) -> None:
    """The packages and the executables that a book is made with."""
    try:
        provision.need(root, provision.BOOK)
    except provision.SetUpError as error:
        raise UsageError(str(error)) from error
    build.build(root, "emulated", contents.targets(root))


def show(folder: Path, port: int) -> int:
    """On this machine's own address only: a book needs no audience on the network."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Handler, directory=str(folder))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise UsageError(
            f"port {port} cannot be used: {error.strerror}. --port takes another."
        ) from error
    with server:
        print(f"http://127.0.0.1:{server.server_port}/  (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)
    return 0
