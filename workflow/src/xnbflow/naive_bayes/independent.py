"""Naive Bayes: a likelihood of terms that are independent given the class (XNB, Eq. 2)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.density.families.distribution import Distribution
from xnbflow.naive_bayes.base import BaseNaiveBayes


@dataclass(frozen=True)
class ColumnGroup:
    """The ``columns`` (n_columns,), as positions in X, whose densities are of one family.

    The ``name`` may be None; it is the name of a multivariate family's single term.
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

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        terms = self.term_log_densities(features)[:, code]
        return np.arange(len(terms)), terms

    def _term_names(self) -> np.ndarray:
        """Return the name of each term: of its column, or of its multivariate group."""
        names = self._feature_names()
        terms: list[str | None] = []
        for group in self.groups_:
            is_one_term = group.distribution.multivariate
            terms += [group.name] if is_one_term else list(names[group.columns])
        return np.array(terms, dtype=object)
