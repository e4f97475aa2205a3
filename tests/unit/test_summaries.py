"""Claims about the tables that folds are summarised in."""

import statistics

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score

from xnbflow.data.contract import STUDY_TABLES
from xnbflow.data.dataset import DataSetHeader
from xnbflow.evaluation import rankings, summaries
from xnbflow.evaluation.intervals import proportion_interval

PLACES = list(np.ndindex(2, 2))
HEADER = DataSetHeader(
    "d", np.array([f"s{i}" for i in range(20)]), np.repeat(["x", "y"], [12, 8]), 9
)


def fits_of(failed=()):
    """Two repeats of two folds, some of which could not be fitted."""
    rows = [
        (repeat, fold, "failed" if (repeat, fold) in failed else "ok", 3.0, 5.0, np.nan)
        for repeat, fold in PLACES
    ]
    columns = ["repeat", "fold", "status", "features_per_class", "features", "ties"]
    return pd.DataFrame(rows, columns=columns)


def predictions_of(accuracy):
    """Ten samples tested per fold, as many right as the accuracy says; none where it is missing."""
    rows = []
    for (repeat, fold), share in zip(PLACES, accuracy, strict=True):
        if np.isnan(share):
            continue
        tested = np.arange(20)[fold::2]
        for i, position in enumerate(tested):
            true = HEADER.labels[position]
            predicted = true if i < round(10 * share) else {"x": "y", "y": "x"}[true]
            rows.append((repeat, fold, HEADER.samples[position], true, predicted, *[np.nan] * 2))
    columns = ["repeat", "fold", "sample", "true", "predicted"]
    return pd.DataFrame(rows, columns=[*columns, "log_posterior.x", "log_posterior.y"])


def study_of(accuracy):
    """Metrics, repeats and summary; accuracy per data set and classifier, four folds each."""
    predictions, fits = {}, {}
    for (dataset, classifier), values in accuracy.items():
        key = (dataset, "2x2", classifier)
        predictions[key] = predictions_of(values)
        fits[key] = fits_of([p for p, v in zip(PLACES, values, strict=True) if np.isnan(v)])
    headers = {dataset: HEADER for dataset, _ in accuracy}
    metrics = summaries.metrics(predictions, fits, headers)
    repeats = summaries.repeats(predictions, metrics, fits, headers)
    return metrics, repeats, summaries.summary(predictions, metrics, repeats, fits, headers)


def repeats_of(accuracy):
    return study_of(accuracy)[1]


def test_a_mean_without_the_folds_that_failed_is_no_mean():
    accuracy = {("one", "nb"): [0.5, 0.7, 0.9, 0.7], ("one", "bad"): [1.0, np.nan, 0.8, 0.6]}
    table = repeats_of(accuracy).query("metric == 'accuracy'")
    means = table.set_index(["classifier", "repeat"])["value"]
    assert means["nb"].tolist() == pytest.approx([0.6, 0.8])
    assert np.isnan(means["bad", 0])
    assert means["bad", 1] == pytest.approx(0.7)


def test_class_metrics_are_those_of_all_folds_and_missing_where_one_failed():
    table = repeats_of({("d", "nb"): [0.9, 0.6, 1.0, 0.3], ("d", "bad"): [0.9, np.nan, 1.0, 0.3]})
    table = table.query("metric == 'balanced_accuracy'").set_index(["classifier", "repeat"])
    assert table["pooled"].all()
    predictions = predictions_of([0.9, 0.6, 1.0, 0.3])
    for repeat in range(2):
        mine = predictions[predictions["repeat"] == repeat]
        expected = balanced_accuracy_score(mine["true"], mine["predicted"])
        assert table.loc[("nb", repeat), "value"] == pytest.approx(expected)
    assert np.isnan(table.loc[("bad", 0), "value"])
    assert table.loc[("bad", 1), "value"] == table.loc[("nb", 1), "value"]


