"""Every estimator keeps scikit-learn's contract; what all classifiers have in common."""

import numba
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from xnbflow.data.errors import InputError
from xnbflow.density.families import Kernel
from xnbflow.naive_bayes import (
    XNB,
    BlockNB,
    ClassSpecificNB,
    ClassSpecificNBCV,
    DiscretizedNB,
    FlexibleNB,
    GaussianNB,
    GeneralizedNB,
    HybridNB,
    KernelNBRegressor,
    SelectiveNB,
    VonMisesFisherNB,
    VonMisesNB,
)
from xnbflow.preprocessing import (
    CICA,
    CorrelationBlocks,
    Imputer,
    MDLPDiscretizer,
    QuantileNormalizer,
    SampleRanks,
    SampleStandardizer,
    StepwiseNaiveEffects,
)

MODELS = [GaussianNB(), FlexibleNB(), XNB(), ClassSpecificNB(), ClassSpecificNBCV(cv=3)]

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:stepwise selection ends without a feature:UserWarning")
@parametrize_with_checks(
    [
        *MODELS,
        BlockNB(blocks=CorrelationBlocks(), selection="threshold", cut="optimal"),
        BlockNB(blocks=2, covariance="per_class", selection="weights"),
        DiscretizedNB(),
        GeneralizedNB(),
        HybridNB(),
        KernelNBRegressor(),
        SelectiveNB(HybridNB(), cv=3),
        VonMisesFisherNB(normalize=True),
        VonMisesNB(),
        CICA(width=0.5, n_restarts=1),
        CorrelationBlocks(size=3),
        Imputer(),
        MDLPDiscretizer(),
        QuantileNormalizer(),
        SampleRanks(),
        SampleStandardizer(),
        StepwiseNaiveEffects(),
    ]
)
def test_estimator_keeps_the_contract(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    rng = np.random.default_rng(7)
    y = np.repeat(["a", "b"], 15)
    X = rng.normal(size=(30, 6)) + 3 * (y == "b")[:, None]
    return X, y


@pytest.fixture(params=MODELS, ids=lambda model: type(model).__name__)
def model(request):
    return clone(request.param)


def test_every_memory_layout_gives_the_same(model, data):
    X, y = data
    names = [f"g{i}" for i in range(6)]
    read_only = np.asfortranarray(X)
    read_only.flags.writeable = False
    expected = model.fit(X, y).predict_log_proba(X)
    for other in (
        np.asfortranarray(X),
        read_only,
        np.repeat(X, 2, axis=1)[:, ::2],
        X.tolist(),
        pd.DataFrame(X, columns=names),
        pd.DataFrame({name: X[:, i] for i, name in enumerate(names)}),
        pd.DataFrame(X),
    ):
        found = clone(model).fit(other, y).predict_log_proba(other)
        np.testing.assert_array_equal(found, expected)


def test_the_number_of_threads_changes_nothing(model):
    rng = np.random.default_rng(0)
    features, codes = rng.normal(size=(9000, 40)), np.arange(40) % 3
    features[:20, codes == 1] += 3
    found = []
    threads = numba.get_num_threads()
    try:
        for number in {1, threads}:
            numba.set_num_threads(number)
            found.append(clone(model).fit(features.T, codes).predict_log_proba(features.T))
    finally:
        numba.set_num_threads(threads)
    np.testing.assert_array_equal(found[0], found[-1])


def test_a_feature_major_frame_is_not_copied(model, data):
    X, y = data
    features = np.ascontiguousarray(X.T)
    frame = pd.DataFrame(features.T, columns=[f"g{i}" for i in range(6)], copy=False)
    seen = []
    model._fit = lambda features, *_: seen.append(features)
    model.fit(frame, y)
    assert np.shares_memory(seen[0], features)


def test_names_are_kept_and_must_agree(model, data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(6)])
    model.fit(frame, y)
    assert list(model.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("high", "column 'g2' holds 'high' in row 's3'"),
        (np.nan, "column 'g2' holds nan in row 's3'"),
        (np.inf, "column 'g2' holds inf in row 's3'"),
        (None, "column 'g2' holds None in row 's3'"),
    ],
)
def test_what_is_no_number_is_named(model, data, value, message):
    X, y = data
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(30)]).add_prefix("g")
    model.fit(frame, y)
    if isinstance(value, str) or value is None:
        frame = frame.astype(object)
    frame.loc["s3", "g2"] = value
    with pytest.raises(InputError, match=message):
        clone(model).fit(frame, y)
    with pytest.raises(InputError, match=message):
        model.predict(frame)


