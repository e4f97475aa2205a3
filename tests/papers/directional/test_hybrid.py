"""HybridNB and its relatives of angles and intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import naive_bayes as sk
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.density.families import Gaussian
from xnbflow.evaluation.keyed_tables import LOG_POSTERIOR
from xnbflow.evaluation.training import train
from xnbflow.naive_bayes import DiscretizedNB, HybridNB, VonMisesFisherNB, VonMisesNB
from xnbflow.papers.directional.categorical import Categorical
from xnbflow.papers.directional.mdlp import cut_features, interval_numbers
from xnbflow.papers.directional.mutual_information import mutual_information
from xnbflow.papers.directional.von_mises import VonMises


@pytest.fixture(scope="module")
def mixed():
    """A named table: an angle in degrees, two linear columns, a category; three classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [40, 30, 20])
    code = np.repeat([0, 1, 2], [40, 30, 20])
    X = pd.DataFrame(
        {
            "speed": rng.gamma(2 + code),
            "wind": np.degrees(rng.vonmises(code * 2.0, 3)) % 360,
            "sky": rng.integers(0, 2 + code),
            "pressure": rng.normal(code, 2),
        }
    )
    return X, y


BLOCKS = [
    ("wind", VonMises(period=360), ["wind"]),
    ("linear", "gaussian", ["speed", "pressure"]),
    ("sky", "categorical", "sky"),
]


def test_joint_log_likelihood_is_the_sum_over_groups(mixed):
    X, y = mixed
    nb = HybridNB(BLOCKS).fit(X, y)
    expected = np.tile(np.log([40 / 90, 30 / 90, 20 / 90]), (90, 1))
    for code, label in enumerate("abc"):
        of_class = X[y == label]
        kappa, loc, _ = stats.vonmises.fit(np.radians(of_class["wind"]), fscale=1)
        density = stats.vonmises.logpdf(np.radians(X["wind"]), kappa, loc=loc)
        expected[:, code] += density - np.log(180 / np.pi)
        for name in ("speed", "pressure"):
            mean, sd = of_class[name].mean(), of_class[name].std(ddof=0)
            expected[:, code] += stats.norm.logpdf(X[name], mean, sd)
        count = np.bincount(of_class["sky"], minlength=4)
        expected[:, code] += np.log((count + 1) / (len(of_class) + 4))[X["sky"]]
    np.testing.assert_allclose(nb.predict_joint_log_proba(X), expected, atol=1e-6)


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_vectors_off_the_sphere_are_refused_in_prediction_too():
    nb = VonMisesFisherNB().fit(np.eye(3), [0, 0, 1])
    with pytest.raises(InputError, match="group 'direction': the vector of sample 1 has length 2"):
        nb.predict([[1.0, 0, 0], [2.0, 0, 0]])


def test_discretized_nb_is_categorical_nb_on_mdlps_intervals(mixed):
    X, y = mixed
    nb = DiscretizedNB(categorical=["sky"]).fit(X, y)
    continuous = ["speed", "wind", "pressure"]
    features, classes = X[continuous].to_numpy().T, np.unique(y, return_inverse=True)[1]
    codes = interval_numbers(features, cut_features(features, classes, 3)).T
    reference = sk.CategoricalNB().fit(np.column_stack([codes, X["sky"]]).astype(int), y)
    np.testing.assert_allclose(
        nb.predict_proba(X), reference.predict_proba(np.column_stack([codes, X["sky"]]).astype(int))
    )


def test_parameters_of_groups_are_got_and_set_by_their_names():
    nb = HybridNB([("wind", VonMises(period=360), ["wind"]), ("speed", "kernel", ["speed"])])
    params = nb.get_params()
    assert params["wind__period"] == 360
    assert params["speed"] == "kernel"
    assert "wind__period" not in nb.get_params(deep=False)
    nb.set_params(speed__bandwidth="scott", wind__period=360.5)
    assert [nb.groups[0][1].period, nb.groups[1][1].bandwidth] == [360.5, "scott"]
    nb.set_params(speed="gaussian")
    assert nb.groups[1] == ("speed", "gaussian", ["speed"])


