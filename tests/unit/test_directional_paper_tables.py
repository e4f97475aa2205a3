"""Claims about the tables copied from the directional paper: they agree with one another."""

from pathlib import Path

import pandas as pd
import pytest

FOLDER = Path(__file__).parents[2] / "resources" / "paper"


def read(number):
    return pd.read_csv(FOLDER / f"directional_table{number}.tsv", sep="\t", comment="#")


def test_the_alternatives_of_table_5_follow_the_accuracies_of_table_1():
    accuracy = read(1).pivot_table(index="dataset", columns="classifier", values="accuracy")
    tests = read(5)
    among = tests[tests["first"].isin(accuracy.columns) & tests["second"].isin(accuracy.columns)]
    assert len(among) == 16
    for _, row in among.iterrows():
        first, second = accuracy.loc[row["dataset"], [row["first"], row["second"]]]
        sign = ">" if first > second else "<" if first < second else "!="
        assert row["alternative"] == sign


def test_the_parameters_of_table_2_follow_from_its_features_and_table_6():
    sizes = read(2).merge(read(6), on="dataset")
    continuous = sizes[(sizes["discrete"] == 0) & (sizes["classifier"] != "dNB")]
    expected = continuous["classes"] - 1 + 2 * continuous["classes"] * continuous["features"]
    assert len(continuous) == 20
    assert continuous["parameters"].tolist() == pytest.approx(expected.tolist(), abs=0.5)


def test_the_ranks_of_table_3_have_the_mean_of_five_classifiers():
    assert read(3)["average_rank"].mean() == 3


def test_the_ranks_of_table_3_follow_from_tables_1_and_5():
    accuracy = read(1).pivot_table(index="dataset", columns="classifier", values="accuracy")
    against = read(5).query("second == 'dNB'").set_index(["dataset", "first"])["alternative"]
    better = against.unstack() == ">"
    ranks = accuracy.rank(axis=1, ascending=False) + ~better
    ranks["dNB"] = 1 + better.sum(axis=1)
    expected = read(3).set_index("classifier")["average_rank"]
    pd.testing.assert_series_equal(
        ranks.mean().sort_index(), expected.sort_index(), check_names=False
    )
