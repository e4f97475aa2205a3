"""A verdict on a second cohort in words."""

import numpy as np

from xnbflow.report.sentences import cohort_sentence


def test_a_verdict_in_words_has_the_numbers_of_its_row(expected_texts):
    row = {"train": "a", "test": "b", "n": 40, "right": 30.0, "value": 0.75, "lower": 0.6}
    row |= {"upper": 0.85, "chance": 0.5, "p_value": 0.0012, "loss": -0.051, "loss_lower": -0.2}
    row |= {"loss_upper": 0.1, "auc": 0.8, "auc_lower": 0.7, "auc_upper": 0.9, "needed": 11.0}
    rest = expected_texts[1]
    start = expected_texts[2]
    reason = {"verdict": "held in part", "reason": "a class is not recognised"}
    assert cohort_sentence(row | reason, "NB") == start + rest
    start = expected_texts[3]
    reason = {"verdict": "ranking holds", "reason": "the threshold does not"}
    assert cohort_sentence(row | reason, "NB") == start + rest
    unknown = dict.fromkeys(("loss", "auc"), np.nan)
    actual = cohort_sentence(row | unknown | {"verdict": "held", "reason": ""}, "NB")
    assert actual.startswith("Held: NB, trained on a, ")
    assert expected_texts[0] in actual
    untested = {"value": np.nan, "verdict": "cannot tell", "reason": "all samples are t"}
    assert cohort_sentence(row | untested, "NB") == "Cannot tell: all samples are t."
