"""CICA and regression on a real target: the models, and R² over folds with intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from xnbflow.papers.cica.real_target import _regressors, score_regressors, summarise_scores


def test_models_have_the_components_of_their_names():
    models = _regressors(7)
    components = {name: model[0].n_components for name, model in models.items() if "CICA" in name}
    assert components == {"CICA": None, "CICA to 3": 3, "CICA to 1": 1}
    assert all(models[name][0].random_state == 7 for name in components)


def test_intervals_are_nadeau_and_bengios():
    """Variance of the mean of J values: s² (1 / J + n_test / n_training), 1 / 4 with five folds."""
    rng = np.random.default_rng(0)
    naive = rng.uniform(0.2, 0.4, 10)
    ridge = rng.uniform(0.4, 0.5, 10)
    about = {"dataset": "d", "repeat": np.repeat([0, 1], 5), "fold": np.tile(range(5), 2)}
    scores = pd.concat(
        [
            pd.DataFrame({**about, "model": "naive Bayes", "r2": naive}),
            pd.DataFrame({**about, "model": "ridge", "r2": ridge}),
        ]
    )
    summary = summarise_scores(scores, 5).set_index("model")
    assert list(summary.index) == ["naive Bayes", "ridge"]
    assert summary["folds"].tolist() == [10, 10]
    for values, name in ((ridge, "r2"), (ridge - naive, "gain")):
        half = stats.t.ppf(0.975, 9) * np.sqrt(values.var(ddof=1) * (1 / 10 + 1 / 4))
        row = summary.loc["ridge"]
        assert row[name] == pytest.approx(values.mean())
        assert row[f"{name}_lower"] == pytest.approx(values.mean() - half)
        assert row[f"{name}_upper"] == pytest.approx(values.mean() + half)


def test_without_repeats_there_are_no_rows():
    scores = score_regressors(10, 0, 1)
    assert scores.empty
    summary = summarise_scores(scores, 10)
    assert summary.empty
    assert "gain_upper" in summary
