"""Tables over seeds of CICA's simulations, from rows written by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from xnbflow.papers.cica import simulated_tables
from xnbflow.papers.cica.simulated_tables import (
    SeedTables,
    _descend_from_identity,
    _descent_rows,
    _fits_of_other_methods,
    _regression_error,
    _simulation_settings,
    summarise_seeds,
)
from xnbflow.papers.cica.simulation import Simulation, recovery_error, simulate

PLACE = {"setting": "as in the paper", "samples": 20}


def seed_tables(path):
    """Rows of three seeds with recovery errors 0, 1 and 2; a descent with the medians ``path``."""
    fits = pd.DataFrame(
        {
            "seed": [0, 1, 2] * 2,
            "method": ["CICA, chosen width"] * 3 + ["no transformation"] * 3,
            "width": [0.5, 0.25, 1.0] + [np.nan] * 3,
            "steps": [3, 5, 4] + [np.nan] * 3,
            "converged": [True, True, False, True, True, True],
            "recovery_error": [0.0, 1.0, 2.0, 4.0, 4.0, 4.0],
        }
    ).assign(**PLACE)
    errors = fits[["setting", "samples", "seed", "method"]].assign(
        regression_width="paper's", mean_square_error=[0.1, 0.2, 0.3, 0.8, 0.8, 0.8]
    )
    iterations = pd.DataFrame(
        {"width": "chosen", "step": range(len(path)), "measure": "recovery error", "value": path}
    ).assign(**PLACE, seed=0)
    return SeedTables(fits, errors, iterations)


def test_bands_are_the_tenth_and_ninetieth_percentile():
    summary = summarise_seeds(seed_tables([2.0, 1.0]))["summary"]
    rows = summary.set_index(["method", "measure"])
    row = rows.loc[("CICA, chosen width", "recovery error")]
    # of 0, 1, 2: interpolated at .2 and 1.8 of the two steps
    assert row[["lower", "median", "upper"]].tolist() == pytest.approx([0.2, 1.0, 1.8])
    assert row["of_untransformed"] == pytest.approx(0.25)  # 1 of 4
    assert row["seeds"] == 3
    error = rows.loc[("CICA, chosen width", "mean square error, paper's width")]
    assert error["of_untransformed"] == pytest.approx(0.25)


@pytest.mark.parametrize(("end", "leaves"), [(0.6, False), (0.61, True)])
def test_a_descent_leaves_the_sources_above_one_and_a_half_times_its_least_error(end, leaves):
    (row,) = summarise_seeds(seed_tables([2.0, 0.4, end]))["descents"].to_dict("records")
    assert (row["start"], row["least"], row["least_at"], row["end"]) == (2.0, 0.4, 1, end)
    assert row["leaves"] == leaves


def test_convergence_counts_the_runs_of_iterated_methods():
    (row,) = summarise_seeds(seed_tables([2.0]))["convergence"].to_dict("records")
    assert row["method"] == "CICA, chosen width"
    assert (row["runs"], row["converged"]) == (3, 2 / 3)
    assert (row["width"], row["steps"]) == (0.5, 4)


def test_the_square_error_is_that_of_samples_that_were_not_fitted(monkeypatch):
    """A regression that knows its training samples only is right on these and wrong elsewhere."""

    class Memory:
        def __init__(self, width):
            self.width = width

        def fit(self, components, target):
            assert len(components) == len(target) == 3
            self.seen = components
            return self

        def predict(self, components):
            assert not np.isin(components, self.seen).any()
            return np.zeros(len(components))

    monkeypatch.setattr(simulated_tables, "KernelNBRegressor", Memory)
    inputs = np.arange(10.0).reshape(5, 2)
    simulation = Simulation(inputs, np.array([9.0, 9.0, 9.0, 1.0, 3.0]), np.eye(2))
    assert _regression_error(simulation, 3, np.eye(2), "paper") == 5.0  # (1 + 9) / 2


def test_fast_ica_that_uses_all_its_steps_has_not_converged(monkeypatch):
    mixing = np.array([[1.0, 0.5], [0.5, 1.0]])
    sources = np.random.default_rng(0).uniform(-1, 1, (500, 2))  # found in a few steps
    simulation = Simulation(sources @ mixing.T, sources[:, 0], mixing)
    fits = {fit["method"]: fit["converged"] for fit in _fits_of_other_methods(simulation, 500, 0)}
    assert fits["FastICA"]
    monkeypatch.setattr(simulated_tables, "_FAST_ICA_STEPS", 1)
    with pytest.warns(ConvergenceWarning, match="FastICA did not converge"):
        fits = {
            fit["method"]: fit["converged"] for fit in _fits_of_other_methods(simulation, 500, 0)
        }
    assert not fits["FastICA"]
    assert fits["whitening"]


PARAMS = {
    "recovery_samples": [50],
    "nuisance_samples": [60],
    "correlated_samples": [70],
    "samples": [20, 200],
}


def test_the_settings_are_those_of_the_parameters():
    settings = {
        (setting.name, setting.samples): setting for setting in _simulation_settings(PARAMS)
    }
    assert list(settings) == [
        ("as in the paper", 50),
        ("ten inputs", 60),
        ("correlated sources", 70),
        ("as in the paper", 20),
        ("as in the paper", 200),
    ]
    assert [setting.predict for setting in settings.values()] == [False, True, True, True, True]
    # two sources and eight nuisance variables are ten inputs
    assert settings["ten inputs", 60].nuisance == 8
    assert settings["correlated sources", 70].least_target == 0.0
    assert settings["as in the paper", 20].least_target == -3.0


def test_descents_are_of_each_width_with_the_regression_at_the_papers():
    """At step 0 both descents are at the identity, with components of unit variance."""
    simulation = simulate(40, np.random.default_rng(0))
    cica_fits = [{"width": 1.0}, {"width": 0.25}]
    rows = pd.DataFrame(_descent_rows(simulation, 30, cica_fits, n_steps=4))
    values = rows.set_index(["width", "measure", "step"])["value"]
    for width, factor in (("paper's", 1.0), ("chosen", 0.25)):
        path = _descend_from_identity(simulation.inputs[:30], simulation.target[:30], factor, 4)
        assert len(path) == 5
        for step, demixing in enumerate(path):
            expected = _regression_error(simulation, 30, demixing, "paper")
            assert values[width, "mean square error", step] == pytest.approx(expected)
            expected = recovery_error(demixing @ simulation.mixing)
            assert values[width, "recovery error", step] == pytest.approx(expected)
    assert not np.allclose(values["paper's"], values["chosen"])


def test_a_descent_that_has_converged_stays_where_it_is(monkeypatch):
    simulation = simulate(40, np.random.default_rng(0))
    monkeypatch.setattr(simulated_tables, "_DESCENT_TOLERANCE", 1e9)
    rows = pd.DataFrame(_descent_rows(simulation, 30, [{"width": 1.0}, {"width": 0.5}], 4))
    for _, path in rows.groupby(["width", "measure"]):
        assert path["step"].tolist() == [0, 1, 2, 3, 4]
        assert path["value"].nunique() == 1
