"""Several series of one question: models across them, and what makes them incomparable."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from several_series import CSNB, SERIES, SMALL, cohort, combined
from sklearn.metrics import recall_score
from study_files import StudyFiles
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.methods import resolved
from xnbflow.inference.intervals import CROSS_VALIDATED
from xnbflow.models import cohorts, predict_table, read_model
from xnbflow.models.cohorts import combine
from xnbflow.models.signature import class_spread
from xnbflow.naive_bayes import ClassSpecificNB
from xnbflow.tables.contract import ALL_COHORTS


@pytest.mark.slow
def test_the_matrix_is_that_of_direct_fits_and_tests():
    keys = ["strategy", "train", "test"]
    matrix = combined()[0]["cohort_tests"].set_index(keys).sort_index()
    ranks = {s.name: (rankdata(s.values.T, axis=1) - 0.5) / 60 for s in SERIES}
    labels = {s.name: s.labels for s in SERIES}
    fits = {n: ClassSpecificNB(n_features=3).fit(ranks[n], labels[n]) for n in "abc"}
    for test in "abc":
        others = [name for name in "abc" if name != test]
        for train in others:
            predicted = fits[train].predict(ranks[test])
            actual = matrix.loc["one series", train, test]
            recalls = recall_score(labels[test], predicted, average=None)
            assert actual[["recall.normal", "recall.tumour"]].tolist() == recalls.tolist()
            assert actual["value"] == pytest.approx(recalls.mean())
        X = np.concatenate([ranks[name] for name in others])
        y = np.concatenate([labels[name] for name in others])
        predicted = ClassSpecificNB(n_features=3).fit(X, y).predict(ranks[test])
        mean = np.mean([fits[name].predict_proba(ranks[test]) for name in others], axis=0)
        averaged = fits["a"].classes_[mean.argmax(axis=1)]
        for strategy, labelled in (("merged", predicted), ("averaged", averaged)):
            actual = matrix.loc[strategy, " + ".join(others), test]
            expected = recall_score(labels[test], labelled, average="macro")
            assert actual["value"] == pytest.approx(expected)
    assert (matrix.loc[["merged", "averaged"], "verdict"].str.startswith("held")).all()
    assert matrix.loc["cross-validated", "verdict"].eq("").all()


def test_the_model_of_all_has_the_figures_of_leaving_each_out_and_predicts_raw_values(tmp_path):
    tables, model, merged = combined()
    matrix = tables["cohort_tests"].query("strategy == 'merged'")
    assert model.figures["accuracy"]["right"] == pytest.approx(matrix["right"].sum())
    assert model.figures["folds"] == 3
    paths = StudyFiles(tmp_path).put_model(model, merged, "s", **ALL_COHORTS)
    read = read_model(paths["model"])
    new = cohort("new", 9)
    table = predict_table(read, pd.DataFrame(2**new.values.T, new.samples, new.features)).table
    assert (table["label"] == new.labels).mean() > 0.8  # ranks are those of logarithms
    high = model.signature.set_index(["class", "feature"]).loc["tumour"]["direction"]
    assert set(high.loc[high.index.isin([f"g{i:02}" for i in range(0, 60, 12)])]) == {"high"}


def relabelled(series, **names):
    return replace(series, labels=[names.get(label, label) for label in series.labels])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (relabelled(SERIES[1], tumour="cancer", normal="healthy"), "cancer"),
        (replace(SERIES[1], features=[f"x{i}" for i in range(60)]), "share no feature"),
        (replace(SERIES[1], kinds=["angular"] + ["linear"] * 59), "not measurements"),
    ],
)
def test_series_that_cannot_be_compared_are_refused(changed, words):
    with pytest.raises(InputError, match=words):
        combine([SERIES[0], changed], CSNB)


@pytest.mark.slow
def test_labels_of_all_series_have_the_spelling_of_the_first():
    spelled = [SMALL[0], relabelled(SMALL[1], tumour="Tumor", normal="NORMAL"), SMALL[2]]
    actual, _, merged = combine(spelled, CSNB)
    expected, _, _ = combine(SMALL, CSNB)
    pd.testing.assert_frame_equal(actual["cohort_tests"], expected["cohort_tests"])
    assert merged.classes.tolist() == ["normal", "tumour"]
    notes = actual["cohort_series"]["note"]
    assert "'Tumor' is read as 'tumour'" in notes.iloc[1]


@pytest.mark.slow
def test_a_sample_of_two_series_counts_once_and_what_is_left_out_is_named():
    """Two samples of another name and scale, in the larger series, and all others of a patient."""
    wide = [cohort(name, i, (4, 4), features=200) for i, name in enumerate("ab")]
    unshared = cohort("large", 7, (6, 6), features=200)
    values, patients = unshared.values.copy(), np.array([f"p{i}" for i in range(12)])
    values[:, :2], patients[2] = 1.1 * wide[0].values[:, :2], "p1"
    labels = unshared.labels.copy()
    labels[0] = {"tumour": "normal", "normal": "tumour"}[wide[0].labels[0]]
    large = replace(unshared, values=values, labels=labels, groups=patients)
    left = np.arange(12) > 2
    alone = replace(
        large, values=values[:, left], labels=large.labels[left],
        samples=large.samples[left], groups=patients[left],
    )  # fmt: skip
    actual, _, _ = combine([*wide, large], CSNB)
    expected, _, _ = combine([*wide, alone], CSNB)
    for name in ("cohort_tests", "meta_genes"):
        pd.testing.assert_frame_equal(actual[name], expected[name])
    assert (actual["cohort_tests"]["verdict"] != "cannot be judged").all()
    series = actual["cohort_series"].set_index("dataset")
    assert all(name in series.loc["large", "note"] for name in ("large0", "large1", "large2"))
    assert "1 shared sample has another class in a" in series.loc["large", "note"]
    assert series["samples"].to_dict() == {"a": 8, "b": 8, "large": 9}
    assert series.loc[["a", "b"], "note"].tolist() == ["", ""]
    twin = replace(wide[0], name="twin", samples=[f"x{i}" for i in range(8)])
    with pytest.raises(InputError, match="twin"):
        combine([*wide, twin], CSNB)


@pytest.mark.slow
def test_a_class_that_a_series_lacks_is_named_and_no_failure():
    lone = SMALL[2]
    centred = (lone.values - lone.values.mean(axis=1, keepdims=True))[:, 5:]
    only = DataSet(
        "lone", centred, features=lone.features, samples=lone.samples[5:], labels=lone.labels[5:]
    )
    actual = combine([*SMALL[:2], only], CSNB)[0]
    matrix = actual["cohort_tests"].set_index(["strategy", "train", "test"])
    assert "without the class normal" in matrix.loc[("one series", "lone", "a"), "reason"]
    assert np.isnan(matrix.loc[("one series", "lone", "a"), "value"])
    assert matrix.loc[("merged", "a + b", "lone"), "verdict"] == "cannot be judged"
    genes = actual["meta_genes"]
    assert (genes["series"] == 2).all()
    assert genes["effect.lone"].isna().all()
    notes = actual["cohort_series"]["note"]
    assert notes.str.contains("another scale").tolist() == [False, False, True]
    assert "has no normal" in notes.iloc[2]


def test_intensities_beside_logarithms_are_noticed_and_ranks_do_not_depend_on_them():
    raw = replace(SMALL[1], values=2 ** SMALL[1].values)
    logged_tables, _, _ = combine([SMALL[0], SMALL[1]], CSNB)
    raw_tables, _, _ = combine([SMALL[0], raw], CSNB)
    assert "not logged" in raw_tables["cohort_series"]["note"].iloc[1]
    expected = logged_tables["cohort_tests"]["value"].tolist()
    assert raw_tables["cohort_tests"]["value"].tolist() == expected


def test_patients_of_merged_series_stay_groups_of_their_own_series():
    """Both series have a patient p1; a series without groups has a group for each sample."""
    first = replace(SMALL[0], groups=[f"p{i // 2}" for i in range(9)])
    second = replace(SMALL[1], groups=[f"p{i // 3}" for i in range(9)])
    merged = cohorts._merge_series([first, second, SMALL[2]])
    assert merged.groups[:3].tolist() == ["a/p0", "a/p0", "a/p1"]
    assert merged.groups[9:12].tolist() == ["b/p0"] * 3
    assert len(np.unique(merged.groups)) == 5 + 3 + 9
    assert merged.samples[18] == "c/c0"
    assert cohorts._merge_series(SMALL).groups is None


def test_a_merged_series_has_missing_values_if_one_series_has():
    holes = SMALL[0].values.copy()
    holes[0, 0] = np.nan
    incomplete = replace(SMALL[0], values=holes, missing=True)
    assert cohorts._merge_series([incomplete, SMALL[1]]).missing
    assert not cohorts._merge_series(SMALL).missing


@pytest.mark.parametrize(
    ("row", "n_notes"),
    [
        ({"agreement": 0.51, "common": 30, "features": 60}, 0),
        ({"agreement": 0.49, "common": 30, "features": 60}, 1),
        ({"agreement": 0.51, "common": 29, "features": 60}, 1),
    ],
)
def test_a_correlation_below_one_half_and_fewer_than_half_the_features_are_noted(row, n_notes):
    assert len(list(cohorts._scale_notes(SERIES[0], row))) == n_notes


def test_models_without_all_classes_are_not_averaged():
    fitted = cohorts._fit_series([SERIES[0]], resolved(CSNB))
    lone = replace(fitted, series=relabelled(SERIES[0], normal="tumour"))
    classes = np.array(["normal", "tumour"])
    alone = cohorts._predict_by_models([fitted], SERIES[1], classes)
    both = cohorts._predict_by_models([fitted, lone], SERIES[1], classes)
    assert np.array_equal(alone.probabilities, both.probabilities)
    assert (
        cohorts._predict_by_models([lone], SERIES[1], classes).problem
        == "none of the series has all classes"
    )


def test_directions_of_the_model_of_all_are_those_of_harmonised_samples():
    signature = pd.DataFrame({"feature": ["g00"], "class": ["tumour"]})
    spread = class_spread(SERIES[0].values[0], SERIES[0].labels, "tumour")
    signature = signature.assign(**dict.fromkeys(spread, 0.0)).astype({"direction": object})
    cohorts._describe_signature(signature, SERIES[0])
    assert signature.loc[0, list(spread)].to_dict() == pytest.approx(spread)
    _, model, samples = combined()
    row = model.signature.iloc[0]
    position = samples.features.tolist().index(row["feature"])
    members = samples.values[position, samples.labels == row["class"]]
    assert row["median_in"] == pytest.approx(np.median(members))
    assert 0 < row["median_in"] < 1  # ranks, where raw values are from 3 to 12


def test_series_in_which_nothing_is_selected_have_a_matrix_and_no_signature():
    series = [cohort("a", 1, features=1), cohort("b", 2, features=1)]  # every rank is the first
    with pytest.warns(UserWarning, match="no feature that separates"):
        tables, model, _ = combine(series, {"method": "csnb"})
    assert tables["cohort_tests"]["value"].eq(0.5).all()
    assert model.signature.empty


@pytest.mark.parametrize(("sizes", "loser"), [((8, 8), 1), ((10, 8), 0), ((8, 10), 1)])
def test_the_larger_series_loses_shared_samples_and_of_equal_ones_the_later(sizes, loser):
    first = cohort("a", 1, (sizes[0] // 2, sizes[0] // 2), features=100)
    second = cohort("b", 2, (sizes[1] // 2, sizes[1] // 2), features=100)
    values = second.values.copy()
    values[:, 0] = first.values[:, 0]
    masks, notes = cohorts._masks_of_distinct_samples([first, replace(second, values=values)])
    assert masks[loser].tolist() == [False] + [True] * (sizes[loser] - 1)
    assert masks[1 - loser].all()
    assert [len(notes[name]) for name in "ab"] == [1 - loser, loser]


def pair_with_a_shared_sample(**changes):
    """Return two series of 8 samples; the first sample of the second one is that of the first."""
    first = cohort("a", 1, (4, 4), features=100)
    second = cohort("b", 2, (4, 4), features=100)
    values = second.values.copy()
    values[:, 0] = first.values[:, 0]
    return first, replace(second, values=values, **changes)


def test_a_series_loses_all_samples_of_a_patient_with_a_shared_one():
    patients = np.array(["p", "p", "q", "q", "p", "r", "r", "r"])
    masks, notes = cohorts._masks_of_distinct_samples(pair_with_a_shared_sample(groups=patients))
    assert masks[1].tolist() == (patients != "p").tolist()
    assert "3 samples are left out here" in notes["b"][0]


def test_another_class_of_a_shared_sample_is_noted():
    first, second = pair_with_a_shared_sample()
    assert len(cohorts._masks_of_distinct_samples([first, second])[1]["b"]) == 1
    other = replace(second, labels=np.r_[["tumour"], second.labels[1:]])
    _, notes = cohorts._masks_of_distinct_samples([first, other])
    assert "1 shared sample has another class in a: one of the two labels is wrong" in notes["b"][1]


def test_a_series_of_shared_samples_only_is_refused():
    first = cohort("a", 1, (4, 4), features=100)
    with pytest.raises(InputError, match="all samples of twin are in other series"):
        cohorts._masks_of_distinct_samples([first, replace(first, name="twin")])


def test_a_class_of_shared_samples_only_is_missed_before_anything_is_fitted(monkeypatch):
    """Only the second series has tumours; all of them are samples of the third, smaller one."""
    normal = cohort("a", 1, (6, 0), features=100)
    larger = cohort("b", 2, (4, 3), features=100)
    smaller = cohort("c", 3, (3, 0), features=100)
    smaller = replace(smaller, values=larger.values[:, 4:])
    monkeypatch.setattr(
        cohorts, "_cross_cohort_tests", Mock(side_effect=AssertionError("was fitted"))
    )
    with pytest.raises(InputError, match="no series has two classes"):
        combine([normal, larger, smaller], CSNB)


def test_merged_samples_without_patients_are_groups_of_their_own():
    first = cohort("a", 1, (2, 2))
    merged = cohorts._merge_series([first, cohort("b", 2, (2, 2))])
    assert merged.groups is None
    merged = cohorts._merge_series([replace(first, groups=list("ppqq")), cohort("b", 2, (2, 2))])
    assert merged.groups.tolist() == ["a/p", "a/p", "a/q", "a/q", "b/b0", "b/b1", "b/b2", "b/b3"]


def first_features(series, n):
    return replace(
        series,
        values=series.values[:n],
        features=series.features[:n],
        kinds=series.kinds[:n],
        feature_metadata=None,
    )


def test_a_series_is_described_by_its_own_features_and_the_common_ones():
    """The quantile is that of 99%; symbols are counted where series are matched by them."""
    symbols = pd.DataFrame({"symbol": ["TP53", "TP53", "", "MYC"] + [""] * 56})
    one = replace(cohort("a", 1), feature_metadata=symbols)
    other = replace(cohort("b", 2), feature_metadata=symbols)
    common = [first_features(one, 40), first_features(other, 40)]
    notes = {"a": [], "b": []}
    table = cohorts._describe_series([one, other], common, notes, "feature")
    assert table["features"].tolist() == [60, 60]
    assert table["common"].tolist() == [40, 40]
    assert table["quantile"].iloc[0] == pytest.approx(np.quantile(one.values, 0.99))
    by_symbol = cohorts._describe_series([one, other], common, notes, "symbol")
    assert by_symbol["features"].tolist() == [2, 2]


def test_agreement_is_the_greatest_correlation_with_another_series():
    rng = np.random.default_rng(0)
    level = rng.normal(size=200)
    values = [level, level + 0.1 * rng.normal(size=200), rng.normal(size=200)]
    series = []
    for i, row in enumerate(values):
        series.append(dataset(np.repeat(row[:, None], 2, axis=1), ["a", "b"], name=f"s{i}"))
    agreement = cohorts._greatest_correlations(series)
    assert agreement[0] == agreement[1] > 0.95
    assert abs(agreement[2]) < 0.3


@pytest.mark.parametrize(("absent", "has_figures"), [("none", True), ("b", False)])
def test_figures_of_leaving_out_need_predictions_for_every_series(monkeypatch, absent, has_figures):
    predict = cohorts._predict_by_models

    def predict_some(models, test, classes):
        if test.name == absent:
            return cohorts.PredictedClasses.without("no reason")
        return predict(models, test, classes)

    monkeypatch.setattr(cohorts, "_predict_by_models", predict_some)
    monkeypatch.setattr(cohorts, "cross_validated", lambda *_: (None, np.empty(0)))
    _, left_out = cohorts._cross_cohort_tests(SMALL[:2], resolved(CSNB))
    assert (left_out is not None) == has_figures
    if has_figures:
        assert left_out.inflation == CROSS_VALIDATED
        assert left_out.predictions["fold"].nunique() == 2
