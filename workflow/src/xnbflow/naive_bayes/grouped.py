"""Naive Bayes whose groups of columns follow different families of densities."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from xnbflow.data.columns import column_positions
from xnbflow.data.errors import InputError
from xnbflow.density.families import FAMILIES
from xnbflow.density.families.base import Distribution
from xnbflow.naive_bayes.independent import ColumnGroup, IndependentNB

__all__ = ["GroupedNB", "family_of"]


class GroupedNB(IndependentNB):
    """Base class: a subclass names groups of columns, each with its family of densities.

    Attributes
    ----------
    groups_ : list of ColumnGroup
        The groups that have columns, fitted.
    classes_, class_count_, class_log_prior_, n_features_in_, feature_names_in_
        As in `BaseNaiveBayes`.
    """

    @abstractmethod
    def _groups(self) -> Sequence[tuple[str, Any, Any]]:
        """Return the groups to fit: name, family or its short name, columns."""

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
        distribution = family_of(distribution, name)
    if not isinstance(distribution, Distribution):
        msg = f"group {name!r}: {distribution!r} is not a family of xnbflow.density.families"
        raise InputError(msg)
    return name, distribution, columns


def family_of(short_name: str, group: str) -> Distribution:
    """Return a family, with its defaults, by its short name."""
    if short_name not in FAMILIES:
        known = ", ".join(FAMILIES)
        msg = f"group {group!r}: unknown distribution {short_name!r}; use one of {known}"
        raise InputError(msg)
    return FAMILIES[short_name]()
