"""Which features a linear classifier that sets effects to 0 uses for each class."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid

__all__ = ["features_with_effect"]


def features_with_effect(model: BaseEstimator) -> np.ndarray | None:
    """Return which features have an effect in each class, for models made to set effects to 0.

    Parameters
    ----------
    model : estimator
        Fitted. Of nearest shrunken centroids a feature counts for a class whose centroid is not
        the overall one there; of a linear model with an l1 penalty, alone or one per class, where
        the coefficient is not 0.

    Returns
    -------
    ndarray of bool, shape (n_classes or 1, n_features), or None
        One row where two classes share the coefficients. None for any other model: it uses all.

    Examples
    --------
    >>> X, y = np.array([[0.0, 1.0], [1.0, 1.1], [5.0, 0.9], [6.0, 1.0]]), ["a", "a", "b", "b"]
    >>> features_with_effect(NearestCentroid(shrink_threshold=1.0).fit(X, y)).tolist()
    [[True, False], [True, False]]
    """
    if isinstance(model, NearestCentroid):
        return None if model.shrink_threshold is None else model.deviations_ != 0
    if isinstance(model, OneVsRestClassifier):
        parts = [features_with_effect(each) for each in model.estimators_]
        known = [part for part in parts if part is not None]
        return np.vstack(known) if len(known) == len(parts) else None
    return model.coef_ != 0 if _is_sparse(model) else None


def _is_sparse(model: BaseEstimator) -> bool:
    """Return whether a model is linear and has an l1 penalty."""
    params = model.get_params(deep=False)
    penalised = params.get("penalty") in ("l1", "elasticnet") or bool(params.get("l1_ratio"))
    return penalised and hasattr(model, "coef_")
