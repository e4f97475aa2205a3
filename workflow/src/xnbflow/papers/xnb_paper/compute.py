"""The numbers that the XNB paper prints in Tables 1 and 2 and in Figure 1, beside ours."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.papers.xnb_paper.entries import ANALYSIS
from xnbflow.papers.xnb_paper.figure1 import figure_numbers, percentile_of
from xnbflow.papers.xnb_paper.published import (
    DECIMALS,
    FIGURE_SERIES,
    MEANS,
    features_of_series,
    printed_numbers,
)
from xnbflow.tables.contract import analysis_tables

TABLES = analysis_tables(ANALYSIS)

#: The paper's columns: its classifier, or none, and our number to compare each with.
_OURS = {
    "non_normal_ratio": ("", "non_normal_ratio"),
    "dependent_ratio": ("", "dependent_ratio"),
    "nb_accuracy": ("nb", "accuracy"),
    "xnb_accuracy": ("xnb", "accuracy"),
    "xnb_features_per_class": ("xnb", "features_per_class"),
}
#: Cross-validations for the distribution of Figure 1.
_FIGURE_REPEATS = 10


def analyse(
    series: Mapping[str, DataSet], params: Mapping[str, Any], _threads: int
) -> dict[str, pd.DataFrame]:
    """Return the table ``figure1``, empty without the series of the figure.

    All other numbers are in the tables of the study; `compare` reads them. ``params`` may have
    ``figure_repeats``, the number of ten-fold cross-validations.
    """
    rows = pd.DataFrame(columns=TABLES["figure1"].fixed)
    if FIGURE_SERIES in series:
        repeats = params.get("figure_repeats", _FIGURE_REPEATS)
        rows = figure_numbers(series[FIGURE_SERIES], repeats)
    return {"figure1": rows}


def compare(about: Mapping[str, Any], study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables ``numbers`` and ``means``, for the data sets of the paper.

    ``about`` has ``parts``, the study's classifiers that are the paper's ``nb`` and ``xnb``;
    numbers of one without a counterpart are left out. ``study`` has its ``repeats`` and
    ``diagnostics``. ``percentile`` is that of the paper's value among our repeats, rounded as the
    paper prints them, a half for ties.
    """
    values = pd.DataFrame(
        _comparable(about["parts"], study["repeats"], study["diagnostics"]),
        columns=["dataset", "folds", "quantity", "paper", "repeat", "value"],
    )
    return {"numbers": _numbers(values), "means": _means(values)}


def _comparable(
    parts: Mapping[str, str], repeats: pd.DataFrame, diagnostics: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """Yield our values of every printed number, a row for each repeat.

    A diagnostic has one value, and no scheme of folds.
    """
    measured = dict(iter(repeats.groupby(["dataset", "classifier", "metric"], sort=False)))
    for printed in printed_numbers().to_dict("records"):
        dataset = printed["accession"]
        quantity = printed["quantity"]
        part, metric = _OURS[quantity]
        if part:
            ours = measured.get((dataset, parts.get(part, ""), metric), repeats.iloc[:0])
        else:
            ratio = diagnostics.query("dataset == @dataset")[metric]
            ours = pd.DataFrame({"folds": "", "value": ratio})
        for folds, group in ours.dropna(subset="value").groupby("folds", sort=False):
            for repeat, value in enumerate(group["value"]):
                yield {
                    "dataset": dataset,
                    "folds": folds,
                    "quantity": quantity,
                    "paper": printed["value"],
                    "repeat": repeat,
                    "value": value,
                }


def _numbers(values: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each printed number."""
    rows = []
    keys = ["dataset", "folds", "quantity", "paper"]
    for (dataset, folds, quantity, printed), group in values.groupby(keys, sort=False):
        ours = group["value"].to_numpy()
        rows.append(
            {
                "dataset": dataset,
                "folds": folds,
                "quantity": quantity,
                "paper": printed,
                "ours": ours.mean(),
                "sd": _standard_deviation(ours),
                "percentile": percentile_of(printed, ours.round(DECIMALS[quantity])),
                "n_repeats": len(ours),
            }
        )
    return pd.DataFrame(rows, columns=TABLES["numbers"].fixed)


def _means(values: pd.DataFrame) -> pd.DataFrame:
    """Return the rows "Mean" of Tables 1 and 2: the printed ones, and ours over data sets.

    Where the study lacks data sets of the paper, ``paper_here`` is the mean of the printed numbers
    of those that it has.
    """
    rows = []
    for (folds, quantity), group in values.groupby(["folds", "quantity"], sort=False):
        printed = group.groupby("dataset")["paper"].first()
        by_repeat = group.groupby(["repeat", "dataset"])["value"].mean().unstack()
        complete = by_repeat.dropna()
        of_paper = printed.mean()
        ours = complete.mean(axis=1).to_numpy()
        quantities = {quantity: (of_paper, ours)}
        if quantity == "xnb_features_per_class":
            # The paper's figure is the ratio of the two means, not the mean of the ratios.
            features = features_of_series().loc[printed.index].mean()
            quantities["reduction"] = (1 - of_paper / features, 1 - ours / features)
        for name, (paper_here, means) in quantities.items():
            rows.append(
                {
                    "folds": folds,
                    "quantity": name,
                    "paper": MEANS[name],
                    "paper_here": paper_here,
                    "ours": means.mean(),
                    "sd": _standard_deviation(means),
                    "datasets": len(printed),
                    "n_repeats": len(means),
                }
            )
    return pd.DataFrame(rows, columns=TABLES["means"].fixed)


def _standard_deviation(values: np.ndarray) -> float:
    """Return the standard deviation of repeats; missing with one."""
    return float(values.std(ddof=1)) if len(values) > 1 else np.nan
