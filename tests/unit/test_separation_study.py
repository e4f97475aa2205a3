"""The study of separation scores, small: its tables agree with each other and with the theory."""

import numpy as np
import pytest
from scipy.stats import norm

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.studies.separation.compute import analyse

PARAMS = {
    "blocks": 40,
    "size": 3,
    "samples": [300, 20],
    "uniform": [20],
    "noncentral": [[3, 5]],
    "useless": [0.5],
    "useful": [[10, 40]],
    "repeats": 60,
    "fits": 3,
}
METHODS = [
    "all blocks",
    "Eq. 22 as printed",
    "Eq. 22, bias removed",
    "best threshold, estimated H",
    "weights, known H",
    "weights, estimated H",
    "threshold at the true scores",
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables():
    return analyse({}, PARAMS, threads=2)


def test_every_method_meets_every_distribution_and_sample_size(tables):
    risk = tables["risk"]
    assert risk["method"].unique().tolist() == METHODS
    assert risk.groupby(["setting", "samples"]).size().eq(len(METHODS)).all()
    assert risk["setting"].nunique() == 3
    assert set(tables["gains"]["method"]) == set(METHODS) - {"all blocks"}


def test_risk_of_all_blocks_is_equation_9(tables):
    whole = tables["risk"].query("method == 'all blocks'")
    for row in whole.itertuples():
        rho, distance = 40 / row.samples, 2 * 40 / row.samples * row.mean_score
        equation_9 = norm.cdf(-np.sqrt(distance) / 2 / np.sqrt(1 + 2 * 3 * rho / distance))
        assert row.asymptotic_risk == pytest.approx(equation_9)
        assert row.risk == pytest.approx(equation_9, abs=4 * row.risk_error + 0.002)


def test_simulation_follows_the_asymptotic_formulas_of_every_method(tables):
    risk = tables["risk"]
    estimated = risk["method"].str.contains("estimated")
    known = risk[~estimated & (risk["samples"] == 300)]
    np.testing.assert_allclose(known["separation"], known["asymptotic_separation"], rtol=0.03)
    assert (risk[estimated]["asymptotic_risk"] < risk[estimated]["risk"] + 0.01).all()


def test_gains_are_relative_to_all_blocks(tables):
    risk = tables["risk"].set_index(["setting", "samples", "method"])
    for (setting, samples, _), row in risk.iterrows():
        whole = risk.loc[(setting, samples, "all blocks"), "risk"]
        assert row["gain"] == pytest.approx(1 - row["risk"] / whole)
    assert (
        tables["gains"]
        .groupby(["setting", "samples", "method"])["training_sets"]
        .sum()
        .eq(60)
        .all()
    )


def test_where_half_the_blocks_are_useless_weights_help_more_than_equation_22(tables):
    half = tables["risk"].query("setting.str.contains('useless') and samples == 20")
    gain = half.set_index("method")["gain"]
    assert gain["weights, estimated H"] > gain["Eq. 22 as printed"] > 0
    assert gain["threshold at the true scores"] >= gain["best threshold, estimated H"]


def test_theorem_1_with_its_boundary_term_is_the_simulated_mean(tables):
    table = tables["theorem1"]
    tolerance = 4 * table["simulated_error"] / table["simulated"]
    assert (np.abs(table["corrected"] / table["simulated"] - 1) < tolerance).all()
    assert (table["printed"] > table["corrected"]).all()


def test_fitted_classifiers_come_near_the_simulation_with_known_covariances(tables):
    """300 samples per class and blocks of 3: estimating covariances costs little."""
    fitted = tables["fitted"]
    assert set(fitted["method"]) == {METHODS[i] for i in (0, 1, 3, 5)}
    many = fitted[fitted["samples"] == 300]
    np.testing.assert_allclose(many["risk"], many["known_covariance_risk"], atol=0.01)
    np.testing.assert_allclose(many["expected_risk"], many["risk"], atol=0.04)


def test_weights_rise_where_some_blocks_are_useless(tables):
    curve = tables["weights"].query("setting.str.contains('useless')")
    assert np.all(np.diff(curve["known"][: np.argmax(curve["known"])]) > 0)
    assert (curve["estimated_5_percent"] <= curve["estimated_95_percent"]).all()


def test_results_depend_neither_on_threads_nor_on_other_distributions(tables):
    alone = analyse({}, PARAMS | {"uniform": [], "noncentral": []}, threads=1)
    kept = tables["risk"]["setting"].isin(alone["risk"]["setting"])
    np.testing.assert_array_equal(tables["risk"].loc[kept, "risk"], alone["risk"]["risk"])


def test_blocks_of_a_microarray_are_described():
    """Two of the six features are copies of others but for noise; 12 samples are few."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(6, 12))
    values[4:] = values[:2] + 0.2 * rng.normal(size=(2, 12))
    samples = [f"s{i}" for i in range(12)]
    toy = DataSet("toy", values, [f"g{i}" for i in range(6)], samples, ["a", "b"] * 6)
    small = {"uniform": [5], "noncentral": [], "useless": [], "repeats": 2, "sizes": [2]}
    tables = analyse({"toy": toy}, PARAMS | small, threads=1)
    (row,) = tables["blocks"].itertuples(index=False)
    assert (row.dataset, row.size, row.samples, row.blocks, row.shrunk) == ("toy", 2, 12, 3, 1.0)
    assert row.mean_abs_r > 0.6
    assert 0 < row.mean_shrinkage < 1
    assert tables["fitted"].empty


def test_a_study_needs_distributions():
    with pytest.raises(InputError, match="give uniform, noncentral or useless"):
        analyse({}, {"uniform": [], "noncentral": [], "useless": []}, threads=1)


def test_unknown_parameters_are_refused():
    with pytest.raises(InputError, match="no parameter 'repeat'; it has blocks"):
        analyse({}, {"repeat": 3}, threads=1)
