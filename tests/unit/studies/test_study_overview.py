"""The overview of a study: shares of dependent and non-normal features, and p values."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from prediction_tables import HEADER

from xnbflow.data.dataset import DataSet
from xnbflow.studies import study_overview


def test_ratios_are_shares_below_the_level():
    overall = pd.DataFrame({"class": "", "p": [0.01, 0.04, 0.03, 0.9]})
    within = pd.DataFrame({"class": list("aaabb"), "p": [0.01, 0.04, 0.2, np.nan, 0.3]})
    normality = pd.concat([overall, within], ignore_index=True)
    dependence = pd.DataFrame(
        {"dependent": [True, False, False, False], "r": [-0.9, 0.1, 0.2, 0.3]}
    )
    ratios = study_overview._ratios(normality, dependence, 0.05)
    assert ratios["non_normal_ratio"] == 0.75
    assert ratios["non_normal_within_ratio"] == 0.5  # .01 and .04 of four tested
    assert ratios["non_normal_ratio_fdr"] == 0.25  # .04, .0533, .0533, .9 and .04, .08, .2667, .3
    assert ratios["non_normal_within_ratio_fdr"] == 0.25
    assert ratios["dependent_ratio"] == 0.25
    assert ratios["max_abs_r"] == 0.9


def test_the_missing_values_of_a_data_set_are_the_most_that_a_fold_filled_in():
    fits = {
        ("d", "f", "nb"): pd.DataFrame({"imputed": [2, 5]}),
        ("d", "f", "xnb"): pd.DataFrame({"imputed": [3, 0]}),
    }
    (row,) = study_overview.datasets({"d": HEADER}, fits, {"d": {"cut": 0.7}}).to_dict("records")
    assert (row["imputed"], row["samples"], row["classes"]) == (5, 20, 2)
    assert row["cut"] == 0.7


def test_problems_are_failures_and_warnings():
    fits = pd.DataFrame(
        {"repeat": 0, "fold": range(3), "error": ["", "E", ""], "warnings": ["", "", "W"]}
    )
    table = study_overview.problems({("d", "f", "nb"): fits})
    assert table[["fold", "kind", "text"]].to_numpy().tolist() == [
        [1, "error", "E"],
        [2, "warnings", "W"],
    ]


def test_features_that_separate_a_class_by_chance_are_a_share_of_all_orders():
    """Of C(7, 3) = 35 sets of the ranks of three samples two are at an end: 12,000 2 / 35."""
    samples = np.array([f"s{i}" for i in range(7)])
    labels = np.array(list("aaabbbb"))
    header = DataSet("d", None, [f"g{i}" for i in range(12_000)], samples, labels)
    table = study_overview.class_sizes({"d": header})
    assert table["perfect_by_chance"].tolist() == pytest.approx([12_000 * 2 / 35] * 2)
    grouped = dataclasses.replace(header, groups=np.array(list("ppqrrst")))
    assert study_overview.class_sizes({"d": grouped})["perfect_by_chance"].isna().all()
