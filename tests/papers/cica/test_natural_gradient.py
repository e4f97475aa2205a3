"""The descent of CICA: its objective, its steps, and where it ends."""

import numpy as np
import pytest
from scipy.optimize import minimize

from xnbflow.papers.cica.natural_gradient import (
    ConditionalEntropy,
    Descent,
    _descent_direction,
    natural_gradient,
)
from xnbflow.papers.cica.simulation import simulate


def objective_of(n_samples, factor, seed=0):
    simulation = simulate(n_samples, np.random.default_rng(seed))
    inputs = (simulation.inputs - simulation.inputs.mean(axis=0)).T
    return ConditionalEntropy(inputs, simulation.target / simulation.target.std(), factor)


class Bowl:
    """A quadratic objective of a single number W, which is not standardised.

    Its value is ``curvature * (W - minimum)² / 2``, and its derivative by relative changes of W
    ``curvature * (W - minimum) * W``.
    """

    def __init__(self, *, curvature, minimum):
        self.curvature = curvature
        self.minimum = minimum
        self.evaluated = []

    def __call__(self, demixing):
        self.evaluated.append(demixing.item())
        distance = demixing - self.minimum
        return 0.5 * self.curvature * distance.item() ** 2, self.curvature * distance @ demixing

    def standardise(self, demixing):
        return demixing


def test_the_gradient_is_that_of_relative_changes():
    objective = objective_of(60, 0.5)
    demixing = objective.standardise(np.array([[1.0, -0.3], [0.2, 1.0]]))
    _, gradient = objective(demixing)
    for i, j in ((0, 1), (1, 0), (0, 0)):
        change = np.zeros((2, 2))
        change[i, j] = 1e-6
        above, _ = objective(objective.standardise((np.eye(2) + change) @ demixing))
        below, _ = objective(objective.standardise((np.eye(2) - change) @ demixing))
        assert gradient[i, j] == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-8)


def test_the_objective_never_rises_and_ends_flat():
    objective = objective_of(200, 0.25)
    descent = natural_gradient(objective, np.eye(2), max_iter=200, tol=1e-4)
    assert descent.converged
    assert np.all(np.diff(descent.values) < 0)
    assert np.abs(objective(descent.path[-1])[1]).max() <= 1e-4


def test_widths_shrink_with_the_sixth_root_of_the_samples():
    """Section 4: n**(-1/6); 64 samples have half the width of one."""
    rng = np.random.default_rng(0)
    objective = ConditionalEntropy(rng.normal(size=(2, 64)), rng.normal(size=64), 0.8)
    assert objective.width == pytest.approx(0.4)


def test_a_descent_without_steps_is_its_start_and_has_not_converged():
    descent = natural_gradient(objective_of(60, 0.5), np.eye(2), max_iter=0, tol=1e-4)
    assert len(descent.path) == len(descent.values) == 1
    assert not descent.converged


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_a_descent_takes_the_steps_that_it_may_and_reports_that_it_is_not_flat(max_iter):
    objective = objective_of(100, 0.25)
    descent = natural_gradient(objective, np.eye(2), max_iter=max_iter, tol=1e-8)
    assert len(descent.path) == max_iter + 1
    assert np.abs(objective(descent.path[-1])[1]).max() > 1e-8
    assert not descent.converged


def test_a_flat_start_has_converged_without_a_step():
    descent = natural_gradient(objective_of(60, 0.5), np.eye(2), max_iter=5, tol=1e9)
    assert len(descent.path) == 1
    assert descent.converged


def test_the_first_step_is_a_tenth_of_the_natural_gradient():
    objective = objective_of(100, 1.0)
    start = objective.standardise(np.eye(2))
    gradient = objective(start)[1]
    assert np.abs(gradient).max() < 10  # else the step is shortened
    path = natural_gradient(objective, np.eye(2), max_iter=1, tol=1e-8).path
    expected = objective.standardise(start - 0.1 * gradient @ start)
    np.testing.assert_allclose(path[1], expected)


def test_no_entry_of_a_step_is_longer_than_w():
    """At W = 1 the gradient is -200, and a tenth of it would be a step of 20 W; it is 1 W."""
    bowl = Bowl(curvature=200.0, minimum=2.0)
    natural_gradient(bowl, np.array([[1.0]]), max_iter=1, tol=1e-8)
    assert bowl.evaluated[1] == pytest.approx(2.0)


def test_a_step_that_does_not_descend_is_shortened_to_four_tenths():
    """From W = 1 to 2, higher; to 1.4, as high by symmetry; to 1.16, lower."""
    bowl = Bowl(curvature=75.0, minimum=1.2)
    natural_gradient(bowl, np.array([[1.0]]), max_iter=1, tol=1e-8)
    np.testing.assert_allclose(bowl.evaluated, [1.0, 2.0, 1.4, 1.16])


