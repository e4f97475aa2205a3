"""The study of the XNB paper's open questions: its accuracies, its comparison and its section."""

import numpy as np
import pandas as pd
import pytest
from report_study import analysis_section, small
from scipy import stats
from sklearn.metrics import accuracy_score
from small_analyses import LABELS, distances
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.evaluation.folds import folds_of_repeat
from xnbflow.naive_bayes import XNB
from xnbflow.papers.xnb_paper import compute_distances
from xnbflow.papers.xnb_paper.compute_distances import (
    AT_THRESHOLD,
    _alternatives_of,
    _best_of_pairs,
    _compare_alternatives,
    analyse,
)
from xnbflow.papers.xnb_paper.entries import DISTANCES_ANALYSIS
from xnbflow.papers.xnb_paper.max_test import sign_flip_max_test
from xnbflow.papers.xnb_paper.section_distances import _conclusion, _difference_figure
from xnbflow.preprocessing.selection.class_features import pairs_of_codes

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    series, params = distances(tmp_path_factory.mktemp("distances"))
    return analyse(series, params, 1)


@pytest.mark.parametrize("changed", [{}, {"distance": "wasserstein"}, {"kernel": 4},
                                     {"bandwidth": "adaptive"}])  # fmt: skip
def test_at_the_threshold_the_accuracy_is_that_of_xnb(tables, tmp_path, changed):
    series, _ = distances(tmp_path)
    data = series["toy"]
    folds = folds_of_repeat(data, 3, 0).set_index("sample")["fold"].loc[data.samples].to_numpy()
    predicted, counts = np.empty(data.n_samples, dtype=data.classes.dtype), []
    for fold in range(3):
        train, test = folds != fold, folds == fold
        model = XNB(min_distance="mean", **changed).fit(data.values.T[train], data.labels[train])
        predicted[test] = model.predict(data.values.T[test])
        counts.append(
            np.mean([len(class_features) for class_features in model.selected_features_.values()])
        )
    titles = {"wasserstein": "wasserstein", 4: "beta (s = 4)", "adaptive": "adaptive"}
    title = titles[next(iter(changed.values()))] if changed else "published"
    rows = tables["accuracies"].set_index(["dataset", "alternative", "n_features"])
    row = rows.loc[("toy", title, AT_THRESHOLD)]
    assert row["accuracy"] == pytest.approx(accuracy_score(data.labels, predicted))
    assert row["features_per_class"] == pytest.approx(np.mean(counts))


def test_equal_numbers_are_the_best_features_of_each_pair(rng):
    values = rng.random((6, 9))  # of four classes
    pairs = pairs_of_codes(4)
    for code, class_features in enumerate(_best_of_pairs(values, 4, 2)):
        rows = values[(pairs == code).any(axis=1)]
        assert set(class_features) == {f for row in rows for f in np.argsort(-row)[:2]}
    assert [class_features.tolist() for class_features in _best_of_pairs(values, 4, 20)] == [
        list(range(9))
    ] * 4


def test_every_alternative_changes_one_part_of_the_papers_choice():
    published, *others = _alternatives_of(compute_distances.DEFAULTS)
    assert (published.distance, published.bandwidth, published.kernel) == (
        "hellinger", "silverman", "gaussian"
    )  # fmt: skip
    for other in others:
        changed = [field for field in ("distance", "bandwidth", "kernel")
                   if getattr(other, field) != getattr(published, field)]  # fmt: skip
        assert changed == [other.part]
    assert len({other.name for other in others}) == len(others) == 12


def test_differences_are_over_series_and_corrected_together():
    rng = np.random.default_rng(3)
    rows = [
        {"dataset": f"d{i}", "part": changed, "alternative": name, "n_features": size,
         "accuracy": rng.normal(0.8 + 0.1 * (name == "good"), 0.03), "features_per_class": size + 1}
        for i in range(7)
        for changed, name in (("published", "published"), ("distance", "good"), ("kernel", "same"))
        for size in (0, 3)
    ]  # fmt: skip
    accuracies = pd.DataFrame(rows)
    table = _compare_alternatives(accuracies)
    wide = accuracies.pivot_table(index=["alternative", "n_features"], columns="dataset",
                                  values="accuracy")  # fmt: skip
    differences = []
    for row in table.to_dict("records"):
        size = row["n_features"]
        difference = wide.loc[(row["alternative"], size)] - wide.loc[("published", size)]
        differences.append(difference.to_numpy())
        interval = stats.ttest_1samp(difference, 0).confidence_interval(0.95)
        assert row["difference"] == pytest.approx(difference.mean())
        assert (row["lower"], row["upper"]) == pytest.approx((interval.low, interval.high))
        assert (row["better"], row["worse"]) == ((difference > 0).sum(), (difference < 0).sum())
        assert row["published_accuracy"] == pytest.approx(wide.loc[("published", size)].mean())
        assert (row["datasets"], row["features_per_class"]) == (7, size + 1)
    np.testing.assert_allclose(table["p"], sign_flip_max_test(np.array(differences)))


