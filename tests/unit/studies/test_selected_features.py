"""Features of all folds: frequency, notes on constant features, and planted markers."""

import numpy as np
import pandas as pd
import pytest
from prediction_tables import HEADER, PLACES, fits_of

from xnbflow.data.dataset import DataSet
from xnbflow.studies import selected_features
from xnbflow.studies.selected_features import recovery, selection, stability

KEY = ("d", "f", "nb")
#: Four folds, of which the last one failed.
FITS = pd.DataFrame({"repeat": 0, "fold": range(4), "status": ["ok", "ok", "ok", "failed"]})


def selected(*folds, constant=False):
    """Return the table of features that each fold selected for the class a, in order of rank."""
    rows = [
        {"repeat": 0, "fold": fold, "class": "a", "feature": feature, "rank": rank}
        for fold, features in enumerate(folds)
        for rank, feature in enumerate(features, 1)
    ]
    return pd.DataFrame(rows).assign(distance=0.5, constant=constant)


def test_the_frequency_is_a_share_of_the_fits_that_succeeded():
    table = selection({KEY: selected(["g1", "g2"], ["g1"], ["g1", "g3"])}, {KEY: FITS}, {})
    rows = table.set_index("feature")
    assert rows["times"].to_dict() == {"g1": 3, "g2": 1, "g3": 1}
    assert rows["frequency"].to_dict() == pytest.approx({"g1": 1, "g2": 1 / 3, "g3": 1 / 3})
    assert rows["mean_rank"].to_dict() == {"g1": 1, "g2": 2, "g3": 2}
    assert rows["share_of_halves"].isna().all()
    assert table["feature"].tolist() == ["g1", "g2", "g3"]


def test_no_fold_has_a_frequency_above_the_number_of_fits():
    table = selection({KEY: selected(["g1"], [], [])}, {KEY: FITS}, {})
    assert table["frequency"].tolist() == pytest.approx([1 / 3])


@pytest.mark.parametrize(("constant", "note"), [([True, False], ""), ([True, True], "constant")])
def test_a_class_is_noted_where_more_than_half_of_its_features_are_constant(constant, note):
    header = DataSet("d", None, [f"f{i}" for i in range(10)], list("wxyz"), list("aabb"))
    table = selected(["g1"], ["g1"]).assign(constant=constant)
    rows = stability({KEY: table}, {KEY: FITS.head(2)}, {"d": header}, {}).set_index("class")
    assert rows.loc["a", "note"] == note
    assert rows.loc["a", "constant"] == np.mean(constant)


def test_a_class_of_one_sample_has_no_stability():
    header = DataSet("d", None, [f"f{i}" for i in range(10)], list("wxyz"), list("abbb"))
    table = selected(["g1"], ["g1"])
    rows = stability({KEY: table}, {KEY: FITS.head(2)}, {"d": header}, {}).set_index("class")
    assert rows.loc["a", "note"] == "one sample"
    assert np.isnan(rows.loc["a", "stability"])
    assert rows.loc["", "stability"] == 1


def test_recovery_of_planted_markers():
    """Of ten features g1, g2, g4 are planted, with effects 1, -3 and 2."""
    truth = pd.DataFrame({"feature": [f"g{i}" for i in range(1, 11)], "class": None, "effect": 0.0})
    truth.loc[[0, 1, 3], "class"] = "a"
    truth.loc[[0, 1, 3], "effect"] = [1.0, -3.0, 2.0]
    row = recovery([{"g1", "g2"}, {"g2", "g3", "g5", "g6"}, set()], truth)
    assert row["planted"] == 3
    assert row["by_chance"] == pytest.approx(0.3)
    # of two and of four selected features; the fold that selects nothing has no precision
    assert row["precision"] == pytest.approx((2 / 2 + 1 / 4) / 2)
    assert row["recall"] == pytest.approx((2 / 3 + 1 / 3 + 0) / 3)
    # no marker is weaker than g1, two of three are weaker than g2
    assert row["strength"] == pytest.approx(((0 + 2 / 3) / 2 + (2 / 3) / 4) / 2)


