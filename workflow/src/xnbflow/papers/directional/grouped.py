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
        """Fit a family of densities to each group of columns."""
        groups: list[ColumnGroup] = []
        group_of_column: dict[int, str | None] = {}
        for entry in self._groups():
            if not isinstance(entry, Sequence) or isinstance(entry, str) or len(entry) != 3:
                msg = f"group {entry!r} is not (name, distribution, columns)"
                raise InputError(msg)
            name, family, columns = entry
            group = ColumnGroup(name, make_family(family, name), self._columns(columns))
            for column in group.columns.tolist():
                if column in group_of_column:
                    feature = self._feature_names()[column]
                    other = group_of_column[column]
                    msg = f"column {feature} is in groups {other!r} and {group.name!r}"
                    raise InputError(msg)
                group_of_column[column] = group.name
            groups.append(group)
        self.groups_ = [group for group in groups if len(group.columns)]
        if not self.groups_:
            msg = f"no group of {type(self).__name__} has a column"
            raise InputError(msg)
        for group in self.groups_:
            group.fit(features, codes, len(self.classes_))

    def _columns(self, columns: Any) -> np.ndarray:
        """Return the positions of columns that are named in any of the forms that groups take."""
        place = f"a group of {type(self).__name__}"
        return column_positions(columns, self._feature_names(), place)


def make_family(family: Any, group: str) -> Distribution:
    """Return a family that is not fitted, from a family or its short name, for a group."""
    if isinstance(family, Distribution):
        return clone(family)
    if not isinstance(family, str) or family not in FAMILIES:
        msg = f"group {group!r}: unknown distribution {family!r}; use one of {', '.join(FAMILIES)}"
        raise InputError(msg)
    return FAMILIES[family]()