def test_a_series_with_equal_accuracies_is_neither_better_nor_worse():
    accuracy = {"published": [0.8, 0.8, 0.8], "wasserstein": [0.9, 0.8, 0.7]}
    accuracies = pd.DataFrame(
        {
            "dataset": ["a", "b", "c"] * 2,
            "part": ["published"] * 3 + ["distance"] * 3,
            "alternative": ["published"] * 3 + ["wasserstein"] * 3,
            "n_features": 3,
            "accuracy": accuracy["published"] + accuracy["wasserstein"],
            "features_per_class": 3.0,
        }
    )
    (row,) = _compare_alternatives(accuracies).to_dict("records")
    assert (row["better"], row["worse"]) == (1, 1)


def test_classes_have_their_shares_of_the_training_samples_as_priors():
    """Classes of 28 and 8 samples that overlap, as XNB classifies them."""
    labels = np.array(["a"] * 28 + ["b"] * 8)
    values = np.random.default_rng(5).normal(size=(4, 36)) + 1.0 * (labels == "b")
    data = dataset(values, labels, "d")
    params = small("distances") | {"distances": [], "kernels": [], "bandwidths": [], "repeats": 1}
    accuracies = analyse({"d": data}, params, 1)["accuracies"].set_index("n_features")
    drawn = folds_of_repeat(data, params["splits"], 0).set_index("sample")["fold"]
    folds = drawn.loc[data.samples].to_numpy()
    correct = {"shares": 0, "equal": 0}
    for fold in np.unique(folds):
        train = folds != fold
        for name, priors in (("shares", None), ("equal", [0.5, 0.5])):
            model = XNB(min_distance="mean", priors=priors).fit(values.T[train], labels[train])
            correct[name] += np.sum(model.predict(values.T[~train]) == labels[~train])
    assert correct["shares"] != correct["equal"]
    assert accuracies.loc[AT_THRESHOLD, "accuracy"] == pytest.approx(correct["shares"] / 36)


def test_without_alternatives_there_are_accuracies_and_no_differences(tmp_path):
    series, params = distances(tmp_path)
    tables = analyse(series, params | {"distances": [], "kernels": [], "bandwidths": []}, 1)
    assert set(tables["accuracies"]["part"]) == {"published"}
    assert tables["differences"].empty


def test_each_repeat_has_features_of_its_own():
    values = np.arange(200.0)[:, None] + np.zeros((200, 36))
    data = dataset(values, LABELS, "d")
    samples = [
        compute_distances._sampled_features(data, 10, repeat)[:, 0].tolist() for repeat in (0, 1)
    ]
    assert samples[0] != samples[1]
    for sample in samples:
        assert sample == sorted(set(sample))
        assert len(sample) == 10
    assert compute_distances._sampled_features(data, 200, 0) is data.values


def test_jeffreys_and_kullback_leibler_rank_alike(rng):
    values = rng.normal(size=(15, 36))
    values[:3] += LABELS == "a"
    params = small("distances") | {"distances": ["jeffreys", "kullback_leibler"], "kernels": []}
    accuracies = analyse({"d": dataset(values, LABELS, "d")}, params, 1)["accuracies"]
    wide = accuracies.pivot_table(index="n_features", columns="alternative", values="accuracy")
    equal = wide.drop(index=AT_THRESHOLD)
    np.testing.assert_array_equal(equal["jeffreys"], equal["kullback_leibler"])


def test_one_series_has_no_interval(tmp_path):
    series, params = distances(tmp_path)
    table = analyse({"toy": series["toy"]}, params, 1)["differences"]
    assert table[["lower", "upper", "p"]].isna().all(axis=None)
    assert "One series shows no difference" in _conclusion(table)
    assert analyse({}, params, 1)["differences"].empty


