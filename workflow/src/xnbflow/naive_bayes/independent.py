"""Naive Bayes as such: within a class every feature has a density of its own (XNB paper, Eq. 2)."""

from abc import abstractmethod

import numpy as np

from xnbflow.distributions.base import FeatureDensities, log_likelihoods
from xnbflow.naive_bayes.base import BaseNaiveBayes

__all__ = ["IndependentNB"]


class IndependentNB(BaseNaiveBayes):
    """Base class of classifiers whose features are univariate and independent given the class.

    A subclass implements ``_fit`` and ``_class_densities``. Unless it says otherwise every class
    uses all features.
    """

    def _arrange(self, X: np.ndarray) -> np.ndarray:
        """Return the transpose as a view: tiles are gathered from any memory layout."""
        return X.T

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        densities = [self._class_densities(code) for code in range(len(self.classes_))]
        return self.class_log_prior_ + log_likelihoods(densities, features)

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(len(features)), self._class_densities(code).log_density(features)

    @abstractmethod
    def _class_densities(self, code: int) -> FeatureDensities:
        """Return the densities of the features that a class uses."""
