"""Overlap of the signatures of two cohorts."""

from dataclasses import replace

import pandas as pd
from model_files import two_classes

from xnbflow.models import validation as second_cohort

TRAIN = replace(two_classes(40), name="one")


TEST = replace(two_classes(32, seed=1), name="two")


def test_an_overlap_counts_features_in_both_signatures():
    table = pd.DataFrame({"class": "a", "feature": ["g0", "g1", "g2"], "direction": "high"})
    other = table.assign(feature=["g1", "g0", "g7"], direction=["low", "high", "low"])
    row = second_cohort.compare_signatures(table, other, TRAIN, TEST).iloc[0]
    assert (row["shared"], row["genes"], row["same_direction"]) == (2, "g0 g1", 1)
    assert (row["size_first"], row["size_second"]) == (3, 3)
