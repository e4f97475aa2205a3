"""Training sees training samples only, whole groups of them, and every outcome is a row."""

import warnings

import numpy as np
import pandas as pd
import pytest
from spy_classifier import Spy
from toys import dataset

from xnbflow.data.canonical_order import numbered
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.folds import draw_folds, folds_of_repeat, leave_one_group_out
from xnbflow.evaluation.keyed_tables import LOG_POSTERIOR
from xnbflow.evaluation.training import train

FOLDS = pd.DataFrame({"repeat": 0, "fold": [0, 0, 1, 1], "sample": ["s0", "s3", "s1", "s4"]})
#: The rows of each fold.
FIRST = FOLDS[:2]
SECOND = FOLDS[2:]


def fail(model):
    raise ZeroDivisionError("the third fold is unlucky")


SPY = {"method": "spy_classifier.Spy"}
XNB_ENTRY = {"method": "xnbflow.naive_bayes.xnb.XNB"}


def test_a_fit_without_memory_is_no_failed_fold(series, monkeypatch):
    monkeypatch.setattr(Spy, "act", lambda model: np.empty(1 << 55))
    with pytest.raises(MemoryError, match="Unable to allocate"):
        train(series, FOLDS, SPY)


def test_a_fold_never_sees_its_test_samples(series):
    train(series, FOLDS, SPY)
    seen = [dict(zip(X.index, labels, strict=True)) for X, labels, *_ in Spy.seen]
    assert seen[0] == {"s1": "a", "s2": "a", "s4": "b", "s5": "b"}
    assert seen[1] == {"s0": "a", "s2": "a", "s3": "b", "s5": "b"}


def test_training_samples_are_in_canonical_order(series):
    """Inner cross-validations divide them in their order, which that of a file must not change."""
    train(series, FOLDS, SPY)
    for X, *_ in Spy.seen:
        in_order = [name for name in series.samples[series.order] if name in X.index]
        assert X.index.tolist() == in_order


def test_a_failed_fit_is_a_row_and_the_others_go_on(series, monkeypatch):
    monkeypatch.setattr(Spy, "act", fail)
    outcome = train(series, FOLDS, SPY)
    assert outcome["fits"]["status"].tolist() == ["failed", "failed"]
    assert outcome["fits"]["error"].iloc[0] == "ZeroDivisionError: the third fold is unlucky"
    assert outcome["predictions"].empty
    assert "true" in outcome["predictions"]


def test_a_class_absent_from_training_has_probability_zero(series):
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": ["s3", "s4", "s5"]})
    nearest = {"method": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 1}}
    for entry in ({"method": "sklearn.dummy.DummyClassifier"}, nearest):  # one has no logarithms
        outcome = train(series, folds, entry)
        assert (outcome["predictions"][LOG_POSTERIOR + "b"] == -np.inf).all()
    silent = train(series, folds, SPY)["predictions"]
    assert silent[LOG_POSTERIOR + "b"].isna().all()


def test_the_seed_of_a_classifier_is_another_in_each_repeat_and_order_of_classes(series):
    labels = np.roll(series.labels, 1)
    other = DataSet(
        "toy", series.values, features=series.features, samples=series.samples, labels=labels
    )
    for data, repeat in ((series, 0), (series, 1), (other, 0), (series, 0)):
        train(data, FIRST.assign(repeat=repeat), SPY)
    seeds = [seed for _, _, seed, _ in Spy.seen]
    assert seeds[0] == seeds[3] == series_seed(series, 0, "classifier")
    assert len(set(seeds)) == 3


def test_a_fold_that_could_be_fitted_is_told_with_its_warnings_and_features(series, monkeypatch):
    def talk(model):
        for text in ("few samples", "few samples", "no convergence"):
            warnings.warn(text, UserWarning, stacklevel=1)

    monkeypatch.setattr(Spy, "act", talk)
    fit = train(series, SECOND, SPY)["fits"].iloc[0]
    assert fit[["repeat", "fold", "status", "error"]].tolist() == [0, 1, "ok", ""]
    assert fit["warnings"] == "few samples; no convergence"
    assert fit[["features_per_class", "features"]].tolist() == [4, 4]
    monkeypatch.setattr(Spy, "act", fail)
    assert train(series, SECOND, SPY)["fits"]["warnings"].iloc[0] == ""


