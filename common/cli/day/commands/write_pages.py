"""./day pages: fills the generated parts of the pages, or checks that they are up to date."""

from __future__ import annotations

from typing import Annotated

import typer

from day import context, pages


def write_pages(
    ctx: typer.Context,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 when a page is out of date.")
    ] = False,
) -> int:
    """Fill the generated parts of the pages. Listings come from the files, figures from data."""
    root = context.of(ctx).root
    if check:
        stale = pages.stale(root)
        for page in stale:
            print(f"out of date: {page.relative_to(root)} (cure: ./day pages)")
        return 1 if stale else 0
    for page in pages.write(root):
        print(f"written: {page.relative_to(root)}")
    return 0
