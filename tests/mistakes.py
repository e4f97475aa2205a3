"""Mistakes of input, by what is read: cases of tests, kept as a table."""

import tomllib
from pathlib import Path

TABLE = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text())


def mistakes(kind):
    """Return what is wrong, and a part of what is said of it, in a row each."""
    return TABLE[kind]