def test_the_direction_is_the_gradient_times_the_inverse_curvature():
    """Of a quadratic function in two dimensions, two past moves tell the whole curvature."""
    curvature = np.array([[3.0, 1.0], [1.0, 2.0]])
    moves = [np.array([[1.0, 0.0]]), np.array([[-0.3, 0.9]])]  # conjugate: 3 * -.3 + 1 * .9 = 0
    history = [(move, move @ curvature) for move in moves]
    gradient = np.array([[0.7, -1.1]])
    expected = gradient @ np.linalg.inv(curvature)
    np.testing.assert_allclose(_descent_direction(gradient, history), expected)


def test_the_curvature_of_several_steps_saves_steps():
    """12 matrices on the path; 25 with the curvature of the last step alone."""
    simulation = simulate(200, np.random.default_rng(0))
    inputs = (simulation.inputs - simulation.inputs.mean(axis=0)).T
    objective = ConditionalEntropy(inputs, simulation.target / simulation.target.std(), 1.0)
    whitening = np.linalg.inv(np.linalg.cholesky(np.cov(inputs)))
    descent = natural_gradient(objective, whitening, max_iter=500, tol=1e-6)
    assert descent.converged
    assert len(descent.path) <= 16


class Wave(Bowl):
    """``cos(W)``, whose curvature is negative from 0 to half of pi, and least at pi."""

    def __init__(self):
        self.evaluated = []

    def __call__(self, demixing):
        self.evaluated.append(demixing.item())
        return float(np.cos(demixing.item())), -np.sin(demixing) @ demixing


def test_a_negative_curvature_does_not_turn_the_descent():
    """A quadratic model of the wave near 0 has a maximum, towards which a step would rise."""
    descent = natural_gradient(Wave(), np.array([[0.3]]), max_iter=300, tol=1e-6)
    assert descent.converged
    assert descent.path[-1].item() == pytest.approx(np.pi, abs=1e-5)


def test_the_end_is_the_minimum_that_scipy_finds_from_there():
    objective = objective_of(100, 0.5)
    descent = natural_gradient(objective, np.eye(2), max_iter=200, tol=1e-7)

    def value(entries):
        change = np.array([[1.0, entries[0]], [entries[1], 1.0]])
        return objective(objective.standardise(change @ descent.path[-1]))[0]

    minimum = minimize(value, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9})
    assert descent.values[-1] <= minimum.fun + 1e-9


def test_a_descent_after_another_has_the_steps_of_both():
    first = Descent(path=[np.eye(1), 2 * np.eye(1)], values=[3.0, 2.0], converged=False)
    second = Descent(path=[2 * np.eye(1), 3 * np.eye(1)], values=[2.0, 1.0], converged=True)
    both = first.then(second)
    assert [W.item() for W in both.path] == [1.0, 2.0, 3.0]
    assert both.values == [3.0, 2.0, 1.0]
    assert both.converged


def test_samples_left_out_are_valued_as_the_components_are_scaled():
    """In nats of the inputs: -log |det W| and the log-densities of W x add up to the same for W
    and 5 W with kernels five times as wide; here W alone is scaled, by its determinant."""
    objective = objective_of(50, 0.5)
    new = objective_of(20, 0.5, seed=1)
    demixing = np.array([[1.0, -0.5], [-0.5, 1.0]])
    log_densities = -objective.held_out(demixing, new.inputs, new.target * new.width)
    log_densities -= np.log(0.75)  # the determinant
    components = demixing @ new.inputs
    total = 0.0
    for z, training in zip(components, demixing @ objective.inputs, strict=True):
        target_kernels = np.exp(
            -0.5 * ((new.target * new.width / objective.width)[:, None] - objective.target) ** 2
        )
        kernels = np.exp(-0.5 * ((z[:, None] - training) / objective.width) ** 2)
        kernels /= objective.width * np.sqrt(2 * np.pi)
        joint = (kernels * target_kernels).sum(axis=1) + 0.1 / (np.pi * (1 + z**2))
        total += np.log(joint / (target_kernels.sum(axis=1) + 0.1)).mean()
    assert log_densities == pytest.approx(total)


def test_classes_are_rows_of_a_mesh_and_numbers_are_spread_over_rows():
    """1,500 samples in three classes take a mesh of three rows; codes are 1e30 apart."""
    inputs = np.random.default_rng(0).normal(size=(2, 1500))
    codes = np.repeat([0.0, 1e30, 2e30], 500)
    objective = ConditionalEntropy(inputs, codes, 1.0)
    assert objective.density.mesh.n_rows == 3
    numbers = ConditionalEntropy(inputs, inputs[0], 1.0)
    assert numbers.density.mesh.n_rows > 20
