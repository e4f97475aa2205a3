"""Naive Bayes as such: a likelihood of terms that are independent given the class (XNB, Eq. 2)."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from xnbflow.core.errors import InputError
from xnbflow.data.columns import column_positions
from xnbflow.density.families import FAMILIES
from xnbflow.density.families.distribution import Distribution
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.papers.directional.mutual_information import (
    quadrature_information,
    sample_information,
)

__all__ = ["ColumnGroup", "GroupedNB", "IndependentNB", "family_of"]


@dataclass(frozen=True)
class ColumnGroup:
    """The ``columns`` (n_columns,), as positions in X, whose densities are of one family.

    The ``name`` is None where a group needs none; the only term of a multivariate family bears it.
    """

    name: str | None
    distribution: Distribution
    columns: np.ndarray

    @property
    def terms(self) -> list[np.ndarray]:
        """The columns of each factor of the likelihood."""
        return [self.columns] if self.distribution.multivariate else list(self.columns[:, None])

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> None:
        """Fit the family to the group's columns; see `Distribution.fit`."""
        with self._naming():
            self.distribution.fit(self._rows(features), codes, n_classes)

    def log_density(self, features: np.ndarray) -> np.ndarray:
        """Return the log densities of the group's terms; see `Distribution.log_density`."""
        with self._naming():
            return self.distribution.log_density(self._rows(features))

    def log_likelihood(self, features: np.ndarray) -> np.ndarray:
        """Return their sums; see `Distribution.log_likelihood`."""
        with self._naming():
            return self.distribution.log_likelihood(self._rows(features))

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Name the group in which the family found bad input."""
        try:
            yield
        except InputError as error:
            if self.name is None:
                raise
            msg = f"group {self.name!r}: {error}"
            raise InputError(msg) from error

    def _rows(self, features: np.ndarray) -> np.ndarray:
        """Return the group's rows, without a copy where they follow one another."""
        first, last = self.columns[0], self.columns[-1]
        if np.array_equal(self.columns, np.arange(first, last + 1)):
            return features[first : last + 1]
        return features[self.columns]


class IndependentNB(BaseNaiveBayes):
    """Base class of classifiers whose likelihood is a product of terms, the same for every class.

    A term is the density of one column or, in a multivariate family, of several. A subclass
    implements ``_fit``, which sets ``groups_``, the fitted groups of columns that share a family;
    the terms are those of the groups, one after another.
    """

    groups_: list[ColumnGroup]

    def _set_group(self, distribution: Distribution) -> None:
        """Make one group of all columns."""
        self.groups_ = [ColumnGroup(None, distribution, np.arange(self.n_features_in_))]

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        joint = np.repeat(self.class_log_prior_[:, None], features.shape[1], axis=1)
        for group in self.groups_:
            joint += group.log_likelihood(features)
        return joint.T

    def term_log_densities(self, features: np.ndarray) -> np.ndarray:
        """Return every factor of the likelihood, shape (n_terms, n_classes, n_samples).

        ``features`` (n_features, n_samples) are feature-major samples; see `term_columns`.
        """
        parts = [group.log_density(features) for group in self.groups_]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def term_columns(self) -> list[np.ndarray]:
        """Return the columns of each term."""
        return [columns for group in self.groups_ for columns in group.terms]

    def n_parameters(self) -> np.ndarray:
        """Return the free parameters of each term, all classes together, shape (n_terms,)."""
        return np.concatenate([group.distribution.n_parameters() for group in self.groups_])

    def mutual_information(self, features: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return each term's mutual information with the class under the fitted densities.

        In nats, shape (n_terms,), by quadrature; for a multivariate family the mean over the
        training samples, ``features`` (n_features, n_samples) and their class ``codes``
        (n_samples,).
        """
        parts = []
        for group in self.groups_:
            part = quadrature_information(group.distribution, self.class_log_prior_)
            if part is None:
                log_density = group.log_density(features)
                part = sample_information(log_density, codes, self.class_log_prior_)
            parts.append(part)
        return np.concatenate(parts)

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        terms = self.term_log_densities(features)[:, code]
        return np.arange(len(terms)), terms

    def _term_names(self) -> np.ndarray:
        """Return the name of each term: its column's, or that of a multivariate group."""
        names = self._feature_names()
        terms = [
            [group.name] if group.distribution.multivariate else list(names[group.columns])
            for group in self.groups_
        ]
        return np.array([name for part in terms for name in part], dtype=object)


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
