"""Permutation test of a whole pipeline: whether permuted labels are predicted as well.

Everything that a fit does is repeated on permuted labels, in a cross-validation of its own.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from xnbflow.data.counts import counted
from xnbflow.data.dataset import KINDS, DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.seeds import derive_seed
from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.fitting import fit_grouped, impute_within, imputes
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.evaluation.metrics import class_metrics

__all__ = ["permutation_scores", "permutation_table", "permuted"]


def permutation_scores(
    series: DataSet, entry: Mapping[str, Any], *, n_permutations: int = 200, n_splits: int = 5
) -> pd.DataFrame:
    """Cross-validate a classifier on the true labels and on permuted ones.

    Labels are permuted as `permuted` says; folds are drawn anew and stratified by the permuted
    labels each time, and no group is on both sides of one. The result has ``permutation`` (0 is the
    true labels), ``accuracy`` and ``balanced_accuracy`` of the predictions of all folds together,
    from ``n_splits * (n_permutations + 1)`` fits. It is an `InputError` if there is no permutation
    or a single class, or folds cannot be drawn.
    """
    if n_permutations < 1:
        msg = f"n_permutations is {n_permutations}; use 1 or more"
        raise InputError(msg)
    if len(series.classes) < 2:
        msg = f"{series.name} has one class only; there is nothing to permute"
        raise InputError(msg)
    columns = {kind: np.flatnonzero(series.kinds == kind) for kind in KINDS}
    estimator = build_estimator(entry, columns, derive_seed(series.name, 0, "classifier"))
    rows = []
    for permutation in range(n_permutations + 1):
        seed = derive_seed(series.name, permutation, "permutation")
        labels = series.labels
        with warnings.catch_warnings():
            if permutation:
                labels = permuted(labels, series.groups, np.random.default_rng(seed))
                warnings.simplefilter("ignore")
            predicted = _cross_validate(estimator, series, labels, n_splits, seed)
        balanced = class_metrics(labels, predicted, None, series.classes)["balanced_accuracy"]
        rows.append((permutation, float(np.mean(predicted == labels)), balanced))
    return pd.DataFrame(rows, columns=["permutation", "accuracy", "balanced_accuracy"])


def permutation_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Return how the true labels' scores lie among those of permuted ones.

    ``scores`` are those of `permutation_scores`, the columns those of the table ``permutation`` of
    `xnbflow.data.contract.PERMUTATION_TABLES`. The true labels count as one permutation of
    themselves.

    M. Ojala and G. C. Garriga, "Permutation tests for studying classifier performance", Journal of
    Machine Learning Research 11 (2010), 1833-1863, Test 1; B. Phipson and G. K. Smyth,
    "Permutation p-values should never be zero", Statistical Applications in Genetics and Molecular
    Biology 9 (2010), 39.
    """
    metrics = scores.set_index("permutation")
    observed, null = metrics.loc[0], metrics.drop(index=0)
    # shares of the same number of samples: equal ones differ by rounding at most
    at_least = (null >= observed - 1e-12).sum()
    table = pd.DataFrame(
        {
            "observed": observed,
            "permutations": len(null),
            "null_mean": null.mean(),
            "null_sd": null.std(),
            "null_95": null.quantile(0.95),
            "at_least": at_least,
            "p_value": (at_least + 1) / (len(null) + 1),
            "permuted": "",
        }
    )
    return table.rename_axis("metric").reset_index()


def permuted(labels: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Return labels in random order, as far as groups leave them exchangeable.

    Where some of the groups, of shape (n_samples,) as the labels, has several labels (tumour and
    normal tissue of a patient), labels are exchanged within groups only; where none has (samples of
    a patient who has one diagnosis), whole groups exchange their label.
    """
    if groups is None:
        return rng.permutation(labels)
    first, of = np.unique(groups, return_index=True, return_inverse=True)[1:]
    if (labels[first][of] == labels).all():
        return rng.permutation(labels[first])[of]
    order = np.lexsort((rng.random(len(labels)), of))
    found = np.empty_like(labels)
    found[np.argsort(of, kind="stable")] = labels[order]
    return found


def _cross_validate(
    estimator: BaseEstimator, series: DataSet, labels: np.ndarray, n_splits: int, seed: int
) -> np.ndarray:
    """Return the label that is predicted for each sample by a model that has not seen it."""
    groups = series.groups
    if groups is not None and (n := len(np.unique(groups))) < n_splits:
        msg = f"{series.name}: {counted(n, 'group')} are fewer than the folds; use fewer"
        raise InputError(msg)
    try:
        splits = stratified_splits(labels, groups, n_splits, seed)
    except ValueError as error:
        msg = f"{series.name}: {n_splits} folds cannot be drawn ({error}); use fewer"
        raise InputError(msg) from error
    predicted = np.empty_like(labels)
    for training, test in splits:
        model, X, tested = clone(estimator), series.frame(training), series.frame(test)
        if series.missing and not imputes(model):
            X, tested = impute_within(X, tested)
        fit_grouped(model, X, labels[training], None if groups is None else groups[training])
        predicted[test] = model.predict(tested)
    return predicted
