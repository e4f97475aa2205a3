"""ClassSpecificNB and its cross-validated form: evidence, selection, sizes, calibration, sets."""

from functools import partial

import numpy as np
import pandas as pd
import published_xnb
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax, logsumexp
from scipy.stats import norm
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold
from toys import dataset, markers

from xnbflow.evaluation import training
from xnbflow.evaluation.methods import resolved
from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV
from xnbflow.naive_bayes.conformal import class_p_values, class_sets, held_out_coverage
from xnbflow.naive_bayes.evidence_calibration import fit_temperature, fit_vector
from xnbflow.naive_bayes.size_path import InnerPredictions, choose

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")

#: The classifier of one size, which the tests of its path and its calibration are about.
one_size = partial(ClassSpecificNBCV, rule="one_standard_error")


def counts(rng, n_features=30, n_samples=60):
    """Counts with many zeros and ties, as of single cells."""
    codes = np.arange(n_samples) % 3
    rates = rng.choice([0.05, 0.3, 2.0], size=(3, n_features))
    return rng.poisson(rates[codes]).astype(float), codes


@pytest.mark.parametrize("make", [markers, counts])
@pytest.mark.parametrize(
    "model",
    [
        ClassSpecificNB(),
        ClassSpecificNB(distance="separation"),
        ClassSpecificNB(distance="hellinger"),
        ClassSpecificNBCV(cv=3, sizes=[1, 2, 5]),
    ],
    ids=repr,
)
def test_units_and_origins_change_nothing(rng, make, model):
    X, y = make(rng)
    expected = model.fit(X, y).selected_features_
    labels, log_proba = model.predict(X), model.predict_log_proba(X)
    distances = getattr(model, "distances_", ())
    scales = (1e-100, 0.1, 1e100, 10.0 ** rng.uniform(-6, 6, X.shape[1]))
    for other in (*(X * scale for scale in scales), X - 3.7, X + rng.normal(size=X.shape[1])):
        assert model.fit(other, y).selected_features_ == expected
        np.testing.assert_array_equal(model.predict(other), labels)
        np.testing.assert_allclose(model.predict_log_proba(other), log_proba, rtol=1e-6, atol=1e-8)
        for found, before in zip(getattr(model, "distances_", ()), distances, strict=True):
            # A distance is a root: near 0 it is known to the root of rounding only.
            np.testing.assert_allclose(found**2, before**2, rtol=1e-6, atol=1e-14)


def expected_joint(X, y, model, points, contamination):
    """The joint score in plain NumPy and SciPy: Gaussian kernels, Silverman's rule, the floor."""
    classes = np.unique(y)
    prior = np.array([(y == c).mean() for c in classes])
    joint = np.tile(np.log(prior), (len(points), 1))
    for code, label in enumerate(classes):
        for v in model.selected_features_[label]:
            density = []
            for c in classes:
                own = X[y == c, v]
                floor = model.min_bandwidth * X[:, v].std(ddof=1) * len(own) ** -0.2
                h = max(published_xnb.bandwidth(own), floor)
                density.append(norm.pdf(points[:, [v]], own, h).mean(axis=1))
            density = np.array(density)
            reference = prior @ density
            mixed = (1 - contamination) * density[code] + contamination * reference
            joint[:, code] += np.log(mixed / reference)
    return joint


@pytest.mark.parametrize("contamination", [0.0, 0.01, 0.3])
def test_scores_are_sums_of_evidence_against_the_reference(rng, contamination):
    X, y = markers(rng, shift=2.0)
    model = ClassSpecificNB(contamination=contamination).fit(X, y)
    points = X[:7] + 0.1
    expected = expected_joint(X, y, model, points, contamination)
    np.testing.assert_allclose(model.predict_joint_log_proba(points), expected, rtol=1e-9)


def test_the_temperature_divides_the_evidence(rng):
    X, y = markers(rng)
    one, four = (ClassSpecificNB(temperature=t).fit(X, y) for t in (1.0, 4.0))
    evidence = one.predict_joint_log_proba(X) - one.class_log_prior_
    joint = one.class_log_prior_ + evidence / 4
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(four.predict_log_proba(X), expected, rtol=1e-9)


