"""Permutation test of a whole pipeline: whether labels dealt at random are predicted as well.

Selection of features, bandwidths, everything that a fit does is repeated on permuted labels, in a
cross-validation of its own.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from xnbflow.data.counts import counted
from xnbflow.data.dataset import KINDS, DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.seeds import derive_seed
from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.fitting import fit_grouped, impute_within, imputes
from xnbflow.evaluation.metrics import class_metrics

__all__ = ["permutation_scores", "permutation_table", "permute_labels"]

#: What is compared; of the predictions of all folds together.
METRICS = ("accuracy", "balanced_accuracy")


def permutation_scores(
    series: DataSet,
    entry: Mapping[str, Any],
    *,
    n_permutations: int = 200,
    n_splits: int = 5,
    groups: np.ndarray | None = None,
) -> pd.DataFrame:
    """Cross-validate a classifier on the true labels and on permuted ones.

    Parameters
    ----------
    series : DataSet
        The data set.
    entry : mapping
        The classifier's configuration, see `xnbflow.evaluation.build.build_estimator`.
    n_permutations : int
        How often to permute.
    n_splits : int
        Folds, drawn anew and stratified by the permuted labels each time.
    groups : ndarray of shape (n_samples,), optional
        Say the patient of each sample; by default the series' own groups. No group is on both
        sides of a fold, and labels are permuted as `permute_labels` says.

    Returns
    -------
    DataFrame
        One row per permutation, with columns ``permutation`` (0 is the true labels),
        ``accuracy`` and ``balanced_accuracy`` of the predictions of all folds together. It costs
        ``n_splits * (n_permutations + 1)`` fits.

    Raises
    ------
    InputError
        If there is no permutation, no class has as many samples (or groups) as there are folds,
        the groups leave nothing to permute, or the entry makes no estimator.

    Warns
    -----
    UserWarning
        What fits on the true labels warn of; those on permuted labels are silent.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat(["a", "b"], 15)
    >>> values = rng.normal(size=(3, 30)) + 2 * (labels == "b")
    >>> series = DataSet("toy", values, list("xyz"), [f"s{i}" for i in range(30)], labels)
    >>> entry = {"method": "sklearn.naive_bayes.GaussianNB"}
    >>> scores = permutation_scores(series, entry, n_permutations=19)
    >>> float(permutation_table(scores).set_index("metric").loc["accuracy", "p_value"])
    0.05
    """
    if n_permutations < 1:
        msg = f"n_permutations is {n_permutations}; use 1 or more"
        raise InputError(msg)
    groups = series.groups if groups is None else groups
    groups = None if groups is None else _checked_groups(series, groups)
    columns = {kind: np.flatnonzero(series.kinds == kind) for kind in KINDS}
    estimator = build_estimator(entry, columns, derive_seed(series.name, 0, "classifier"))
    rows = []
    for permutation in range(n_permutations + 1):
        seed = derive_seed(series.name, permutation, "permutation")
        labels = series.labels
        if permutation:
            labels = permute_labels(series, groups, np.random.default_rng(seed))
        with warnings.catch_warnings():
            if permutation:
                warnings.simplefilter("ignore")
            predicted = _cross_validate(estimator, series, labels, n_splits, groups, seed)
        balanced = class_metrics(labels, predicted, None, series.classes)["balanced_accuracy"]
        rows.append((permutation, float(np.mean(predicted == labels)), balanced))
    return pd.DataFrame(rows, columns=["permutation", *METRICS])


def permutation_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Return how the true labels' scores lie among those of permuted ones.

    Parameters
    ----------
    scores : DataFrame
        As made by `permutation_scores`.

    Returns
    -------
    DataFrame
        One row per metric, with columns ``metric``, ``observed``, ``permutations``,
        ``null_mean``, ``null_sd``, ``null_95`` (what permuted labels reach in 5 % of the cases),
        ``at_least`` (permutations that reach what is observed) and ``p_value``: ``(at_least + 1) /
        (permutations + 1)``, the true labels being one permutation of themselves. With 200
        permutations the smallest possible is 0.005.

    References
    ----------
    M. Ojala and G. C. Garriga, "Permutation tests for studying classifier performance", Journal of
    Machine Learning Research 11 (2010), 1833-1863, Test 1; B. Phipson and G. K. Smyth,
    "Permutation p-values should never be zero", Statistical Applications in Genetics and Molecular
    Biology 9 (2010), 39.

    Examples
    --------
    >>> scores = pd.DataFrame({"permutation": range(4), "accuracy": [0.8, 0.5, 0.8, 0.6]})
    >>> scores["balanced_accuracy"] = scores["accuracy"]
    >>> permutation_table(scores)[["metric", "observed", "at_least", "p_value"]]
                  metric  observed  at_least  p_value
    0           accuracy       0.8         1      0.5
    1  balanced_accuracy       0.8         1      0.5
    """
    observed, null = scores[scores["permutation"] == 0], scores[scores["permutation"] > 0]
    rows = []
    for metric in METRICS:
        # shares of the same number of samples: equal ones differ by rounding at most
        value, reached = float(observed[metric].iloc[0]), null[metric].to_numpy()
        at_least = int(np.sum(reached >= value - 1e-12))
        rows.append(
            {
                "metric": metric,
                "observed": value,
                "permutations": len(null),
                "null_mean": float(reached.mean()),
                "null_sd": float(reached.std(ddof=1)) if len(null) > 1 else np.nan,
                "null_95": float(np.quantile(reached, 0.95)),
                "at_least": at_least,
                "p_value": (at_least + 1) / (len(null) + 1),
            }
        )
    return pd.DataFrame(rows)


