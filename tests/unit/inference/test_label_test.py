"""Label tests: exactness, planted signals, counts, columns to adjust for, draws of folds."""

from dataclasses import replace
from math import comb

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from toys import dataset, shifted_classes

from xnbflow.data.canonical_order import in_canonical_order
from xnbflow.data.read_counts import expressed_features, with_log_counts
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.folds import repeated_folds
from xnbflow.inference import label_test as label_tests
from xnbflow.inference.diagonal_discriminant import ten_features_scores
from xnbflow.inference.label_test import _default_n_draws, _residuals, _seeds_of_draws, label_test


@pytest.mark.parametrize("adjusted", [False, True])
def test_counts_are_tested_by_the_features_with_enough_reads(rng, adjusted):
    """Genes of few reads, strong in one class, are not in the test; the values are those of TMM."""
    level = np.where(np.arange(80) < 40, 100.0, 1.0)[:, None] * np.ones(20)
    labels = np.repeat(["a", "b", "b"], [8, 6, 6])
    level[60:, labels == "b"] *= 4
    columns = {"plate": np.tile(["p", "q"], 10)} if adjusted else None
    counts = rng.poisson(level).astype(float)
    series = dataset(counts, labels, scale="counts")
    enough = expressed_features(series)
    assert enough.tolist() == [True] * 40 + [False] * 40
    logarithms = with_log_counts(series).values
    only_enough = dataset(logarithms[enough], labels)
    all_genes = dataset(logarithms, labels)
    # the canonical order, in which folds and permutations are drawn, is that of all features
    vars(only_enough)["order"] = series.order
    settings = {"columns": columns, "n_permutations": 99, "n_draws": 3}
    actual = label_test(series, **settings)
    expected = label_test(only_enough, **settings)
    pd.testing.assert_frame_equal(actual, expected, check_exact=True)
    with_few_reads = label_test(all_genes, **settings)
    assert actual["p_value"][0] > 0.05 >= with_few_reads["p_value"][0]


