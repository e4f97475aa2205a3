"""Naive Bayes regression: against the paper's formulas written out, and what it predicts."""

import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator
from scipy.special import logsumexp

from xnbflow.naive_bayes import KernelNBRegressor
from xnbflow.papers.cica.joint import WIDTH_FACTORS
from xnbflow.papers.cica.joint_tables import JointTables, _lagrange_weights


def draw(n_samples=50, n_features=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.uniform(-3, 3, n_samples)
    X = np.column_stack([y**k for k in range(1, n_features + 1)])
    return X + rng.uniform(-1, 1, X.shape), y


def plain_log_density(X, y, x, grid, factor, used=slice(None)):
    """Eqs. 1 and 10 in logarithms: log p(y)**(1 - d) prod p(x_i, y), up to a constant."""
    shrinkage = factor * len(y) ** (-1 / 6)
    by_target = -0.5 * ((grid[:, None] - y[used]) / (shrinkage * y.std())) ** 2
    log_density = (1 - X.shape[1]) * logsumexp(by_target, axis=1)
    for i in range(X.shape[1]):
        by_feature = -0.5 * ((x[i] - X[used, i]) / (shrinkage * X[:, i].std())) ** 2
        log_density += logsumexp(by_target + by_feature, axis=1)
    return log_density


def normalised(log_density, grid):
    density = np.exp(log_density - log_density.max())
    return density / np.trapezoid(density, grid)


@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_densities_are_the_papers(n_features):
    X, y = draw(n_features=n_features)
    model = KernelNBRegressor(width=0.7).fit(X[:40], y[:40])
    density = model.predict_density(X[40:])
    for x, row in zip(X[40:], density, strict=True):
        plain = plain_log_density(X[:40], y[:40], x, model.grid_, 0.7)
        np.testing.assert_allclose(row, normalised(plain, model.grid_), rtol=1e-9, atol=1e-12)


def test_the_grid_reaches_four_widths_beyond_the_targets():
    """The width of Eq. 10 with the factor 1 is the standard deviation times n^(-1/6)."""
    X, y = draw()
    model = KernelNBRegressor(width="paper", n_grid=50).fit(X, y)
    margin = 4 * y.std() * 50 ** (-1 / 6)
    assert model.width_ == 1.0
    np.testing.assert_allclose(model.grid_, np.linspace(y.min() - margin, y.max() + margin, 50))


def test_features_that_contradict_each_other_beyond_any_float_still_have_a_density():
    # exp(-745) is 0 in floats: such sums of kernels can only be had in logarithms
    X, y = draw(100)
    model = KernelNBRegressor(width=0.02).fit(X, y)
    contradiction = np.array([[3.0, 0.0]])
    plain = plain_log_density(X, y, contradiction[0], model.grid_, 0.02)
    assert plain.max() < -745
    density = model.predict_density(contradiction)[0]
    np.testing.assert_allclose(density, normalised(plain, model.grid_), rtol=1e-8, atol=1e-12)


def test_mean_and_quantiles_are_those_of_the_density():
    X, y = draw()
    model = KernelNBRegressor(width=0.5, n_grid=2000).fit(X, y)
    density, grid = model.predict_density(X), model.grid_
    np.testing.assert_allclose(np.trapezoid(density, grid, axis=1), 1)
    np.testing.assert_allclose(
        model.predict(X), np.trapezoid(density * grid, grid, axis=1), atol=1e-5
    )
    quantiles = model.predict_quantiles(X, [0.1, 0.5, 0.8])
    for row, three in zip(density, quantiles, strict=True):
        below = [np.trapezoid(row * (grid <= q), grid) for q in three]
        np.testing.assert_allclose(below, [0.1, 0.5, 0.8], atol=0.01)


def test_the_chosen_width_has_the_largest_leave_one_out_likelihood():
    X, y = draw(30)
    likelihoods = []
    for factor in WIDTH_FACTORS:
        grid = KernelNBRegressor(width=factor, n_grid=80).fit(X, y).grid_
        total = 0.0
        for a in range(30):
            plain = plain_log_density(X, y, X[a], grid, factor, np.delete(np.arange(30), a))
            density = np.interp(y[a], grid, normalised(plain, grid))
            total += np.log(29 / 30 * density + 1 / 30 / np.ptp(grid))
        likelihoods.append(total)
    worse = np.flatnonzero(np.diff(likelihoods) <= 0)
    assert 0 < worse[0] < len(WIDTH_FACTORS) - 1
    assert KernelNBRegressor(n_grid=80).fit(X, y).width_ == WIDTH_FACTORS[worse[0]]


def test_many_samples_are_predicted_in_pieces(monkeypatch):
    X, y = draw(300)
    whole = KernelNBRegressor().fit(X, y)
    expected = whole.predict(X)
    monkeypatch.setattr("xnbflow.papers.cica.regression._DENSITY_CHUNK_VALUES", 7 * 300)
    pieces = KernelNBRegressor().fit(X, y)
    assert pieces.width_ == whole.width_
    np.testing.assert_allclose(pieces.predict(X), expected, rtol=1e-12)


def draw_many(kind, n_samples, n_features=3):
    rng = np.random.default_rng(7)
    noise = rng.normal(size=(n_samples, n_features))
    if kind == "curved":
        return draw(n_samples, n_features)
    if kind == "normal":
        y = rng.normal(size=n_samples)
        return y[:, None] + noise, y
    if kind == "heavy tails":
        y = rng.standard_t(2, n_samples)
        return y[:, None] + rng.standard_t(1.5, size=noise.shape), y
    y = rng.integers(0, 6, n_samples).astype(float)  # ties in both, and gaps of many widths
    return np.round(y[:, None] + noise), y


def direct(monkeypatch):
    """Make the regressor sum over all samples instead of tabulating."""
    monkeypatch.setattr(JointTables, "tabulate", lambda *_, **__: None)


def tables_of(X, y, width, grid):
    """The tables of samples with the kernel widths of section 4."""
    shrinkage = width * len(y) ** (-1 / 6)
    return JointTables.tabulate(
        X, y, widths=shrinkage * X.std(axis=0), target_width=shrinkage * y.std(), grid=grid
    )


def left_out_density(X, y, width, grid):
    """Eqs. 1 and 10, each sample left out of its own density, by products of all kernels.

    A sample that no kernel of another one reaches has the density 0.
    """
    shrinkage = width * len(y) ** (-1 / 6)
    by_target = np.exp(-0.5 * ((y[:, None] - grid) / (shrinkage * y.std())) ** 2)
    marginal = by_target.sum(axis=0) - by_target
    density = marginal.copy()
    for values in X.T:
        by_feature = np.exp(-0.5 * ((values[:, None] - values) / (shrinkage * values.std())) ** 2)
        np.fill_diagonal(by_feature, 0.0)
        sums = by_feature @ by_target
        density *= np.divide(sums, marginal, out=np.zeros_like(sums), where=marginal > 0)
    totals = np.trapezoid(density, grid, axis=1)[:, None]
    return np.divide(density, totals, out=np.zeros_like(density), where=totals > 0)


def log_likelihood(y, grid, density):
    """The sum of the logarithms at the targets, one part in n of a uniform density."""
    at_target = [np.interp(target, grid, row) for target, row in zip(y, density, strict=True)]
    n = len(y)
    return np.log((n - 1) / n * np.array(at_target) + 1 / n / np.ptp(grid)).sum()


@pytest.mark.parametrize("kind", ["curved", "normal", "heavy tails", "whole numbers"])
@pytest.mark.parametrize("width", [1.0, 0.25])
def test_tabulated_densities_are_the_direct_sums(kind, width, monkeypatch):
    X, y = draw_many(kind, 800)
    model = KernelNBRegressor(width=width, n_grid=100).fit(X[:700], y[:700])
    # training samples, new ones, moved ones, contradictions, and points beyond all samples
    seen, new = X[:50], X[700:]
    points = np.vstack([seen, new, seen + 0.01, seen[:, [1, 2, 0]], 3 * seen, [[1e3] * 3]])
    tabulated = model.predict_density(points)
    if kind in ("curved", "normal"):
        _, certain = tables_of(X[:700], y[:700], width, model.grid_).posterior(new)
        assert certain.mean() > 0.9
    direct(monkeypatch)
    exact = KernelNBRegressor(width=width, n_grid=100).fit(X[:700], y[:700])
    difference = np.abs(tabulated - exact.predict_density(points))
    assert np.trapezoid(difference, model.grid_, axis=1).max() < 1e-6


def test_tables_choose_the_width_that_direct_sums_choose(monkeypatch):
    """It is the last width before the likelihood, each sample left out, stops growing."""
    X, y = draw_many("curved", 600)
    likelihoods = []
    for factor in WIDTH_FACTORS:
        grid = KernelNBRegressor(width=factor, n_grid=60).fit(X, y).grid_
        likelihoods.append(log_likelihood(y, grid, left_out_density(X, y, factor, grid)))
        if len(likelihoods) > 1 and likelihoods[-1] <= likelihoods[-2]:
            break
    tabulated = KernelNBRegressor(n_grid=60).fit(X, y)
    assert tabulated.width_ == WIDTH_FACTORS[len(likelihoods) - 2] < 1
    direct(monkeypatch)
    summed = KernelNBRegressor(n_grid=60).fit(X, y)
    assert summed.width_ == tabulated.width_
    np.testing.assert_allclose(tabulated.predict(X), summed.predict(X), atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "width", "least_certain"),
    [("curved", 1.0, 0.5), ("curved", 0.25, 0.5), ("heavy tails", 0.25, 0.1)],
)
def test_tabulated_densities_leave_each_sample_out(kind, width, least_certain):
    X, y = draw_many(kind, 1500)
    model = KernelNBRegressor(width=width, n_grid=100).fit(X, y)
    density, certain = tables_of(X, y, width, model.grid_).posterior(X, y)
    assert certain.mean() > least_certain
    # row by row: what is certain differs from direct sums by less than 1e-6 in total
    summed = left_out_density(X, y, width, model.grid_)
    difference = np.trapezoid(np.abs(density - summed), model.grid_, axis=1)
    assert difference[certain].max() < 1e-6


