"""ClassSpecificNBCV: weights of the average by brute force, sums over genes, the core."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.model_selection import GroupKFold, PredefinedSplit, StratifiedKFold
from toys import markers

from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV
from xnbflow.naive_bayes.evidence import fit_class_densities


def overlapping(rng, n_classes=2, n_features=30, each=14):
    return markers(rng, n_features, [each] * n_classes, 1.2, own=4)


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

    found = [best(evidence) for evidence in sums]
    a = np.exp([each.x for each in found])
    u = np.exp(-len(true) * (np.array([each.fun for each in found]) - min(e.fun for e in found)))
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
    X, y = overlapping(rng, n_classes, n_features=60, each=8)
    model = averaged().fit(X, y)
    shown = model.explain(X).groupby(["sample", "class"])["log_likelihood"].sum().unstack()
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
    kept = apart > 0.0
    assert kept.sum() > 1
    roots = np.sqrt(apart[kept])
    np.testing.assert_allclose(together[kept] / together[kept].sum(), roots / roots.sum())


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
