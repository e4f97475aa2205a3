"""A verdict on a second cohort in words."""

import numpy as np

from xnbflow.report.sentences import cohort_sentence


def test_a_verdict_in_words_has_the_numbers_of_its_row():
    row = {"train": "a", "test": "b", "n": 40, "right": 30.0, "value": 0.75, "lower": 0.6}
    row |= {"upper": 0.85, "chance": 0.5, "p_value": 0.0012, "loss": -0.051, "loss_lower": -0.2}
    row |= {"loss_upper": 0.1, "auc": 0.8, "auc_lower": 0.7, "auc_upper": 0.9, "needed": 11.0}
    reason = {"verdict": "held", "reason": "a class is not recognised"}
    text = cohort_sentence(row | reason, "NB")
    assert text.startswith("Held (a class is not recognised): NB, trained on a, has a ")
    assert "75% in b (95% interval 60% to 85%, chance 50%; 5 points less than" in text
    assert "95% interval -20 to +10; AUC 0.80, 0.70 to 0.90" in text
    assert text.endswith("permuted labels: p = 0.0012); 30 of 40 samples are right.")
    reason = {"verdict": "held in ranking", "reason": "the threshold did not"}
    text = cohort_sentence(row | reason, "NB")
    assert text.startswith("The ranking held, the threshold did not: choose another")
    assert "at least 11 samples of each class of b: NB, trained on a" in text
    unknown = dict.fromkeys(("loss", "auc"), np.nan)
    actual = cohort_sentence(row | unknown | {"verdict": "held", "reason": ""}, "NB")
    assert actual.startswith("Held: NB, trained on a, ")
    assert "chance 50%; permuted labels: p = 0.0012)" in actual
    untested = {"value": np.nan, "verdict": "cannot be judged", "reason": "all samples are t"}
    assert cohort_sentence(row | untested, "NB") == "Cannot be judged: all samples are t."
