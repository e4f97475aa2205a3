"""Missing values that go with the class, and their size among labels without information."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.naive_bayes import BernoulliNB
from toys import dataset

from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference import missingness
from xnbflow.inference.estimates import performance
from xnbflow.inference.missingness import _indicator_accuracy, missing_values, values_at_limit
from xnbflow.inference.verdicts import verdicts
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.finding_table import finding_table


def series_of(missing, labels, groups=None):
    """Return a series with these missing values, (n_features, n_samples), and nothing else."""
    values = np.random.default_rng(1).normal(size=missing.shape)
    values[missing] = np.nan
    return dataset(values, labels, groups=groups, missing=True)


LABELS = np.repeat(["a", "b"], 15)


def findings(series):
    """Return the severities of findings on a difference of shares: one at most."""
    found = missing_values(series)
    return [finding.severity for finding in found if finding.kind == "missing"]


@pytest.mark.parametrize(("shares", "found"), [((0.05, 0.3), True), ((0.1, 0.1), False)])
def test_unequal_shares_of_missing_values_are_a_warning(rng, shares, found):
    missing = rng.random((300, 30)) < np.repeat(shares, 15)
    assert findings(series_of(missing, LABELS)) == (["warning"] if found else [])


def test_other_features_that_are_missing_at_equal_shares_are_a_warning(rng):
    """Each sample lacks 30 of 100 features, another 30 in either class."""
    missing = np.zeros((100, 30), dtype=bool)
    missing[:30, :15] = rng.random((30, 15)) < 0.8
    missing[30:60, 15:] = rng.random((30, 15)) < 0.8
    assert findings(series_of(missing, LABELS)) == ["warning"]


def test_less_than_a_hundredth_of_missing_values_is_a_notice():
    missing = np.zeros((1000, 30), dtype=bool)
    missing[:9, :15] = True  # .9 % of the values of a
    assert findings(series_of(missing, LABELS)) == ["notice"]
    missing[:10, :15] = True
    assert findings(series_of(missing, LABELS)) == ["warning"]


def test_no_missing_values_are_no_finding(rng):
    assert not missing_values(dataset(rng.normal(size=(5, 30)), LABELS))


def test_samples_of_a_patient_are_one_unit(rng):
    """Four patients of each class, two of which were measured badly, five times each."""
    missing = rng.random((300, 40)) < 0.02
    missing[:, :10] |= rng.random((300, 10)) < 0.5
    labels = np.repeat(["a", "b"], 20)
    whole = series_of(missing, labels, np.repeat([f"p{i}" for i in range(8)], 5))
    assert findings(whole) == []
    assert findings(dataclasses.replace(whole, groups=None)) == ["warning"]


def test_labels_without_information_seldom_have_a_finding():
    """Samples differ in their share of missing values; level .01, 200 studies."""
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        missing = rng.random((100, 20)) < rng.beta(1, 8, size=20)
        labels = rng.permutation(np.repeat(["a", "b"], 10))
        found += len(findings(series_of(missing, labels)))
    assert found <= 7  # more with a probability of .001 at .01


def limited(rng, limits, n_features=300, **fields):
    """Return a series whose values below the limit of their class were set to it."""
    values = np.maximum(rng.normal(size=(n_features, 30)), np.repeat(limits, 15))
    return dataset(values, LABELS, **fields)


@pytest.mark.parametrize(
    ("limits", "severities"),
    [
        ((-1.0, 0.0), ["warning", "warning"]),  # 16 % and 50 % of the values
        ((-1.64, -1.41), ["notice"]),  # 5 % and 8 %
        ((-1.0, -1.0), []),
        ((-9.0, -9.0), []),  # no value is below it
    ],
)
def test_values_at_a_detection_limit_that_go_with_the_class(limits, severities):
    findings = values_at_limit(limited(np.random.default_rng(3), limits))
    assert [finding.severity for finding in findings] == severities
    kinds = ["detection limit", "predict class"]
    assert [finding.kind for finding in findings] == kinds[: len(severities)]


def test_a_limit_is_the_tied_minimum_of_a_sample_whatever_its_value(rng):
    """Zeros in one class and another day's limit in the other: shares count, not values."""
    series = limited(rng, (-1.0, 0.0))
    moved = dataclasses.replace(series, values=series.values - series.values.min(axis=0))
    assert str(values_at_limit(moved)) == str(values_at_limit(series)) != "[]"


def test_missing_values_count_as_values_at_a_limit(rng):
    series = limited(rng, (-0.5, -0.5))
    values = np.where(series.values == -0.5, np.nan, series.values)
    mixed = np.where(LABELS == "a", series.values, values)
    assert not values_at_limit(dataset(mixed, LABELS, missing=True))


def test_zeros_of_counts_are_no_limit(rng):
    counts = rng.poisson(np.repeat([0.5, 3.0], 15), size=(300, 30)).astype(float)
    assert not values_at_limit(dataset(counts, LABELS))
    scaled = np.log2(counts + 1)
    assert not values_at_limit(dataset(scaled, LABELS, scale="counts"))
    assert len(values_at_limit(dataset(scaled, LABELS)))


