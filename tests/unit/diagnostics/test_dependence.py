"""The test of dependence of many features: a random sample of them is compared with all others."""

from itertools import combinations

import numba
import numpy as np
import pytest
from toys import dataset

from xnbflow.data.series_seed import series_seed
from xnbflow.diagnostics import conditional_dependence, dependence
from xnbflow.diagnostics.correlation import normalised_residuals, scan_features, scan_pairs
from xnbflow.diagnostics.dependence import _sampling_error
from xnbflow.diagnostics.diagnostic_tables import diagnose

N_SAMPLES = 40
LABELS = np.repeat(["normal", "tumour"], N_SAMPLES // 2)


@pytest.fixture
def low_limit(monkeypatch):
    """All pairs of up to 100 features, a sample of 60 of more features."""
    monkeypatch.setattr(dependence, "ALL_PAIRS_LIMIT", 100)
    monkeypatch.setattr(dependence, "_SAMPLED_FEATURES", 60)


def features_in_pairs(n_features, n_dependent, seed=0):
    """Return values whose first ``n_dependent`` features are pairs of dependent ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_SAMPLES, n_features))
    X[:, 1:n_dependent:2] = X[:, 0:n_dependent:2] + 0.01 * rng.normal(
        size=(N_SAMPLES, n_dependent // 2)
    )
    return X


def test_the_limits_are_those_of_the_documents():
    assert dependence.ALL_PAIRS_LIMIT == 100_000
    assert dependence._SAMPLED_FEATURES == 10_000


def test_a_sample_is_drawn_from_the_first_feature_above_the_limit_on(low_limit):
    at_limit = conditional_dependence(features_in_pairs(100, 20), LABELS)
    above_limit = conditional_dependence(features_in_pairs(101, 20), LABELS)
    assert at_limit.features.tolist() == list(range(100))
    assert (at_limit.ratio, at_limit.n_pairs) == (0.2, 10)
    assert at_limit.pair_share == 10 / 4950
    assert (at_limit.ratio_error, at_limit.pair_share_error) == (0.0, 0.0)
    assert len(above_limit.features) == len(above_limit.dependent) == len(above_limit.r) == 60
    assert above_limit.ratio_error > 0
    assert above_limit.pair_share_error > 0


def test_the_seed_decides_the_sample_and_threads_do_not(low_limit, monkeypatch):
    monkeypatch.setattr("xnbflow.diagnostics.correlation._TILE", 16)
    X = features_in_pairs(300, 100)
    most_threads = numba.get_num_threads()
    results = {}
    for n_threads in {1, most_threads}:
        numba.set_num_threads(n_threads)
        results[n_threads] = conditional_dependence(X, LABELS, seed=3)
    numba.set_num_threads(most_threads)
    first, second = results[1], results[most_threads]
    for name in ("features", "partner", "r", "dependent", "histogram"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    expected = np.sort(np.random.default_rng(3).choice(300, 60, replace=False))
    np.testing.assert_array_equal(first.features, expected)
    other = conditional_dependence(X, LABELS, seed=4)
    assert not np.array_equal(first.features, other.features)


def test_features_of_the_sample_have_the_partners_that_all_pairs_give(monkeypatch):
    monkeypatch.setattr("xnbflow.diagnostics.correlation._TILE", 16)
    X = features_in_pairs(90, 40)
    X[:, 50:60] = X[:, :1] + np.random.default_rng(1).normal(size=(N_SAMPLES, 10))
    X[:, 33] = LABELS == "tumour"  # constant within the classes: partner of none
    residuals = normalised_residuals(X, LABELS)
    features = np.array([0, 1, 15, 16, 17, 31, 32, 33, 54, 88, 89])
    scan = scan_features(residuals, features, cut=0.5)
    pairs = scan_pairs(residuals)
    np.testing.assert_array_equal(scan.partner, pairs.partner[features, 0])
    np.testing.assert_array_equal(scan.r, pairs.r[features, 0])
    r = np.abs(residuals @ residuals.T)
    np.fill_diagonal(r, 0.0)
    np.testing.assert_array_equal(scan.n_above, np.sum(r > 0.5, axis=1)[features])
    assert scan.n_above[0] > 5
    assert scan.partner[features == 33] == -1


def test_a_sampled_feature_near_the_cut_is_decided_in_float64(low_limit):
    # Features at a chosen correlation with feature 0, which is exact in float64. In float32 .7 and
    # .7 + 3e-9 are equal; .7 + 1e-12 is the cut but for the rounding of some processor.
    rng = np.random.default_rng(5)
    columns = np.column_stack([np.ones(130), rng.normal(size=(130, 121))])
    basis = np.linalg.qr(columns)[0][:, 1:]
    offsets = np.tile([-1e-7, -3e-9, -1e-12, 1e-12, 3e-9, 1e-7], 20)[:120]
    r = 0.7 + offsets
    X = np.column_stack([basis[:, 0], basis[:, :1] * r + basis[:, 1:121] * np.sqrt(1 - r**2)])
    result = conditional_dependence(X, np.zeros(130), alpha=1.0)
    others = result.features[result.features > 0]
    np.testing.assert_array_equal(result.dependent[result.features > 0], offsets[others - 1] > 1e-9)
    # Each of 40 features depends on feature 0 alone, whose correlation with the others is .49.
    n_dependent = np.sum(offsets[others - 1] > 1e-9) + 40 * (0 in result.features)
    assert result.pair_share * 60 * 120 == pytest.approx(n_dependent)


def test_a_feature_keeps_its_partner_outside_of_the_sample(low_limit):
    # Every feature depends on one other: P is 1. Among the pairs within a sample of 60 of 600
    # features a tenth would have their partner.
    result = conditional_dependence(features_in_pairs(600, 600), LABELS)
    assert result.ratio == 1.0
    assert result.ratio_error == 0.0
    assert result.n_pairs == 300
    assert result.pair_share == pytest.approx(1 / 599)
    within = conditional_dependence(features_in_pairs(600, 600)[:, result.features], LABELS)
    assert within.ratio < 0.3


def test_shares_of_a_designed_matrix_are_estimated_without_bias(low_limit):
    # 100 of 400 features depend on one other: P is .25, and 50 of 79,800 pairs are dependent.
    X = features_in_pairs(400, 100)
    results = [conditional_dependence(X, LABELS, seed=seed) for seed in range(200)]
    for name, truth in (("ratio", 0.25), ("pair_share", 50 / 79_800)):
        estimates = np.array([getattr(result, name) for result in results])
        errors = np.array([getattr(result, f"{name}_error") for result in results])
        # 3 standard errors of a mean of 200 draws
        assert abs(estimates.mean() - truth) < 3 * estimates.std() / np.sqrt(200)
        # a standard deviation of 200 draws has a relative error of 1 / sqrt(400)
        assert np.sqrt(np.mean(errors**2)) == pytest.approx(estimates.std(), rel=3 / 20)


def test_the_squared_error_of_a_mean_is_unbiased():
    # all 56 samples of 3 of 8 units: the mean of squared errors is the variance of the means
    population = np.array([0.0, 0.0, 1.0, 3.0, 3.0, 4.0, 8.0, 11.0])
    samples = [np.array(units) for units in combinations(population, 3)]
    squares = [_sampling_error(sample, 8) ** 2 for sample in samples]
    assert np.mean(squares) == pytest.approx(np.var([sample.mean() for sample in samples]))


def test_tables_state_how_many_features_are_compared(low_limit):
    values = features_in_pairs(150, 150).T
    tests = {"min_abs_r": 0.7, "alpha": 1e-6, "dof": "exact"}
    tables = diagnose(dataset(values, LABELS), tests)
    (test,) = tables["dependence_test"].to_dict("records")
    assert (test["tested"], test["compared"], test["dependent_pairs"]) == (150, 60, 75)
    assert test["pair_share"] == pytest.approx(1 / 149)
    partners = tables["dependence"]
    rng = np.random.default_rng(series_seed(dataset(values, LABELS), 0, "dependence"))
    drawn = np.sort(rng.choice(150, 60, replace=False))
    assert partners["feature"].tolist() == [f"g{number}" for number in drawn]
    numbers = partners[["feature", "partner"]].map(lambda name: int(name[1:]))
    assert ((numbers["feature"] // 2) == (numbers["partner"] // 2)).all()
    assert (tables["normality"]["class"] == "").sum() == 150
    # pairs of the 60 features among themselves
    assert tables["histograms"].query("quantity == '|r|'")["count"].sum() == 60 * 59 // 2
    renamed = diagnose(dataset(values, np.repeat(["a", "b"], N_SAMPLES // 2)), tests)
    assert partners.equals(renamed["dependence"])
