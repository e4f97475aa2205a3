"""Which features differ between the classes: each class against the rest, feature by feature."""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from xnbflow.data.dataset import row_slices
from xnbflow.diagnostics.features import class_codes, feature_rows

__all__ = ["class_areas"]


def class_areas(X: np.ndarray | pd.DataFrame, y: np.ndarray) -> np.ndarray:
    """Return the area under the ROC curve of each feature, each class against the rest.

    It is the share of pairs of a sample of the class and another one in which the former has the
    larger value, ties as one half: Mann and Whitney's U over the number of pairs. 1 or 0 means that
    the feature separates the class perfectly.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The transpose of a feature-major array costs no copy. Missing values (NaN) are left out.
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_classes, n_features)
        One row per class, in the order of ``np.unique(y)``; NaN where all values of a class, or of
        all others, are missing.

    Raises
    ------
    InputError
        If y does not have one label per sample.

    References
    ----------
    Hanley J. A., McNeil B. J. (1982), Radiology 143, 29-36.

    Examples
    --------
    >>> X = np.array([[1.0, 3.0], [2.0, 3.0], [5.0, 3.0], [6.0, 9.0]])
    >>> class_areas(X, np.array(["a", "a", "b", "b"]))
    array([[0.  , 0.25],
           [1.  , 0.75]])
    """
    features = feature_rows(X)
    classes, codes = class_codes(y, features.shape[1])
    member = np.eye(len(classes))[codes]
    areas = np.empty((len(classes), len(features)))
    for rows in row_slices(features.shape, 200_000):  # ranks stay in a core's cache
        ranks = rankdata(features[rows], axis=1, nan_policy="omit")
        known = ~np.isnan(ranks)
        inside = known @ member
        outside = known.sum(axis=1, keepdims=True) - inside
        wins = np.nan_to_num(ranks) @ member - inside * (inside + 1) / 2
        pairs = inside * outside
        areas[:, rows] = np.divide(wins, pairs, out=np.full_like(wins, np.nan), where=pairs > 0).T
    return areas
