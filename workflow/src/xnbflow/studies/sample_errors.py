"""Samples that classifiers get wrong, and samples whose label may be wrong."""

import re

import numpy as np
import pandas as pd

from xnbflow.evaluation.keyed_tables import KEY, Tables, stack
from xnbflow.evaluation.training import LOG_POSTERIOR
from xnbflow.inference.verdicts import SURE
from xnbflow.tables.contract import STUDY_TABLES


def samples(predictions: Tables, estimates: pd.DataFrame) -> pd.DataFrame:
    """Return how often each sample was tested and misclassified, and as which class.

    A sample is suspect if a classifier that recognises its class (by the table ``estimates``)
    predicts the same other class in all of its tests, with a mean probability of `SURE` or more if
    it has probabilities. Of a class that is not recognised every sample is wrong.
    """
    claimed = {k: t.assign(probability=_claimed(t)) for k, t in predictions.items() if len(t)}
    table = stack(claimed, ["sample", "true", "predicted", "probability"])
    if table.empty:
        return pd.DataFrame(columns=STUDY_TABLES["samples"].fixed)
    table["wrong"] = table["true"] != table["predicted"]
    group = [*KEY, "sample", "true"]
    counts = table.groupby(group, sort=False).agg(
        tested=("wrong", "size"),
        wrong=("wrong", "sum"),
        probability=("probability", "mean"),
        other_classes=("predicted", "nunique"),
    )
    counts = counts.reset_index()
    votes = table.groupby([*group, "predicted"], sort=False).size().reset_index(name="votes")
    votes = votes.sort_values("votes", ascending=False, kind="stable")
    wrong = votes[votes["true"] != votes["predicted"]]
    said = wrong["predicted"].astype(str) + " " + wrong["votes"].astype(str)
    mistakes = wrong.assign(mistakes=said).groupby(group, sort=False)["mistakes"].agg(", ".join)
    predicted = votes.drop_duplicates(group).drop(columns="votes")
    counts = counts.merge(predicted, on=group, how="left", validate="one_to_one")
    counts = counts.merge(mistakes.reset_index(), on=group, how="left", validate="one_to_one")
    known = estimates.loc[estimates["metric"] == "recall", [*KEY, "class", "above"]]
    known = known.rename(columns={"class": "true"})
    counts = counts.merge(known, on=[*KEY, "true"], how="left", validate="many_to_one")
    always = (counts["wrong"] == counts["tested"]) & (counts["other_classes"] == 1)
    sure = ~(counts["probability"] < SURE)
    counts["suspect"] = always & sure & counts["above"].astype(bool)
    return counts.fillna({"mistakes": ""})[STUDY_TABLES["samples"].fixed]


def _claimed(table: pd.DataFrame) -> np.ndarray:
    """Return the probability of each predicted class; missing where there are none."""
    logs = table.filter(regex=f"^{re.escape(LOG_POSTERIOR)}")
    columns = logs.columns.get_indexer(LOG_POSTERIOR + table["predicted"].astype(str))
    whole = np.column_stack([logs.to_numpy(dtype=float), np.full(len(logs), np.nan)])
    return np.exp(whole[np.arange(len(logs)), columns])  # -1, of an unknown class, is missing


def suspects(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the suspect samples of which all of several classifiers predict the same class."""
    key = ["dataset", "sample"]
    doubted = samples[samples["suspect"].astype(bool)]
    named = doubted.groupby([*key, "true", "predicted"])["probability"]
    agreed = named.agg(count="size", probability="min").reset_index()
    rows = agreed.merge(samples.value_counts(key).reset_index(), on=[*key, "count"])
    rows = rows[rows["count"] > 1].sort_values(key, ignore_index=True)
    return rows[STUDY_TABLES["suspects"].fixed]


def hard_samples(samples: pd.DataFrame) -> pd.DataFrame:
    """Return how many samples so many classifiers get wrong, in more than half of the repeats."""
    place = ["dataset", "folds"]
    wrong = _mostly_wrong(samples).groupby([*place, "sample"], sort=False)["mostly"].sum()
    counts = wrong.rename("classifiers").reset_index().groupby([*place, "classifiers"]).size()
    table = counts.reset_index(name="samples")
    share = table["samples"] / table.groupby(place)["samples"].transform("sum")
    return table.assign(share=share.astype(float))


def _mostly_wrong(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``mostly``: whether a classifier is wrong in more than half of the repeats."""
    return samples.assign(mostly=2 * samples["wrong"] > samples["tested"])


def misclassified(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that at least one classifier gets wrong at least once.

    Of each data set those wrong by most come first, then those that are wrong most often.
    """
    groups = _mostly_wrong(samples).groupby(["dataset", "folds", "sample", "true"], sort=False)
    sums = groups[["mostly", "wrong", "tested"]].sum().astype(int).reset_index()
    sums = sums[sums["wrong"] > 0].rename(columns={"mostly": "wrong_by"})
    order = ["dataset", "folds", "wrong_by", "wrong"]
    ascending = [True, True, False, False]
    return sums.sort_values(order, ascending=ascending, kind="stable", ignore_index=True)