def test_accuracy_is_over_folds_and_balanced_accuracy_over_repeats():
    accuracy = [0.9, 0.6, 1.0, 0.3]
    metrics, repeats, table = study_of({("d", "nb"): accuracy})
    table = table.set_index("metric")
    assert "balanced_accuracy" not in metrics
    row = table.loc["accuracy"]
    assert row["over"] == "folds"
    assert row["mean"] == pytest.approx(0.7)
    assert row["sd"] == pytest.approx(statistics.stdev(accuracy))
    assert row["sd_repeats"] == pytest.approx(statistics.stdev([0.75, 0.65]))
    row = table.loc["balanced_accuracy"]
    values = repeats.query("metric == 'balanced_accuracy'")["value"]
    assert row["over"] == "repeats"
    assert row["mean"] == pytest.approx(values.mean())
    assert row["sd"] == row["sd_repeats"] == pytest.approx(statistics.stdev(values))
    assert np.isnan(row["lower"])
    assert row["folds_ok"] == 4
    assert row["folds_failed"] == 0


def test_one_repeat_has_no_spread_over_repeats():
    key = ("d", "2x2", "nb")
    predictions = {key: predictions_of([0.9, 0.6, np.nan, np.nan])}
    fits = {key: fits_of().query("repeat == 0")}
    headers = {"d": HEADER}
    metrics = summaries.metrics(predictions, fits, headers)
    repeats = summaries.repeats(predictions, metrics, fits, headers)
    table = summaries.summary(predictions, metrics, repeats, fits, headers).set_index("metric")
    assert table["sd_repeats"].isna().all()
    assert np.isnan(table.loc["mcc", "sd"])
    assert table.loc["accuracy", "sd"] == pytest.approx(statistics.stdev([0.9, 0.6]))


def test_the_interval_of_accuracy_counts_each_sample_once():
    table = study_of({("d", "nb"): [0.9, 0.6, 1.0, 0.3]})[2].set_index("metric")
    lower, upper = proportion_interval((15 + 13) / 2, 20)
    assert table.loc["accuracy", "lower"] == pytest.approx(lower)
    assert table.loc["accuracy", "upper"] == pytest.approx(upper)


def test_an_accuracy_without_a_mistake_has_an_interval_all_the_same():
    row = study_of({("d", "nb"): [1.0] * 4})[2].set_index("metric").loc["accuracy"]
    assert row["upper"] == 1
    assert 0.85 < row["lower"] < 0.95


def test_the_baseline_knows_nothing_but_the_shares_of_classes():
    table = study_of({("d", "nb"): [0.9, 0.6, 1.0, 0.3]})[2].set_index("metric")["baseline"]
    assert table["accuracy"] == 0.6  # twelve of twenty samples are x
    assert table["balanced_accuracy"] == table["roc_auc"] == 0.5
    assert table["mcc"] == 0
    assert table["f1_macro"] == pytest.approx(24 / 32 / 2)
    assert table["log_loss"] == pytest.approx(-0.6 * np.log(0.6) - 0.4 * np.log(0.4))
    assert table["brier"] == pytest.approx(2 * 0.6 * 0.4)
    assert np.isnan(table["features"])


def test_a_failed_fold_is_counted():
    table = study_of({("d", "nb"): [0.9, np.nan, 1.0, 0.3]})[2].set_index("metric")
    assert set(table["folds_ok"]) == {3}
    assert set(table["folds_failed"]) == {1}
    assert table.loc["accuracy", "mean"] == pytest.approx(2.2 / 3)


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


def test_data_sets_without_truth_or_selection_are_passed_over_and_a_marker_is_one_of_a_class():
    selected = pd.DataFrame({"repeat": 0, "fold": 0, "class": "x", "feature": ["a"]})
    truth = pd.DataFrame(
        {"feature": ["a", "b"], "class": ["x", None], "effect": [-1.0, 0.0], "note": [None, "none"]}
    )
    fits = fits_of().iloc[:1]
    tables = {
        ("real", "2x2", "xnb"): selected,
        ("sim", "2x2", "nothing"): selected.iloc[:0],
        ("sim", "2x2", "xnb"): selected,
    }
    table = summaries.recovery(tables, dict.fromkeys(tables, fits), {"sim": truth})
    assert table[["dataset", "classifier", "planted"]].to_numpy().tolist() == [["sim", "xnb", 1]]
    assert table[["precision", "recall"]].to_numpy().tolist() == [[1, 1]]


