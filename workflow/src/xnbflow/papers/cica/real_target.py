"""CICA and naive Bayes regression on a real target, the paper's future work (section 7).

The data are scikit-learn's *diabetes* (442 patients, ten inputs, a measure of progression after a
year), which is installed with it. Naive Bayes regression is fitted to the inputs, to as many
conditionally independent components, and to fewer (section 5), beside ridge regression.
"""

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.parallel import Parallel, delayed

from xnbflow.core.blas import one_blas_thread
from xnbflow.core.seeds import derive_seed
from xnbflow.inference.paired_tests import corrected_resampled_t_test
from xnbflow.papers.cica.regression import KernelNBRegressor
from xnbflow.papers.cica.transformer import CICA

NAIVE_BAYES = "naive Bayes"
_RIDGE_PENALTIES = np.logspace(-3, 4, 29)
_KEYS = ["dataset", "model"]


def _regressors(random_state: int) -> dict[str, RegressorMixin]:
    """Return the models that are compared, by their names in the tables.

    Examples
    --------
    >>> list(_regressors(0))
    ['naive Bayes', 'CICA', 'CICA to 3', 'CICA to 1', 'ridge']
    """
    models: dict[str, RegressorMixin] = {NAIVE_BAYES: KernelNBRegressor()}
    for name, n_components in (("CICA", None), ("CICA to 3", 3), ("CICA to 1", 1)):
        cica = CICA(n_components=n_components, random_state=random_state)
        models[name] = make_pipeline(cica, KernelNBRegressor())
    models["ridge"] = make_pipeline(StandardScaler(), RidgeCV(_RIDGE_PENALTIES))
    return models


def score_regressors(n_splits: int, n_repeats: int, threads: int) -> pd.DataFrame:
    """Return R² of every model, a row per fold; folds are processed ``threads`` at a time."""
    tasks = []
    for repeat, fold in itertools.product(range(n_repeats), range(n_splits)):
        task = delayed(_score_fold)(n_splits, repeat, fold)
        tasks.append(task)
    folds: list[dict[str, Any]] = []
    for rows in Parallel(n_jobs=threads)(tasks):
        folds += rows
    columns = ["dataset", "repeat", "fold", "model", "r2"]
    return pd.DataFrame(folds, columns=columns)


def summarise_scores(scores: pd.DataFrame, n_splits: int) -> pd.DataFrame:
    """Return the mean of R² of each model, and of its difference from naive Bayes on the inputs.

    Limits are those of 95% by Nadeau and Bengio's corrected variance, because the training sets of
    the folds overlap.

    Examples
    --------
    >>> scores = pd.DataFrame(
    ...     {
    ...         "dataset": "d",
    ...         "repeat": 0,
    ...         "fold": [0, 1, 0, 1],
    ...         "model": ["naive Bayes", "naive Bayes", "ridge", "ridge"],
    ...         "r2": [0.25, 0.35, 0.5, 0.5],
    ...     }
    ... )
    >>> summarise_scores(scores, 2)[["model", "r2", "gain"]].round(3).to_numpy().tolist()
    [['naive Bayes', 0.3, 0.0], ['ridge', 0.5, 0.2]]
    """
    ratio = 1.0 / (n_splits - 1)
    rows = []
    for dataset, of_dataset in scores.groupby("dataset", sort=False):
        by_model = of_dataset.pivot(index=["repeat", "fold"], columns="model", values="r2")
        naive = by_model[NAIVE_BAYES].to_numpy()
        for model in of_dataset["model"].unique():
            values = by_model[model].to_numpy()
            r2 = corrected_resampled_t_test(values, np.zeros_like(values), ratio)
            gain = corrected_resampled_t_test(values, naive, ratio)
            rows.append(
                {
                    "dataset": dataset,
                    "model": model,
                    "r2": r2.mean,
                    "r2_lower": r2.lower,
                    "r2_upper": r2.upper,
                    "gain": gain.mean,
                    "gain_lower": gain.lower,
                    "gain_upper": gain.upper,
                    "folds": len(values),
                }
            )
    columns = [*_KEYS, "r2", "r2_lower", "r2_upper", "gain", "gain_lower", "gain_upper", "folds"]
    return pd.DataFrame(rows, columns=columns)


def _score_fold(n_splits: int, repeat: int, fold: int) -> list[dict[str, Any]]:
    """Return R² of every model on one fold of diabetes."""
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(
        n_splits, shuffle=True, random_state=derive_seed("cica", "diabetes", "folds", repeat)
    )
    training, test = list(folds.split(X))[fold]
    rows: list[dict[str, Any]] = []
    with one_blas_thread(), warnings.catch_warnings():
        # The tables of the simulations show how often CICA converges.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, model in _regressors(derive_seed("cica", "diabetes", repeat, fold)).items():
            predicted = model.fit(X[training], y[training]).predict(X[test])
            about = {"dataset": "diabetes", "repeat": repeat, "fold": fold, "model": name}
            rows.append({**about, "r2": r2_score(y[test], predicted)})
    return rows
