"""Generalized naive Bayes on the real Spambase, split as in *Elements of Statistical Learning*.

The bounds are those set for this project; Larsen (2005) reports 5.3% misclassified on a random
split of the same sizes, and one standard error is 0.6%. Nothing is tuned: span 0.6, kernel and
tolerance are the paper's. The fits to 3,065 mails take four seconds.
"""

import numpy as np
import pandas as pd
import pytest

from xnbflow.naive_bayes import GeneralizedNB
from xnbflow.papers.generalized.compute import analyse
from xnbflow.running.project import default_configuration
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry

pytestmark = pytest.mark.slow

PARAMS = default_configuration()["studies"]["spam"]["analyses"]["effects"]["params"]
SETS = PARAMS["features"]


@pytest.fixture(scope="module")
def tables(shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spambase")
    row = DatasetEntry("spambase", "uci", "spambase", options={"file": "spambase.data.gz"})
    spambase = acquire(row, downloads=folder, base_urls={"uci": [str(shared_data / "uci")]})
    test = np.loadtxt(shared_data / "uci" / "spambase.test_indicator.txt.gz") == 1
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": spambase.samples[test]})
    params = {"folds": folds, "features": SETS}
    return analyse({"spambase": spambase}, params, threads=1)


@pytest.fixture(scope="module")
def fit(tables):
    test = tables["fit"][tables["fit"]["part"] == "test"]
    return test.set_index(["features", "model"])


@pytest.mark.parametrize(
    ("features", "n_features", "bounds"),
    [("all", 57, (0.058, -265, 0.98)), ("paper", 18, (0.063, -285, 0.975))],
)
def test_the_fixed_split_is_classified_as_well_as_in_the_paper(fit, features, n_features, bounds):
    row = fit.loc[features, "generalized naive Bayes"]
    misclassification, log_likelihood, c_statistic = bounds
    assert (row["n_features"], row["n_samples"]) == (n_features, 1536)
    assert row["misclassification"] <= misclassification
    assert row["log_likelihood"] > log_likelihood
    assert row["c_statistic"] >= c_statistic


@pytest.mark.parametrize("features", ["all", "paper", "stepwise"])
@pytest.mark.parametrize("other", ["naive Bayes", "logistic regression"])
def test_it_is_better_than_naive_bayes_and_than_linear_effects(fit, features, other):
    ours, theirs = fit.loc[features, "generalized naive Bayes"], fit.loc[features, other]
    assert ours["misclassification"] < theirs["misclassification"]
    assert ours["mean_square_error"] < theirs["mean_square_error"]
    assert ours["log_likelihood"] > theirs["log_likelihood"]
    assert ours["c_statistic"] > theirs["c_statistic"]


def test_the_stepwise_selection_shares_twelve_of_the_papers_columns(tables):
    path = tables["stepwise"]
    removed = path.loc[path["action"] == "remove", "feature"]
    selected = set(path["feature"]) - set(removed)
    assert len(selected & set(SETS["paper"])) >= 12
    assert len(selected) == path["n_selected"].iloc[-1]


def test_the_longest_run_of_capitals_has_a_hockey_stick(tables):
    """Figure 1: the effect rises steeply at first and changes little afterwards."""
    curve = tables["scorecard"].query("features == 'paper' and feature == 'capLengthMAX'")
    at = np.interp([1, 50, 100, 500], curve["value"], curve["sum"])
    assert at[1] - at[0] > 1.0
    assert abs(at[3] - at[2]) < 0.5 * (at[1] - at[0])


def test_as_published_needs_seven_passes_and_has_no_pseudo_observations(fit):
    """An independent program has 7 passes (the paper 6), and .0625 with 57 columns."""
    published = fit.xs("generalized naive Bayes, as published", level="model")
    assert published.loc["paper", "passes"] == 7
    assert round(published.loc["all", "misclassification"], 4) == 0.0625


def test_the_papers_step_from_naive_bayes_is_shown_without_atoms(tables):
    """Larsen: much of the bias goes. With one pseudo-observation an independent program has 11.4%
    to 6.3% in the test and -1140 to -583 in the training part.
    """
    rows = tables["fit"].set_index(["features", "model", "part"]).loc["paper"]
    naive, generalized = "naive Bayes, as published", "generalized naive Bayes, as published"
    errors = [rows.loc[(model, "test"), "misclassification"] for model in (naive, generalized)]
    assert np.round(errors, 3).tolist() == [0.113, 0.065]
    fits = [rows.loc[(model, "train"), "log_likelihood"] for model in (naive, generalized)]
    assert np.round(fits).tolist() == [-1132, -586]


@pytest.mark.parametrize(("inner", "passes"), [("once", 9), ("converged", 7)])
def test_with_a_pseudo_observation_the_step_is_that_of_the_independent_program(
    shared_data, tmp_path, inner, passes
):
    """11.4% to 6.3%, -1140 to -583; the innermost loop changes the passes and no error."""
    row = DatasetEntry("spambase", "uci", "spambase", options={"file": "spambase.data.gz"})
    data = acquire(row, downloads=tmp_path, base_urls={"uci": [str(shared_data / "uci")]})
    test = np.loadtxt(shared_data / "uci" / "spambase.test_indicator.txt.gz") == 1
    X, y = data.frame()[SETS["paper"]], data.labels
    errors, fits = [], []
    for max_iter in (0, 100):
        model = GeneralizedNB(atom=None, start="naive", inner=inner, max_iter=max_iter)
        model.fit(X[~test], y[~test])
        errors.append(1 - model.score(X[test], y[test]))
        fits.append(model.log_likelihood_[-1])
    assert model.n_iter_ == passes
    assert np.round(errors, 3).tolist() == [0.114, 0.063]
    assert np.round(fits).tolist() == [-1140, -583]