def test_recall_counts_folds_that_select_nothing():
    selected = pd.DataFrame({"repeat": 0, "fold": 0, "class": "x", "feature": ["a", "b", "z", "y"]})
    truth = pd.DataFrame(
        {"feature": ["a", "b", "c"], "class": ["x", "x", None], "effect": [1.0, -2.0, 0.0]}
    )
    key = ("sim", "2x2", "xnb")
    fits = fits_of(failed=[(1, 1)])  # three folds were fitted, two of them select nothing
    row = summaries.recovery({key: selected}, {key: fits}, {"sim": truth}).iloc[0]
    assert row["planted"] == 2
    assert row["precision"] == 0.5
    assert row["by_chance"] == pytest.approx(2 / 3)
    assert row["recall"] == pytest.approx(1 / 3)
    assert row["strength"] == pytest.approx((0.0 + 0.5) / 4)  # b's effect is the greater one


def paper_of(values, **printed):
    table = pd.DataFrame({"value": values})
    table = table.assign(dataset="GSE50161", folds="10x10", classifier="xnb", metric="accuracy")
    printed = pd.DataFrame({"type": "Brain", "accession": ["GSE50161"], "other": [1.0], **printed})
    return summaries.paper(table, pd.DataFrame(), [printed], {"xnb": "xnb"}).iloc[0]


def test_the_papers_value_ties_with_those_that_would_be_printed_like_it():
    row = paper_of([119 / 130, 0.9149, 0.9, 0.95, 0.96], xnb_accuracy=0.915)
    assert row["quantity"] == "xnb_accuracy"
    # below: .9; printed alike: .91538 and .9149; above: .95 and .96
    assert row["percentile"] == 40.0
    assert row["n_repeats"] == 5


def test_ours_beside_the_papers_value_is_mean_and_deviation_of_a_sample_of_repeats():
    values = [0.9, 0.92, 0.97]
    row = paper_of(values, xnb_accuracy=0.915)
    assert row["paper"] == 0.915
    assert row["ours"] == pytest.approx(statistics.mean(values))
    assert row["sd"] == pytest.approx(statistics.stdev(values))
    assert np.isnan(paper_of([0.9], xnb_accuracy=0.915)["sd"])


def test_the_papers_numbers_stand_beside_those_of_each_scheme_and_of_the_data():
    table = pd.DataFrame({"folds": ["z", "a"], "value": [0.9, 0.8]})
    table = table.assign(dataset="GSE1", classifier="nb", metric="accuracy")
    diagnostics = pd.DataFrame({"dataset": ["GSE2", "GSE1"], "dependent_ratio": [0.1, 0.4]})
    printed = pd.DataFrame(
        {"type": "Brain", "accession": ["GSE1"], "nb_accuracy": [0.85], "dependent_ratio": [0.4]}
    )
    rows = summaries.paper(table, diagnostics, [printed], {"nb": "nb"})
    assert rows[["dataset", "folds", "quantity", "ours"]].to_numpy().tolist() == [
        ["GSE1", "z", "nb_accuracy", 0.9],
        ["GSE1", "a", "nb_accuracy", 0.8],
        ["GSE1", "", "dependent_ratio", 0.4],
    ]
    assert np.isnan(paper_of([0.9], xnb_accuracy=0.9)["sd"])
    assert paper_of([0.9, 0.92], xnb_accuracy=0.9)["sd"] == pytest.approx(np.sqrt(0.0002))


