"""Tables of single features and samples: evidence against the mixture, and empty selections."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.naive_bayes.flexible_nb import FlexibleNB
from xnbflow.studies import description
from xnbflow.tables.contract import GROUPS

XNB_ENTRY = {"method": "xnbflow.naive_bayes.xnb.XNB", "params": {}}


@pytest.fixture(scope="module")
def trained(series, tmp_path_factory):
    path = tmp_path_factory.mktemp("series") / "toy.parquet"
    series.write(path)
    outcome = train(series, draw_folds(DataSet.read(path, values=False), 3, 1), XNB_ENTRY)
    return {name: outcome[name] for name in GROUPS["training"].tables}


def test_evidence_is_the_log_density_against_the_mixture_of_the_training_samples(series, trained):
    table = description._relative_evidence(
        series, trained["predictions"], trained["explanations"], XNB_ENTRY
    )
    row = table[table["class"] == "b"].iloc[5]
    tested = trained["predictions"].query("fold == @row.fold")["sample"]
    training = ~np.isin(series.samples, tested)
    feature = int(np.flatnonzero(series.features == row["feature"])[0])
    model = FlexibleNB().fit(series.values[[feature]][:, training].T, series.labels[training])
    x = series.values[feature, series.samples == row["sample"]][:, None]
    terms = model.explain(x)["log_likelihood"].to_numpy()
    reference = np.log(np.exp(terms) @ np.exp(model.class_log_prior_))
    assert row["log_reference"] == pytest.approx(reference)
    assert row["evidence"] == pytest.approx(terms[1] - reference)


def test_every_declared_table_is_made_also_where_nothing_was_selected(series, trained):
    tables = description._describe(series, XNB_ENTRY, trained, 0.5)
    assert set(tables) == {*description.DESCRIPTIONS, "profiles"}
    nothing = {
        name: table if name == "predictions" else table.iloc[:0] for name, table in trained.items()
    }
    empty = description._describe(series, XNB_ENTRY, nothing, None)
    assert set(empty) == set(tables)
    assert not any(map(len, empty.values()))


def test_pairs_are_dependent_in_both_directions(rng):
    noise = rng.normal(size=(3, 30))
    values = np.array([noise[0], -noise[0] + 0.1 * noise[1], noise[2]])
    table = description.dependent_pairs(
        dataset(values, np.repeat(["a", "b"], 15)), ["g0", "g1", "g2"], 0.7
    )
    (row,) = table.to_dict("records")
    assert (row["feature"], row["other"]) == ("g0", "g1")
    assert row["r"] < -0.9


def test_groups_after_z_have_two_letters():
    """28 pairs of features: the groups a to z, aa, ab."""
    names = [f"g{i}" for i in range(56)]
    pairs = pd.DataFrame({"feature": names[::2], "other": names[1::2], "r": 0.9})
    letters = description._dependent_groups(pairs, names)[::2]
    assert letters[:2] + letters[24:] == ["a", "b", "y", "z", "aa", "ab"]


def test_the_first_three_features_of_a_class_are_profiled(series, trained):
    """One class alone has selections: of its five features three are drawn."""
    selected = pd.DataFrame(
        {
            "repeat": 0,
            "fold": 0,
            "class": "b",
            "feature": ["g0", "g1", "g3", "g4", "g5"],
            "rank": range(1, 6),
            "distance": 0.5,
            "constant": False,
        }
    )
    tables = description._describe(series, XNB_ENTRY, trained | {"selected": selected}, 0.5)
    drawn = tables["densities"]["feature"].unique()
    assert sorted(drawn) == ["g0", "g1", "g3"]


def test_distances_are_means_over_the_folds_that_select_the_feature():
    """Class b selects g most often, and a once, at a greater distance."""
    folds = [("b", 0.5, 0.2, 0.5), ("b", 0.5, 0.4, np.nan), ("a", 0.9, np.nan, 0.9)]
    columns = ["class", "distance", "distance_to.a", "distance_to.c"]
    selected = pd.DataFrame(folds, columns=columns).assign(feature="g")
    table = description.distances_from_focus(selected, ["g"])
    assert table["class"].tolist() == ["a", "c"]
    assert table["distance"].tolist() == pytest.approx([0.3, 0.5])


@pytest.mark.parametrize("method", ["xnb", "csnb"])
def test_a_series_with_gaps_is_described(series, method):
    holes = np.random.default_rng(3).random(series.values.shape) < 0.05
    gaps = replace(series, values=np.where(holes, np.nan, series.values), missing=True)
    entry = {"method": method, "params": {}}
    outcome = train(gaps, draw_folds(gaps, 3, 1), resolved(entry))
    assert set(outcome["fits"]["status"]) == {"ok"}
    tables = description._describe(gaps, resolved(entry), outcome, None)
    assert np.isfinite(tables["densities"]["density"]).all()
    assert np.isfinite(tables["profiles"]["median_inside"]).all()


@pytest.mark.parametrize("n_classes", [1, 2, 7])
def test_medians_of_the_others_are_those_of_numpy(n_classes):
    """Ties, a class of one sample, and a class that has all."""
    rng = np.random.default_rng(n_classes)
    values = rng.normal(size=(30, 24)).round(rng.integers(0, 3))
    codes = rng.permutation(np.append(np.arange(n_classes), rng.integers(n_classes, size=23)))[:24]
    codes = np.unique(codes, return_inverse=True)[1]
    medians = description._medians_of_others(values, codes)
    assert len(medians) == codes.max() + 1
    for code, of_others in enumerate(medians):
        others = values[:, codes != code]
        expected = np.median(others, axis=1) if others.size else np.full(30, np.nan)
        np.testing.assert_array_equal(of_others, expected)
