"""Where a learner's submissions live: in the checkout, or in a folder of their own that ./day init
made. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from day.errors import UsageError
from day.provision import write_atomically

MARK = ".tensor-core-days"  # stands in a folder that ./day init made
REMEMBERED = Path(".day") / "home"


@dataclass(frozen=True)
class Home:
    folder: Path  # NNx-name/submission.cuh in it
    state: Path  # practice.json and backups in it

    @property
    def practice(self) -> Path:
        return self.state / "practice.json"

    @property
    def backups(self) -> Path:
        return self.state / "backups"


def checkout(root: Path) -> Home:
    return Home(root / "exercises", root / ".day")


def own(folder: Path) -> Home:
    return Home(folder, folder)


def is_own(folder: Path) -> bool:
    return (folder / MARK).is_file()


def find(root: Path, given: Path | None = None, here: Path | None = None) -> Home:
    """--dir, else the folder we stand in, else the one ./day init made last, else the checkout."""
    if given:
        folder = given.resolve()
        if not is_own(folder):
            raise UsageError(f"{given} is no folder of exercises. ./day init {given} makes one.")
        return own(folder)
    here = (here or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if is_own(folder):
            return own(folder)
    if (last := remembered(root)) is None:
        return checkout(root)
    if not is_own(last):
        raise UsageError(
            f"your exercises were in {last}, and are not there now. Moved? ./day init NEW_PLACE. "
            "Gone? ./day init --forget goes back to the exercises of this checkout."
        )
    return own(last)


def remembered(root: Path) -> Path | None:
    try:
        text = (root / REMEMBERED).read_text(encoding="utf-8").rstrip("\n")
    except OSError:
        return None
    return Path(text) if text else None


def remember(root: Path, folder: Path) -> None:
    (root / REMEMBERED).parent.mkdir(exist_ok=True)
    write_atomically(root / REMEMBERED, f"{folder}\n")


def forget(root: Path) -> None:
    (root / REMEMBERED).unlink(missing_ok=True)
