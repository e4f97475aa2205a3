"""Tables that were made with the labels: corrected, filtered or normalised by class."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f_oneway
from toys import dataset

from xnbflow.inference import selection as selection_module
from xnbflow.inference.selection import (
    RemovedEffect,
    WithoutDifference,
    _features_without_difference,
    _is_normalised_by_class,
    _removed_effect,
    selection,
)

CODES = np.repeat([0, 1], 20)
LABELS = np.array(["a", "b"])[CODES]


def batches(agreement):
    """Return two batches of 40 samples, of which one has each class in this share."""
    return np.where(np.arange(40) % 20 < round(20 * agreement), CODES, 1 - CODES)


def correct(values, batch, *, with_class):
    """Return values without the means of the batch, in a model with or without the class."""
    indicators = np.eye(batch.max() + 1)[batch]
    model = np.column_stack([indicators, CODES]) if with_class else indicators
    effects = np.linalg.lstsq(model, values.T)[0][: indicators.shape[1]]
    return values - (effects - effects.mean(axis=0)).T[:, batch]


def correlated(rng, n_features=400):
    """Return values (n_features, 40) of which 20 at a time correlate by .5."""
    shared = np.repeat(rng.normal(size=(n_features // 20, 40)), 20, axis=0)
    return np.sqrt(0.5) * (shared + rng.normal(size=(n_features, 40)))


def test_the_effect_of_a_column_is_a_difference_of_residual_sums_of_squares(rng):
    values = rng.normal(size=(5, 40))
    levels = rng.permutation(np.arange(40) % 3)
    shares = []
    for feature in values:
        classes = np.eye(2)[CODES]
        both = np.column_stack([classes, np.eye(3)[levels][:, 1:]])
        ((whole,), (reduced,)) = (np.linalg.lstsq(model, feature)[1] for model in (both, classes))
        shares.append((reduced - whole) / reduced)
    assert _removed_effect(values, CODES, levels, rng).given_class == pytest.approx(np.mean(shares))


@pytest.mark.parametrize("agreement", [0.7, 0.9])
@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_a_batch_that_was_removed_with_the_class_is_found_and_no_other(agreement, effect):
    """Neither an uncorrected table nor one that was corrected without the class is meant."""
    batch = batches(agreement)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        values = correlated(rng) + effect * rng.normal(size=(400, 2))[:, batch]
        for table, found in (
            (values, False),
            (correct(values, batch, with_class=False), False),
            (correct(values, batch, with_class=True), True),
        ):
            assert _removed_effect(table, CODES, batch, rng).with_class == found


@pytest.mark.parametrize(
    ("given_class", "alone", "p", "found"),
    [
        (0.5, 1.01, 0.025, True),
        (0.51, 1.1, 0.025, False),  # more than half of what an exchanged column explains
        (0.5, 1.0, 0.025, False),  # the class was not in the model
        (0.1, 0.3, 0.025, True),
        (0.5, 1.01, 0.0251, False),
    ],
)
def test_the_limits_of_a_removed_effect(given_class, alone, p, found):
    effect = RemovedEffect(given_class=given_class, expected=1.0, alone=alone, p=p)
    assert effect.with_class == found


@pytest.mark.parametrize(
    ("share", "p", "median", "severities"),
    [
        (0.005, 0.005, 1e-6, ["warning"]),
        (0.0051, 0.005, 1e-6, ["notice"]),
        (0.005, 0.0051, 1e-6, []),
        (0.005, 0.005, 0.9e-6, ["notice"]),  # differences that no choice makes
    ],
)
def test_the_limits_of_features_that_were_chosen(monkeypatch, rng, share, p, median, severities):
    result = WithoutDifference(share=share, p=p, median=median)
    monkeypatch.setattr(selection_module, "_features_without_difference", lambda *_: result)
    findings = selection(dataset(rng.normal(size=(200, 40)), LABELS))
    assert [finding.severity for finding in findings] == severities


@pytest.mark.parametrize(("n_without", "tested"), [(5, True), (6, False)])
def test_a_twentieth_of_features_without_a_difference_is_few(rng, n_without, tested):
    values = rng.normal(size=(100, 40)) + 6 * CODES
    for code in (0, 1):
        members = code == CODES
        values[:n_without, members] -= values[:n_without, members].mean(axis=1, keepdims=True)
    result = _features_without_difference(values, CODES, None, rng)
    assert result.share == n_without / 100
    assert np.isfinite(result.p) == tested


@pytest.mark.parametrize(("n_features", "n_findings"), [(99, 0), (100, 1)])
def test_fewer_than_a_hundred_features_are_not_tested(rng, n_features, n_findings):
    values = rng.normal(size=(5000, 40))
    p = f_oneway(values[:, :20], values[:, 20:], axis=1).pvalue
    chosen = values[np.argsort(p)[:n_features]]
    assert len(selection(dataset(chosen, LABELS))) == n_findings


def test_a_column_that_does_not_go_with_the_class_is_no_finding(rng):
    """The correction of a balanced batch changes no difference of the classes."""
    for agreement, names in ((0.5, []), (0.9, ["plate"])):
        batch = batches(agreement)
        values = correct(correlated(rng), batch, with_class=True)
        columns = pd.DataFrame({"plate": batch.astype(str)})
        findings = selection(dataset(values, LABELS, sample_metadata=columns))
        assert [finding.subject for finding in findings] == names


def test_features_without_a_difference_have_p_above_one_half_in_the_test_of_variances(rng):
    values = rng.normal(size=(301, 36)) + rng.normal(size=(301, 1)) * (np.arange(36) < 12) * 3
    codes = np.repeat([0, 1, 2], 12)
    p = f_oneway(values[:, :12], values[:, 12:24], values[:, 24:], axis=1).pvalue
    actual = _features_without_difference(values, codes, None, rng)
    assert actual.share == np.mean(p > 0.5)
    assert actual.median == pytest.approx(np.median(p))


def test_features_that_were_chosen_by_the_labels_have_all_a_difference(rng):
    values = rng.normal(size=(5000, 40))
    p = f_oneway(values[:, :20], values[:, 20:], axis=1).pvalue
    series = dataset(values[np.argsort(p)[:300]], LABELS)
    (finding,) = selection(series)
    assert (finding.kind, finding.allows) == ("chosen features", "cannot be judged")
    assert not selection(dataset(values, LABELS))


def test_copies_of_one_gene_and_strong_differences_are_not_chosen(rng):
    """500 copies have one p; of 300 genes that differ by six deviations none has a large p."""
    gene = rng.normal(size=40) + 2 * CODES
    copies = gene + 0.1 * rng.normal(size=(500, 40))
    assert not selection(dataset(copies, LABELS))
    strong = rng.normal(size=(300, 40)) + 6 * CODES
    assert all(finding.severity == "notice" for finding in selection(dataset(strong, LABELS)))


@pytest.mark.slow
def test_random_labels_seldom_have_a_finding():
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        labels = rng.permutation(LABELS)
        columns = pd.DataFrame({"plate": batches(0.8).astype(str), "day": np.arange(40) % 4})
        series = dataset(correlated(rng), labels, sample_metadata=columns.astype(str))
        found += len(selection(series))
    assert found <= 2


def test_quantiles_of_each_class_are_equal_where_it_was_normalised_by_itself(rng):
    ranks = rng.normal(size=(200, 40)).argsort(axis=0).argsort(axis=0)
    targets = np.sort(rng.normal(size=(2, 200)), axis=1)
    by_class = np.take_along_axis(targets[CODES].T, ranks, axis=0)
    assert _is_normalised_by_class(by_class, CODES)
    kinds = [finding.kind for finding in selection(dataset(by_class, LABELS))]
    assert "normalised by class" in kinds
    assert not _is_normalised_by_class(targets[0][ranks], CODES)
    assert not _is_normalised_by_class(rng.normal(size=(200, 40)), CODES)
