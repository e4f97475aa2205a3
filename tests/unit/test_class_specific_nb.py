"""ClassSpecificNB: reference, floor and rankings know neither units nor names nor order."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.datasets import load_digits, load_wine
from sklearn.pipeline import make_pipeline

from xnbflow.data.errors import InputError
from xnbflow.naive_bayes import XNB, ClassSpecificNB, GaussianNB

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def markers(rng, n_features=60, sizes=(12, 9, 15), shift=4.0):
    """Features without information, and three for each class that stand out in it."""
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(len(codes), n_features))
    for c in range(len(sizes)):
        X[codes == c, 3 * c : 3 * c + 3] += shift
    return X, codes


def counts(rng, n_features=30, n_samples=60):
    """Counts with many zeros and ties, as of single cells."""
    codes = np.arange(n_samples) % 3
    rates = rng.choice([0.05, 0.3, 2.0], size=(3, n_features))
    return rng.poisson(rates[codes]).astype(float), codes


# --- independence of units, names and order -----------------------------------------------------


@pytest.mark.parametrize("make", [markers, counts])
@pytest.mark.parametrize("evidence", ["relative", "odds"])
@pytest.mark.parametrize("distance", ["combined", "separation", "hellinger", "wasserstein"])
def test_units_change_nothing(rng, make, evidence, distance):
    X, y = make(rng)
    model = ClassSpecificNB(evidence=evidence, distance=distance)
    expected = model.fit(X, y).selected_features_
    labels, log_proba, distances = model.predict(X), model.predict_log_proba(X), model.distances_
    for scale in (1e-100, 1e-6, 0.1, 1e6, 1e100, *(10.0 ** rng.uniform(-6, 6, (2, X.shape[1])))):
        other = X * scale
        assert model.fit(other, y).selected_features_ == expected
        np.testing.assert_array_equal(model.predict(other), labels)
        np.testing.assert_allclose(model.predict_log_proba(other), log_proba, rtol=1e-6, atol=1e-8)
        for found, before in zip(model.distances_, distances, strict=True):
            np.testing.assert_allclose(found, before, rtol=1e-6)


@pytest.mark.parametrize("make", [markers, counts])
def test_the_origin_of_a_scale_changes_nothing(rng, make):
    X, y = make(rng)
    model = ClassSpecificNB().fit(X, y)
    expected, log_proba = model.selected_features_, model.predict_log_proba(X)
    for shift in (-3.7, 1e3, rng.normal(scale=100, size=X.shape[1])):
        assert model.fit(X + shift, y).selected_features_ == expected
        found = model.predict_log_proba(X + shift)
        np.testing.assert_allclose(found, log_proba, rtol=1e-5, atol=1e-7)


def test_the_published_method_depends_on_units(rng):
    X, y = load_wine(return_X_y=True)
    labels = [XNB().fit(X * scale, y).predict(X * scale) for scale in (1.0, 1e3)]
    assert (labels[0] != labels[1]).mean() > 0.05


@pytest.mark.parametrize("make", [markers, counts])
@pytest.mark.parametrize("distance", ["combined", "hellinger"])
def test_names_change_nothing(rng, make, distance):
    X, y = make(rng)
    model = ClassSpecificNB(distance=distance).fit(X, y)
    names = rng.permutation([f"g{i}" for i in range(X.shape[1])])
    frame = pd.DataFrame(X, columns=names)
    named = ClassSpecificNB(distance=distance).fit(frame, y)
    for label, chosen in model.selected_features_.items():
        assert named.selected_features_[label] == names[chosen].tolist()
    np.testing.assert_array_equal(named.predict_log_proba(frame), model.predict_log_proba(X))


@pytest.mark.parametrize("make", [markers, counts])
@pytest.mark.parametrize("distance", ["combined", "hellinger"])
def test_the_order_of_features_and_samples_changes_nothing(rng, make, distance):
    X, y = make(rng)
    model = ClassSpecificNB(distance=distance, n_features=4).fit(X, y)
    expected = model.predict_log_proba(X)
    for _ in range(5):
        columns, rows = rng.permutation(X.shape[1]), rng.permutation(len(X))
        other = ClassSpecificNB(distance=distance, n_features=4)
        other.fit(X[np.ix_(rows, columns)], y[rows])
        for label, chosen in model.selected_features_.items():
            assert set(columns[other.selected_features_[label]]) == set(chosen)
        found = other.predict_log_proba(X[:, columns])
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_labels_may_be_named_in_any_order(rng):
    X, y = markers(rng)
    one = ClassSpecificNB().fit(X, y)
    other = ClassSpecificNB().fit(X, np.array([2, 0, 1])[y])
    for code, renamed in enumerate([2, 0, 1]):
        assert set(one.selected_features_[code]) == set(other.selected_features_[renamed])
    np.testing.assert_allclose(
        other.predict_log_proba(X)[:, [2, 0, 1]], one.predict_log_proba(X), rtol=1e-7, atol=1e-9
    )


# --- the evidence -------------------------------------------------------------------------------


def expected_joint(X, y, model, points, evidence, contamination):
    """The joint score in plain NumPy and SciPy: Gaussian kernels, Silverman's rule, the floor."""
    classes = np.unique(y)
    prior = np.array([(y == c).mean() for c in classes])
    joint = np.tile(np.log(prior), (len(points), 1))
    for code, label in enumerate(classes):
        for v in model.selected_features_[label]:
            density = []
            for c in classes:
                own = np.sort(X[y == c, v])
                at = (np.arange(len(own)) + 0.5) / len(own)
                lower, upper = np.interp([0.25, 0.75], at, own)
                spread = min(own.std(ddof=1), (upper - lower) / 1.349)
                floor = model.min_bandwidth * X[:, v].std(ddof=1)
                h = max(0.9 * spread, floor) * len(own) ** -0.2
                density.append(norm.pdf(points[:, [v]], own, h).mean(axis=1))
            density = np.array(density)
            reference = prior @ density
            others = np.delete(prior, code) @ np.delete(density, code, axis=0)
            others /= np.delete(prior, code).sum()
            mixed = (1 - contamination) * density[code] + contamination * reference
            against = (1 - contamination) * others + contamination * reference
            joint[:, code] += np.log(mixed / (reference if evidence == "relative" else against))
    return joint


