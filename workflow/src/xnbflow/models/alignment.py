"""Samples of a table as input of a model: columns by name, and the treatment of missing values."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.core.errors import InputError, require_choice
from xnbflow.core.nouns import counted, either, listed, noun
from xnbflow.evaluation.fitting import imputes
from xnbflow.models.pipelines import explainer, is_relative, takes_counts, takes_features_apart
from xnbflow.models.trained import TrainedModel
from xnbflow.naive_bayes.independent import IndependentNB

#: Choices for a feature that the model uses and the table lacks.
MISSING = ("auto", "error", "impute", "drop")

#: A gene with fewer reads than this is hardly expressed: the least count of edgeR's filterByExpr.
_FEW_READS = 10.0
#: Largest share of the reads that genes without reads in new samples have in training.
_MOST_READS = 0.01


@dataclass(frozen=True)
class AlignedSamples:
    """Samples as input of a model.

    Attributes
    ----------
    frame : DataFrame of shape (n_samples, n_features)
        The model's columns in order. Missing values are training medians, unless the model fills
        them in by itself, or leaves out what it has not and is a classifier of decorrelated values.
    lacking : ndarray of bool, shape (n_samples, n_used)
        Where a value of a used feature is missing in the table.
    """

    frame: pd.DataFrame
    lacking: np.ndarray


def align(model: TrainedModel, X: pd.DataFrame, missing: str) -> AlignedSamples:
    """Return samples as input of the model; see `xnbflow.models.predict_table` for parameters.

    Raises
    ------
    InputError
        If there is no sample, if a feature is missing (and ``missing`` is "error"), named twice or
        has a cell that is not a finite number.
    """
    missing = resolve_missing(model, missing)
    if not len(X):
        msg = "the table has no samples; give at least one"
        raise InputError(msg)
    repeated = X.columns[X.columns.duplicated()]
    if len(repeated):
        msg = (
            f"the table has {counted(len(repeated), 'repeated column')}, {str(repeated[0])!r} for "
            "one; a feature is named once"
        )
        raise InputError(msg)

    # The column of each feature of the model, -1 where the table has none.
    columns = X.columns.astype(str).get_indexer(model.features)
    has_no_column = columns[model.used] < 0
    if has_no_column.all():
        _refuse_other_names(model, X)
    has_no_reads = _are_without_reads(model, has_no_column)
    absent = model.required[has_no_column & ~has_no_reads]
    if len(absent) and missing == "error":
        n_used = len(model.used)
        msg = (
            f"the table lacks {len(absent)} of the model's {n_used} {noun(n_used, 'feature')}: "
            f"{listed(absent)}; add them, or {_remedy(model)}"
        )
        raise InputError(msg)

    # The values, and which of them are missing.
    values = np.full((len(X), len(model.features)), np.nan)
    present = model.used[~has_no_column]
    values[:, present] = _read_numbers(X, columns[present])
    values[:, model.used[has_no_reads]] = 0.0
    lacking = np.isnan(values[:, model.used])
    fills_in = imputes(model.estimator)
    if missing == "error" and not fills_in and lacking.any():
        _refuse_gaps(model, X, lacking)

    # A classifier of decorrelated values estimates what missing ones have in common with others.
    estimates = missing == "drop" and hasattr(model.estimator, "decorrelated_")
    if not estimates and (missing == "drop" or not fills_in):
        medians = model.quartiles[1]
        values = np.where(np.isnan(values), medians, values)
    frame = pd.DataFrame(values, index=X.index, columns=model.features)
    return AlignedSamples(frame, lacking)


def _refuse_other_names(model: TrainedModel, X: pd.DataFrame) -> None:
    """Refuse a table that has none of the features of a model."""
    names = list(map(str, model.required))
    msg = (
        f"the table has none of the model's {len(names)} {noun(len(names), 'feature')}, "
        f"{listed(names)}; its features need the names of the training data, such as symbols, or "
        "identifiers of the same kind, and samples are rows"
    )
    # A table whose header has no feature was read with samples in columns.
    spellings = {str(name).casefold(): str(name) for name in [*X.columns, *X.index]}
    other_case = [name for name in names if name.casefold() in spellings]
    if other_case:
        first = other_case[0]
        msg += (
            f". {counted(len(other_case), 'name')} of the table "
            f"{either(len(other_case), 'differs', 'differ')} in capital letters only "
            f"({spellings[first.casefold()]!r} for {first!r}): symbols of another species, or "
            "renamed ones; write them as in the training data"
        )
    raise InputError(msg)


def _refuse_gaps(model: TrainedModel, X: pd.DataFrame, lacking: np.ndarray) -> None:
    """Refuse missing values of used features, where ``lacking`` (n_samples, n_used) is True."""
    n_missing = int(lacking.sum())
    row, column = np.argwhere(lacking)[0]
    msg = (
        f"sample {X.index[row]!r} has no value of {str(model.required[column])!r} "
        f"({counted(n_missing, 'value')} of features that the model uses "
        f"{either(n_missing, 'is', 'are')} missing); fill them in, or {_remedy(model)}"
    )
    raise InputError(msg)


def _are_without_reads(model: TrainedModel, has_no_column: np.ndarray) -> np.ndarray:
    """Return which features that a table lacks are genes without reads, (n_used,).

    Tables of counts lack the genes of which no sample has a read. In training a quarter of the
    samples or more had none of them, or three quarters had few; all together they had hardly any of
    the reads. A gene that another annotation lacks has more.
    """
    if not takes_counts(model.estimator):
        return np.zeros(len(model.used), dtype=bool)
    low, _, high = model.quartiles[:, model.used]
    are_rare = has_no_column & ((low == 0) | (high < _FEW_READS))
    if high[are_rare].sum() > _MOST_READS * high.sum():
        return np.zeros(len(model.used), dtype=bool)
    return np.asarray(are_rare)


def _remedy(model: TrainedModel) -> str:
    """Return what a user can do where values are missing, by the options of the command."""
    remedy = "replace them by the training medians (--missing impute)"
    if can_drop(model.estimator):
        remedy += ", or leave out their evidence (--missing drop)"
    return remedy


def resolve_missing(model: TrainedModel, missing: str) -> str:
    """Return the treatment of missing values, with "auto" resolved; see `predict_table`."""
    require_choice("missing", missing, MISSING)
    if missing != "auto":
        return missing
    return "drop" if can_drop(model.estimator) and not imputes(model.estimator) else "error"


def can_drop(estimator: BaseEstimator) -> bool:
    """Return whether a classifier can leave the evidence of features out, see `predict_table`.

    This needs classes that stay comparable: all use the same features, or features are relative to
    a common reference. Earlier steps of a pipeline must transform each feature by itself.
    """
    last = explainer(estimator)
    comparable = isinstance(last, IndependentNB) or (last is not None and is_relative(last))
    return comparable and takes_features_apart(estimator)


def _read_numbers(X: pd.DataFrame, columns: np.ndarray) -> np.ndarray:
    """Return the cells of some columns, by position, as numbers; refuse text and infinity."""
    try:
        values = X.iloc[:, columns].to_numpy(dtype=float)
    except (TypeError, ValueError) as error:
        msg = f"a cell of the table is not a number ({error}); correct it"
        raise InputError(msg) from error
    infinite = np.argwhere(np.isinf(values))
    if len(infinite):
        row, column = infinite[0]
        msg = (
            f"sample {X.index[row]!r}: {X.columns[columns[column]]!r} is {values[row, column]} "
            f"({counted(len(infinite), 'value', 'is', 'are')} infinite); correct them"
        )
        raise InputError(msg)
    return values
