"""The recordings that generated tables are made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from day.errors import UsageError


def load(root: Path, file: str | Path, kind: str | None = None) -> dict[str, Any]:
    """kind: where its figures must come from, "measured" or "derived"; None: the caller says it."""
    path = root / file
    if not path.is_file():
        raise UsageError(f"a page shows {file}, which does not exist")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    found = loaded["provenance"]["kind"] if kind else None
    if found != kind:
        raise UsageError(f"{file} is {found}, not {kind}: no page shows it as that")
    return loaded


def facts(source: dict[str, Any], *more: str) -> str:
    """What a table says of where its figures come from; `more`: what its kind knows besides."""
    known = ["device", "architecture", "driver", "cuda", *more, "date", "command"]
    return ", ".join(f"{name} `{source[name]}`" for name in known if source.get(name))
