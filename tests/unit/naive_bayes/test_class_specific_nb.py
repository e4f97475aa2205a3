"""ClassSpecificNB: evidence against one reference, its own features, the selector."""

import numpy as np
import pandas as pd
import published_xnb
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from toys import markers

from xnbflow.core.errors import InputError
from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


def counts(rng, n_features=30, n_samples=60):
    """Counts with many zeros and ties."""
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
        for actual, before in zip(getattr(model, "distances_", ()), distances, strict=True):
            # A distance is a root: near 0 it is known to the root of rounding only.
            np.testing.assert_allclose(actual**2, before**2, rtol=1e-6, atol=1e-14)


def expected_joint(X, y, model, points, contamination):
    """The joint score in plain NumPy and SciPy: Gaussian kernels, Silverman's rule, the floor."""
    classes = np.unique(y)
    prior = np.array([(y == c).mean() for c in classes])
    joint = np.tile(np.log(prior), (len(points), 1))
    for code, label in enumerate(classes):
        for v in model.selected_features_[label]:
            density = []
            for c in classes:
                class_values = X[y == c, v]
                floor = model.min_bandwidth * X[:, v].std(ddof=1) * len(class_values) ** -0.2
                h = max(published_xnb.bandwidth(class_values), floor)
                density.append(norm.pdf(points[:, [v]], class_values, h).mean(axis=1))
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
    one = ClassSpecificNB(temperature=1.0).fit(X, y)
    four = ClassSpecificNB(temperature=4.0).fit(X, y)
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
    assert model.explain([[0.1]])["evidence"].abs().max() < 5.0


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
    frame = pd.DataFrame(np.ones((30, 4))).add_prefix("g")
    with pytest.warns(UserWarning, match="class 0 has no feature"):
        named = ClassSpecificNB().fit(frame, np.arange(30) % 3 // 2)
    np.testing.assert_allclose(named.predict_proba(frame[:1]), [[2 / 3, 1 / 3]])
    assert named.explain(frame[:2]).empty


def test_a_prior_of_0_rules_a_class_out(rng):
    X, y = markers(rng)
    proba = ClassSpecificNB(priors=[0.5, 0.5, 0.0]).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(proba[:, 2], 0.0)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore:.* samples lack features:UserWarning")
def test_the_evidence_of_a_missing_value_is_left_out(rng):
    values, codes = counts(rng)
    X = pd.DataFrame(values + rng.normal(0, 0.1, values.shape)).add_prefix("g")
    model = ClassSpecificNB(n_features=3).fit(X, codes)
    absent = model.selected_features_[0][0]
    holes = X.iloc[:5].assign(**{absent: np.nan})
    terms = model.explain(X.iloc[:5])
    left = terms[terms["feature"] != absent]
    expected = left.groupby(["sample", "class"])["evidence"].sum().unstack()
    joint = model.predict_joint_log_proba(holes)
    np.testing.assert_allclose(joint, expected + model.class_log_prior_, atol=1e-9)
    of_absent = model.explain(holes).query("feature == @absent")
    assert (of_absent["evidence"] == 0.0).all()


def test_a_number_of_features_beside_a_threshold_is_refused(rng):
    X, y = rng.normal(size=(20, 4)), np.arange(20) % 2
    with pytest.raises(InputError, match=r"n_features=2 and threshold=0\.9"):
        ClassSpecificNB(n_features=2, threshold=0.9).fit(X, y)
