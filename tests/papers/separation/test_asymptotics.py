"""The assumptions of the paper's section 2 (Eqs. 5 to 7 and 21), for what is computed here."""

import numpy as np
import pytest
from scipy.stats import kstest, ncx2

from xnbflow.naive_bayes import BlockNB
from xnbflow.papers.separation.compute_simulation import draw_trials, exact_risk

N_SAMPLES = 400
N_BLOCKS = 3000
#: Of the means of the two classes, in standard deviations.
DIFFERENCE = 0.2
#: gamma² = n J / 2, and J is the squared difference of the means.
TRUE_SCORE = N_SAMPLES * DIFFERENCE**2 / 2


@pytest.fixture(scope="module")
def scores():
    """Estimated scores of blocks of 2 features; of the first half both classes are alike."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], N_SAMPLES)
    X = rng.normal(size=(2 * N_SAMPLES, 2 * N_BLOCKS))
    X[y == 1, N_BLOCKS::2] += DIFFERENCE
    return BlockNB(blocks=2).fit(X, y).scores_[0].reshape(2, -1)


@pytest.mark.parametrize(("half", "true"), [(0, 0.0), (1, TRUE_SCORE)])
def test_scores_are_non_central_chi_square(scores, half, true):
    """Eq. 6: estimates are asymptotically normal and efficient, so that u ~ chi²_m(gamma²)."""
    assert kstest(scores[half], ncx2(2, max(true, 1e-9)).cdf).pvalue > 0.01


@pytest.mark.parametrize(("half", "true"), [(0, 0.0), (1, TRUE_SCORE)])
def test_estimated_distances_are_biased_by_the_number_of_parameters(scores, half, true):
    """Eq. 21: on the scale of scores the estimate is gamma² + m on average."""
    error = scores[half].std() / np.sqrt(len(scores[half]))
    assert scores[half].mean() == pytest.approx(true + 2, abs=3 * error)


def test_the_risk_converges_as_blocks_grow_with_the_samples():
    """Eqs. 5 and 7: at equal rho = blocks / samples its spread falls with the root of both."""
    risks = []
    for factor in (1, 16):
        rng = np.random.default_rng(factor)
        true = np.full((400, 25 * factor), 24.0)
        risks.append(exact_risk(draw_trials(true, 12, rng), np.ones(true.shape), 300 * factor))
    few, many = risks
    assert 3 < few.std() / many.std() < 5
    assert few.mean() == pytest.approx(many.mean(), abs=0.01)
    # Eq. 9 at J = 4, m = 12 and rho = 1/12
    assert many.mean() == pytest.approx(0.2071, abs=0.002)
