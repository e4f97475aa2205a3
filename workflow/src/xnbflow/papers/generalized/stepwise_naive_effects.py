"""Selection of features by their naive effects, before generalized naive Bayes (Larsen 2005)."""

import warnings
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.parameters import columns_constraint, number_constraint
from xnbflow.data.labels import class_codes
from xnbflow.papers.generalized.naive_effect import (
    SMOOTHING,
    SortedFeature,
    categorical_mask,
    check_two_classes,
)
from xnbflow.papers.generalized.stepwise import stepwise_logistic
from xnbflow.preprocessing.estimator import Estimator


class StepwiseNaiveEffects(SelectorMixin, Estimator):
    """Keep the features whose naive effects a stepwise logistic regression selects.

    Every feature is replaced by its naive effect, so that strong effects that are not linear are
    found; forward stepwise logistic regression then selects the significant ones. `transform`
    returns the selected features themselves, for a classifier that estimates effects again.

    Parameters
    ----------
    entry, stay : float, default=0.05
        Significance levels to enter (score test) and to stay (Wald test), as in SAS.
    span, kernel, atom, shrinkage, categorical
        As in `xnbflow.naive_bayes.GeneralizedNB`.

    Attributes
    ----------
    selected_ : ndarray of int, shape (n_selected,)
        The selected features, in the order in which they entered.

    See Also
    --------
    xnbflow.naive_bayes.GeneralizedNB : Weighs the effects of the selected features.

    References
    ----------
    K. Larsen, Generalized naive Bayes classifiers, SIGKDD Explorations 7(1), 2005.

    Examples
    --------
    The second feature's effect is V-shaped, and there is no linear one.

    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> y = np.abs(X[:, 1]) > 0.7
    >>> StepwiseNaiveEffects().fit(X, y).selected_
    array([1])
    """

    _squares_features = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "entry": [number_constraint(0.0, 1.0)],
        "stay": [number_constraint(0.0, 1.0)],
        **SMOOTHING,
        "categorical": [columns_constraint(), None],
    }

    def __init__(
        self,
        *,
        entry: float = 0.05,
        stay: float = 0.05,
        span: float = 0.6,
        kernel: str = "minimum_variance",
        atom: float | None = 0.1,
        shrinkage: float = 1.0,
        categorical: Any = None,
    ) -> None:
        self.entry = entry
        self.stay = stay
        self.span = span
        self.kernel = kernel
        self.atom = atom
        self.shrinkage = shrinkage
        self.categorical = categorical

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def fit(self, X: np.ndarray | pd.DataFrame, y: np.ndarray) -> "StepwiseNaiveEffects":
        """Select features that separate two classes."""
        X, y = self._validate_training(X, y, order="F")
        classes, events, _ = class_codes(y)
        check_two_classes(classes)
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1]))
        effects = np.empty(X.T.shape)
        categorical = categorical_mask(self.categorical, names)
        for column, feature in enumerate(X.T):
            ordered = SortedFeature.from_values(
                feature, self.span, categorical=categorical[column], atom=self.atom
            )
            values = ordered.naive_effect(events, self.shrinkage, self.kernel)
            effects[column] = values[ordered.rows]
        self.selected_, path = stepwise_logistic(effects, events, entry=self.entry, stay=self.stay)
        if len(self.selected_) == 0:
            msg = (
                f"stepwise selection ends without a feature at the levels entry={self.entry} and "
                f"stay={self.stay}; all features are kept"
            )
            warnings.warn(msg, UserWarning, stacklevel=2)
            self.selected_ = np.arange(X.shape[1])
        path.insert(2, "feature", names[path.pop("candidate")])
        self._path_columns = {name: path[name].to_numpy() for name in path}
        return self

    @property
    def path_(self) -> pd.DataFrame:
        """The steps of the selection: action, feature, chi-square, p-value and log-likelihood."""
        check_is_fitted(self)
        return pd.DataFrame(self._path_columns)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.selected_] = True
        return mask
