"""The base class of all estimators: checks of parameters, samples and targets."""

from typing import Any, Self

import numpy as np
import pandas as pd
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
from xnbflow.data.labels import refuse_missing
from xnbflow.data.matrices import is_sparse
from xnbflow.data.samples import Labels, SamplesLike, named_samples, plain_labels

#: Value of ``y`` in methods other than `fit`, as in scikit-learn's `validate_data`.
_NO_Y = "no_validation"


class Estimator(Declared):
    """Base class of classifiers, regressors and transformers.

    `fit` begins with ``self._validated(X, y)`` and every other method with ``self._validated(X)``.
    """

    n_features_in_: int

    #: Whether the estimator squares its features, so that the squares must not overflow.
    _squares_features = True

    #: Whether X may be sparse, compressed by row or by column; the format is then preserved.
    _takes_sparse = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.target_tags.required = True
        return tags

    def _validated(self, X: SamplesLike, y: Labels = _NO_Y, **checks: Any) -> Any:
        """Return X, and in `fit` also y, as arrays; in `fit` check the parameters first.

        ``checks`` are further arguments of scikit-learn's `check_X_y`. Raises an `InputError` if a
        parameter is not as declared, columns share a name, a value is not a finite number or its
        square is out of range, or a label is missing.
        """
        fitting = y is not _NO_Y
        if fitting:
            self._validate_params()
            refuse_repeated_names(X)
            y = plain_labels(y, X)
            refuse_missing(y)
        else:
            check_is_fitted(self)
        X, sparse_names = self._read_samples(X, fitting=fitting)
        least = 1 if fitting else min(1, self.n_features_in_)  # XNB may have selected nothing
        checks = {"dtype": np.float64, "ensure_min_features": least, **checks}
        if is_sparse(X):
            checks |= {"accept_sparse": ("csr", "csc"), "dtype": (np.float64, np.float32)}
        # Names of plain DataFrames are checked here: scikit-learn's check takes half a second for
        # the 54,675 columns of a microarray.
        names = _plain_names(X)
        plain = names is not None and y is not None
        if names is not None and not fitting:
            plain = np.array_equal(names, _names_of_fit(self))
        try:
            checked = self._converted(X, y, checks, plain=plain)
        except (TypeError, ValueError) as error:
            name_bad_value(X, error)
            if isinstance(error, TypeError):
                raise  # scikit-learn's contract for values that are not numbers
            message = str(error).rstrip(".")
            if "is expecting" in message and hasattr(self, "feature_names_in_"):
                message += "; these are its feature_names_in_, in this order"
            raise InputError(message) from error
        if fitting and self._squares_features:
            refuse_beyond_squares(checked[0], getattr(X, "columns", None))
            if checked[1].dtype.kind == "f":
                refuse_beyond_squares(checked[1].reshape(-1, 1), ["y"])
        names = names if plain else sparse_names
        if fitting and names is not None:
            self.feature_names_in_ = names
            self.n_features_in_ = len(names)
        return checked

    def _read_samples(self, X: Any, *, fitting: bool) -> tuple[Any, np.ndarray | None]:
        """Return samples as an array, sparse array or DataFrame, and the names of sparse features.

        In `fit` all features of AnnData and of sparse tables are used. Other methods select the
        features of `fit` by their names; X may have further ones.
        """
        X, names = named_samples(X)
        fitted_names = names if fitting else getattr(self, "feature_names_in_", None)
        if is_sparse(X) and not self._takes_sparse:
            msg = (
                f"{type(self).__name__} takes no sparse samples; make them dense (X.toarray(), or "
                "X.sparse.to_dense() of a DataFrame), or use ClassSpecificNB, which takes them"
            )
            raise InputError(msg)
        if names is None or fitted_names is None:
            return X, None
        # X may have further features, and its features in another order, than the training data.
        positions = pd.Index(names).get_indexer(fitted_names)
        absent = fitted_names[positions < 0]
        if len(absent):
            msg = (
                f"X lacks {counted(len(absent), 'feature')} that {type(self).__name__} was fitted "
                f"on: {listed(absent)}"
            )
            raise InputError(msg)
        sparse = is_sparse(X)
        if not np.array_equal(fitted_names, names):
            X = X.tocsc()[:, positions] if sparse else X[:, positions]
        if sparse:
            return X, fitted_names
        return pd.DataFrame(X, columns=fitted_names), None

    def _converted(self, X: Any, y: Any, checks: dict[str, Any], *, plain: bool) -> Any:
        """Return arrays after scikit-learn's checks, which ignore names of sparse samples.

        ``plain`` is whether X is a DataFrame whose names are those of `fit`, or new in `fit`.
        """
        fitting = y is not _NO_Y
        if fitting and plain:
            return check_X_y(X.to_numpy(), y, estimator=self, **checks)
        if fitting or not (plain or "accept_sparse" in checks):
            return validate_data(self, X, y, reset=fitting, **checks)
        if plain:
            X = X.to_numpy()
        checked = check_array(X, estimator=self, input_name="X", **checks)
        if checked.shape[1] != self.n_features_in_:
            msg = (
                f"X has {checked.shape[1]} features, but {type(self).__name__} is "
                f"expecting {self.n_features_in_} features as input"
            )
            raise InputError(msg)
        return checked


class Unlabelled(TransformerMixin, Declared):
    """Base class of unsupervised transformers, which may accept missing values."""

    _allows_missing = True

    def fit(self, X: SamplesLike, y: object = None) -> Self:  # noqa: ARG002
        """Learn from the training samples; labels are ignored."""
        self._validate_params()
        self._learn(self._checked(X, reset=True))
        return self

    def transform(self, X: SamplesLike) -> np.ndarray:
        """Return the transformed samples, feature-major as classifiers expect them."""
        check_is_fitted(self)
        return np.asfortranarray(self._transformed(self._checked(X, reset=False)))

    def _learn(self, X: np.ndarray) -> None:
        """Learn from the training samples; by default nothing."""

    def _transformed(self, X: np.ndarray) -> np.ndarray:
        """Return the transformed samples, in any memory layout."""
        raise NotImplementedError

    def _checked(self, X: SamplesLike, *, reset: bool) -> np.ndarray:
        finite = "allow-nan" if self._allows_missing else True
        # As in `Estimator`: scikit-learn looks at each column of a DataFrame.
        names = _plain_names(X)
        if names is None or not (reset or np.array_equal(names, _names_of_fit(self))):
            return validate_data(self, X, dtype=np.float64, reset=reset, ensure_all_finite=finite)
        if reset:
            self.feature_names_in_ = names
            self.n_features_in_ = len(names)
        values = np.asarray(X)
        return check_array(
            values, dtype=np.float64, ensure_all_finite=finite, estimator=self, input_name="X"
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing
        return tags


def _names_of_fit(estimator: Any) -> Any:
    """Return the names of the features of `fit`; none where they had no names."""
    return getattr(estimator, "feature_names_in_", ())


def _plain_names(X: Any) -> np.ndarray | None:
    """Return the column names of a DataFrame of plain numbers whose names are all strings."""
    if (
        isinstance(X, pd.DataFrame)
        and X.columns.inferred_type in ("string", "empty")
        and all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in X.dtypes.unique())
    ):
        return np.asarray(X.columns, dtype=object)
    return None
