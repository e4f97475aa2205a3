"""XNB selects and predicts what its authors' program does; its options do what they say."""

import itertools
import json
import warnings

import numpy as np
import pandas as pd
import published_xnb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import markers

from xnbflow.naive_bayes import XNB
from xnbflow.preprocessing.selection.class_features import pair_distances, pairs_of_codes

TIE = 1e-12

pytestmark = [
    pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning"),
    pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning"),
]

REFERENCES = {
    "alon": "Colorectal_Alon1999",
    "chowdary": "BreastColon_Chowdary2006",
    "golub": "Leukemia_Golub1999",
    "gse38666": "Ovary_GSE38666",
    "khan": "SRBCT_Khan2001",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCES)
def test_microarrays_select_and_predict_as_the_authors_program(shared_data, name):
    reference = json.loads((shared_data / "reference" / f"{name}.json").read_text())
    path = shared_data / "microarray" / f"{REFERENCES[name]}.csv.gz"
    frame = pd.read_csv(path)
    X, y = frame.iloc[:, 2:], frame["type"].to_numpy(str)
    train, test = reference["train"], reference["test"]
    model = XNB(min_distance="mean").fit(X.iloc[train], y[train])
    selected = {label: sorted(chosen) for label, chosen in model.selected_features_.items()}
    assert selected == reference["selected"]
    assert list(model.predict(X.iloc[test])) == reference["pred"]


@st.composite
def series(draw):
    """Random series of many shapes: small classes, ties, and features constant within a class."""
    sizes = draw(st.lists(st.integers(1, 14), min_size=2, max_size=5))
    kinds = draw(st.lists(st.sampled_from(range(8)), min_size=1, max_size=12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = []
    for kind in kinds:
        row, one = rng.normal(size=len(codes)), codes == rng.integers(len(sizes))
        if kind == 1:
            row[one] += 4
        elif kind == 2:
            row = np.round(2 * row)
        elif kind == 3:
            row[one] = np.round(row[0])
        elif kind == 4:
            row[:] = 0.25
        elif kind == 5:
            row = np.exp(2 * row)
        elif kind == 6:
            row[one] *= 10.0 ** -rng.integers(1, 9)
        elif kind == 7 and rows:
            row = rows[-1].copy()
        rows.append(row)
    names = rng.permutation([f"g{i}" for i in range(len(rows))])
    return np.array(rows), codes, names


@settings(deadline=None, max_examples=150)
@given(data=series(), min_distance=st.sampled_from(["mean", 0.5, 0.0]))
@pytest.mark.slow
def test_random_series_select_and_predict_as_published(data, min_distance):
    features, codes, names = data
    n_classes = codes.max() + 1
    expected_distances = published_xnb.distances(features, codes)
    found_distances = pair_distances(features, codes, n_classes)
    np.testing.assert_allclose(found_distances**2, expected_distances**2, atol=TIE)

    X = pd.DataFrame(features.T, columns=names)
    model = XNB(min_distance=min_distance).fit(X, codes)
    expected = published_xnb.selection(found_distances, names, n_classes, min_distance)
    for c in range(n_classes):
        assert set(model.selected_features_[c]) == {names[f] for f in expected[c]}
    assert_equal_but_for_ties(expected_distances, found_distances, names, min_distance)

    joint = published_xnb.joint_log_likelihood(features, codes, expected, features)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-9, atol=1e-9)


def assert_equal_but_for_ties(expected, actual, names, min_distance):
    """Where rounding changes a selection, the distances concerned are ties, or tie with the cut."""
    cut = expected.mean() if min_distance == "mean" else min_distance
    for row, other in zip(expected, actual, strict=True):
        chosen = published_xnb.selection_for_pair(row, names, cut)
        ours = published_xnb.selection_for_pair(other, names, cut)
        shared = min(len(chosen), len(ours))
        np.testing.assert_allclose(row[chosen[:shared]] ** 2, row[ours[:shared]] ** 2, atol=TIE)
        extra = max(chosen, ours, key=len)[shared:]
        np.testing.assert_allclose(row[extra] ** 2, cut**2, atol=TIE)


def test_ties_are_broken_by_name_or_else_by_column():
    row = np.array([0.0, 0.1, 0.2, 9.0, 9.1, 9.3])
    X, y = np.column_stack([row] * 3), [0, 0, 0, 1, 1, 1]
    named = XNB().fit(pd.DataFrame(X, columns=["b", "c", "a"]), y)
    assert named.selected_features_ == {0: ["a"], 1: ["a"]}
    assert named.tied_features_ == {0: [["a", "b", "c"]], 1: [["a", "b", "c"]]}
    assert XNB().fit(X, y).selected_features_ == {0: [0], 1: [0]}


def test_a_class_without_features_is_decided_by_its_prior_and_named(rng):
    X, y = rng.normal(size=(30, 5)), np.repeat(["rare", "common"], [10, 20])
    with pytest.warns(UserWarning, match="class 'rare' has no feature.*prior"):
        model = XNB(min_distance=0.99).fit(X, y)
    assert model.selected_features_ == {"common": [], "rare": []}
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[2 / 3, 1 / 3]])
    assert len(model.explain(X)) == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("selection", "least"), [("joint", 0.0), ("minimal", 0.1)])