@pytest.mark.parametrize("per_patient", [1, 3])
def test_the_label_test_finds_signal_and_no_more(per_patient, monkeypatch):
    """A single class is not tested, nor a data set that is too large."""
    n, rng = 60, np.random.default_rng(per_patient)
    labels = np.repeat(rng.permutation(np.repeat(["a", "b"], n // 2)), per_patient)
    values = rng.normal(size=(60, len(labels)))
    groups = np.repeat([f"p{i}" for i in range(n)], per_patient) if per_patient > 1 else None

    def tested_labels(values, labels):
        return label_test(dataset(values, labels, groups=groups), n_draws=3)

    assert tested_labels(values, labels)["p_value"][0] > 0.05
    row = tested_labels(values + (labels == "a") * 3 * (np.arange(60) < 3)[:, None], labels).iloc[0]
    assert (row["p_value"], row["at_least"], row["permutations"]) == (0.001, 1, 1000)
    assert tested_labels(values, np.repeat("a", len(labels))).empty
    monkeypatch.setattr(label_tests, "_MOST_TESTED_VALUES", values.size - 1)
    assert tested_labels(values, labels).empty


def departing_study(seed, kind):
    """Return 40 samples whose 100 features have a class of another mean, spread, or neither."""
    series = shifted_classes(seed, n_features=100)
    values = series.values - 8.0
    of_b = series.labels == "b"
    rng = np.random.default_rng(seed)
    if kind == "few means":
        values[:3, of_b] += 1.5
    elif kind == "many means":
        values += 0.3 * of_b * rng.choice([-1, 1], (100, 1))
    elif kind == "spread":
        values[:, of_b] *= 2.0
    elif kind == "two modes":
        values[:40, of_b] += 1.5 * rng.choice([-1, 1], (40, of_b.sum()))
    return replace(series, values=values)


@pytest.mark.parametrize(
    ("kind", "statistic"),
    [("few means", "means"), ("many means", "all"), ("spread", "spread"), ("two modes", "spread")],
)
def test_each_statistic_sees_its_departure(kind, statistic):
    row = label_test(departing_study(1, kind), n_draws=3).iloc[0]
    assert row["statistic"] == statistic
    assert row[f"{statistic}_p"] <= row["p_value"] <= 0.025


@pytest.mark.parametrize("kind", ["none", "few means", "spread"])
def test_p_is_the_printed_count_over_the_printed_orders(kind):
    """The counts are of the combination, whichever statistic decided."""
    for seed in range(4):
        row = label_test(departing_study(seed, kind), n_permutations=199, n_draws=1).iloc[0]
        assert row["p_value"] == row["at_least"] / row["permutations"]
        assert row["p_lower"] <= row["p_value"] <= row["p_upper"]
        weights = {"means": 0.5, "spread": 0.1, "all": 0.4}
        weighted = {name: row[f"{name}_p"] / weight for name, weight in weights.items()}
        assert weighted[row["statistic"]] == pytest.approx(min(weighted.values()))


def test_few_orders_are_all_compared(rng):
    """Four and three samples have 35 orders; each of them has its p if it is the true one."""
    labels = np.repeat(["a", "b"], [4, 3])
    values = rng.normal(size=(12, 7))
    series = dataset(values, labels)
    row = label_test(series, n_draws=1).iloc[0]
    assert row["permutations"] == comb(7, 3)
    assert (row["p_lower"], row["p_upper"]) == (row["p_value"], row["p_value"])


@pytest.mark.parametrize("seed", range(3))
def test_p_of_pairs_counts_the_order_with_exchanged_names(seed):
    """Six pairs have 64 orders; the opposite of the true one is predicted exactly as well."""
    rng = np.random.default_rng(seed)
    labels = np.tile(["a", "b"], 6)
    patients = np.repeat([f"p{i}" for i in range(6)], 2)
    values = rng.normal(size=(60, 12))
    values[:30, labels == "a"] += 3
    row = label_test(dataset(values, labels, groups=patients)).iloc[0]
    assert (row["at_least"], row["permutations"], row["p_value"]) == (2, 64, 2 / 64)


def test_the_test_is_exact_over_all_orders_of_a_small_study(rng):
    """By all 70 orders of four and four samples as true labels, at most a share a has p <= a."""
    values = rng.normal(size=(12, 8))
    codes = np.repeat([0, 1], 4)
    orders = label_tests.label_exchange(codes).distinct_orders(codes)
    assert len(orders) == 70
    p_values = [
        label_test(dataset(values, np.array(["a", "b"])[order]), n_draws=1)["p_value"][0]
        for order in orders
    ]
    for level in (1 / 70, 2 / 70, 0.05, 0.1, 0.25, 0.5):
        # the folds of each test are drawn anew, so that the share varies about the level
        assert np.mean(np.array(p_values) <= level) <= level + 2 * np.sqrt(level / 70)


def test_the_score_is_the_mean_over_draws_of_folds_with_seeds_of_their_own(rng):
    series = shifted_classes(0, n_features=60, shifted=10)
    first = series_seed(series, 0, "permutation")
    ordered = in_canonical_order(series)
    codes = np.unique(ordered.labels, return_inverse=True)[1]
    seeds = [first + step for step in (0, 1_000_003, 2_000_006)]
    folds = [repeated_folds(codes, None, 5, [seed])[0] for seed in seeds]
    single = ten_features_scores(ordered.values)(np.tile(codes, (3, 1)), np.stack(folds)).tolist()
    assert len(set(single)) == 3
    for n_draws in (1, 3):
        (row,) = label_test(series, n_permutations=99, n_draws=n_draws).to_dict("records")
        assert row["statistic"] == "means"
        assert row["observed"] == pytest.approx(np.mean(single[:n_draws]))
    assert _seeds_of_draws(2**32 - 1, 2) == [2**32 - 1, 1_000_002]  # 32 bits


def test_fewer_folds_are_drawn_of_more_values():
    draws = [_default_n_draws(n_values) for n_values in np.geomspace(1e3, 6e7, 50).astype(int)]
    assert draws == sorted(draws, reverse=True)
    assert (draws[0], draws[-1]) == (12, 1)


def test_residuals_are_those_of_a_linear_model_of_the_columns_alone(rng):
    values = rng.normal(size=(6, 20))
    plate = np.tile(["p", "q", "r", "r"], 5)
    columns = {"plate": plate, "age": rng.normal(50, 9, 20), "copy": plate}
    design = np.column_stack([plate == "q", plate == "r", columns["age"]]).astype(float)
    model = LinearRegression().fit(design, values.T)
    assert _residuals(values, columns) == pytest.approx(values - model.predict(design).T)


def batches(seed, agreement, effect=0.0):
    """Return 40 samples of two plates that go with the class and shift a third of the features."""
    rng = np.random.default_rng(seed)
    in_b = np.repeat([False, True], 20)
    in_q = np.where(rng.random(40) < agreement, in_b, ~in_b)
    values = rng.normal(size=(90, 40))
    values[:30] += 2.0 * in_q
    values[30:36] += effect * in_b
    columns = {"plate": np.where(in_q, "q", "p")}
    return dataset(values, np.where(in_b, "b", "a")), columns


@pytest.mark.parametrize("agreement", [0.6, 0.8])
def test_labels_that_go_with_a_plate_are_no_signal_beside_it(agreement):
    """Without the column nearly all such studies reject; with it at most a few of 12 at .05."""
    p_values = []
    for seed in range(12):
        series, columns = batches(seed, agreement)
        test = label_test(series, columns=columns, n_permutations=199, n_draws=1)
        p_values.append(test["p_value"][0])
    assert np.mean(np.array(p_values) <= 0.05) <= 0.25
    if agreement == 0.8:
        unadjusted = [
            label_test(batches(seed, agreement)[0], n_permutations=199, n_draws=1)["p_value"][0]
            for seed in range(4)
        ]
        assert max(unadjusted) <= 0.025


def test_an_effect_beside_an_adjusted_plate_is_found():
    series, columns = batches(0, 0.75, effect=2.0)
    (row,) = label_test(series, columns=columns, n_permutations=199).to_dict("records")
    assert row["p_value"] <= 0.025
    assert row["adjusted_for"] == "plate"
