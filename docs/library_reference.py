"""The page with every public name of the library, from the packages themselves.

`docs/conf.py` writes it when the site is built; autosummary makes the page of each name.
"""

from collections.abc import Iterable
from importlib import import_module
from types import FunctionType

import xnbflow
from xnbflow.naive_bayes import BaseNaiveBayes

__all__ = ["library_reference"]

_HEAD = """\
# Library: every name

Each name leads to its page with the import path and parameters; those of estimators also have the
attributes, sources and an example.
[Library](api.md) has an introduction. Functions raise `InputError`, with the value and the reason,
for input that a person can correct.
"""
#: Sections of names beside the estimators: modules with all names of their `__all__`, and single
#: names of modules that users otherwise do not import from.
_SECTIONS = {
    "Diagnostics": ["diagnostics"],
    "Comparison of classifiers": [
        "inference.paired_tests",
        "inference.rank_tests",
        "studies.comparison.compare_over_data_sets",
        "studies.comparison.compare_over_folds",
        "papers.directional.pairwise_adjustments",
    ],
    "Models": ["models"],
    "Families of densities": [
        "density.families",
        "papers.directional.categorical.Categorical",
        "papers.directional.von_mises.VonMises",
        "papers.directional.von_mises_fisher.VonMisesFisher",
        "papers.separation.gaussian_blocks.GaussianBlocks",
    ],
    "Data sets": [
        "data.dataset",
        "data.series_file.iterate_features",
        "sources.dataset_entry.DatasetEntry",
        "sources.dataset_entry.read_entry",
        "sources.acquire.acquire",
        "sources.simulate.write_truth",
    ],
}


def library_reference() -> str:
    """Return the page as Markdown: the estimators by kind, then the names of the other packages."""
    lines = [_HEAD]
    for title, paths in (_estimators() | _other_names()).items():
        lines += [f"## {title}", "", "```{eval-rst}", ".. autosummary::", "   :toctree: generated"]
        lines += ["", *(f"   ~{path}" for path in paths), "```", ""]
    return "\n".join(lines)


def _estimators() -> dict[str, list[str]]:
    """Return the import paths of the estimators, those of papers included, by their kind."""
    sections: dict[str, list[str]] = {"Base class": [], "Classifiers": [], "Transformers": []}
    for name in dir(xnbflow):
        estimator = getattr(xnbflow, name)
        if not isinstance(estimator, type):
            continue
        if estimator is BaseNaiveBayes:
            kind, package = "Base class", "naive_bayes"
        elif hasattr(estimator, "predict"):  # a classifier, or the one regressor
            kind, package = "Classifiers", "naive_bayes"
        else:
            kind, package = "Transformers", "preprocessing"
        sections[kind].append(f"xnbflow.{package}.{name}")
    return sections


def _other_names() -> dict[str, list[str]]:
    """Return the import paths of the sections beside the estimators, without constants."""
    return {title: sorted(_expanded(paths), key=_last_part) for title, paths in _SECTIONS.items()}


def _expanded(paths: Iterable[str]) -> list[str]:
    """Return a path for each public name of the modules, and the single names as they are."""
    names = []
    for path in paths:
        package, _, name = f"xnbflow.{path}".rpartition(".")
        if isinstance(getattr(import_module(package), name, None), type | FunctionType):
            names.append(f"xnbflow.{path}")
        else:
            public = import_module(f"xnbflow.{path}").__all__
            names += [f"xnbflow.{path}.{name}" for name in public if not name.isupper()]
    return names


def _last_part(path: str) -> str:
    return path.rpartition(".")[2]
