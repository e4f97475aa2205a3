"""Stepwise selection by naive effects: SAS's rules, and where they end."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import chi2

from xnbflow.naive_bayes import GeneralizedNB
from xnbflow.papers.generalized import stepwise
from xnbflow.papers.generalized.stepwise import stepwise_logistic
from xnbflow.preprocessing import StepwiseNaiveEffects


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


def test_a_candidate_is_kept_where_the_likelihood_ratio_contradicts_walds_test():
    """Hauck and Donner (1977): a far coefficient looks uncertain.

    Score chi-square 4.25, Wald 2.46, likelihood ratio 5.24; the critical value is 3.84.
    """
    rng = np.random.default_rng(5)
    candidate = rng.normal(size=20) ** 3
    events = (rng.random(20) < expit(2 * candidate)).astype(int)
    coefficients, covariance = newton(np.vstack([np.ones(20), candidate]), events)
    assert coefficients[1] ** 2 / covariance[1, 1] == pytest.approx(2.46, abs=0.01)
    selected, path = stepwise_logistic(candidate[None], events)
    assert selected.tolist() == [0]
    assert path["chi_square"].item() == pytest.approx(4.25, abs=0.01)


@pytest.fixture(scope="module")
def weak():
    """One candidate with a weak effect: score chi-square 4.32, p = .038."""
    rng = np.random.default_rng(2)
    candidate = rng.normal(size=100)
    return candidate[None], (rng.random(100) < expit(0.5 * candidate)).astype(int)


@pytest.mark.parametrize(
    ("levels", "actions"),
    [
        ({"entry": 0.05, "stay": 0.05}, ["enter"]),
        ({"entry": 0.02, "stay": 0.05}, []),
        ({"entry": 0.05, "stay": 0.02}, ["enter", "remove"]),
    ],
)
def test_each_level_has_its_own_test(weak, levels, actions):
    """The selection ends when the one that has just entered is removed."""
    selected, path = stepwise_logistic(*weak, **levels)
    assert path["action"].tolist() == actions
    assert len(selected) == actions.count("enter") - actions.count("remove")
    if actions:
        assert chi2.sf(path["chi_square"].iloc[0], 1) == pytest.approx(0.038, abs=0.001)


def test_the_selection_ends_when_a_model_comes_back(monkeypatch):
    """Each candidate in turn takes the place of the other: {0}, {1}, {0}."""

    class Endless:
        separated = False

        def __init__(self, candidates, events):
            self.selected, self.steps = [], []

        def enter(self, level):
            assert len(self.steps) < 10, "the selection does not end"
            entered = 1 if self.selected == [0] else 0
            self.selected.append(entered)
            self.steps.append({"action": "enter", "candidate": entered})
            return True

        def remove(self, level):
            if len(self.selected) < 2:
                return False
            self.steps.append({"action": "remove", "candidate": self.selected.pop(0)})
            return True

    monkeypatch.setattr(stepwise, "_StepwiseSearch", Endless)
    selected, path = stepwise_logistic(np.zeros((2, 4)), np.array([0, 1, 0, 1]))
    assert selected.tolist() == [0]
    assert path["action"].tolist() == ["enter", "enter", "remove", "enter", "remove"]


@pytest.mark.parametrize(("share", "n_selected"), [(1e-6, 1), (1e-3, 2)])
def test_a_candidate_that_is_nearly_a_selected_one_is_collinear(share, n_selected):
    """Of ``a + share * b`` the square of the share is left beside ``a``: 1e-12 or 1e-6."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 400))
    events = (rng.random(400) < expit(2 * a + 2 * b)).astype(int)
    assert len(stepwise_logistic(np.stack([a, a + share * b]), events)[0]) == n_selected


def test_classes_that_are_almost_separated_do_not_end_the_selection():
    """After the first candidate the log-likelihood per sample is above -.1."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 1000))
    events = (a + 0.1 * b + 0.02 * rng.logistic(size=1000) > 0).astype(int)
    selected, path = stepwise_logistic(np.stack([a, b]), events)
    assert path["log_likelihood"].iloc[0] > -0.1 * 1000
    assert selected.tolist() == [0, 1]


OPTIONS = [
    {"kernel": "epanechnikov"},
    {"atom": None},
    {"shrinkage": 30.0},
    {"span": 0.2},
    {"categorical": [1]},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_candidates_are_the_naive_effects_with_the_options_of_the_selector(options):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    X[:, 1] = np.round(X[:, 1] * (rng.random(300) < 0.7), 1)  # three of ten are 0
    y = (rng.random(300) < expit(X[:, 0] ** 2 + X[:, 1] - 1)).astype(int)
    effects = GeneralizedNB(max_iter=0, **options).fit(X, y).effects(X)["naive_effect"]
    expected = stepwise_logistic(effects.to_numpy().reshape(300, 2).T, y)[1]
    path = StepwiseNaiveEffects(**options).fit(X, y).path_
    assert path["chi_square"].to_numpy() == pytest.approx(expected["chi_square"].to_numpy())
    default = StepwiseNaiveEffects().fit(X, y).path_
    assert path["log_likelihood"].iloc[-1] != pytest.approx(default["log_likelihood"].iloc[-1])


def test_all_features_are_kept_where_none_is_significant():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.warns(UserWarning, match=r"entry=1e-06 .*all features are kept"):
        selector = StepwiseNaiveEffects(entry=1e-6).fit(X, np.arange(40) % 2)
    assert selector.selected_.tolist() == [0, 1, 2]
    assert selector.path_.empty


def test_a_candidate_that_nearly_separates_is_kept_by_the_likelihood_ratio():
    """Wald's chi-square is .2, far below 3.84, and the likelihood ratio 22 (Hauck and Donner)."""
    candidate = np.r_[np.full(8, -3.0), -0.01, 0.01, np.full(8, 3.0)]
    events = np.repeat([0, 1, 0, 1], [8, 1, 1, 8])
    selected, path = stepwise_logistic(candidate[None], events)
    assert selected.tolist() == [0]
    assert path["action"].tolist() == ["enter"]
    ratio = 2 * (path["log_likelihood"].iloc[0] + 18 * np.log(2))
    assert ratio == pytest.approx(22.12, abs=0.01)
    assert ratio > chi2.isf(0.05, 1)
