"""Label tests: null distributions, planted signals, counts, draws of folds."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from toys import dataset, shifted_classes

from xnbflow.data.canonical_order import in_canonical_order
from xnbflow.data.read_counts import expressed_features, with_log_counts
from xnbflow.data.series_seed import series_seed
from xnbflow.inference import label_test as label_tests
from xnbflow.inference.diagonal_discriminant import ten_features_score
from xnbflow.inference.label_test import label_test


@pytest.mark.parametrize("adjust", [(), ("plate",)])
def test_counts_are_tested_by_the_features_with_enough_reads(rng, adjust):
    """Genes of few reads, strong in one class, are not in the test; the values are those of TMM."""
    level = np.where(np.arange(80) < 40, 100.0, 1.0)[:, None] * np.ones(20)
    labels = np.repeat(["a", "b", "b"], [8, 6, 6])
    level[60:, labels == "b"] *= 4
    phenotype = pd.DataFrame({"plate": np.tile(["p", "q"], 10)})
    counts = rng.poisson(level).astype(float)
    series = dataset(counts, labels, scale="counts", sample_metadata=phenotype)
    enough = expressed_features(series)
    assert enough.tolist() == [True] * 40 + [False] * 40
    logarithms = with_log_counts(series).values
    only_enough = dataset(logarithms[enough], labels, sample_metadata=phenotype)
    all_genes = dataset(logarithms, labels, sample_metadata=phenotype)
    # the canonical order, in which folds and permutations are drawn, is that of all features
    vars(only_enough)["order"] = series.order
    actual = label_test(series, adjust=adjust, n_permutations=99)
    expected = label_test(only_enough, adjust=adjust, n_permutations=99)
    pd.testing.assert_frame_equal(actual, expected, check_exact=True)
    with_few_reads = label_test(all_genes, adjust=adjust, n_permutations=99)
    assert actual["p_value"][0] > 0.05 >= with_few_reads["p_value"][0]


NB = {"method": "xnbflow.naive_bayes.gaussian_nb.GaussianNB"}


BEST = {"method": "sklearn.feature_selection.SelectKBest", "params": {"k": 5}}


SELECTING = {"steps": [BEST, {"method": "sklearn.naive_bayes.GaussianNB"}]}


@pytest.mark.slow
def test_selection_is_inside_so_that_noise_is_not_significant():
    """Five features chosen of 1,000 by all labels would separate noise; chosen inside, not."""
    (row,) = label_test(shifted_classes(3, n_features=1000), SELECTING).to_dict("records")
    assert row["p_value"] > 0.1
    assert row["null_mean"] < 0.6
    assert row["permuted"] == ""


def test_models_are_fitted_to_the_permuted_labels(monkeypatch):
    mirrored = SimpleNamespace(permute=lambda y, _: np.where(y == "a", "b", "a"))
    monkeypatch.setattr(label_tests, "label_exchange", lambda *_: mirrored)
    series = shifted_classes(0, n_features=5, shifted=5, shift=9.0)
    (row,) = label_test(series, NB, n_permutations=1).to_dict("records")
    assert (row["observed"], row["null_mean"], row["at_least"]) == (1.0, 1.0, 1)


@pytest.mark.slow
def test_missing_values_and_groups_are_those_of_the_training_samples():
    series = shifted_classes(0, n_features=5, shifted=5, shift=9.0)
    values = np.where(np.random.default_rng(0).random(series.values.shape) < 0.1, np.nan, 0.0)
    groups = pd.Series(series.labels).groupby(series.labels).cumcount().astype(str)
    holes = replace(series, values=series.values + values, missing=True, groups=groups)
    first = label_test(holes, NB, n_permutations=39)
    again = label_test(holes, NB, n_permutations=39)
    assert first["p_value"].tolist() == [0.025]
    pd.testing.assert_frame_equal(first, again)


def test_a_row_describes_the_scores_of_permuted_labels(monkeypatch):
    scores = iter([0.6, 0.5, 0.6, 0.7, 0.4])
    monkeypatch.setattr(label_tests, "complete_score", lambda *_, **__: lambda *_: next(scores))
    (row,) = label_test(shifted_classes(0, n_features=5), NB, n_permutations=4).to_dict("records")
    assert (row["permutations"], row["at_least"], row["p_value"]) == (4, 2, 0.6)
    assert row["null_mean"] == pytest.approx(0.55)
    assert row["null_sd"] == pytest.approx(np.sqrt(0.05 / 3))
    assert row["null_95"] == pytest.approx(0.6 + 0.85 * 0.1)


@pytest.mark.parametrize("per_patient", [1, 3])
@pytest.mark.slow
def test_the_label_test_finds_signal_and_no_more(per_patient, monkeypatch):
    """A single class is not tested, nor a data set that is too large."""
    n, rng = 60, np.random.default_rng(per_patient)
    labels = np.repeat(rng.permutation(np.repeat(["a", "b"], n // 2)), per_patient)
    values = rng.normal(size=(60, len(labels)))
    groups = np.repeat([f"p{i}" for i in range(n)], per_patient) if per_patient > 1 else None

    def tested_labels(values, labels):
        return label_test(dataset(values, labels, groups=groups), n_repeats=3)

    row = tested_labels(values, labels).iloc[0]
    assert row["permuted"] == "naive Bayes with ten features per class, by means and by spread"
    assert row["p_value"] > 0.05
    row = tested_labels(values + (labels == "a") * 3 * (np.arange(60) < 3)[:, None], labels).iloc[0]
    # The means reject at .02 as soon as .98**n is the part of .001 that is spent by then, and the
    # test ends with it; the spread has been accepted, or has no p.
    n_permutations = next(n for n in range(99, 999) if 0.98**n <= 0.001 * n / (n + 99))
    assert row["permutations"] == n_permutations
    assert row["p_value"] == pytest.approx(1 / (n_permutations + 1) / 0.8)
    assert tested_labels(values, np.repeat("a", len(labels))).empty
    monkeypatch.setattr(label_tests, "MOST_TESTED_VALUES", values.size - 1)
    assert tested_labels(values, labels).empty


def test_the_score_is_the_mean_over_draws_of_folds_with_seeds_of_their_own(rng):
    series = shifted_classes(0, n_features=60)
    first = series_seed(series, 0, "permutation")
    score = ten_features_score(in_canonical_order(series).values)
    labels = in_canonical_order(series).labels
    single = [score(labels, first + step) for step in (0, 1_000_003, 2_000_006)]
    assert len(set(single)) == 3
    (row,) = label_test(series, n_permutations=1, n_repeats=3).to_dict("records")
    assert row["observed"] == pytest.approx(np.mean(single))
    (row,) = label_test(series, n_permutations=1, n_repeats=1).to_dict("records")
    assert row["observed"] == pytest.approx(single[0])
    assert label_tests.seeds_of_draws(2**32 - 1, 2) == [2**32 - 1, 1_000_002]  # 32 bits


@pytest.mark.parametrize(
    ("most_values", "adjust", "n_draws"),
    [(200 * 20, (), 20), (200 * 3, (), 3), (200, (), 1), (200 * 20, ("plate",), 3)],
)
def test_folds_are_drawn_twenty_times_unless_there_are_many_values_or_an_adjustment(
    monkeypatch, most_values, adjust, n_draws
):
    """Of the labels and of a permutation, each for means and for spread."""
    seeds = []
    monkeypatch.setattr(label_tests, "MOST_TESTED_VALUES", most_values)
    monkeypatch.setattr(
        label_tests, "adjusted_score", lambda *_, **__: lambda _, seed: seeds.append(seed) or 0
    )
    monkeypatch.setattr(
        label_tests,
        "ten_features_scores",
        lambda *_, **__: lambda _, drawn: seeds.extend(drawn) or np.zeros(len(drawn)),
    )
    plates = pd.DataFrame({"plate": np.tile(["p", "q"], 20)})
    series = replace(shifted_classes(0, n_features=5), sample_metadata=plates)
    label_test(series, adjust=adjust, n_permutations=1)
    assert len(seeds) == 4 * n_draws
    assert len(set(seeds)) == 2 * n_draws


def spread_study(seed, kind):
    """Return 40 samples whose 100 features have a class of another mean, spread, or neither."""
    series = shifted_classes(seed, n_features=100)
    values = series.values - 8.0
    of_b = series.labels == "b"
    if kind == "mean":
        values[:10, of_b] += 2.0
    elif kind == "spread":
        values[:, of_b] *= 2.0
    elif kind == "two modes":
        rng = np.random.default_rng(seed)
        values[:40, of_b] += 1.5 * rng.choice([-1, 1], (40, of_b.sum()))
    return replace(series, values=values)


@pytest.mark.parametrize(
    ("kind", "by"), [("mean", "means_p"), ("spread", "spread_p"), ("two modes", "spread_p")]
)
def test_the_label_test_sees_means_spread_and_two_modes(kind, by):
    row = label_test(spread_study(1, kind), n_repeats=2).iloc[0]
    share = {"means_p": 0.8, "spread_p": 0.2}[by]
    assert row["p_value"] == pytest.approx(row[by] / share)
    assert row["p_value"] <= 0.025
    other = row["means_p" if by == "spread_p" else "spread_p"]
    assert np.isnan(other) or other > 0.025


def test_p_is_the_smaller_of_means_and_spread_by_their_shares_of_the_level(monkeypatch):
    """19 permutations, of which 7 reach the means and 1 the spread: 8/20/.8 and 2/20/.2."""
    null = {"means": [1.0] * 7 + [0.0] * 12, "spread": [1.0] + [0.0] * 18}

    def fake(name):
        values = iter([0.5, *null[name]])
        return label_tests.score_each_draw(lambda *_: next(values))

    monkeypatch.setattr(
        label_tests, "means_and_spread_scores", lambda *_: (fake("means"), fake("spread"))
    )
    row = label_test(shifted_classes(0, n_features=5), n_permutations=19, n_repeats=1).iloc[0]
    assert (row["means_p"], row["spread_p"]) == (8 / 20, 2 / 20)
    assert row["p_value"] == pytest.approx(0.5)
    assert (row["observed"], row["spread_observed"], row["at_least"]) == (0.5, 0.5, 7)
    # one draw has no error of draws; 7 of 19 permutations reach the score
    lower, upper = beta.ppf(0.025, 7, 13), beta.ppf(0.975, 8, 12)
    assert (row["p_lower"], row["p_upper"]) == pytest.approx((lower / 0.8, upper / 0.8))


def test_limits_of_p_are_those_of_the_score_two_errors_of_the_draws_away(monkeypatch):
    """Scores .4 and .6 of two draws: the mean .5 has the error .1, two of which are .2."""
    draws = itertools.cycle([0.4, 0.6])
    null = np.linspace(0.005, 0.995, 100)

    def means(labels, seed):
        if seed in seeds_of_labels:
            return next(draws)
        return float(null[(seed - 1 - first) % 1_000_003 % 100])

    series = shifted_classes(0, n_features=5)
    first = series_seed(series, 0, "permutation")
    seeds_of_labels = {first, (first + 1_000_003) % 2**32}
    scores = tuple(label_tests.score_each_draw(score) for score in (means, lambda *_: 0.0))
    monkeypatch.setattr(label_tests, "means_and_spread_scores", lambda *_: scores)
    row = label_test(series, n_permutations=99, n_repeats=2).iloc[0]
    assert row["observed"] == pytest.approx(0.5)
    assert row["means_p"] == pytest.approx(0.5, abs=0.02)
    # 30 and 70 of 99, with the limits of Clopper and Pearson
    assert row["p_lower"] == pytest.approx(beta.ppf(0.025, 30, 70) / 0.8, abs=0.02)
    assert row["p_upper"] == pytest.approx(beta.ppf(0.975, 71, 29) / 0.8, abs=0.02)


def test_a_test_of_a_classifier_has_limits_of_its_permutations():
    row = label_test(shifted_classes(0, n_features=5), NB, n_permutations=39).iloc[0]
    assert row["p_lower"] < row["p_value"] < row["p_upper"]
