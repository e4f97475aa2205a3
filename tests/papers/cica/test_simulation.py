"""The simulation of section 6: its distributions, its mixing, and the recovery error of Eq. 12."""

import numpy as np
import pytest

from xnbflow.papers.cica.simulation import recovery_error, simulate
from xnbflow.papers.cica.transformer import CICA


def noise_of(simulation):
    """The e of the sources y + e1 and y² + e2."""
    y = simulation.target
    return np.linalg.solve([[1, 0.5], [0.5, 1]], simulation.inputs.T) - [y, y**2]


def test_samples_are_the_papers():
    simulation = simulate(2000, np.random.default_rng(0))
    y = simulation.target
    noise = noise_of(simulation)
    assert np.abs(noise).max() <= 1
    assert np.abs(np.corrcoef([*noise, y]) - np.eye(3)).max() < 0.1
    assert (y.min(), y.max()) == (pytest.approx(-3, abs=0.02), pytest.approx(3, abs=0.02))


def test_nuisance_is_mixed_with_the_sources():
    simulation = simulate(500, np.random.default_rng(0), n_nuisance=8, least_target=0.0)
    unmixed = np.linalg.solve(simulation.mixing, simulation.inputs.T)
    assert simulation.inputs.shape == (500, 10)
    assert np.abs(unmixed[0] - simulation.target).max() <= 1
    assert np.abs([np.corrcoef(row, simulation.target)[0, 1] for row in unmixed[2:]]).max() < 0.15
    assert simulation.target.min() >= 0


def test_recovery_error_is_equation_12():
    # rows: 1/4 and 3/3 + 2/3 - 1; columns: 3/4 and 1/2 ... with rows (4, 1), (3, 2)
    expected = 1 / 4 + 2 / 3 + 3 / 4 + 1 / 2
    assert recovery_error(np.array([[4.0, -1.0], [3.0, 2.0]])) == pytest.approx(expected)


@pytest.mark.parametrize("n_normal", [0, 1, 2])
def test_normal_sources_have_the_variance_of_the_uniform_ones(n_normal):
    """1/3; a uniform distribution on [-1, 1] has the kurtosis 9/5, a normal one 3."""
    noise = noise_of(simulate(20_000, np.random.default_rng(0), n_normal=n_normal))
    np.testing.assert_allclose(noise.var(axis=1), 1 / 3, rtol=0.03)
    kurtosis = (noise**4).mean(axis=1) / noise.var(axis=1) ** 2
    expected = [3.0] * n_normal + [1.8] * (2 - n_normal)
    np.testing.assert_allclose(kurtosis, expected, rtol=0.05)


@pytest.mark.slow
def test_two_normal_sources_cannot_be_told_from_their_rotations():
    """Section 3.1: at most one source may be Gaussian given y; else a rotation remains free."""
    medians = []
    for n_normal in (0, 2):
        errors = []
        for seed in range(5):
            simulation = simulate(1000, np.random.default_rng(seed), n_normal=n_normal)
            cica = CICA(random_state=0).fit(simulation.inputs, simulation.target)
            errors.append(recovery_error(cica.components_ @ simulation.mixing))
        medians.append(np.median(errors))
    assert medians[0] < 0.2
    assert medians[1] > 1.5
