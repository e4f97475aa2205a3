"""Calibration: what summed evidence is worth, by temperature or by class, and scored honestly."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV
from xnbflow.naive_bayes.evidence_calibration import fit_temperature, fit_vector
from xnbflow.naive_bayes.size_path import InnerPredictions

one_size = partial(ClassSpecificNBCV, rule="one_standard_error")


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def overconfident(rng, n=240, n_classes=3, by=(6.0, 2.0, 1.0)):
    """Return sums that count what they know several times, for each class another number."""
    codes = rng.integers(n_classes, size=n)
    sums = rng.normal(size=(n, n_classes)) + 1.5 * (codes[:, None] == np.arange(n_classes))
    log_prior = np.log((np.bincount(codes, minlength=n_classes) + 1) / (n + n_classes))
    return sums * by, np.tile(log_prior, (n, 1)), codes


def penalised(point, sums, log_prior, codes, temperature):
    slope, intercept = np.split(point, 2)
    logs = log_softmax(sums / temperature * slope + intercept + log_prior, axis=1)
    penalty = ((slope - 1.0) ** 2).sum() + (intercept**2).sum()
    return 4.0 * penalty / 2.0 - logs[np.arange(len(codes)), codes].sum()


def by_another_optimiser(sums, log_prior, codes, temperature):
    n_classes = sums.shape[1]
    found = minimize(
        penalised,
        np.repeat([1.0, 0.0], n_classes),
        (sums, log_prior, codes, temperature),
        bounds=[(1e-3, temperature)] * n_classes + [(None, None)] * n_classes,
        options={"ftol": 1e-14, "gtol": 1e-9, "maxfun": 100_000},
    )
    return found.x[:n_classes] / temperature, found.x[n_classes:]


@pytest.mark.parametrize("by", [(6.0, 2.0, 1.0), (0.3, 0.5, 0.2), (40.0, 1.0, 40.0)])
def test_slopes_and_intercepts_have_the_least_penalised_log_loss(rng, by):
    sums, log_prior, codes = overconfident(rng, by=by)
    fitted = fit_vector(sums, log_prior, codes)
    assert fitted.temperature == fit_temperature(sums, log_prior, codes).temperature
    slope, intercept = by_another_optimiser(sums, log_prior, codes, fitted.temperature)
    np.testing.assert_allclose(fitted.slope, slope, atol=2e-5)
    np.testing.assert_allclose(fitted.intercept, intercept, atol=2e-4)


def test_a_class_whose_evidence_counts_more_often_is_worth_less(rng):
    sums, log_prior, codes = overconfident(rng, n=5000, by=(12.0, 4.0, 2.0))
    slope = fit_vector(sums, log_prior, codes).slope
    assert slope[0] < slope[1] < slope[2] <= 1.0
    assert slope[2] / slope[0] == pytest.approx(6.0, rel=0.15)


def test_no_evidence_is_worth_more_than_it_says(rng):
    sums, log_prior, codes = overconfident(rng, by=(0.1, 0.2, 0.3))
    for fit in (fit_temperature, fit_vector):
        np.testing.assert_allclose(fit(sums, log_prior, codes).slope, 1.0, rtol=1e-12)


def test_few_samples_say_little(rng):
    sums, log_prior, codes = overconfident(rng, n=3)
    fitted = fit_vector(sums, log_prior, codes)
    assert (abs(fitted.intercept) < 0.5).all()
    nothing = fit_vector(sums[:0], log_prior[:0], codes[:0])
    assert nothing.slope.tolist() == [1.0, 1.0, 1.0]
    assert nothing.intercept.tolist() == [0.0, 0.0, 0.0]


def test_weights_are_as_many_samples(rng):
    sums, log_prior, codes = overconfident(rng, n=60)
    times = rng.integers(4, size=60)
    again = np.repeat(np.arange(60), times)
    weighted = fit_vector(sums, log_prior, codes, times.astype(float))
    repeated = fit_vector(sums[again], log_prior[again], codes[again])
    np.testing.assert_allclose(weighted.slope, repeated.slope, rtol=1e-6)
    np.testing.assert_allclose(weighted.intercept, repeated.intercept, atol=1e-6)


def test_samples_of_classes_that_training_lacked_and_impossible_ones_are_no_trouble(rng):
    sums, log_prior, codes = overconfident(rng, n=60)
    lacking = log_prior.copy()
    lacking[:10, 2] = -np.inf
    known = (np.arange(60) >= 10) | (codes != 2)
    sums[codes == 0, 1] = -np.inf
    fitted = fit_vector(sums, lacking, codes)
    assert np.isfinite([fitted.slope, fitted.intercept]).all()
    same = fit_vector(sums[known], lacking[known], codes[known])
    np.testing.assert_allclose(fitted.slope, same.slope, rtol=1e-9)


def test_the_temperature_is_1_at_least_and_finite():
    prior = np.log(np.full((6, 2), 0.5))
    codes = np.array([0, 1, 0, 1, 0, 1])
    right = np.where(codes[:, None] == np.arange(2), 3.0, 0.0)
    assert fit_temperature(right, prior, codes).temperature == 1.0
    assert fit_temperature(-right, prior, codes).temperature == 1000.0
    assert fit_temperature(right[:0], prior[:0], codes[:0]).temperature == 1.0


# --- along the path -----------------------------------------------------------------------------


def inner(rng, n=60, **changes):
    sums, log_prior, codes = overconfident(rng, n=n)
    folds = np.arange(n) % 6
    parts = {"sums": sums[None], "log_prior": log_prior, "codes": codes, "folds": folds}
    return InnerPredictions(**parts | changes, counts=np.array([4.0]), weights=np.ones(n))


def test_what_is_scored_is_calibrated_by_other_folds(rng):
    path = inner(rng)
    (row,), (kept,) = path.rows("vector")
    sums = path.sums[0]
    temperature = fit_temperature(sums, path.log_prior, path.codes).temperature
    joint = np.empty_like(sums)
    for fold in range(6):
        own = path.folds == fold
        rest = sums[~own], path.log_prior[~own], path.codes[~own], temperature
        slope, intercept = by_another_optimiser(*rest)
        joint[own] = sums[own] * slope + intercept + path.log_prior[own]
    loss = log_loss(path.codes, np.exp(log_softmax(joint, axis=1)))
    assert row["log_loss"] == pytest.approx(loss, rel=1e-4)
    assert row["accuracy"] == (joint.argmax(axis=1) == path.codes).mean()
    slope, intercept = by_another_optimiser(sums, path.log_prior, path.codes, temperature)
    np.testing.assert_allclose(kept.slope, slope, atol=2e-5)
    np.testing.assert_allclose(kept.intercept, intercept, atol=2e-4)


def test_labels_that_mean_nothing_are_not_learned_from(rng):
    """Calibrated and scored by the same samples, noise would seem to be known."""
    losses = []
    for _ in range(20):
        path = inner(rng, n=30, codes=np.arange(30) % 3)
        losses.append(path.rows("vector")[0][0]["log_loss"])
    assert np.mean(losses) > np.log(3.0)


# --- in the classifier --------------------------------------------------------------------------


def repeating(rng, n=400):
    """Return four classes: one is told by twenty copies of a feature, each other by twenty."""
    codes = rng.integers(4, size=n)
    one = rng.normal(size=(n, 1)) + 2.0 * (codes[:, None] == 0)
    others = [rng.normal(size=(n, 20)) + 0.6 * (codes[:, None] == code) for code in (1, 2, 3)]
    return np.hstack([np.repeat(one, 20, axis=1), *others]), codes


def test_it_tells_classes_apart_where_one_temperature_cannot(rng):
    losses, scores = np.zeros(2), np.zeros(2)
    for _ in range(4):
        X, y = repeating(rng)
        half = np.arange(len(y)) % 2 == 0
        for i, calibration in enumerate(("temperature", "vector")):
            model = one_size(sizes=[20], cv=5, calibration=calibration)
            model.fit(X[half], y[half])
            losses[i] += log_loss(y[~half], model.predict_proba(X[~half])) / 4
            scores[i] += model.score(X[~half], y[~half]) / 4
        assert model.calibration_slope_.argmin() == 0
    assert losses[1] < losses[0] - 0.02
    assert scores[1] > scores[0] + 0.02


def test_two_classes_have_one_temperature(rng):
    X, y = repeating(rng, n=100)
    model = one_size(cv=4).fit(X, y > 1)
    assert model.calibration_slope_.tolist() == [1.0 / model.temperature_] * 2
    assert model.calibration_intercept_.tolist() == [0.0, 0.0]


def test_explanations_add_up_to_the_score(rng):
    X, y = repeating(rng, n=120)
    model = one_size(cv=4).fit(X, y)
    assert np.ptp(model.calibration_slope_) > 0.0
    terms = model.explain(X[:5]).groupby(["sample", "class"])["log_likelihood"].sum().unstack()
    joint = model.predict_joint_log_proba(X[:5])
    offset = model.class_log_prior_ + model.calibration_intercept_
    np.testing.assert_allclose(terms.to_numpy() + offset, joint, rtol=1e-9)


def test_it_is_the_classifier_with_slopes_and_intercepts(rng):
    X, y = repeating(rng, n=120)
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    model = one_size(sizes=[5], cv=folds).fit(X, y)
    plain = ClassSpecificNB(n_features=5).fit(X, y)
    sums = plain.predict_joint_log_proba(X) - plain.class_log_prior_
    joint = sums * model.calibration_slope_ + model.calibration_intercept_ + model.class_log_prior_
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-12)
