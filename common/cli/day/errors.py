"""Errors are for people: what was wrong, the value seen, what to do next."""

from __future__ import annotations


class UsageError(Exception):
    """Bad usage or an environment that lacks something: exit code 2."""


class BuildError(Exception):
    """A build step failed; its output has been shown: exit code 1."""
