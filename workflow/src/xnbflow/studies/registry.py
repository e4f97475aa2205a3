"""Every analysis that a study can name: those of this package, and what other packages add.

It is read whenever the Snakefile is: nothing numerical is imported here.
"""

from collections.abc import Mapping
from functools import cache

from xnbflow.core.entries import Analysis
from xnbflow.core.plugins import with_plugins
from xnbflow.papers import cells, cica, directional, separation, signatures
from xnbflow.papers import generalized as effects

__all__ = ["OWN_ANALYSES", "known_analyses"]

#: This package's analyses by name.
OWN_ANALYSES: Mapping[str, Analysis] = {
    package.ANALYSIS.name: package.ANALYSIS
    for package in (cells, cica, directional, effects, separation, signatures)
}


@cache
def known_analyses() -> Mapping[str, Analysis]:
    """Return every analysis by name: those of this package, and those that other packages add."""
    return with_plugins("xnbflow.analyses", Analysis, OWN_ANALYSES)
