"""The study of separation scores (Pavlenko and von Rosen, section 4).

True scores of blocks are uniform or non-central chi-square (Figures 1 and 2 of the paper), or a
share of the blocks is useless; BlockNB itself is fitted to such data and to microarrays.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.correlation import normalised_residuals
from xnbflow.papers.separation import ALL, ALL_BLOCKS, BEST_THRESHOLD, EQ22, ESTIMATED_WEIGHTS
from xnbflow.papers.separation.block_nb import BlockNB
from xnbflow.papers.separation.compute_figures import figure_tables
from xnbflow.papers.separation.compute_simulation import (
    Setting,
    make_settings,
    simulate_setting,
    standard_error,
)
from xnbflow.papers.separation.correlation_blocks import CorrelationBlocks
from xnbflow.papers.separation.entries import ANALYSIS
from xnbflow.papers.separation.separation_scores import printed_cut
from xnbflow.tables.contract import analysis_tables
from xnbflow.tables.storage import table_of

TABLES = analysis_tables(ANALYSIS)

#: The study's parameters; `analyse` explains them.
DEFAULTS: dict[str, Any] = {
    "blocks": 100,
    "size": 12,
    "samples": [1200, 60],
    "uniform": [2.5, 5, 10, 20, 40, 80, 160, 390, 780],
    "noncentral": [[1, 5], [3, 5], [6, 5], [12, 5], [24, 5], [48, 5], [120, 5]],
    "useless": [0.1, 0.5, 0.95],
    "useful": [[0, 20], [0, 40], [40, 80]],
    "repeats": 300,
    "figure_sets": 20,
    "fits": 5,
    "sizes": [2, 4],
}
#: BlockNB's parameters for the methods that do not use the truth.
_METHODS = {
    ALL_BLOCKS: {},
    EQ22: {"selection": "threshold", "cut": "printed"},
    BEST_THRESHOLD: {"selection": "threshold", "cut": "optimal"},
    ESTIMATED_WEIGHTS: {"selection": "weights"},
}
#: A gain counts where it is at least this many standard errors from 0.
_SURE = 2.0
_KEYS = ["setting", "samples", "method"]


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Simulate selection by separation score.

    There are ``blocks`` of a ``size``, and ``samples`` per class. Distributions of the true scores
    are ``uniform`` on [0, each of these]; ``noncentral`` chi-square with each pair of degrees of
    freedom and non-centrality; ``useless`` shares of blocks of score 0, the others uniform on each
    of the intervals ``useful``. Each has ``repeats`` training sets; those with useless blocks also
    ``fits`` data sets of each sample size, to which `BlockNB` is fitted. ``figure_sets`` are
    training sets at each point of the paper's figures (`figure_tables`). ``sizes`` are of the
    blocks found in microarrays, of which there need be none.

    Combinations of a distribution and a sample size in which all blocks together misclassify less
    than one sample in a million are left out.
    """
    params = {**DEFAULTS, **params}
    settings = make_settings(params)
    if not settings:
        msg = "the analysis 'separation' has no distribution: give uniform, noncentral or useless"
        raise InputError(msg)
    with ThreadPoolExecutor(max(1, threads)) as pool:
        simulations = list(pool.map(lambda setting: simulate_setting(setting, params), settings))
    tables = {}
    for name in simulations[0]:
        parts = [simulation[name] for simulation in simulations]
        tables[name] = pd.concat(parts, ignore_index=True)
    tables |= figure_tables(params["figure_sets"])
    tables["fitted"] = _fit_settings(settings, params, tables["risk"])
    tables["blocks"] = _blocks_of_series(series, params["sizes"])
    tables["theorem1"] = _deviations(tables["theorem1"])
    if len(tables["risk"]):
        tables["risk"] = _mark_gains(tables["risk"])
        tables["verdicts"] = _count_gains(tables["risk"])
    if len(tables["fitted"]):
        tables["fitted_means"] = _mean_losses(tables["fitted"])
    empty = {name: pd.DataFrame(columns=table.fixed) for name, table in TABLES.items()}
    return empty | {name: table for name, table in tables.items() if len(table)}


