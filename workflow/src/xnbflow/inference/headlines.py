"""The classifier whose results come first, and its comparison with the largest class."""

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.core.study import Study
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.tables.contract import GROUPS


def distinct_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Return classifiers' names by id, with the id added if two names are equal.

    Examples
    --------
    >>> distinct_labels({"a": "NB", "b": "NB", "c": "SVM"})
    {'a': 'NB [a]', 'b': 'NB [b]', 'c': 'SVM'}
    """
    shared = {label for label, n in Counter(labels.values()).items() if n > 1}
    return {k: f"{label} [{k}]" if label in shared else label for k, label in labels.items()}


def headline_table(chosen: str, summary: pd.DataFrame, estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the study's first classifier as a table of one row.

    ``chosen`` is the classifier of `headline_classifier`.
    """
    counts = summary.drop_duplicates(["dataset", "folds", "classifier"])
    accuracies = estimates[
        (estimates["classifier"] == chosen)
        & (estimates["metric"] == "accuracy")
        & (estimates["folds_failed"] == 0)
    ]
    row = {
        "classifier": chosen,
        "candidates": max(accuracies["candidates"], default=1),
        "above": int((holm(accuracies["p"].to_numpy()) <= ONE_SIDED_LEVEL).sum()),
        "fits": int(counts[["folds_ok", "folds_failed"]].to_numpy().sum()),
    }
    return pd.DataFrame([row], columns=GROUPS["study"].tables["headline"].fixed)


def headline_classifier(
    study: Study, selection: pd.DataFrame, averages: pd.DataFrame
) -> tuple[str, int]:
    """Return the classifier whose results come first, and from how many it was chosen by results.

    Among the classifiers that could be fitted it is, in this order,

    1. the classifier that the study's key ``headline`` names;
    2. the first that selects features; classifiers of ``final`` models come before the others;
    3. the most accurate on most data sets.

    Only the third is a choice by the results, for which the intervals are corrected; otherwise the
    number is 1. The name is '' if no classifier could be fitted. ``selection`` and ``averages`` are
    the study's tables.
    """
    wins = averages.set_index("classifier")["wins"]
    candidates = dict.fromkeys([*study.final, *study.classifiers])
    fitted = [name for name in candidates if name in wins]
    if study.headline in fitted:
        return study.headline, 1
    selecting = [name for name in fitted if name in set(selection["classifier"])]
    if selecting:
        return selecting[0], 1
    return (str(wins[fitted].idxmax()), len(fitted)) if fitted else ("", 1)
