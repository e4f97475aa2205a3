"""The base classes of estimators, which check parameters, samples and targets.

`Estimator` learns from labels or targets; `UnsupervisedTransformer` learns from samples alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.core.parameters import Declared
from xnbflow.data.columns import (
    name_bad_value,
    refuse_beyond_squares,
    refuse_repeated_names,
)
from xnbflow.data.labels import refuse_missing, refuse_transposed
from xnbflow.data.samples import Labels, SamplesLike, named_samples, plain_labels


class Estimator(Declared):
    """Base class of classifiers, regressors and transformers.

    `fit` begins with ``self._validate_training(X, y)``, every other method with
    ``self._validate_samples(X)``.
    """

    n_features_in_: int

    #: Whether the estimator squares its features, so that the squares must not overflow.
    _squares_features = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _validate_training(
        self, X: SamplesLike, y: Labels, **checks: Any
    ) -> tuple[Any, np.ndarray]:
        """Return training samples and their targets as arrays; check the parameters first.

        ``checks`` are further arguments of scikit-learn's `check_X_y`. Raises an `InputError` if a
        parameter is not as declared, columns share a name, a value is not a finite number or its
        square is out of range, or a label is missing.
        """
        self._validate_params()
        refuse_repeated_names(X)
        y = plain_labels(y, X)
        refuse_missing(y)
        table, names = named_samples(X)
        refuse_transposed(table, y)
        if names is not None and not issparse(table):
            table = pd.DataFrame(table, columns=names)
        checks = {"dtype": np.float64, **checks}

        # Scikit-learn's check of the names of a DataFrame takes half a second for the 54,675
        # columns of a microarray. Names that are plainly valid are therefore set here, and only
        # the values are checked by scikit-learn.
        plain_names = _plain_names(table)
        is_plain = plain_names is not None and y is not None
        with refuse_bad_values(self, table):
            if is_plain:
                samples, targets = check_X_y(table.to_numpy(), y, estimator=self, **checks)
            else:
                samples, targets = validate_data(self, table, y, reset=True, **checks)

        if self._squares_features:
            refuse_beyond_squares(samples, getattr(table, "columns", None))
            if targets.dtype.kind == "f":
                refuse_beyond_squares(targets.reshape(-1, 1), ["y"])
        if is_plain:
            _set_names(self, plain_names)
        return samples, targets

    def _validate_samples(self, X: SamplesLike, **checks: Any) -> Any:
        """Return samples for the fitted estimator as an array, (n_samples, n_features).

        ``checks`` are further arguments of scikit-learn's `check_array`. Raises an `InputError` if
        a value is not a finite number, or X has other features than the training data.
        """
        check_is_fitted(self)
        table, names = named_samples(X)
        if names is not None and hasattr(self, "feature_names_in_") and not issparse(table):
            table = self._select_features(table, names)
        # XNB may be fitted to no feature at all, where its selector has chosen none.
        fewest_features = min(1, self.n_features_in_)
        checks = {"dtype": np.float64, "ensure_min_features": fewest_features, **checks}
        with refuse_bad_values(self, table):
            if not _has_names_of_fit(self, table):
                return validate_data(self, table, reset=False, **checks)
            # A DataFrame has the names of `fit`: only the values are checked.
            return check_array(table.to_numpy(), estimator=self, input_name="X", **checks)

    def _select_features(self, X: np.ndarray, names: np.ndarray) -> pd.DataFrame:
        """Return the features of `fit` by their names, as a DataFrame.

        X is an array; it may have further features, in another order.
        """
        fitted_names = self.feature_names_in_
        positions = pd.Index(names).get_indexer(fitted_names)
        absent = fitted_names[positions < 0]
        if len(absent):
            msg = (
                f"X lacks {counted(len(absent), 'feature')} that {type(self).__name__} was fitted "
                f"on: {listed(absent)}"
            )
            raise InputError(msg)
        if not np.array_equal(fitted_names, names):
            X = X[:, positions]
        return pd.DataFrame(X, columns=fitted_names)


class UnsupervisedTransformer(TransformerMixin, Declared):
    """Base class of unsupervised transformers, which may accept missing values."""

    _allows_missing = True

    def fit(self, X: SamplesLike, y: object = None) -> Self:  # noqa: ARG002
        """Learn from the training samples; labels are ignored."""
        self._validate_params()
        self._learn(self._check_samples(X, reset=True))
        return self

    def transform(self, X: SamplesLike) -> np.ndarray:
        """Return the transformed samples, feature-major as classifiers expect them."""
        check_is_fitted(self)
        return np.asfortranarray(self._transform_values(self._check_samples(X, reset=False)))

    def _learn(self, X: np.ndarray) -> None:
        """Learn from the training samples; by default nothing."""

    def _transform_values(self, X: np.ndarray) -> np.ndarray:
        """Return the transformed samples, in any memory layout."""
        raise NotImplementedError

    def _check_samples(self, X: SamplesLike, *, reset: bool) -> np.ndarray:
        """Return samples as an array; in `fit`, with ``reset``, set the names of its features."""
        finite = "allow-nan" if self._allows_missing else True
        checks: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": finite}
        # As in `Estimator`: names that are plainly valid are not checked again by scikit-learn.
        plain_names = _plain_names(X)
        with refuse_bad_values(self, X):
            if plain_names is None or not (reset or _has_names_of_fit(self, X)):
                return validate_data(self, X, reset=reset, **checks)
            if reset:
                _set_names(self, plain_names)
            return check_array(np.asarray(X), estimator=self, input_name="X", **checks)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing
        return tags


@contextmanager
def refuse_bad_values(estimator: Any, X: Any) -> Iterator[None]:
    """Raise scikit-learn's refusal of samples as an `InputError` that names column and sample.

    A TypeError, for values that are not numbers, remains one, as in scikit-learn.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        name_bad_value(X, error)
        if isinstance(error, TypeError):
            raise
        message = str(error).rstrip(".")
        if "is expecting" in message and hasattr(estimator, "feature_names_in_"):
            message += "; these are its feature_names_in_, in this order"
        raise InputError(message) from error


def _set_names(estimator: Any, names: np.ndarray | None) -> None:
    """Set the names of the features of `fit`, if there are any, and their number."""
    if names is not None:
        estimator.feature_names_in_ = names
        estimator.n_features_in_ = len(names)


def _has_names_of_fit(estimator: Any, X: Any) -> bool:
    """Return whether X is a plain DataFrame with the names of the features of `fit`, in order."""
    names = _plain_names(X)
    fitted_names = getattr(estimator, "feature_names_in_", ())
    return names is not None and np.array_equal(names, fitted_names)


def _plain_names(X: Any) -> np.ndarray | None:
    """Return the column names of X if it is a plain DataFrame, otherwise None.

    Plain are columns of NumPy's numbers and truth values, with names that are all strings.
    """
    if (
        isinstance(X, pd.DataFrame)
        and X.columns.inferred_type in ("string", "empty")
        and all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in X.dtypes.unique())
    ):
        return np.asarray(X.columns, dtype=object)
    return None