def test_columns_are_given_by_their_kind(rng):
    labels = np.array(["a", "a", "a", "b", "b", "b"])
    values = [rng.uniform(-np.pi, np.pi, 6), *(rng.normal(size=(4, 6)) + 3 * (labels == "b"))]
    series = dataset(values, labels, kinds=["angular", *["linear"] * 4])
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": ["s0", "s3"]})
    path = "xnbflow.papers.directional.von_mises_nb.VonMisesNB"
    predictions = []
    for columns in ("@angular", [0], [1]):
        entry = {"method": path, "params": {"angular": columns}}
        predictions.append(train(series, folds, entry)["predictions"])
    by_kind, by_position, by_other_position = predictions
    pd.testing.assert_frame_equal(by_kind, by_position)
    assert not np.allclose(by_kind[LOG_POSTERIOR + "a"], by_other_position[LOG_POSTERIOR + "a"])


def test_the_smoothing_of_discretized_nb_is_that_of_categories_and_intervals(mixed):
    X, y = mixed
    nb = DiscretizedNB(categorical=["sky"], alpha=0.25).fit(X, y)
    features = X[["speed", "wind", "pressure"]].to_numpy().T
    cuts = cut_features(features, np.unique(y, return_inverse=True)[1], 3)
    table = np.column_stack([interval_numbers(features, cuts).T, X["sky"]]).astype(int)
    reference = sk.CategoricalNB(alpha=0.25).fit(table, y)
    np.testing.assert_allclose(nb.predict_proba(X), reference.predict_proba(table))


def test_information_of_intervals_is_that_of_their_numbers(mixed):
    """Shannon's, of the smoothed probabilities: the ranking of SelectiveNB(DiscretizedNB())."""
    X, y = mixed
    nb = DiscretizedNB().fit(X[["speed", "pressure"]], y)
    codes = np.unique(y, return_inverse=True)[1]
    information = mutual_information(nb, X[["speed", "pressure"]].to_numpy().T, codes)
    prior = np.bincount(codes) / len(codes)
    family = nb.groups_[0].distribution
    for row, values in enumerate(X[["speed", "pressure"]].to_numpy().T):
        numbers = np.searchsorted(family.cut_points_[row], values)
        counts = np.array([np.bincount(numbers[codes == k], minlength=4) for k in range(3)])
        counts = counts[:, : numbers.max() + 1] + 1
        probability = counts / counts.sum(axis=1, keepdims=True)
        mixture = prior @ probability
        expected = np.sum(prior[:, None] * probability * np.log(probability / mixture))
        assert information[row] == pytest.approx(expected)


def test_parameters_of_the_papers_classifiers_reach_their_families(mixed):
    X, y = mixed
    parameters = {"period": 360, "alpha": 0.3, "var_smoothing": 0.5}
    vmnb = VonMisesNB(angular=["wind"], categorical=["sky"], **parameters).fit(X, y)
    groups = [
        ("wind", VonMises(period=360), ["wind"]),
        ("sky", Categorical(alpha=0.3), ["sky"]),
        ("linear", Gaussian(var_smoothing=0.5), ["speed", "pressure"]),
    ]
    expected = HybridNB(groups).fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_allclose(vmnb.predict_joint_log_proba(X), expected)
    vectors = np.random.default_rng(0).normal(size=(20, 3))
    scaled = VonMisesFisherNB(normalize=True).fit(5 * vectors, np.repeat([0, 1], 10))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    reference = VonMisesFisherNB().fit(unit, np.repeat([0, 1], 10))
    np.testing.assert_allclose(scaled.predict_proba(vectors), reference.predict_proba(unit))
