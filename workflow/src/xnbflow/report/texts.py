"""The long texts of the page, from ``texts.toml``: a section's texts by their names."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def _all_texts() -> Mapping[str, Mapping[str, str]]:
    source = files(__package__).joinpath("texts.toml").read_text(encoding="utf-8")
    sections = {}
    for section, texts in tomllib.loads(source).items():
        sections[section] = {name: " ".join(text.split()) for name, text in texts.items()}
    return sections


def texts_of(section: str) -> Mapping[str, str]:
    """Return the texts of a section, each in one line."""
    return _all_texts()[section]


def constant_texts() -> set[str]:
    """Return every text as it is in the file; those with braces are completed by a section."""
    constant: set[str] = set()
    for texts in _all_texts().values():
        constant.update(texts.values())
    return constant
