"""Columns together, pairs of classes, and numbers: what a page may call separated."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.core.findings import lowest
from xnbflow.core.joined_columns import joined_columns
from xnbflow.diagnostics.series_audit import audit
from xnbflow.inference.verdicts import column_findings
from xnbflow.studies.recognition import _column_status, _over_pairs, recognition


def is_limited(pairs, series, key):
    """Whether a column lowers the verdict on a classifier."""
    findings = column_findings(pairs, {series.name: series}).get(key, [])
    return lowest(finding.allows for finding in findings) != "well supported"


def examined(score, labels, **columns):
    """Return the rows of all classes, those of pairs, and whether the verdict is limited.

    The scores have the shape (n_samples, n_classes).
    """
    series = dataset(np.ones((1, len(labels))), labels, sample_metadata=pd.DataFrame(columns))
    tested = audit(series)["associations"].assign(dataset=series.name)
    key = (series.name, "f", "nb")
    predicted = series.classes[score.argmax(axis=1)]
    table = {"sample": series.samples, "true": series.labels, "predicted": predicted}
    for place, label in enumerate(series.classes):
        table[f"log_posterior.{label}"] = score[:, place]
    predictions = {key: pd.DataFrame(table).assign(repeat=0, fold=0)}
    rows = recognition(predictions, {series.name: series}, tested)
    of_columns = rows[rows["class"] == ""].set_index("column")
    return of_columns, rows[rows["class"] != ""], is_limited(rows, series, key)


@pytest.mark.parametrize("plate_name", ["plate", "plate × day"])
@pytest.mark.parametrize("of_class", [False, True])
def test_two_batches_that_explain_the_class_together_limit_the_verdict(rng, of_class, plate_name):
    codes = np.repeat([0, 1], 40)
    # both agree with the class in 25 of its samples, either alone in 7, none in 1
    plate = np.where(np.tile(np.repeat([1, 1, 0, 0], [25, 7, 7, 1]), 2), codes, 1 - codes)
    site = np.where(np.tile(np.repeat([1, 0, 1, 0], [25, 7, 7, 1]), 2), codes, 1 - codes)
    score = (2.0 * codes if of_class else 2.0 * plate + 2.0 * site) + rng.normal(size=80)
    columns = {plate_name: np.array(["p", "q"])[plate], "hospital": np.array(["u", "v"])[site]}
    columns["ward"] = np.tile(["x", "y"], 40)  # goes with nothing, and divides no stratum
    scores = np.stack([-score, score], axis=1)
    rows, pairs, limited = examined(scores, np.array(["normal", "tumour"])[codes], **columns)
    together = rows[rows["together"]].iloc[0]
    assert set(joined_columns(together.name)) == {plate_name, "hospital"}
    assert rows.loc[[plate_name, "hospital"], "status"].tolist() == ["recognised", "recognised"]
    assert limited == (not of_class)
    assert together["status"] == ("recognised" if of_class else "cannot be separated")
    assert together["limits"]
    assert together["together"]
    assert rows["together"].sum() == 1
    crossed = pairs[pairs["together"]].iloc[0]
    assert set(joined_columns(crossed["column"])) == {plate_name, "hospital"}
    expected = 0
    for a, b in itertools.product((0, 1), (0, 1)):
        codes_of_cell = codes[(plate == a) & (site == b)]
        expected += np.sum(codes_of_cell == 0) * np.sum(codes_of_cell == 1)
    assert crossed["pairs"] == expected


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


@pytest.mark.slow
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


SIDES = np.repeat(["normal", "tumour"], 20)


PLATE = np.where(np.arange(40) % 10 == 0, SIDES[::-1], SIDES)  # agrees in 36 of 40


def table_of(series, score, flip=1.0):
    """Predictions of two repeats by a score of the second class."""
    log = {"log_posterior.normal": -flip * score, "log_posterior.tumour": flip * score}
    predicted = np.where(score > 0, *series.classes[::-1])
    columns = {"sample": series.samples, "true": series.labels, "predicted": predicted, **log}
    return pd.concat([pd.DataFrame(columns).assign(repeat=i, fold=0) for i in range(2)])


def studied(score, biology=(), **columns):
    series = dataset(np.ones((1, len(score))), SIDES, sample_metadata=pd.DataFrame(columns))
    tested = audit(series)["associations"].assign(dataset=series.name)
    headers, key = {series.name: series}, (series.name, "f", "nb")
    predictions = {key: table_of(series, score)}
    rows = recognition(predictions, headers, tested, {series.name: biology})
    of_columns = rows[rows["class"] == ""].set_index("column")
    return of_columns, is_limited(rows, series, key)


def test_a_batch_lowers_the_verdict_only_if_the_class_is_not_recognised_within_it(rng):
    noise = rng.normal(size=40)
    of_batch = np.where(PLATE == "tumour", 2.0, -2.0)
    rows, capped = studied(of_batch + noise, plate=PLATE)
    assert capped
    assert rows.loc["plate", "status"] == "cannot be separated"
    assert rows.loc["plate", "auc_column"] == pytest.approx(0.9)
    of_class = np.where(SIDES == "tumour", 2.0, -2.0)
    age = np.arange(20).repeat(2).reshape(20, 2).T.ravel() + 8.25 * (SIDES == "tumour")
    rows, capped = studied(of_class + noise, plate=PLATE, age=age)
    assert not capped
    assert set(rows["status"]) == {"recognised"}
    assert rows["limits"].all()
    rows, capped = studied(of_class, plate=np.where(SIDES == "tumour", "A", "B"))
    assert (capped, rows.loc["plate", "pairs"]) == (True, 0)
    assert rows.loc["plate", "status"] == "cannot be separated"
    rows, capped = studied(noise, plate=["x", "y"] * 20)
    assert (capped, rows.loc["plate", "status"]) == (False, "not associated")


def test_a_column_with_few_pairs_cannot_be_examined(rng):
    nearly = np.where(np.arange(40) == 0, "tumour p", SIDES + " p")
    noise = rng.normal(size=40)
    rows, capped = studied(noise, plate=np.append(nearly[:39], "normal p"), ward=PLATE)
    assert rows["status"].to_dict() == {
        "plate": "cannot be separated",
        "ward": "cannot be separated",
    }
    assert capped
    few = [*(f"{i}" for i in range(7) for _ in range(5)), *"77777"]
    few[19], few[20] = "4", "3"
    rows, capped = studied(noise, plate=few, ward=PLATE)
    assert rows.loc["plate", "status"] == "cannot be examined"


@pytest.mark.parametrize("name", ["plate", "ward", "region", "age"])
def test_a_column_limits_the_verdict_by_its_values_unless_it_is_declared_as_biology(rng, name):
    score = np.where(PLATE == "tumour", 1.0, -1.0) + rng.normal(size=40)
    rows, limited = studied(score, **{name: PLATE})
    assert (limited, rows.loc[name, "limits"]) == (True, True)
    rows, limited = studied(score, biology=[name], **{name: PLATE})
    assert (limited, rows.loc[name, "limits"]) == (False, False)
    assert rows.loc[name, "status"] == "cannot be separated"  # it is shown all the same


@pytest.mark.parametrize(("biology", "n_together"), [((), 1), (("ward",), 0)])
def test_a_column_that_is_biology_is_not_combined_with_others(biology, n_together):
    ward = np.where(np.arange(40) % 10 == 1, SIDES[::-1], SIDES)
    score = np.where(SIDES == "tumour", 2.0, -2.0)
    rows, _ = studied(score, biology, plate=PLATE, ward=ward)
    assert rows["together"].sum() == n_together


@pytest.mark.parametrize(
    ("pairs", "within_p", "alone", "p", "status"),
    [
        (20, 0.5, 0.5, 0.001, "not associated"),  # alone no better than chance
        (20, 0.01, 0.51, 0.001, "recognised"),
        (9, 0.01, 0.9, 0.001, "cannot be examined"),
        (9, 0.01, 0.9, 0.201, "not associated"),
        (10, 0.01, 0.9, 0.001, "recognised"),
        (20, 0.05, 0.9, 0.001, "recognised"),
        (20, 0.051, 0.9, 0.001, "cannot be separated"),
        (20, 0.5, 0.9, 0.2, "cannot be separated"),
        (20, 0.5, 0.9, 0.201, "not associated"),
        (0, 1.0, 0.9, 0.9, "cannot be separated"),  # the class is a level of the column
    ],
)
def test_the_status_of_a_column_changes_at_its_limits(pairs, within_p, alone, p, status):
    within = SimpleNamespace(pairs=pairs, p=within_p)
    assert _column_status(within, alone, p) == status


def test_several_classes_have_the_largest_p_and_the_most_serious_status_of_their_pairs():
    pair = {"column": "plate", "names": ("plate",), "together": False, "limits": True}
    pair |= {"auc": 0.9, "auc_column": 0.8, "auc_within": 0.7, "pairs": 20, "p": 0.2}
    pair |= {"class": "a", "other": "b", "status": "recognised"}
    other = pair | {"other": "c", "status": "cannot be separated", "pairs": 15, "p": 0.04}
    other |= {"auc_within": np.nan}
    row = _over_pairs([pair, other])
    assert (row["p"], row["pairs"], row["status"]) == (0.2, 35, "cannot be separated")
    assert row["auc_within"] == 0.7  # of the pairs that share a level
    assert row["inseparable"] == "a and c"


@pytest.mark.parametrize(("n_first", "status"), [(13, "cannot be separated"), (20, "recognised")])
def test_pairs_without_an_error_are_judged_by_the_exact_p(n_first, status):
    """One sample of a class of 14 within a plate: p = 1 / 14; of 21: 1 / 21."""
    labels = np.array(["a"] * n_first + ["b"] + ["b"] * n_first)
    plate = np.repeat(["p", "q"], [n_first + 1, n_first])
    score = np.where(labels == "b", 2.0, -2.0)
    rows, pairs, limited = examined(np.stack([-score, score], axis=1), labels, plate=plate)
    assert pairs["auc_within"].tolist() == [1.0]
    assert pairs["p"].tolist() == pytest.approx([1 / (n_first + 1)])
    assert rows.loc["plate", "status"] == status
    assert limited == (status != "recognised")
