"""The recordings that generated tables are made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from day.errors import UsageError


def load(root: Path, file: str) -> dict[str, Any]:
    path = root / file
    if not path.is_file():
        raise UsageError(f"a page shows {file}, which does not exist")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
