"""Suspect samples: more than half of the tests, and a positive mean margin."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.studies.sample_errors import samples

KEY = ("d", "f", "nb")


def is_suspect(predicted, probability_of_b, *, recognised=True):
    """Return whether a sample of the class a is suspect, after a test for each prediction."""
    table = pd.DataFrame(
        {
            "sample": "s",
            "true": "a",
            "predicted": list(predicted),
            "log_posterior.a": np.log1p(-np.array(probability_of_b)),
            "log_posterior.b": np.log(probability_of_b),
        }
    )
    estimates = pd.DataFrame(
        [{"dataset": "d", "folds": "f", "classifier": "nb", "metric": "recall", "class": "a"}]
    ).assign(above=recognised)
    (row,) = samples({KEY: table}, estimates).to_dict("records")
    return row["suspect"]


@pytest.mark.parametrize(
    ("predicted", "probability_of_b", "suspect"),
    [
        ("bba", [0.9, 0.9, 0.1], True),
        ("ba", [0.9, 0.1], False),  # half of the tests
        ("bb", [0.5, 0.5], False),  # both classes are equally probable: the margin is 0
        ("bb", [0.51, 0.51], True),
    ],
)
def test_a_sample_is_suspect_by_most_tests_and_a_margin(predicted, probability_of_b, suspect):
    assert is_suspect(predicted, probability_of_b) == suspect
    assert not is_suspect(predicted, probability_of_b, recognised=False)
