"""Pictures of every page of the book, for people to look at: build/screenshots/PAGE-WIDTH-THEME.png.

    .day/venv/bin/python notebooks/tests/screenshots.py [PAGE …] [--width 390] [--theme dark]

After ./day book. A long page becomes several pictures, one below the other."""

from __future__ import annotations

import argparse
import base64
import sys
import tempfile
from pathlib import Path

import browser

ROOT = Path(__file__).resolve().parents[2]
WIDTHS = {1280: 900, 390: 844}  # a desktop, a phone
PIECE = 4000  # pixels: a longer picture is too small to read


def take(tab: browser.Tab, page: Path, width: int, theme: str, to: Path) -> list[Path]:
    """Every piece of the page, from the top; sticky parts stand still in none of them."""
    tab.size(width, WIDTHS.get(width, 900))
    tab.open(page)
    tab.run(f'document.documentElement.dataset.theme = "{theme}"')
    tab.run("for (const e of document.querySelectorAll('header, nav')) e.style.position = 'static'")
    # Then the contents would be as long as they are, above or beside the text.
    tab.run("document.getElementById('contents').open = false")
    height = tab.run("document.documentElement.scrollHeight")
    taken: list[Path] = []
    for old in [
        *to.glob(f"{page.stem}-{width}-{theme}.png"),
        *to.glob(f"{page.stem}-{width}-{theme}-?.png"),
    ]:
        old.unlink()
    for index, top in enumerate(range(0, height, PIECE)):
        clip = {"x": 0, "y": top, "width": width, "height": min(PIECE, height - top), "scale": 1}
        picture = tab.call(
            "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
        )
        part = "" if height <= PIECE else f"-{index + 1}"
        taken.append(to / f"{page.stem}-{width}-{theme}{part}.png")
        taken[-1].write_bytes(base64.b64decode(picture["data"]))
    return taken


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("pages", nargs="*", help="names without .html; default: every one")
    options.add_argument("--width", type=int, action="append", help="default: 1280 and 390")
    options.add_argument("--theme", choices=("light", "dark"), default="light")
    chosen = options.parse_args()
    program = browser.find()
    if program is None:
        print(browser.MISSING, file=sys.stderr)
        return 2
    book = ROOT / "build" / "book"
    # Listings of files are all alike.
    found = [page for page in sorted(book.glob("*.html")) if not page.stem.startswith("source-")]
    pages = [page for page in found if not chosen.pages or page.stem in chosen.pages]
    if unknown := set(chosen.pages) - {page.stem for page in pages}:
        print(f"not in {book}: {', '.join(sorted(unknown))}. Type: ./day book", file=sys.stderr)
        return 2
    if not pages:
        print(f"no book in {book}. Type: ./day book", file=sys.stderr)
        return 2
    to = ROOT / "build" / "screenshots"
    to.mkdir(parents=True, exist_ok=True)
    count = 0
    with tempfile.TemporaryDirectory(prefix="screenshots-") as scratch:
        tab = browser.Tab(program, Path(scratch))
        try:
            for page in pages:
                for width in chosen.width or WIDTHS:
                    count += len(take(tab, page, width, chosen.theme, to))
        finally:
            tab.close()
    print(f"{count} pictures of {len(pages)} pages in {to}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
