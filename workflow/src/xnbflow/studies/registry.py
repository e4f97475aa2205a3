"""Every analysis that a study can name: the folders beside this file, and what other packages add.

It is read whenever the Snakefile is: nothing numerical is imported here.
"""

import importlib
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from xnbflow.data.entries import Analysis
from xnbflow.data.plugins import with_plugins

__all__ = ["analysis_modules", "known_analyses", "own_analyses"]


@cache
def own_analyses() -> Mapping[str, Analysis]:
    """Return this package's analyses by name: ``ANALYSIS`` of each folder."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    modules = [importlib.import_module(f"{__package__}.{folder}") for folder in folders]
    return {module.ANALYSIS.name: module.ANALYSIS for module in modules}


def analysis_modules(named: Collection[str] = ()) -> list[str]:
    """Return the modules with the entries, and with the tables of some analyses."""
    entries = [each.compute.rpartition(".")[0] for each in own_analyses().values()]
    return [*entries, *(known_analyses()[name].contract for name in named)]


@cache
def known_analyses() -> Mapping[str, Analysis]:
    """Return every analysis by name: those of this package, and those that other packages add."""
    return with_plugins("xnbflow.analyses", Analysis, own_analyses())
