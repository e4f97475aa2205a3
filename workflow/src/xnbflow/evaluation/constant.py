"""Features that are selected only because a class is (almost) constant in them."""

import numpy as np
import pandas as pd

__all__ = ["nearly_constant", "only_constant"]

#: A class is nearly constant in a feature if so many of its values are equal,
_EQUAL_SHARE = 0.9
#: or if its standard deviation is at most this share of that over all samples.
_SPREAD_SHARE = 0.01


def nearly_constant(features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which classes are (almost) constant in which features.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
    labels : ndarray of str, shape (n_samples,)
        Class of each sample.

    Returns
    -------
    classes : ndarray of str, shape (n_classes,)
    constant : ndarray of bool, shape (n_features, n_classes)
        At least 0.9 of the class's values are equal, as all are of a class of one sample, or its
        standard deviation is at most 0.01 of that over all samples.

    Examples
    --------
    >>> features = np.array([[0.0, 0.0, 0.0, 2.0, 5.0, 9.0], [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]])
    >>> nearly_constant(features, np.array(["a", "a", "a", "b", "b", "b"]))[1]
    array([[ True, False],
           [False, False]])
    """
    classes, codes = np.unique(labels, return_inverse=True)
    constant = np.empty((len(features), len(classes)), dtype=bool)
    overall = features.std(axis=1)
    for code in range(len(classes)):
        values = np.sort(features[:, codes == code], axis=1)
        n_equal = int(np.ceil(_EQUAL_SHARE * values.shape[1]))
        equal = (values[:, n_equal - 1 :] == values[:, : values.shape[1] - n_equal + 1]).any(axis=1)
        constant[:, code] = equal | (values.std(axis=1) <= _SPREAD_SHARE * overall)
    return classes, constant


def only_constant(
    selected: pd.DataFrame,
    distances: pd.DataFrame | None,
    features: np.ndarray,
    labels: np.ndarray,
) -> np.ndarray:
    """Return which selected features are there only because a class is (almost) constant.

    Parameters
    ----------
    selected : DataFrame
        ``class`` and ``feature``, one row per feature of a class.
    distances : DataFrame or None
        ``class``, ``feature``, ``other_class``, ``distance``, if the classifier tells them.
    features : ndarray of shape (n_selected, n_samples)
        Training values of the feature of each row of ``selected``.
    labels : ndarray of str, shape (n_samples,)

    Returns
    -------
    ndarray of bool, shape (n_selected,)
        True if the class for which it is selected is nearly constant in it; or if the other class
        at the greatest distance is, and the distance to no class that is not reaches half of
        that. Without distances, if the other of two classes is.
    """
    classes, constant = nearly_constant(features, labels)
    by_pair = {} if distances is None else dict(iter(distances.groupby(["class", "feature"])))
    marks = np.zeros(len(selected), dtype=bool)
    for row in np.flatnonzero(constant.any(axis=1)):
        key = tuple(selected[["class", "feature"]].iloc[row])
        fixed = set(classes[constant[row]])
        told = _far_only_if_constant(by_pair[key], fixed) if key in by_pair else len(classes) == 2
        marks[row] = key[0] in fixed or told
    return marks


def _far_only_if_constant(pairs: pd.DataFrame, fixed: set[str]) -> bool:
    """Return whether the farthest class is constant and all that are not are near."""
    farthest = pairs.loc[pairs["distance"].idxmax()]
    sound = pairs.loc[~pairs["other_class"].isin(fixed), "distance"].max()
    return farthest["other_class"] in fixed and not 2 * sound >= farthest["distance"]