def permute_labels(
    series: DataSet, groups: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    """Return the labels in random order, as far as groups leave them exchangeable.

    Parameters
    ----------
    series : DataSet
    groups : ndarray of shape (n_samples,) or None
        Without groups every order is as likely. Where some group has several labels (tumour and
        normal tissue of a patient), labels are exchanged within groups only; where none has,
        (samples of a patient who has one diagnosis), whole groups exchange their label.
    rng : numpy Generator

    Returns
    -------
    ndarray of str, shape (n_samples,)

    Raises
    ------
    InputError
        If there is not one group per sample, or a single one of a single label.
    """
    labels = series.labels
    if groups is None:
        return rng.permutation(labels)
    first, codes = np.unique(
        _checked_groups(series, groups), return_index=True, return_inverse=True
    )[1:]
    if (labels == labels[first][codes]).all():
        of_group = labels[first]
        if len(set(of_group)) < 2:
            msg = f"{series.name}: one group or label only; there is nothing to permute"
            raise InputError(msg)
        return rng.permutation(of_group)[codes]
    permuted = labels.copy()
    for code in range(len(first)):
        mine = codes == code
        permuted[mine] = rng.permutation(labels[mine])
    return permuted


def _checked_groups(series: DataSet, groups: np.ndarray) -> np.ndarray:
    groups = np.asarray(groups)
    if groups.shape != series.labels.shape:
        msg = (
            f"{series.name}: {counted(groups.size, 'group')} for "
            f"{counted(series.n_samples, 'sample')}; give one each"
        )
        raise InputError(msg)
    return groups


def _cross_validate(
    estimator: BaseEstimator,
    series: DataSet,
    labels: np.ndarray,
    n_splits: int,
    groups: np.ndarray | None,
    seed: int,
) -> np.ndarray:
    """Return the label that is predicted for each sample by a model that has not seen it."""
    splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = splitter(n_splits, shuffle=True, random_state=seed)
    predicted = np.empty_like(labels)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        splits = list(_splits(splitter, series, labels, groups))
    for training, test in splits:
        model, X, tested = clone(estimator), series.frame(training), series.frame(test)
        if series.missing and not imputes(model):
            X, tested = impute_within(X, tested)
        fit_grouped(model, X, labels[training], None if groups is None else groups[training])
        predicted[test] = model.predict(tested)
    return predicted


def _splits(
    splitter: StratifiedKFold | StratifiedGroupKFold,
    series: DataSet,
    labels: np.ndarray,
    groups: np.ndarray | None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    if groups is not None and len(np.unique(groups)) < splitter.n_splits:
        msg = (
            f"{series.name}: {counted(len(np.unique(groups)), 'group')} are fewer than the "
            "folds; use fewer"
        )
        raise InputError(msg)
    try:
        return list(splitter.split(np.zeros(len(labels)), labels, groups))
    except ValueError as error:
        msg = f"{series.name}: {splitter.n_splits} folds cannot be drawn ({error}); use fewer"
        raise InputError(msg) from error
