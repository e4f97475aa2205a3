"""Estimators refuse parameters, samples and labels that they cannot use, by their names."""

import inspect
from types import SimpleNamespace

import numpy as np
import pandas as pd
import paper_cases
import pytest
from declared_estimators import DECLARED, ESTIMATORS, make, samples, use
from refused_samples import CODES, HALF, NOISE
from scipy import sparse

from xnbflow import naive_bayes as nb
from xnbflow import preprocessing
from xnbflow.core.errors import InputError
from xnbflow.core.parameters import _declared_constraints, satisfies

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PARAMETERS = [(cls, name) for cls in ESTIMATORS for name in inspect.signature(cls).parameters]

each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)


@pytest.mark.parametrize("declared", DECLARED, ids=lambda cls: cls.__name__)
def test_every_parameter_is_declared_and_its_default_allowed(declared):
    constraints = _declared_constraints(declared)
    assert set(constraints) == set(inspect.signature(declared).parameters)
    for name, value in make(declared).get_params(deep=False).items():
        assert any(satisfies(value, constraint) for constraint in constraints[name]), name


@each_estimator
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, np.ma.masked])
def test_samples_without_a_label_are_named(estimator, missing):
    X, y = samples(estimator)
    if estimator.__name__ == "KernelNBRegressor":
        labels = [float(target) for target in y]
    else:
        labels = ["ab"[code] for code in y]
    labels[4] = missing
    labels[9] = missing
    if missing is np.ma.masked:
        labels = np.ma.array(y, mask=np.isin(range(36), [4, 9]))
    elif missing is not None:
        labels = np.array(labels, dtype=object)
    with pytest.raises(InputError, match="2 of 36 samples have no label in y: 4, 9"):
        make(estimator).fit(X, labels)


@each_estimator
@pytest.mark.parametrize("value", [np.nan, np.inf, "high", None])
def test_what_is_no_finite_number_is_named_in_fit_and_later(estimator, value):
    X, y = samples(estimator)
    if estimator.__name__ in MISSING and pd.isna(value):
        pytest.skip("missing values are its business")
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(36)]).add_prefix("g")
    model = make(estimator).fit(frame, y)
    frame = frame.astype(object)
    frame.loc["s3", "g2"] = value
    with pytest.raises(InputError, match=r"'g2'.*'s3'"):
        make(estimator).fit(frame, y)
    lenient = pd.isna(value) and estimator in (nb.ClassSpecificNB, nb.ClassSpecificNBCV)
    if not lenient and estimator.__name__ != "StepwiseNaiveEffects":  # it takes columns as they are
        with pytest.raises(InputError, match=r"'g2'.*'s3'"):
            use(model, frame)


MISSING = {"Decorrelator", "Imputer", "SampleRanks", "SampleStandardizer", "QuantileNormalizer"}


@each_estimator
def test_columns_that_share_a_name_are_named(estimator):
    X, y = samples(estimator)
    with pytest.raises(InputError, match="X has 2 columns named 'g1'"):
        make(estimator).fit(pd.DataFrame(X, columns=["g1", "g2", "g1"]), y)


#: Estimators that compute with the order of values, or with intervals of them.
WITHOUT_SQUARES = {"DiscretizedNB", "GeneralizedNB", "StepwiseNaiveEffects"}


@each_estimator
@pytest.mark.parametrize("unit", [1e160, 1e-170, 1e300, 1e-300])
def test_a_column_beyond_the_range_of_squares_is_named_or_does_no_harm(estimator, unit):
    if estimator.__name__ == "VonMisesFisherNB":
        pytest.skip("unit vectors have no unit")
    X, y = samples(estimator)
    frame = pd.DataFrame(X, columns=["g0", "g1", "g2"])
    scaled = frame.assign(g1=frame["g1"] * unit)
    if estimator.__name__ not in WITHOUT_SQUARES:
        with pytest.raises(InputError, match=r"column 'g1' (reaches|varies by) .* another unit"):
            make(estimator).fit(scaled, y)
    else:
        expected = use(make(estimator).fit(frame, y), frame)
        result = use(make(estimator).fit(scaled, y), scaled)
        if hasattr(estimator, "predict"):
            np.testing.assert_array_equal(result, expected)
        assert np.isfinite(result).all()


