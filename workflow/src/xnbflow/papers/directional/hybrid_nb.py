"""Hybrid naive Bayes: each group of columns has its own family of densities.

Lopez-Cruz, Bielza and Larranaga, Directional naive Bayes classifiers, sections 3.4 and 3.5.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from xnbflow.core import entries
from xnbflow.core.errors import InputError
from xnbflow.core.parameters import PRIORS_CONSTRAINT, Configured
from xnbflow.density.families.distribution import Distribution
from xnbflow.papers.directional.grouped import FAMILIES, GroupedNB, make_family

#: The schema of a group of columns in a configuration: (name, distribution, columns).
_GROUP = {
    "$comment": "(name, distribution, columns)",
    "type": "array",
    "prefixItems": [entries.text(), entries.choice(*FAMILIES), entries.COLUMNS_SCHEMA],
    "minItems": 3,
    "maxItems": 3,
}


class HybridNB(GroupedNB):
    """Naive Bayes for mixed data: groups of columns follow different families of densities.

    Numeric, categorical and circular columns in one classifier (mixed naive Bayes). The
    log-likelihood of a class is the sum over groups.

    Parameters
    ----------
    groups : list of (name, distribution, columns), default=None
        As in scikit-learn's ColumnTransformer. ``distribution`` is a family of
        `xnbflow.density.families` or its short name: "gaussian", "multivariate_gaussian",
        "von_mises", "von_mises_fisher", "categorical" or "kernel". ``columns`` is an int, a column
        name, a list of either, a slice or a mask; a group without columns is left out. Columns in
        no group are not used. None makes one Gaussian group of all columns.
        Parameters of a group's family are set, and searched over, as ``name__parameter``.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None means their shares of the training samples.

    Attributes
    ----------
    groups_ : list of ColumnGroup
        The groups that have columns, fitted.

    See Also
    --------
    VonMisesNB : Angles, numbers and categories, the groups of the paper's first classifier.
    FlexibleNB : All columns by kernel densities.

    References
    ----------
    P. L. Lopez-Cruz, C. Bielza and P. Larranaga, Directional naive Bayes classifiers, Eq. 9 and
    sections 3.4 and 3.5.

    Examples
    --------
    Wind direction in degrees and wind speed:

    >>> from xnbflow.papers.directional.von_mises import VonMises
    >>> X = np.array([[350.0, 3.0], [10.0, 5.0], [20.0, 4.0], [170.0, 8.0], [190.0, 9.0]])
    >>> nb = HybridNB([("wind", VonMises(period=360), [0]), ("speed", "gaussian", [1])])
    >>> nb.fit(X, ["n", "n", "n", "s", "s"]).predict([[359.0, 4.0], [181.0, 7.5]]).tolist()
    ['n', 's']
    >>> nb.set_params(wind__period=360.0, speed="kernel").get_params()["speed"]
    'kernel'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "groups": [Configured(list, entries.list_of(_GROUP)), tuple, None],
        "priors": PRIORS_CONSTRAINT,
    }

    def __init__(
        self,
        groups: Sequence[tuple[str, Any, Any]] | None = None,
        *,
        priors: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        self.groups = groups
        self.priors = priors

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        """Check the names of the groups, and fit each."""
        used_names = set(self.get_params(deep=False))
        for name, _, _ in self._group_entries():
            if not isinstance(name, str) or "__" in name or name in used_names:
                msg = (
                    f"group name {name!r}: give each group a unique name without double "
                    f"underscore that is not a parameter of {type(self).__name__}"
                )
                raise InputError(msg)
            used_names.add(name)
        super()._fit(features, codes)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        If ``deep`` also the groups' families by the groups' names, and their parameters as
        ``group__parameter``.
        """
        params = super().get_params(deep=False)
        if not deep:
            return params
        for name, family, _ in self._group_entries():
            params[name] = family
            if isinstance(family, Distribution):
                for key, value in family.get_params().items():
                    params[f"{name}__{key}"] = value
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of a group's family as ``group__parameter`` among the ``params``.

        A family that was given by its short name becomes one of the same name. Returns self.
        """
        if "groups" in params:
            self.groups = params.pop("groups")
        groups_with_parameters = {key.partition("__")[0] for key in params if "__" in key}
        groups = []
        for name, current_family, columns in self._group_entries():
            family = params.pop(name, current_family)
            if isinstance(family, str) and name in groups_with_parameters:
                family = make_family(family, name)
            groups.append((name, family, columns))
        self.groups = groups or self.groups
        return super().set_params(**params)

    def _group_entries(self) -> list[tuple[str, Any, Any]]:
        """Return the groups; none where they are malformed, which `fit` refuses."""
        try:
            return [(name, family, columns) for name, family, columns in self.groups or ()]
        except (TypeError, ValueError):
            return []

    def _groups(self) -> Sequence[tuple[str, Any, Any]]:
        return [("all", "gaussian", slice(None))] if self.groups is None else self.groups
