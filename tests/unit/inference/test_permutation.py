"""Label tests: null distributions, planted signals, counts, and steps that adjust for columns."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom
from sklearn.naive_bayes import GaussianNB
from toys import dataset

from xnbflow.data.canonical_order import in_canonical_order
from xnbflow.data.read_counts import expressed_features, with_log_counts
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference import permutation
from xnbflow.inference.permutation import (
    Adjustment,
    adjusted_score,
    columns_of_steps,
    label_test,
    ten_features_score,
)
from xnbflow.preprocessing import CovariateAdjuster


def batches(seed, agreement, effect=0.0, n=40, genes=150):
    """A batch shifts 50 genes by 1.5 and agrees with the class; the class shifts ten others."""
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1], n // 2)
    other = round((1 - agreement) * n / 2)
    plate = codes.copy()
    for code in (0, 1):
        plate[np.flatnonzero(codes == code)[:other]] = 1 - code
    values = rng.normal(size=(genes, n))
    values[:50] += 1.5 * plate
    values[50:60] += effect * codes
    phenotype = pd.DataFrame({"plate": np.array(["p", "q"])[plate]})
    return dataset(values, np.array(["a", "b"])[codes], f"d{seed}", sample_metadata=phenotype)


@pytest.mark.slow
@pytest.mark.parametrize("agreement", [0.75, 0.9])
def test_adjusted_batches_without_an_effect_are_rejected_at_their_level(agreement):
    """The fewest permutations whose smallest p, (1 / 50) / .8 for the means, is .025."""
    n_studies = 24
    drawn = {"n_permutations": 49, "n_repeats": 1}
    adjusted = [
        label_test(batches(seed, agreement), adjust=["plate"], **drawn)["p_value"][0]
        for seed in range(n_studies)
    ]
    assert np.sum(np.array(adjusted) <= 0.025) <= binom.ppf(0.999, n_studies, 0.025)
    unadjusted = [label_test(batches(seed, agreement), **drawn)["p_value"][0] for seed in range(6)]
    assert np.mean(np.array(unadjusted) <= 0.025) > 0.5


def test_an_effect_beside_an_adjusted_batch_is_found(expected_text):
    (row,) = label_test(batches(0, 0.75, 2.0), adjust=["plate"], n_permutations=199).to_dict(
        "records"
    )
    assert row["p_value"] <= 0.01
    assert row["permuted"] == expected_text


def test_effects_are_those_of_the_step_and_without_columns_the_score_is_the_fast_one(rng):
    series = batches(1, 0.75, 1.0)
    codes = (series.labels == "b").astype(int)
    fast = ten_features_score(series.values)(series.labels, 3)
    same = adjusted_score(series.values, np.empty((40, 0)))(series.labels, 3)
    assert same == pytest.approx(fast, abs=1e-5)
    phenotype = series.sample_metadata.assign(age=rng.normal(60, 5, 40).round(2))
    _, columns = Adjustment.of(
        dataset(series.values, series.labels, sample_metadata=phenotype.astype(str)),
        ["plate", "age"],
    )
    X = pd.DataFrame(series.values.T).assign(**phenotype.astype(str)).rename(columns=str)
    step = CovariateAdjuster(columns=["plate", "age"]).fit(X, codes)
    centred = columns - columns.mean(axis=0)
    design = np.hstack([np.eye(2)[codes], centred])
    effects = (np.linalg.pinv(design) @ series.values.T)[2:]
    np.testing.assert_allclose(series.values.T - centred @ effects, step.transform(X), atol=1e-9)


def test_labels_are_exchanged_within_the_levels_of_the_columns():
    series = batches(0, 0.75)
    strata, columns = Adjustment.of(series, ["factor(plate)"])
    assert (strata == pd.factorize(series.sample_metadata["plate"])[0]).all()
    assert columns.shape == (40, 1)
    assert columns_of_steps({"method": "csnb"}) == []
    name = "xnbflow.preprocessing.designs.CovariateAdjuster"
    step = {"method": name, "params": {"columns": ["plate"]}}
    assert columns_of_steps({"steps": [step, {"method": "csnb"}]}) == ["plate"]


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


def toy(seed, n=40, n_features=200, shifted=0, shift=2.0):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(["a", "b"], n // 2))
    values = rng.normal(8.0, 1.0, (n_features, n))
    values[:shifted] += shift * (labels == "b")
    return dataset(values, labels, f"toy{seed}")


@pytest.mark.slow
def test_selection_is_inside_so_that_noise_is_not_significant():
    """Five features chosen of 1,000 by all labels would separate noise; chosen inside, not."""
    (row,) = permutation.label_test(toy(3, n_features=1000), SELECTING).to_dict("records")
    assert row["p_value"] > 0.1
    assert row["null_mean"] < 0.6
    assert row["permuted"] == ""


def test_models_are_fitted_to_the_permuted_labels(monkeypatch):
    mirrored = SimpleNamespace(permute=lambda y, _: np.where(y == "a", "b", "a"))
    monkeypatch.setattr(permutation, "label_exchange", lambda *_: mirrored)
    series = toy(0, n_features=5, shifted=5, shift=9.0)
    (row,) = permutation.label_test(series, NB, n_permutations=1).to_dict("records")
    assert (row["observed"], row["null_mean"], row["at_least"]) == (1.0, 1.0, 1)


@pytest.mark.slow
def test_missing_values_and_groups_are_those_of_the_training_samples():
    series = toy(0, n_features=5, shifted=5, shift=9.0)
    values = np.where(np.random.default_rng(0).random(series.values.shape) < 0.1, np.nan, 0.0)
    groups = pd.Series(series.labels).groupby(series.labels).cumcount().astype(str)
    holes = replace(series, values=series.values + values, missing=True, groups=groups)
    first = permutation.label_test(holes, NB, n_permutations=39)
    again = permutation.label_test(holes, NB, n_permutations=39)
    assert first["p_value"].tolist() == [0.025]
    pd.testing.assert_frame_equal(first, again)


def test_a_row_describes_the_scores_of_permuted_labels(monkeypatch):
    scores = iter([0.6, 0.5, 0.6, 0.7, 0.4])
    monkeypatch.setattr(permutation, "complete_score", lambda *_, **__: lambda *_: next(scores))
    (row,) = permutation.label_test(toy(0, n_features=5), NB, n_permutations=4).to_dict("records")
    assert (row["permutations"], row["at_least"], row["p_value"]) == (4, 2, 0.6)
    assert row["null_mean"] == pytest.approx(0.55)
    assert row["null_sd"] == pytest.approx(np.sqrt(0.05 / 3))
    assert row["null_95"] == pytest.approx(0.6 + 0.85 * 0.1)


@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 80), (3, 600)])
def test_the_score_is_that_of_naive_bayes_on_ten_features_of_each_class(rng, n_classes, n_features):
    """scikit-learn's naive Bayes with equal variances, fitted to the features found here."""
    values, codes = rng.normal(size=(n_features, 45)), np.arange(45) % n_classes
    values[-5:] += codes
    probability_of_class = np.zeros(45)
    standard = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    for train, test in stratified_splits(codes, None, 5, 3):
        means = np.array([standard[:, train[codes[train] == c]].mean(axis=1) for c in range(3)
                          if c < n_classes])  # fmt: skip
        features = set()
        for c in range(n_classes):
            others = np.delete(means, c, axis=0).mean(axis=0)
            features |= set(np.argsort(-np.abs(means[c] - others))[:10].tolist())
        features = sorted(features)
        model = GaussianNB(priors=np.full(n_classes, 1 / n_classes))
        model.fit(standard[np.ix_(features, train)].T, codes[train])
        model.var_[:] = np.sqrt(len(features))  # as the summed evidence divided by it
        probabilities = model.predict_proba(standard[np.ix_(features, test)].T)
        probability_of_class[test] = probabilities[np.arange(len(test)), codes[test]]
    expected = np.mean([probability_of_class[codes == c].mean() for c in range(n_classes)])
    tested_labels = permutation.ten_features_score(values)(codes, 3)
    assert tested_labels == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(20), 2)])
