"""The numbers demanded of CICA, on the paper's experiment. The study has all of them over 50 seeds.

Here recovery rests on 50 seeds at 200 samples, 20 at 500 and 10 at 1,000; the errors on 50 at 20
samples and at 200, and 20 with ten inputs.
"""

import numpy as np
import pytest

from xnbflow.data.seeds import derive_seed
from xnbflow.naive_bayes.regression import KernelNBRegressor
from xnbflow.preprocessing.cica import CICA
from xnbflow.studies.cica.compute import recovery_error, simulate

N_TEST = 100


def draw(n_samples, seed, n_nuisance=0):
    random = np.random.default_rng(derive_seed("acceptance", n_samples, n_nuisance, seed))
    return simulate(n_samples + N_TEST, random, n_nuisance=n_nuisance)


def mean_square_error(simulation, components, width):
    training, test = components[:-N_TEST], components[-N_TEST:]
    model = KernelNBRegressor(width=width).fit(training, simulation.target[:-N_TEST])
    return np.mean((model.predict(test) - simulation.target[-N_TEST:]) ** 2)


@pytest.mark.parametrize(
    ("n_samples", "most", "n_seeds"), [(200, 0.6, 50), (500, 0.4, 20), (1000, 0.25, 10)]
)
def test_the_chosen_width_recovers_the_sources(n_samples, most, n_seeds):
    errors, converged = [], []
    for seed in range(n_seeds):
        simulation = draw(n_samples, seed)
        cica = CICA(random_state=seed)
        cica.fit(simulation.inputs[:-N_TEST], simulation.target[:-N_TEST])
        errors.append(recovery_error(cica.components_ @ simulation.mixing))
        converged.append(cica.converged_)
    assert np.median(errors) <= most
    assert np.mean(converged) >= 0.9


@pytest.mark.parametrize("n_samples", [20, 200])
def test_at_the_papers_widths_the_error_falls_below_that_of_the_true_sources(n_samples):
    errors, recovery = [], []
    for seed in range(50):
        simulation = draw(n_samples, seed)
        cica = CICA(width="paper", random_state=seed)
        cica.fit(simulation.inputs[:-N_TEST], simulation.target[:-N_TEST])
        recovery.append(recovery_error(cica.components_ @ simulation.mixing))
        demixings = [cica.components_, np.eye(2), np.linalg.inv(simulation.mixing)]
        errors.append(
            [mean_square_error(simulation, simulation.inputs @ W.T, "paper") for W in demixings]
        )
    found, without, truth = np.median(errors, axis=0)
    assert found <= 0.25 * without
    assert found <= truth
    assert np.median(recovery) > 2


@pytest.mark.parametrize("n_samples", [20, 200])
def test_at_the_chosen_width_of_cica_the_error_is_a_quarter_too(n_samples):
    # it is not below that of the true sources: see the study's report
    errors = []
    for seed in range(50):
        simulation = draw(n_samples, seed)
        cica = CICA(random_state=seed)
        cica.fit(simulation.inputs[:-N_TEST], simulation.target[:-N_TEST])
        errors.append(
            [
                mean_square_error(simulation, simulation.inputs @ W.T, "paper")
                for W in (cica.components_, np.eye(2))
            ]
        )
    found, without = np.median(errors, axis=0)
    assert found <= 0.25 * without


def test_two_sources_are_found_among_ten_inputs():
    errors = []
    for seed in range(20):
        simulation = draw(200, seed, n_nuisance=8)
        cica = CICA(n_components=2, random_state=seed)
        cica.fit(simulation.inputs[:-N_TEST], simulation.target[:-N_TEST])
        errors.append(mean_square_error(simulation, cica.transform(simulation.inputs), "cv"))
    assert np.median(errors) <= 0.15
