"""BlockNB as it is used: fitted to samples, with blocks found in data sets."""

from typing import Any

import numpy as np
import pandas as pd

from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Table
from xnbflow.studies.separation.drawings import Marks, draw_marks
from xnbflow.studies.separation.names import REAL, STYLES, setting_rows

__all__ = ["fit_groups"]


def fit_groups(fitted: pd.DataFrame, means: pd.DataFrame, found: pd.DataFrame) -> list[Block]:
    """Return what estimating covariances costs, and the blocks of data sets, where there are any.

    Parameters
    ----------
    fitted, means, found : DataFrame
        ``fitted``, ``fitted_means`` and ``blocks``, as made by
        `xnbflow.studies.separation.compute.analyse`.
    """
    groups: list[Block] = []
    if len(fitted):
        groups.append(
            Group("BlockNB fitted", _fitted(fitted, means), "covariances estimated or known")
        )
    if len(found):
        groups.append(Group("Blocks found in data sets", _found(found), "shrinkage"))
    return groups


def _fitted(table: pd.DataFrame, means: pd.DataFrame) -> list[Block]:
    """Return BlockNB, its covariances estimated, beside the simulation with known ones."""
    samples = list(table["samples"].unique())
    caption = (
        "Gain over BlockNB with all blocks, in per cent: full marks BlockNB fitted to normal data, "
        "its covariances estimated, with standard errors as if methods had been fitted to "
        "different data, so rather too wide; hollow ones the simulation with known covariances. "
        "Marks near their hollow ones say that the simulation’s advice holds for the real "
        "classifier."
    )
    figures = [_fitted_figure(table[table["samples"] == n], n) for n in samples]
    texts = [_of_shrinkage(row) for row in means.itertuples()]
    numbers = table.rename(columns=_FITTED_NAMES)[list(_FITTED_NAMES.values())]
    formats = dict.fromkeys(("risk", "standard error", *_FITTED_RISKS), "#.3g")
    formats |= {"blocks kept": ".0%", "mean shrinkage": ".2f"}
    explained = (
        "Exact risk of BlockNB given each training set; the risk it expects of itself, from the "
        "training samples alone, where less than the exact one is too hopeful; and the risk with "
        "known covariances. Means over fits; samples are per class."
    )
    return [
        Prose(" ".join([_SHRINKAGE, *texts]), sources=["separation/fitted_means.tsv"]),
        Gallery(figures, caption, ["separation/fitted.tsv"]),
        Table(numbers, explained, formats, sources=["separation/fitted.tsv"]),
    ]


_FITTED_RISKS = ("expected by itself", "covariances known")
_FITTED_NAMES = {
    "setting": "true scores",
    "samples": "samples",
    "method": "method",
    "risk": "risk",
    "risk_error": "standard error",
    "expected_risk": _FITTED_RISKS[0],
    "known_covariance_risk": _FITTED_RISKS[1],
    "kept": "blocks kept",
    "shrinkage": "mean shrinkage",
}
_SHRINKAGE = (
    "Covariances of blocks with few samples are shrunk: where a correlation matrix is singular or "
    "has fewer than ten degrees of freedom per feature, it is moved towards independence by the "
    "share that Ledoit and Wolf’s rule (2004) gives, 0 not at all, 1 all the way. The features of "
    "a block are independent in these simulated data, as shrinkage supposes: where they are not, "
    "few samples may cost more than here."
)


def _of_shrinkage(row: Any) -> str:
    """Return the row of a sample size in the table ``fitted_means`` in words."""
    return (
        f"With {row.samples:,} samples per class the mean shrinkage is {row.shrinkage:.2f}, the "
        f"risk is in the median {_change(row.above_known)} that with known covariances, and what "
        f"BlockNB expects of itself is {_change(row.above_exact)} its exact risk."
    )


def _change(share: float) -> str:
    return f"{abs(share):.1%} {'below' if share < 0 else 'above'}"


_GAINS = ["gain", "gain_error", "known_gain"]


def _fitted_figure(rows: pd.DataFrame, n: int) -> Figure:
    settings = rows["setting"].unique()
    series = []
    for method in (m for m in REAL if (rows["method"] == m).any()):
        own = 100 * rows[rows["method"] == method].set_index("setting").loc[settings, _GAINS]
        gain, error, known = own.to_numpy().T
        series.append(Marks(method, gain, error, STYLES[method]))
        series.append(Marks("", known, np.zeros(len(settings)), STYLES[method], hollow=True))
    return Figure(
        f"separation-fitted-{n}",
        draw_marks,
        {
            "title": f"{n:,} samples per class",
            "rows": setting_rows(settings),
            "series": series,
            "xlabel": "gain in per cent",
        },
        "",
        f"Points: gains of fitted BlockNB and, as rings, with known covariances, {n} samples per "
        "class.",
    )


def _found(table: pd.DataFrame) -> list[Block]:
    """Return the blocks found in data sets."""
    names = {
        "dataset": "data set",
        "size": "features per block",
        "samples": "samples",
        "blocks": "blocks",
        "mean_abs_r": "mean |r|",
        "shrunk": "blocks shrunk",
        "mean_shrinkage": "mean shrinkage",
    }
    caption = (
        "Blocks of the features whose residuals within classes correlate most. Mean |r|: how "
        "strongly, between features of one block. Blocks shrunk: the share whose covariance has "
        "too few samples; mean shrinkage: how far these are moved towards independence (Ledoit "
        "and Wolf), 1 being all the way, where blocks are as good as none."
    )
    formats = {"mean |r|": ".2f", "blocks shrunk": ".0%", "mean shrinkage": ".2f"}
    frame = table.rename(columns=names)[list(names.values())]
    return [Table(frame, caption, formats, sources=["separation/blocks.tsv"])]