@pytest.mark.parametrize("width", [1.0, 0.25])
def test_a_tabulated_likelihood_is_that_of_direct_sums(width):
    X, y = draw_many("curved", 1500)
    grid = KernelNBRegressor(width=width, n_grid=100).fit(X, y).grid_
    density, certain = tables_of(X, y, width, grid).posterior(X, y)
    summed = left_out_density(X, y, width, grid)
    tabulated = log_likelihood(y[certain], grid, density[certain])
    exact = log_likelihood(y[certain], grid, summed[certain])
    assert tabulated == pytest.approx(exact, abs=1500 * 1e-7)


def test_contradictions_are_summed_directly():
    X, y = draw(1500)
    model = KernelNBRegressor(width=0.125).fit(X, y)
    contradiction = np.array([[3.0, 0.0]])
    tables = tables_of(X, y, 0.125, model.grid_)
    _, certain = tables.posterior(np.vstack([X, contradiction]))
    assert certain[:-1].all()
    assert not certain[-1]


def test_lagrange_weights_are_scipys():
    offsets = np.array([0.0, 0.3, 0.99])
    nodes = np.arange(-4.0, 6.0)
    for j, unit in enumerate(np.eye(10)):
        expected = BarycentricInterpolator(nodes, unit)(offsets)
        np.testing.assert_allclose(_lagrange_weights(offsets)[:, j], expected, atol=1e-13)