def test_classes_get_their_own_features_with_directions(rng):
    X, y = markers(rng)
    X[:, 3] *= -1
    model = ClassSpecificNB(n_features=6).fit(X, np.array(["x", "y", "z"])[y])
    for c, label in enumerate("xyz"):
        chosen = model.selected_features_[label]
        assert set(chosen) >= {3 * c, 3 * c + 1, 3 * c + 2}
        distances = model.selected_distances_[label]
        assert (np.diff(distances) <= 0).all()
        assert ((distances > 0) & (distances <= 1)).all()
        direction = dict(zip(chosen, model.direction_[label], strict=True))
        assert direction[3 * c] == ("low" if c == 1 else "high")
        table = model.pair_distances_[model.pair_distances_["class"] == label]
        assert len(table) == 2 * len(chosen)
        np.testing.assert_array_equal(
            table.groupby("feature", sort=False)["distance"].max(), distances
        )


def test_features_are_taken_until_the_threshold_is_reached(rng):
    X, y = markers(rng, sizes=(14, 11), shift=2.0)
    whole = ClassSpecificNB(n_features=60).fit(X, y).selected_distances_[0]
    for threshold in (0.9, 0.999, 0.999999):
        needed = int(np.argmax(1 - np.cumprod(1 - whole) >= threshold)) + 1
        model = ClassSpecificNB(threshold=threshold).fit(X, y)
        assert len(model.selected_features_[0]) == needed


def test_copies_are_named_as_interchangeable(rng):
    X, y = markers(rng, sizes=(14, 11), shift=3.0)
    X[:, 40], X[:, 41] = 7 - 3 * X[:, 0], 0.1 * X[:, 0]
    model = ClassSpecificNB(n_features=1).fit(X[:, [0, 40, 41, *range(6, 30)]], y)
    (chosen,) = model.selected_features_[0]
    ((first, *others),) = model.tied_features_[0]
    assert (first, set(others)) == (chosen, {0, 1, 2} - {chosen})
    three = ClassSpecificNB(n_features=3).fit(X[:, [0, 40, 41, *range(6, 30)]], y)
    assert set(three.selected_features_[0]) == {0, 1, 2}
    assert three.tied_features_[0] == []


def test_it_is_a_selector(rng):
    X, y = markers(rng)
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(60)])
    model = ClassSpecificNB(n_features=2).fit(frame, y)
    used = sorted(set().union(*model.selected_features_.values()))
    assert sorted(model.get_feature_names_out()) == used
    np.testing.assert_array_equal(frame.columns[model.get_support()], model.get_feature_names_out())
    np.testing.assert_array_equal(model.transform(frame), frame.to_numpy()[:, model.get_support()])
    importances = pd.Series(model.feature_importances_, index=frame.columns)
    assert (importances > 0).sum() == len(used)
    assert importances.max() == max(d.max() for d in model.selected_distances_.values())


def test_a_class_constant_in_a_feature_has_no_spike():
    # Silent in one class, expressed in 1% of the other: Hellinger's distance is 0.07.
    y, X = np.repeat([0, 1], 100), np.zeros((200, 1))
    X[150] = 1.0
    model = ClassSpecificNB(n_features=1).fit(X, y)
    assert model.pair_distances_["distance"].max() < 0.2
    assert model.explain([[0.1]])["log_likelihood"].abs().max() < 5.0


