"""Naive Bayes over groups of columns, each with its family of densities (section 3.4)."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from xnbflow.core.errors import InputError
from xnbflow.data.columns import column_positions
from xnbflow.density.families import Distribution, Gaussian, Kernel, MultivariateGaussian
from xnbflow.naive_bayes.independent import ColumnGroup, IndependentNB
from xnbflow.papers.directional.categorical import Categorical
from xnbflow.papers.directional.von_mises import VonMises
from xnbflow.papers.directional.von_mises_fisher import VonMisesFisher

#: The families by their short names, for configuration files.
FAMILIES: dict[str, type[Distribution]] = {
    "categorical": Categorical,
    "gaussian": Gaussian,
    "kernel": Kernel,
    "multivariate_gaussian": MultivariateGaussian,
    "von_mises": VonMises,
    "von_mises_fisher": VonMisesFisher,
}


class GroupedNB(IndependentNB):
    """Base class: a subclass names groups of columns, each with its family of densities."""

    @abstractmethod
    def _groups(self) -> Sequence[tuple[str, Any, Any]]:
        """Return the groups to fit: name, family or its short name, columns."""

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        groups: list[ColumnGroup] = []
        owner: dict[int, str | None] = {}
        for given in self._groups():
            if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 3:
                msg = f"group {given!r} is not (name, distribution, columns)"
                raise InputError(msg)
            group = ColumnGroup(given[0], family_of(given[1], given[0]), self._columns(given[2]))
            for column in group.columns.tolist():
                if column in owner:
                    name = self._feature_names()[column]
                    msg = f"column {name} is in groups {owner[column]!r} and {group.name!r}"
                    raise InputError(msg)
                owner[column] = group.name
            groups.append(group)
        self.groups_ = [group for group in groups if len(group.columns)]
        if not self.groups_:
            msg = f"no group of {type(self).__name__} has a column"
            raise InputError(msg)
        for group in self.groups_:
            group.fit(features, codes, len(self.classes_))

    def _columns(self, spec: Any) -> np.ndarray:
        """Return the positions of the columns that ``spec`` names."""
        what = f"a group of {type(self).__name__}"
        return column_positions(spec, self._feature_names(), what)


def family_of(family: Any, group: str) -> Distribution:
    """Return a family that is not fitted, from a family or its short name, for a group."""
    if isinstance(family, Distribution):
        return clone(family)
    if not isinstance(family, str) or family not in FAMILIES:
        msg = f"group {group!r}: unknown distribution {family!r}; use one of {', '.join(FAMILIES)}"
        raise InputError(msg)
    return FAMILIES[family]()
