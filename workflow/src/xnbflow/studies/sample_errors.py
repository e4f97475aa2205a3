"""Samples that classifiers get wrong, and samples whose label may be wrong."""

import re
from collections.abc import Collection

import numpy as np
import pandas as pd

from xnbflow.evaluation.keyed_tables import KEY, LOG_POSTERIOR, Key, Tables, stack
from xnbflow.tables.contract import GROUPS

#: Least mean margin over all classifiers of a doubtful label. Sensitivity and false alarms:
#: `docs/methods/verdicts-evidence.md`.
MARGIN = 0.7


def samples(predictions: Tables, estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the tests and misclassifications of each sample, with the predicted classes.

    The margin is the probability of the predicted class less that of the label. A sample is suspect
    if a classifier that recognises its class (by the table ``estimates``) predicts the same other
    class in more than half of its tests, with a positive mean margin. In a class that is not
    recognised every sample would be wrong.
    """
    with_margins = {}
    for key, table in predictions.items():
        if len(table):
            probability = _probability_of(table, "predicted")
            margin = probability - _probability_of(table, "true")
            with_margins[key] = table.assign(probability=probability, margin=margin)
    table = stack(with_margins, ["sample", "true", "predicted", "probability", "margin"])
    if table.empty:
        return pd.DataFrame(columns=GROUPS["study"].tables["samples"].fixed)
    table["wrong"] = table["true"] != table["predicted"]
    group = [*KEY, "sample", "true"]
    counts = table.groupby(group, sort=False).agg(
        tested=("wrong", "size"),
        wrong=("wrong", "sum"),
        probability=("probability", "mean"),
        margin=("margin", "mean"),
    )
    counts = counts.reset_index()
    votes = table.groupby([*group, "predicted"], sort=False).size().reset_index(name="votes")
    votes = votes.sort_values("votes", ascending=False, kind="stable")
    wrong = votes[votes["true"] != votes["predicted"]]
    answers = wrong["predicted"].astype(str) + " " + wrong["votes"].astype(str)
    mistakes = wrong.assign(mistakes=answers).groupby(group, sort=False)["mistakes"].agg(", ".join)
    predicted = votes.drop_duplicates(group)
    counts = counts.merge(predicted, on=group, how="left", validate="one_to_one")
    counts = counts.merge(mistakes.reset_index(), on=group, how="left", validate="one_to_one")
    recognised = estimates.loc[estimates["metric"] == "recall", [*KEY, "class", "above"]]
    recognised = recognised.rename(columns={"class": "true"})
    counts = counts.merge(recognised, on=[*KEY, "true"], how="left", validate="many_to_one")
    counts["recognised"] = counts["above"].astype(bool)
    mostly = (2 * counts["votes"] > counts["tested"]) & (counts["predicted"] != counts["true"])
    counts["suspect"] = mostly & ~(counts["margin"] <= 0) & counts["recognised"]
    return counts.fillna({"mistakes": ""})[GROUPS["study"].tables["samples"].fixed]


def _probability_of(table: pd.DataFrame, which: str) -> np.ndarray:
    """Return the probability of the class in a column; missing where there are none."""
    logs = table.filter(regex=f"^{re.escape(LOG_POSTERIOR)}")
    columns = logs.columns.get_indexer(LOG_POSTERIOR + table[which].astype(str))
    whole = np.column_stack([logs.to_numpy(dtype=float), np.full(len(logs), np.nan)])
    return np.exp(whole[np.arange(len(logs)), columns])  # -1, of an unknown class, is missing


def suspects(
    samples: pd.DataFrame, findings: pd.DataFrame, inseparable: Collection[Key] = ()
) -> pd.DataFrame:
    """Return the samples that the classifiers suspect of being the same other class.

    These are at least two classifiers, and all that recognise the class of the sample: one that
    does not has no veto. The mean margin over those that have probabilities is `MARGIN` or more, or
    the sample is exchanged with another by its genes of the sex chromosomes: each of the two is
    predicted as the class of the other.

    No label is doubted where a column cannot be separated from the class (``inseparable``, the
    results of `xnbflow.studies.recognition.inseparable`): there the samples that differ from the
    others of their class in the column are the ones that are predicted as another class, and their
    labels are right.

    Parameters
    ----------
    samples : DataFrame
        The study's table.
    findings : DataFrame
        The study's table.
    inseparable : collection of tuple of data set, folds and classifier
    """
    key = ["dataset", "sample"]
    confounded = {dataset for dataset, _, _ in inseparable}
    samples = samples[~samples["dataset"].isin(confounded)]
    recognising = samples[samples["recognised"].astype(bool)]
    doubted = recognising[recognising["suspect"].astype(bool)]
    named = doubted.groupby([*key, "true", "predicted"])
    agreed = named.agg(
        count=("margin", "size"), margin=("margin", "mean"), probability=("probability", "min")
    )
    n_recognising = recognising.value_counts(key).reset_index()
    rows = agreed.reset_index().merge(n_recognising, on=[*key, "count"])
    rows = rows[rows["count"] > 1].reset_index(drop=True)

    # For each doubted sample the one with which it is exchanged, "" where there is none. Two
    # samples are exchanged if each is predicted as the class of the other, and the genes of
    # the sex chromosomes contradict the recorded sex of both, in opposite directions. (The
    # estimate of a finding on sex is positive where the genes are those of a male.) A sample
    # with several such partners has none.
    sexes = findings[findings["kind"] == "sex differs"]
    score = sexes.set_index(["dataset", "subject"])["estimate"].to_dict()
    partners = []
    for row in rows.itertuples(index=False):
        of_sample = score.get((row.dataset, row.sample), np.nan)
        candidates = []
        for other in rows.itertuples(index=False):
            opposite = score.get((other.dataset, other.sample), np.nan) * of_sample < 0
            mirrored = (other.true, other.predicted) == (row.predicted, row.true)
            if other.dataset == row.dataset and mirrored and opposite:
                candidates.append(str(other.sample))
        partners.append(candidates[0] if len(candidates) == 1 else "")
    rows["exchanged_with"] = partners

    rows = rows[(rows["exchanged_with"] != "") | ~(rows["margin"] < MARGIN)]
    return rows.sort_values(key, ignore_index=True)[GROUPS["study"].tables["suspects"].fixed]
