"""Library sizes and global shifts: derived numbers, series with and without a shift."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from toys import dataset

from xnbflow.diagnostics import sample_levels
from xnbflow.diagnostics.genes import gene_table
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.diagnostics.sample_levels import global_shifts, library_sizes
from xnbflow.diagnostics.series_audit import audit


def arrays(rng, shift=0.0, n_features=300, labels=("normal", "tumour"), **changes):
    """Return log2 intensities, all lower by a shift in the second half of the samples."""
    values = rng.normal(8, 1, (n_features, 1)) + rng.normal(0, 0.5, (n_features, 20))
    values[:, 10:] -= shift
    parts = {"scale": "log2"} | changes
    return dataset(values, np.repeat(labels, 10), **parts)


def test_a_shift_of_most_features_is_a_warning_with_its_size(rng):
    series = arrays(rng, 0.8)
    (finding,) = global_shifts(series)
    assert (finding.kind, finding.label, finding.allows) == ("global shift", "tumour", "")
    genes = gene_table(series)
    changes = genes.loc[genes["class"] == "tumour", "log_fold_change"]
    assert finding.numbers["estimate"] == pytest.approx(changes.median())
    assert finding.numbers["estimate"] == pytest.approx(-0.8, abs=0.05)
    assert finding.detail.startswith("lower in “tumour” (median log2 fold change -0.8")
    assert finding.numbers["p"] < 1e-6
    table = audit(series)["findings"]
    assert (table["kind"] == "global shift").sum() == 1


def test_the_class_that_is_no_control_is_tested_of_two(rng):
    (finding,) = global_shifts(arrays(rng, 0.8, labels=("cancer", "normal")))
    assert finding.label == "cancer"
    assert finding.detail.startswith("higher")
    (finding,) = global_shifts(arrays(rng, 0.8, labels=("A", "B")))
    assert finding.label == "B"


@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_small_or_no_shifts_are_no_finding(rng, shift):
    assert global_shifts(arrays(rng, shift)) == []


def test_a_few_strong_features_are_no_shift(rng):
    series = arrays(rng)
    series.values[:60, 10:] += 5
    assert global_shifts(series) == []


def test_shifts_of_samples_alone_are_rarely_found(rng):
    """Samples, not features, are the units: levels that vary between samples are no shift."""
    actual = 0
    for _ in range(60):
        series = arrays(rng)
        series.values[:] += rng.normal(0, 1, 20)
        actual += len(global_shifts(series))
    assert actual <= 3  # p of at most .01


def test_several_classes_are_adjusted_and_patients_are_units(rng):
    values = rng.normal(8, 1, (150, 1)) + rng.normal(0, 0.5, (150, 30))
    values[:, :10] += 0.7
    findings = global_shifts(dataset(values, np.repeat(["a", "b", "c"], 10)))
    assert [finding.label for finding in findings] == ["a", "b", "c"]
    assert "median difference +0.7" in findings[0].detail
    levels = np.median(values - values.mean(axis=1, keepdims=True), axis=0)
    p = moderated_contrasts(levels[None], np.repeat([0, 1, 2], 10)).p[:, 0]
    assert [finding.numbers["p"] for finding in findings] == pytest.approx(3 * p)
    alone = global_shifts(dataset(values[:, :20], np.repeat(["a", "b"], 10)))
    assert len(alone) == 1
    patients = np.repeat(np.arange(4), 5).astype(str)
    once = global_shifts(dataset(values[:, :20], np.repeat(["a", "b"], 10), groups=patients))
    assert once[0].numbers["p"] > alone[0].numbers["p"]


def test_too_few_features_samples_or_values_are_not_tested(rng):
    assert global_shifts(arrays(rng, 1.0, n_features=99)) == []
    assert len(global_shifts(arrays(rng, 1.0, n_features=100))) == 1
    zeros = rng.poisson(0.2, size=(300, 20)).astype(float)  # most cells are 0
    assert global_shifts(dataset(zeros, np.repeat(["a", "b"], 10))) == []
    two = dataset(rng.normal(size=(120, 2)), ["a", "b"])
    assert global_shifts(two) == []


def test_composition_shifts_counts_per_million_and_tmm_removes_it():
    counts, codes, _, _ = simulated_counts(9, n_samples=20)
    counts[:40, codes == 1] *= 30
    labels = np.array(["normal", "tumour"])[codes]
    cpm = np.log2(1 + counts / counts.sum(axis=0) * 1e6)
    (finding,) = global_shifts(dataset(cpm, labels, scale="log2"))
    assert finding.label == "tumour"
    assert finding.detail.startswith("lower")
    assert global_shifts(dataset(counts, labels, scale="counts")) == []


@pytest.mark.parametrize(
    ("ratio", "severity"),
    [(1.0, None), (1.45, None), (1.6, "notice"), (2.9, "notice"), (3.1, "warning")],
)
def test_library_sizes_are_compared_between_the_classes(rng, ratio, severity):
    counts = rng.poisson(200, size=(200, 16)).astype(float)
    counts[:, 8:] = rng.poisson(200 * ratio, size=(200, 8))
    labels = np.repeat(["a", "b"], 8)
    findings = library_sizes(dataset(counts, labels))
    assert [finding.severity for finding in findings] == ([severity] if severity else [])
    for finding in findings:
        assert (finding.label, finding.other) == ("b", "a")
        assert finding.numbers["estimate"] == pytest.approx(ratio, rel=0.03)
    # normalised in each fold, they limit no verdict
    normalised = library_sizes(dataset(counts, labels, scale="counts"))
    assert [finding.severity for finding in normalised] == (["notice"] if severity else [])


def test_library_sizes_are_of_counts_only(rng):
    counts = rng.negative_binomial(1, 0.01, (200, 8)).astype(float)
    counts[:, 4:] *= 9
    assert len(library_sizes(dataset(counts, list("aaaabbbb")))) == 0  # p of 4 and 4 is .02
    counts = np.tile(counts, 2)
    labels = list("aaaabbbb" * 2)
    assert len(library_sizes(dataset(counts, labels))) == 1  # not declared, but counts
    assert library_sizes(dataset(np.log2(counts + 1), labels)) == []
    assert library_sizes(dataset(counts, labels, scale="log2")) == []


def test_the_audit_of_counts_is_of_their_logarithms():
    counts, codes, _, _ = simulated_counts(3, n_samples=12)
    nearly = np.where(np.arange(12) == np.flatnonzero(codes)[0], 0, codes)
    phenotype = pd.DataFrame({"plate": np.array(["p", "q"])[nearly]})  # goes with the class
    series = dataset(counts, np.array(["a", "b"])[codes], scale="counts", sample_metadata=phenotype)
    table = audit(series)["findings"]
    assert not table["kind"].isin(["scale", "library size"]).any()
    plate = table[table["subject"] == "plate"].iloc[0]
    assert plate["genes"] > 0  # of counts, by voom, without and with the column
    assert plate["genes_adjusted"] > 0


@pytest.mark.parametrize(
    ("labels", "p", "median_t", "is_shift"),
    [
        ("ab", 0.01, 1.0, True),
        ("ab", 0.01, -1.0, True),
        ("ab", 0.0101, 1.0, False),
        ("ab", 0.01, 0.99, False),
        ("ab", 0.01, -0.99, False),
        ("abc", 0.0033, 1.0, True),
        ("abc", 0.0034, 1.0, False),
    ],
)
def test_a_shift_has_p_of_one_per_cent_over_the_classes_and_a_median_t_of_one(
    monkeypatch, rng, labels, p, median_t, is_shift
):
    """Of two classes one is tested; of three, p is multiplied by three."""
    n = len(labels)
    series = dataset(rng.normal(size=(100, 4 * n)), np.repeat(list(labels), 4), scale="log2")
    tests = SimpleNamespace(p=np.full((n, 1), p))
    genes = {"t": np.full((n, 100), median_t), "difference": np.full((n, 100), 0.5)}
    monkeypatch.setattr(sample_levels, "moderated_contrasts", lambda *_: tests)
    monkeypatch.setattr(sample_levels, "class_comparisons", lambda *_: genes)
    n_tested = 1 if n == 2 else 3
    assert len(global_shifts(series)) == (n_tested if is_shift else 0)


@pytest.mark.parametrize(("n_above", "is_used"), [(5, True), (4, False)])
def test_a_feature_above_its_lowest_value_in_half_of_the_samples_is_part_of_the_level(
    n_above, is_used
):
    values = np.zeros((100, 10))
    values[:, :n_above] = 1.0
    assert (sample_levels._levels_of_samples(values) is not None) == is_used
