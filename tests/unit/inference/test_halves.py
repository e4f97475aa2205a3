"""Stability of a selection from disjoint halves."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.inference import halves


def test_two_lists_of_equal_size_agree_as_kuncheva_says():
    """(r d - k²) / (k (d - k)), Kuncheva (2007), for r shared of k out of d."""
    pairs = [(set("abcd"), set("abxy"))] * 3
    expected = (2 * 100 - 16) / (4 * 96)
    assert halves.half_stability(pairs, 100).value == pytest.approx(expected)


def test_halves_that_never_share_have_an_interval_all_the_same():
    actual = halves.half_stability([({"a", "b"}, {"c", "d"})] * 20, 1000)
    assert actual.lower == 0 < actual.upper < 0.5


def test_without_lists_there_is_no_stability():
    assert np.isnan(halves.half_stability([(set(), set())] * 5, 10)).all()
    with pytest.raises(InputError, match="no pair of halves"):
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
    shares = halves.short_list_shares(table)
    assert shares["a", "g7"] == shares["b", "g7"] == 1
    assert sum(shares.values()) == pytest.approx(4)  # two features of each of two classes
    pairs = halves.pairs_of(table)
    assert [len(half) for pair in pairs for half in pair] == [2] * 12
    assert halves.half_stability(pairs, 40).value > 0.4


def test_classes_that_cannot_be_halved_have_no_halves(planted):
    whole = dataclasses.replace(planted, groups=planted.labels)
    method = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"
    assert halves.halves_table(whole, {"method": method}, 3).empty


def test_short_lists_have_ten_features_of_each_class_and_count_copies_as_one(rng):
    """The first eleven features of a half are copies of those of the other half."""
    values = rng.normal(size=(22, 40))
    values[11:] = 3 * values[:11] + 0.1 * rng.normal(size=(11, 40))
    series = dataset(np.vstack([values, rng.normal(size=(80, 40))]), np.repeat(["a", "b"], 20))
    rows = []
    for fold in (0, 1):
        for rank in range(1, 12):
            feature = f"g{rank - 1 + 11 * fold}"
            rows.append({"repeat": 0, "fold": fold, "class": "a", "feature": feature, "rank": rank})
    table = halves.agreement_table(series, pd.DataFrame(rows)).set_index("class")
    assert table["mean_size"].to_dict() == {"": 10.0, "a": 10.0, "b": 0.0}
    assert table.loc["", "agreement"] > 0.95
    assert np.isnan(table.loc["b", "agreement"])
    sets = [({f"g{i}" for i in range(10)}, {f"g{i}" for i in range(11, 21)})] * 2
    assert halves.half_stability(sets, 102).value == 0.0  # without the correlation


def test_features_replace_each_other_from_seven_tenths_within_the_classes(rng):
    values = rng.normal(size=(3, 4000))
    for row, correlation in ((1, 0.72), (2, 0.68)):
        values[row] = correlation * values[0] + np.sqrt(1 - correlation**2) * values[row]
    labels = np.repeat(["a", "b"], 2000)
    series = dataset(values + 5 * (labels == "b"), labels)  # the class makes all of them alike
    similarity = halves._feature_similarity(series, np.arange(3))
    assert similarity[0].round(2).tolist() == [1.0, pytest.approx(0.72, abs=0.02), 0.0]


def test_the_table_of_halves_has_ranks_and_short_lists(planted):
    method = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"
    table = halves.halves_table(planted, {"method": method, "params": {"n_features": 2}}, 3)
    assert sorted(table["rank"].unique()) == [1, 2]
    agreement = halves.agreement_table(planted, table)
    assert agreement["class"].value_counts().to_dict() == {"": 3, "a": 3, "b": 3}
    assert agreement["agreement"].between(0.3, 1).all()  # one of two features is always the same


def test_a_list_is_tested_in_the_half_that_it_was_not_made_from(rng):
    """The features of the lists differ in the samples of the first fold alone."""
    values = rng.normal(size=(200, 40))
    values[:10, :20] += 4.0 * np.tile([0, 1], 10)
    series = dataset(values, np.tile(["a", "b"], 20))
    folds = pd.DataFrame({"sample": series.samples, "repeat": 0, "fold": np.repeat([0, 1], 20)})
    rows = [{"repeat": 0, "class": "a", "feature": f"g{i}", "rank": i + 1} for i in range(10)]
    tested_in_first = pd.DataFrame(rows).assign(fold=0)
    tested_in_second = pd.DataFrame(rows).assign(fold=1)
    table = halves.agreement_table(series, tested_in_second, folds).set_index("class")
    assert table.loc["a", "replicated"] < 0.2
    assert table.loc["", "replicated"] == table.loc["a", "replicated"]  # b has no features
    values[:10, 20:] += 4.0 * np.tile([0, 1], 10)
    series = dataset(values, series.labels)
    table = halves.agreement_table(series, tested_in_first, folds).set_index("class")
    assert table.loc["a", "replicated"] == pytest.approx(1.0)


def test_halves_of_a_classifier_replicate_planted_features(planted):
    method = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"
    table = halves.halves_table(planted, {"method": method, "params": {"n_features": 1}}, 3)
    agreement = halves.agreement_table(planted, table)
    assert (agreement["replicated"] > 0.9).all()
