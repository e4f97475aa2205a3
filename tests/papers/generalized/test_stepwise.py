"""Stepwise logistic regression where Wald's test fails."""

import numpy as np
import pytest
from scipy.stats import chi2

from xnbflow.papers.generalized.stepwise import stepwise_logistic


def test_a_candidate_that_nearly_separates_is_kept_by_the_likelihood_ratio():
    """Wald's chi-square is .2, far below 3.84, and the likelihood ratio 22 (Hauck and Donner)."""
    candidate = np.r_[np.full(8, -3.0), -0.01, 0.01, np.full(8, 3.0)]
    events = np.repeat([0, 1, 0, 1], [8, 1, 1, 8])
    selected, path = stepwise_logistic(candidate[None], events)
    assert selected.tolist() == [0]
    assert path["action"].tolist() == ["enter"]
    ratio = 2 * (path["log_likelihood"].iloc[0] + 18 * np.log(2))
    assert ratio == pytest.approx(22.12, abs=0.01)
    assert ratio > chi2.isf(0.05, 1)
