"""The texts for readers that tests expect: one table for each package of tests.

A table ``texts.toml`` has a row for each claim, with the name of its test: a person who changes
words reads and corrects one file. A parametrised test may have a row for each of its cases, by
their ids. A test that asserts a number or a code names it in its body.
"""

import tomllib
from functools import cache
from pathlib import Path

NAME = "texts.toml"
TESTS = Path(__file__).parent


def texts_of_test(item):
    """Return the text of a test, or of its case, or its texts where it expects several."""
    name = item.originalname.removeprefix("test_")
    texts = read_texts(table_of(item.path))[item.path.stem.removeprefix("test_")][name]
    return texts[item.callspec.id] if isinstance(texts, dict) else texts


def table_of(path):
    """Return the nearest table to a file of tests, in its folder or in one around it."""
    return next(folder / NAME for folder in path.parents if (folder / NAME).is_file())


@cache
def read_texts(path):
    """Return the texts of a table by file and name of their test."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
