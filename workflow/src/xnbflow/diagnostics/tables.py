"""Both diagnostics of a series (XNB paper, sections 3.1 and 3.2, Table 1), and its genes."""

import numpy as np
import pandas as pd

from xnbflow.data.counts import either
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.diagnostics.dependence import conditional_dependence
from xnbflow.diagnostics.genes import gene_table
from xnbflow.diagnostics.heatmap import heatmap
from xnbflow.diagnostics.normality import shapiro_wilk, shapiro_wilk_within

__all__ = ["diagnose"]


def diagnose(
    series: DataSet, *, min_abs_r: float, dependence_alpha: float, dof: str
) -> dict[str, pd.DataFrame]:
    """Test a series for normality and for conditional dependence.

    Parameters
    ----------
    series : DataSet
    min_abs_r, dependence_alpha, dof
        As ``min_abs_r``, ``alpha`` and ``dof`` of `conditional_dependence`.

    Returns
    -------
    dict of str to DataFrame
        The tables of `DIAGNOSTIC_TABLES` of `xnbflow.data.contract`, as described in
        ``results/README.md``.

    Raises
    ------
    InputError
        If values are missing: imputed ones would make features look normal, or dependent.
    """
    lacking = int(np.isnan(series.values).any(axis=1).sum()) if series.missing else 0
    if lacking:
        msg = (
            f"{series.name}: {lacking:,} of {series.n_features:,} features "
            f"{either(lacking, 'lacks', 'lack')} values, and the diagnostics test complete ones "
            "only. Set `diagnostics: false` in the study, or `missing=drop_features` in the "
            "sheet's options"
        )
        raise InputError(msg)
    X = series.values.T
    W, p = shapiro_wilk(X)
    within_W, within_p = shapiro_wilk_within(X, series.labels)
    found = conditional_dependence(
        X, series.labels, min_abs_r=min_abs_r, alpha=dependence_alpha, dof=dof
    )
    edges = np.linspace(0.0, 1.0, len(found.histogram) + 1)
    tables = {
        "normality": {"feature": series.features, "W": W, "p": p},
        "normality_within": {
            "class": np.repeat(series.classes, series.n_features),
            "feature": np.tile(series.features, len(series.classes)),
            "W": within_W.reshape(-1),
            "p": within_p.reshape(-1),
        },
        "dependence": {
            "feature": series.features,
            "partner": np.append(series.features, "")[found.partner],
            "r": found.r,
            "p": found.p,
            "dependent": found.dependent,
        },
        "dependence_test": {
            "dependent_pairs": [found.n_pairs],
            "cut": [found.cut],
            "dof": [found.dof],
        },
        "correlations": {"lower": edges[:-1], "upper": edges[1:], "pairs": found.histogram},
    }
    genes = gene_table(series)
    return {name: pd.DataFrame(columns) for name, columns in tables.items()} | {
        "genes": genes,
        "gene_heatmap": heatmap(genes, series, n_features=24, n_samples=50),
    }
