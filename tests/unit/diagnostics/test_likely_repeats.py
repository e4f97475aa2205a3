"""Samples of the same patients that no group names: power from a correlation of .5 on, and size."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import median_abs_deviation
from toys import dataset

from xnbflow.diagnostics.repeated_samples import likely_repeats
from xnbflow.diagnostics.series_audit import audit


def proposed_groups(tables):
    """Return the samples for which an audit proposes groups."""
    components = tables["samples"]
    return components[components["group"] != ""]


def patients(rng, sizes, correlation, n_features=500):
    """Return values (n_features, n_samples) of patients with several samples, and their codes."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    of_patient = rng.normal(size=(n_features, len(sizes)))[:, codes]
    of_sample = rng.normal(size=(n_features, len(codes)))
    return np.sqrt(correlation) * of_patient + np.sqrt(1 - correlation) * of_sample, codes


@pytest.mark.parametrize("sizes", [[2] * 10, [2 + i % 4 for i in range(24)], [3] * 12])
@pytest.mark.parametrize("correlation", [0.5, 0.9])
def test_patients_with_several_samples_are_found(rng, sizes, correlation):
    values, codes = patients(rng, sizes, correlation)
    labels = np.array(["a", "b"])[codes % 2]
    actual = likely_repeats(values, labels)
    assert actual.share >= 0.5
    for number in range(actual.group.max() + 1):
        assert len(np.unique(codes[actual.group == number])) == 1  # one patient each


@pytest.mark.parametrize(("n_features", "correlation"), [(120, 0.5), (2000, 0.36)])
def test_a_pair_is_a_repeat_by_its_gap_to_other_samples_and_by_its_correlation(
    n_features, correlation
):
    """The rule of the docstring by NumPy and SciPy: a gap of 2 spreads, a correlation of .3.

    With 120 features some pairs lack the gap, with 2,000 some lack the correlation.
    """
    labels = np.repeat(["a", "b"], 20)
    is_repeat = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        values, patient = patients(rng, [2] * 9 + [1] * 22, correlation, n_features)
        within = np.hstack([v - v.mean(axis=1, keepdims=True) for v in np.split(values, 2, axis=1)])
        within -= within.mean(axis=1, keepdims=True)
        r = np.corrcoef(within.T)
        np.fill_diagonal(r, 0.0)
        z = np.arctanh(r)
        spread = median_abs_deviation(z[np.triu_indices(40, 1)], scale="normal")
        expected = np.zeros(40, dtype=bool)
        for first in range(0, 18, 2):
            pair = [first, first + 1]
            nearest_other = np.delete(z[pair], pair, axis=1).max()
            gap = z[first, first + 1] - nearest_other
            expected[pair] = gap >= 2 * spread and r[first, first + 1] >= 0.3
        assert expected.sum() > 2 * len(np.unique(labels))  # fewer groups are not reported
        actual = likely_repeats(values, labels).group
        np.testing.assert_array_equal(actual >= 0, expected)
        assert all(
            len(np.unique(patient[actual == number])) == 1 for number in range(actual.max() + 1)
        )
        is_repeat += expected[:18].tolist()
    assert 0.2 < np.mean(is_repeat) < 0.9


def test_tumour_and_normal_tissue_of_a_patient_are_found_in_spite_of_their_classes(rng):
    values, codes = patients(rng, [2] * 10, 0.6)
    labels = np.tile(["normal", "tumour"], 10)
    values[:50, 1::2] += 3
    assert likely_repeats(values, labels).group.tolist() == codes.tolist()


