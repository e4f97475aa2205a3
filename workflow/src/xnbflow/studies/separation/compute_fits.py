"""BlockNB itself in the study of separation scores: fitted to normal data and to microarrays."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.correlation import normalised_residuals
from xnbflow.naive_bayes.block import BlockNB
from xnbflow.preprocessing.correlation_blocks import CorrelationBlocks
from xnbflow.studies.separation.compute_simulation import Setting, standard_error
from xnbflow.studies.separation.contract import (
    ALL_BLOCKS,
    BEST_THRESHOLD,
    EQ22,
    ESTIMATED_WEIGHTS,
)

__all__ = ["fit_microarrays", "fit_settings"]

#: BlockNB's parameters for the methods that need not know the truth.
_METHODS = {
    ALL_BLOCKS: {},
    EQ22: {"selection": "threshold", "cut": "printed"},
    BEST_THRESHOLD: {"selection": "threshold", "cut": "optimal"},
    ESTIMATED_WEIGHTS: {"selection": "weights"},
}

_FITTED_COLUMNS = [
    "setting",
    "samples",
    "method",
    "risk",
    "risk_error",
    "expected_risk",
    "known_covariance_risk",
    "kept",
    "shrinkage",
]


def fit_settings(
    settings: list[Setting], params: dict[str, Any], risk: pd.DataFrame
) -> pd.DataFrame:
    """Fit BlockNB to normal data in which some blocks are useless, its covariances unknown.

    Parameters
    ----------
    settings : list of Setting
    params : dict
        The study's; ``samples`` and ``fits`` matter here.
    risk : DataFrame
        From `simulate`: the risk with known covariances. What it lacks is left out here too.

    Returns
    -------
    DataFrame
        One row per setting, sample size and method. Columns ``risk``, exact given the training
        samples, and ``expected_risk``, which the classifier tells of itself (both means over
        fits), ``kept`` and ``shrinkage`` (means over blocks), ``risk_error`` and
        ``known_covariance_risk``.
    """
    known = risk.set_index(["setting", "samples", "method"])["risk"]
    rows = []
    for setting in settings:
        for n in params["samples"]:
            if setting.about["useless"] == 0 or (setting.name, n, ALL_BLOCKS) not in known.index:
                continue
            results = _fit_all(setting, n, params["fits"])
            rows += [
                {"setting": setting.name, "samples": n, "method": method}
                | {column: np.mean(values) for column, values in columns.items()}
                | {"risk_error": standard_error(np.array(columns["risk"]))}
                | {"known_covariance_risk": known[setting.name, n, method]}
                for method, columns in results.items()
            ]
    return pd.DataFrame(rows, columns=_FITTED_COLUMNS)


def _fit_all(setting: Setting, n: int, fits: int) -> dict[str, dict[str, list[float]]]:
    """Return for each method the risk, expected risk, share kept and shrinkage of each fit."""
    rng = setting.rng(f"data sets of {n} samples")
    labels = np.repeat([0, 1], n)
    difference = np.zeros(len(setting.true) * setting.size)
    difference[:: setting.size] = np.sqrt(2 * setting.true / n)
    results: dict[str, dict[str, list[float]]] = {
        method: {"risk": [], "expected_risk": [], "kept": [], "shrinkage": []}
        for method in _METHODS
    }
    for _ in range(fits):
        features = rng.normal(size=(len(difference), 2 * n))
        features[:, :n] += difference[:, None]
        for method, options in _METHODS.items():
            model = BlockNB(blocks=setting.size, **options).fit(features.T, labels)
            into = results[method]
            into["risk"].append(_linear_risk(model, difference))
            into["expected_risk"].append(float(model.asymptotic_risk_[0]))
            into["kept"].append(float(model.selected_blocks_.mean()))
            into["shrinkage"].append(float(model.shrinkage_.mean()))
    return results


def _linear_risk(model: BlockNB, difference: np.ndarray) -> float:
    """Return the exact risk of a linear classifier between N(difference, I) and N(0, I)."""
    points = np.vstack([np.zeros(len(difference)), np.eye(len(difference))])
    joint = model.predict_joint_log_proba(points)
    odds = joint[:, 0] - joint[:, 1]
    slope, at_zero = odds[1:] - odds[0], odds[0]
    length = np.linalg.norm(slope)
    if length == 0:
        return 0.5
    wrong = ndtr(-(slope @ difference + at_zero) / length) + ndtr(at_zero / length)
    return float(wrong / 2)


def fit_microarrays(series: dict[str, DataSet], sizes: list[int]) -> pd.DataFrame:
    """Find blocks in data sets, and tell how dependent and how well estimated they are.

    Parameters
    ----------
    series : dict of str to DataSet
    sizes : list of int
        Features per block.

    Returns
    -------
    DataFrame
        One row per data set and block size: the mean absolute correlation of residuals within
        blocks, the share of blocks whose (pooled) covariance was shrunk, and how far on average.
    """
    columns = ["dataset", "size", "samples", "blocks", "mean_abs_r", "shrunk", "mean_shrinkage"]
    rows = []
    for name, data in series.items():
        residuals = normalised_residuals(data.values.T, data.labels)
        for size in sizes:
            finder = CorrelationBlocks(size=size)
            model = BlockNB(blocks=finder).fit(data.values.T, data.labels)
            shrunk = model.shrinkage_[0] > 0
            rows.append(
                (
                    name,
                    size,
                    data.n_samples,
                    len(model.blocks_),
                    _mean_abs_r(residuals, model.blocks_) if size > 1 else np.nan,
                    shrunk.mean(),
                    model.shrinkage_[0, shrunk].mean() if shrunk.any() else 0.0,
                )
            )
    return pd.DataFrame(rows, columns=columns)


def _mean_abs_r(residuals: np.ndarray, blocks: list[np.ndarray]) -> float:
    """Return the mean of |r| over all pairs of features within complete blocks."""
    columns = np.array([block for block in blocks if len(block) == len(blocks[0])])
    values = residuals[columns]
    r = np.abs(values @ values.transpose(0, 2, 1))
    size = columns.shape[1]
    return float(r[:, *np.triu_indices(size, 1)].mean())
