"""What a study found, in a sentence: the table that the index and the top of a report show."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

__all__ = ["distinct_labels", "headline", "subject"]

Tables = Mapping[str, pd.DataFrame]


def distinct_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Return classifiers' names by id, with the id where two have the same name.

    Examples
    --------
    >>> distinct_labels({"a": "NB", "b": "NB", "c": "SVM"})
    {'a': 'NB [a]', 'b': 'NB [b]', 'c': 'SVM'}
    """
    shared = {label for label, n in Counter(labels.values()).items() if n > 1}
    return {k: f"{label} [{k}]" if label in shared else label for k, label in labels.items()}


def headline(
    study: str,
    title: str,
    summary: str,
    labels: Mapping[str, str],
    tables: Tables,
    kept: Sequence[str] = (),
) -> pd.DataFrame:
    """Return the study's name and finding as a table of one row.

    Parameters
    ----------
    study, title, summary : str
        Its id, its heading and what it is about.
    labels : mapping of str to str
        Its classifiers' names by id, in order.
    tables : mapping of str to DataFrame
        The study's ``summary`` and ``selection``.
    kept : sequence of str
        Classifiers of which the study keeps models of all samples.

    Returns
    -------
    DataFrame
        ``study``, ``title``, ``summary``, ``classifier`` (id of the one that the study is about, ''
        without any), ``text`` and ``fits`` (how many were tried).
    """
    labels = distinct_labels(labels)
    chosen = subject(list(dict.fromkeys([*kept, *labels])), tables)
    text = _finding(chosen, labels, tables["summary"]) if labels else ""
    counts = tables["summary"].drop_duplicates(["dataset", "folds", "classifier"])
    fits = int(counts[["folds_ok", "folds_failed"]].to_numpy().sum())
    columns = ["study", "title", "summary", "classifier", "text", "fits"]
    return pd.DataFrame([(study, title, summary, chosen, text, fits)], columns=columns)


def subject(classifiers: Sequence[str], tables: Tables) -> str:
    """Return the classifier whose results come first: the first one that selects features.

    Where none does it is the one that is most accurate on most data sets; '' without classifiers
    that could be fitted.
    """
    selecting = set(tables["selection"]["classifier"])
    accuracy = _complete(tables["summary"], "accuracy", "mean")
    fitted = [name for name in classifiers if name in accuracy and accuracy[name].notna().any()]
    for name in fitted:
        if name in selecting:
            return name
    return str(_wins(accuracy[fitted]).idxmax()) if fitted else ""


def _complete(summary: pd.DataFrame, metric: str, value: str) -> pd.DataFrame:
    """Return a metric, data sets (and folds) by classifiers; missing where a fold failed."""
    rows = summary[(summary["metric"] == metric) & (summary["folds_failed"] == 0)]
    return rows.pivot_table(
        index=["dataset", "folds"], columns="classifier", values=value, sort=False, dropna=False
    )


def _wins(accuracy: pd.DataFrame) -> pd.Series:
    """Return on how many data sets each classifier is the most accurate, ties counted for all."""
    rounded = accuracy.round(3)
    return rounded.eq(rounded.max(axis=1), axis=0).sum()


def _finding(chosen: str, labels: Mapping[str, str], summary: pd.DataFrame) -> str:
    if not chosen:
        return "No classifier could be fitted in every fold; see the failures below."
    accuracy = _complete(summary, "accuracy", "mean")
    accuracy = accuracy[[name for name in labels if name in accuracy]]
    mine = accuracy[chosen].dropna()
    if len(mine) == 1:
        return _of_one(chosen, labels, summary, accuracy.loc[mine.index[0]])
    baseline = _complete(summary, "accuracy", "baseline")[chosen].reindex(mine.index)
    lower = _complete(summary, "accuracy", "lower")[chosen].reindex(mine.index)
    better = int((lower > baseline).sum())
    places = _places(mine)
    low, high = f"{mine.min():.1%}", f"{mine.max():.1%}"
    span = f"{low} ({places[mine.argmin()]}) to {high} ({places[mine.argmax()]})"
    first = (
        f"{labels[chosen]} has an accuracy of {low if low == high else span}, mean over folds, "
        f"surely above the share of the largest class on {better} of {len(mine)} {_sets(accuracy)}"
    )
    parts = [first]
    features = _complete(summary, "features_per_class", "mean")[chosen].reindex(mine.index)
    if features.notna().any():
        low, high = _count(features.min()), _count(features.max())
        span = low if low == high else f"{low} to {high}"
        parts.append(f"it uses {span} features per class")
    if accuracy.shape[1] > 1:
        wins = _wins(accuracy.dropna(axis="columns", how="all"))
        parts.append(
            f"of {accuracy.shape[1]} classifiers it is the most accurate on {wins[chosen]}"
            f"{_others(wins.drop(chosen), labels)}"
        )
    return f"{'; '.join(parts)}."


def _of_one(
    chosen: str, labels: Mapping[str, str], summary: pd.DataFrame, accuracy: pd.Series
) -> str:
    """Return the finding of a study with one data set."""
    row = summary[
        (summary["metric"] == "accuracy")
        & (summary["classifier"] == chosen)
        & (summary["dataset"] == accuracy.name[0])
        & (summary["folds"] == accuracy.name[1])
    ].iloc[0]
    text = f"{labels[chosen]} has an accuracy of {row['mean']:.1%}, mean over folds"
    if pd.notna(row["lower"]):
        text += f" (95 % interval {row['lower']:.1%} to {row['upper']:.1%})"
    if pd.notna(row["baseline"]):
        text += f", where always naming the largest class would have {row['baseline']:.1%}"
    features = _complete(summary, "features_per_class", "mean")[chosen].get(accuracy.name)
    if pd.notna(features):
        text += f", with {_count(features)} features per class"
    others = [
        f"{labels[name]} {value:.1%}"
        for name, value in accuracy.drop(chosen).items()
        if pd.notna(value)
    ]
    return f"{text}; {_listed(others)}." if others else f"{text}."


def _others(wins: pd.Series, labels: Mapping[str, str]) -> str:
    """Return which other classifier is ahead on how many."""
    best = wins.max()
    ahead = [labels[name] for name in wins.index if wins[name] == best and best > 0]
    return f", {_listed(ahead)} on {best}" if ahead else ""


def _places(values: pd.Series) -> list[str]:
    """Return the data sets' names, with the scheme of folds where there are several."""
    several = values.index.get_level_values("folds").nunique() > 1
    return [f"{dataset}, {folds}" if several else dataset for dataset, folds in values.index]


def _sets(accuracy: pd.DataFrame) -> str:
    several = accuracy.index.get_level_values("folds").nunique() > 1
    return "pairs of data set and folds" if several else "data sets"


def _count(number: float) -> str:
    return f"{number:.1f}" if number < 1000 else f"{number:,.0f}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
