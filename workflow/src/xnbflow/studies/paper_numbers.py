"""Comparison of the paper's numbers with ours."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from xnbflow.tables.contract import STUDY_TABLES

#: The paper's columns: its classifier, our number to compare each with, and its printed decimals.
_PAPER = {
    "non_normal_ratio": ("", "non_normal_ratio", 2),
    "dependent_ratio": ("", "dependent_ratio", 2),
    "nb_accuracy": ("nb", "accuracy", 3),
    "xnb_accuracy": ("xnb", "accuracy", 3),
    "xnb_features_per_class": ("xnb", "features_per_class", 1),
}


def paper_numbers(
    repeats: pd.DataFrame,
    diagnostics: pd.DataFrame,
    printed: Sequence[pd.DataFrame],
    parts: Mapping[str, str],
) -> pd.DataFrame:
    """Return the paper's numbers with ours, for the data sets of the paper.

    ``parts`` names which of our classifiers is the paper's ``nb``, and which its ``xnb``; numbers
    of one without a counterpart are left out. ``percentile`` is that of the paper's value among our
    repeats, rounded as the paper prints them, a half for ties.
    """
    of_parts = dict(iter(repeats.groupby(["dataset", "classifier", "metric"], sort=False)))
    numbers = pd.concat(
        [t.melt(["type", "accession"], var_name="quantity", value_name="paper") for t in printed]
    )
    rows = []
    for number in numbers[numbers["quantity"].isin(list(_PAPER))].to_dict("records"):
        dataset, quantity, value = number["accession"], number["quantity"], number["paper"]
        part, metric, decimals = _PAPER[quantity]
        if part:
            ours = of_parts.get((dataset, parts.get(part, ""), metric), repeats.iloc[:0])
        else:
            own = diagnostics.loc[diagnostics["dataset"] == dataset, metric]
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
    return pd.DataFrame(rows, columns=STUDY_TABLES["paper"].fixed)
