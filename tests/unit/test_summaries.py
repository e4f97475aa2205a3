"""Claims about the tables that folds are summarised in, and about the sentence made from them."""

import statistics

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score

from xnbflow.data.series_file import DataSetHeader
from xnbflow.inference.estimates import estimates, pooled_performance
from xnbflow.inference.intervals import CROSS_VALIDATED, proportion_interval, share_interval
from xnbflow.inference.verdicts import verdicts
from xnbflow.studies import (
    fold_scores,
    probability_tables,
    sample_errors,
    selected_features,
    study_overview,
)
from xnbflow.tables.contract import STUDY_TABLES

PLACES = list(np.ndindex(2, 2))
HEADER = DataSetHeader(
    name="d",
    samples=np.array([f"s{i}" for i in range(20)]),
    labels=np.repeat(["x", "y"], [12, 8]),
    n_features=9,
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
            rows.append((repeat, fold, HEADER.samples[position], true, predicted, *[np.nan] * 4))
    columns = ["repeat", "fold", "sample", "true", "predicted", "set_size", "covered"]
    return pd.DataFrame(rows, columns=[*columns, "log_posterior.x", "log_posterior.y"])


def study_of(accuracy):
    """Metrics, repeats and summary; accuracy per data set and classifier, four folds each."""
    predictions, fits = {}, {}
    for (dataset, classifier), values in accuracy.items():
        key = (dataset, "2x2", classifier)
        predictions[key] = predictions_of(values)
        fits[key] = fits_of([p for p, v in zip(PLACES, values, strict=True) if np.isnan(v)])
    headers = {dataset: HEADER for dataset, _ in accuracy}
    metrics = fold_scores.metrics(predictions, fits, headers)
    repeats = fold_scores.repeats(predictions, metrics, fits, headers)
    return metrics, repeats, fold_scores.summary(metrics, repeats, fits)


def performances(predictions, headers, candidates=1):
    return {
        key: pooled_performance(table, headers[key[0]], CROSS_VALIDATED, candidates)
        for key, table in predictions.items()
    }


def test_class_metrics_are_those_of_all_folds_and_missing_where_one_failed():
    accuracy = {("d", "nb"): [0.9, 0.6, 1.0, 0.3], ("d", "bad"): [0.9, np.nan, 1.0, 0.3]}
    repeats = study_of(accuracy)[1]
    table = repeats.query("metric == 'balanced_accuracy'").set_index(["classifier", "repeat"])
    assert table["pooled"].all()
    predictions = predictions_of([0.9, 0.6, 1.0, 0.3])
    for repeat in range(2):
        mine = predictions[predictions["repeat"] == repeat]
        expected = balanced_accuracy_score(mine["true"], mine["predicted"])
        assert table.loc[("nb", repeat), "value"] == pytest.approx(expected)
    assert np.isnan(table.loc[("bad", 0), "value"])
    assert table.loc[("bad", 1), "value"] == table.loc[("nb", 1), "value"]
    means = repeats.query("metric == 'accuracy'").set_index(["classifier", "repeat"])["value"]
    assert means["nb"].tolist() == pytest.approx([0.75, 0.65])
    assert np.isnan(means["bad", 0])


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
    assert row["folds_ok"] == 4
    assert row["folds_failed"] == 0


def test_where_samples_have_groups_intervals_count_groups():
    """Each patient gives four samples, all right or all wrong: twenty samples are five."""
    patients = np.repeat([f"p{i}" for i in range(5)], 4)
    labels, samples = np.repeat(["x", "y"], [12, 8]), HEADER.samples
    grouped = DataSetHeader(name="d", samples=samples, labels=labels, n_features=9, groups=patients)
    alone = DataSetHeader(name="e", samples=samples, labels=labels, n_features=9)
    right = ~np.isin(patients, ["p1"])
    table = pd.DataFrame({"repeat": 0, "fold": 0, "sample": samples, "true": labels})
    table["predicted"] = np.where(right, labels, np.where(labels == "x", "y", "x"))
    predictions = {("d", "f", "nb"): table, ("e", "f", "nb"): table}
    headers = {"d": grouped, "e": alone}
    found = performances(predictions, headers)
    for key in (("d", "f", "nb"), ("e", "f", "nb")):
        groups = headers[key[0]].groups
        expected = share_interval(right.astype(float), groups, CROSS_VALIDATED)
        assert found[key].accuracy == expected
    widths = [each.accuracy.upper - each.accuracy.lower for each in found.values()]
    assert widths[0] > 1.3 * widths[1]
    table = estimates(found, headers, dict.fromkeys(found, 0))
    wide = table.set_index(["dataset", "class"])
    assert wide.loc[("d", "x"), "lower"] < wide.loc[("e", "x"), "lower"]
    none = pd.DataFrame(columns=STUDY_TABLES["stability"].fixed)
    tests = pd.DataFrame(columns=["dataset", "classifier", "metric", "p_value", "permuted"])
    assert table.loc[table["metric"] == "accuracy", "estimate"].tolist() == [0.8, 0.8]
    table = verdicts(found, none, tests, {"d": "severe"}).set_index("dataset")
    assert table["reasons"].to_dict() == {"d": "chance interval; copies", "e": "majority class"}


def test_recall_counts_folds_that_select_nothing():
    selected = pd.DataFrame({"repeat": 0, "fold": 0, "class": "x", "feature": ["a", "b", "z", "y"]})
    truth = pd.DataFrame(
        {"feature": ["a", "b", "c"], "class": ["x", "x", None], "effect": [1.0, -2.0, 0.0]}
    )
    key = ("sim", "2x2", "xnb")
    fits = fits_of(failed=[(1, 1)])  # three folds were fitted, two of them select nothing
    tables = {key: selected, ("real", "2x2", "xnb"): selected, ("sim", "2x2", "nb"): selected[:0]}
    (row,) = selected_features.recovery(tables, dict.fromkeys(tables, fits), {"sim": truth}).iloc
    assert row["planted"] == 2
    assert row["precision"] == 0.5
    assert row["by_chance"] == pytest.approx(2 / 3)
    assert row["recall"] == pytest.approx(1 / 3)
    assert row["strength"] == pytest.approx((0.0 + 0.5) / 4)  # b's effect is the greater one


def test_ratios_are_shares_below_the_level():
    normality = pd.DataFrame({"p": [0.01, 0.04, 0.03, 0.9]})
    within = pd.DataFrame({"p": [0.01, 0.04, 0.2, np.nan, 0.3]})
    dependence = pd.DataFrame(
        {"dependent": [True, False, False, False], "r": [-0.9, 0.1, 0.2, 0.3]}
    )
    ratios = study_overview.ratios(normality, within, dependence, 0.05)
    assert ratios["non_normal_ratio"] == 0.75
    assert ratios["non_normal_within_ratio"] == 0.5  # .01 and .04 of four tested
    assert ratios["non_normal_ratio_fdr"] == 0.25  # .04, .0533, .0533, .9 and .04, .08, .2667, .3
    assert ratios["non_normal_within_ratio_fdr"] == 0.25
    assert ratios["dependent_ratio"] == 0.25
    assert ratios["max_abs_r"] == 0.9


def test_calibration_and_sure_predictions_of_all_classifiers_are_one_table():
    """One without probabilities and one that failed stand between two that give them."""
    table = predictions_of([0.9, 0.6, 1.0, 0.3])
    said_x = table["predicted"] == "x"
    probability = np.where(said_x, 0.995, 0.02)
    posterior = {"log_posterior.x": np.log(probability), "log_posterior.y": np.log(1 - probability)}
    made = {"first": table.assign(**posterior), "failed": table.iloc[:0], "silent": table}
    made["last"] = made["first"]
    predictions = {("d", "f", name): each for name, each in made.items()}
    for name, rows in (("calibration", 10), ("confidence", 3)):
        told = probability_tables.probabilities(name, predictions, {"d": HEADER}, {})
        assert told["classifier"].tolist() == ["first"] * rows + ["last"] * rows
        assert told.index.tolist() == list(range(2 * rows))
    above = told.set_index("above").iloc[:3].loc[0.99]
    right = int((said_x & (table["true"] == "x")).sum())
    assert above[["count", "right"]].tolist() == [said_x.sum(), right]
    n = 2 * CROSS_VALIDATED  # of two repeats
    limits = proportion_interval(right / n, said_x.sum() / n)
    assert above[["accuracy_lower", "accuracy_upper"]].tolist() == pytest.approx(limits)


def test_coverage_counts_each_sample_once_and_sets_by_their_sizes():
    table = predictions_of([1.0] * 4)
    table["set_size"] = np.resize([1.0, 1.0, 2.0, 3.0], len(table))
    table["covered"] = np.resize([1.0, 0.0, 1.0, 1.0], len(table))
    silent = predictions_of([1.0] * 4)
    made = {("d", "f", "sets"): table, ("d", "f", "none"): silent}
    found = probability_tables.sets(made, {"d": HEADER}, {})
    assert found["classifier"].tolist() == ["sets", "sets"]
    for row in found.itertuples():
        own = table[table["true"] == row._4]
        assert row.samples == own["sample"].nunique()
        assert row.coverage == pytest.approx(own["covered"].mean())
        single = (own["set_size"] == 1).mean()
        assert [row.single, row.several] == [single, 1 - single]
        assert row.single_right == own.query("set_size == 1")["covered"].mean()
        n = row.samples / CROSS_VALIDATED
        lower, upper = proportion_interval(row.coverage * n, n)
        upper = 1.0 if (1 - row.coverage) * n <= 1 else upper  # at most one effective error
        assert [row.lower, row.upper] == pytest.approx([lower, upper])


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


def test_ties_are_listed_with_what_could_have_been_selected():
    fits = fits_of().assign(ties=1.0)
    table = selected_features.stability(TIED, {KEY: fits}, {"d": HEADER}, {}).set_index("class")
    assert table.loc["x", "stability"] < 0.5
    assert table.loc["x", ["samples", "mean_size", "sets"]].tolist() == [12, 1, 4]
    table = selected_features.ties(TIES, {KEY: fits_of(failed=[(1, 1)])})
    assert table[["feature", "alternative", "times", "fits"]].to_dict("records") == [
        {"feature": "g0", "alternative": "g1", "times": 2, "fits": 3},
        {"feature": "g1", "alternative": "g0", "times": 2, "fits": 3},
    ]
    assert table["frequency"].tolist() == pytest.approx([2 / 3, 2 / 3])


def test_selection_counts_the_folds_that_select_a_feature():
    fits = {KEY: fits_of(failed=[(1, 1)])}
    rows = [(0, 0, "x", "g0"), (0, 1, "x", "g0"), (1, 0, "x", "g1")]
    table = selected_features.selection({KEY: selected_of(rows)}, fits, {}).set_index("feature")
    assert table.loc["g0", ["times", "fits"]].tolist() == [2, 3]
    assert table["frequency"].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_class_whose_features_are_there_because_a_class_is_constant_says_so():
    rows = [(*place, "x", feature) for place in PLACES for feature in ("g0", "g1", "g2")]
    rows.append((*PLACES[0], "y", "g3"))
    mostly = selected_of(rows, [*[True, True, False] * 4, False])
    header = DataSetHeader(
        name="d",
        samples=np.array(["s0", "s1", "s2"]),
        labels=np.array(["x", "x", "y"]),
        n_features=9,
    )
    table = selected_features.stability({KEY: mostly}, {KEY: fits_of()}, {"d": header}, {})
    table = table.set_index("class")
    assert table.loc["x", "constant"] == pytest.approx(2 / 3)
    assert table["note"].to_dict() == {"": "constant", "x": "constant", "y": "one sample"}
    assert table.loc["y", ["stability", "lower", "upper"]].isna().all()


def labelled(true, predicted, repeats=1):
    one = pd.DataFrame({"sample": [f"s{i}" for i in range(len(true))], "true": true})
    tables = [one.assign(predicted=predicted, repeat=repeat) for repeat in range(repeats)]
    return {("d", "f", "nb"): pd.concat(tables, ignore_index=True)}


def recalled(predictions):
    """Recall by classifier and class, of data sets that hold the samples predicted."""
    whole = pd.concat(predictions.values()).drop_duplicates("sample")
    samples, labels = whole["sample"].to_numpy(dtype=str), whole["true"].to_numpy(dtype=str)
    every = np.unique([*labels, *pd.concat(predictions.values())["predicted"]]).astype(str)
    absent = [label for label in every if label not in labels]
    names = [*samples, *(f"other {label}" for label in absent)]
    header = DataSetHeader(
        name="d", samples=np.array(names), labels=np.array([*labels, *absent]), n_features=9
    )
    found = performances(predictions, {"d": header})
    return estimates(found, {"d": header}, dict.fromkeys(found, 0))


def test_recall_counts_the_right_of_each_class_and_what_it_is_mistaken_for():
    true = np.repeat(["a", "b", "c", "d"], [40, 20, 30, 9])
    predicted = np.array([*"aaab" * 10, *"bc" * 10, *"a" * 20, *"b" * 10, *"d" * 9])
    table = recalled(labelled(true, predicted)).set_index("metric").loc["recall"]
    assert table["class"].tolist() == ["a", "b", "c", "d"]
    assert table["estimate"].tolist() == [0.75, 0.5, 0.0, 1.0]
    assert table["samples"].tolist() == [40, 20, 30, 9]
    assert table["above"].tolist() == [True, False, False, True]
    assert table["taken_for"].tolist() == ["b", "c", "a", ""]
    assert table["taken"].tolist() == [10, 10, 20, 0]


def test_intervals_of_recall_count_a_sample_once_however_often_it_was_tested():
    true, predicted = np.repeat("a", 16), np.array([*"a" * 12, *"b" * 4])
    row = recalled(labelled(true, predicted, repeats=10)).set_index("class").loc["a"]
    lower, upper = proportion_interval(12 / CROSS_VALIDATED, 16 / CROSS_VALIDATED)
    assert row[["estimate", "samples"]].tolist() == [0.75, 16]
    assert row[["lower", "upper"]].tolist() == pytest.approx([float(lower), float(upper)])


def test_only_a_sample_of_a_class_that_is_recognised_may_be_mislabelled():
    true = np.repeat(["a", "b"], [30, 20])
    predicted = np.array([*"a" * 29, "b", *"a" * 13, *"b" * 7])
    predictions = labelled(true, predicted)
    table = sample_errors.samples(predictions, recalled(predictions)).set_index("sample")
    assert table.index[table["suspect"]].tolist() == ["s29"]
    assert table.loc["s30", "wrong"] == 1  # b is recognised in seven of twenty


def test_a_label_is_doubted_by_the_margins_of_all_classifiers():
    """Of five samples of a all predict b in the last three; of one the mean margin is above .7."""
    true = np.repeat(["a", "b"], [30, 20])
    claims = {  # of b, by classifier: a is right; c is not sure; both are, one of them little
        "nb": [0.4, 0.9, 0.9, 0.7, 0.99],
        "forest": [0.9, 0.4, 0.6, 0.98, 0.72],
    }
    tables = {}
    for name, claimed in claims.items():
        p = np.r_[np.full(25, 0.1), claimed, np.full(20, 0.9)]
        ((key, table),) = labelled(true, np.where(p > 0.5, "b", "a"), repeats=3).items()
        own = np.tile(p, 3) if len(table) == 3 * len(p) else p
        table["log_posterior.a"], table["log_posterior.b"] = np.log(1 - own), np.log(own)
        tables[(*key[:2], name)] = table
    known = pd.concat([recalled({key: table}) for key, table in tables.items()])
    rows = sample_errors.samples(tables, known)
    found = rows[rows["suspect"]].groupby("classifier")["sample"].agg(list).to_dict()
    assert found == {"nb": ["s26", "s27", "s28", "s29"], "forest": ["s25", "s27", "s28", "s29"]}
    suspects = sample_errors.suspects(rows).set_index("sample")
    assert suspects["margin"].to_dict() == pytest.approx({"s29": 0.71})
    assert suspects["probability"].to_dict() == pytest.approx({"s29": 0.72})


def test_a_sample_s_mistakes_are_counted_by_class_without_its_own():
    predicted = ["AML"] * 7 + ["B-ALL"] * 3 + ["T-ALL"] * 4 + ["AML"] * 3 + ["B-ALL"] * 3
    table = pd.DataFrame({"sample": np.repeat(["s1", "s2"], 10), "predicted": predicted})
    table["true"] = np.repeat(["MDS", "T-ALL"], 10)
    predictions = {("d", "f", "nb"): table}
    rows = sample_errors.samples(predictions, recalled(predictions)).set_index("sample")
    assert rows.loc["s1", "mistakes"] == "AML 7, B-ALL 3"
    # most often right, and yet more often wrong than right
    told = rows.loc["s2", ["predicted", "mistakes", "wrong"]].tolist()
    assert told == ["T-ALL", "AML 3, B-ALL 3", 6]


def summary(accuracy, failed=()):
    """The means of a summary; accuracy by (data set, classifier), failed ones likewise."""
    rows = [
        {"dataset": dataset, "classifier": classifier, "metric": metric, "mean": value}
        | {"folds_failed": int((dataset, classifier) in failed)}
        for (dataset, classifier), value in accuracy.items()
        for metric in ("accuracy", "balanced_accuracy")
    ]
    return pd.DataFrame(rows).assign(folds="10-fold")


def test_averages_leave_out_data_sets_where_one_classifier_failed():
    scores = {("a", "nb"): 0.6, ("a", "xnb"): 0.5, ("b", "nb"): 0.8, ("b", "xnb"): 0.9}
    table = summary(scores, failed={("a", "xnb")})
    seconds = pd.DataFrame({"classifier": ["nb", "xnb", "nb"], "fit_seconds": [1.0, 3.0, 2.0]})
    right = {("a", "nb"): 6, ("b", "nb"): 7, ("b", "xnb"): 8}
    counts = [(*key, *own) for key, n in right.items() for own in (("x", n), ("y", 10 - n))]
    counts = pd.DataFrame(counts, columns=["dataset", "classifier", "predicted", "count"])
    counts = counts.assign(folds="10-fold", true="x")
    found = fold_scores.averages(table, counts, seconds).set_index("classifier")
    assert found["accuracy"].tolist() == [0.7, 0.8]  # of all samples, not the mean over folds
    assert found["places"].tolist() == [1, 1]
    assert found["wins"].tolist() == [1, 1]
    assert found["fit_seconds"].tolist() == [1.5, 3.0]


def test_hard_samples_count_classifiers_that_are_wrong_more_often_than_right():
    rows = [("s", "nb", 2, 2), ("s", "xnb", 2, 1), ("t", "nb", 2, 0), ("t", "xnb", 2, 0)]
    table = pd.DataFrame(rows, columns=["sample", "classifier", "tested", "wrong"])
    found = sample_errors.hard_samples(table.assign(dataset="a", folds="f")).set_index(
        "classifiers"
    )
    assert found["samples"].to_dict() == {0: 1, 1: 1}  # half of the repeats is not more than half
    assert found["share"].sum() == pytest.approx(1)


def test_p_values_fall_into_twenty_bins_and_missing_ones_into_none():
    table = study_overview.p_values({"a": pd.DataFrame({"p": [0.0, 0.049, 0.5, 1.0, None]})})
    assert table["features"].sum() == 4
    assert table["features"].iloc[[0, 10, 19]].tolist() == [2, 1, 1]
    assert table["share"].sum() == pytest.approx(1)
    assert study_overview.p_values({}).empty


def test_samples_wrong_by_most_classifiers_come_first_and_right_ones_are_left_out():
    rows = [("s1", "nb", 1), ("s1", "xnb", 0), ("s2", "nb", 0), ("s2", "xnb", 0)]
    rows += [("s3", "nb", 2), ("s3", "xnb", 3)]
    table = pd.DataFrame(rows, columns=["sample", "classifier", "wrong"])
    table = table.assign(dataset="a", folds="f", true="t", tested=3)
    found = sample_errors.misclassified(table)
    # s1 is wrong once in three tests by one classifier, which is not most of its tests.
    assert found[["sample", "wrong_by", "wrong", "tested"]].to_numpy().tolist() == [
        ["s3", 2, 5, 6],
        ["s1", 0, 1, 6],
    ]


def test_a_label_is_suspect_if_another_class_is_predicted_in_more_than_half_of_its_tests():
    true = np.repeat(["a", "b"], 20)
    ((key, table),) = labelled(true, true, repeats=2).items()
    table.loc[0, "predicted"] = "b"  # one of two tests of the first sample
    predictions = {key: table}
    rows = sample_errors.samples(predictions, recalled(predictions)).set_index("sample")
    assert rows.loc["s0", ["predicted", "wrong", "tested"]].tolist() == ["b", 1, 2]
    assert not rows["suspect"].any()
    table.loc[40, "predicted"] = "b"
    rows = sample_errors.samples(predictions, recalled(predictions))
    assert rows.loc[rows["suspect"], "sample"].tolist() == ["s0"]
    assert sample_errors.suspects(rows).empty  # a single classifier
