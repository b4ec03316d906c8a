"""The Python behind ./day: one file per command in commands/, one idea per file beside it."""
