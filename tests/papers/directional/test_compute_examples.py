"""The artificial examples: their samples are of the printed distributions, their curves on them."""

import numpy as np
import pytest
from scipy import stats

from xnbflow.naive_bayes import VonMisesNB
from xnbflow.papers.directional.compute_examples import (
    _EXAMPLES,
    _decision_boundary,
    _draw_samples,
    _sphere_circle,
    example_points,
    figure_14,
    torus_points,
)

BY_FIGURE = {example.figure: example for example in _EXAMPLES}


@pytest.fixture(scope="module")
def examples():
    return example_points()


def test_parameters_are_the_printed_ones():
    """The texts of Figures 3 to 12: mean directions, concentrations, second variables."""
    printed = {
        3: ((np.pi / 2, np.pi), (2, 5), ()),
        4: ((0, np.pi / 2), (5, 5), ()),
        5: ((np.pi / 2, np.pi / 2), (2, 10), ()),
        6: (((np.pi, -2 * np.pi / 3), (np.pi / 2, np.pi)), ((2, 6), (5, 3)), ()),
        7: (((-1, 0, -0.2), (-0.5, -0.5, 1)), (10, 20), ()),
        8: (((0, 0, 1), (0, 1, 0)), (7, 7), ()),
        9: (((-1, 0, 0), (-1, 0, 0)), (20, 5), ()),
        10: (((0.2, -0.8), (-0.8, -0.5)), (5, 10), ((0, 1), (2, 1))),
        11: (((0.2, -0.8), (-0.8, -0.5)), (5, 10), ((0, 0.25), (2, 4))),
        12: (((0.2, -0.8), (-0.8, -0.5)), (5, 10), (0.15, 0.6)),
    }
    actual = {example.figure: (example.mu, example.kappa, example.second) for example in _EXAMPLES}
    assert actual == printed
    sizes = {example.figure: example.n_samples for example in _EXAMPLES}
    assert sizes == {**dict.fromkeys((3, 4, 5), 100), **dict.fromkeys(range(6, 12), 1000), 12: 50}


@pytest.mark.parametrize("figure", [6, 10, 11])
def test_samples_are_of_the_printed_distributions(figure):
    """500 samples of each class, by the test of Kolmogorov and Smirnov: p above 1 in 1,000."""
    example = BY_FIGURE[figure]
    samples = _draw_samples(example)
    for code, label in enumerate("12"):
        of_class = samples[samples["class"] == label]
        assert len(of_class) == 500
        if figure == 6:
            for angle, mu, kappa in zip(
                (of_class["first"], of_class["second"]),
                example.mu[code],
                example.kappa[code],
                strict=True,
            ):
                around_mean = np.angle(np.exp(1j * (angle - mu)))
                assert stats.kstest(around_mean, stats.vonmises(kappa).cdf).pvalue > 1e-3
        else:
            mean, variance = example.second[code]
            normal = stats.norm(mean, np.sqrt(variance))
            assert stats.kstest(of_class["second"], normal.cdf).pvalue > 1e-3


def test_categories_have_the_printed_probabilities():
    """Figure 12 gives category 1 the probability .15 in class 1 and .6 in class 2; 25 samples."""
    samples = _draw_samples(BY_FIGURE[12])
    shares = (samples["second"] == 1).groupby(samples["class"]).mean()
    assert shares["1"] == pytest.approx(0.15, abs=3 * np.sqrt(0.15 * 0.85 / 25))
    assert shares["2"] == pytest.approx(0.6, abs=3 * np.sqrt(0.6 * 0.4 / 25))
    assert shares["1"] < shares["2"]


def test_the_angles_of_figure_14_have_the_printed_distributions():
    """vM(pi, 2.5) and vM(pi / 2, 2.5), 1,000 angles each."""
    data = figure_14()
    for label, mu in (("1", np.pi), ("2", np.pi / 2)):
        around_mean = np.angle(np.exp(1j * (data.values[0, data.labels == label] - mu)))
        assert len(around_mean) == 1000
        assert stats.kstest(around_mean, stats.vonmises(2.5).cdf).pvalue > 1e-3


def on_sphere(curve):
    longitude = curve["first"].to_numpy()
    latitude = curve["second"].to_numpy()
    across = np.cos(latitude)
    return np.column_stack(
        [across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)]
    )


def test_the_circle_on_the_sphere_is_where_the_plane_cuts_it():
    normal = np.array([1.0, -2.0, 0.5])
    points = on_sphere(_sphere_circle(normal, 0.7))
    np.testing.assert_allclose(points @ normal + 0.7, 0.0, atol=1e-12)
    assert len(np.unique(points.round(6), axis=0)) > 300  # a whole circle


@pytest.mark.parametrize("figure", [7, 8, 9])
def test_on_the_circle_both_classes_are_equally_probable(figure):
    """SciPy's densities, with the printed directions divided by their length."""
    example = BY_FIGURE[figure]
    points = on_sphere(_decision_boundary(example))
    densities = []
    for mu, kappa in zip(example.mu, example.kappa, strict=True):
        direction = np.array(mu) / np.linalg.norm(mu)
        densities.append(stats.vonmises_fisher(direction, kappa).logpdf(points))
    np.testing.assert_allclose(densities[0], densities[1], atol=1e-9)


@pytest.mark.parametrize("curve", [0, 1, 2, 3])
def test_on_the_curves_of_the_torus_both_classes_are_equally_probable(examples, curve):
    """Figure 6, solved for either angle: each curve on its own."""
    example = BY_FIGURE[6]
    points = examples.query("kind == 'boundary' and example == 'figure 6' and curve == @curve")
    assert len(points) > 100
    log_odds = 0.0
    for name, axis in (("first", 0), ("second", 1)):
        for sign, code in ((1, 0), (-1, 1)):
            density = stats.vonmises(example.kappa[code][axis], loc=example.mu[code][axis])
            log_odds = log_odds + sign * density.logpdf(points[name].to_numpy())
    np.testing.assert_allclose(log_odds, 0.0, atol=1e-9)


def test_on_the_boundary_of_a_pair_of_angles_the_fitted_classes_are_equally_probable():
    """With the priors of the classes, .8 and .2; points on the curve have the posterior 1/2."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [400, 100])
    X = np.column_stack([rng.vonmises(codes * 1.5, 2), rng.vonmises(-codes * 1.0, 2)])
    points = torus_points("pair", X, codes)
    boundary = points[points["kind"] == "boundary"]
    assert set(points.loc[points["kind"] == "region", "predicted"]) == {0, 1}
    assert len(boundary) > 100
    posterior = VonMisesNB().fit(X, codes).predict_proba(boundary[["first", "second"]].to_numpy())
    np.testing.assert_allclose(posterior, 0.5, atol=1e-9)
