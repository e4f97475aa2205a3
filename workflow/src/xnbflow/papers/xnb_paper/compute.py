"""The numbers that the XNB paper and its script print, beside ours: Tables 1 and 2, Figure 1."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.papers.xnb_paper.entries import ANALYSIS
from xnbflow.papers.xnb_paper.figure1 import figure_features, figure_numbers, percentile_of
from xnbflow.papers.xnb_paper.published import (
    DECIMALS,
    FIGURE_SERIES,
    MEANS,
    features_of_series,
    printed_numbers,
    published_table,
)
from xnbflow.papers.xnb_paper.script import script_table
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
#: The tables that are computed from series, and not from tables of the study.
_OF_SERIES = ("script", "figure1", "figure1_features")
#: Cross-validations for the distribution of Figure 1.
_FIGURE_REPEATS = 10


def analyse(
    series: Mapping[str, DataSet], params: Mapping[str, Any], _threads: int
) -> dict[str, pd.DataFrame]:
    """Return the tables of Figure 1 and of the script, empty without their series.

    All other numbers are in the tables of the study; `compare` reads them. ``params`` may have
    ``figure_repeats``, the number of ten-fold cross-validations.
    """
    tables = {name: pd.DataFrame(columns=TABLES[name].fixed) for name in _OF_SERIES}
    tables["script"] = script_table(series)[TABLES["script"].fixed]
    if FIGURE_SERIES in series:
        repeats = params.get("figure_repeats", _FIGURE_REPEATS)
        tables["figure1"] = figure_numbers(series[FIGURE_SERIES], repeats)
        tables["figure1_features"] = figure_features(series[FIGURE_SERIES])
    return tables


def compare(about: Mapping[str, Any], study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables ``numbers`` and ``printed``.

    ``about`` has ``parts``, the study's classifiers that are the paper's ``nb`` and ``xnb`` and the
    script's ``fs_nb``; numbers of one without a counterpart are left out. It has the ``folds`` of
    the study, of which the first scheme is that of Table 2. ``study`` has its ``repeats`` and
    ``datasets``. ``percentile`` is that of the paper's value among our repeats, rounded as the
    paper prints them, a half for ties.
    """
    values = pd.DataFrame(
        _comparable(about["parts"], study["repeats"], study["datasets"]),
        columns=["dataset", "folds", "quantity", "paper", "repeat", "value"],
    )

    # A row for each printed number.
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
                "paper_here": printed,
                "ours": ours.mean(),
                "sd": _standard_deviation(ours),
                "percentile": percentile_of(printed, ours.round(DECIMALS[quantity])),
                "datasets": 1,
                "n_repeats": len(ours),
            }
        )
    numbers = pd.DataFrame(rows, columns=TABLES["numbers"].fixed)

    first = next(iter(about.get("folds", ())), "")
    ours = numbers[numbers["folds"].isin(["", first])]
    ours = ours.pivot_table(index="dataset", columns="quantity", values="ours", sort=False)

    # The mean accuracy over repeats of a classifier in a scheme of folds, by series.
    classifier = about["parts"].get("fs_nb", "")
    repeats = study["repeats"]
    is_row = (repeats["classifier"] == classifier) & (repeats["metric"] == "accuracy")
    in_first_scheme = repeats[is_row & (repeats["folds"] == first)]
    fs_nb = in_first_scheme.groupby("dataset")["value"].mean()

    return {
        "numbers": pd.concat([numbers, _means(values)], ignore_index=True),
        "printed": printed_tables(ours, fs_nb),
    }


def printed_tables(ours: pd.DataFrame, fs_nb: pd.Series) -> pd.DataFrame:
    """Return Tables 1 and 2 as they are printed, ours beside each number, and the row Mean.

    ``ours`` has our number by series and quantity, ``fs_nb`` the accuracy of the script's third
    classifier by series, which the paper does not print. A series that the study lacks has the
    printed numbers only; our means are over the others. The reduction of a series is one minus the
    features per class over its number of features; that of the row Mean is of the two means, as in
    section 6 of the paper.
    """
    printed = published_table(1).merge(published_table(2), on=["type", "accession"])
    series = printed["accession"]
    ours = ours.reindex(index=series, columns=list(_OURS))
    rows = pd.DataFrame({"type": [*printed["type"], "Mean"], "series": [*series, ""]})
    rows["features"] = [*printed["features"], printed["features"].mean()]
    for quantity in _OURS:
        rows[quantity] = [*printed[quantity], MEANS[quantity]]
        rows[f"{quantity}_ours"] = [*ours[quantity], ours[quantity].mean()]
    rows["fs_nb_accuracy"] = [*fs_nb.reindex(series), fs_nb.mean()]
    rows["reduction"] = 1 - rows["xnb_features_per_class"] / rows["features"]
    # Our mean is over the series that the study has, and so is its number of features.
    is_present = ours["xnb_features_per_class"].notna().to_numpy()
    n_features = [*printed["features"], printed["features"][is_present].mean()]
    rows["reduction_ours"] = 1 - rows["xnb_features_per_class_ours"] / n_features
    return rows


def _comparable(
    parts: Mapping[str, str], repeats: pd.DataFrame, datasets: pd.DataFrame
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
            ratio = datasets.query("dataset == @dataset")[metric]
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


def _means(values: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``numbers`` for the rows "Mean" of Tables 1 and 2, and ours.

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
                    "dataset": "",
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
    return pd.DataFrame(rows, columns=TABLES["numbers"].fixed)


def _standard_deviation(values: np.ndarray) -> float:
    """Return the standard deviation of repeats; missing with one."""
    return float(values.std(ddof=1)) if len(values) > 1 else np.nan
