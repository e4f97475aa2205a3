"""The cost of CICA in its three forms: against each other, and against normal distributions."""

import numpy as np
import pytest
from scipy.stats import norm

from xnbflow.papers.cica.cost import (
    _joint_entropy,
    conditional_divergence,
    cost_in_entropies,
    cost_up_to_constant,
)
from xnbflow.papers.cica.simulation import simulate


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(2)
    target = rng.normal(size=40)
    mixing = np.array([[1.0, 0.8, 0.0], [0.0, 0.6, 0.2], [0.5, 0.0, 2.0]])
    return mixing @ (target + rng.normal(size=(3, 40))), target


def test_the_divergence_is_its_form_in_entropies(samples):
    """Eqs. 5 and 6, for one, two and three components."""
    components, target = samples
    for d in (1, 2, 3):
        divergence = conditional_divergence(components[:d], target)
        assert cost_in_entropies(components[:d], target) == pytest.approx(divergence, abs=1e-12)
    assert conditional_divergence(components[:1], target) == pytest.approx(0, abs=1e-12)


def test_equation_7_differs_by_what_the_demixing_does_not_change(samples):
    """Eqs. 6 and 7: by H(x, y) + (d - 1) H(y)."""
    inputs, target = samples
    target_alone = _joint_entropy(inputs[:0], target)
    constant = _joint_entropy(inputs, target) + 2 * target_alone
    for seed in range(4):
        demixing = np.random.default_rng(seed).normal(size=(3, 3))
        difference = cost_up_to_constant(demixing, inputs, target) - cost_in_entropies(
            demixing @ inputs, target
        )
        assert difference == pytest.approx(constant, abs=1e-9)


def test_an_entropy_is_that_of_the_kernel_density(samples):
    """Minus the mean logarithm of Eq. 10, sample by sample, with the widths of section 4."""
    (component, *_), target = samples
    shrinkage = 40 ** (-1 / 6)
    logarithms = []
    for z, y in zip(component, target, strict=True):
        kernels = norm.pdf(z, component, shrinkage * component.std())
        kernels = kernels * norm.pdf(y, target, shrinkage * target.std())
        logarithms.append(np.log(kernels.mean()))
    actual = _joint_entropy(component[np.newaxis], target)
    assert actual == pytest.approx(-np.mean(logarithms), abs=1e-12)


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.9])
def test_the_divergence_of_normal_components_is_that_of_their_correlation(correlation):
    """Given y, two normal components of correlation r have the divergence -log(1 - r²) / 2.

    The estimate is .07 to .11 higher with 1,500 samples: a kernel spans several values of y.
    """
    rng = np.random.default_rng(0)
    target, first, second = rng.normal(size=(3, 1500))
    noise = np.stack([first, correlation * first + np.sqrt(1 - correlation**2) * second])
    actual = conditional_divergence(target + noise, target)
    assert actual == pytest.approx(-0.5 * np.log(1 - correlation**2), abs=0.12)


def test_the_sources_cost_less_than_the_mixture():
    simulation = simulate(200, np.random.default_rng(0))
    sources = np.linalg.solve(simulation.mixing, simulation.inputs.T)
    cost_of_sources = conditional_divergence(sources, simulation.target)
    assert cost_of_sources < 0.1
    assert conditional_divergence(simulation.inputs.T, simulation.target) > 5 * cost_of_sources
