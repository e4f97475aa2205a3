"""What the documentation and the types of the library say."""

import importlib
import inspect
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

from xnbflow.evaluation.methods import METHODS

PUBLIC_MODULES = [
    "xnbflow.data.cells",
    "xnbflow.diagnostics",
    "xnbflow.density.families",
    "xnbflow.evaluation.paired_tests",
    "xnbflow.evaluation.rank_tests",
    "xnbflow.models",
    "xnbflow.naive_bayes",
    "xnbflow.preprocessing",
    "xnbflow.data.dataset",
]


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_every_public_name_stands_in_the_reference(module):
    shown = {path.rpartition(".")[2] for path in documented_names()}
    constants = {name for name in names_of(module) if name.isupper()} - {"CICA", "XNB"}
    assert set(names_of(module)) - shown == constants


def sections(documented):
    """The sections of a numpydoc docstring: the names that each describes."""
    lines = inspect.cleandoc(documented.__doc__).splitlines()
    found, current = {}, []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and set(below) == {"-"}:
            found[line] = current = []
        elif line and not line.startswith(" ") and set(line) != {"-"}:
            names = line.partition(" : ")[0]
            current += [name.strip(" *\\") for name in names.split(",")]
    return found


def documented_names():
    """What the page names, and the registry, whose methods `make docs` puts into the page."""
    page = (Path(__file__).parents[2] / "docs/reference/api.md").read_text()
    assert page.count("of the registry. -->") == 2
    own = [method.estimator for method in METHODS.values()]
    return [*re.findall(r"^::: (\S+)$", page, re.MULTILINE), *own]


@pytest.mark.parametrize("path", documented_names())
def test_every_name_of_the_reference_has_its_sections(path):
    """Parameters where there are any, and what is returned, or what a class holds.

    Those of an estimator are exactly the ones it takes.
    """
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    written = sections(found)
    if not inspect.isclass(found):
        taken = set(inspect.signature(found).parameters)
        assert taken <= set(written.get("Parameters", ()))
        returns = inspect.signature(found).return_annotation
        yields = {"Returns", "Yields"} & written.keys()
        assert yields or returns in (None, "None")
    elif issubclass(found, BaseEstimator):
        assert set(written.get("Parameters", ())) == set(inspect.signature(found).parameters)
    elif not inspect.isabstract(found):
        fields = getattr(found, "_fields", None) or getattr(found, "__dataclass_fields__", ())
        named = {*written.get("Attributes", ()), *written.get("Parameters", ())}
        assert named
        assert set(fields) <= named


def names_of(module):
    return importlib.import_module(module).__all__