def test_numbers_kept_as_objects_are_taken(model, data):
    X, y = data
    frame = pd.DataFrame(X).add_prefix("g")
    expected = clone(model).fit(frame, y).predict(frame)
    np.testing.assert_array_equal(
        model.fit(frame.astype(object), y).predict(frame.astype(object)), expected
    )


def test_input_refused_leaves_the_earlier_fit(model, data):
    X, y = data
    expected = model.fit(X, y).predict_log_proba(X)
    for wrong_X, wrong_y in ((np.full((30, 2), np.nan), y), (X[:, :2], y[:9]), (X, "a")):
        with pytest.raises(ValueError, match=r"NaN|inconsistent numbers|expected a sequence|shape"):
            model.fit(wrong_X, wrong_y)
        np.testing.assert_array_equal(model.predict_log_proba(X), expected)


ALL = [
    GaussianNB(),
    FlexibleNB(),
    FlexibleNB(bandwidth="adaptive"),
    FlexibleNB(kernel="triangular"),
    XNB(),
    HybridNB([("all", "gaussian", slice(None))]),
    HybridNB([("all", "multivariate_gaussian", slice(None))]),
    HybridNB([("all", Kernel(bandwidth="adaptive"), slice(None))]),
    SelectiveNB(GaussianNB(), cv=3),
    BlockNB(blocks=2),
    BlockNB(blocks=2, selection="threshold"),
    BlockNB(blocks=[[3, 0], [1, 2]], selection="weights"),
    ClassSpecificNB(),
    ClassSpecificNB(evidence="odds", contamination=0.0),
    ClassSpecificNB(evidence="absolute", contamination=0.0, bandwidth="adaptive"),
    ClassSpecificNBCV(cv=3),
]


@pytest.fixture(params=ALL, ids=repr)
def of_unequal_classes(request):
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], [9, 18, 15])
    X = rng.normal(size=(42, 4)) + 4 * np.unique(y, return_inverse=True)[1][:, None]
    return clone(request.param).fit(X, y)


@pytest.mark.parametrize("value", [1e8, -1e12, 1e20, 1e100])
def test_posteriors_of_very_unlikely_samples_sum_to_1(of_unequal_classes, value):
    far = value * np.array([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 0.5, 0.0]])
    proba = of_unequal_classes.predict_proba(far)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        of_unequal_classes.predict(far), of_unequal_classes.classes_[proba.argmax(axis=1)]
    )


def test_classes_equally_far_off_are_equally_probable():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    model = FlexibleNB().fit(X, [0, 0, 1, 1, 2, 2])
    far = [[0.5, 1e4]]  # the second column is constant: its bandwidth is next to nothing
    assert model.predict_joint_log_proba(far).max() < -1e20
    np.testing.assert_allclose(model.predict_proba(far), [[1 / 3, 1 / 3, 1 / 3]])


@pytest.mark.parametrize("value", [1e160, -1e300])
def test_a_sample_beyond_all_range_is_decided_by_the_priors(of_unequal_classes, value):
    far = np.full((2, 4), value)
    # With the intercepts of a calibration: they are what predictions without evidence were like.
    intercept = getattr(of_unequal_classes, "calibration_intercept_", np.zeros(3))
    prior = np.array([[9 / 42, 18 / 42, 15 / 42]] * 2) * np.exp(intercept)
    prior /= prior.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(of_unequal_classes.predict_proba(far), prior)
    np.testing.assert_allclose(of_unequal_classes.predict_log_proba(far), np.log(prior))
    assert of_unequal_classes.predict(far).tolist() == ["b", "b"]
    assert not np.isnan(of_unequal_classes.predict_joint_log_proba(far)).any()
    assert not of_unequal_classes.explain(far)["log_likelihood"].isna().any()


def test_contributions_add_up_to_the_joint_log_likelihood(of_unequal_classes):
    X = np.random.default_rng(4).normal(3, 4, (5, 4))
    explained = of_unequal_classes.explain(X)
    assert list(explained.columns) == ["sample", "class", "feature", "log_likelihood"]
    sums = explained.groupby(["sample", "class"])["log_likelihood"].sum().unstack()
    intercept = getattr(of_unequal_classes, "calibration_intercept_", 0.0)
    expected = of_unequal_classes.predict_joint_log_proba(X)
    found = sums.to_numpy() + of_unequal_classes.class_log_prior_ + intercept
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_what_is_learned_holds_no_table(of_unequal_classes):
    tables = pd.DataFrame | pd.Series
    assert not any(isinstance(value, tables) for value in vars(of_unequal_classes).values())


def test_one_class_is_always_predicted(model, data):
    X, _ = data
    assert set(model.fit(X, ["only"] * 30).predict(X)) == {"only"}