def _blocks_of_series(series: dict[str, DataSet], sizes: list[int]) -> pd.DataFrame:
    """Find blocks of the given sizes in data sets by correlation, and select by Eq. 22."""
    rows = []
    for (name, data), size in itertools.product(series.items(), sizes):
        X = data.values.T
        model = BlockNB(blocks=CorrelationBlocks(size=size)).fit(X, data.labels)
        is_shrunk = model.shrinkage_ > 0
        rows.append(
            {
                "dataset": name,
                "size": size,
                "samples": data.n_samples,
                "blocks": len(model.blocks_),
                "mean_abs_r": _mean_correlation(X, data.labels, model.blocks_),
                "shrunk": is_shrunk.mean(),
                "mean_shrinkage": model.shrinkage_[is_shrunk].mean() if is_shrunk.any() else 0.0,
                "kept": _kept_by_equation_22(model).mean(),
                "positive": (model.scores_ > model.null_scores_).mean(),
            }
        )
    return table_of(rows, TABLES["blocks"])


def _mark_gains(risk: pd.DataFrame) -> pd.DataFrame:
    """Add whether a gain, or a loss, exceeds two standard errors."""
    margin = _SURE * risk["gain_error"].fillna(0.0)
    return risk.assign(helps=risk["gain"] > margin, harms=risk["gain"] < -margin)