def test_constant_columns_are_never_selected(rng):
    X, y = markers(rng)
    X[:, 20:] = 0.1 + 0.2
    X[::2, 20:] = 0.3  # but for rounding the same
    model = ClassSpecificNB(n_features=60).fit(X, y)
    assert set().union(*model.selected_features_.values()) <= set(range(20))
    with pytest.warns(UserWarning, match="class 0 has no feature.*prior"):
        nothing = ClassSpecificNB().fit(np.ones((30, 4)), np.arange(30) % 3 // 2)
    np.testing.assert_allclose(nothing.predict_proba(np.ones((1, 4))), [[2 / 3, 1 / 3]])
    assert nothing.explain(np.ones((2, 4))).empty
    assert nothing.pair_distances_.empty


def test_a_prior_of_0_rules_a_class_out(rng):
    X, y = markers(rng)
    proba = ClassSpecificNB(priors=[0.5, 0.5, 0.0]).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(proba[:, 2], 0.0)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def noisy(rng, sizes=(16, 12, 14), n_features=40, shift=1.2):
    """Classes that overlap, with features that repeat one another."""
    X, codes = markers(rng, n_features, sizes, shift, own=5)
    X[:, 20:25] = X[:, :5] + 0.1 * rng.normal(size=(len(codes), 5))
    return X, codes


def test_the_path_is_that_of_a_fit_per_size_and_fold(rng):
    X, y = noisy(rng, sizes=(16, 14))  # two classes are calibrated by the temperature alone
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    sizes = [1, 2, 5, 9, 40]
    model = one_size(sizes=sizes, cv=folds).fit(X, y)
    path = model.path_.set_index("n_features_per_pair")
    assert path.index.tolist() == sizes
    for size in sizes:
        joint, prior = np.empty((2, len(y), 2))
        per_class = []
        for train, test in folds.split(X, y):
            inner = ClassSpecificNB(n_features=size).fit(X[train], y[train])
            joint[test] = inner.predict_joint_log_proba(X[test])
            prior[test] = inner.class_log_prior_
            per_class.append([len(each) for each in inner.selected_features_.values()])
        row = path.loc[size]
        predicted = ((joint - prior) / row["temperature"] + prior).argmax(axis=1)
        right = [(predicted == y)[test].mean() for _, test in folds.split(X, y)]
        assert row["accuracy"] == pytest.approx((predicted == y).mean())
        assert row["accuracy_se"] == pytest.approx(np.std(right, ddof=1) / 2)
        assert row["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
        assert row["n_features_per_class"] == pytest.approx(np.mean(per_class))

        def loss(log_t, joint=joint, prior=prior):
            scores = np.exp((joint - prior) / np.exp(log_t) + prior)
            return log_loss(y, scores / scores.sum(axis=1, keepdims=True))

        best = minimize_scalar(loss, bounds=(0.0, 5.0), method="bounded")
        assert row["temperature"] == pytest.approx(np.exp(best.x), rel=1e-3)
        assert row["log_loss"] == pytest.approx(best.fun, rel=1e-6)


def test_the_model_is_the_fit_with_what_was_chosen(rng):
    X, y = noisy(rng, sizes=(16, 14))
    tried = {"min_bandwidth": 0.1, "distance": "hellinger"}
    model = one_size(cv=4, **tried).fit(X, y)
    (chosen,) = model.path_[model.path_["chosen"]].to_dict("records")
    assert chosen["n_features_per_pair"] == model.n_features_
    assert len(model.path_) == 30
    tried |= {"n_features": model.n_features_, "temperature": model.temperature_}
    same = ClassSpecificNB(**tried).fit(X, y)
    assert model.selected_features_ == same.selected_features_
    np.testing.assert_array_equal(model.predict_log_proba(X), same.predict_log_proba(X))
    pd.testing.assert_frame_equal(model.explain(X[:3]), same.explain(X[:3]))


def rows(scores, errors, name="log_loss"):
    return [
        {"n_features_per_class": float(size), name: score, f"{name}_se": error}
        for size, (score, error) in enumerate(zip(scores, errors, strict=True), start=1)
    ]


def test_the_fewest_features_within_one_standard_error_of_the_best():
    path = rows([0.20, 0.12, 0.10, 0.07, 0.08], [0.01, 0.2, 0.01, 0.04, 0.01])
    assert choose(path, 1000) == 2
    path = rows([0.01, 0.0, 0.0], [0.1, 0.0, 0.0])  # one of 100 samples is no difference
    assert choose(path, 100) == 0
    assert choose(path, 1000) == 1


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


def inner(rng, n=60, **changes):
    sums, log_prior, codes = overconfident(rng, n=n)
    folds = np.arange(n) % 6
    parts = {"sums": sums[None], "log_prior": log_prior, "codes": codes, "folds": folds}
    return InnerPredictions(**parts | changes, counts=np.array([4.0]), weights=np.ones(n))


def test_what_is_scored_is_calibrated_by_other_folds(rng):
    path = inner(rng)
    (row,), (kept,) = path.rows()
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


def test_p_values_are_shares_of_held_out_samples_of_the_class(rng):
    scores, codes, posterior = rng.random(30), rng.integers(3, size=30), rng.random((8, 3))
    found = class_p_values(posterior, scores, codes, 3)
    for i in range(8):
        for c in range(3):
            own = scores[codes == c]
            assert found[i, c] == (1 + sum(own <= posterior[i, c])) / (1 + len(own))


def test_every_class_is_covered_and_an_accurate_model_has_small_sets(rng):
    X, y = markers(rng, 20, [150, 60], 1.0)
    new, true = markers(rng, 20, [2000, 2000], 1.0)
    model = ClassSpecificNBCV(cv=5).fit(X, y)
    assert model.path_["n_features_per_pair"].tolist() == list(range(1, 21))  # all sizes
    sets = model.predict_set(new, 0.1)
    covered = sets[np.arange(len(true)), true]
    for c in (0, 1):  # about .9; a held-out share of 60 varies by .04
        assert covered[true == c].mean() > 0.8
        assert model.coverage(0.1)[c] == pytest.approx(0.9, abs=0.1)
    assert (sets.sum(axis=1) == 1).mean() > 0.6
    assert (model.predict_set(new, 0.02).sum(axis=1) >= sets.sum(axis=1)).all()


def test_no_set_is_empty_and_each_has_the_predicted_class():
    scores, codes = np.full(60, 0.95), np.repeat([0, 1, 2], 20)
    scores[40:] = 0.1  # the third class is badly recognised: all are as typical of it
    posterior = np.array([[0.96, 0.03, 0.01], [0.8, 0.15, 0.05], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]])
    expected = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]], dtype=bool)
    assert (class_sets(posterior, scores, codes, 0.1) == expected).all()
    alone = class_sets(np.ones((2, 1)), np.full(20, 1.0), np.zeros(20, int), 0.1)
    assert alone.tolist() == [[True], [True]]