def test_a_p_value_at_the_level_is_not_below_it_and_no_test_has_no_ratio():
    at = pd.DataFrame({"p": [0.05, 0.05]})
    none = pd.DataFrame({"p": [np.nan]})
    dependence = pd.DataFrame({"dependent": [True], "r": [0.5]})
    ratios = summaries.diagnostics(at, at, dependence, 0.05)
    assert set(list(ratios.values())[:4]) == {0.0}
    ratios = summaries.diagnostics(at, none, dependence, 0.05)
    assert np.isnan(ratios["non_normal_within_ratio"])
    assert np.isnan(ratios["non_normal_within_ratio_fdr"])


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


def test_a_classifier_without_predictions_has_no_calibration():
    header = DataSetHeader("d", np.array(["s1"]), np.array(["a"]), 1)
    nothing = pd.DataFrame({"sample": [], "true": [], "predicted": []})
    curves = summaries.calibration({("d", "f", "bad"): nothing}, {"d": header})
    assert curves.empty
    assert "observed_lower" in curves
    assert summaries.confidence({("d", "f", "bad"): nothing}, {"d": header}).empty


def test_calibration_and_sure_predictions_of_all_classifiers_are_one_table():
    """One without probabilities and one that failed stand between two that give them."""
    table = predictions_of([0.9, 0.6, 1.0, 0.3])
    probability = np.where(table["predicted"] == "x", 0.995, 0.02)
    posterior = {
        "log_posterior.x": np.log(probability),
        "log_posterior.y": np.log(1 - probability),
    }
    sure = table.assign(**posterior)
    predictions = {
        ("d", "f", "first"): sure,
        ("d", "f", "failed"): table.iloc[:0],
        ("d", "f", "silent"): table,
        ("d", "f", "last"): sure,
    }
    for tell, rows in ((summaries.calibration, 10), (summaries.confidence, 3)):
        told = tell(predictions, {"d": HEADER})
        assert list(told.columns[:3]) == ["dataset", "folds", "classifier"]
        assert told["classifier"].tolist() == ["first"] * rows + ["last"] * rows
        assert set(told["dataset"]) == {"d"}
        assert told.index.tolist() == list(range(2 * rows))
    above = summaries.confidence(predictions, {"d": HEADER}).set_index("above").iloc[:3]
    said_x = table["predicted"] == "x"
    right = int((said_x & (table["true"] == "x")).sum())
    assert above.loc[0.99, ["count", "right"]].tolist() == [said_x.sum(), right]
    lower, upper = proportion_interval(right / 2, said_x.sum() / 2)  # of two repeats
    assert above.loc[0.99, "accuracy_lower"] == pytest.approx(lower)
    assert above.loc[0.99, "accuracy_upper"] == pytest.approx(upper)


def selected_of(rows, constant=False):
    table = pd.DataFrame(rows, columns=["repeat", "fold", "class", "feature"])
    return table.assign(rank=1, distance=1.0, constant=constant)


