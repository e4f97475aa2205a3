"""What every estimator refuses in samples and labels, and what it must not depend on."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from unit.test_parameters import ESTIMATORS, make, samples

from xnbflow.data.errors import InputError
from xnbflow.naive_bayes import KernelNBRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: each.__name__)


@each_estimator
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_samples_without_a_label_are_named(estimator, missing, kind):
    X, y = samples(estimator)
    labels = [float(each) for each in y] if estimator is KernelNBRegressor else ["ab"[c] for c in y]
    labels[4] = labels[9] = missing
    labels = kind(labels) if kind is not np.array else np.array(labels, dtype=object)
    with pytest.raises(InputError, match="2 of 36 samples have no label in y: 4, 9"):
        make(estimator).fit(X, labels)


def test_a_sample_without_a_label_is_named_by_its_index():
    X, y = samples(ESTIMATORS[0])
    labels = pd.Series(y, index=[f"GSM{i}" for i in range(36)]).astype("Int64")
    labels.iloc[3] = pd.NA
    with pytest.raises(InputError, match="1 of 36 samples has no label in y: 'GSM3'"):
        make(ESTIMATORS[0]).fit(X, labels)


def test_labels_of_several_types_are_refused():
    X, _ = samples(ESTIMATORS[0])
    with pytest.raises(InputError, match=r"[Ll]abel|types"):
        make(ESTIMATORS[0]).fit(X, np.array(["a", 1] * 18, dtype=object))


@each_estimator
def test_columns_that_share_a_name_are_named(estimator):
    X, y = samples(estimator)
    with pytest.raises(InputError, match="X has 2 columns named 'g1'"):
        make(estimator).fit(pd.DataFrame(X, columns=["g1", "g2", "g1"]), y)


@each_estimator
@pytest.mark.parametrize("unit", [1e160, 1e-170, 1e300, 1e-300])
def test_a_column_beyond_the_range_of_squares_is_named_or_does_no_harm(estimator, unit):
    if estimator.__name__ == "VonMisesFisherNB":
        pytest.skip("unit vectors have no unit")
    X, y = samples(estimator)
    frame = pd.DataFrame(X, columns=["g0", "g1", "g2"])
    scaled = frame.assign(g1=frame["g1"] * unit)
    predict = "predict" if hasattr(estimator, "predict") else "transform"
    if estimator._squares_features:
        with pytest.raises(InputError, match=r"column 'g1' (reaches|varies by) .* another unit"):
            make(estimator).fit(scaled, y)
    else:
        expected = getattr(make(estimator).fit(frame, y), predict)(frame)
        found = getattr(make(estimator).fit(scaled, y), predict)(scaled)
        if predict == "predict" or estimator.__name__ == "MDLPDiscretizer":
            np.testing.assert_array_equal(found, expected)
        assert np.isfinite(found).all()


@pytest.mark.parametrize("power", [-440, -60, 60, 440])
@pytest.mark.parametrize(
    "name", ["GaussianNB", "BlockNB", "GeneralizedNB", "DiscretizedNB", "KernelNBRegressor", "CICA"]
)
def test_within_that_range_a_power_of_two_changes_nothing(name, power):
    np.testing.assert_allclose(in_unit(name, power), in_unit(name, 0), rtol=1e-6)


@cache
def in_unit(name, power):
    """What an estimator says of samples in a unit that is a power of two."""
    estimator = next(each for each in ESTIMATORS if each.__name__ == name)
    X, y = samples(estimator)
    scaled = np.ldexp(X, power)
    model = make(estimator)
    if hasattr(model, "random_state"):
        model.random_state = 0
    model.fit(scaled, y)
    return model.predict(scaled) if hasattr(model, "predict") else model.transform(scaled)


@pytest.mark.parametrize("unit", [1e160, 1e-170])
def test_a_target_beyond_the_range_of_squares_is_refused(unit):
    X, y = samples(KernelNBRegressor)
    with pytest.raises(InputError, match=r"column 'y' (reaches|varies by)"):
        KernelNBRegressor().fit(X, y * unit)


def test_a_stream_beyond_the_range_of_squares_is_refused():
    model = next(each for each in ESTIMATORS if each.__name__ == "XNB")()
    features = np.random.default_rng(0).normal(size=(2, 10)) * [[1.0], [1e-170]]
    with pytest.raises(InputError, match="column 'b' varies by"):
        model.fit_stream([(["a", "b"], features)], np.arange(10) % 2)


@each_estimator
def test_values_that_hardly_differ_are_no_tiny_values(estimator):
    """Constant columns, zeros among them, and far offsets are in range."""
    X, y = samples(estimator)
    if estimator.__name__ in ("CICA", "BlockNB", "VonMisesFisherNB"):
        X = X + (estimator.__name__ != "VonMisesFisherNB") * 1e9
    else:
        X[:, 2] = 0.0
    make(estimator).fit(X, y)
