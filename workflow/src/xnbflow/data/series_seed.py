"""Random seeds from the content of a data set.

With a seed from its name, the same file under three names had three draws of folds, and verdicts
near their limit differed. These seeds depend on the classes and groups of the samples in canonical
order (`xnbflow.data.canonical_order`), but not on the order of a file, nor on names of the data
set, samples, classes or groups.
"""

from typing import Protocol

import numpy as np

from xnbflow.core.seeds import derive_seed
from xnbflow.data.canonical_order import numbered, order_of


class Labelled(Protocol):
    """A data set or its header."""

    @property
    def labels(self) -> np.ndarray:
        """Class of each sample."""

    @property
    def groups(self) -> np.ndarray | None:
        """Group of each sample, for example its patient."""


def series_seed(series: Labelled, *purpose: str | int) -> int:
    """Return a seed in [0, 2**32) that depends on the pattern of classes and groups, and a purpose.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> named = SimpleNamespace(labels=np.array(["tumor", "normal", "tumor"]), groups=None)
    >>> renamed = SimpleNamespace(labels=np.array(["case", "control", "case"]), groups=None)
    >>> series_seed(named, 0, "folds") == series_seed(renamed, 0, "folds")
    True
    >>> series_seed(named, 0, "folds") == series_seed(named, 1, "folds")
    False
    """
    order = order_of(series)
    patterns = [numbered(series.labels[order])]
    if series.groups is not None:
        patterns.append(numbered(series.groups[order]))
    texts = [" ".join(map(str, pattern)) for pattern in patterns]
    return derive_seed(*texts, *purpose)
