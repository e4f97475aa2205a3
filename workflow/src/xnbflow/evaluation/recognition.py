"""Which classes and samples a classifier recognises: recall per class, mistakes per sample."""

from collections.abc import Mapping

import pandas as pd

from xnbflow.data.contract import STUDY_TABLES
from xnbflow.evaluation.intervals import proportion_interval

__all__ = ["recall", "samples"]

_KEY = ["dataset", "folds", "classifier"]

Tables = Mapping[tuple[str, str, str], pd.DataFrame]


def recall(predictions: Tables) -> pd.DataFrame:
    """Return how many of a class's samples each classifier recognises.

    Parameters
    ----------
    predictions : mapping of (data set, folds, classifier) to DataFrame
        As made by `xnbflow.evaluation.training.train`, all repeats.

    Returns
    -------
    DataFrame
        One row per classifier and class that is tested: ``samples`` (of the class that are
        tested), ``tested`` (how often, over repeats), ``right`` (how many of these), ``recall``
        (their share) with its 95 % interval ``lower`` and ``upper`` (each sample counted once, see
        `xnbflow.evaluation.intervals`), ``predicted`` (how often the class was predicted, rightly
        or not), ``precision`` (how many of these are right; missing if there are none) and
        ``recognised``: whether more than half of the tests are right. What such a classifier says
        of a class that it does not recognise, its features among it, means nothing.
    """
    parts = []
    for key, table in predictions.items():
        if table.empty:
            continue
        right = table["true"] == table["predicted"]
        counts = (
            table.assign(right=right)
            .groupby("true", sort=True)
            .agg(samples=("sample", "nunique"), tested=("right", "size"), right=("right", "sum"))
        )
        counts["recall"] = counts["right"] / counts["tested"]
        repeats = counts["tested"] / counts["samples"]
        lower, upper = proportion_interval(counts["right"] / repeats, counts["samples"])
        predicted = table["predicted"].value_counts().reindex(counts.index, fill_value=0)
        counts = counts.assign(lower=lower, upper=upper, predicted=predicted)
        counts["precision"] = counts["right"] / predicted.where(predicted > 0)
        counts["recognised"] = counts["recall"] > 0.5
        counts = counts.rename_axis("class").reset_index()
        parts.append(counts.assign(**dict(zip(_KEY, key, strict=True))))
    if not parts:
        return pd.DataFrame(columns=STUDY_TABLES["recall"].fixed)
    return pd.concat(parts, ignore_index=True)[STUDY_TABLES["recall"].fixed]


def samples(predictions: Tables, recall: pd.DataFrame) -> pd.DataFrame:
    """Return how often each sample was tested and misclassified, and what it was taken for.

    Parameters
    ----------
    predictions : mapping of (data set, folds, classifier) to DataFrame
    recall : DataFrame
        As made by `recall` from the same predictions.

    Returns
    -------
    DataFrame
        ``tested``, ``wrong`` (times), ``predicted`` (most often), ``mistakes``: each wrong class
        with its number of times, the most frequent first, say ``AML 7, B-ALL 3``; and
        ``suspect``: whether it is wrong in more than half of its tests by a classifier that
        recognises its class. Only such a sample may be mislabelled: of a class that is not
        recognised every sample is wrong.
    """
    columns = ["sample", "true", "predicted"]
    parts = [
        table[columns].assign(**dict(zip(_KEY, key, strict=True)))
        for key, table in predictions.items()
        if not table.empty
    ]
    if not parts:
        return pd.DataFrame(columns=STUDY_TABLES["samples"].fixed)
    table = pd.concat(parts, ignore_index=True)
    table["wrong"] = table["true"] != table["predicted"]
    group = [*_KEY, "sample", "true"]
    counts = table.groupby(group, sort=False)["wrong"].agg(tested="size", wrong="sum").reset_index()
    votes = table.groupby([*group, "predicted"], sort=False).size().reset_index(name="votes")
    votes = votes.sort_values("votes", ascending=False, kind="stable")
    wrong = votes[votes["true"] != votes["predicted"]]
    said = wrong["predicted"].astype(str) + " " + wrong["votes"].astype(str)
    mistakes = wrong.assign(mistakes=said).groupby(group, sort=False)["mistakes"].agg(", ".join)
    predicted = votes.drop_duplicates(group).drop(columns="votes")
    counts = counts.merge(predicted, on=group, how="left", validate="one_to_one")
    counts = counts.merge(mistakes.reset_index(), on=group, how="left", validate="one_to_one")
    known = recall[[*_KEY, "class", "recognised"]].rename(columns={"class": "true"})
    counts = counts.merge(known, on=[*_KEY, "true"], how="left", validate="many_to_one")
    counts["suspect"] = (2 * counts["wrong"] > counts["tested"]) & counts["recognised"].astype(bool)
    return counts.fillna({"mistakes": ""})[STUDY_TABLES["samples"].fixed]
