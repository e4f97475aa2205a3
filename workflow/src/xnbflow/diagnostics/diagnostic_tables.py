"""Both diagnostics of a series (XNB paper, sections 3.1 and 3.2, Table 1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.data.series_seed import series_seed
from xnbflow.diagnostics.dependence import conditional_dependence
from xnbflow.diagnostics.normality import shapiro_wilk, shapiro_wilk_within
from xnbflow.tables.contract import GROUPS

#: Bins of the histogram of p-values, .05 wide.
_BINS = 20


def diagnose(series: DataSet, tests: Mapping[str, Any] | None) -> dict[str, pd.DataFrame]:
    """Test a series for normality and conditional dependence.

    ``tests`` are ``min_abs_r``, ``alpha`` and ``dof`` of `conditional_dependence`; with None there
    are no tests. Features with missing values are not tested, because imputed values look normal,
    or dependent. With fewer than two complete features the tables are empty.
    """
    tables = {
        name: pd.DataFrame(columns=table.fixed)
        for name, table in GROUPS["diagnostic"].tables.items()
    }
    series = with_log_counts(series)
    values = series.values
    features = series.features
    if series.missing:
        complete = ~np.isnan(values).any(axis=1)
        values = values[complete]
        features = features[complete]
    if tests is not None and len(features) >= 2:
        for name, columns in _tests(values.T, features, series, tests).items():
            tables[name] = pd.DataFrame(columns)
    return tables


def _tests(
    X: np.ndarray, features: np.ndarray, series: DataSet, settings: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the columns of the tables of both tests; ``X`` (n_samples, n_features) is complete."""
    W, p = shapiro_wilk(X)
    within_W, within_p = shapiro_wilk_within(X, series.labels)
    seed = series_seed(series, 0, "dependence")
    dependence = conditional_dependence(X, series.labels, **settings, seed=seed)
    p_edges = np.linspace(0.0, 1.0, _BINS + 1)
    r_edges = np.linspace(0.0, 1.0, len(dependence.histogram) + 1)
    p_counts = np.histogram(p[~np.isnan(p)], p_edges)[0]
    names = pd.array(np.append(features, ""), dtype="str")  # a partner of -1 has no name
    classes = pd.array(["", *series.classes], dtype="str")  # all samples, and each class
    return {
        "normality": {
            "class": classes.repeat(len(features)),
            "feature": names[np.tile(np.arange(len(features)), len(classes))],
            "W": np.concatenate([W, within_W.reshape(-1)]),
            "p": np.concatenate([p, within_p.reshape(-1)]),
        },
        "dependence": {
            "feature": names[dependence.features],
            "partner": names[dependence.partner],
            "r": dependence.r,
            "p": dependence.p,
            "dependent": dependence.dependent,
        },
        "dependence_test": {
            "tested": [len(features)],
            "compared": [len(dependence.features)],
            "dependent_error": [dependence.ratio_error],
            "dependent_pairs": [dependence.n_pairs],
            "pair_share": [dependence.pair_share],
            "pair_share_error": [dependence.pair_share_error],
            "cut": [dependence.cut],
            "dof": [dependence.dof],
        },
        "histograms": {
            "quantity": np.repeat(["p of normality", "|r|"], [len(p_counts), len(r_edges) - 1]),
            "lower": np.concatenate([p_edges[:-1], r_edges[:-1]]),
            "upper": np.concatenate([p_edges[1:], r_edges[1:]]),
            "count": np.concatenate([p_counts, dependence.histogram]),
        },
    }
