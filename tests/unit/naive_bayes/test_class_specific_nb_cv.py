"""ClassSpecificNBCV: weights of the average by brute force, sums over genes, the core."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.model_selection import (
    GroupKFold,
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from threadpoolctl import threadpool_info, threadpool_limits
from toys import markers

from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV, ShrunkenCentroids
from xnbflow.naive_bayes.evidence import fit_class_densities
from xnbflow.naive_bayes.evidence_calibration import Calibration
from xnbflow.naive_bayes.size_path import choose_size


def overlapping(rng, n_classes=2, n_features=30, n_per_class=14):
    return markers(rng, n_features, [n_per_class] * n_classes, 1.2, n_markers=4)


def averaged(**params):
    return ClassSpecificNBCV(**{"rule": "average", "cv": 3, "sizes": [1, 2, 5], **params})


def reference_weights(X, y, folds, sizes):
    """Return the weights of the average of two classes by sums over features and samples."""

    def parts(train, test):
        full = ClassSpecificNB(n_features=max(sizes)).fit(X[train], y[train])
        used = np.sort(full.columns_[0])
        options = {"bandwidth": "silverman", "min_bandwidth": 0.3, "kernel": "gaussian"}
        fitted = fit_class_densities(X[train][:, used].T, y[train], 2, **options, borrowed=10.0)
        joint = np.exp(fitted.log_density(X[test][:, used].T))
        share = np.bincount(y[train]) / len(train)
        ratio = joint / np.tensordot(share, joint, 1)
        curves = np.log(0.99 * ratio + 0.01)
        centred = X[train][:, used].copy()
        for c in (0, 1):
            centred[y[train] == c] -= centred[y[train] == c].mean(axis=0)
        r = np.corrcoef(centred.T) ** 2
        modules = []
        for size in sizes:
            chosen = ClassSpecificNB(n_features=size).fit(X[train], y[train]).columns_[0]
            has = np.isin(used, chosen)
            modules.append(np.where(has, 1.0 / (r @ has), 0.0))
        return used, np.array(modules), curves

    sums, prior, true = [], [], []
    for train, test in folds.split(X, y):
        _, modules, curves = parts(train, test)
        sums.append(np.einsum("mf,cft->mtc", modules, curves))
        prior.append(np.full((len(test), 2), np.log(0.5)))
        true.append(y[test])
    sums, prior, true = np.concatenate(sums, axis=1), np.vstack(prior), np.concatenate(true)
    smooth = 1.0 / (np.bincount(true)[true] + 2.0)
    targets = np.where(np.eye(2)[true] == 1, 1.0 - smooth[:, None], smooth[:, None])

    def loss(log_a, evidence):
        return -(targets * log_softmax(np.exp(log_a) * evidence + prior, axis=1)).sum(1).mean()

    def best(evidence):
        options = {"bounds": (-9, 6), "method": "bounded", "options": {"xatol": 1e-9}}
        return minimize_scalar(loss, args=(evidence,), **options)

    actual = [best(evidence) for evidence in sums]
    a = np.exp([minimum.x for minimum in actual])
    losses = np.array([minimum.fun for minimum in actual])
    u = np.exp(-len(true) * (losses - losses.min()))
    u = np.where(u < 1e-3, 0.0, u) / u[u >= 1e-3].sum()
    again = np.exp(best(np.tensordot(u * a, sums, 1)).x)
    used, modules, _ = parts(np.arange(len(y)), np.arange(len(y)))
    return used, again * (u * a) @ modules, u


def test_weights_are_those_of_a_loop_over_sizes_and_folds(rng):
    X, y = overlapping(rng)
    folds, sizes = StratifiedKFold(3, shuffle=True, random_state=0), [1, 2, 5]
    model = averaged(cv=folds, sizes=sizes).fit(X, y)
    used, weights, shares = reference_weights(X, y, folds, sizes)
    np.testing.assert_allclose(model.path_["weight"], shares, rtol=1e-5)
    expected = dict(zip(used.tolist(), weights, strict=True))
    for label in (0, 1):
        for feature, weight in zip(
            model.selected_features_[label], model.weights_[label], strict=True
        ):
            assert weight == pytest.approx(expected.pop(feature) if label else expected[feature])
    assert not any(expected.values())


@pytest.mark.parametrize("n_classes", [2, 3, 12])
def test_a_prediction_is_a_sum_over_features_of_a_weight_times_one_curve(rng, n_classes):
    X, y = overlapping(rng, n_classes, n_features=60, n_per_class=8)
    model = averaged().fit(X, y)
    shown = model.explain(X).groupby(["sample", "class"])["evidence"].sum().unstack()
    joint = shown.to_numpy() + model.class_log_prior_ + model.calibration_intercept_
    np.testing.assert_allclose(model.predict_log_proba(X), log_softmax(joint, axis=1), atol=1e-9)
    for label, chosen in model.selected_features_.items():
        assert (model.weights_[label] > 0.0).all()
        assert len(model.weights_[label]) == len(chosen)
        assert set(model.core_features_[label]) <= set(chosen)


def test_the_core_is_the_smallest_size_within_one_standard_error(rng):
    X, y = overlapping(rng)
    model = averaged(sizes=[1, 2, 3, 5, 8, 13]).fit(X, y)
    path = model.path_
    best = path.loc[path["log_loss"].idxmin()]
    near = path[path["log_loss"] <= best["log_loss"] + best["log_loss_se"]]
    size = near["n_features_per_pair"].min()
    assert model.n_features_ == size
    core = ClassSpecificNB(n_features=int(size)).fit(X, y)
    assert model.core_features_ == core.selected_features_


def test_priors_are_equal_unless_the_shares_have_the_lesser_log_loss(rng):
    X, y = overlapping(rng)
    few = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:5]])
    model = averaged().fit(X[few], y[few])
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.5, 0.5])
    y = np.repeat([0, 1], [108, 12])
    model = averaged().fit(rng.normal(size=(120, 30)), y)  # nothing to learn but the shares
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.9, 0.1])


def test_the_score_of_the_core_is_of_folds_that_did_not_choose_its_size(rng):
    X, y = rng.normal(size=(60, 200)), np.repeat([0, 1], 30)  # the best of 30 sizes flatters
    models = [ClassSpecificNBCV(cv=5).fit(X[rng.permutation(60)], y) for _ in range(8)]
    core = np.mean([model.core_scores_["accuracy"] for model in models])
    assert core < np.mean([model.path_["accuracy"].max() for model in models]) - 0.05
    assert core < 0.6


def test_samples_of_one_group_count_as_one(rng):
    X, y = overlapping(rng)
    pairs = np.repeat(np.arange(len(y)), 2)
    X, y, folds = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.empty(2 * len(y), dtype=int)
    for fold, (_, test) in enumerate(GroupKFold(4).split(X, y, pairs)):
        folds[test] = fold
    sizes = [6, 7, 8, 9]
    apart = averaged(cv=PredefinedSplit(folds), sizes=sizes).fit(X, y).path_["weight"].to_numpy()
    together = averaged(cv=GroupKFold(4), sizes=sizes).fit(X, y, groups=pairs).path_["weight"]
    together = together.to_numpy()
    # Half as many units: the root of each likelihood.
    weighted = apart > 0.0
    assert weighted.sum() > 1
    roots = np.sqrt(apart[weighted])
    np.testing.assert_allclose(together[weighted] / together[weighted].sum(), roots / roots.sum())


@pytest.mark.filterwarnings("ignore:class .* has 1 sample")
def test_priors_and_classes_that_an_inner_training_set_lacks(rng):
    X, y = overlapping(rng)
    y[0] = 2
    model = averaged(priors=[0.2, 0.5, 0.3]).fit(X, y)
    assert np.isfinite(model.path_.select_dtypes("number")).all(axis=None)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.2, 0.5, 0.3])


def test_weights_of_a_single_size_are_the_slopes_of_its_classes(rng):
    X, y = overlapping(rng, 3)
    model = ClassSpecificNBCV(cv=3, rule="one_standard_error").fit(X, y)
    assert np.ptp(model.calibration_slope_) > 0.0
    for label, slope in zip(model.classes_.tolist(), model.calibration_slope_, strict=True):
        assert set(model.weights_[label].tolist()) == {slope}
    assert model.core_features_ == model.selected_features_


def test_priors_are_the_weights_of_the_classes_in_inner_scores(rng):
    X, y = overlapping(rng)
    few = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:6]])
    model = averaged(priors=[0.2, 0.8], sizes=[3], rule="one_standard_error").fit(X[few], y[few])
    recognised = model.held_out_scores_ > 0.5  # two classes are calibrated by one temperature
    recalls = [recognised[model.held_out_codes_ == c].mean() for c in (0, 1)]
    row = model.path_.iloc[0]
    assert row["accuracy"] == pytest.approx(0.2 * recalls[0] + 0.8 * recalls[1])
    assert row["balanced_accuracy"] == pytest.approx(np.mean(recalls))
    assert 0.2 * recalls[0] + 0.8 * recalls[1] != pytest.approx(recognised.mean())


def test_weights_are_one_without_priors(rng):
    X, y = overlapping(rng)
    few = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:6]])
    model = averaged(sizes=[3], rule="one_standard_error").fit(X[few], y[few])
    assert model.path_["accuracy"][0] == (model.held_out_scores_ > 0.5).mean()


def test_five_inner_folds_test_every_sample_once(rng):
    X, y = overlapping(rng)
    model = ClassSpecificNBCV().fit(X, y)
    assert np.bincount(model.held_out_folds_).tolist() == [6, 6, 6, 5, 5]
    assert np.bincount(model.held_out_codes_).tolist() == [14, 14]


def test_an_int_of_folds_keeps_groups_together(rng):
    X, y = overlapping(rng)
    groups = np.repeat(np.arange(14), 2)
    X, y = X[np.argsort(y, kind="stable")], np.sort(y)
    model = averaged(cv=4).fit(X, y, groups=groups)
    splitter = StratifiedGroupKFold(4)
    same = averaged(cv=splitter).fit(X, y, groups=groups)
    np.testing.assert_array_equal(model.path_, same.path_)
    np.testing.assert_array_equal(model.held_out_folds_, same.held_out_folds_)


def test_slopes_of_the_calibration_are_part_of_the_weights(rng, monkeypatch):
    X, y = overlapping(rng, 3)

    def weights(slopes):
        def calibrate(sums, log_prior, codes, *, weights, start):
            return Calibration(1.0, np.array(slopes), np.array([0.1, -0.2, 0.1]))

        monkeypatch.setattr("xnbflow.naive_bayes.size_path.fit_vector", calibrate)
        model = averaged().fit(X, y)
        assert model.calibration_slope_.tolist() == [1.0, 1.0, 1.0]
        assert model.calibration_intercept_.tolist() == [0.1, -0.2, 0.1]
        return model.weights_

    plain, sloped = weights([1.0, 1.0, 1.0]), weights([0.5, 0.25, 1.0])
    for label, slope in enumerate([0.5, 0.25, 1.0]):
        np.testing.assert_allclose(sloped[label], slope * plain[label])


def test_the_core_is_none_of_the_sizes_beyond_the_average(rng, monkeypatch):
    y = np.repeat([0, 1], 14)
    X = rng.normal(size=(28, 30))
    X[:, 0] += 4.0 * y  # all others are noise
    numbers = []

    def spied(rows, n_samples):
        numbers.append((len(rows), n_samples))
        return choose_size(rows, n_samples)

    monkeypatch.setattr("xnbflow.naive_bayes.class_specific_nb_cv.choose_size", spied)
    monkeypatch.setattr("xnbflow.naive_bayes.size_average._WINDOW", 0.99)  # one size alone
    model = averaged(sizes=[1, 2, 5, 20]).fit(X, y)
    last = int(np.flatnonzero(model.path_["weight"])[-1])
    assert last < 3
    assert numbers == [(last + 1, 28)]
    sizes = model.path_["n_features_per_pair"]
    assert len(model.selected_features_[0]) == sizes[last]


def test_the_reference_has_the_shares_where_priors_are_equal(rng):
    X, y = overlapping(rng)
    few = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:5]])
    model = averaged(sizes=[1]).fit(X[few], y[few])
    assert np.exp(model.class_log_prior_) == pytest.approx([0.5, 0.5])
    (feature,) = model.selected_features_[0]
    density = np.exp(model.class_densities_.log_density(X[few[:1], feature][np.newaxis])[:, 0, 0])
    share = np.array([14, 5]) / 19
    expected = model.weights_[0][0] * np.log(0.99 * density[0] / (share @ density) + 0.01)
    actual = model.explain(X[few[:1]])
    assert actual["evidence"][0] == pytest.approx(expected)


def test_the_evidence_that_is_left_is_a_share_of_the_weights(rng):
    X, y = overlapping(rng)
    frame = pd.DataFrame(X).add_prefix("g")
    model = averaged(sizes=[1, 5]).fit(frame, y)
    lacking = model.selected_features_[0][0]
    left = []
    for label in (0, 1):
        names = model.selected_features_[label]
        weights = model.weights_[label]
        left.append(1.0 - weights[names.index(lacking)] / weights.sum())
    assert model.evidence_left(frame.drop(columns=lacking))[0] == pytest.approx(np.mean(left))
    assert np.ptp(model.weights_[0]) > 0.0


def test_densities_of_one_size_borrow_nothing(rng):
    X, y = overlapping(rng)
    assert averaged().fit(X, y).class_densities_.borrowed.shares.tolist() == [14 / 24, 14 / 24]
    assert averaged(rule="one_standard_error").fit(X, y).class_densities_.borrowed is None


def blas_threads():
    """Return the numbers of threads of the libraries of BLAS."""
    blas = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {library["num_threads"] for library in blas}


class CountingSplitter(StratifiedKFold):
    """Inner folds that remember the threads of BLAS while the classifier is fitted."""

    def split(self, X, y=None, groups=None):
        self.threads = blas_threads()
        return super().split(X, y, groups)


def test_a_fit_has_one_thread_of_blas_and_restores_those_of_the_process(rng):
    X, y = overlapping(rng)
    folds = CountingSplitter(3)
    with threadpool_limits(limits=2, user_api="blas"):
        for _ in range(2):  # the second fit has the libraries that the first one found
            averaged(cv=folds).fit(X, y)
            assert folds.threads == {1}
            assert blas_threads() == {2}


@pytest.mark.parametrize("classifier", [ClassSpecificNBCV, ShrunkenCentroids])
def test_the_order_of_rows_changes_no_fit(classifier, rng):
    X, y = overlapping(rng, n_classes=3)
    groups = np.arange(len(y)) // 2
    for fit_groups in (None, groups):
        first = classifier().fit(X, y, fit_groups)
        rows = rng.permutation(len(y))
        other_groups = (
            None if fit_groups is None else np.char.add("p", fit_groups[rows].astype(str))
        )
        second = classifier().fit(X[rows], y[rows], other_groups)
        assert first.selected_features_ == second.selected_features_
        np.testing.assert_allclose(first.predict_proba(X), second.predict_proba(X), rtol=1e-9)


def test_sets_have_the_names_of_samples_and_classes(rng):
    X, codes = overlapping(rng)
    samples = [f"s{i}" for i in range(len(X))]
    labels = np.array(["no", "yes"])[codes]
    sets = ClassSpecificNBCV().fit(X, labels).predict_set(pd.DataFrame(X, index=samples))
    assert list(sets.columns) == ["no", "yes"]
    assert list(sets.index) == samples
