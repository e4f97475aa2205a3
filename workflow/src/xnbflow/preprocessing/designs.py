"""Steps for designs: features adjusted for columns of the samples, or centred within patients."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from xnbflow.core.entries import list_of, text
from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.core.parameters import Configured, Declared, ListOf
from xnbflow.core.terms import column_of_term
from xnbflow.data.class_design import class_designs
from xnbflow.data.samples import Labels, plain_labels


class OfSamples(TransformerMixin, Declared):
    """Base class of transformers that read columns of the samples, which are not features.

    X is a DataFrame with the features and the ``sample_columns``, in any order. The result does not
    contain these columns, so such steps come before all others. ``example_`` has a valid cell for
    each column, which is not that of a training sample.
    """

    sample_columns: list[str]
    example_: dict[str, Any]

    def fit(self, X: pd.DataFrame, y: Labels) -> Self:
        """Learn from the training samples and their classes."""
        self._validate_params()
        features, cells = self._split_columns(X)
        self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        self.n_features_in_ = X.shape[1]
        codes = np.unique(plain_labels(y, X), return_inverse=True)[1]
        self._learn(features, cells, codes)
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        """Return the transformed features, (n_samples, n_features), feature-major."""
        check_is_fitted(self)
        features, cells = self._split_columns(X, self.get_feature_names_out())
        return np.asfortranarray(self._transform_values(features, cells))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Return the names of the features."""
        names = pd.Index(self.feature_names_in_)
        return np.asarray(names.drop(self.sample_columns), dtype=object)

    def _split_columns(
        self, X: pd.DataFrame, features: np.ndarray | None = None
    ) -> tuple[np.ndarray, pd.DataFrame]:
        """Return the values of the features and the sample columns.

        ``features`` are the names of the features of `fit`, which X may have in another order; in
        `fit` itself None.
        """
        names = self.sample_columns
        step = type(self).__name__
        columns = X.columns if isinstance(X, pd.DataFrame) else []
        if absent := [name for name in names if name not in columns]:
            msg = f"{step} needs the column {absent[0]!r} of the samples, which the table lacks"
            raise InputError(f"{msg}; add it (the step is the first of its pipeline)")
        cells = X[names]
        empty = cells.isna() | (cells == "")
        if empty.to_numpy().any():
            sample = X.index[empty.any(axis=1)][0]
            msg = f"{step}: sample {sample!r} has no value of {listed(cells.columns[empty.any()])}"
            raise InputError(f"{msg}; fill it in, or leave the sample out")
        values = X.drop(columns=names)
        if features is not None and not np.array_equal(values.columns, features):
            if absent := [name for name in features if name not in values]:
                raise InputError(f"X lacks features that {step} was fitted on: {listed(absent)}")
            values = values[features]
        return check_array(values, dtype=np.float64, estimator=self), cells