def test_a_sample_of_the_features_is_used(tmp_path):
    series, params = distances(tmp_path)
    whole = analyse({"toy": series["toy"]}, params, 1)["accuracies"]
    few = analyse({"toy": series["toy"]}, params | {"features": 3}, 1)["accuracies"]
    assert few["features_per_class"].max() == 3 < whole["features_per_class"].max()


def test_classes_that_are_smaller_than_the_folds_are_refused():
    values = np.random.default_rng(0).normal(size=(2, 6))
    few = dataset(values, list("aaabbb"), "d")
    with pytest.raises(InputError, match="4"):
        analyse({"d": few}, small("distances") | {"splits": 4}, 1)


def test_missing_values_are_refused():
    values = np.ones((2, 36))
    values[0, 0] = np.nan
    with pytest.raises(InputError, match="d: the analysis 'distances' takes no missing values"):
        analyse({"d": dataset(values, LABELS, "d", missing=True)}, small("distances"), 1)


def test_the_section_shows_each_part(tables, tmp_path):
    section, shown = analysis_section(DISTANCES_ANALYSIS, tables, tmp_path)
    captions = [table.caption for table in shown]
    assert captions[0] == "Distances against the paper's choice."
    assert captions[-1] == "The accuracy of each alternative on each series."
    assert len(captions) == 4
    assert list(shown[0].frame["alternative"].unique()) == ["jensen_shannon", "wasserstein"]
    assert len(shown[0].frame) == 2 * 3
    assert section.id == "distances"


def differences_with(p_values):
    """The table of three alternatives: better, worse, and better at the threshold only."""
    return pd.DataFrame(
        {
            "alternative": ["better", "worse", "threshold"],
            "n_features": [3, 3, AT_THRESHOLD],
            "difference": [0.1, -0.1, 0.1],
            "p": p_values,
            "datasets": 8,
        }
    )


def test_a_p_value_of_exactly_the_level_is_not_significant():
    assert "no alternative differs significantly" in _conclusion(differences_with([0.05, 0.2, 1]))


def test_the_conclusion_names_what_is_significant():
    assert "no alternative differs significantly" in _conclusion(differences_with([0.06, 0.2, 1]))
    both = _conclusion(differences_with([0.01, 0.04, 1.0]))
    assert "2 of 3 comparisons" in both
    assert "more accurate: better." in both
    assert "less accurate: worse." in both
    only = _conclusion(differences_with([0.5, 0.5, 0.01]))
    assert "None of them is at equal numbers of features" in only


def test_no_alternative_is_named_twice_or_for_the_threshold():
    """Significant at two sizes and at the threshold: one name, of equal numbers of features."""
    differences = differences_with([0.01, 0.5, 0.01])
    repeated = pd.concat([differences, differences.iloc[:1].assign(n_features=10)])
    text = _conclusion(repeated)
    assert text.endswith("At equal numbers of features, more accurate: better.")


def test_differences_are_drawn_by_size_with_their_intervals():
    rows = pd.DataFrame(
        {
            "alternative": ["a", "b", "a", "b"],
            "n_features": [3, 3, AT_THRESHOLD, AT_THRESHOLD],
            "difference": [0.1, -0.1, 0.05, 0.0],
            "lower": [0.02, -0.2, np.nan, -0.1],
            "upper": [0.18, 0.0, np.nan, 0.1],
        }
    )
    figure = _difference_figure("distance", rows, [])
    by_size = {group.label: group for group in figure.arguments["groups"]}
    assert list(by_size) == ["3 per pair", "at the threshold"]
    assert by_size["3 per pair"].lower == [0.02, -0.2]
    assert by_size["3 per pair"].upper == [0.18, 0.0]
    assert by_size["at the threshold"].lower == [0.05, -0.1]  # without an interval: the value
    assert figure.arguments["rows"] == ["a", "b"]


def test_equal_numbers_need_no_least_distance():
    """Features of small distances are taken as well: only their order counts."""
    distances = np.array([[0.1, 0.2, 0.05]])
    assert [chosen.tolist() for chosen in _best_of_pairs(distances, 2, 2)] == [[0, 1], [0, 1]]
