"""Conditionally independent components for naive Bayes: the study of the CICA paper.

The paper shows one run of 20 samples. Here its experiment is repeated over many seeds and with more
samples (`simulated_tables`); CICA is applied to a real target, which the paper leaves open
(`real_target`), and to class labels, in the classification of the study's data sets.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.dependence import conditional_dependence
from xnbflow.naive_bayes.flexible_nb import FlexibleNB
from xnbflow.papers.cica.entries import ANALYSIS
from xnbflow.papers.cica.real_target import score_regressors
from xnbflow.papers.cica.simulated_tables import recovery_by_size, simulation_tables
from xnbflow.papers.cica.transformer import CICA
from xnbflow.tables.contract import analysis_tables
from xnbflow.tables.storage import table_of

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
    """Repeat section 6 over many seeds, and classify data sets with and without CICA.

    There are ``seeds`` runs, ``threads`` at a time, of training ``samples`` with the paper's two
    inputs; of ``nuisance_samples`` with eight nuisance variables besides the sources; of
    ``correlated_samples`` with y on [0, 3]; and of ``recovery_samples``, at which only the recovery
    of the sources is computed. ``steps`` are those of the descents shown step by step, ``splits``
    and ``repeats`` those of the classification's cross-validation, ``real_splits`` and
    ``real_repeats`` those of the regression on diabetes (0 repeats leave it out).

    Bands reach from the tenth to the ninetieth percentile over seeds. ``dependence`` is computed on
    the samples that CICA was fitted to, and on a half that it has not seen.
    """
    params = {**DEFAULTS, **params}
    tables = _classification_tables(series, params["splits"], params["repeats"], threads)
    tables |= simulation_tables(params, threads)
    tables["recovery"] = recovery_by_size(tables["summary"])
    tables |= score_regressors(params["real_splits"], params["real_repeats"], threads)
    return tables


def _classification_tables(
    series: dict[str, DataSet], n_splits: int, n_repeats: int, threads: int
) -> dict[str, pd.DataFrame]:
    """Return accuracy by fold, its mean, and the dependence of features, with and without CICA."""
    tasks = [
        delayed(_classify)(data, n_splits, repeat)
        for data in series.values()
        for repeat in range(n_repeats)
    ]
    accuracy_rows: list[dict[str, Any]] = []
    for rows in Parallel(n_jobs=threads)(tasks):
        accuracy_rows += rows
    dependence_rows: list[dict[str, Any]] = []
    for data in series.values():
        dependence_rows += _dependence(data)
    classification = table_of(accuracy_rows, TABLES["classification"])
    groups = classification.groupby(["dataset", "transformation"], sort=False)["accuracy"]
    return {
        "classification": classification,
        "accuracies": groups.agg(mean="mean", sd="std", folds="size").reset_index(),
        "dependence": table_of(dependence_rows, TABLES["dependence"]),
    }


def _classify(data: DataSet, n_splits: int, repeat: int) -> list[dict[str, Any]]:
    """Return the accuracy of FlexibleNB by fold, with and without CICA."""
    folds = StratifiedKFold(
        n_splits, shuffle=True, random_state=derive_seed("cica", data.name, "folds", repeat)
    )
    X, y = data.values.T, data.labels
    rows = []
    with threadpool_limits(1):
        for fold, (training, test) in enumerate(folds.split(X, y)):
            for transformation, components in _before_and_after(data, training).items():
                model = FlexibleNB().fit(components[training], y[training])
                about = {"dataset": data.name, "repeat": repeat, "fold": fold}
                accuracy = model.score(components[test], y[test])
                rows.append({**about, "transformation": transformation, "accuracy": accuracy})
    return rows


def _dependence(data: DataSet) -> list[dict[str, Any]]:
    """Return numbers of features that depend on another given the class, without and with CICA."""
    y = data.labels
    everything = np.arange(data.n_samples)
    halves = StratifiedShuffleSplit(
        1, test_size=0.5, random_state=derive_seed("cica", data.name, "halves")
    )
    first_half, second_half = next(halves.split(data.values.T, y))
    # Samples that CICA is fitted to, and samples in which the dependence is measured.
    parts = {
        "those fitted": (everything, everything),
        "held-out half": (first_half, second_half),
    }
    rows: list[dict[str, Any]] = []
    for name, (training, tested) in parts.items():
        for transformation, components in _before_and_after(data, training).items():
            dependence = conditional_dependence(components[tested], y[tested])
            rows.append(
                {
                    "dataset": data.name,
                    "samples": name,
                    "transformation": transformation,
                    "ratio": dependence.ratio,
                    "pairs": dependence.n_pairs,
                    "largest_r": dependence.max_abs_r.max(),
                }
            )
    return rows


def _before_and_after(data: DataSet, training: np.ndarray) -> dict[str, np.ndarray]:
    """Return the features, and their components by CICA fitted to training samples."""
    X = data.values.T
    cica = CICA(random_state=derive_seed("cica", data.name, "rotations"))
    return {"none": X, "CICA": cica.fit(X[training], data.labels[training]).transform(X)}
