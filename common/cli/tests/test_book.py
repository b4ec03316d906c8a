"""./day notebook and ./day book before anything is installed for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from day.book import contents
from day.book.contents import Page
from day.commands import book, notebook
from day.errors import UsageError

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", ["5", "05", "05-swizzle", "05-swizzle.py"])
def test_a_notebook_by_number_or_name(name: str) -> None:
    found = notebook.find(contents.notebooks(REPOSITORY), name)
    assert found.source == Path("notebooks/05-swizzle.py")


def test_an_unknown_notebook_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no notebook '77'\. There are: .*ladder"):
        notebook.find(contents.notebooks(REPOSITORY), "77")


def test_every_page_has_a_file_of_its_own() -> None:
    pages = contents.find(REPOSITORY)
    assert Page("Start", Path("README.md"), "markdown").output == "index.html"
    assert len({page.output for page in pages}) == len(pages) > 30
    assert all("/" not in page.output for page in pages)


def test_a_port_in_use_is_an_error_for_people(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UsageError, match="cannot be used"):
            book.show(tmp_path, taken.getsockname()[1])