def test_a_selection_is_the_smallest_set_there_is(seed, selection, least):
    """Jointly for one product over all classes, minimally for one of each pair."""
    X, codes = markers(np.random.default_rng(seed), n_features=11, sizes=(9, 7, 8), shift=1.5)
    model = XNB(selection=selection, min_distance=least, threshold=0.9).fit(X, codes)
    pairs = pair_distances(X.T, codes, 3)
    for c in range(3):
        distances_of_class = pairs[(pairs_of_codes(3) == c).any(axis=1)]
        closeness = np.where(distances_of_class > least, 1 - distances_of_class, 1.0)
        closeness = closeness.prod(axis=0, keepdims=True) if selection == "joint" else closeness
        goal = np.minimum(0.9, 1 - np.prod(closeness, axis=1)) - 1e-6

        def enough(subset, closeness=closeness, goal=goal):
            return (1 - np.prod(closeness[:, list(subset)], axis=1) >= goal).all()

        smallest = next(
            r for r in range(12) if any(map(enough, itertools.combinations(range(11), r)))
        )
        chosen = model.selected_features_[c]
        assert enough(chosen)
        assert len(chosen) == smallest
    if selection == "minimal":
        assert model.optimality_gap_ == {0: 0, 1: 0, 2: 0}
    with pytest.warns(UserWarning, match="no feature"):
        assert XNB(selection=selection).fit(X, 0 * codes).selected_features_ == {0: []}


@pytest.mark.parametrize("selection", ["greedy", "joint"])
def test_renaming_features_exchanges_but_tied_ones(rng, selection):
    features, codes = rng.normal(size=(120, 36)), np.repeat([0, 1, 2], 12)
    for f in range(40):  # tells two classes apart so clearly that the distance is just 1
        features[f] += 1e4 * (codes == f % 3)
    names = np.array([f"g{i:03d}" for i in range(len(features))])
    first = XNB(selection=selection).fit(pd.DataFrame(features.T, columns=names), codes)
    changed = 0
    for _ in range(5):
        renamed = rng.permutation(names)
        other = XNB(selection=selection).fit(pd.DataFrame(features.T, columns=renamed), codes)
        back = dict(zip(renamed, names, strict=True))
        for label, selected in first.selected_features_.items():
            exchanged = set(selected) ^ {back[name] for name in other.selected_features_[label]}
            assert exchanged <= set(itertools.chain(*first.tied_features_[label]))
            changed += len(exchanged) > 0
    assert changed > 5  # so that the ties matter


def test_raw_counts_and_classes_of_one_sample_are_warned_of(rng):
    def fit(features, codes):
        return XNB().fit(features.T, codes)

    codes = np.repeat([0, 1], 15)
    counts = rng.poisson(30.0, size=(6, 30)) + 40 * codes
    with pytest.warns(UserWarning, match="raw counts"):
        fit(counts, codes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(np.log1p(counts), codes)
        fit(np.minimum(counts, 20), codes)  # grades
        fit(counts - 30.0, codes)  # some are negative
    with pytest.warns(UserWarning, match="raw counts"):
        fit(np.minimum(counts, 21), codes)
    with pytest.warns(UserWarning, match="raw counts"):
        fit(np.where(counts < 20, 0.0, counts), codes)
    with pytest.warns(UserWarning, match="class 2 has 1 sample"):
        fit(np.log1p(counts), np.r_[2, codes[1:]])


def test_as_a_selector_it_keeps_the_features_of_any_class(rng):
    X, y = markers(rng, 12, [15, 15, 15], 4.0)
    names = [f"g{i}" for i in range(12)]
    model = XNB().fit(pd.DataFrame(X, columns=names), y)
    kept = set().union(*model.selected_features_.values())
    assert set(model.get_feature_names_out()) == kept
    transformed = model.set_output(transform="pandas").transform(pd.DataFrame(X, columns=names))
    assert transformed.shape == (45, len(kept))
