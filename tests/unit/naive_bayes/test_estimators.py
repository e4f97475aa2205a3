"""What holds of every estimator: scikit-learn's contract, and what results must not depend on."""

from datetime import date

import numba
import numpy as np
import pandas as pd
import paper_cases
import pytest
from declared_estimators import ESTIMATORS
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from xnbflow import naive_bayes as nb
from xnbflow.core.errors import InputError
from xnbflow.evaluation.build import import_estimator
from xnbflow.evaluation.methods import shipped_methods
from xnbflow.preprocessing import (
    CountNormalizer,
    Decorrelator,
    Imputer,
    QuantileNormalizer,
    ReadFilter,
    SampleRanks,
    SampleStandardizer,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning"),
    pytest.mark.filterwarnings("ignore:no block separates:UserWarning"),
    pytest.mark.filterwarnings("ignore:angles of a feature differ by up to:UserWarning"),
    pytest.mark.filterwarnings("ignore:stepwise selection ends without a feature:UserWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]

#: What makes an estimator do in a small table what it is for, or makes it faster.
OPTIONS = {
    "BlockNB": {"blocks": 2, "selection": "weights"},
    "CICA": {"width": 0.5, "n_restarts": 1},
    "ClassSpecificNBCV": {"cv": 3},
    "CorrelationBlocks": {"size": 3},
    "KernelNBRegressor": {"n_grid": 40},
    "SelectiveNB": {"estimator": nb.GaussianNB(), "cv": 3},
    "VonMisesFisherNB": {"normalize": True},
}
ALL = [estimator(**OPTIONS.get(estimator.__name__, {})) for estimator in ESTIMATORS]
CLASSIFIERS = [
    model
    for model in ALL
    if isinstance(model, nb.BaseNaiveBayes) and get_tags(model).classifier_tags.multi_class
]
ENTRIES = {import_estimator(method.estimator): method for method in shipped_methods().values()}
#: Two classifiers, whose log posteriors are averaged.
DECORRELATED = nb.ClassSpecificNBCV(cv=3, decorrelation=0.2)
#: Options by which the arithmetic differs.
MORE = [
    nb.FlexibleNB(kernel="triangular"),
    nb.ClassSpecificNB(contamination=0.0),
    nb.ClassSpecificNB(temperature=2.5),
    nb.ClassSpecificNBCV(cv=3, rule="one_standard_error"),
    DECORRELATED,
    *paper_cases.VARIANTS,
]
NORMALISERS = [
    SampleRanks(),
    SampleStandardizer(),
    QuantileNormalizer(),
    CountNormalizer(),
    ReadFilter(min_count=0, min_total_count=0),  # samples of the checks have few reads
    Imputer(),
]


def expected_failures(estimator):
    if isinstance(estimator, Decorrelator):
        return {"check_estimators_nan_inf": "only `fit` refuses missing values"}
    entry = ENTRIES.get(type(estimator))
    return dict(entry.checks_not_met) if entry else {}


@parametrize_with_checks(
    [*ALL, *NORMALISERS, DECORRELATED], expected_failed_checks=expected_failures
)
# as in scikit-learn's selectors, where XNB finds no feature that separates the classes
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
def test_estimator_keeps_the_contract(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    rng = np.random.default_rng(7)
    y = np.repeat(["a", "b"], 15)
    return rng.normal(size=(30, 6)) + 2 * (y == "b")[:, None], y


@pytest.fixture(params=CLASSIFIERS, ids=lambda model: type(model).__name__)
def model(request):
    return clone(request.param)


def test_another_fit_forgets_the_earlier_one(model, data):
    """Names of features, and attributes of the first fit, are not those of the second one."""
    X, y = data
    fitted_twice = clone(model).fit(pd.DataFrame(X).add_prefix("g"), y).fit(X[:, :4], y)
    fitted_once = model.fit(X[:, :4], y)
    assert vars(fitted_twice).keys() == vars(fitted_once).keys()
    np.testing.assert_array_equal(
        fitted_twice.predict_log_proba(X[:, :4]), fitted_once.predict_log_proba(X[:, :4])
    )


def test_every_memory_layout_gives_the_same(model, data):
    X, y = data
    read_only = np.asfortranarray(X)
    read_only.flags.writeable = False
    frame = pd.DataFrame(X).add_prefix("g")
    expected = model.fit(X, y).predict_log_proba(X)
    for other in (
        read_only,
        np.repeat(X, 2, axis=1)[:, ::2],
        X.tolist(),
        frame,
        pd.DataFrame({name: frame[name] for name in frame}),
        frame.astype(object),
        pd.DataFrame(X),
    ):
        actual = clone(model).fit(other, y).predict_log_proba(other)
        np.testing.assert_array_equal(actual, expected)


def test_labels_of_every_kind_with_an_order_come_back(model, data):
    X, codes = data[0], np.arange(30) // 15
    expected = model.fit(X, codes).predict(X)
    days = ["2020-01-01", "2020-01-02"]
    for labels in (
        np.array([b"a", b"b"]),
        np.array([b"a", b"b"], dtype=object),
        np.array([date(2020, 1, 1), date(2020, 1, 2)]),
        np.array(days, dtype="datetime64[D]"),
        pd.Series(pd.to_datetime(days, utc=True)),
        pd.Series(pd.PeriodIndex(days, freq="D")),
        pd.array([2**53, 2**53 + 1], dtype="Int64"),
        pd.array([2**64 - 2, 2**64 - 1], dtype="UInt64"),
    ):
        actual = model.fit(X, labels[codes]).predict(X)
        assert actual.tolist() == labels[expected].tolist()


def test_the_order_of_features_samples_and_classes_changes_nothing(model, data):
    X, y = data
    expected = model.fit(X, y).predict_log_proba(X)
    rows = np.random.default_rng(0).permutation(30)
    if ENTRIES[type(model)].tunes_itself:
        rows = np.arange(30)  # their folds depend on the order of the samples
    columns = np.array([1, 0, 3, 2, 5, 4])  # within the blocks of BlockNB
    renamed = np.where(y == "a", "z", "b")
    other = clone(model).fit(X[np.ix_(rows, columns)], renamed[rows])
    actual = other.predict_log_proba(X[:, columns])[:, ::-1]
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("model", [nb.XNB(), nb.ClassSpecificNB(), nb.FlexibleNB()], ids=repr)
def test_the_number_of_threads_changes_nothing(rng, model):
    features, codes = rng.normal(size=(9000, 40)), np.arange(40) % 3
    features[:20, codes == 1] += 3
    actual = []
    threads = numba.get_num_threads()
    try:
        for number in {1, threads}:
            numba.set_num_threads(number)
            actual.append(clone(model).fit(features.T, codes).predict_log_proba(features.T))
    finally:
        numba.set_num_threads(threads)
    np.testing.assert_array_equal(actual[0], actual[-1])


def test_input_refused_leaves_the_earlier_fit(model, data):
    X, y = data
    expected = model.fit(X, y).predict_log_proba(X)
    for wrong_X, wrong_y, message in (
        (np.full((30, 2), np.nan), y, "NaN"),
        (X[:, :2], y[:9], r"inconsistent numbers of samples: \[30, 9\]"),
        (X, "a", "y should be a 1d array"),
    ):
        with pytest.raises(InputError, match=message):
            model.fit(wrong_X, wrong_y)
        np.testing.assert_array_equal(model.predict_log_proba(X), expected)


def unequal(model):
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], [9, 18, 15])
    X = rng.normal(size=(42, 4)) + 4 * np.unique(y, return_inverse=True)[1][:, None]
    return clone(model).fit(X, y), X


@pytest.fixture(params=[*CLASSIFIERS, *MORE], ids=repr)
def of_unequal_classes(request):
    return unequal(request.param)


def test_contributions_add_up_to_the_joint_log_likelihood(of_unequal_classes):
    model, X = of_unequal_classes
    explained = model.explain(pd.DataFrame(X[:4], index=list("wxyz")).to_numpy())
    relative = model.explanation_scale_ == "evidence"
    contribution = "evidence" if relative else "log_likelihood"
    assert list(explained.columns) == ["sample", "class", "feature", contribution]
    sums = explained.groupby(["sample", "class"])[contribution].sum().unstack()
    offset = model.class_log_prior_ + getattr(model, "calibration_intercept_", 0.0)
    np.testing.assert_allclose(
        sums.to_numpy() + offset, model.predict_joint_log_proba(X[:4]), rtol=1e-9, atol=1e-12
    )


#: Their densities do not vanish far away, or their log odds are linear.
FAR_IS_EVIDENCE = {"VonMisesNB", "VonMisesFisherNB", "DiscretizedNB", "ShrunkenCentroids"}


@pytest.mark.parametrize("value", [1e160, -1e300])
@pytest.mark.parametrize(
    "model",
    [model for model in (*CLASSIFIERS, *MORE) if type(model).__name__ not in FAR_IS_EVIDENCE],
    ids=repr,
)
def test_a_sample_beyond_all_range_is_decided_by_the_priors(model, value):
    model, _ = unequal(model)
    far = np.full((2, 4), value)
    # With the intercepts of a calibration: they are what predictions without evidence were like.
    intercept = getattr(model, "calibration_intercept_", np.zeros(3))
    prior = np.tile(np.exp(model.class_log_prior_ + intercept), (2, 1))
    prior /= prior.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(far), prior)
    np.testing.assert_allclose(model.predict_log_proba(far), np.log(prior))
    assert model.predict(far).tolist() == ["b", "b"]
    assert not np.isnan(model.predict_joint_log_proba(far)).any()
    assert not model.explain(far).isna().any(axis=None)
