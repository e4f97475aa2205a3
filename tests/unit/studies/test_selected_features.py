"""Features of all folds: frequency, notes on constant features, and planted markers."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.series_file import DataSetHeader
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
    header = DataSetHeader(
        name="d", samples=np.array(list("wxyz")), labels=np.array(list("aabb")), n_features=10
    )
    table = selected(["g1"], ["g1"]).assign(constant=constant)
    rows = stability({KEY: table}, {KEY: FITS.head(2)}, {"d": header}, {}).set_index("class")
    assert rows.loc["a", "note"] == note
    assert rows.loc["a", "constant"] == np.mean(constant)


def test_a_class_of_one_sample_has_no_stability():
    header = DataSetHeader(
        name="d", samples=np.array(list("wxyz")), labels=np.array(list("abbb")), n_features=10
    )
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
    table = selected(["g1", "g2"], ["g2", "g3", "g5", "g6"], [])
    (row,) = recovery({KEY: table}, {KEY: FITS.head(3)}, {"d": truth}).to_dict("records")
    assert row["planted"] == 3
    assert row["by_chance"] == pytest.approx(0.3)
    # of two and of four selected features; the fold that selects nothing has no precision
    assert row["precision"] == pytest.approx((2 / 2 + 1 / 4) / 2)
    assert row["recall"] == pytest.approx((2 / 3 + 1 / 3 + 0) / 3)
    # no marker is weaker than g1, two of three are weaker than g2
    assert row["strength"] == pytest.approx(((0 + 2 / 3) / 2 + (2 / 3) / 4) / 2)