def ties_table(rows):
    columns = ["repeat", "fold", "class", "group", "feature", "selected"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(exchangeable=True).astype({"selected": bool, "exchangeable": bool})


KEY = ("d", "2x2", "xnb")
#: Which of two equal features a fold takes is decided by nothing but their names.
TIED = {KEY: selected_of([(*place, "x", f"g{i % 2}") for i, place in enumerate(PLACES)])}
TIES = {
    KEY: ties_table(
        [(*p, "x", 0, f"g{j}", i % 2 == j) for i, p in enumerate(PLACES) for j in range(2)]
    )
}


def test_ties_taken_as_one_are_stable():
    fits = fits_of().assign(ties=1.0)
    table = summaries.stability(TIED, {KEY: fits}, TIES, {"d": HEADER}).set_index("class")
    assert table.loc["x", "stability"] < 0.5
    assert table.loc["x", "stability_ties"] == 1
    assert table.loc["", "stability_ties"] == 1
    assert table.loc["x", ["samples", "mean_size", "sets"]].tolist() == [12, 1, 4]


def test_stability_with_ties_is_missing_where_ties_are_not_told_and_the_same_where_there_are_none():
    none = {KEY: ties_table([])}
    untold = summaries.stability(TIED, {KEY: fits_of()}, none, {"d": HEADER})
    assert untold[["stability_ties", "lower_ties", "upper_ties"]].isna().all(axis=None)
    told = summaries.stability(TIED, {KEY: fits_of().assign(ties=0.0)}, none, {"d": HEADER})
    assert told["stability_ties"].equals(told["stability"].rename("stability_ties"))


def test_what_could_have_been_selected_instead_is_listed():
    table = summaries.ties(TIES, {KEY: fits_of(failed=[(1, 1)])})
    assert table[["feature", "alternative", "times", "fits"]].to_numpy().tolist() == [
        ["g0", "g1", 2, 3],
        ["g1", "g0", 2, 3],
    ]
    assert table["frequency"].tolist() == pytest.approx([2 / 3, 2 / 3])


def test_selection_counts_ties_and_constant_classes():
    fits = {KEY: fits_of().assign(ties=1.0)}
    rows = [(0, 0, "x", "g0"), (0, 1, "x", "g0"), (1, 0, "x", "g0"), (1, 1, "x", "g1")]
    selected = {KEY: selected_of(rows, [False, True, True, False])}
    table = summaries.selection(selected, fits, TIES).set_index("feature")
    assert table.loc["g0", ["times", "times_constant", "fits"]].tolist() == [3, 2, 4]
    assert table.loc["g0", "times_tied"] == 3
    assert table.loc["g0", "frequency"] == 0.75
    untold = summaries.selection(selected, {KEY: fits_of()}, {KEY: ties_table([])})
    assert untold["times_tied"].isna().all()


def test_selection_is_sorted_by_place_then_frequency_then_rank_then_name():
    keys = [("b", "f", "xnb"), ("a", "g", "xnb"), ("a", "f", "z"), ("a", "f", "xnb")]
    rows = [
        *((0, 0, "y", "often", 1), (0, 1, "y", "often", 3)),
        *((0, 0, "y", "late", 9), (0, 1, "y", "n", 2), (1, 0, "y", "m", 2)),
        *((0, 0, "x", "only", 1), (0, 1, "y", "early", 1)),
    ]
    columns = ["repeat", "fold", "class", "feature", "rank"]
    table = pd.DataFrame(rows, columns=columns).assign(distance=[*[0.5] * 6, 0.25], constant=False)
    fits = {key: fits_of().iloc[: 3 + (key[0] == "b")] for key in keys}
    told = summaries.selection(
        dict.fromkeys(keys, table), fits, dict.fromkeys(keys, ties_table([]))
    )
    order = ["only", "often", "early", "m", "n", "late"]
    assert told["feature"].tolist() == order * 4
    places = told[["dataset", "folds", "classifier"]].drop_duplicates().to_numpy().tolist()
    assert places == [["a", "f", "xnb"], ["a", "f", "z"], ["a", "g", "xnb"], ["b", "f", "xnb"]]
    assert told["fits"].tolist() == [3] * 18 + [4] * 6
    assert told.loc[:5, "mean_rank"].tolist() == [1, 2, 1, 2, 2, 9]
    assert told.loc[:2, "mean_distance"].tolist() == [0.5, 0.5, 0.25]
    assert told.index.tolist() == list(range(24))


def test_a_feature_that_is_tied_in_some_fits_counts_these_only():
    fits = {KEY: fits_of().iloc[:1].assign(ties=1.0)}
    selected = {KEY: selected_of([(0, 0, "x", "g0"), (0, 0, "x", "g9")])}
    table = summaries.selection(selected, fits, TIES).set_index("feature")
    assert table["times_tied"].to_dict() == {"g0": 1, "g9": 0}


def test_ties_of_a_feature_in_two_groups_count_once_a_fit():
    groups = [(0, 0, "x", g, name, name == "b") for g in range(2) for name in ("b", "a")]
    other = ("c", "2x2", "xnb")
    ties = {KEY: ties_table(groups), other: ties_table(groups)}
    table = summaries.ties(ties, {KEY: fits_of().iloc[:2], other: fits_of()})
    assert table[["dataset", "feature", "alternative", "times", "fits"]].to_numpy().tolist() == [
        ["c", "b", "a", 1, 4],
        ["d", "b", "a", 1, 2],
    ]


def test_a_classifier_that_selects_nothing_is_passed_over():
    rows = selected_of([(*place, "x", "g0") for place in PLACES])
    tables = {("d", "2x2", "none"): rows.iloc[:0], KEY: rows}
    none = dict.fromkeys(tables, ties_table([]))
    told = summaries.stability(tables, dict.fromkeys(tables, fits_of()), none, {"d": HEADER})
    assert set(told["classifier"]) == {"xnb"}
    assert told.set_index("class").loc["", "samples"] == 20


def test_a_class_of_one_sample_has_no_stability_and_says_so():
    header = DataSetHeader("d", np.array(["s0", "s1", "s2"]), np.array(["x", "x", "y"]), 9)
    rows = [(*place, label, "aaa") for place in PLACES for label in "xy"]
    table = summaries.stability(
        {KEY: selected_of(rows)}, {KEY: fits_of()}, {KEY: ties_table([])}, {"d": header}
    ).set_index("class")
    assert table.loc["y", "note"] == "one sample"
    assert table.loc["y", ["stability", "lower", "upper"]].isna().all()
    assert table.loc["x", "note"] == ""
    assert table.loc["x", "stability"] == 1


def test_a_class_whose_features_are_there_because_a_class_is_constant_says_so():
    rows = [(*place, "x", feature) for place in PLACES for feature in ("g0", "g1", "g2")]
    mostly = selected_of(rows, [True, True, False] * 4)
    table = summaries.stability(
        {KEY: mostly}, {KEY: fits_of()}, {KEY: ties_table([])}, {"d": HEADER}
    ).set_index("class")
    assert table.loc["x", "constant"] == pytest.approx(2 / 3)
    assert table.loc["x", "note"] == "constant"
    half = selected_of(rows[:2], [True, False])
    table = summaries.stability(
        {KEY: half}, {KEY: fits_of()}, {KEY: ties_table([])}, {"d": HEADER}
    ).set_index("class")
    assert table.loc["x", "note"] == ""


def test_confusion_counts_pairs_of_classes_over_folds_and_repeats():
    table = predictions_of([0.9, 0.6, 1.0, 0.3])
    counts = summaries.confusion({("d", "f", "nb"): table, ("d", "f", "xnb"): table.iloc[:0]})
    assert list(counts.columns) == STUDY_TABLES["confusion"].fixed
    assert counts["count"].sum() == 40
    expected = table.groupby(["true", "predicted"]).size()
    assert counts.set_index(["true", "predicted"])["count"].to_dict() == expected.to_dict()
    assert counts.index.tolist() == list(range(len(counts)))


def test_seconds_are_medians_over_folds_in_the_order_of_the_study():
    fits = fits_of().assign(fit_seconds=[1.0, 2.0, 9.0, 3.0], predict_seconds=[4.0, 1.0, 1.0, 2.0])
    table = summaries.seconds({("z", "f", "nb"): fits, ("a", "f", "nb"): fits.iloc[:1]})
    assert list(table.columns) == STUDY_TABLES["seconds"].fixed
    assert table.to_numpy().tolist() == [["z", "f", "nb", 2.5, 1.5], ["a", "f", "nb", 1, 4]]


def test_problems_are_the_errors_and_warnings_that_say_something():
    fits = fits_of().assign(error=["", "bad", "", ""], warnings=["", "", "few", ""])
    table = summaries.problems({KEY: fits})
    assert list(table.columns) == STUDY_TABLES["problems"].fixed
    assert table.drop(columns=["dataset", "folds", "classifier"]).to_numpy().tolist() == [
        [0, 1, "error", "bad"],
        [1, 0, "warnings", "few"],
    ]
    assert table.index.tolist() == [0, 1]
