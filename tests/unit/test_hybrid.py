"""Claims about HybridNB, VonMisesNB, VonMisesFisherNB and DiscretizedNB."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import naive_bayes as sk
from sklearn.compose import make_column_selector
from sklearn.datasets import load_iris

from xnbflow.data.errors import InputError
from xnbflow.density.families import Categorical, Gaussian, Kernel, MultivariateGaussian, VonMises
from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.methods import resolved
from xnbflow.naive_bayes import DiscretizedNB, FlexibleNB, HybridNB, VonMisesFisherNB, VonMisesNB
from xnbflow.preprocessing import MDLPDiscretizer


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
        own = X[y == label]
        kappa, loc, _ = stats.vonmises.fit(np.radians(own["wind"]), fscale=1)
        density = stats.vonmises.logpdf(np.radians(X["wind"]), kappa, loc=loc)
        expected[:, code] += density - np.log(180 / np.pi)
        for name in ("speed", "pressure"):
            expected[:, code] += stats.norm.logpdf(X[name], own[name].mean(), own[name].std(ddof=0))
        count = np.bincount(own["sky"], minlength=4)
        expected[:, code] += np.log((count + 1) / (len(own) + 4))[X["sky"]]
    np.testing.assert_allclose(nb.predict_joint_log_proba(X), expected, atol=1e-6)


def test_gaussian_groups_are_scikit_learns_gaussian_nb():
    X, y = load_iris(return_X_y=True)
    nb, reference = HybridNB().fit(X, y), sk.GaussianNB().fit(X, y)
    np.testing.assert_allclose(
        nb.predict_joint_log_proba(X), reference.predict_joint_log_proba(X), rtol=1e-9
    )
    np.testing.assert_allclose(nb.predict_proba(X), reference.predict_proba(X), rtol=1e-9)


def test_categorical_groups_are_scikit_learns_categorical_nb():
    X = np.random.default_rng(1).integers(0, 4, (60, 3))
    y = X[:, 0] % 2 + (X[:, 1] > 2)
    nb = HybridNB([("all", Categorical(alpha=0.3), slice(None))]).fit(X, y)
    reference = sk.CategoricalNB(alpha=0.3).fit(X, y)
    np.testing.assert_allclose(nb.predict_log_proba(X), reference.predict_log_proba(X), rtol=1e-9)


def test_kernel_groups_are_flexible_nb():
    X, y = load_iris(return_X_y=True)
    nb = HybridNB([("all", "kernel", slice(None))]).fit(X, y)
    reference = FlexibleNB().fit(X, y)
    np.testing.assert_allclose(nb.predict_joint_log_proba(X), reference.predict_joint_log_proba(X))


def test_explanations_add_up_and_name_columns_and_multivariate_groups(mixed):
    X, y = mixed
    groups = [
        ("flow", "multivariate_gaussian", ["speed", "pressure"]),
        ("wind", VonMises(period=360), ["wind"]),
    ]
    nb = HybridNB(groups).fit(X, y)
    explained = nb.explain(X.iloc[:5])
    assert set(explained["feature"]) == {"flow", "wind"}
    total = explained.groupby(["sample", "class"])["log_likelihood"].sum().unstack()
    np.testing.assert_allclose(
        total + nb.class_log_prior_, nb.predict_joint_log_proba(X.iloc[:5]), rtol=1e-12
    )


def test_the_instances_given_stay_unfitted_and_empty_groups_are_left_out(mixed):
    X, y = mixed
    family = VonMises(period=360)
    nb = HybridNB([("none", "gaussian", []), ("wind", family, [1])]).fit(X, y)
    assert not hasattr(family, "mean_direction_")
    assert [group.name for group in nb.groups_] == ["wind"]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([("wind", "gauss", [0])], "unknown distribution 'gauss'; use one of categorical"),
        ([("wind", 3, [0])], "3 is not a family"),
        ([("wind", "gaussian")], r"not \(name, distribution, columns\)"),
        ([("one", "gaussian", [0]), ("two", "kernel", [0, 1])], "speed is in groups 'one' and"),
        ([("wind", "gaussian", ["gust"])], "column 'gust', but there are 4 columns: "),
        ([("wind", "gaussian", [7])], "column 7, but there are 4 columns: "),
        ([("wind", "gaussian", [True, False])], "mask of 2 columns, but there are 4 columns: "),
        ([("all", Kernel(bandwidth="silvermann"), [0])], "'all': bandwidth is 'silvermann'; use"),
        ([("all", Kernel(kernel="gaus"), [0])], "'all': kernel is 'gaus'; use one of gaussian"),
        ([("all", Gaussian(var_smoothing=-1.0), [0])], "'all': var_smoothing is -1.0; use a"),
        ([("all", Gaussian(var_smoothing=np.nan), [0])], "'all': var_smoothing is nan; use a"),
        ([("none", "gaussian", [])], "no group of HybridNB has a column"),
        ([("sky", "categorical", ["speed"])], "group 'sky': column 0 holds"),
    ],
)
def test_groups_that_cannot_be_are_refused(mixed, groups, message):
    X, y = mixed
    with pytest.raises(InputError, match=message):
        HybridNB(groups).fit(X, y)


def test_von_mises_nb_is_the_hybrid_of_three_groups(mixed):
    X, y = mixed
    nb = VonMisesNB(angular=["wind"], categorical=["sky"], period=360).fit(X, y)
    np.testing.assert_allclose(
        nb.predict_joint_log_proba(X), HybridNB(BLOCKS).fit(X, y).predict_joint_log_proba(X)
    )


def test_the_studys_gaussian_classifier_can_be_said_in_the_configuration(mixed):
    X, y = mixed
    entry = {
        "method": "hybrid_nb",
        "params": {
            "groups": [
                ["angular", "gaussian", "@angular"],
                ["linear", "gaussian", "@linear"],
                ["categorical", "categorical", "@categorical"],
            ]
        },
    }
    columns = {"linear": np.array([0, 3]), "angular": np.array([1]), "categorical": np.array([2])}
    nb = build_estimator(resolved(entry), columns).fit(X, y)
    reference = VonMisesNB(angular=[], categorical=[2]).fit(X, y)
    np.testing.assert_allclose(
        nb.predict_joint_log_proba(X), reference.predict_joint_log_proba(X), rtol=1e-4
    )


def test_degrees_of_any_range_classify_as_radians(mixed):
    X, y = mixed
    angle = X[["wind"]].to_numpy()
    expected = VonMisesNB().fit(np.radians(angle), y).predict_proba(np.radians(angle))
    nb = VonMisesNB(period=360).fit(angle - 720, y)
    np.testing.assert_allclose(nb.predict_proba(angle + 360), expected, rtol=1e-9)


def test_an_angle_wraps_where_a_gaussian_does_not():
    # Figure 14's claim, without noise: pi and -pi are one angle
    X = np.concatenate([np.pi - np.linspace(-0.5, 0.5, 21), np.linspace(0, 3, 21)])[:, None]
    X = np.pi - (np.pi - X) % (2 * np.pi)
    y = np.repeat([1, 2], 21)
    assert VonMisesNB().fit(X, y).predict([[np.pi], [-np.pi]]).tolist() == [1, 1]
    assert VonMisesNB(angular=[]).fit(X, y).predict([[np.pi]]).tolist() == [2]


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_a_class_of_one_sample_and_equal_angles_have_finite_posteriors():
    X = np.array([[1.0], [1.0], [1.0], [2.0]])
    nb = VonMisesNB().fit(X, [0, 0, 0, 1])
    assert nb.predict([[1.0], [1.2], [1.8], [2.0]]).tolist() == [0, 0, 1, 1]
    assert np.isfinite(nb.predict_log_proba([[1.2], [5.0]])).all()


def test_unseen_categories_are_classified(mixed):
    X, y = mixed
    nb = VonMisesNB(angular=["wind"], categorical=["sky"], period=360).fit(X, y)
    assert np.isfinite(nb.predict_log_proba(X.assign(sky=99.0))).all()


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_vectors_off_the_sphere_are_refused_in_prediction_too():
    nb = VonMisesFisherNB().fit(np.eye(3), [0, 0, 1])
    with pytest.raises(InputError, match="group 'direction': the vector of sample 1 has length 2"):
        nb.predict([[1.0, 0, 0], [2.0, 0, 0]])


def test_unit_vectors_in_the_plane_are_angles():
    # the von Mises-Fisher distribution is the von Mises distribution in two dimensions
    rng = np.random.default_rng(2)
    angle, y = rng.uniform(-3, 1, 50), np.arange(50) % 2
    vectors = np.column_stack([np.cos(angle), np.sin(angle)])
    expected = VonMisesNB().fit(angle[:, None], y).predict_proba(angle[:, None])
    np.testing.assert_allclose(VonMisesFisherNB().fit(vectors, y).predict_proba(vectors), expected)


def test_pooled_covariance_makes_a_linear_classifier():
    # section 3.4: hyperplanes for equal covariances, as linear discriminant analysis
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = load_iris(return_X_y=True)
    pooled = MultivariateGaussian(covariance="pooled", var_smoothing=0.0)
    nb = HybridNB([("flower", pooled, slice(None))]).fit(X, y)
    reference = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    assert (nb.predict(X) == reference.predict(X)).all()


def test_discretized_nb_is_categorical_nb_on_mdlps_intervals(mixed):
    X, y = mixed
    nb = DiscretizedNB(categorical=["sky"]).fit(X, y)
    continuous = ["speed", "wind", "pressure"]
    codes = MDLPDiscretizer().fit_transform(X[continuous], y)
    reference = sk.CategoricalNB().fit(np.column_stack([codes, X["sky"]]).astype(int), y)
    np.testing.assert_allclose(
        nb.predict_proba(X), reference.predict_proba(np.column_stack([codes, X["sky"]]).astype(int))
    )


def test_parameters_of_groups_are_got_and_set_by_their_names(mixed):
    X, y = mixed
    nb = HybridNB([("wind", VonMises(period=360), ["wind"]), ("speed", "kernel", ["speed"])])
    params = nb.get_params()
    assert params["wind__period"] == 360
    assert params["speed"] == "kernel"
    assert "wind__period" not in nb.get_params(deep=False)
    nb.set_params(speed__bandwidth="scott", wind__period=360.5)
    assert nb.groups[0][1].period == 360.5
    by_hand = HybridNB(
        [
            ("wind", VonMises(period=360.5), ["wind"]),
            ("speed", Kernel(bandwidth="scott"), ["speed"]),
        ]
    )
    expected = by_hand.fit(X, y).predict_log_proba(X)
    np.testing.assert_array_equal(nb.fit(X, y).predict_log_proba(X), expected)
    nb.set_params(speed="gaussian")
    assert nb.groups[1] == ("speed", "gaussian", ["speed"])
    with pytest.raises(ValueError, match="Invalid parameter 'no_such'"):
        nb.set_params(wind__no_such=1)


def test_groups_and_their_parameters_can_be_set_at_once():
    nb = HybridNB().set_params(groups=[("a", "kernel", [0])], a__bandwidth="scott")
    assert nb.get_params()["a__bandwidth"] == "scott"


def test_setting_a_parameter_of_a_group_leaves_what_was_given_alone():
    groups = [("a", "kernel", [0])]
    HybridNB(groups).set_params(a__bandwidth="scott")
    assert groups == [("a", "kernel", [0])]


def test_columns_may_be_selected_by_a_callable(mixed):
    X, y = mixed
    X = X.astype({"sky": np.int64})
    selected = HybridNB(
        [
            ("sky", "categorical", make_column_selector(dtype_include=np.int64)),
            ("linear", "gaussian", lambda frame: [name for name in frame if name != "sky"]),
        ]
    ).fit(X, y)
    assert [group.columns.tolist() for group in selected.groups_] == [[2], [0, 1, 3]]
    named = HybridNB(
        [("sky", "categorical", ["sky"]), ("linear", "gaussian", ["speed", "wind", "pressure"])]
    )
    expected = named.fit(X, y).predict_log_proba(X)
    np.testing.assert_array_equal(selected.predict_log_proba(X), expected)
    with pytest.raises(InputError, match="'tide'"):
        HybridNB([("a", "gaussian", lambda _: ["tide"])]).fit(X, y)


@pytest.mark.parametrize("name", ["a__b", "priors", "groups", "twice", 3])
def test_names_by_which_parameters_could_not_be_told_apart_are_refused(name, mixed):
    groups = [("twice", "gaussian", [0]), (name, "gaussian", [1])]
    with pytest.raises(InputError, match=f"group name {name!r}"):
        HybridNB(groups).fit(*mixed)
