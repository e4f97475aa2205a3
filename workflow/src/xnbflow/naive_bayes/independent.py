"""Naive Bayes as such: within a class every feature has a density of its own (XNB paper, Eq. 2)."""

from abc import abstractmethod

import numpy as np

from xnbflow.distributions.base import FeatureDensities
from xnbflow.naive_bayes.base import BaseNaiveBayes

__all__ = ["IndependentNB"]


class IndependentNB(BaseNaiveBayes):
    """Base class of classifiers whose features are univariate and independent given the class.

    A subclass implements ``_fit`` and ``_class_densities``.
    """

    def _arrange(self, X: np.ndarray) -> np.ndarray:
        """Return the transpose as a view: tiles are gathered from any memory layout."""
        return X.T

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        joint = np.empty((features.shape[1], len(self.classes_)))
        for code, log_prior in enumerate(self.class_log_prior_):
            columns, densities = self._class_densities(code)
            joint[:, code] = log_prior + densities.log_likelihood(features[columns])
        return joint

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        columns, densities = self._class_densities(code)
        return np.arange(len(features))[columns], densities.log_density(features[columns])

    @abstractmethod
    def _class_densities(self, code: int) -> tuple[np.ndarray | slice, FeatureDensities]:
        """Return the columns that a class uses and their densities."""