@each_estimator
def test_values_that_hardly_differ_are_no_tiny_values(estimator):
    """Constant columns, zeros among them, and far offsets are in range."""
    X, y = samples(estimator)
    if estimator.__name__ in ("CICA", "BlockNB", "VonMisesFisherNB"):
        X = X + (estimator.__name__ != "VonMisesFisherNB") * 1e9
    else:
        X[:, 2] = 0.0
    assert np.isfinite(use(make(estimator).fit(X, y), X).astype(float)).all()


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
@pytest.mark.parametrize(
    ("estimator", "X", "y", "named"),
    [
        (nb.GaussianNB(var_smoothing=0.0), HALF, CODES, "feature 2 is constant in class 0"),
        (nb.GaussianNB(priors=[1.1, -0.1]), NOISE, CODES, "[Pp]riors"),
        (nb.GaussianNB(priors=[0.5, 0.4]), NOISE, CODES, "priors"),
        (nb.GaussianNB(priors=[np.nan, 1.0]), NOISE, CODES, "[Pp]riors"),
        (nb.XNB(), NOISE[:0], [], r"Found array with 0 sample\(s\)"),
        (nb.ClassSpecificNBCV(sizes=[]), NOISE, CODES, "sizes"),
        (nb.ClassSpecificNBCV(cv="ten"), NOISE, CODES, "cv"),
        (nb.ClassSpecificNBCV(), np.eye(2), [0, 1], "2 folds"),
        *paper_cases.REFUSED,
        (preprocessing.SampleStandardizer(), [[np.nan, np.nan]], None, "sample 0"),
        (preprocessing.Imputer(), np.full((3, 2), np.nan), None, "missing"),
    ],
    ids=lambda value: str(value)[:60] if hasattr(value, "fit") else "",
)
def test_what_an_estimator_cannot_use_is_named(estimator, X, y, named):
    with pytest.raises(InputError, match=named):
        estimator.fit(X, y) if hasattr(estimator, "predict") else estimator.fit(X, y).transform(X)


@pytest.mark.parametrize(("estimator", "name"), PARAMETERS)
def test_a_value_of_no_type_that_a_parameter_has_is_refused_by_its_name(estimator, name):
    X, y = samples(estimator)
    with pytest.raises(InputError, match=f"^{name} is ") as error:
        make(estimator).set_params(**{name: object()}).fit(X, y)
    assert len(str(error.value)) <= 300


@each_estimator
def test_sparse_samples_are_refused_as_scikit_learn_refuses_them(estimator):
    X, y = samples(estimator)
    fitted = make(estimator).fit(X, y)
    message = r"Sparse data was passed.* Use '\.toarray\(\)' to convert to a dense numpy array"
    for form in (sparse.csr_array, sparse.csc_matrix):
        with pytest.raises(TypeError, match=message):
            make(estimator).fit(form(X), y)
        if hasattr(fitted, "predict"):  # selectors of scikit-learn select columns of any form
            with pytest.raises(TypeError, match=message):
                fitted.predict(form(X))


@pytest.mark.parametrize("first", ["g0", "g2"])
def test_features_of_annotated_samples_are_found_by_their_names(first):
    """Features of fit are found wherever they are; one that X lacks is named."""
    X, y = samples(nb.ShrunkenCentroids)
    frame = pd.DataFrame(X).add_prefix("g")
    model = nb.ShrunkenCentroids(threshold=0.0).fit(frame, y)

    def annotated(table):
        return SimpleNamespace(X=table.to_numpy(), obs=pd.DataFrame(), var_names=table.columns)

    others = [name for name in frame.columns if name != first]
    reordered = frame[[first, *others]].assign(further=1.0)
    np.testing.assert_array_equal(model.predict(annotated(reordered)), model.predict(frame))
    with pytest.raises(InputError, match=rf"^X lacks 1 feature that .* fitted on: '?{first}'?$"):
        model.predict(annotated(reordered.drop(columns=first)))
