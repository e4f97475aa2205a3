"""Columns that are outcomes rather than confounders: follow-up, and the class in other words."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.confounders import confounders, is_class_in_other_words, usable

N = 24
LABELS = np.repeat(["tumour", "normal"], N // 2)


def findings(**columns):
    """Return the rows of the audit by subject."""
    values = np.random.default_rng(0).normal(size=(40, N))
    series = DataSet(
        "toy",
        values,
        features=[f"g{i}" for i in range(40)],
        samples=[f"s{i}" for i in range(N)],
        labels=LABELS,
        sample_metadata=pd.DataFrame(columns, dtype=object),
    )
    return {row["subject"]: row for row in confounders(series)}


def test_follow_up_is_not_tested_and_no_column_to_adjust_for():
    days = [str(100 + i + 500 * (i >= N // 2)) for i in range(N)]
    rows = findings(days_to_death=days, vital_status=["dead", "alive"] * 12, days=days)
    for name in ("days_to_death", "vital_status"):
        assert (rows[name]["check"], rows[name]["severity"]) == ("follow-up", "notice")
        assert "survival model" in rows[name]["finding"]
        assert np.isnan(rows[name]["p"])
    assert rows["days"]["check"] == "confounder"  # the same numbers under another name
    assert "`adjust: [days]`" in rows["days"]["finding"]


def test_sites_of_the_body_are_no_batch():
    body = np.resize(["colon", "liver", "lung"], N)
    rows = findings(site=body, hospital=np.resize(["Ulm", "Bonn", "Kiel"], N))
    assert np.isnan(rows["site"]["genes"])
    assert not np.isnan(rows["hospital"]["genes"])  # batches are compared gene by gene


def test_follow_up_does_not_predict_the_class_from_the_phenotype():
    labels = pd.Series(LABELS)
    cells = pd.Series([str(i) for i in range(N)])
    assert usable(labels, cells.rename("days_to_death")) is None
    assert usable(labels, cells.rename("days")) is not None


@pytest.mark.parametrize(
    ("name", "cells", "same"),
    [
        ("Treatment.Group", ["Group 1"] * 12 + ["Group 2"] * 12, True),
        ("dose_mg", ["0"] * 12 + ["5"] * 6 + ["10"] * 6, True),
        ("dose_mg", ["0"] * 11 + ["5"] * 13, False),  # a dose of both classes
        ("genotype", ["WT"] * 12 + ["KO"] * 12, True),
        ("hospital", ["Ulm"] * 12 + ["Bonn"] * 12, False),
        ("colour", ["red"] * 12 + ["blue"] * 12, False),
    ],
)
def test_a_treatment_or_dose_of_one_class_each_is_the_class_in_other_words(name, cells, same):
    assert is_class_in_other_words(pd.Series(LABELS), pd.Series(cells, name=name)) == same
    check = findings(**{name: cells})[name]["check"]
    assert (check == "class in other words") == same