def test_coverage_rests_on_the_other_folds(rng):
    scores, codes, folds = rng.random(40), rng.integers(2, size=40), np.arange(40) % 4
    expected = []
    for i in range(40):
        own = scores[(codes == codes[i]) & (folds != folds[i])]
        expected.append((1 + sum(own <= scores[i])) / (1 + len(own)) > 0.2 or scores[i] > 0.5)
    found = held_out_coverage(scores, codes, folds, 2, 0.2)
    assert found.tolist() == [np.mean(np.array(expected)[codes == c]) for c in (0, 1)]


def test_training_records_the_sets_of_tested_samples(rng):
    X, y = markers(rng, 20, [40, 30], 1.0)
    series = dataset(X.T, np.array(["a", "b"])[y])
    tested = np.arange(0, 70, 3)
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": series.samples[tested]})
    for method, known in (("csnb_cv", True), ("gaussian_nb", False)):
        found = training.train(series, folds, resolved({"method": method}), explain=False)[
            "predictions"
        ]
        assert found[["set_size", "covered"]].notna().all(axis=None) == known
        if known:
            rest = np.setdiff1d(np.arange(70), tested)
            model = ClassSpecificNBCV().fit(X[rest], y[rest])
            sets = model.predict_set(X[tested], 0.1)
            assert found["set_size"].tolist() == sets.sum(axis=1).tolist()
            assert found["covered"].tolist() == sets[np.arange(24), y[tested]].tolist()


def test_a_class_of_few_samples_is_in_every_set(rng):
    X, y = markers(rng, 20, [30, 6], 1.0)
    assert ClassSpecificNBCV(cv=3).fit(X, y).predict_set(X, 0.1)[:, 1].all()
