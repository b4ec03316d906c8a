"""./day notebook NN: JupyterLab on one notebook, with the packages and executables it needs."""

from __future__ import annotations

import json
import os
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
    # jupytext's contents manager reads the .py as a notebook, so what is saved is the source. Which
    # viewer opens it is a setting, kept with this checkout and not in the reader's home.
    settings = root / ".day" / "jupyterlab"
    chosen = settings / "@jupyterlab" / "docmanager-extension" / "plugin.jupyterlab-settings"
    if not chosen.exists():
        chosen.parent.mkdir(parents=True, exist_ok=True)
        chosen.write_text(json.dumps({"defaultViewers": {"python": "Jupytext Notebook"}}))
    command = [provision.venv_python(root), "-m", "jupyterlab"]
    command += [f"--ServerApp.root_dir={root / 'notebooks'}"]
    command += [f"--LabApp.default_url=/lab/tree/{page.source.name}"]
    environment = {**os.environ, "JUPYTERLAB_SETTINGS_DIR": str(settings)}
    return child.run([*command, *own.extra], cwd=root / "notebooks", env=environment, stdin=None)


def find(pages: list[Page], name: str) -> Page:
    """`5`, `05`, `05-swizzle` or `ladder`."""
    wanted = name.zfill(2) if name.isascii() and name.isdigit() else name.removesuffix(".py")
    for page in pages:
        if wanted in (page.source.stem, page.source.stem.partition("-")[0]):
            return page
    there = ", ".join(page.source.stem for page in pages)
    raise UsageError(f"there is no notebook '{name}'. There are: {there}.")
