"""BlockNB as it is used: fitted to samples, with blocks found in data sets."""

from typing import Any

import numpy as np
import pandas as pd

from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose
from xnbflow.report.results import StudyTables
from xnbflow.studies.separation.contract import REAL, STYLES, setting_rows
from xnbflow.studies.separation.drawings import Marks, draw_marks

__all__ = ["fit_groups"]


def fit_groups(tables: StudyTables) -> list[Block]:
    """Return what estimating covariances costs, and the blocks of data sets, if there are any."""
    groups: list[Block] = []
    if len(tables["fitted"]):
        groups.append(Group("BlockNB fitted", _fitted(tables), "covariances estimated or known"))
    if len(tables["blocks"]):
        columns = ["dataset", "size", "samples", "blocks", "mean_abs_r", "shrunk", "mean_shrinkage"]
        found = tables.show("blocks", _BLOCKS, columns)
        groups.append(Group("Blocks found in data sets", [found], "shrinkage"))
    return groups


_BLOCKS = (
    "Blocks of the features whose residuals within classes correlate most. Mean |r|: how "
    "strongly, between features of one block. Blocks shrunk: the share whose covariance has "
    "too few samples; mean shrinkage: how far these are moved towards independence (Ledoit "
    "and Wolf), 1 being all the way, where blocks are as good as none."
)


def _fitted(tables: StudyTables) -> list[Block]:
    """Return BlockNB, its covariances estimated, beside the simulation with known ones."""
    table = tables["fitted"]
    samples = list(table["samples"].unique())
    caption = (
        "Gain over BlockNB with all blocks, in per cent: full marks BlockNB fitted to normal data, "
        "its covariances estimated, with standard errors as if methods had been fitted to "
        "different data, so rather too wide; hollow ones the simulation with known covariances. "
        "Marks near their hollow ones say that the simulation’s advice holds for the real "
        "classifier."
    )
    figures = [_fitted_figure(table[table["samples"] == n], n) for n in samples]
    texts = [_of_shrinkage(row) for row in tables["fitted_means"].itertuples()]
    explained = (
        "Exact risk of BlockNB given each training set; the risk it expects of itself, from the "
        "training samples alone, where less than the exact one is too hopeful; and the risk with "
        "known covariances. Means over fits; samples are per class."
    )
    return [
        Prose(" ".join([_SHRINKAGE, *texts]), sources=tables.sources("fitted_means")),
        Gallery(figures, caption, tables.sources("fitted")),
        tables.show("fitted", explained, _FITTED),
    ]


_FITTED = ("setting", "samples", "method", "risk", "risk_error", "expected_risk",
           "known_covariance_risk", "kept", "shrinkage")  # fmt: skip
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
