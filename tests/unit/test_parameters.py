"""Every parameter of every estimator is declared, and no value of it ends in a foreign error."""

import datetime
import inspect
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import xnbflow.density.families
import xnbflow.naive_bayes
import xnbflow.preprocessing
from xnbflow.data.errors import InputError
from xnbflow.data.parameters import Declared, allowed
from xnbflow.naive_bayes import GaussianNB, KernelNBRegressor
from xnbflow.preprocessing import CICA
from xnbflow.preprocessing.estimator import Estimator

ABSTRACT = {"BaseNaiveBayes", "Distribution"}
MODULES = (xnbflow.naive_bayes, xnbflow.preprocessing, xnbflow.density.families)
DECLARED = [
    each
    for module in MODULES
    for name in module.__all__
    if name not in ABSTRACT
    and inspect.isclass(each := getattr(module, name))
    and issubclass(each, Declared)
]
ESTIMATORS = [each for each in DECLARED if issubclass(each, Estimator)]


class Unprintable:
    def __repr__(self):
        raise RuntimeError


VALUES = [
    *(None, True, False, "", "no such choice", "nan", "x" * 10_000, b"gaussian", "0", "\0"),
    *(0, 1, 2, 7, -1, -(2**63), 2**63, 10**400, np.int8(3), np.uint64(2**63)),
    *(0.0, 0.5, -0.5, 1.0, 1.5, 2.0, math.nan, math.inf, -math.inf, 1e-320, 1e308, -1e308),
    *(np.float32(0.5), np.float64("nan"), np.longdouble(0.5), np.bool_(True), 1j, 0.5 + 0j),
    *(Fraction(1, 2), Decimal("0.5"), Decimal("nan"), pd.NA, pd.NaT, datetime.date(2020, 1, 1)),
    *([], [0], [0, 1], [[0]], [[0], [1, 2, 3]], [None], ["a"], [0.5], [True], [2**63], [-9]),
    *([0] * 10_000, (), (0, 1), ((0, 1), (2, 3)), [([], [])], [("a", "b", "c")], [[[0]]]),
    *([("a", "gaussian", None)], [("a", "gaussian", [0.5])], [(0, "gaussian", 0), "abc"]),
    *([(object(), "kernel", [0])], [("a", ["gaussian"], [0])], [("a", "gaussian", {0: 1})]),
    *({}, {"a": 1}, {0}, frozenset([1]), range(2), slice(None), slice("a", None), slice(0, 9, 0)),
    *(slice(0.5, None), object, object(), type, len, lambda y: y, lambda: None, Unprintable()),
    *(np.array(0.5), np.array([0, 1]), np.array([[0, 1]]), np.array([0.5]), np.array([]), Ellipsis),
    *(pd.Series([0, 1]), pd.Series(["a"]), pd.DataFrame({"a": [1]}), np.random.default_rng(0)),
    *(
        np.datetime64("2020"),
        GaussianNB,
        GaussianNB(),
        KernelNBRegressor(),
        iter([0]),
        (i for i in [0]),
    ),
]


NEEDED = {
    "SelectiveNB": {"estimator": GaussianNB()},
    "GaussianBlocks": {"columns": [[0]]},
    "ClassSpecificNBCV": {"cv": 2},
    "ExpressionFilter": {"level": 0.0},
}


def make(estimator):
    return estimator(**NEEDED.get(estimator.__name__, {}))


def samples(estimator):
    rng = np.random.default_rng(0)
    codes = np.arange(36) % 2
    X = rng.normal(size=(36, 3)) + 2.0 * codes[:, np.newaxis]
    if estimator.__name__ == "VonMisesFisherNB":
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, X[:, 0].copy() if estimator is KernelNBRegressor else codes


PARAMETERS = [
    (each, name)
    for each in DECLARED
    if hasattr(each, "transform") or each in ESTIMATORS
    for name in inspect.signature(each).parameters
]


@pytest.mark.parametrize("declared", DECLARED, ids=lambda each: each.__name__)
def test_every_parameter_is_declared_and_its_default_allowed(declared):
    names = set(inspect.signature(declared).parameters)
    assert set(declared._parameter_constraints) == names
    make(declared)._validate_params()


def outcome(model, X, y):
    """Return what refused the parameters, or what refused the fit; other errors are raised."""
    try:
        model._validate_params()
    except InputError as error:
        return str(error), None
    try:
        model.fit(X, y)
        getattr(model, "predict", getattr(model, "transform", None))(X)
    except InputError as error:
        return None, str(error)
    return None, None


@pytest.mark.slow
@pytest.mark.parametrize(("estimator", "name"), PARAMETERS)
@pytest.mark.filterwarnings("ignore")
def test_any_value_of_a_parameter_fits_or_is_refused_by_its_name(estimator, name):
    X, y = samples(estimator)
    for value in VALUES:
        model = make(estimator).set_params(**{name: value})
        undeclared, unusable = outcome(model, X, y)
        assert undeclared is None or undeclared.startswith(f"{name} is ")
        assert len(undeclared or unusable or "") <= 300


@pytest.mark.parametrize(
    ("value", "shown"),
    [("x" * 10_000, "'xx"), (10**400, "1000"), (Unprintable(), "<Unprintable instance")],
)
def test_a_value_is_shown_in_short(value, shown):
    refused, _ = outcome(GaussianNB(var_smoothing=value), np.eye(4), [0, 0, 1, 1])
    assert refused.startswith(f"var_smoothing is {shown}")
    assert refused.endswith("; use a float in the range [0.0, inf) (GaussianNB)")


def test_a_parameter_is_checked_before_the_samples():
    with pytest.raises(InputError, match="var_smoothing is 'a'"):
        GaussianNB(var_smoothing="a").fit("no samples", None)


def test_a_declaration_can_be_read_in_words():
    assert allowed(CICA._parameter_constraints["basis"]) == (
        "an int in the range [4, 1000] or a callable"
    )
