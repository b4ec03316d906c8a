"""Reads a file that somebody else has made: a plain one, not too large, never through a symbolic
link. Standard library only."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path


class Missing(Exception):
    """There is no such file."""


class NotPlain(Exception):
    """There is something, but not a file to be read; the words say what."""


def read(folder: Path, names: Sequence[str], most: int) -> bytes:
    """folder/names[0]/names[1]/…; `folder` itself is ours. Raises Missing and NotPlain."""
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names[:-1]:
            at = step(at, name, os.O_DIRECTORY)
        at = step(at, names[-1], os.O_NONBLOCK)  # a pipe would wait for its writer
        status = os.fstat(at)
        if not stat.S_ISREG(status.st_mode):
            raise NotPlain(f"{names[-1]} is no plain file")
        content = b""
        while len(content) <= most and (more := os.read(at, most + 1 - len(content))):
            content += more
        if len(content) > most:
            raise NotPlain(f"{names[-1]} has {status.st_size:,} bytes; {most:,} are allowed")
        return content
    finally:
        os.close(at)


def step(folder: int, name: str, flags: int) -> int:
    """Opens `name` and closes the folder it is in; on an error the folder stays open."""
    try:
        found = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise NotPlain(what_instead(folder, name)) from error
        if error.errno == errno.ENOENT:
            raise Missing(name) from error
        raise NotPlain(f"{name} cannot be opened: {error.strerror}") from error
    os.close(folder)
    return found


def what_instead(folder: int, name: str) -> str:
    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        return f"{name} is a symbolic link"
    return f"{name} is no folder"
