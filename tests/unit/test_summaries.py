"""Claims about the tables that folds are summarised in."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.evaluation import rankings, summaries
from xnbflow.series import SeriesHeader

KEY = ["dataset", "folds", "classifier"]


def fits_of(failed=()):
    """Two repeats of two folds, some of which could not be fitted."""
    rows = [
        (repeat, fold, "failed" if (repeat, fold) in failed else "ok")
        for repeat in range(2)
        for fold in range(2)
    ]
    return pd.DataFrame(rows, columns=["repeat", "fold", "status"])


def metrics_of(accuracy):
    """Accuracy per classifier, repeat and fold; a missing one is a fold that failed."""
    rows = [
        (dataset, "2x2", classifier, repeat, fold, value)
        for (dataset, classifier), values in accuracy.items()
        for (repeat, fold), value in zip(np.ndindex(2, 2), values, strict=True)
        if not np.isnan(value)
    ]
    table = pd.DataFrame(rows, columns=[*KEY, "repeat", "fold", "accuracy"])
    return table.reindex(columns=[*KEY, "repeat", "fold", *summaries.METRICS])


def repeats_of(accuracy):
    fits = {
        (dataset, "2x2", classifier): fits_of(
            [place for place, v in zip(np.ndindex(2, 2), values, strict=True) if np.isnan(v)]
        )
        for (dataset, classifier), values in accuracy.items()
    }
    return summaries.repeats(metrics_of(accuracy), fits)


def test_a_mean_without_the_folds_that_failed_is_no_mean():
    accuracy = {("one", "nb"): [0.5, 0.7, 0.9, 0.7], ("one", "bad"): [1.0, np.nan, 0.8, 0.6]}
    table = repeats_of(accuracy).query("metric == 'accuracy'")
    means = table.set_index(["classifier", "repeat"])["mean"]
    assert means["nb"].tolist() == pytest.approx([0.6, 0.8])
    assert np.isnan(means["bad", 0])
    assert means["bad", 1] == pytest.approx(0.7)


def test_a_classifier_that_failed_on_hard_folds_is_not_ranked_before_one_that_did_not():
    accuracy = {(d, "good"): [0.9, 0.3, 0.9, 0.3] for d in "abc"}
    accuracy |= {(d, "bad"): [0.8, np.nan, 0.8, 0.2] for d in "ab"} | {("c", "bad"): [0.1] * 4}
    accuracy |= {(d, "third"): [0.9, 0.2, 0.9, 0.2] for d in "abc"}
    accuracy |= {
        ("d", name): [0.5, 0.5, 0.5, 0.5 + i / 10] for i, name in enumerate(["bad", "good"])
    }
    accuracy |= {("d", "third"): [0.1] * 4}
    table = rankings.ranks(repeats_of(accuracy)).set_index("classifier")
    assert set(table["datasets"]) == {2}  # a and b are left out
    assert table["average_rank"].to_dict() == {"good": 1.0, "third": 2.5, "bad": 2.5}


def test_recall_counts_folds_that_select_nothing():
    selected = pd.DataFrame({"repeat": 0, "fold": 0, "class": "x", "feature": ["a", "b", "z", "y"]})
    truth = pd.DataFrame({"feature": ["a", "b", "c"], "class": ["x", "x", None]})
    key = ("sim", "2x2", "xnb")
    fits = fits_of(failed=[(1, 1)])  # three folds were fitted, two of them select nothing
    row = summaries.recovery({key: selected}, {key: fits}, {"sim": truth}).iloc[0]
    assert row["planted"] == 2
    assert row["precision"] == 0.5
    assert row["recall"] == pytest.approx(1 / 3)


def test_the_papers_value_ties_with_those_that_would_be_printed_like_it():
    table = pd.DataFrame({"mean": [119 / 130, 0.9149, 0.9, 0.95]})
    table = table.assign(dataset="GSE50161", folds="10x10", classifier="mine", metric="accuracy")
    printed = pd.DataFrame(
        {"type": "Brain", "accession": ["GSE50161"], "xnb_accuracy": [0.915], "other": [1.0]}
    )
    row = summaries.paper(table, pd.DataFrame(), [printed], {"xnb": "mine"}).iloc[0]
    assert row["quantity"] == "xnb_accuracy"
    # below: .9; printed alike: .91538 and .9149; above: .95
    assert row["percentile"] == 50.0
    assert row["n_repeats"] == 4
    assert summaries.paper(table, pd.DataFrame(), [printed], {"nb": "mine"}).empty


def test_ratios_are_shares_below_the_level():
    normality = pd.DataFrame({"p": [0.01, 0.04, 0.03, 0.9]})
    within = pd.DataFrame({"p": [0.01, 0.04, 0.2, np.nan, 0.3]})
    dependence = pd.DataFrame(
        {"dependent": [True, False, False, False], "r": [-0.9, 0.1, 0.2, 0.3]}
    )
    ratios = summaries.diagnostics(normality, within, dependence, 0.05)
    assert ratios["non_normal_ratio"] == 0.75
    assert ratios["non_normal_within_ratio"] == 0.5  # .01 and .04 of four tested
    # adjusted: .04, .0533, .0533, .9 and .04, .08, .2667, .3
    assert ratios["non_normal_ratio_fdr"] == 0.25
    assert ratios["non_normal_within_ratio_fdr"] == 0.25
    assert ratios["dependent_ratio"] == 0.25
    assert ratios["max_abs_r"] == 0.9


def test_a_sample_s_mistakes_are_counted_by_class_without_its_own():
    predicted = ["AML"] * 7 + ["B-ALL"] * 3 + ["T-ALL"] * 4 + ["AML"] * 3 + ["B-ALL"] * 3
    table = pd.DataFrame(
        {
            "sample": ["s1"] * 10 + ["s2"] * 10,
            "true": ["MDS"] * 10 + ["T-ALL"] * 10,
            "predicted": predicted,
        }
    )
    right = pd.DataFrame({"sample": ["s1"], "true": ["MDS"], "predicted": ["MDS"]})
    counted = summaries.samples({("d", "f", "nb"): table, ("d", "f", "xnb"): right})
    rows = counted.set_index(["classifier", "sample"])
    assert rows.loc[("nb", "s1"), "mistakes"] == "AML 7, B-ALL 3"
    # most often right, and yet more often wrong than right
    assert rows.loc[("nb", "s2"), ["predicted", "mistakes", "wrong"]].tolist() == [
        *("T-ALL", "AML 3, B-ALL 3", 6),
    ]
    assert rows.loc[("xnb", "s1"), "mistakes"] == ""


def test_a_classifier_without_predictions_has_no_calibration():
    header = SeriesHeader("d", np.array(["s1"]), np.array(["a"]), 1)
    nothing = pd.DataFrame({"sample": [], "true": [], "predicted": []})
    curves = summaries.calibration({("d", "f", "bad"): nothing}, {"d": header})
    assert curves.empty
