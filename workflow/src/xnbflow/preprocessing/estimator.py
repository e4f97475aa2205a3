"""The base of every estimator here: parameters, samples and targets are checked in one place."""

from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from xnbflow.data.columns import (
    name_bad_value,
    refuse_beyond_squares,
    refuse_repeated_names,
    refuse_sparse_beyond_squares,
)
from xnbflow.data.errors import InputError
from xnbflow.data.labels import refuse_missing
from xnbflow.data.parameters import Declared

__all__ = ["Estimator", "Unlabelled"]

_NO_Y = "no_validation"


class Estimator(Declared):
    """Base class of classifiers, regressors and transformers.

    `fit` begins with ``self._validated(X, y)`` and every other method with ``self._validated(X)``.
    """

    n_features_in_: int

    #: Whether the estimator squares its features, so that only the squares' range can be used.
    _squares_features = True

    #: Whether X may be sparse, compressed by row or by column. It stays as it is then.
    _takes_sparse = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.target_tags.required = True
        return tags

    def _validated(
        self, X: np.ndarray | pd.DataFrame, y: np.ndarray | str = _NO_Y, **checks: Any
    ) -> Any:
        """Return X, and in `fit` also y, as arrays; in `fit` check the parameters first.

        ``checks`` are further arguments of scikit-learn's `check_X_y`. Raises an `InputError` if a
        parameter is not as declared, columns share a name, a value is no finite number or its
        square is out of range, or a label is missing.
        """
        fitting = y is not _NO_Y
        if fitting:
            self._validate_params()
            refuse_repeated_names(X)
            refuse_missing(y)
        else:
            check_is_fitted(self)
        least = 1 if fitting else min(1, self.n_features_in_)  # XNB may have selected nothing
        checks = {"dtype": np.float64, "ensure_min_features": least, **checks}
        if self._takes_sparse and issparse(X):
            checks |= {"accept_sparse": ("csr", "csc"), "dtype": (np.float64, np.float32)}
        # scikit-learn's own way takes half a second for the 54,675 columns of a microarray.
        names = _plain_names(X)
        plain = not (names is None or y is None) and (
            fitting or np.array_equal(names, getattr(self, "feature_names_in_", ()))
        )
        try:
            checked = self._converted(X, y, checks, plain=plain)
        except ValueError as error:
            name_bad_value(X, error)
            raise InputError(str(error)) from error
        if fitting and self._squares_features:
            sparse = issparse(checked[0])
            refuse = refuse_sparse_beyond_squares if sparse else refuse_beyond_squares
            refuse(checked[0], getattr(X, "columns", None))
            if checked[1].dtype.kind == "f":
                refuse_beyond_squares(checked[1].reshape(-1, 1), ["y"])
        if fitting and plain and names is not None:
            self.feature_names_in_, self.n_features_in_ = names, len(names)
        return checked

    def _converted(self, X: Any, y: Any, checks: dict[str, Any], *, plain: bool) -> Any:
        """Return arrays by scikit-learn's checks; sparse samples need no names to be known."""
        fitting = y is not _NO_Y
        if fitting and plain:
            return check_X_y(X.to_numpy(), y, estimator=self, **checks)
        if fitting or not (plain or "accept_sparse" in checks):
            return validate_data(self, X, y, reset=fitting, **checks)
        X = X.to_numpy() if plain else X
        checked = check_array(X, estimator=self, input_name="X", **checks)
        if checked.shape[1] != self.n_features_in_:
            msg = (
                f"X has {checked.shape[1]} features, but {type(self).__name__} is "
                f"expecting {self.n_features_in_} features as input"
            )
            raise InputError(msg)
        return checked


class Unlabelled(TransformerMixin, Declared):
    """Base class of transformers that look at no label and may accept missing values."""

    _allows_missing = True

    def fit(self, X: np.ndarray | pd.DataFrame, y: object = None) -> Self:  # noqa: ARG002
        """Learn from the training samples, whatever their labels."""
        self._validate_params()
        self._learn(self._checked(X, reset=True))
        return self

    def transform(self, X: np.ndarray | pd.DataFrame) -> np.ndarray:
        """Return the transformed samples, feature-major as classifiers expect them."""
        check_is_fitted(self)
        return np.asfortranarray(self._transformed(self._checked(X, reset=False)))

    def _learn(self, X: np.ndarray) -> None:
        """Learn nothing, unless a subclass does."""

    def _transformed(self, X: np.ndarray) -> np.ndarray:
        """Return the transformed samples, in any memory layout."""
        raise NotImplementedError

    def _checked(self, X: np.ndarray | pd.DataFrame, *, reset: bool) -> np.ndarray:
        finite = "allow-nan" if self._allows_missing else True
        return validate_data(self, X, dtype=np.float64, reset=reset, ensure_all_finite=finite)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing
        return tags


def _plain_names(X: np.ndarray | pd.DataFrame) -> np.ndarray | None:
    """Return the column names of a DataFrame of plain numbers whose names are all strings."""
    if (
        isinstance(X, pd.DataFrame)
        and X.columns.inferred_type in ("string", "empty")
        and all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in set(X.dtypes))
    ):
        return np.asarray(X.columns, dtype=object)
    return None
