"""What classifiers use, and how stable it is: folds, ties, constant classes, disjoint halves."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.evaluation.selected import feature_use, nearly_constant, only_constant
from xnbflow.inference import halves
from xnbflow.inference.stability import stability_index
from xnbflow.naive_bayes import XNB

#: The random selection of 4 out of 10 features printed in the demonstration of Nogueira's package.
NOGUEIRA_Z3 = "1111000000 0001011100 0100011100 1100101000 0110110000 0111001000 1001000011"
NOGUEIRA_Z3 += " 0001011100 0011110000 0000100111"


def as_sets(matrix):
    return [{f"g{j}" for j in np.flatnonzero(row)} for row in np.asarray(matrix)]


def from_text(rows):
    return np.array([[int(digit) for digit in row] for row in rows])


def test_values_printed_by_nogueira_s_package():
    assert stability_index(as_sets(from_text(["110"] * 3)), 3).value == 1
    assert stability_index(as_sets(from_text(["110", "011", "101"])), 3).value == pytest.approx(
        -0.5
    )
    random = stability_index(as_sets(from_text(NOGUEIRA_Z3.split())), 10)
    assert random.value == pytest.approx(-0.037037037037)
    assert random.variance == pytest.approx(0.00516666666667)
    margin = 1.959963984540054 * np.sqrt(0.00516666666667)
    assert random.lower == 0.0  # Nogueira's package goes on to -.178
    assert random.upper == pytest.approx(-0.037037037037 + margin)


def test_sets_of_unequal_sizes_are_raters_whose_agreement_is_corrected_for_chance():
    """Fleiss' kappa, and the variance of the influence that each set has on it, as fractions."""
    found = stability_index(as_sets(from_text(["11000", "11100", "10000", "11011"])), 5)
    assert found[:2] == pytest.approx((1 / 5, 1 / 50))


@pytest.mark.parametrize(
    ("sets", "n_features"),
    [([set(), set(), set()], 5), ([{"a", "b"}, {"a", "b"}], 2), ([{"a"}], 5)],
    ids=["nothing selected", "everything selected", "one fold"],
)
def test_stability_is_missing_where_it_is_not_defined(sets, n_features):
    assert np.isnan(stability_index(sets, n_features)).all()


def test_two_lists_of_equal_size_agree_as_kuncheva_says():
    """(r d - k²) / (k (d - k)), Kuncheva (2007), for r shared of k out of d."""
    pairs = [(set("abcd"), set("abxy"))] * 3
    expected = (2 * 100 - 16) / (4 * 96)
    assert halves.half_stability(pairs, 100).value == pytest.approx(expected)


def test_halves_that_never_share_have_an_interval_all_the_same():
    found = halves.half_stability([({"a", "b"}, {"c", "d"})] * 20, 1000)
    assert found.lower == 0 < found.upper < 0.5


def test_without_lists_there_is_no_stability():
    assert np.isnan(halves.half_stability([(set(), set())] * 5, 10)).all()
    with pytest.raises(InputError):
        halves.half_stability([], 10)


