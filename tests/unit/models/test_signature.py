"""Signatures: directions of features, and gene sets."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.models.signature import class_spread, gene_sets, signature_table
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV
from xnbflow.studies.description import _feature_profiles, direction


def test_a_signature_is_between_where_the_page_is():
    values = np.array([[1.0, 1.2, 5.0, 5.2, 9.0, 9.3], [1, 1, 1, 1, 1, 1], [0, 0, 0, 3, 0, 0]])
    series = dataset(values, list("aabbcc"), features=list("ghk"))
    pairs = [(label, feature) for feature in "ghk" for label in "abc"]
    signature = pd.DataFrame(pairs, columns=["class", "feature"])
    profiles = _feature_profiles(
        series, pd.concat([signature, signature[:1]])
    )  # a pair counts once
    assert len(profiles) == 9
    row = profiles.set_index(["class", "feature"]).loc["b", "g"]
    assert row[["median_inside", "median_outside"]].tolist() == pytest.approx([5.1, 5.1])
    assert set(profiles.loc[profiles["constant"], "feature"]) == {"h", "k"}
    rows = series.frame()
    spreads = [class_spread(rows[name].to_numpy(), series.labels, label) for label, name in pairs]
    signature = signature.assign(symbol="", direction=[spread["direction"] for spread in spreads])
    both = profiles.merge(signature, on=["class", "feature"])
    assert both["direction_x"].tolist() == both["direction_y"].tolist()
    directions = both.set_index(["feature", "class"])["direction_y"]
    assert [directions["g", label] for label in "abc"] == ["low", "between", "high"]
    assert {directions["h", label] for label in "abc"} == {"equal"}
    assert directions["k", "b"] == "high"
    lines = [line.split("\t") for line in gene_sets(signature, "s")]
    assert ["s_b_between", "in b between the other classes", "g"] in lines


def test_a_class_without_a_value_counts_for_no_direction():
    medians = np.array([2.0, np.nan, 1.0])
    assert [direction(medians, medians, code) for code in range(3)] == ["high", "equal", "low"]


def tied_series():
    """Two classes; g0 and g1 are equal, g2 separates the classes as well, g3 is noise."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["ab", "cd"], 10)
    values = rng.normal(size=(4, 20))
    values[0] += 6 * (labels == "cd")
    values[1] = values[0]
    values[2] -= 5 * (labels == "cd")
    return pd.DataFrame(values.T, columns=["g0", "g1", "g2", "g3"]), labels


def test_quartiles_of_a_class_and_of_the_rest():
    values = np.array([1.0, 2, 3, 4, 5, np.nan, 10, 20, 30, 40, 50])
    labels = np.array(["a"] * 6 + ["b"] * 5)
    spread = class_spread(values, labels, "a")
    assert [spread[name] for name in ("lower_in", "median_in", "upper_in")] == [2.0, 3.0, 4.0]
    assert [spread[name] for name in ("lower_out", "median_out", "upper_out")] == [20, 30, 40]


def test_a_feature_that_no_fold_or_half_selected_has_a_share_of_0_and_all_are_in_the_core():
    values, labels = tied_series()
    model = ClassSpecificNB(n_features=2).fit(values, labels)
    pair = ("ab", "g2")
    table = signature_table(model, values, labels, shares={pair: 0.5}, halves={pair: 0.25})
    rows = table.set_index(["class", "feature"])
    assert rows.loc[pair, ["share_of_folds", "share_of_halves"]].tolist() == [0.5, 0.25]
    others = rows.drop(index=pair)
    assert (others[["share_of_folds", "share_of_halves"]] == 0.0).all(axis=None)
    assert rows["core"].all()
    assert rows["weight"].isna().all()


def test_a_feature_is_not_interchangeable_with_itself():
    values, labels = tied_series()
    model = ClassSpecificNB(n_features=2).fit(values, labels)
    model.tied_features_ = {"ab": [["g0", "g1"]], "cd": []}
    rows = signature_table(model, values, labels).set_index(["class", "feature"])
    by_feature = rows["interchangeable"].loc["ab"]
    first = next(name for name in ("g0", "g1") if name in by_feature.index)
    assert by_feature[first] == {"g0": "g1", "g1": "g0"}[first]


def test_weights_and_the_core_are_those_of_the_classifier():
    values, labels = tied_series()
    model = ClassSpecificNBCV(cv=3).fit(values, labels)
    selected = model.selected_features_
    model.weights_ = {name: np.linspace(0.2, 0.8, len(selected[name])) for name in selected}
    model.core_features_ = {name: selected[name][:1] for name in selected}
    table = signature_table(model, values, labels)
    for label, names in selected.items():
        rows = table[table["class"] == label].set_index("feature").loc[list(names)]
        assert rows["weight"].tolist() == model.weights_[label].tolist()
        assert rows["core"].tolist() == [True] + [False] * (len(names) - 1)


def test_distances_have_the_name_of_the_other_class():
    values, labels = tied_series()
    table = signature_table(XNB().fit(values, labels), values, labels)
    names = [name for name in table if name.startswith("distance_to")]
    assert sorted(names) == ["distance_to.ab", "distance_to.cd"]
    assert table.loc[table["class"] == "ab", "distance_to.cd"].notna().all()


def test_a_gene_set_lists_a_gene_once_up_to_a_rank_and_is_one_line():
    table = pd.DataFrame(
        {
            "class": "a\tb",
            "direction": "high",
            "rank": [1, 2, 3],
            "feature": ["p1", "p2", "p3"],
            "symbol": ["TP53", "TP53", ""],
        }
    )
    (line,) = gene_sets(table, "s", "0123456789abcdef")
    assert line.split("\t") == [
        "s_a_b_high",
        "high in a b against the other classes; series 0123456789ab",
        "TP53",
        "p3",
    ]
    (line,) = gene_sets(table, "s", top=2)
    assert line.split("\t")[2:] == ["TP53"]
    (line,) = gene_sets(table[2:], "s", top=3)
    assert line.split("\t")[2:] == ["p3"]