@pytest.mark.parametrize("evidence", ["relative", "odds"])
@pytest.mark.parametrize("contamination", [0.0, 0.01, 0.3])
def test_scores_are_sums_of_evidence_against_the_reference(rng, evidence, contamination):
    X, y = markers(rng, shift=2.0)
    model = ClassSpecificNB(evidence=evidence, contamination=contamination).fit(X, y)
    points = X[:7] + 0.1
    expected = expected_joint(X, y, model, points, evidence, contamination)
    np.testing.assert_allclose(model.predict_joint_log_proba(points), expected, rtol=1e-9)


def test_contributions_add_up_and_0_says_nothing(rng):
    X, y = markers(rng)
    X[:, 59] = np.where(np.arange(36) % 2, 0.0, 1.0)
    samples = [f"s{i}" for i in range(36)]
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(60)], index=samples)
    model = ClassSpecificNB(temperature=2.5).fit(frame, y)
    explained = model.explain(frame.iloc[:4])
    sums = explained.groupby(["sample", "class"])["log_likelihood"].sum().unstack()
    np.testing.assert_allclose(
        sums.to_numpy() + model.class_log_prior_, model.predict_joint_log_proba(frame.iloc[:4])
    )
    # Where all classes are equally (im)possible, no feature speaks for any of them.
    far = pd.DataFrame(np.full((1, 60), 1e200), columns=frame.columns)
    np.testing.assert_array_equal(model.explain(far)["log_likelihood"], 0.0)


def test_no_single_value_outweighs_the_contamination(rng):
    X, y = markers(rng)
    model = ClassSpecificNB(contamination=0.02).fit(X, y)
    wild = X.copy()
    wild[:, :9] *= 1e5
    terms = model.explain(wild)["log_likelihood"]
    assert terms.min() >= np.log(0.02) - 1e-12
    assert terms.max() <= -model.class_log_prior_.min() + 1e-12


def test_the_temperature_divides_the_evidence(rng):
    X, y = markers(rng)
    one, four = (ClassSpecificNB(temperature=t).fit(X, y) for t in (1.0, 4.0))
    evidence = one.predict_joint_log_proba(X) - one.class_log_prior_
    joint = one.class_log_prior_ + evidence / 4
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(four.predict_log_proba(X), expected, rtol=1e-9)


# --- the selection ------------------------------------------------------------------------------


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


def test_a_pair_takes_as_many_features_as_asked(rng):
    X, y = markers(rng, sizes=(14, 11))
    for n in (1, 2, 60, 1000):
        model = ClassSpecificNB(n_features=n).fit(X, y)
        assert {len(each) for each in model.selected_features_.values()} == {min(n, 60)}
    assert model.selected_features_[0] == model.selected_features_[1]


def test_features_are_taken_until_the_threshold_is_reached(rng):
    X, y = markers(rng, sizes=(14, 11), shift=2.0)
    whole = ClassSpecificNB(n_features=60).fit(X, y).selected_distances_[0]
    for threshold in (0.9, 0.999, 0.999999):
        needed = int(np.argmax(1 - np.cumprod(1 - whole) >= threshold)) + 1
        model = ClassSpecificNB(threshold=threshold).fit(X, y)
        assert len(model.selected_features_[0]) == needed