def test_shared_draws_of_folds_are_those_of_the_labels_and_the_seed(groups):
    """Labels of another permutation have other folds, also in the same array."""
    rng = np.random.default_rng(0)
    labels = np.repeat([4, 7], 20)
    draws = permutation.FoldDraws(groups, 4)
    for seeds in ([0, 1, 2], [0, 1, 2], [2, 7], [2, 7], range(60), [5]):
        codes, folds = draws.draw(labels, seeds)
        assert folds.shape == (len(seeds), 40)
        for fold, seed in zip(folds, seeds, strict=True):
            for k, (_, test) in enumerate(stratified_splits(codes, groups, 4, seed)):
                assert np.flatnonzero(fold == k).tolist() == test.tolist()
        assert (codes == (labels == 7)).all()
        if len(seeds) == 2:
            labels[:] = rng.permutation(labels)


def test_a_class_that_no_training_set_has_is_never_predicted():
    values, codes = np.random.default_rng(0).normal(size=(4, 13)), np.repeat([0, 1, 2], [6, 6, 1])
    values[:2, 6:12] += 9
    assert 0.5 < permutation.ten_features_score(values)(codes, 0) < 2 / 3


@pytest.mark.parametrize("per_patient", [1, 3])
@pytest.mark.slow
def test_the_label_test_finds_signal_and_no_more(per_patient, monkeypatch, expected_text):
    """A single class is not tested, nor a data set that is too large."""
    n, rng = 60, np.random.default_rng(per_patient)
    labels = np.repeat(rng.permutation(np.repeat(["a", "b"], n // 2)), per_patient)
    values = rng.normal(size=(60, len(labels)))
    groups = np.repeat([f"p{i}" for i in range(n)], per_patient) if per_patient > 1 else None

    def tested_labels(values, labels):
        return permutation.label_test(dataset(values, labels, groups=groups), n_repeats=3)

    row = tested_labels(values, labels).iloc[0]
    assert row["permuted"] == expected_text
    assert row["p_value"] > 0.05
    row = tested_labels(values + (labels == "a") * 3 * (np.arange(60) < 3)[:, None], labels).iloc[0]
    # The means reject at .02 as soon as .98**n is the part of .001 that is spent by then, and the
    # test ends with it; the spread has been accepted, or has no p.
    n_permutations = next(n for n in range(99, 999) if 0.98**n <= 0.001 * n / (n + 99))
    assert row["permutations"] == n_permutations
    assert row["p_value"] == pytest.approx(1 / (n_permutations + 1) / 0.8)
    assert tested_labels(values, np.repeat("a", len(labels))).empty
    monkeypatch.setattr(permutation, "_MOST_VALUES", values.size - 1)
    assert tested_labels(values, labels).empty


def test_the_score_is_the_mean_over_draws_of_folds_with_seeds_of_their_own(rng):
    series = toy(0, n_features=60)
    first = series_seed(series, 0, "permutation")
    score = ten_features_score(in_canonical_order(series).values)
    labels = in_canonical_order(series).labels
    single = [score(labels, first + step) for step in (0, 1_000_003, 2_000_006)]
    assert len(set(single)) == 3
    (row,) = permutation.label_test(series, n_permutations=1, n_repeats=3).to_dict("records")
    assert row["observed"] == pytest.approx(np.mean(single))
    (row,) = permutation.label_test(series, n_permutations=1, n_repeats=1).to_dict("records")
    assert row["observed"] == pytest.approx(single[0])
    assert permutation.seeds_of_draws(2**32 - 1, 2) == [2**32 - 1, 1_000_002]  # 32 bits


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(15), 3)])
@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 600), (3, 40), (9, 300)])
def test_draws_of_folds_that_are_scored_together_have_the_scores_of_each(
    rng, n_classes, n_features, groups
):
    values = rng.normal(size=(n_features, 45))
    labels = rng.permutation(np.repeat(np.arange(n_classes), 45 // n_classes))
    if groups is not None:
        labels = labels[groups]  # a group has one class
    labels = np.append(labels, np.full(45 - len(labels), labels[-1]))
    score = ten_features_score(values, groups, n_splits=3)
    scores = permutation.ten_features_scores(values, groups, n_splits=3)(labels, [4, 9, 2])
    assert scores.tolist() == [score(labels, seed) for seed in (4, 9, 2)]


@pytest.mark.parametrize(
    ("most_values", "adjust", "n_draws"),
    [(200 * 20, (), 20), (200 * 3, (), 3), (200, (), 1), (200 * 20, ("plate",), 3)],
)
def test_folds_are_drawn_twenty_times_unless_there_are_many_values_or_an_adjustment(
    monkeypatch, most_values, adjust, n_draws
):
    """Of the labels and of a permutation, each for means and for spread."""
    seeds = []
    monkeypatch.setattr(permutation, "_MOST_VALUES", most_values)
    monkeypatch.setattr(
        permutation, "adjusted_score", lambda *_, **__: lambda _, seed: seeds.append(seed) or 0
    )
    monkeypatch.setattr(
        permutation,
        "ten_features_scores",
        lambda *_, **__: lambda _, drawn: seeds.extend(drawn) or np.zeros(len(drawn)),
    )
    series = replace(
        toy(0, n_features=5), sample_metadata=pd.DataFrame({"plate": np.tile(["p", "q"], 20)})
    )
    permutation.label_test(series, adjust=adjust, n_permutations=1)
    assert len(seeds) == 4 * n_draws
    assert len(set(seeds)) == 2 * n_draws


def spread_study(seed, kind):
    """Return 40 samples whose 100 features have a class of another mean, spread, or neither."""
    series = toy(seed, n_features=100)
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
    row = permutation.label_test(spread_study(1, kind), n_repeats=2).iloc[0]
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
        return permutation.one_by_one(lambda *_: next(values))

    monkeypatch.setattr(permutation, "_default_scores", lambda *_: (fake("means"), fake("spread")))
    row = permutation.label_test(toy(0, n_features=5), n_permutations=19, n_repeats=1).iloc[0]
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

    series = toy(0, n_features=5)
    first = series_seed(series, 0, "permutation")
    seeds_of_labels = {first, (first + 1_000_003) % 2**32}
    scores = tuple(permutation.one_by_one(score) for score in (means, lambda *_: 0.0))
    monkeypatch.setattr(permutation, "_default_scores", lambda *_: scores)
    row = permutation.label_test(series, n_permutations=99, n_repeats=2).iloc[0]
    assert row["observed"] == pytest.approx(0.5)
    assert row["means_p"] == pytest.approx(0.5, abs=0.02)
    # 30 and 70 of 99, with the limits of Clopper and Pearson
    assert row["p_lower"] == pytest.approx(beta.ppf(0.025, 30, 70) / 0.8, abs=0.02)
    assert row["p_upper"] == pytest.approx(beta.ppf(0.975, 71, 29) / 0.8, abs=0.02)


def test_a_test_that_stopped_with_certainty_has_its_limits_on_one_side_of_the_level():
    """Of 999 permutations 25, 40 and 10 reach the score: only the first is undecided."""
    lower, upper = permutation._limits_of_p([1.0] * 25 + [0.0] * 974, 0.5)
    assert lower <= 0.025 < upper
    lower, upper = permutation._limits_of_p([1.0] * 40 + [0.0] * 959, 0.5)
    assert lower > 0.025
    lower, upper = permutation._limits_of_p([1.0] * 10 + [0.0] * 989, 0.5)
    assert upper <= 0.025


def test_a_test_of_a_classifier_has_limits_of_its_permutations():
    row = permutation.label_test(toy(0, n_features=5), NB, n_permutations=39).iloc[0]
    assert row["p_lower"] < row["p_value"] < row["p_upper"]


def test_each_permutation_has_a_generator_of_its_own():
    """A score that draws from none of them, or from several, changes no other permutation."""
    labels_of_seed = {}

    def score(labels, seed):
        labels_of_seed[seed] = labels.copy()
        return 1.0

    labels = np.repeat([0, 1], 20)
    test = permutation.permutation_test(
        score, labels, lambda rng: rng.permutation(labels), n_permutations=5, seed=7
    )
    assert (test.at_least, test.p_value) == (5, 1.0)
    for seed in range(8, 13):
        expected = np.random.default_rng(seed).permutation(labels)
        assert (labels_of_seed[seed] == expected).all()
