"""Hybrid naive Bayes: each group of columns has its own family of densities.

Lopez-Cruz, Bielza and Larranaga, Directional naive Bayes classifiers, sections 3.4 and 3.5.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from xnbflow import distributions
from xnbflow.columns import column_positions
from xnbflow.distributions.base import Distribution
from xnbflow.errors import InputError
from xnbflow.naive_bayes.independent import ColumnGroup, IndependentNB

__all__ = ["HybridNB"]


class HybridNB(IndependentNB):
    """Naive Bayes whose groups of columns follow different families of densities.

    The log-likelihood of a class is the sum over groups.

    Parameters
    ----------
    groups : list of (name, distribution, columns), default=None
        As in scikit-learn's ColumnTransformer. ``distribution`` is a family of
        `xnbflow.distributions` or its short name: "gaussian", "multivariate_gaussian",
        "von_mises", "von_mises_fisher", "categorical" or "kernel". ``columns`` is an int, a
        column name, a list of either, a slice or a mask; a group without columns is left out.
        Columns in no group are not used. None makes one Gaussian group of all columns.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None takes their shares of the training samples.

    Attributes
    ----------
    groups_ : list of ColumnGroup
        The groups that have columns, fitted.
    classes_, class_count_, class_log_prior_, n_features_in_, feature_names_in_
        As in `BaseNaiveBayes`.

    References
    ----------
    P. L. Lopez-Cruz, C. Bielza and P. Larranaga, Directional naive Bayes classifiers, Eq. 9 and
    sections 3.4 and 3.5.

    Examples
    --------
    Wind direction in degrees and wind speed:

    >>> from xnbflow.distributions import VonMises
    >>> X = np.array([[350.0, 3.0], [10.0, 5.0], [20.0, 4.0], [170.0, 8.0], [190.0, 9.0]])
    >>> nb = HybridNB([("wind", VonMises(period=360), [0]), ("speed", "gaussian", [1])])
    >>> nb.fit(X, ["n", "n", "n", "s", "s"]).predict([[359.0, 4.0], [181.0, 7.5]]).tolist()
    ['n', 's']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "groups": [list, tuple, None],
        "priors": ["array-like", None],
    }

    def __init__(
        self,
        groups: Sequence[tuple[str, Any, Any]] | None = None,
        *,
        priors: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        self.groups = groups
        self.priors = priors

    def _groups(self) -> Sequence[tuple[str, Any, Any]]:
        """Return the groups to fit, as the parameter describes them."""
        return [("all", "gaussian", slice(None))] if self.groups is None else self.groups

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        groups = [_read_group(group) for group in self._groups()]
        resolved = [
            ColumnGroup(name, clone(distribution), self._columns(columns))
            for name, distribution, columns in groups
        ]
        self._refuse_shared_columns(resolved)
        self.groups_ = [group for group in resolved if len(group.columns)]
        if not self.groups_:
            msg = f"no group of {type(self).__name__} has a column"
            raise InputError(msg)
        for group in self.groups_:
            group.fit(features, codes, len(self.classes_))

    def _columns(self, spec: Any) -> np.ndarray:
        """Return the positions of the columns that ``spec`` names."""
        what = f"a group of {type(self).__name__}"
        return column_positions(spec, self._feature_names(), what)

    def _refuse_shared_columns(self, groups: list[ColumnGroup]) -> None:
        owner: dict[int, str | None] = {}
        for group in groups:
            for column in group.columns:
                if column in owner:
                    name = self._feature_names()[column]
                    msg = f"column {name} is in groups {owner[column]!r} and {group.name!r}"
                    raise InputError(msg)
                owner[column] = group.name


def _read_group(group: Any) -> tuple[str, Distribution, Any]:
    """Check a group's form and replace a family's short name by the family."""
    if not isinstance(group, Sequence) or isinstance(group, str) or len(group) != 3:
        msg = f"group {group!r} is not (name, distribution, columns)"
        raise InputError(msg)
    name, distribution, columns = group
    if isinstance(distribution, str):
        if distribution not in distributions.FAMILIES:
            known = ", ".join(distributions.FAMILIES)
            msg = f"group {name!r}: unknown distribution {distribution!r}; use one of {known}"
            raise InputError(msg)
        distribution = getattr(distributions, distributions.FAMILIES[distribution])()
    if not isinstance(distribution, Distribution):
        msg = f"group {name!r}: {distribution!r} is not a family of xnbflow.distributions"
        raise InputError(msg)
    return name, distribution, columns
