"""The study of effects: its tables against scikit-learn's metrics, and its bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

from xnbflow.data.contract import FOLDS_TABLE
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.tables import write_parquet
from xnbflow.naive_bayes import GeneralizedNB
from xnbflow.naive_bayes.scorecard import score
from xnbflow.studies.effects.compute import analyse

PARAMS = {
    "features": {"all": None, "two": ["a", "c"], "selected": "stepwise"},
    "generalized": {"span": 0.5},
    "tune": {"span": [0.5, 1.0]},
}


@pytest.fixture(scope="module")
def toy():
    """A V-shaped effect ``a``, its noisy copy ``b``, a category ``c`` and noise ``d``."""
    rng = np.random.default_rng(9)
    a, d = rng.normal(size=(2, 600))
    b, c = a + 0.3 * rng.normal(size=600), rng.integers(0, 2, 600)
    log_odds = 3 * np.abs(a) - 2 + c
    labels = np.where(rng.logistic(size=600) < log_odds, "spam", "mail")
    samples = [f"s{i}" for i in range(600)]
    kinds = ["linear", "linear", "categorical", "linear"]
    return DataSet("toy", np.stack([a, b, c, d]), list("abcd"), samples, labels, kinds)


@pytest.fixture(scope="module")
def folds(toy, tmp_path_factory):
    """Predefined folds, in another order than the series: the last third is for testing."""
    path = tmp_path_factory.mktemp("folds") / "folds.parquet"
    table = pd.DataFrame({"repeat": 0, "fold": 0, "sample": toy.samples[400:]})
    write_parquet(table.sample(frac=1, random_state=0), path, FOLDS_TABLE)
    return str(path)


@pytest.fixture(scope="module")
def tables(toy, folds):
    return analyse({"toy": toy}, {**PARAMS, "folds": folds, "losses": [3, 1]}, threads=1)


@pytest.fixture(scope="module")
def model(toy):
    return GeneralizedNB(span=0.5, categorical=["c"]).fit(toy.frame()[:400], toy.labels[:400])


def select(table, **where):
    return table[np.logical_and.reduce([table[key] == value for key, value in where.items()])]


def test_statistics_are_those_of_scikit_learn(tables, model, toy):
    row = select(tables["fit"], model="generalized naive Bayes", features="all", part="test")
    row = row.iloc[0]
    X, events = toy.frame()[400:], toy.labels[400:] == "spam"
    p = model.predict_proba(X)[:, 1]
    assert row["log_likelihood"] == pytest.approx(-200 * log_loss(events, p))
    assert row["mean_square_error"] == pytest.approx(brier_score_loss(events, p))
    assert row["c_statistic"] == pytest.approx(roc_auc_score(events, p))
    assert row["misclassification"] == pytest.approx(1 - accuracy_score(events, p > 0.75))
    assert row["cutoff"] == 0.75


def test_confusion_counts_every_sample_and_agrees_with_the_misclassification(tables):
    where = {"model": "naive Bayes", "features": "two", "part": "train"}
    confusion = select(tables["confusion"], **where)
    assert confusion["count"].sum() == 400
    wrong = confusion.loc[confusion["actual"] != confusion["predicted"], "count"].sum()
    rate = select(tables["fit"], **where)["misclassification"].iloc[0]
    assert wrong / 400 == pytest.approx(rate)


def test_a_dearer_false_alarm_gives_fewer(tables, toy, folds):
    equal = analyse({"toy": toy}, {"folds": folds}, threads=1)["confusion"]
    alarm = {
        "features": "all",
        "model": "generalized naive Bayes",
        "part": "test",
        "actual": "mail",
        "predicted": "spam",
    }
    dear = select(tables["confusion"], **alarm)["count"].iloc[0]
    assert dear < select(equal, **alarm)["count"].iloc[0]
    assert select(equal, **alarm)["cutoff"].iloc[0] == 0.5


def test_linear_effects_lose_on_a_v(tables):
    loss = select(tables["linear_loss"], features="all", part="test")
    assert list(loss["statistic"]) == [
        "log_likelihood",
        "mean_square_error",
        "c_statistic",
        "misclassification",
    ]
    assert (loss["loss"] > 0).all()
    assert loss["loss"].abs().to_numpy() == pytest.approx(
        (loss["generalized"] - loss["linear"]).abs().to_numpy()
    )


def test_convergence_begins_with_naive_bayes(tables, model):
    convergence = select(tables["convergence"], features="all")
    assert convergence["log_likelihood"].to_numpy() == pytest.approx(model.log_likelihood_)
    naive = select(tables["fit"], model="naive Bayes", features="all", part="train")
    assert naive["log_likelihood"].iloc[0] == pytest.approx(model.log_likelihood_[0])


def test_the_scorecard_scores(tables, model, toy):
    X = toy.frame()
    table = select(tables["scorecard"], features="all")
    assert score(table, X) == pytest.approx(model.predict_proba(X)[:, 1])


@pytest.mark.slow
def test_selection_and_tuning_do_not_see_the_test_part(tables, toy, folds):
    labels = toy.labels.copy()
    labels[400:] = labels[:399:-1]
    other = DataSet("toy", toy.values, toy.features, toy.samples, labels, toy.kinds)
    again = analyse({"toy": other}, {**PARAMS, "folds": folds, "losses": [3, 1]}, threads=1)
    for table in ("stepwise", "tuning", "scorecard", "convergence"):
        pd.testing.assert_frame_equal(tables[table], again[table])
    assert not tables["fit"].equals(again["fit"])


def test_the_selection_is_the_training_parts(tables, toy):
    path = tables["stepwise"]
    assert list(path["features"].unique()) == ["selected"]
    assert {"a", "c"} <= set(path["feature"])
    fit = select(tables["fit"], features="selected", model="naive Bayes")
    assert (fit["n_features"] == path["n_selected"].iloc[-1]).all()


def test_tuning_takes_the_best_of_its_grid(tables):
    tuning = select(tables["tuning"], features="all")
    assert list(tuning["span"]) == [0.5, 1.0]
    best = tuning.loc[tuning["mean_log_likelihood"].idxmax()]
    assert best["chosen"]
    assert tuning["chosen"].sum() == 1


def test_without_folds_all_samples_train(toy):
    tables = analyse({"toy": toy}, {}, threads=1)
    assert list(tables["fit"]["part"].unique()) == ["train"]
    assert (tables["fit"]["n_samples"] == 600).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"fold": "x"}, "no parameter 'fold'; it has features, folds"),
        ({"losses": [0, 1]}, "above 0"),
    ],
)
def test_refuses_parameters_it_does_not_have(toy, params, message):
    with pytest.raises(InputError, match=message):
        analyse({"toy": toy}, params, threads=1)


def test_refuses_features_that_do_not_exist(toy):
    with pytest.raises(InputError, match="toy has no feature 'z'"):
        analyse({"toy": toy}, {"features": {"wrong": ["a", "z"]}}, threads=1)
