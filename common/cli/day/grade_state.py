"""What an unfinished grading has found so far, beside its report: a line for what is graded, and a
line for each verdict. The next run with the same --out goes on from it. Standard library only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from day.errors import UsageError
from day.grading import Record, Work

Header = dict[str, Any]


class State:
    """`file` None: nothing is kept."""

    def __init__(self, file: Path | None, header: Header, records: list[Record]) -> None:
        self.file, self.header, self.records = file, header, records
        self._out: TextIO | None = None

    def left(self, works: Sequence[Work]) -> list[Work]:
        """Those without a verdict."""
        done = {identity(record) for record in self.records}
        return [work for work in works if (*work.key, work.sha256) not in done]

    def add(self, record: Record) -> None:
        self.records.append(record)
        if self.file is None:
            return
        if self._out is None:
            self._out = self.file.open("a", encoding="utf-8")
        print(json.dumps(record), file=self._out, flush=True)

    def finish(self) -> None:
        if self._out:
            self._out.close()
        if self.file:
            self.file.unlink(missing_ok=True)


def path(out: Path, part: int | None = None) -> Path:
    return out.with_name(f"{out.name}.state" + ("" if part is None else f".{part}"))


def identity(record: Record) -> tuple[str, str, str]:
    return record["student"], record["exercise"], record["sha256"]


def open_state(file: Path, header: Header, seed_given: bool, works: Sequence[Work]) -> State:
    """A new one, or the one that an interrupted run has left: then its seed holds. Verdicts on
    files that have changed since are forgotten, and so is what went wrong on our side."""
    lines = read_lines(file)
    if not lines:
        file.write_text(json.dumps(header) + "\n", encoding="utf-8")
        return State(file, header, [])
    before, records = lines[0], lines[1:]
    for name in header:
        if (name != "seed" or seed_given) and before.get(name) != header[name]:
            raise UsageError(
                f"{file} is of a run with another {name} ({before.get(name)}, now {header[name]}): "
                "give the same command to go on with it, or delete it to start anew."
            )
    # Writes it anew: the last line may be half a line.
    there = {(*work.key, work.sha256) for work in works}
    kept = [r for r in records if r["status"] != "error" and identity(r) in there]
    text = "".join(json.dumps(line) + "\n" for line in (before, *kept))
    file.write_text(text, encoding="utf-8")
    return State(file, before, kept)


def read(file: Path) -> State:
    """What another process keeps; it is only looked at."""
    header, *records = read_lines(file) or [{}]
    if not header:
        raise UsageError(f"there is no {file}: a task of --slurm goes on from it.")
    return State(None, header, records)


def read_lines(file: Path) -> list[dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:  # where it was interrupted
            break
    return found
