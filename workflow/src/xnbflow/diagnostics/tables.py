"""Both diagnostics of a series as tidy tables (XNB paper, sections 3.1 and 3.2, Table 1)."""

import numpy as np
import pandas as pd

from xnbflow.data.counts import either
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.diagnostics.dependence import ConditionalDependence, conditional_dependence
from xnbflow.diagnostics.normality import shapiro_wilk, shapiro_wilk_within

__all__ = ["diagnose"]


def diagnose(
    series: DataSet, *, min_abs_r: float, dependence_alpha: float, dof: str
) -> dict[str, pd.DataFrame]:
    """Test a series for normality and for conditional dependence.

    Parameters
    ----------
    series : DataSet
        The data set.
    min_abs_r, dependence_alpha, dof
        As ``min_abs_r``, ``alpha`` and ``dof`` of `conditional_dependence`.

    Returns
    -------
    dict of str to DataFrame
        ``normality``, ``normality_within``, ``dependence``, ``dependence_test`` and
        ``correlations``, as described in ``results/README.md``.

    Raises
    ------
    InputError
        If values are missing: imputed ones would make features look normal, or dependent.
    """
    _refuse_missing(series)
    X = series.values.T
    W, p = shapiro_wilk(X)
    normality = pd.DataFrame({"feature": series.features, "W": W, "p": p})
    dependence = conditional_dependence(
        X, series.labels, min_abs_r=min_abs_r, alpha=dependence_alpha, dof=dof
    )
    return {
        "normality": normality,
        "normality_within": _normality_within(series),
        "dependence": _dependence(series, dependence),
        "dependence_test": pd.DataFrame(
            {
                "dependent_pairs": [dependence.n_pairs],
                "cut": [dependence.cut],
                "dof": [dependence.dof],
            }
        ),
        "correlations": _correlations(dependence),
    }


def _refuse_missing(series: DataSet) -> None:
    lacking = int(np.isnan(series.values).any(axis=1).sum()) if series.missing else 0
    if lacking:
        msg = (
            f"{series.name}: {lacking:,} of {series.n_features:,} features "
            f"{either(lacking, 'lacks', 'lack')} values, and the "
            "diagnostics test complete ones only. Set `diagnostics: false` in the study, or "
            "`missing=drop_features` in the sheet's options"
        )
        raise InputError(msg)


def _normality_within(series: DataSet) -> pd.DataFrame:
    W, p = shapiro_wilk_within(series.values.T, series.labels)
    return pd.DataFrame(
        {
            "class": np.repeat(series.classes, series.n_features),
            "feature": np.tile(series.features, len(series.classes)),
            "W": W.reshape(-1),
            "p": p.reshape(-1),
        }
    )


def _dependence(series: DataSet, dependence: ConditionalDependence) -> pd.DataFrame:
    names = np.append(series.features, "")
    return pd.DataFrame(
        {
            "feature": series.features,
            "partner": names[dependence.partner],
            "r": dependence.r,
            "p": dependence.p,
            "dependent": dependence.dependent,
        }
    )


def _correlations(dependence: ConditionalDependence) -> pd.DataFrame:
    edges = np.linspace(0.0, 1.0, len(dependence.histogram) + 1)
    return pd.DataFrame({"lower": edges[:-1], "upper": edges[1:], "pairs": dependence.histogram})