def test_the_limit_keeps_its_level_in_random_labels():
    """Samples differ in their limits, labels do not."""
    n_studies, n_found = 200, 0
    for seed in range(n_studies):
        rng = np.random.default_rng(seed)
        values = np.maximum(rng.normal(size=(100, 24)), rng.normal(-1, 0.5, size=24))
        n_found += len(values_at_limit(dataset(values, rng.permutation(np.repeat(["a", "b"], 12)))))
    assert n_found <= binom.ppf(0.99, n_studies, 0.005)


def test_a_classifier_of_missing_values_is_naive_bayes_of_binary_features(rng):
    """scikit-learn's `BernoulliNB` has the same predictions in the same folds."""
    codes = np.repeat([0, 1, 2], 12)
    missing = rng.random((80, 36)) < rng.beta(1, 3, size=(80, 3))[:, codes] * 0.4 + 0.2
    right = np.zeros(36)
    for train, test in stratified_splits(codes, None, 5, seed=0):
        model = BernoulliNB(fit_prior=False).fit(missing.T[train], codes[train])
        right[test] = model.predict(missing.T[test]) == codes[test]
    actual = _indicator_accuracy(missing, codes)
    assert actual.balanced_accuracy.value == pytest.approx(right.mean())
    assert 0.4 < right.mean() < 1


@pytest.mark.parametrize(
    ("n_wrong", "reached", "level"),
    [
        (0, 29.5 / 30, "well supported"),
        (0, 1.0, "cannot be judged"),
        (1, 29.5 / 30, "cannot be judged"),
    ],
)
def test_values_below_a_limit_explain_a_result_that_is_not_better(rng, n_wrong, reached, level):
    """Limits of -1 and 0 in two classes and no difference: the missing values suffice."""
    (finding,) = [
        finding
        for finding in values_at_limit(limited(rng, (-1.0, 0.0)))
        if finding.kind == "predict class"
    ]
    assert finding.numbers["estimate"] == 1.0
    finding = dataclasses.replace(finding, numbers={"estimate": reached, "p": 0.001})
    codes = np.repeat([0, 1], 15)
    predicted = np.where(np.arange(30) < n_wrong, 1, codes)
    key = ("d", "f", "c")
    tables = verdicts(
        {key: performance(codes, np.eye(2)[predicted])},
        {"d": dataset(np.zeros((1, 30)), LABELS)},
        fits={key: (0, 5)},
        stability=pd.DataFrame(columns=GROUPS["study"].tables["stability"].fixed),
        label_tests=pd.DataFrame(columns=GROUPS["study"].tables["label_tests"].fixed),
        data_findings=finding_table([finding]).assign(dataset="d"),
        further={},
    )
    assert tables["verdicts"]["level"].tolist() == [level]


def with_ties(n_features, n_tied):
    """Return 15 samples of each of two classes with this many values at their minimum."""
    rng = np.random.default_rng(0)
    values = rng.permuted(np.tile(np.arange(1.0, n_features + 1), (30, 1)), axis=1).T
    for sample, number in enumerate(np.repeat(n_tied, 15)):
        lowest = np.argsort(values[:, sample])[:number]
        values[lowest, sample] = 0.5
    return dataset(values, LABELS)


@pytest.mark.parametrize(
    ("n_features", "n_tied", "severities"),
    [
        (1000, (25, 126), ["warning"]),  # a difference of a tenth
        (1000, (25, 124), ["notice"]),
        (1000, (1, 10), ["notice"]),  # a hundredth of the values
        (1000, (1, 9), []),
        (200, (1, 5), ["notice"]),  # five at least
        (200, (1, 4), []),
    ],
)
def test_the_limits_of_values_at_a_detection_limit(n_features, n_tied, severities):
    findings = values_at_limit(with_ties(n_features, n_tied))
    found = [finding.severity for finding in findings if finding.kind == "detection limit"]
    assert found == severities


@pytest.mark.parametrize(("p", "n_findings"), [(0.01, 1), (0.0101, 0)])
def test_missing_values_are_a_finding_at_p_of_a_hundredth(monkeypatch, rng, p, n_findings):
    """Twice .005, for two tests."""
    monkeypatch.setattr(missingness, "_p_of_missing", lambda *_: p)
    values = rng.normal(size=(100, 30))
    values[0, 0] = np.nan
    assert len(missing_values(dataset(values, LABELS, missing=True))) == n_findings


@pytest.mark.parametrize(("n_right", "n_findings"), [(12, 1), (9, 0)])
def test_missing_values_predict_the_class_by_their_interval(monkeypatch, rng, n_right, n_findings):
    """9 of 15 right in each class are .6, and the interval contains one half."""
    codes = np.repeat([0, 1], 15)
    predicted = np.where(np.arange(30) % 15 < n_right, codes, 1 - codes)
    reached = performance(codes, np.eye(2)[predicted])
    assert reached.balanced_accuracy.value > reached.chance
    monkeypatch.setattr(missingness, "_indicator_accuracy", lambda *_: reached)
    findings = values_at_limit(limited(rng, (-1.0, 0.0)))
    assert len([one for one in findings if one.kind == "predict class"]) == n_findings