@pytest.mark.parametrize("mark", [True, False])
def test_a_feature_selected_because_a_class_is_constant_is_marked(rng, mark):
    labels = np.repeat(["a", "b"], 20)
    values = rng.normal(size=(3, 40))
    values[0, labels == "a"] += 9.0
    if mark:  # one sample expresses it, and hardly any other
        values[0] = np.where(labels == "a", 0.0, 0.01 * values[0])
        values[0, 30] = 5.0
    series = dataset(values, labels, features=["flat", "g1", "g2"])
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": ["s0", "s39"]})
    selected = train(series, folds, XNB_ENTRY)["selected"]
    assert set(zip(selected["feature"], selected["constant"], strict=True)) == {("flat", mark)}


CSNB_ENTRY = {"method": "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"}


def test_a_scheme_that_leaves_groups_out_has_a_fold_per_group(pairs):
    folds = folds_of_repeat(pairs, None, 0)
    pd.testing.assert_frame_equal(folds, draw_folds(pairs, None, 1))
    pd.testing.assert_frame_equal(folds, leave_one_group_out(pairs))
    outcome = train(pairs, folds, CSNB_ENTRY)
    assert len(outcome["fits"]) == 8
    assert sorted(outcome["predictions"]["sample"]) == sorted(pairs.samples)


def test_missing_values_are_filled_in_by_medians_of_the_training_samples(pairs):
    folds = draw_folds(pairs, 4, 1)
    outcome = train(pairs, folds.query("fold == 0"), SPY)
    trained, *_, groups = Spy.seen[0]
    tested = Spy.tested[0]
    mask = np.isin(pairs.samples, tested.index)
    medians = np.nanmedian(pairs.values[:, ~mask], axis=1)
    expected = np.where(np.isnan(pairs.values), medians[:, None], pairs.values)
    np.testing.assert_array_equal(tested.to_numpy().T, expected[:, mask])
    training = pairs.order[~mask[pairs.order]]
    np.testing.assert_array_equal(trained.to_numpy().T, expected[:, training])
    assert list(tested.columns) == list(pairs.features)
    assert outcome["fits"]["imputed"].tolist() == [np.isnan(pairs.values).sum()]
    np.testing.assert_array_equal(groups, numbered(pairs.groups[training]))


def explained_rows(series, monkeypatch, most_rows):
    """Return the explanations and distances of two folds, each with three test samples."""
    monkeypatch.setattr("xnbflow.evaluation.training._MOST_EXPLANATION_ROWS", most_rows)
    entry = {"method": "xnbflow.naive_bayes.ClassSpecificNB", "params": {"n_features": 1}}
    folds = pd.DataFrame({"repeat": 0, "fold": [0, 1] * 3, "sample": [f"s{i}" for i in range(6)]})
    tables = train(series, folds, entry)
    assert len(tables["predictions"]) == 6
    assert tables["selected"]["constant"].notna().all()
    distances = tables["selected"].filter(regex="^distance_to[.]")
    return len(tables["explanations"]), distances.notna().sum().sum()


@pytest.mark.parametrize(
    ("most_rows", "explanations", "distances"),
    [
        (12, 12, 4),  # in each fold three samples, two classes with a feature, and another class
        (11, 0, 4),
        (4, 0, 4),
        (3, 0, 0),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_large_explanations_and_distances_are_left_out(
    monkeypatch, most_rows, explanations, distances
):
    values = np.array([[0.0, 1, 2, 10, 11, 12], [3.0, 1, 4, 1, 5, 9]])
    series = dataset(values, list("aaabbb"))
    assert explained_rows(series, monkeypatch, most_rows) == (explanations, distances)
