"""Stepwise logistic regression, and the selection of features by their naive effects."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import chi2

from xnbflow.data.errors import InputError
from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.methods import resolved
from xnbflow.naive_bayes import GeneralizedNB
from xnbflow.preprocessing import StepwiseNaiveEffects
from xnbflow.preprocessing.selection.stepwise import stepwise_logistic


def newton(design, events):
    """Logistic regression by Newton's method: coefficients and their covariance."""
    coefficients = np.zeros(len(design))
    for _ in range(50):
        p = expit(coefficients @ design)
        information = (design * (p * (1 - p))) @ design.T
        coefficients += np.linalg.solve(information, design @ (events - p))
    return coefficients, np.linalg.inv(information)


@pytest.fixture(scope="module")
def superseded():
    """A sum of two causes, which enters first and is not needed once both are in; and noise."""
    rng = np.random.default_rng(0)
    a, b, noise = rng.normal(size=(3, 600))
    events = (rng.random(600) < expit(2 * a + 2 * b)).astype(int)
    return np.stack([a, b, a + b + 0.5 * rng.normal(size=600), noise]), events


def test_a_candidate_that_others_replace_is_removed(superseded):
    selected, path = stepwise_logistic(*superseded)
    assert sorted(selected) == [0, 1]
    assert path["candidate"].iloc[0] == 2
    assert list(path["action"]) == ["enter", "enter", "enter", "remove"]
    assert list(path["n_selected"]) == [1, 2, 3, 2]


def test_the_first_score_chi_square_is_n_times_r_squared(superseded):
    """Beside the intercept alone the score test is n r², r the correlation with the events."""
    candidates, events = superseded
    _, path = stepwise_logistic(candidates, events)
    r = np.corrcoef(candidates[2], events)[0, 1]
    assert path["chi_square"].iloc[0] == pytest.approx(len(events) * r**2)


def test_the_removal_follows_walds_test(superseded):
    candidates, events = superseded
    _, path = stepwise_logistic(candidates, events)
    order = [2, *path["candidate"].iloc[1:3]]
    design = np.vstack([np.ones(len(events)), candidates[order]])
    coefficients, covariance = newton(design, events)
    wald = coefficients[1] ** 2 / covariance[1, 1]
    assert path["chi_square"].iloc[3] == pytest.approx(wald, rel=1e-4)
    assert path["p_value"].iloc[3] > 0.05


def test_score_chi_squares_are_those_of_the_information_matrix(superseded):
    """Second step, by the block inverse of the information at the first model."""
    candidates, events = superseded
    _, path = stepwise_logistic(candidates, events)
    second = path["candidate"].iloc[1]
    design = np.vstack([np.ones(len(events)), candidates[2]])
    p = expit(newton(design, events)[0] @ design)
    both = np.vstack([design, candidates[second]])
    score = both @ (events - p)
    expected = score @ np.linalg.solve((both * (p * (1 - p))) @ both.T, score)
    assert path["chi_square"].iloc[1] == pytest.approx(expected, rel=1e-4)


def test_a_stricter_level_selects_less(superseded):
    candidates, events = superseded
    noise = np.random.default_rng(1).normal(size=(40, len(events)))
    many = np.vstack([candidates, noise])
    loose, _ = stepwise_logistic(many, events, entry=0.3, stay=0.3)
    strict, _ = stepwise_logistic(many, events, entry=1e-6, stay=1e-6)
    assert len(loose) > len(strict)


def test_of_two_equal_candidates_one_enters(superseded):
    candidates, events = superseded
    selected, _ = stepwise_logistic(candidates[[0, 0, 1, 1]], events)
    assert sorted(candidates[[0, 0, 1, 1]][selected].mean(axis=1)) == sorted(
        candidates[:2].mean(axis=1)
    )


def test_a_candidate_that_separates_the_classes_ends_the_selection():
    events = np.repeat([0, 1], 50)
    rng = np.random.default_rng(2)
    candidates = np.stack([rng.normal(size=100) + events, 6.0 * events - 3.0])
    selected, path = stepwise_logistic(candidates, events)
    assert list(selected) == [1]
    assert path["log_likelihood"].iloc[-1] == pytest.approx(0.0, abs=1e-3)


def test_a_candidate_that_nearly_separates_the_classes_stays():
    """Its Wald chi-square is not significant, though nothing explains more."""
    rng = np.random.default_rng(3)
    candidate = np.r_[-1 - rng.random(49), -0.01, 0.01, 1 + rng.random(49)]
    events = np.r_[np.zeros(49), 1, 0, np.ones(49)].astype(int)
    selected, _ = stepwise_logistic(candidate[None], events)
    coefficients, covariance = newton(np.vstack([np.ones(100), candidate]), events)
    assert list(selected) == [0]
    assert coefficients[1] ** 2 / covariance[1, 1] < chi2.isf(0.05, 1)


@pytest.mark.parametrize("levels", [{"entry": 0.0}, {"stay": 1.0}])
def test_refuses_levels_that_are_none(superseded, levels):
    with pytest.raises(InputError, match="lies between 0 and 1"):
        stepwise_logistic(*superseded, **levels)


@pytest.fixture(scope="module")
def v_shaped():
    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.normal(size=(500, 6)), columns=list("abcdef"))
    X["f"] = rng.integers(0, 3, 500)
    log_odds = 4 * np.abs(X["b"]) - 3 + 2 * (X["f"] == 1)
    return X, np.where(rng.random(500) < expit(log_odds), "yes", "no")


def test_a_v_shaped_effect_is_selected_and_a_linear_model_would_miss_it(v_shaped):
    X, y = v_shaped
    selector = StepwiseNaiveEffects(entry=0.001, stay=0.001, categorical=["f"]).fit(X, y)
    assert list(selector.get_feature_names_out()) == ["b", "f"]
    assert list(selector.path_["feature"]) == ["b", "f"]
    assert selector.transform(X).shape == (500, 2)
    linear, _ = stepwise_logistic(
        X.to_numpy(dtype=float).T, (y == "yes").astype(int), entry=0.001, stay=0.001
    )
    assert 1 not in linear


def test_keeps_all_features_where_none_is_significant():
    X, y = np.random.default_rng(8).normal(size=(40, 2)), np.arange(40) % 2
    with pytest.warns(UserWarning, match="all features are kept"):
        selector = StepwiseNaiveEffects(entry=1e-9).fit(X, y)
    assert selector.get_support().all()


def test_a_pipeline_of_the_configuration_fits_the_selection_alone(v_shaped):
    X, y = v_shaped
    entry = {"steps": [{"method": "stepwise_naive_effects"}, {"method": "generalized_nb"}]}
    pipeline = build_estimator(resolved(entry), {}).fit(X, y)
    selected = X[pipeline[0].get_feature_names_out()]
    expected = GeneralizedNB().fit(selected.to_numpy(), y).predict_proba(selected.to_numpy())
    assert selected.shape[1] < X.shape[1]
    assert pipeline.predict_proba(X) == pytest.approx(expected)
