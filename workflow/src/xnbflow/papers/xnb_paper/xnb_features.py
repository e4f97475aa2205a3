"""The features that XNB selects for any class, for a classifier of another kind.

The script of the XNB paper's authors compares three classifiers: naive Bayes, XNB, and FS+NB, which
is Gaussian naive Bayes on the union of the features that XNB selects from the training samples.
"""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.parameters import Instance
from xnbflow.data.samples import Labels, SamplesLike
from xnbflow.naive_bayes.xnb import XNB
from xnbflow.preprocessing.estimator import Estimator
from xnbflow.preprocessing.selector import FeatureSelector


class XNBFeatures(FeatureSelector, Estimator):
    """Keep the features that `XNB` selects for at least one class.

    Before `GaussianNB` in a pipeline it is the classifier FS+NB of the authors' script.

    Parameters
    ----------
    estimator : XNB, default=None
        The classifier that selects, `XNB` with its defaults if None. Its parameters are those of
        the selection.

    Attributes
    ----------
    estimator_ : XNB
        The fitted classifier; ``selected_features_`` has the features of each class.
    selected_ : ndarray of int, shape (n_selected,)
        The union of the features of all classes, ascending.

    See Also
    --------
    xnbflow.naive_bayes.XNB : Uses the features of each class for this class alone.

    References
    ----------
    Aguilar-Ruiz, Romero, Cicconardi, "XNB: Explainable Class-Specific Naive-Bayes Classifier",
    2024, and the script of mid-2024 in the repository that it names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> XNBFeatures().fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [Instance("fit", "predict"), None],
    }

    def __init__(self, estimator: XNB | None = None) -> None:
        self.estimator = estimator

    def fit(self, X: SamplesLike, y: Labels) -> "XNBFeatures":
        """Select the features of the classes from training samples.

        Where no class has a feature, of which `XNB` warns, all are kept: a classifier needs one.
        """
        checked, labels = self._validate_training(X, y)
        estimator = XNB() if self.estimator is None else clone(self.estimator)
        self.estimator_ = estimator.fit(checked, labels)
        self.selected_ = np.unique(np.concatenate(self.estimator_.columns_))
        if not len(self.selected_):
            self.selected_ = np.arange(self.n_features_in_)
        return self

    def transform(self, X: SamplesLike) -> Any:
        """Return the samples with the features that are kept; all values are checked."""
        self._validate_samples(X)
        return super().transform(X)

    def _get_support_mask(self) -> np.ndarray:
        """Return a mask of the features that are kept."""
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.selected_] = True
        return mask
