"""From a fitted classifier to a model file, and back.

`xnbflow fit` and studies write the same files, with a cross-validation in addition.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.data.dataset import DataSet
from xnbflow.data.samples import Labels
from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.trained import describe_fit


def save_model(estimator: BaseEstimator, path: str | Path, X: pd.DataFrame, y: Labels) -> None:
    """Write a fitted classifier to a ``.skops`` file, which `xnbflow predict` and `explain` read.

    Beside the classifier the file has what its use needs: the names of the features, quartiles and
    distribution of the training samples, which recognise an atypical sample, and the selected
    features of each class. It has no cross-validated figures.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier, or a pipeline that ends with one. Of a search over parameters, such as
        `GridSearchCV`, the file has the best estimator.
    path : path
        The file to write; missing folders are created.
    X : DataFrame of shape (n_samples, n_features)
        The training samples, with the names of the features. The index has the names of the
        samples.
    y : array-like of shape (n_samples,)
        The classes of the training samples.

    Raises
    ------
    InputError
        If X has no names of features, y has other classes than the classifier, or skops cannot
        store an object of the estimator.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from xnbflow import ClassSpecificNBCV
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ClassSpecificNBCV().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/iris.skops", X, y)
    ...     again = load_model(f"{folder}/iris.skops")
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    check_is_fitted(estimator)
    estimator = getattr(estimator, "best_estimator_", estimator)
    if not isinstance(X, pd.DataFrame):
        msg = (
            f"X is of type {type(X).__name__}, without names of features; fit the classifier to a "
            "DataFrame, and give it here: save_model(estimator, path, X, y)"
        )
        raise InputError(msg)
    labels = np.asarray(y)
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        msg = f"{type(estimator).__name__} has no classes_; give a fitted classifier"
        raise InputError(msg)
    if len(labels) != len(X) or set(labels.tolist()) != set(np.asarray(classes).tolist()):
        msg = (
            f"y has {len(labels)} labels of the classes {listed(sorted(set(map(str, labels))))}, "
            f"X has {len(X)} samples and the classifier the classes {listed(map(str, classes))}; "
            "give the samples and labels of the fit"
        )
        raise InputError(msg)
    series = DataSet(
        Path(path).stem,
        X.to_numpy(dtype=float).T,
        X.columns.astype(str),
        X.index.astype(str),
        labels.astype(str),
        missing=bool(X.isna().any(axis=None)),
    )
    kind = type(estimator)
    entry = {"method": f"{kind.__module__}.{kind.__qualname__}"}
    model = describe_fit(estimator, X, series, entry=entry)
    write_model(model, path)


def load_model(path: str | Path, trust: Iterable[str] = ()) -> BaseEstimator:
    """Return the fitted classifier of a model file; the inverse of `save_model`.

    Parameters
    ----------
    path : path
        A ``.skops`` file of `save_model`, `xnbflow fit` or a study.
    trust : iterable of str
        Full names of further types that the file may be made of, such as
        ``"mypackage.MyTransformer"``.

    Returns
    -------
    estimator
        The classifier or pipeline. `xnbflow.models.read_model` returns what else the file has.

    Raises
    ------
    InputError
        If the file cannot be read, is not a model, or has objects of a type that is not trusted.

    Examples
    --------
    See `save_model`.
    """
    return read_model(path, trust).estimator
