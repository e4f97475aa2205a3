"""A base class of selectors that imports `sklearn.feature_selection` when it is used."""

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin

from xnbflow.core.instances import is_instance


class FeatureSelector(TransformerMixin):
    """Base class of transformers that keep some features: scikit-learn's `SelectorMixin`.

    A subclass has ``_get_support_mask``. All work is that of `SelectorMixin`, whose module imports
    linear models, forests and `scipy.stats`; a classifier that only predicts does not need it.
    """

    def _get_support_mask(self) -> np.ndarray:
        """Return a mask of the features that are kept."""
        raise NotImplementedError

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Return a mask of the features that are kept, or their positions."""
        return _mixin().get_support(self, indices)

    def transform(self, X: Any) -> Any:
        """Return the samples with the features that are kept."""
        return _mixin().transform(self, X)

    def inverse_transform(self, X: Any) -> Any:
        """Return samples with all features; features that are not kept are 0."""
        return _mixin().inverse_transform(self, X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features that are kept."""
        return _mixin().get_feature_names_out(self, input_features)

    def _transform(self, X: Any) -> Any:
        return _mixin()._transform(self, X)


def selects_features(step: object) -> bool:
    """Return whether a step keeps some features as they are: ours or scikit-learn's."""
    return isinstance(step, FeatureSelector) or is_instance(
        step, "sklearn.feature_selection.SelectorMixin"
    )


def _mixin() -> Any:
    from sklearn.feature_selection import SelectorMixin  # noqa: PLC0415  a third of a second

    return SelectorMixin
