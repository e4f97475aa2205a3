"""Missing values that go with the class, and their size among labels without information."""

import dataclasses

import numpy as np
import pytest
from toys import dataset

from xnbflow.inference.missing_values import missing_values


def series_of(missing, labels, groups=None):
    """Return a series with these missing values, (n_features, n_samples), and nothing else."""
    values = np.random.default_rng(1).normal(size=missing.shape)
    values[missing] = np.nan
    return dataset(values, labels, groups=groups, missing=True)


LABELS = np.repeat(["a", "b"], 15)


def findings(series):
    """Return the severities of findings: one at most, as shares of single classes are none."""
    rows = missing_values(series)
    assert (rows.loc[rows["code"] == "share missing", "severity"] == "none").all()
    return rows.loc[rows["code"] != "share missing", "severity"].tolist()


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
    assert missing_values(dataset(rng.normal(size=(5, 30)), LABELS)).empty


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
