"""Warnings about predictions: evidence that is left, and counts of reads."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from xnbflow.models import prediction_notes
from xnbflow.models.prediction_notes import evidence_left


def test_evidence_left_is_the_mean_over_classes_of_shares_of_weights():
    signature = pd.DataFrame(
        {
            "class": ["a", "a", "b", "b"],
            "feature": ["g0", "g1", "g1", "g2"],
            "weight": [3.0, np.nan, 1.0, 1.0],  # one without a weight has weight 1
        }
    )
    model = SimpleNamespace(signature=signature, required=np.array(["g0", "g1", "g2"]))
    lacking = np.array([[False, False, False], [True, False, False], [False, True, False]])
    # (3 + 1) / 4 and 1; 1 / 4 and 1; 3 / 4 and 1 / 2
    assert evidence_left(model, lacking).tolist() == pytest.approx([1.0, 0.625, 0.625])


@pytest.mark.parametrize(
    ("missing", "lacking", "expected"),
    [
        pytest.param(
            "drop",
            [[True, False], [False, False]],
            "1 value is missing in 1 of 2 samples and is left out of the evidence",
            id="one value",
        ),
        pytest.param(
            "impute",
            [[True, False], [False, True]],
            "2 values are missing in 2 of 2 samples and are replaced by their training medians",
            id="two values",
        ),
        pytest.param(
            "impute",
            [[True, False], [True, False]],
            "1 of the model's 2 features is missing and is replaced by its training median (g0)",
            id="a feature",
        ),
    ],
)
def test_missing_values_are_noted_in_the_right_number(missing, lacking, expected):
    signature = pd.DataFrame({"class": [], "feature": [], "weight": []})
    names = np.array(["g0", "g1"])
    model = SimpleNamespace(signature=signature, required=names, used=np.arange(2))
    notes = prediction_notes._notes_of_missing(model, np.array(lacking), missing)
    assert next(notes) == expected


@pytest.mark.parametrize(
    ("scale", "lowest", "noted"),
    [(1.0, 0.0, False), (0.015, 0.0, True), (0.025, 0.0, False), (1.0, -1.0, True)],
)
def test_few_reads_and_negative_values_are_no_counts(monkeypatch, scale, lowest, noted):
    normaliser = SimpleNamespace(mean_size_=1_000_000.0)
    monkeypatch.setattr(prediction_notes, "normalisation_of_counts", lambda _: normaliser)
    features = np.array([f"g{i}" for i in range(10)])
    model = SimpleNamespace(features=features, series={}, estimator=None)
    table = pd.DataFrame(scale * np.full((3, 10), 100_000.0), columns=features)
    table.iloc[0, 0] += lowest - table.iloc[0, 0] if lowest else 0.0
    notes = list(prediction_notes._notes_of_scale(model, table))
    assert any("the model needs counts of reads" in note for note in notes) == noted
