"""./day notebook NN: JupyterLab on one notebook, with the packages and executables it needs."""

from __future__ import annotations

from typing import Annotated

import typer

from day import child, context, provision
from day.book import contents
from day.book.contents import Page
from day.commands import book
from day.errors import UsageError


def notebook(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NN|NAME", help="05, ladder, fragments …")],
) -> int:
    """Open a notebook in JupyterLab. What follows `--` goes to JupyterLab: -- --no-browser"""
    own = context.of(ctx, takes_extra=True)
    root = own.root
    page = find(contents.notebooks(root), name)
    book.prepare(root)
    try:
        provision.need(root, provision.JUPYTERLAB)
    except provision.SetUpError as error:
        raise UsageError(str(error)) from error
    # jupytext's contents manager opens the .py itself, so what is saved is the source.
    url = f"/lab/tree/{page.source.name}?factory=Notebook"
    command = [provision.venv_python(root), "-m", "jupyterlab"]
    command += [f"--ServerApp.root_dir={root / 'notebooks'}", f"--LabApp.default_url={url}"]
    return child.run([*command, *own.extra], cwd=root / "notebooks", stdin=None)


def find(pages: list[Page], name: str) -> Page:
    """`5`, `05`, `05-swizzle` or `ladder`."""
    wanted = name.zfill(2) if name.isascii() and name.isdigit() else name.removesuffix(".py")
    for page in pages:
        if wanted in (page.source.stem, page.source.stem.partition("-")[0]):
            return page
    there = ", ".join(page.source.stem for page in pages)
    raise UsageError(f"there is no notebook '{name}'. There are: {there}.")
