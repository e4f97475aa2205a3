"""CICA: what is recovered, which start and width are chosen, and the data that it takes."""

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from xnbflow.core.errors import InputError
from xnbflow.papers.cica import transformer
from xnbflow.papers.cica.natural_gradient import Descent
from xnbflow.papers.cica.simulation import recovery_error, simulate
from xnbflow.papers.cica.transformer import CICA, _kernel_target

A = np.array([[1.0, 0.5], [0.5, 1.0]])  # the paper's mixing


def draw(n_samples=200, seed=0):
    simulation = simulate(n_samples, np.random.default_rng(seed))
    return simulation.inputs, simulation.target


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


def test_the_papers_width_is_one():
    simulation = simulate(30, np.random.default_rng(0))
    cica = CICA(width="paper", n_restarts=0, max_iter=1, tol=1e9)
    assert cica.fit(simulation.inputs, simulation.target).width_ == 1.0


class Descents:
    """Takes the place of `natural_gradient`: each descent stays at its start.

    The ends have the ``values`` in turn. The starts, and the numbers of samples of the objectives,
    are recorded.
    """

    def __init__(self, values, *, converged=True):
        self.values = iter(values)
        self.converged = converged
        self.starts = []
        self.n_samples = []

    def __call__(self, objective, start, *, max_iter, tol):
        self.starts.append(start)
        self.n_samples.append(objective.inputs.shape[1])
        return Descent(path=[start], values=[next(self.values)], converged=self.converged)


@pytest.fixture
def replace_descents(monkeypatch):
    def replace(values, **kwargs):
        descents = Descents(values, **kwargs)
        monkeypatch.setattr(transformer, "natural_gradient", descents)
        return descents

    return replace


def test_the_lowest_descent_is_taken(replace_descents):
    """Ends: of the inputs as they are, of the residuals' components, of the former continued."""
    X, y = draw(60)
    replace_descents([5.0, 3.0, 4.0])
    from_residuals = CICA(width=1.0, n_restarts=0, random_state=0).fit(X, y)
    assert from_residuals.objective_ == 3.0
    replace_descents([3.0, 4.0, 3.0])
    from_inputs = CICA(width=1.0, n_restarts=0, random_state=0).fit(X, y)
    assert from_inputs.objective_ == 3.0
    # W of the inputs as they are: each component is one of them
    assert np.count_nonzero(np.abs(from_inputs.components_) > 1e-9) == 2
    assert np.count_nonzero(np.abs(from_residuals.components_) > 1e-9) == 4


def test_of_the_restarts_the_lowest_continues(replace_descents):
    X, y = draw(60)
    # the inputs as they are, four rotations, the residuals' components, the lowest continued
    descents = replace_descents([5.0, 4.0, 2.0, 3.0, 4.5, 9.0, 2.0])
    cica = CICA(width=1.0, n_restarts=1, random_state=0).fit(X, y)
    assert cica.objective_ == 2.0
    np.testing.assert_array_equal(descents.starts[6], descents.starts[2])
    np.testing.assert_allclose(descents.starts[2] @ descents.starts[2].T, np.eye(2), atol=1e-12)


@pytest.mark.parametrize(
    ("ends", "n_rotations"),
    [
        ([3.0, 2.0, 1.0, 1.0009], 3),  # as many as asked for; two end equally low
        ([3.0, 2.0, 1.0, 1.0011, 0.5, 0.5], 5),  # until two do
        ([3.0, *np.arange(2.9, 1.6, -0.1)], 12),  # at most four times as many
        ([1.0] * 4, 3),
    ],
)
def test_restarts_end_when_the_lowest_end_is_reached_twice(replace_descents, ends, n_rotations):
    X, y = draw(60)
    # Then come the descents from the residuals' components and from the end of the lowest restart.
    descents = replace_descents([*ends, 9.0, 9.0])
    CICA(width=1.0, n_restarts=3, random_state=0).fit(X, y)
    assert len(descents.starts) == 1 + n_rotations + 2
    lowest = np.argmin(ends[: 1 + n_rotations])
    np.testing.assert_array_equal(descents.starts[-1], descents.starts[lowest])


@pytest.mark.parametrize(("n_samples", "n_used"), [(500, 500), (700, 500), (60, 60)])
def test_restarts_use_500_samples(replace_descents, n_samples, n_used):
    X, y = draw(n_samples)
    descents = replace_descents([1.0] * 4)
    CICA(width=1.0, n_restarts=1, random_state=0).fit(X, y)
    # two restarts; the residuals' components and the lowest restart have all samples
    assert descents.n_samples == [n_used, n_used, n_samples, n_samples]


def choose_width(replace_descents, losses, n_samples=300):
    """The width that is chosen where descents end with these losses, and their samples.

    Four descents follow those of the widths: from the inputs, the residuals' components, the end
    of the chosen width, and the end of the first of these.
    """
    X, y = draw(n_samples)
    descents = replace_descents(itertools.chain(losses, itertools.repeat(9.0)))
    cica = CICA(n_restarts=0, random_state=0).fit(X, y)
    return cica.width_, descents.n_samples[:-4]


