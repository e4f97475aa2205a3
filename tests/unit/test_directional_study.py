"""Claims about the directional study's tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.studies.directional.compute import CLASSIFIERS, analyse


@pytest.fixture(scope="module")
def wind():
    """Three classes told by the direction of the wind, with a linear and a binary feature."""
    rng = np.random.default_rng(0)
    code = np.repeat([0, 1, 2], [50, 40, 30])
    values = np.array(
        [
            rng.vonmises(code, 4),
            rng.normal(size=120),
            rng.vonmises(0, 1, 120),
            code > rng.random(120),
        ]
    )
    kinds = ["angular", "linear", "angular", "categorical"]
    samples = [f"s{i}" for i in range(120)]
    return DataSet(
        "wind", values, ["wind", "speed", "noise", "gust"], samples, code.astype(str), kinds
    )


@pytest.fixture(scope="module")
def pair(wind):
    return DataSet("pair", wind.values[[0, 2]], ["phi", "psi"], wind.samples, wind.labels == "1",
                  ["angular", "angular"])  # fmt: skip


@pytest.fixture(scope="module")
def tables(wind, pair):
    return analyse({"wind": wind, "pair": pair}, {"repeats": 2, "bins": 12, "max_features": 1}, 1)


def test_roses_count_every_sample_of_the_most_informative_angle(tables, wind):
    rose = tables["rose"].query("dataset == 'wind'")
    assert set(rose["feature"]) == {"wind"}
    assert rose.groupby("class")["samples"].agg(["sum", "size"]).to_numpy().tolist() == [
        [50, 12], [40, 12], [30, 12]]  # fmt: skip


def test_log_likelihoods_are_those_of_scipy(tables, wind):
    row = (
        tables["fitted"].query("dataset == 'wind' and feature == 'wind' and `class` == '1'").iloc[0]
    )
    own = wind.values[0, wind.labels == "1"]
    expected = stats.vonmises.logpdf(own, row["concentration"], loc=row["mean_direction"]).sum()
    assert row["von_mises_log_likelihood"] == pytest.approx(expected)
    expected = stats.norm.logpdf(own, own.mean(), own.std()).sum()
    assert row["gaussian_log_likelihood"] == pytest.approx(expected, rel=1e-6)


def test_von_mises_densities_integrate_to_1(tables):
    for _, curve in tables["densities"].groupby(["dataset", "feature", "class"]):
        assert np.trapezoid(curve["von_mises"], curve["angle"]) == pytest.approx(1)


def test_complexity_counts_parameters_as_the_paper_does(tables):
    complexity = tables["complexity"].query("dataset == 'wind'").set_index("classifier")
    assert list(complexity.index) == list(CLASSIFIERS)
    # k - 1 priors, 2k per continuous feature, (categories - 1) k per discrete one
    assert complexity.loc["vMNB", ["parameters", "features"]].tolist() == [2 + 3 * 6 + 3, 4]
    assert complexity.loc["GNB", "angular_percent"] == 50
    assert complexity.loc["SelvMNB", "features"] <= 4


def test_every_figure_of_an_example_has_its_tables(tables):
    figures = {f"figure {i}" for i in range(3, 13)}
    assert set(tables["samples"]["example"]) == figures
    assert set(tables["regions"]["example"]) == figures | {"pair"}
    assert set(tables["boundaries"]["example"]) == figures | {"pair"}


def test_printed_numbers_are_reproduced(tables):
    printed = tables["printed"]
    for _, row in printed.iterrows():
        digits = 2 if row["example"] in ("figure 3", "figure 5") else 4
        assert round(row["computed"], digits) == round(row["paper"], digits), row["quantity"]


@pytest.mark.parametrize("example", ["figure 6", "pair"])
def test_regions_change_where_the_boundary_is(tables, example):
    # the fitted classifier of 1,000 samples is near the true boundary; pair's is its own
    regions = tables["regions"].query("example == @example")
    grid = regions.pivot_table(index="second", columns="first", values="predicted", aggfunc="first")
    changes = grid.to_numpy()[:, 1:] != grid.to_numpy()[:, :-1]
    rows, columns = np.nonzero(changes)
    curve = tables["boundaries"].query("example == @example")[["first", "second"]].to_numpy(float)
    points = np.column_stack([grid.columns[columns], grid.index[rows]])
    distance = np.abs(points[:, None] - curve[None]).max(axis=2).min(axis=1)
    assert len(points)
    assert np.median(distance) < (0.2 if example == "figure 6" else 0.08)


def test_two_angles_of_three_classes_have_regions_but_no_boundary(wind):
    kinds = ["angular", "angular"]
    pair = DataSet("three", wind.values[[0, 2]], ["a", "b"], wind.samples, wind.labels, kinds)
    tables = analyse({"three": pair}, {"repeats": 1}, 1)
    assert set(tables["regions"].query("example == 'three'")["predicted"]) == {"0", "1", "2"}
    assert "three" not in set(tables["boundaries"]["example"])


def test_a_cylinders_boundary_is_where_the_densities_are_equal(tables):
    curve = tables["boundaries"].query("example == 'figure 11'")
    direction = np.array([[0.2, -0.8], [-0.8, -0.5]])
    angle = np.arctan2(direction[:, 1], direction[:, 0])
    joint = [
        stats.vonmises.logpdf(curve["first"], k, loc=a) + stats.norm.logpdf(curve["second"], m, sd)
        for k, a, m, sd in zip((5, 10), angle, (0, 2), (0.5, 2), strict=True)
    ]
    np.testing.assert_allclose(joint[0], joint[1], atol=1e-9)


def test_the_analysis_runs_without_data_sets_and_is_reproducible():
    first, second = analyse({}, {}, 1), analyse({}, {}, 1)
    assert first.keys() == second.keys()
    for table, frame in first.items():
        pd.testing.assert_frame_equal(frame, second[table])


def test_misspelt_parameters_and_data_without_angles_are_refused(wind):
    with pytest.raises(InputError, match="no parameter 'bin'"):
        analyse({}, {"bin": 12}, 1)
    linear = DataSet("linear", wind.values, wind.features, wind.samples, wind.labels)
    with pytest.raises(InputError, match="'linear' has no angular feature"):
        analyse({"linear": linear}, {}, 1)


def test_section_35_a_category_shifts_the_line_but_does_not_turn_it(tables):
    curve = tables["boundaries"].query("example == 'figure 12'")
    chords = curve.groupby("second")["first"].apply(sorted)
    middles = [np.angle(np.exp(1j * np.array(angles)).sum() ** 2) for angles in chords]
    assert middles[0] == pytest.approx(middles[1])
    assert chords.loc[1] != pytest.approx(chords.loc[2])
    share = np.array([[0.15, 0.85], [0.6, 0.4]])  # of category 1 and 2, in each class
    mean = np.arctan2([-0.8, -0.5], [0.2, -0.8])
    for category in (1, 2):
        joint = share[:, category - 1, None] * [
            stats.vonmises.pdf(chords.loc[category], k, loc=m)
            for k, m in zip((5, 10), mean, strict=True)
        ]
        np.testing.assert_allclose(joint[0], joint[1])


def test_figure_12_draws_category_1_more_often_in_class_2(tables):
    samples = tables["samples"].query("example == 'figure 12'")
    share = (samples["second"] == 1).groupby(samples["class"]).mean()
    assert share["1"] < 0.35 < share["2"]