@pytest.fixture(scope="module")
def planted():
    """Patients of three samples; one gene differs between their classes by far."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], 18)
    values = rng.normal(size=(40, 36))
    values[7] += 8 * (labels == "b")
    groups = np.repeat([f"p{i}" for i in range(12)], 3)
    return dataset(values, labels, groups=groups)


def test_every_half_selects_the_gene_that_tells_the_classes_apart(planted):
    method = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"
    table = halves.halves_table(planted, {"method": method, "params": {"n_features": 2}}, 6)
    assert table["halves"].unique().tolist() == [12]
    shares = halves.selection_shares(table)
    assert shares["a", "g7"] == shares["b", "g7"] == 1
    assert sum(shares.values()) == pytest.approx(4)  # two features of each of two classes
    pairs = halves.pairs_of(table)
    assert [len(half) for pair in pairs for half in pair] == [2] * 12
    assert halves.half_stability(pairs, 40).value > 0.4


def test_classes_that_cannot_be_halved_have_no_halves(planted):
    whole = dataclasses.replace(planted, groups=planted.labels)
    method = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"
    assert halves.halves_table(whole, {"method": method}, 3).empty


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 40)
    X = rng.normal(size=(80, 10))
    X[:, 3] += 12 * (y == "b")
    X[:, 7] += 1.5 * (y == "b")
    return pd.DataFrame(X, index=[f"s{i}" for i in range(80)]).add_prefix("g"), y


def use_of(model, data):
    return feature_use(model.fit(*data), data[0].iloc[:5], explain=True)


@pytest.mark.parametrize("nested", [False, True])
def test_xnb_behind_a_scaler_tells_what_it_tells_alone(data, nested):
    alone = use_of(XNB(), data)
    assert set(alone.selected["feature"]) == {"g3"}
    scaled = make_pipeline(StandardScaler(), XNB())
    use = use_of(Pipeline([("only", scaled)]) if nested else scaled, data)
    assert (use.per_class, use.distinct) == (alone.per_class, alone.distinct)
    for table in ("selected", "distances", "explanations"):
        ours, expected = getattr(use, table), getattr(alone, table)
        names = ["class", "feature"] + ["sample"] * ("sample" in expected)
        pd.testing.assert_frame_equal(ours[names], expected[names])
    np.testing.assert_allclose(use.selected["distance"], alone.selected["distance"], rtol=1e-9)
    assert set(use.explanations["sample"]) == {"s0", "s1", "s2", "s3", "s4"}


def test_a_transformer_that_selects_is_counted(data):
    use = use_of(make_pipeline(StandardScaler(), SelectKBest(k=2), GaussianNB()), data)
    assert (use.per_class, use.distinct) == (2, 2)
    assert use.selected.to_numpy().tolist() == [
        ["a", 1, "g3", pytest.approx(np.nan, nan_ok=True)],
        ["a", 2, "g7", pytest.approx(np.nan, nan_ok=True)],
        ["b", 1, "g3", pytest.approx(np.nan, nan_ok=True)],
        ["b", 2, "g7", pytest.approx(np.nan, nan_ok=True)],
    ]


@pytest.mark.parametrize("maker", [PCA(2), FunctionTransformer(np.abs)])
def test_what_is_made_of_features_is_no_number_of_features(data, maker):
    use = use_of(make_pipeline(maker, XNB()), data)
    assert np.isnan([use.per_class, use.distinct]).all()
    assert use.selected is None
    assert use.explanations is None


LABELS = np.repeat(["a", "b", "c"], 10)


@pytest.fixture
def features():
    rng = np.random.default_rng(0)
    return rng.normal(size=(4, 30))


def test_a_class_with_nine_equal_values_of_ten_is_nearly_constant(features):
    features[0, :9] = 0.0
    features[1, :8] = 0.0
    classes, constant = nearly_constant(features, LABELS)
    assert classes.tolist() == ["a", "b", "c"]
    assert constant[0].tolist() == [True, False, False]
    assert not constant[1:].any()


def marks(features, labels, label, distances):
    selected = pd.DataFrame({"class": [label], "feature": ["g0"]})
    if distances is not None:
        rows = [(label, "g0", *each) for each in distances.items()]
        columns = ["class", "feature", "other_class", "distance"]
        distances = pd.DataFrame(rows, columns=columns)
    return only_constant(selected, distances, features[:1], labels).tolist()


def test_a_feature_is_marked_with_the_only_constant_that_makes_it(features):
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.1}) == [False]
    features[0, 10:20] = 5.0  # class b
    assert marks(features, LABELS, "b", {"a": 1.0, "c": 1.0}) == [True]
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.4}) == [True]
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.5}) == [False]  # it tells c apart as well
    assert marks(features, LABELS, "a", {"b": 0.3, "c": 0.4}) == [False]
    features[0, 20:] = 7.0  # and class c
    assert marks(features, LABELS, "a", {"b": 0.9, "c": 1.0}) == [True]
