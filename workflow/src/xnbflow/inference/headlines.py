"""What a study found, in a sentence: the table that the index and the top of a report show."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from xnbflow.inference.verdicts import LEVEL, holm
from xnbflow.tables.contract import STUDY_TABLES

__all__ = ["distinct_labels", "headline", "subject"]

_PLACE = ["dataset", "folds"]


def distinct_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Return classifiers' names by id, with the id where two have the same name.

    Examples
    --------
    >>> distinct_labels({"a": "NB", "b": "NB", "c": "SVM"})
    {'a': 'NB [a]', 'b': 'NB [b]', 'c': 'SVM'}
    """
    shared = {label for label, n in Counter(labels.values()).items() if n > 1}
    return {k: f"{label} [{k}]" if label in shared else label for k, label in labels.items()}


def headline(about: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the study's name and finding as a table of one row.

    It needs the study's ``summary``, ``selection`` and ``verdicts``; for ``about`` see
    `xnbflow.studies.study_tables.study_tables`.
    """
    labels, summary = distinct_labels(about["labels"]), tables["summary"]
    chosen, choices = subject(about, tables["selection"], summary)
    text = _finding(chosen, choices, labels, summary, tables["verdicts"]) if labels else ""
    counts = summary.drop_duplicates([*_PLACE, "classifier"])
    fits = int(counts[["folds_ok", "folds_failed"]].to_numpy().sum())
    row = (about["study"], about["title"], about["summary"], chosen, text, fits)
    return pd.DataFrame([row], columns=STUDY_TABLES["headline"].fixed)


def subject(
    about: Mapping[str, Any], selection: pd.DataFrame, summary: pd.DataFrame
) -> tuple[str, int]:
    """Return the classifier whose results come first, and out of how many it was chosen.

    It is the one that ``headline`` of the configuration names, or the first one that selects
    features, those whose models are kept before the others: neither choice depends on the results.
    Where none selects features it is the one that is most accurate on most data sets: it was then
    chosen after looking, out of all that could be fitted. '' without classifiers that could be.
    """
    names = list(dict.fromkeys([*about.get("kept", ()), *about["labels"]]))
    accuracy = _complete(summary, "accuracy", "mean")
    fitted = [name for name in names if name in accuracy and accuracy[name].notna().any()]
    if about.get("headline") in fitted:
        return about["headline"], 1
    selecting = set(selection["classifier"])
    for name in fitted:
        if name in selecting:
            return name, 1
    return (str(_wins(accuracy[fitted]).idxmax()), len(fitted)) if fitted else ("", 1)


def _complete(summary: pd.DataFrame, metric: str, value: str) -> pd.DataFrame:
    """Return a metric, data sets (and folds) by classifiers; missing where a fold failed."""
    rows = summary[(summary["metric"] == metric) & (summary["folds_failed"] == 0)]
    return rows.pivot_table(
        index=_PLACE, columns="classifier", values=value, sort=False, dropna=False
    )


def _wins(accuracy: pd.DataFrame) -> pd.Series:
    """Return on how many data sets each classifier is the most accurate, ties counted for all."""
    rounded = accuracy.round(3)
    return rounded.eq(rounded.max(axis=1), axis=0).sum()


def _finding(
    chosen: str,
    choices: int,
    labels: Mapping[str, str],
    summary: pd.DataFrame,
    verdicts: pd.DataFrame,
) -> str:
    if not chosen:
        return "No classifier could be fitted in every fold; see the failures below."
    accuracy = _complete(summary, "accuracy", "pooled")
    accuracy = accuracy[[name for name in labels if name in accuracy]]
    mine = verdicts[verdicts["classifier"] == chosen].set_index(_PLACE)
    mine = mine.loc[mine.index.isin(accuracy[chosen].dropna().index)]
    features = _complete(summary, "features_per_class", "mean")[chosen].reindex(mine.index)
    several = accuracy.index.get_level_values("folds").nunique() > 1
    places = [f"{dataset}, {folds}" if several else dataset for dataset, folds in mine.index]
    one = len(mine) == 1
    value = mine["accuracy"]
    if one:
        row = mine.iloc[0]
        found = (
            f"{labels[chosen]} has an accuracy of {row['accuracy']:.1%} (95 % interval "
            f"{row['accuracy_lower']:.1%} to {row['accuracy_upper']:.1%}), where the "
            f"majority-class baseline has {row['majority']:.1%}"
        )
    else:
        above = int((holm(mine["majority_p"]) <= LEVEL).sum())
        sets = "pairs of data set and folds" if several else "data sets"
        found = (
            f"{labels[chosen]} has an accuracy of {_span(value, places)}; it is above the "
            f"majority-class rate on {above} of {len(mine)} {sets} (p at most {LEVEL}, corrected "
            "by Holm)"
        )
    parts = [found]
    if choices > 1:
        parts.append(
            f"it was chosen after looking, as the most accurate of {choices}, and its intervals "
            "and p-values are corrected for that"
        )
    if copied := mine.index[mine["reasons"].str.contains("copies")].unique("dataset").tolist():
        parts.append(f"samples of {_listed(copied)} are copies of others, known from training")
    if features.notna().any():
        low, high = _count(features.min()), _count(features.max())
        parts.append(f"it uses {low if low == high else f'{low} to {high}'} features per class")
    if accuracy.shape[1] > 1:
        parts.append(_beside(chosen, labels, accuracy, one=one))
    return f"{'; '.join(parts)}."


def _span(values: pd.Series, places: Sequence[str]) -> str:
    low, high = f"{values.min():.1%}", f"{values.max():.1%}"
    span = f"{low} ({places[values.argmin()]}) to {high} ({places[values.argmax()]})"
    return low if low == high else span


def _beside(chosen: str, labels: Mapping[str, str], accuracy: pd.DataFrame, *, one: bool) -> str:
    """Return how the other classifiers did."""
    if one:
        others = accuracy.drop(columns=chosen).loc[accuracy[chosen].notna()].iloc[0]
        return _listed([f"{labels[n]} {v:.1%}" for n, v in others.items() if pd.notna(v)])
    wins = _wins(accuracy.dropna(axis="columns", how="all"))
    others = wins.drop(chosen)
    ahead = [labels[n] for n in others.index if others[n] == others.max() > 0]
    rest = f", {_listed(ahead)} on {others.max()}" if ahead else ""
    return f"of {accuracy.shape[1]} classifiers it is the most accurate on {wins[chosen]}{rest}"


def _count(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 or number == round(number) else f"{number:.1f}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""