def test_samples_of_different_patients_are_no_repeats():
    """Also not with correlated features, batches and subtypes; at most .02 of studies."""
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = (12, 20, 40)[seed % 3]
        blocks = np.repeat(rng.normal(size=(10, n)), 50, axis=0)
        values = np.sqrt(0.5) * blocks + np.sqrt(0.5) * rng.normal(size=(500, n))
        values[:150] += rng.normal(size=(150, 4))[:, rng.integers(0, 4, n)]
        found += likely_repeats(values, np.repeat(["a", "b"], n // 2)).share >= 0.1
    assert found <= 4  # more with a probability of .008 at .02


@pytest.mark.parametrize(("n_batches", "is_recorded"), [(2, False), (2, True), (3, True)])
def test_samples_of_a_class_in_the_batch_of_another_one_are_no_repeats(n_batches, is_recorded):
    """Thirteen of sixteen samples of a class are in one batch, the others in those of the other."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        codes = np.repeat([0, 1], 16)
        batch = np.where(np.arange(32) % 16 < 13, codes, 1 - codes)
        if n_batches == 3:
            batch = np.where(np.arange(32) % 16 > 12, 2, batch)
        values = rng.normal(size=(600, 32))
        values[:120] += (1.2 * rng.normal(size=(120, n_batches)))[:, batch]
        columns = [batch] if is_recorded else []
        assert likely_repeats(values, codes, columns).share == 0


def kinds_of(tables):
    """Return the kinds of the findings on samples of the same patients."""
    kinds = tables["findings"]["kind"]
    return kinds[kinds.str.endswith("patients")].tolist()


@pytest.mark.parametrize(("n_pairs", "kind"), [(2, None), (3, "patients"), (9, "patients")])
def test_the_audit_limits_by_the_share_of_samples_in_groups(rng, n_pairs, kind):
    sizes = [2] * n_pairs + [1] * (40 - 2 * n_pairs)
    values, codes = patients(rng, sizes, 0.9)
    labels = np.array(["a", "b"])[codes % 2]
    tables = audit(dataset(values, labels))
    assert kinds_of(tables) == ([kind] if kind else [])
    assert len(proposed_groups(tables)) == (2 * n_pairs if kind else 0)


def test_half_of_the_samples_in_groups_are_severe_unless_the_series_names_them(rng):
    values, codes = patients(rng, [2] * 10 + [1] * 20, 0.9)
    series = dataset(values, np.array(["a", "b"])[codes % 2])
    tables = audit(series)
    assert kinds_of(tables) == ["many patients"]
    proposed = proposed_groups(tables).groupby("group")["sample"].agg(list)
    assert sorted(map(tuple, proposed)) == sorted((f"s{2 * i}", f"s{2 * i + 1}") for i in range(10))
    named = dataclasses.replace(series, groups=codes.astype(str))
    assert proposed_groups(audit(named)).empty


@pytest.mark.parametrize("n_pairs", [20, 9])
def test_a_patient_with_one_sample_of_each_class_is_no_severe_repeat(rng, n_pairs):
    """Training has the patient with the other label; this helps no classifier."""
    sizes = [2] * n_pairs + [1] * (40 - 2 * n_pairs)
    values, _ = patients(rng, sizes, 0.9)
    tables = audit(dataset(values, np.tile(["a", "b"], 20)))
    assert kinds_of(tables) == ["patients"]
    assert len(proposed_groups(tables)) == 2 * n_pairs


def test_patients_with_two_samples_of_a_class_beside_another_are_severe(rng):
    """Three samples of each of ten patients: two thirds have another one of their class."""
    values, _ = patients(rng, [3] * 10, 0.9)
    tables = audit(dataset(values, np.tile(["a", "a", "b"], 10)))
    assert kinds_of(tables) == ["many patients"]


@pytest.mark.parametrize("correlation", [0.2, 0.3])
@pytest.mark.parametrize("sizes", [[2 + i % 4 for i in range(24)], [3] * 14, [2] * 20])
def test_many_patients_with_a_weak_correlation_are_severe(rng, correlation, sizes):
    """Pairs of samples of a patient are not apart, but all patients together are."""
    values, codes = patients(rng, sizes, correlation, 1000)
    series = dataset(values, np.array(["a", "b"])[rng.permutation(len(sizes))[codes] % 2])
    tables = audit(series)
    assert kinds_of(tables) == ["many patients"]
    patient_of = dict(zip(series.samples.tolist(), codes.tolist(), strict=True))
    found = proposed_groups(tables)
    assert found["sample"].map(patient_of).groupby(found["group"]).nunique().max() == 1


def test_fewer_than_eight_groups_with_a_weak_correlation_are_no_repeats(rng):
    values, codes = patients(rng, [4] * 6, 0.2, 1000)
    assert likely_repeats(values, np.array(["a", "b"])[codes % 2]).share == 0


@pytest.mark.parametrize("size", [4, 6])
def test_small_batches_with_samples_of_both_classes_are_no_repeats(size):
    """A batch correlates its samples by .2, as patients do, but not the class within it."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        values, _ = patients(rng, [size] * 10, 0.2)
        labels = np.array(["a", "b"])[rng.permutation(10 * size) % 2]
        assert "many patients" not in kinds_of(audit(dataset(values, labels)))