def _count_gains(risk: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of cases with gains and losses of each method, by kind and samples.

    A case is a distribution and sample size.
    """
    by_size = risk.assign(samples=risk["samples"].astype(str))
    by_kind = risk.assign(samples=ALL)
    cases = pd.concat([by_size, by_kind, by_kind.assign(distribution=ALL)], ignore_index=True)
    groups = cases.groupby(["distribution", "samples", "method"], sort=False)
    return groups.agg(
        cases=("gain", "size"),
        helps=("helps", "sum"),
        harms=("harms", "sum"),
        least_gain=("gain", "min"),
        mean_gain=("gain", "mean"),
        greatest_gain=("gain", "max"),
    ).reset_index()


def _mean_losses(fitted: pd.DataFrame) -> pd.DataFrame:
    """Return the loss by estimated covariances per sample size."""
    by_size = fitted.groupby("samples", sort=False)
    return by_size.agg(
        shrinkage=("shrinkage", "mean"),
        above_known=("above_known", "median"),
        above_exact=("above_exact", "median"),
    ).reset_index()


def _deviations(theorem1: pd.DataFrame) -> pd.DataFrame:
    """Return the relative deviations of Theorem 1 from the simulated signal."""
    simulated = theorem1["simulated"]
    deviations = theorem1.assign(
        relative_error=theorem1["simulated_error"] / simulated,
        printed_off=theorem1["printed"] / simulated - 1,
        corrected_off=theorem1["corrected"] / simulated - 1,
        corrected_estimated_off=theorem1["corrected_estimated"] / simulated - 1,
    )
    return deviations[TABLES["theorem1"].fixed]


def _fit_settings(
    settings: list[Setting], params: dict[str, Any], risk: pd.DataFrame
) -> pd.DataFrame:
    """Fit BlockNB to normal data in which some blocks are useless, its covariances unknown.

    ``risk`` is that with known covariances; settings that it lacks are left out.
    """
    if risk.empty:
        return pd.DataFrame(columns=TABLES["fitted"].fixed)
    known_risk = risk.set_index(_KEYS)["risk"]
    rows = []
    for setting, n in itertools.product(settings, params["samples"]):
        if setting.useless > 0 and (setting.name, n, ALL_BLOCKS) in known_risk.index:
            rows += _fit_all(setting, n, params["fits"])
    if not rows:
        return pd.DataFrame(columns=TABLES["fitted"].fixed)
    by_case = pd.DataFrame(rows).groupby(_KEYS, sort=False)
    fitted = by_case[["risk", "expected_risk", "kept", "shrinkage"]].mean()
    fitted["risk_error"] = by_case["risk"].agg(lambda risks: standard_error(risks.to_numpy()))
    fitted["known_covariance_risk"] = known_risk.reindex(fitted.index)
    fitted = fitted.reset_index()

    case = ["setting", "samples"]
    of_all = fitted[fitted["method"] == ALL_BLOCKS].set_index(case)
    of_all = of_all.reindex(pd.MultiIndex.from_frame(fitted[case])).set_axis(fitted.index)
    ratio = fitted["risk"] / of_all["risk"]
    # As for methods fitted to different data, hence conservative.
    error = np.hypot(fitted["risk_error"], ratio * of_all["risk_error"]) / of_all["risk"]
    return fitted.assign(
        gain=1 - ratio,
        gain_error=error,
        known_gain=1 - fitted["known_covariance_risk"] / of_all["known_covariance_risk"],
        above_known=fitted["risk"] / fitted["known_covariance_risk"] - 1,
        above_exact=fitted["expected_risk"] / fitted["risk"] - 1,
    )[TABLES["fitted"].fixed]


def _fit_all(setting: Setting, n: int, fits: int) -> list[dict[str, Any]]:
    """Return the risk, expected risk, share kept and shrinkage of each fit of each method."""
    rng = setting.rng(f"data sets of {n} samples")
    labels = np.repeat([0, 1], n)
    difference = np.zeros(len(setting.true) * setting.size)
    difference[:: setting.size] = np.sqrt(2 * setting.true / n)
    rows = []
    for _ in range(fits):
        features = rng.normal(size=(len(difference), 2 * n))
        features[:, :n] += difference[:, None]
        for method, options in _METHODS.items():
            model = BlockNB(blocks=setting.size, **options).fit(features.T, labels)
            rows.append(
                {
                    "setting": setting.name,
                    "samples": n,
                    "method": method,
                    "risk": _linear_risk(model, difference),
                    "expected_risk": float(model.asymptotic_risk_[0]),
                    "kept": model.selected_blocks_.mean(),
                    "shrinkage": model.shrinkage_.mean(),
                }
            )
    return rows


def _linear_risk(model: BlockNB, difference: np.ndarray) -> float:
    """Return the exact risk of a linear classifier between N(difference, I) and N(0, I)."""
    points = np.vstack([np.zeros(len(difference)), np.eye(len(difference))])
    joint = model.predict_joint_log_proba(points)
    odds = joint[:, 0] - joint[:, 1]
    slope = odds[1:] - odds[0]
    at_zero = odds[0]
    length = np.linalg.norm(slope)
    if length == 0:
        return 0.5
    wrong = ndtr(-(slope @ difference + at_zero) / length) + ndtr(at_zero / length)
    return float(wrong / 2)


def _kept_by_equation_22(model: BlockNB) -> np.ndarray:
    """Return which blocks Eq. 22 keeps, (n_pairs, n_blocks), for a model without selection."""
    degrees = np.array([len(block) for block in model.blocks_])
    scores = model.scores_ * degrees / model.null_scores_
    return np.array([of_pair >= degrees * printed_cut(of_pair, degrees) for of_pair in scores])


def _mean_correlation(X: np.ndarray, y: np.ndarray, blocks: list[np.ndarray]) -> float:
    """Return the mean absolute correlation of pairs within complete blocks; NaN for size 1."""
    size = len(blocks[0])
    if size == 1:
        return np.nan
    complete = np.array([block for block in blocks if len(block) == size])
    residuals = normalised_residuals(X, y)[complete]
    correlation = np.abs(residuals @ residuals.transpose(0, 2, 1))
    return float(correlation[:, *np.triu_indices(size, 1)].mean())