def test_minimal_selection_reaches_the_threshold_with_the_fewest_features(rng):
    X, y = markers(rng, sizes=(12, 9, 15, 10), shift=2.5)
    greedy = ClassSpecificNB().fit(X, y)
    minimal = ClassSpecificNB(selection="minimal").fit(X, y)
    for code in range(4):
        assert len(minimal.selected_features_[code]) <= len(greedy.selected_features_[code])
        reached = 1 - np.prod(1 - minimal.distances_[code], axis=1)
        assert (reached >= 0.999 - 1e-9).all()
    assert set(minimal.optimality_gap_) == set(range(4))
    with pytest.raises(InputError, match="leave n_features None"):
        ClassSpecificNB(selection="minimal", n_features=3).fit(X, y)


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


def test_ties_at_distance_1_are_broken_by_the_separation():
    y = np.repeat([0, 1], 6)
    noise = np.tile([-1.0, -0.5, 0.0, 0.0, 0.5, 1.0], 2)
    X = np.column_stack([noise + gap * y for gap in (1000.0, 5000.0, 3000.0)])
    model = ClassSpecificNB(n_features=1, distance="hellinger", min_bandwidth=0.0).fit(X, y)
    assert model.distances_[0].item() == pytest.approx(1.0, abs=1e-15)
    assert model.selected_features_[0] == [1]
    assert model.tied_features_[0] == []


def test_a_stream_selects_and_predicts_what_a_matrix_does(rng):
    X, y = markers(rng, n_features=203)
    names = rng.permutation([f"g{i}" for i in range(203)])
    frame = pd.DataFrame(X, columns=names)
    for options in ({}, {"n_features": 5}, {"selection": "minimal"}):
        whole = ClassSpecificNB(**options).fit(frame, y)
        parts = [slice(i, i + 50) for i in range(0, 203, 50)]
        streamed = ClassSpecificNB(**options).fit_stream(((names[p], X.T[p]) for p in parts), y)
        assert streamed.selected_features_ == whole.selected_features_
        known = list(streamed.feature_names_in_)
        assert set(known) == set().union(*whole.selected_features_.values())
        np.testing.assert_allclose(
            streamed.predict_log_proba(frame[known]), whole.predict_log_proba(frame), rtol=1e-9
        )


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
    after = make_pipeline(ClassSpecificNB(n_features=2), GaussianNB()).fit(X, y)
    assert after.score(X, y) > 0.95


# --- data that others stumble over --------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:class .* has 1 sample")
def test_fifty_classes_one_of_a_single_sample(rng):
    y = np.concatenate([np.repeat(np.arange(49), 3), [49]])
    X = rng.normal(size=(len(y), 80))
    X[np.arange(len(y)), y] += 6.0
    model = ClassSpecificNB(n_features=1).fit(X, y)
    assert model.score(X, y) > 0.9
    proba = model.predict_proba(rng.normal(scale=3, size=(20, 80)))
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore:class .* has 1 sample")
def test_a_class_of_one_sample_has_no_spike(rng):
    X, y = markers(rng, sizes=(20, 20, 1))
    model = ClassSpecificNB().fit(X, y)
    near = X[y == 2] + 0.1
    terms = model.explain(near)
    assert terms[terms["class"] == 2]["log_likelihood"].min() > -1.0


def test_a_class_constant_in_a_feature_has_no_spike():
    # A gene that is silent in one class, and expressed in 1 % of the other: the true Hellinger
    # distance is sqrt(1 - sqrt(0.99)) = 0.07.
    y = np.repeat([0, 1], 100)
    X = np.zeros((200, 1))
    X[150] = 1.0
    distances = [
        model.fit(X, y).pair_distances_["distance"].max()
        for model in (XNB(), ClassSpecificNB(n_features=1))
    ]
    assert distances[0] > 0.6
    assert distances[1] < 0.2
    one_off = ClassSpecificNB(n_features=1).fit(X, y).explain([[0.1]])
    assert one_off["log_likelihood"].abs().max() < 5.0


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
    for evidence in ("relative", "odds"):
        model = ClassSpecificNB(priors=[0.5, 0.5, 0.0], evidence=evidence).fit(X, y)
        proba = model.predict_proba(X)
        np.testing.assert_array_equal(proba[:, 2], 0.0)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)


# --- numbers ------------------------------------------------------------------------------------


def test_counts_are_classified_where_the_published_method_fails():
    X, y = load_digits(return_X_y=True)
    train = np.arange(len(y)) % 5 > 0
    ours = ClassSpecificNB().fit(X[train], y[train]).score(X[~train], y[~train])
    theirs = XNB().fit(X[train], y[train]).score(X[~train], y[~train])
    assert ours > 0.85
    assert theirs < 0.6
