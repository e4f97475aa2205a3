"""The numbers that Tables 1 and 2 of the XNB paper print, beside ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.papers.xnb_paper.entries import ANALYSIS
from xnbflow.tables.contract import analysis_tables

TABLES = analysis_tables(ANALYSIS)

#: The paper's columns: its classifier, our number to compare each with, and its printed decimals.
_PAPER = {
    "non_normal_ratio": ("", "non_normal_ratio", 2),
    "dependent_ratio": ("", "dependent_ratio", 2),
    "nb_accuracy": ("nb", "accuracy", 3),
    "xnb_accuracy": ("xnb", "accuracy", 3),
    "xnb_features_per_class": ("xnb", "features_per_class", 1),
}


def analyse(_series: object, _params: object, _threads: int) -> dict[str, pd.DataFrame]:
    """Return no tables: all numbers are in the tables of the study."""
    return {}


def compare(about: Mapping[str, Any], study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the table ``numbers``, for the data sets of the paper.

    ``about`` has ``parts``, the study's classifiers that are the paper's ``nb`` and ``xnb``;
    numbers of one without a counterpart are left out. ``study`` has its ``repeats`` and
    ``diagnostics``. ``percentile`` is that of the paper's value among our repeats, rounded as the
    paper prints them, a half for ties.
    """
    repeats, parts = study["repeats"], about["parts"]
    of_parts = dict(iter(repeats.groupby(["dataset", "classifier", "metric"], sort=False)))
    rows = []
    for number in printed_numbers().to_dict("records"):
        dataset, quantity, value = number["accession"], number["quantity"], number["value"]
        part, metric, decimals = _PAPER[quantity]
        if part:
            ours = of_parts.get((dataset, parts.get(part, ""), metric), repeats.iloc[:0])
        else:
            own = study["diagnostics"].query("dataset == @dataset")[metric]
            ours = pd.DataFrame({"folds": "", "value": own})
        for folds, group in ours.dropna(subset="value").groupby("folds", sort=False):
            found = group["value"].to_numpy()
            rounded = found.round(decimals)
            below = (rounded < value).mean() + (rounded == value).mean() / 2
            sd = found.std(ddof=1) if len(found) > 1 else np.nan
            rows.append(
                {"dataset": dataset, "folds": folds, "quantity": quantity, "paper": value}
                | {"ours": found.mean(), "sd": sd, "percentile": 100 * below}
                | {"n_repeats": len(found)}
            )
    return {"numbers": pd.DataFrame(rows, columns=TABLES["numbers"].fixed)}


def printed_numbers() -> pd.DataFrame:
    """Return the printed numbers that we compute as well, a row each."""
    tables = [pd.read_csv(Path(__file__).with_name(f"table{i}.tsv"), sep="\t") for i in (1, 2)]
    numbers = [table.melt(["type", "accession"], var_name="quantity") for table in tables]
    return pd.concat(numbers).query("quantity in @_PAPER")
