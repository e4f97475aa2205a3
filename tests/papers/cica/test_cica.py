"""CICA: the objective and its descent, what is recovered, and the data that it takes."""

import numpy as np
import pytest

from xnbflow.core.errors import InputError
from xnbflow.papers.cica.natural_gradient import ConditionalEntropy, natural_gradient
from xnbflow.papers.cica.simulation import recovery_error, simulate
from xnbflow.papers.cica.transformer import CICA, _kernel_target

A = np.array([[1.0, 0.5], [0.5, 1.0]])  # the paper's mixing


def draw(n_samples=200, seed=0):
    simulation = simulate(n_samples, np.random.default_rng(seed))
    return simulation.inputs, simulation.target


def objective_of(X, y, factor):
    return ConditionalEntropy((X - X.mean(axis=0)).T, y / y.std(), factor)


def test_the_gradient_is_that_of_relative_changes():
    X, y = draw(60)
    objective = objective_of(X, y, 0.5)
    demixing = objective.standardise(np.array([[1.0, -0.3], [0.2, 1.0]]))
    _, gradient = objective(demixing)
    for i, j in ((0, 1), (1, 0), (0, 0)):
        change = np.zeros((2, 2))
        change[i, j] = 1e-6
        ahead, behind = (
            objective(objective.standardise((np.eye(2) + sign * change) @ demixing))[0]
            for sign in (1, -1)
        )
        assert gradient[i, j] == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-8)


def test_the_objective_never_rises_and_ends_flat():
    X, y = draw()
    objective = objective_of(X, y, 0.25)
    descent = natural_gradient(objective, np.eye(2), max_iter=200, tol=1e-4)
    assert descent.converged
    assert np.all(np.diff(descent.values) < 0)
    assert np.abs(objective(descent.path[-1])[1]).max() <= 1e-4


@pytest.mark.parametrize(("n_samples", "most"), [(200, 0.6), (1000, 0.25)])
def test_the_chosen_width_recovers_the_sources(n_samples, most):
    fits = [CICA(random_state=seed).fit(*draw(n_samples, seed)) for seed in range(5)]
    assert np.median([recovery_error(cica.components_ @ A) for cica in fits]) <= most
    assert all(cica.converged_ for cica in fits)


def test_components_are_the_documented_map():
    X, y = draw()
    X = X * [1e3, 1e-3] + 7
    cica = CICA(width=0.25, random_state=0).fit(X, y)
    components = cica.transform(X)
    np.testing.assert_allclose(components, (X - cica.mean_) @ cica.components_.T)
    np.testing.assert_allclose(components.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(components.std(axis=0), 1)
    np.testing.assert_allclose(components @ cica.mixing_.T + cica.mean_, X)
    largest = np.abs(cica.components_ * X.std(axis=0)).argmax(axis=1)
    assert (cica.components_[[0, 1], largest] > 0).all()


def test_integers_and_strings_are_the_same_classes_and_floats_are_not():
    X, y = draw(90)
    codes = np.digitize(y, [-1, 1])
    integers = CICA(width=1.0, random_state=0).fit(X, codes)
    strings = CICA(width=1.0, random_state=0).fit(X, np.array(["low", "middle", "top"])[codes])
    real = CICA(width=1.0, random_state=0).fit(X, codes.astype(float))
    np.testing.assert_array_equal(integers.components_, strings.components_)
    assert not np.array_equal(integers.components_, real.components_)


@pytest.mark.parametrize("basis", [4, 12, np.square, lambda y: np.column_stack([y, y**2])])
def test_the_canonical_subspace_is_that_of_functions_of_the_target(rng, basis):
    # y's square is all that the first input tells
    y = rng.uniform(-1, 1, 400)
    X = np.column_stack([y**2, rng.normal(size=400), rng.normal(size=400)])
    X[:, 0] += 0.02 * rng.normal(size=400)
    cica = CICA(n_components=1, basis=basis, width=1.0).fit(X, y)
    assert abs(np.corrcoef(cica.transform(X)[:, 0], y**2)[0, 1]) > 0.95


def test_fewer_components_than_dimensions_can_always_be_found(rng):
    y = rng.normal(size=30)
    X = rng.normal(size=(30, 50))
    X[:, :10] += 3 * y[:, np.newaxis]
    cica = CICA(n_components=1).fit(X, y)
    assert abs(np.corrcoef(cica.transform(X)[:, 0], y)[0, 1]) > 0.9
    X, y = draw()
    repeated = np.column_stack([X, X[:, 0] - 2 * X[:, 1]])
    reduced = CICA(n_components=2, width=0.25, random_state=0).fit(repeated, y).transform(repeated)
    assert np.linalg.matrix_rank(reduced) == 2
    constant = np.column_stack([X, np.full(200, 0.1)])
    cica = CICA(n_components=2, width=0.25, random_state=0).fit(constant, y)
    np.testing.assert_array_equal(cica.components_[:, 2], 0)


def test_the_canonical_subspace_has_no_more_than_the_given_functions(rng):
    y = rng.uniform(-1, 1, 400)
    X = np.column_stack([y**2, y, rng.normal(size=400)]) + 0.1 * rng.normal(size=(400, 3))
    # of the odd function alone the first input, y's square, is no part
    cica = CICA(n_components=1, basis=lambda y: y, width=1.0).fit(X, y)
    component = cica.transform(X)[:, 0]
    assert abs(np.corrcoef(component, y)[0, 1]) > 0.95
    assert abs(np.corrcoef(component, y**2)[0, 1]) < 0.2
    with pytest.raises(InputError, match="1 canonical directions with 1 functions"):
        CICA(n_components=2, basis=lambda y: y, width=1.0).fit(X, y)
    with pytest.raises(InputError, match=r"shape \(5,\) for 400 samples"):
        CICA(n_components=1, basis=lambda y: y[:5], width=1.0).fit(X, y)


def test_labels_are_classes_if_there_are_two_samples_of_each_on_average():
    codes = _kernel_target(np.array(["a", "a", "b", "b", "c", "c"]))
    assert np.unique(codes).size == 3
    assert np.diff(np.unique(codes)).min() > 1e9  # no kernel reaches another class
    with pytest.raises(InputError, match="3 different labels among 5 samples"):
        _kernel_target(np.array(["a", "a", "b", "b", "c"]))


def test_widths_shrink_with_the_sixth_root_of_the_samples():
    """Section 4: n**(-1/6); 64 samples have half the width of one."""
    rng = np.random.default_rng(0)
    objective = ConditionalEntropy(rng.normal(size=(2, 64)), rng.normal(size=64), 0.8)
    assert objective.width == pytest.approx(0.4)


def test_the_papers_width_is_one():
    simulation = simulate(30, np.random.default_rng(0))
    cica = CICA(width="paper", n_restarts=0, max_iter=1, tol=1e9)
    assert cica.fit(simulation.inputs, simulation.target).width_ == 1.0
