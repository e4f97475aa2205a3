"""What the page tells of the simulated risk: where selection helps, how far formulas are off."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from xnbflow.studies.separation.contract import ALL, ALL_BLOCKS, TABLES

__all__ = ["summarise"]

#: A gain is told from none where it is this many standard errors away.
_SURE = 2.0


def summarise(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Complete the tables of `xnbflow.studies.separation.compute`, and add those made of them.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        ``risk``, ``gains``, ``theorem1`` and ``fitted``, and others.

    Returns
    -------
    dict of str to DataFrame
        The given tables with the columns that `xnbflow.studies.separation.contract` declares
        beyond the given ones, and ``verdicts`` and ``fitted_means``.
    """
    risk = _with_verdicts(tables["risk"], tables["gains"])
    fitted = _with_gains(tables["fitted"])
    made = {
        "risk": risk,
        "verdicts": _verdicts(risk),
        "theorem1": _with_differences(tables["theorem1"]),
        "fitted": fitted,
        "fitted_means": _fitted_means(fitted),
    }
    return {
        name: rows if len(rows) else pd.DataFrame(columns=TABLES[name].fixed)
        for name, rows in {**tables, **made}.items()
    }


def _with_verdicts(risk: pd.DataFrame, gains: pd.DataFrame) -> pd.DataFrame:
    """Add how far the formula is off, whether a gain is sure, and how many sets are harmed."""
    if risk.empty:
        return risk
    margin = _SURE * risk["gain_error"].fillna(0.0)
    keys = pd.MultiIndex.from_frame(risk[["setting", "samples", "method"]])
    return risk.assign(
        risk_difference=risk["risk"] - risk["asymptotic_risk"],
        helps=risk["gain"] > margin,
        harms=risk["gain"] < -margin,
        sets_harmed=_harmed(gains).reindex(keys).to_numpy(),
    )


def _harmed(gains: pd.DataFrame) -> pd.Series:
    """Return the share of training sets with a gain below 0."""
    below = gains["training_sets"].where(gains["gain_to"] < 1e-9, 0)
    sums = gains.assign(below=below).groupby(["setting", "samples", "method"])
    counts = sums[["below", "training_sets"]].sum()
    return counts["below"] / counts["training_sets"]


def _verdicts(risk: pd.DataFrame) -> pd.DataFrame:
    """Return in how many cases each method helps and harms: by kind and samples, by kind, in all.

    A case is a distribution and sample size.
    """
    if risk.empty:
        return risk
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


def _with_differences(theorem1: pd.DataFrame) -> pd.DataFrame:
    """Add how far each form of the theorem is off, as shares of the simulated signal."""
    if theorem1.empty:
        return theorem1
    simulated = theorem1["simulated"]
    forms = {f"{form}_off": theorem1[form] / simulated - 1 for form in _FORMS}
    return theorem1.assign(relative_error=theorem1["simulated_error"] / simulated, **forms)


_FORMS = ("printed", "corrected", "corrected_estimated")


def _with_gains(fitted: pd.DataFrame) -> pd.DataFrame:
    """Add the gain over BlockNB with all blocks, fitted and with known covariances."""
    if fitted.empty:
        return fitted
    columns = ["risk", "risk_error", "known_covariance_risk"]
    keys = ["setting", "samples"]
    whole = fitted[fitted["method"] == ALL_BLOCKS].set_index(keys)[columns]
    whole = whole.reindex(pd.MultiIndex.from_frame(fitted[keys])).set_axis(fitted.index)
    ratio = fitted["risk"] / whole["risk"]
    # As if the methods had been fitted to different data, so rather too wide.
    error = np.hypot(fitted["risk_error"], ratio * whole["risk_error"]) / whole["risk"]
    known = fitted["known_covariance_risk"] / whole["known_covariance_risk"]
    return fitted.assign(
        gain=1 - ratio,
        gain_error=error,
        known_gain=1 - known,
        above_known=fitted["risk"] / fitted["known_covariance_risk"] - 1,
        above_exact=fitted["expected_risk"] / fitted["risk"] - 1,
    )


def _fitted_means(fitted: pd.DataFrame) -> pd.DataFrame:
    if fitted.empty:
        return fitted
    groups = fitted.groupby("samples", sort=False)
    return groups.agg(
        shrinkage=("shrinkage", "mean"),
        above_known=("above_known", "median"),
        above_exact=("above_exact", "median"),
    ).reset_index()