@pytest.mark.parametrize(
    ("losses", "n_tried", "width"),
    [
        ([3.0, 2.0, 1.0, 1.5, 1.2, 0.0], 5, 0.5),  # two narrower widths are worse
        ([1.0, 2.0, 2.0, 0.0], 3, 1.0),
        ([3.0, 2.0, 2.5, 1.0, 1.5, 1.5, 0.0], 6, 2**-1.5),
        (np.arange(9.0, 0.0, -1.0), 9, 1 / 16),  # the narrowest
    ],
)
def test_the_width_of_least_loss_is_chosen(replace_descents, losses, n_tried, width):
    """Widths are powers of the root of 1/2, from 1 on."""
    chosen, samples_of_descents = choose_width(replace_descents, losses)
    assert chosen == pytest.approx(width)
    assert len(samples_of_descents) == n_tried


@pytest.mark.parametrize(("n_samples", "per_width"), [(300, 1), (299, 5)])
def test_below_150_samples_of_each_component_five_folds_are_left_out(
    replace_descents, n_samples, per_width
):
    _, samples_of_descents = choose_width(replace_descents, itertools.repeat(1.0), n_samples)
    assert len(samples_of_descents) % per_width == 0
    expected = {300} if per_width == 1 else {239, 240}  # four fifths of 299
    assert set(samples_of_descents) == expected


def test_a_fit_that_does_not_converge_warns_with_its_steps(replace_descents):
    X, y = draw(60)
    with pytest.warns(ConvergenceWarning, match=r"after 7 steps: raise max_iter \(7\) or tol"):
        cica = CICA(width=0.25, n_restarts=0, max_iter=7, tol=1e-12).fit(X, y)
    assert (cica.n_iter_, cica.converged_) == (7, False)
    # where no step descends there are fewer steps than max_iter
    replace_descents(itertools.repeat(1.0), converged=False)
    with pytest.warns(ConvergenceWarning, match=r"after 0 steps: raise max_iter \(7\) or tol"):
        CICA(width=0.25, n_restarts=0, max_iter=7).fit(X, y)


@pytest.mark.parametrize(("noise", "dimensions"), [(1e-4, 2), (1e-6, 1)])
def test_inputs_that_repeat_others_but_for_rounding_are_refused(noise, dimensions):
    """The eigenvalues of the correlation matrix are 2 and noise² / 2, which is compared with
    1e-10 of the former."""
    X, y = draw(100)
    repeated = np.column_stack([X[:, 0], X[:, 0] + noise * X[:, 0].std() * X[:, 1] / X[:, 1].std()])
    cica = CICA(width=1.0, n_restarts=0, max_iter=1, tol=1e9)
    if dimensions == 2:
        assert cica.fit(repeated, y).components_.shape == (2, 2)
    else:
        with pytest.raises(InputError, match="vary in 1 dimensions only"):
            cica.fit(repeated, y)


def test_the_canonical_direction_of_many_inputs_predicts_new_samples(rng):
    """60 samples of 50 inputs, of which one has information: .81; .15 to .64 without the ridge."""
    y = rng.normal(size=120)
    X = rng.normal(size=(120, 50))
    X[:, 0] += 3 * y
    cica = CICA(n_components=1, width=1.0).fit(X[:60], y[:60])
    component = cica.transform(X[60:])[:, 0]
    assert abs(np.corrcoef(component, y[60:])[0, 1]) > 0.75


def test_plain_canonical_correlation_is_the_textbook_s(rng):
    """The subspace of the eigenvectors of Cxx^-1 Cxc Ccc^-1 Ccx (Hotelling 1936)."""
    y = rng.uniform(-3, 3, 300)
    sources = np.column_stack([y, y**2, rng.normal(size=(300, 2))])
    X = (sources + rng.normal(size=(300, 4))) @ rng.normal(size=(4, 4))
    functions = np.column_stack([y, y**2, y**3])
    options = {
        "n_components": 2,
        "basis": lambda target: np.column_stack([target, target**2, target**3]),
    }
    cica = CICA(canonical="plain", width=1.0, random_state=0, **options).fit(X, y)
    centred, c = X - X.mean(axis=0), functions - functions.mean(axis=0)
    cross = centred.T @ c
    product = np.linalg.solve(centred.T @ centred, cross @ np.linalg.solve(c.T @ c, cross.T))
    values, vectors = np.linalg.eig(product)
    expected = np.linalg.qr(vectors[:, np.argsort(-values.real)[:2]].real)[0]
    actual = np.linalg.qr(cica.components_.T)[0]
    # all principal angles of the two subspaces are 0
    assert np.linalg.svd(expected.T @ actual, compute_uv=False) == pytest.approx([1.0, 1.0])
    ridged = CICA(width=1.0, random_state=0, **options).fit(X, y)
    other = np.linalg.qr(ridged.components_.T)[0]
    assert np.linalg.svd(expected.T @ other, compute_uv=False)[1] < 1 - 1e-9


def test_plain_canonical_correlation_needs_inputs_of_full_rank(rng):
    X = rng.normal(size=(40, 3))
    X = np.column_stack([X, X.sum(axis=1)])
    with pytest.raises(InputError, match="singular covariance"):
        CICA(n_components=1, canonical="plain").fit(X, X[:, 0] + rng.normal(size=40))
    CICA(n_components=1, width=1.0).fit(X, X[:, 0] + rng.normal(size=40))
