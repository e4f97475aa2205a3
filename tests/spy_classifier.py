"""A classifier that records what it is given."""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Spy(ClassifierMixin, BaseEstimator):
    """Records what it is given, does what a test asks, and predicts the first class.

    ``seen`` has samples, labels, seed and groups of each fit; ``tested`` the samples of each
    prediction; ``act`` is called with the model at the end of a fit. Tests empty both lists.
    """

    seen: ClassVar[list] = []
    tested: ClassVar[list] = []
    act: ClassVar = staticmethod(lambda model: None)

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, groups=None):
        """Record the samples, and call ``act``."""
        Spy.seen.append((X, list(y), self.random_state, groups))
        self.classes_ = np.unique(y)
        Spy.act(self)
        return self

    def predict(self, X):
        """Record the samples; predict the first class."""
        Spy.tested.append(X)
        return np.repeat(self.classes_[0], len(X))
