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
from xnbflow.papers.separation.compute_simulation import (
    Setting,
    make_settings,
    simulate,
    standard_error,
)
from xnbflow.papers.separation.correlation_blocks import CorrelationBlocks
from xnbflow.papers.separation.entries import ANALYSIS
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
    "fits": 5,
    "sizes": [2, 4],
}
#: BlockNB's parameters for the methods that need not know the truth.
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
    ``fits`` data sets of each sample size, to which `BlockNB` is fitted. ``sizes`` are of the
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
        parts = list(pool.map(lambda setting: simulate(setting, params), settings))
    tables = {
        name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]
    }
    tables["fitted"] = _fit_settings(settings, params, tables["risk"])
    tables["blocks"] = _fit_microarrays(series, params["sizes"])
    if len(tables["risk"]):
        tables["risk"] = _with_signs(tables["risk"])
        tables["verdicts"] = _verdicts(tables["risk"])
    if len(tables["fitted"]):
        by_size = tables["fitted"].groupby("samples", sort=False)
        tables["fitted_means"] = by_size.agg(
            shrinkage=("shrinkage", "mean"),
            above_known=("above_known", "median"),
            above_exact=("above_exact", "median"),
        ).reset_index()
    theorem1 = tables["theorem1"]
    simulated = theorem1["simulated"]
    forms = ("printed", "corrected", "corrected_estimated")
    off = {f"{form}_off": theorem1[form] / simulated - 1 for form in forms}
    relative = theorem1["simulated_error"] / simulated
    tables["theorem1"] = theorem1.assign(relative_error=relative, **off)
    return {
        name: tables[name] if len(tables.get(name, ())) else pd.DataFrame(columns=table.fixed)
        for name, table in TABLES.items()
    }


def _with_signs(risk: pd.DataFrame) -> pd.DataFrame:
    """Add the significance of a gain."""
    margin = _SURE * risk["gain_error"].fillna(0.0)
    return risk.assign(
        helps=risk["gain"] > margin,
        harms=risk["gain"] < -margin,
    )


def _verdicts(risk: pd.DataFrame) -> pd.DataFrame:
    """Return numbers of cases with gains and losses of each method, by kind and samples.

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


def _fit_settings(
    settings: list[Setting], params: dict[str, Any], risk: pd.DataFrame
) -> pd.DataFrame:
    """Fit BlockNB to normal data in which some blocks are useless, its covariances unknown.

    ``risk`` is that with known covariances; settings that it lacks are left out.
    """
    known = risk.set_index(_KEYS)["risk"] if len(risk) else risk
    rows = [
        row
        for setting, n in itertools.product(settings, params["samples"])
        if setting.about["useless"] > 0 and (setting.name, n, ALL_BLOCKS) in known.index
        for row in _fit_all(setting, n, params["fits"])
    ]
    columns = ["risk", "expected_risk", "kept", "shrinkage"]
    fits = pd.DataFrame(rows, columns=[*_KEYS, *columns]).groupby(_KEYS, sort=False)
    fitted = fits[columns].agg(lambda values: np.mean(values.tolist()))
    fitted = fitted.assign(
        risk_error=fits["risk"].agg(lambda risks: standard_error(risks.to_numpy())),
        known_covariance_risk=known.reindex(fitted.index) if len(fitted) else np.nan,
    )
    fitted = fitted.reset_index()
    keys = ["setting", "samples"]
    whole = fitted[fitted["method"] == ALL_BLOCKS].set_index(keys)
    whole = whole.reindex(pd.MultiIndex.from_frame(fitted[keys])).set_axis(fitted.index)
    ratio = fitted["risk"] / whole["risk"]
    # As for methods fitted to different data, hence conservative.
    error = np.hypot(fitted["risk_error"], ratio * whole["risk_error"]) / whole["risk"]
    return fitted.assign(
        gain=1 - ratio,
        gain_error=error,
        known_gain=1 - fitted["known_covariance_risk"] / whole["known_covariance_risk"],
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
    slope, at_zero = odds[1:] - odds[0], odds[0]
    length = np.linalg.norm(slope)
    if length == 0:
        return 0.5
    wrong = ndtr(-(slope @ difference + at_zero) / length) + ndtr(at_zero / length)
    return float(wrong / 2)


def _fit_microarrays(series: dict[str, DataSet], sizes: list[int]) -> pd.DataFrame:
    """Find blocks of the given sizes in data sets."""
    rows = []
    for (name, data), size in itertools.product(series.items(), sizes):
        X = data.values.T
        model = BlockNB(blocks=CorrelationBlocks(size=size)).fit(X, data.labels)
        shrunk = model.shrinkage_ > 0
        mean_abs_r = np.nan
        if size > 1:  # over all pairs of features within complete blocks
            complete = [b for b in model.blocks_ if len(b) == len(model.blocks_[0])]
            values = normalised_residuals(X, data.labels)[np.array(complete)]
            r = np.abs(values @ values.transpose(0, 2, 1))
            mean_abs_r = float(r[:, *np.triu_indices(r.shape[1], 1)].mean())
        row = {"dataset": name, "size": size, "samples": data.n_samples}
        row |= {"blocks": len(model.blocks_), "mean_abs_r": mean_abs_r, "shrunk": shrunk.mean()}
        shrinkage = model.shrinkage_[shrunk].mean() if shrunk.any() else 0.0
        rows.append(row | {"mean_shrinkage": shrinkage})
    return table_of(rows, TABLES["blocks"])
