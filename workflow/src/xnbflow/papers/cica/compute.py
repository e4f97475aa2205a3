"""Conditionally independent components for naive Bayes: the study of the CICA paper.

The paper shows one run of 20 training samples. The study repeats its experiment over many seeds and
with more samples (`simulated_tables`), and applies CICA to a real target, which the paper leaves
open (`real_target`). This module adds one use for classification: the accuracy of flexible naive
Bayes, and the dependence of features given the class, with and without CICA, in the study's data
sets.
"""

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils.parallel import Parallel, delayed

from xnbflow.core.blas import one_blas_thread
from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.dependence import conditional_dependence
from xnbflow.naive_bayes.flexible_nb import FlexibleNB
from xnbflow.papers.cica.entries import ANALYSIS
from xnbflow.papers.cica.real_target import score_regressors, summarise_scores
from xnbflow.papers.cica.simulated_tables import simulate_seeds, summarise_seeds
from xnbflow.papers.cica.transformer import CICA
from xnbflow.tables.contract import analysis_tables

TABLES = analysis_tables(ANALYSIS)

#: The study's parameters; `analyse` explains them.
DEFAULTS: dict[str, Any] = {
    "seeds": 50,
    "samples": [20, 200],
    "recovery_samples": [50, 500, 1000],
    "nuisance_samples": [200],
    "correlated_samples": [200],
    "test_samples": 100,
    "steps": 30,
    "splits": 10,
    "repeats": 1,
    "real_splits": 10,
    "real_repeats": 3,
}


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Return the tables of the study.

    Parameters
    ----------
    series : dict of str to DataSet
        Data sets to classify with and without CICA.
    params : dict
        Simulations: ``seeds`` runs with ``test_samples`` each. Their numbers of training samples
        are ``samples`` (the paper's two inputs), ``nuisance_samples`` (eight nuisance variables
        besides the sources), ``correlated_samples`` (y on [0, 3]) and ``recovery_samples`` (only
        the recovery of the sources is computed). ``steps`` are those of the descents that are shown
        step by step.

        Cross-validations: ``splits`` and ``repeats`` of the classification, ``real_splits`` and
        ``real_repeats`` of the regression on diabetes (0 repeats leave it out).

        What is missing has the value in `DEFAULTS`.
    threads : int
        Runs that are computed at a time.

    Returns
    -------
    dict of str to DataFrame
        The tables in ``tables.toml``. Bands reach from the tenth to the ninetieth percentile over
        seeds. Dependence of features is computed on the samples that CICA was fitted to, and on a
        half that it has not seen.
    """
    params = {**DEFAULTS, **params}
    accuracies = score_classifiers(series.values(), params["splits"], params["repeats"], threads)
    seeds = simulate_seeds(params, threads)
    scores = score_regressors(params["real_splits"], params["real_repeats"], threads)
    return {
        "classification": _classification(series, accuracies),
        "regression_summary": summarise_scores(scores, params["real_splits"]),
        **summarise_seeds(seeds),
    }


def score_classifiers(
    series: Iterable[DataSet], n_splits: int, n_repeats: int, threads: int
) -> pd.DataFrame:
    """Return the accuracy of FlexibleNB with and without CICA, a row per fold."""
    tasks = []
    for data, repeat in itertools.product(series, range(n_repeats)):
        task = delayed(_classify)(data, n_splits, repeat)
        tasks.append(task)
    rows: list[dict[str, Any]] = []
    for rows_of_repeat in Parallel(n_jobs=threads)(tasks):
        rows += rows_of_repeat
    columns = ["dataset", "repeat", "fold", "transformation", "accuracy"]
    return pd.DataFrame(rows, columns=columns)


def _classify(data: DataSet, n_splits: int, repeat: int) -> list[dict[str, Any]]:
    """Return the rows of `score_classifiers` for one repeat."""
    X = data.values.T
    y = data.labels
    seed = derive_seed("cica", data.name, "folds", repeat)
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    rows = []
    with one_blas_thread():
        for fold, (training, test) in enumerate(folds.split(X, y)):
            for transformation, inputs in _features_and_components(data, training).items():
                model = FlexibleNB().fit(inputs[training], y[training])
                rows.append(
                    {
                        "dataset": data.name,
                        "repeat": repeat,
                        "fold": fold,
                        "transformation": transformation,
                        "accuracy": model.score(inputs[test], y[test]),
                    }
                )
    return rows


def _classification(series: dict[str, DataSet], accuracies: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracy over folds, and how many features depend on another given the class.

    CICA is fitted to all samples and the dependence measured in the same; and fitted to one half
    and measured in the other.
    """
    if not series:
        return pd.DataFrame(columns=TABLES["classification"].fixed)
    keys = ["dataset", "transformation"]
    accuracy = accuracies.groupby(keys, sort=False)["accuracy"]
    over_folds = accuracy.agg(accuracy="mean", sd="std", folds="size")
    dependence = []
    for data in series.values():
        everything = np.arange(data.n_samples)
        first_half, second_half = _halves(data)
        fitted = _dependence(data, training=everything, test=everything)
        held_out = _dependence(data, training=first_half, test=second_half)
        both = fitted.join(held_out.add_prefix("held_out_"))
        dependence.append(both.reset_index().assign(dataset=data.name))
    return over_folds.reset_index().merge(pd.concat(dependence), on=keys)


def _halves(data: DataSet) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples of two random halves, with equal shares of the classes."""
    seed = derive_seed("cica", data.name, "halves")
    splits = StratifiedShuffleSplit(1, test_size=0.5, random_state=seed)
    first_half, second_half = next(splits.split(data.values.T, data.labels))
    return first_half, second_half


def _dependence(data: DataSet, *, training: np.ndarray, test: np.ndarray) -> pd.DataFrame:
    """Return the dependence in test samples by transformation, CICA fitted to training samples."""
    rows = []
    for transformation, inputs in _features_and_components(data, training).items():
        dependence = conditional_dependence(inputs[test], data.labels[test])
        rows.append(
            {
                "transformation": transformation,
                "ratio": dependence.ratio,
                "pairs": dependence.n_pairs,
                "largest_r": dependence.max_abs_r.max(),
            }
        )
    return pd.DataFrame(rows).set_index("transformation")


def _features_and_components(data: DataSet, training: np.ndarray) -> dict[str, np.ndarray]:
    """Return the features of all samples, and their components by CICA fitted to ``training``.

    Both have the shape (n_samples, n_features), and their name in the column ``transformation``.
    """
    X = data.values.T
    cica = CICA(random_state=derive_seed("cica", data.name, "rotations"))
    cica.fit(X[training], data.labels[training])
    return {"none": X, "CICA": cica.transform(X)}