def test_recall_counts_folds_that_select_nothing():
    selected = pd.DataFrame({"repeat": 0, "fold": 0, "class": "x", "feature": ["a", "b", "z", "y"]})
    truth = pd.DataFrame(
        {"feature": ["a", "b", "c"], "class": ["x", "x", None], "effect": [1.0, -2.0, 0.0]}
    )
    fits = fits_of(failed=[(1, 1)])  # three folds were fitted, two of them select nothing
    rows = selected.assign(rank=1, distance=1.0, constant=False)
    tables = {
        ("sim", "2x2", "xnb"): rows,
        ("d", "2x2", "xnb"): rows,
        ("sim", "2x2", "nb"): rows[:0],
    }
    headers = {"sim": HEADER, "d": HEADER}
    table = stability(tables, dict.fromkeys(tables, fits), headers, {}, truth={"sim": truth})
    (row,) = table.dropna(subset="planted").to_dict("records")
    assert (row["dataset"], row["class"]) == ("sim", "")
    assert row["planted"] == 2
    assert row["precision"] == 0.5
    assert row["by_chance"] == pytest.approx(2 / 3)
    assert row["recall"] == pytest.approx(1 / 3)
    assert row["strength"] == pytest.approx((0.0 + 0.5) / 4)  # b's effect is the greater one


def selected_rows(rows, constant=False):
    table = pd.DataFrame(rows, columns=["repeat", "fold", "class", "feature"])
    return table.assign(rank=1, distance=1.0, constant=constant)


#: Which of two equal features a fold takes is decided by nothing but their names.
TIED = {KEY: selected_rows([(*place, "x", f"g{i % 2}") for i, place in enumerate(PLACES)])}


def test_a_choice_by_names_is_not_stable():
    table = stability(TIED, {KEY: fits_of()}, {"d": HEADER}, {}).set_index("class")
    assert table.loc["x", "stability"] < 0.5
    assert table.loc["x", ["samples", "mean_size", "sets"]].tolist() == [12, 1, 4]


def test_selection_counts_the_folds_that_select_a_feature():
    fits = {KEY: fits_of(failed=[(1, 1)])}
    rows = [(0, 0, "x", "g0"), (0, 1, "x", "g0"), (1, 0, "x", "g1")]
    table = selection({KEY: selected_rows(rows)}, fits, {}).set_index("feature")
    assert table.loc["g0", ["times", "fits"]].tolist() == [2, 3]
    assert table["frequency"].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_class_whose_features_are_there_because_a_class_is_constant_says_so():
    rows = [(*place, "x", feature) for place in PLACES for feature in ("g0", "g1", "g2")]
    rows.append((*PLACES[0], "y", "g3"))
    mostly = selected_rows(rows, [*[True, True, False] * 4, False])
    header = DataSet("d", None, [f"f{i}" for i in range(9)], ["s0", "s1", "s2"], ["x", "x", "y"])
    table = stability({KEY: mostly}, {KEY: fits_of()}, {"d": header}, {})
    table = table.set_index("class")
    assert table.loc["x", "constant"] == pytest.approx(2 / 3)
    assert table["note"].to_dict() == {"": "constant", "x": "constant", "y": "one sample"}
    assert table.loc["y", ["stability", "lower", "upper"]].isna().all()


def test_markers_of_equal_effect_are_equally_strong():
    """None of two equal markers is weaker than the other; the third is weaker than both."""
    truth = pd.DataFrame({"feature": ["g1", "g2", "g3"], "class": "a", "effect": [2.0, -2.0, 1.0]})
    row = recovery([{"g1"}, {"g2"}, {"g3"}], truth)
    assert row["strength"] == pytest.approx((1 / 3 + 1 / 3 + 0) / 3)


def test_a_feature_that_no_half_selects_has_the_share_0(monkeypatch):
    monkeypatch.setattr(selected_features, "short_list_shares", lambda table: {("a", "g1"): 0.7})
    halves = {("d", "nb"): pd.DataFrame({"rank": [1]})}
    rows = selection({KEY: selected(["g1", "g2"])}, {KEY: FITS}, halves).set_index("feature")
    assert rows["share_of_halves"].to_dict() == {"g1": 0.7, "g2": 0.0}
