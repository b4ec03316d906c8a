"""Files that somebody else has made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from day.plain_file import Missing, NotPlain, read


def test_a_plain_file(tmp_path: Path) -> None:
    (tmp_path / "a\nb").mkdir()
    (tmp_path / "a\nb" / "-x").write_bytes(b"text")
    assert read(tmp_path, ["a\nb", "-x"], 4) == b"text"
    with pytest.raises(NotPlain, match="has 4 bytes; 3 are allowed"):
        read(tmp_path, ["a\nb", "-x"], 3)
    with pytest.raises(Missing):
        read(tmp_path, ["a\nb", "y"], 4)
    with pytest.raises(Missing):
        read(tmp_path, ["c", "y"], 4)


def test_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "linked").symlink_to("folder")
    (tmp_path / "folder" / "inside").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    for names, words in (
        (["link"], "link is a symbolic link"),
        (["linked", "inside"], "linked is a symbolic link"),
        (["pipe"], "no plain file"),
        (["folder"], "no plain file"),
        (["file", "x"], "file is no folder"),
    ):
        with pytest.raises(NotPlain, match=words):
            read(tmp_path, names, 9)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("x")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for names in (["link"], ["none"], ["link", "x"]):
        with pytest.raises((NotPlain, Missing)):
            read(tmp_path, names, 9)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