class CovariateAdjuster(OfSamples):
    """Subtract the effects of columns of the samples, estimated within the classes.

    A linear model of the training samples has the classes and the columns. The effect of the
    columns, relative to their means, is subtracted. For new samples this needs no classes. A
    category that is not in the training samples is refused.

    The model is additive: a column has the same effect in every class and at every level. Where a
    batch has nearly one class, the effect is estimated from few samples, and its error is
    subtracted from all samples of a batch alike. Tests on such values exaggerate their confidence
    (Nygaard and others 2016): test genes with the key ``adjust``, and classify in folds that fit
    this step on their training samples, as a study does.

    Parameters
    ----------
    columns : list of str
        Names of columns. A column has numbers if all cells are numbers; ``factor(plate)`` always
        has categories.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_columns, n_features)
    means_ : ndarray of shape (n_columns,)
    levels_ : dict of str to list of str
        The categories of each column; an empty list for a column of numbers.

    References
    ----------
    V. Nygaard, E. A. Rødland, E. Hovig, Biostatistics 17 (2016), 29-39.

    See Also
    --------
    GroupCentrer : For patients with samples of several classes.

    Examples
    --------
    >>> X = pd.DataFrame({"g": [1.0, 3.0, 5.0, 7.0], "plate": ["p", "q", "p", "q"]})
    >>> CovariateAdjuster(columns=["plate"]).fit_transform(X, ["a", "a", "b", "b"]).tolist()
    [[2.0], [2.0], [6.0], [6.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "columns": [Configured(ListOf(str), list_of(text(), least=1))]
    }

    def __init__(self, *, columns: Sequence[str]) -> None:
        self.columns = columns

    @property
    def sample_columns(self) -> list[str]:  # type: ignore[override]
        """The names of the columns, without ``factor()``."""
        return [column_of_term(term) for term in self.columns]

    def _learn(self, features: np.ndarray, cells: pd.DataFrame, codes: np.ndarray) -> None:
        self.levels_ = {}
        self.example_ = {}
        covariates = {}
        for term, name in zip(self.columns, self.sample_columns, strict=True):
            numbers = _numbers(cells[name])
            is_factor = name != term
            if is_factor or not np.isfinite(numbers).all():
                texts = cells[name].astype(str)
                self.levels_[name] = sorted(set(texts))
                self.example_[name] = self.levels_[name][0]
                covariates[name] = texts.to_numpy(object)
            else:
                self.levels_[name] = []
                self.example_[name] = float(numbers.mean())
                covariates[name] = numbers
        # Refuses columns whose effect cannot be separated from that of the class.
        class_designs(codes, None, covariates)
        columns = self._design_columns(cells)
        self.means_ = columns.mean(axis=0)
        n_classes = codes.max() + 1
        in_class = np.eye(n_classes)[codes]
        design = np.hstack([in_class, columns - self.means_])
        self.coefficients_ = (np.linalg.pinv(design) @ features)[n_classes:]

    def _transform_values(self, features: np.ndarray, cells: pd.DataFrame) -> np.ndarray:
        return features - (self._design_columns(cells) - self.means_) @ self.coefficients_

    def _design_columns(self, cells: pd.DataFrame) -> np.ndarray:
        """Return numbers, and an indicator of each level but the first, (n_samples, n_columns)."""
        parts = []
        for name, levels in self.levels_.items():
            if levels:
                texts = cells[name].astype(str).to_numpy()
                codes = pd.Index(levels).get_indexer(texts)
                self._refuse_cells(cells[name], codes < 0, f"one of {listed(levels)}")
                parts.append(np.eye(len(levels))[codes][:, 1:])
            else:
                numbers = _numbers(cells[name])
                self._refuse_cells(cells[name], ~np.isfinite(numbers), "a number")
                parts.append(numbers[:, None])
        return np.hstack(parts) if parts else np.empty((len(cells), 0))

    def _refuse_cells(self, column: pd.Series, invalid: np.ndarray, expected: str) -> None:
        """Raise an `InputError` that names the first invalid cell of a column, if there is one."""
        if invalid.any():
            cell = str(column.astype(str).to_numpy()[invalid][0])
            msg = (
                f"{cell!r} in the column {column.name!r} is not {expected}, as the training "
                "samples have; leave the samples out"
            )
            raise InputError(msg)


class GroupCentrer(OfSamples):
    """Subtract from each feature its mean over the samples of the same patient.

    This is for paired series, and has no fitted parameters. A prediction needs all samples of a
    patient together, because their mean is subtracted. A patient with one sample is refused, and in
    training also a patient with samples of one class. The mean depends on the numbers of samples of
    each class; if these differ between patients, differences between classes shrink in some.

    Parameters
    ----------
    column : str
        Name of the column of patients.

    See Also
    --------
    CovariateAdjuster : For columns with an effect on all samples.

    Examples
    --------
    >>> X = pd.DataFrame({"g": [1.0, 3.0, 8.0, 6.0], "patient": ["p", "p", "q", "q"]})
    >>> GroupCentrer(column="patient").fit_transform(X, ["a", "b", "b", "a"]).tolist()
    [[-1.0], [1.0], [1.0], [-1.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"column": [str]}

    def __init__(self, *, column: str) -> None:
        self.column = column

    @property
    def sample_columns(self) -> list[str]:  # type: ignore[override]
        """The name of the column of patients."""
        return [self.column]

    def _learn(self, features: np.ndarray, cells: pd.DataFrame, codes: np.ndarray) -> None:
        self._transform_values(features, cells)  # refuses patients with one sample
        self.example_ = {self.column: "one patient"}
        classes = pd.Series(codes).groupby(cells[self.column].to_numpy()).nunique()
        if (classes < 2).any():
            msg = (
                f"GroupCentrer: {self.column} {classes.index[classes < 2][0]!r} has training "
                "samples of one class, so that centring removes the class; leave them out"
            )
            raise InputError(msg)

    def _transform_values(self, features: np.ndarray, cells: pd.DataFrame) -> np.ndarray:
        names, codes, counts = np.unique(
            cells[self.column].astype(str), return_inverse=True, return_counts=True
        )
        if (counts < 2).any():
            msg = (
                f"GroupCentrer: {self.column} {str(names[counts < 2][0])!r} has one sample, which "
                "cannot be centred; give all samples of a patient, or leave it out"
            )
            raise InputError(msg)
        in_group = np.eye(len(names))[codes]
        means = in_group.T @ features / counts[:, None]
        return features - in_group @ means


def _numbers(cells: pd.Series) -> np.ndarray:
    """Return cells as numbers; NaN where a cell is not a number."""
    return pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float)
