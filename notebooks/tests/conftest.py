"""The book, made once from scratch for all tests: every notebook is executed anew."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from day.book import site
from day.book.site import Made

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Book:
    folder: Path
    pages: list[Made]

    def text(self, page: str) -> str:
        return (self.folder / page).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    folder = tmp_path_factory.mktemp("site") / "book"
    return Book(folder, site.write(ROOT, folder, fresh=True, say=lambda _: None))