def test_sums_of_kernels_keep_their_bound_of_error():
    X, y = draw(1500, 1)
    grid = np.linspace(-3.5, 3.5, 50)
    width = 0.1
    tables = JointTables.tabulate(X, y, widths=np.array([width]), target_width=width, grid=grid)
    values = np.linspace(X.min(), X.max(), 300)
    sums, covered = tables.features[0].interpolate(values)
    by_value = np.exp(-0.5 * ((values[:, None] - X[:, 0]) / width) ** 2)
    exact = by_value @ np.exp(-0.5 * ((y[:, None] - grid) / width) ** 2)
    large = (exact > 2.3e-11) & covered[:, None]  # exp(-7² / 2)
    assert large.mean() > 0.3
    # twice the bound of a kernel 7 widths away
    assert np.abs(sums[large] / exact[large] - 1).max() < 1.4e-7


@pytest.mark.slow  # up to two seconds for 13 million values
@pytest.mark.parametrize(("n_grid", "is_tabulated"), [(10_000, True), (40_000, False)])
def test_tables_of_more_than_16_million_values_are_not_made(n_grid, is_tabulated):
    """1,500 values on [-4, 4] with the width .1 have about 1,300 nodes, .1 / 16 apart."""
    X, y = draw(1500, 1)
    tables = JointTables.tabulate(
        X,
        y,
        widths=np.array([0.1]),
        target_width=0.1,
        grid=np.linspace(-4.0, 4.0, n_grid),
    )
    assert (tables is not None) == is_tabulated


@pytest.mark.parametrize(("widths_away", "is_certain"), [(5.5, True), (6.8, False)])
def test_a_sample_far_from_all_others_is_summed_directly(widths_away, is_certain):
    """Its own kernel is subtracted from the tables, and what is left has lost its digits.

    The kernels of 1,500 samples 5.5 widths away add up to 2e-5 of it, 6.8 widths away to 1e-8.
    """
    rng = np.random.default_rng(0)
    X = np.append(rng.normal(0, 0.01, 1500), 0.1 * widths_away)
    y = np.append(rng.uniform(-3, 3, 1500), 0.3)
    grid = np.linspace(-2.5, 2.5, 60)
    tables = JointTables.tabulate(
        X[:, np.newaxis], y, widths=np.array([0.1]), target_width=0.1, grid=grid
    )
    density, certain = tables.posterior(X[-1:, np.newaxis], y[-1:])
    assert certain.tolist() == [is_certain]
    if is_certain:
        by_feature = -0.5 * ((X[-1] - X[:-1]) / 0.1) ** 2
        by_target = -0.5 * ((grid[:, np.newaxis] - y[:-1]) / 0.1) ** 2
        exact = normalised(logsumexp(by_feature + by_target, axis=1), grid)
        assert np.trapezoid(np.abs(density[0] - exact), grid) < 1e-6
