"""The study of CICA: its simulation, its tables, and that threads do not matter."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.studies.cica.compute import analyse, recovery_error, simulate

TINY = {
    "seeds": 2,
    "samples": [20],
    "recovery_samples": [30],
    "nuisance_samples": [40],
    "correlated_samples": [],
    "test_samples": 20,
    "steps": 12,
    "splits": 3,
    "repeats": 1,
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris()
    names = [f"flower{i}" for i in range(150)]
    return DataSet(
        "iris", bunch.data.T, bunch.feature_names, names, bunch.target_names[bunch.target]
    )


@pytest.fixture(scope="module")
def tables(iris):
    return analyse({"iris": iris}, TINY, threads=1)


def test_samples_are_the_papers():
    simulation = simulate(2000, np.random.default_rng(0))
    y = simulation.target
    noise = np.linalg.solve([[1, 0.5], [0.5, 1]], simulation.inputs.T) - [y, y**2]
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
    assert recovery_error(np.diag([3.0, -0.2])) == 0
    assert recovery_error(np.array([[0.0, 5.0], [-1.0, 0.0]])) == 0
    # rows: 1/4 and 3/3 + 2/3 - 1; columns: 3/4 and 1/2 ... with rows (4, 1), (3, 2)
    expected = 1 / 4 + 2 / 3 + 3 / 4 + 1 / 2
    assert recovery_error(np.array([[4.0, -1.0], [3.0, 2.0]])) == pytest.approx(expected)


def test_every_setting_method_and_seed_has_a_row(tables):
    fits, errors = tables["fits"], tables["errors"]
    counts = fits.groupby(["setting", "samples"])["method"].nunique()
    assert counts["as in the paper", 20] == 7
    assert counts["as in the paper", 30] == 2  # recovery only
    assert counts["ten inputs", 40] == 6  # no symmetric whitening
    assert len(fits) == 2 * (7 + 2 + 6)
    assert len(errors) == 2 * 2 * (7 + 6)
    truth = fits[fits["method"] == "true sources"]
    np.testing.assert_allclose(truth["recovery_error"], 0, atol=1e-10)
    raw = fits[(fits["method"] == "no transformation") & (fits["setting"] == "as in the paper")]
    np.testing.assert_allclose(raw["recovery_error"], 2)
    assert fits.loc[fits["method"].str.startswith("CICA"), "converged"].all()


def test_the_summary_holds_medians_and_bands_over_seeds(tables):
    row = (
        tables["summary"]
        .set_index(["setting", "samples", "method", "measure"])
        .loc[("as in the paper", 20, "FastICA", "mean square error, chosen width")]
    )
    errors = tables["errors"].query(
        "setting == 'as in the paper' and method == 'FastICA' and regression_width == 'chosen'"
    )["mean_square_error"]
    expected = errors.quantile([0.1, 0.5, 0.9])
    np.testing.assert_allclose(row[["lower", "median", "upper"]].astype(float), expected)
    assert row["seeds"] == 2


def test_iterations_start_at_the_inputs_and_have_every_step(tables):
    table = tables["iterations"]
    assert set(table["width"]) == {"paper's", "chosen"}
    assert set(table["measure"]) == {"recovery error", "mean square error"}
    assert (table.groupby(["samples", "width", "measure"])["step"].apply(list).map(len) == 13).all()
    start = table[table["step"] == 0].pivot_table(index="measure", columns="width", values="median")
    np.testing.assert_allclose(start["paper's"], start["chosen"])


def test_classification_is_with_and_without_cica_on_the_same_folds(tables):
    table = tables["classification"]
    assert list(table["transformation"].value_counts()) == [3, 3]
    assert table["accuracy"].between(0.8, 1).all()


def test_dependence_given_the_class_is_gone_after_cica(tables):
    table = tables["dependence"].set_index(["samples", "transformation"])
    # sepal length and petal length, |r| = .756 within species, are the one dependent pair
    assert table.loc[("those fitted", "none"), "pairs"] == 1
    assert table.loc[("those fitted", "none"), "ratio"] == 0.5
    assert table.loc[("those fitted", "CICA"), "pairs"] == 0
    assert table.loc[("held-out half", "CICA"), "pairs"] == 0
    assert table.loc[("those fitted", "CICA"), "largest_r"] < 0.3


@pytest.mark.slow
def test_threads_do_not_matter(iris, tables):
    again = analyse({"iris": iris}, TINY, threads=2)
    for name, table in tables.items():
        pd.testing.assert_frame_equal(table, again[name], check_exact=True)


def test_an_unknown_parameter_is_refused():
    with pytest.raises(InputError, match="has no parameter 'seed'; it has seeds"):
        analyse({}, {"seed": 1}, threads=1)
