"""Columns together, pairs of classes, and numbers: what a page may call separated."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.diagnostics.series_audit import audit
from xnbflow.studies.concordances import concordances, inseparable


def examined(score, labels, **columns):
    """Return both tables, and whether the verdict is limited; scores (n_samples, n_classes)."""
    series = dataset(np.ones((1, len(labels))), labels, sample_metadata=pd.DataFrame(columns))
    checked = audit(series)["audit"].assign(dataset=series.name)
    key = (series.name, "f", "nb")
    predicted = series.classes[score.argmax(axis=1)]
    table = {"sample": series.samples, "true": series.labels, "predicted": predicted}
    for place, label in enumerate(series.classes):
        table[f"log_posterior.{label}"] = score[:, place]
    predictions = {key: pd.DataFrame(table).assign(repeat=0, fold=0)}
    rows, pairs = concordances(predictions, {series.name: series}, checked)
    return rows.set_index("column"), pairs, key in inseparable(rows)


@pytest.mark.parametrize("of_class", [False, True])
def test_two_batches_that_explain_the_class_together_limit_the_verdict(rng, of_class):
    codes = np.repeat([0, 1], 40)
    # both agree with the class in 25 of its samples, either alone in 7, none in 1
    plate = np.where(np.tile(np.repeat([1, 1, 0, 0], [25, 7, 7, 1]), 2), codes, 1 - codes)
    site = np.where(np.tile(np.repeat([1, 0, 1, 0], [25, 7, 7, 1]), 2), codes, 1 - codes)
    score = (2.0 * codes if of_class else 2.0 * plate + 2.0 * site) + rng.normal(size=80)
    columns = {"plate": np.array(["p", "q"])[plate], "hospital": np.array(["u", "v"])[site]}
    scores = np.stack([-score, score], axis=1)
    rows, pairs, limited = examined(scores, np.array(["normal", "tumour"])[codes], **columns)
    together = rows.loc[next(name for name in rows.index if " × " in name)]
    assert rows.loc[["plate", "hospital"], "status"].tolist() == ["recognised", "recognised"]
    assert limited == (not of_class)
    assert together["status"] == ("recognised" if of_class else "cannot be separated")
    assert together["handling"]
    crossed = pairs[pairs["column"].str.contains("×")].iloc[0]
    by_hand = sum(
        np.sum((plate == a) & (site == b) & (codes == 0))
        * np.sum((plate == a) & (site == b) & (codes == 1))
        for a in (0, 1)
        for b in (0, 1)
    )
    assert crossed["pairs"] == by_hand


def test_a_pair_of_classes_without_common_batches_cannot_be_separated(rng):
    """Adenoma and normal in one series, tumour and normal in the other."""
    labels = np.repeat(["adenoma", "normal", "normal", "tumour"], [15, 10, 12, 23])
    series = np.repeat(["GSE1", "GSE2"], [25, 35])
    codes = np.unique(labels, return_inverse=True)[1]
    scores = np.eye(3)[codes] * 4 + rng.normal(size=(60, 3))
    rows, pairs, limited = examined(scores, labels, **{"batch (series)": series})
    assert limited
    assert rows.loc["batch (series)", "status"] == "cannot be separated"
    assert rows.loc["batch (series)", "inseparable"] == "adenoma and tumour"
    assert rows.loc["batch (series)", "auc_within"] > 0.95
    status = pairs.set_index(["class", "other"])["status"].to_dict()
    assert status == {
        ("adenoma", "normal"): "recognised",
        ("adenoma", "tumour"): "cannot be separated",
        ("normal", "tumour"): "recognised",
    }
    counts = pairs.set_index(["class", "other"])["pairs"].to_dict()
    assert counts == {
        ("adenoma", "normal"): 150, ("adenoma", "tumour"): 0, ("normal", "tumour"): 276,
    }  # fmt: skip


def test_a_column_that_leaves_fewer_than_ten_pairs_is_left_out_and_limits_the_verdict():
    """Of ten samples of a class eight are on its plate and nine in its hospital."""
    codes = np.repeat([0, 1], 10)
    plate = np.where(np.arange(20) % 10 < 2, 1 - codes, codes)
    site = np.where(np.arange(20) % 10 == 2, 1 - codes, codes)
    scores = np.stack([-4.0 * codes, 4.0 * codes], axis=1)
    columns = {"plate": np.array(["p", "q"])[plate], "hospital": np.array(["u", "v"])[site]}
    rows, pairs, limited = examined(scores, np.array(["a", "b"])[codes], **columns)
    assert pairs["column"].tolist() == ["hospital", "plate", "hospital"]
    assert pairs["pairs"].tolist() == [18, 32, 18]
    assert pairs["left_out"].tolist() == ["", "", "plate"]
    assert pairs["status"].tolist() == ["recognised", "recognised", "cannot be examined"]
    assert rows.index.tolist() == ["hospital", "plate", "hospital × plate"]
    assert limited


def test_a_number_is_seen_through_where_thirds_of_it_are_not():
    """The score is the storage time, which goes with the class: within thirds it still does."""
    recognised = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        codes = np.repeat([0, 1], 40)
        days = rng.normal(size=80) + 1.4 * codes
        score = days + 0.1 * rng.normal(size=80)
        scores = np.stack([-score, score], axis=1)
        rows, _, _ = examined(scores, np.array(["a", "b"])[codes], storage=days.round(3))
        recognised += rows.loc["storage", "status"] == "recognised"
    # binomial, .05: more than 6 of 30 with probability .0006; within thirds .57 of 200 studies
    assert recognised <= 6
