"""The study of effects: its tables against scikit-learn's metrics, and what its section says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from report_study import analysis_section, small
from sklearn import metrics

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.naive_bayes import GeneralizedNB
from xnbflow.papers.generalized.compute import (
    _backfitting,
    _completed_tables,
    _summarise_splits,
    analyse,
    random_splits,
)
from xnbflow.papers.generalized.entries import ANALYSIS

NAIVE = "naive Bayes"
GENERALIZED = "generalized naive Bayes"
TUNED = "generalized naive Bayes, tuned"
LINEAR = "logistic regression"
PARAMS = small("effects")


@pytest.fixture(scope="module")
def toy():
    """A V-shaped effect, its noisy copy, a category ``c`` and noise ``d``; named as the paper's."""
    rng = np.random.default_rng(9)
    a, d = rng.normal(size=(2, 600))
    b, c = a + 0.3 * rng.normal(size=600), rng.integers(0, 2, 600)
    labels = np.where(rng.logistic(size=600) < 3 * np.abs(a) - 2 + c, "spam", "mail")
    features, samples = ["capLengthMAX", "wordFreqOUR", "c", "d"], [f"s{i}" for i in range(600)]
    kinds = ["linear", "linear", "categorical", "linear"]
    return DataSet(
        "spambase",
        np.stack([a, b, c, d]),
        features=features,
        samples=samples,
        labels=labels,
        kinds=kinds,
    )


@pytest.fixture(scope="module")
def folds(toy):
    """Predefined folds, in another order than the series: the last third is for testing."""
    table = pd.DataFrame({"repeat": 0, "fold": 0, "sample": toy.samples[400:]})
    return table.sample(frac=1, random_state=0)


@pytest.fixture(scope="module")
def tables(toy, folds):
    """The tables of the study with one span to choose from: ten fits, not thirty, of each set."""
    params = {**PARAMS, "tune": {"span": [0.5]}, "folds": folds}
    return analyse({"spambase": toy}, params, threads=1)


@pytest.fixture(scope="module")
def tuned_tables(toy, folds):
    return analyse({"spambase": toy}, {**PARAMS, "folds": folds}, threads=1)


@pytest.fixture(scope="module")
def model(toy):
    return GeneralizedNB(span=0.5, categorical=["c"]).fit(toy.frame()[:400], toy.labels[:400])


def test_classes_smaller_than_the_folds_of_tuning_are_refused(toy):
    few = replace(toy, values=toy.values[:, :20], samples=toy.samples[:20], labels=[*"ab"] * 10)
    table = pd.DataFrame({"repeat": 0, "fold": 0, "sample": few.samples[:4]})
    params = {**PARAMS, "features": {"all": None}, "folds": table}
    with pytest.raises(InputError, match="no class has 10 training samples, as `tune` needs"):
        analyse({"spambase": few}, params, threads=1)


def select(table, **where):
    return table[np.logical_and.reduce([table[key] == value for key, value in where.items()])]


def test_statistics_are_those_of_scikit_learn(tables, model, toy):
    where = {"model": GENERALIZED, "features": "all", "part": "test"}
    (row,) = select(tables["fit"], **where).to_dict("records")
    events = toy.labels[400:] == "spam"
    p = model.predict_proba(toy.frame()[400:])[:, 1]
    assert row["log_likelihood"] == pytest.approx(-200 * metrics.log_loss(events, p))
    assert row["mean_square_error"] == pytest.approx(metrics.brier_score_loss(events, p))
    assert row["c_statistic"] == pytest.approx(metrics.roc_auc_score(events, p))
    share = row["misclassification"]
    assert share == pytest.approx(1 - metrics.accuracy_score(events, p > 0.75))
    error = np.sqrt(share * (1 - share) / 200)
    ends = [row["misclassification_lower"], row["misclassification_upper"]]
    assert ends == pytest.approx([share - 1.96 * error, share + 1.96 * error])
    assert row["cutoff"] == 0.75
    counts = metrics.confusion_matrix(events, p > 0.75)
    assert (row["other"], row["event"], row["n_samples"]) == ("mail", "spam", 200)
    assert (row["false_alarms"], row["missed"]) == (counts[0, 1], counts[1, 0])
    # L1 + L2 = 2: a false alarm costs 1.5, and what is missed .5
    assert row["loss_per_1000"] == pytest.approx((1.5 * counts[0, 1] + 0.5 * counts[1, 0]) / 0.2)


def test_backfitting_begins_with_naive_bayes_and_the_scorecard_is_the_models(tables, model):
    (backfitting,) = select(tables["backfitting"], features="all").itertuples()
    path = model.log_likelihood_
    assert [backfitting.naive, backfitting.last] == pytest.approx([path[0], path[-1]])
    assert (backfitting.passes, backfitting.greatest_after) == (len(path) - 1, np.argmax(path))
    naive = select(tables["fit"], model=NAIVE, features="all", part="train")
    assert naive["log_likelihood"].iloc[0] == pytest.approx(model.log_likelihood_[0])
    card = select(tables["scorecard"], features="all").reset_index(drop=True)
    expected = model.scorecard()
    pd.testing.assert_frame_equal(card[list(expected)], expected, check_dtype=False)


@pytest.mark.slow
def test_selection_and_tuning_do_not_see_the_test_part(tuned_tables, toy, folds):
    labels = toy.labels.copy()
    labels[400:] = labels[:399:-1]
    other = DataSet(
        "spambase",
        toy.values,
        features=toy.features,
        samples=toy.samples,
        labels=labels,
        kinds=toy.kinds,
    )
    again = analyse({"spambase": other}, {**PARAMS, "folds": folds}, threads=1)
    for table in ("stepwise", "tuning", "scorecard", "backfitting"):
        pd.testing.assert_frame_equal(tuned_tables[table], again[table])
    assert not tuned_tables["fit"].equals(again["fit"])
    fit = select(tuned_tables["fit"], features="selected", model=NAIVE)
    assert (fit["n_features"] == tuned_tables["stepwise"]["n_selected"].iloc[-1]).all()
    tuning = select(tuned_tables["tuning"], features="all")
    best = tuning["mean_log_likelihood"] == tuning["mean_log_likelihood"].max()
    assert (list(tuning["span"]), list(tuning["chosen"])) == ([0.3, 0.5, 1.0], list(best))


def test_only_the_first_fold_of_the_first_repeat_is_tested(toy, folds):
    """Fold 0 of a second repeat has other samples."""
    second = pd.DataFrame({"repeat": 1, "fold": 0, "sample": toy.samples[:150]})
    other_fold = pd.DataFrame({"repeat": 0, "fold": 1, "sample": toy.samples[:400]})
    params = {"features": {"some": ["c", "d"]}, "folds": pd.concat([folds, second, other_fold])}
    tables = analyse({"spambase": toy}, params, threads=1)
    sizes = tables["fit"].drop_duplicates("part").set_index("part")["n_samples"]
    assert sizes.to_dict() == {"train": 400, "test": 200}
    # a set keeps the kinds of its features
    card = tables["scorecard"].drop_duplicates("feature").set_index("feature")["kind"]
    assert card.to_dict() == {"(intercept)": "intercept", "c": "categorical", "d": "continuous"}


@pytest.mark.slow
def test_the_chosen_parameters_have_the_greatest_log_likelihood(tuned_tables):
    for _, tried in tuned_tables["tuning"].groupby("features"):
        chosen = tried.loc[tried["chosen"], "mean_log_likelihood"]
        assert chosen.tolist() == [tried["mean_log_likelihood"].max()]


@pytest.mark.parametrize("n_samples", [9, 10])
def test_ten_folds_of_tuning_need_a_class_of_ten_samples(rng, n_samples):
    labels = np.repeat(["a", "b"], n_samples)
    values = rng.normal(size=(1, 2 * n_samples)) + (labels == "b")
    samples = [f"s{i}" for i in range(2 * n_samples)]
    data = DataSet("d", values, features=["x"], samples=samples, labels=labels, kinds=["linear"])
    params = {"tune": {"span": [0.6, 1.0]}, "random_splits": 0}
    if n_samples == 10:
        assert len(analyse({"d": data}, params, threads=1)["tuning"]) == 2
    else:
        with pytest.raises(InputError, match="no class has 10 training samples"):
            analyse({"d": data}, params, threads=1)


def test_refuses_features_that_do_not_exist(toy):
    with pytest.raises(InputError, match="spambase has no feature 'z'"):
        analyse({"spambase": toy}, {"features": {"wrong": ["c", "z"]}}, threads=1)


def test_the_papers_error_is_said_to_be_of_another_split(tables, tmp_path):
    where = {"model": GENERALIZED, "features": "paper", "part": "test"}
    share = select(tables["fit"], **where)["misclassification"].item()
    ours, theirs = np.sqrt(share * (1 - share) / 200), np.sqrt(0.053 * 0.947 / 1536)
    differs = abs(share - 0.053) >= 1.96 * np.hypot(ours, theirs)
    (printed,) = tables["published"].itertuples()
    assert (printed.part, printed.paper, printed.differs) == ("test", 0.053, differs)
    assert [printed.ours, printed.paper_error] == pytest.approx([share, theirs])
    section, _ = analysis_section(ANALYSIS, tables, tmp_path)
    assert f"misclassifies {share:.1%} (standard error {ours:.1%})" in section.blocks[0].text


def test_curves_are_described_by_where_the_samples_are(tables):
    # 60 of 100 samples are 0, the others spread; half of the naive effect is taken back
    spread = pd.DataFrame({"feature": "atom", "kind": "continuous", "value": np.arange(41.0)})
    spread = spread.assign(count=[60, *[1] * 40], sum=0.1 * spread["value"])
    card = spread.assign(naive_effect=2 * spread["sum"], adjustment=-spread["sum"])
    about = {"dataset": "d", "features": "all"}
    path = _backfitting([-90.0, -50, -40, -45])
    hand_written = {"scorecard": card.assign(**about), "backfitting": pd.DataFrame([about | path])}
    summaries = _completed_tables({"fit": tables["fit"]} | hand_written)
    atom = summaries["strengths"].set_index("feature").loc["atom"]
    naive = np.r_[np.zeros(60), 0.2 * np.arange(1, 41)].std()
    assert atom[["naive", "adjusted", "taken_back"]].tolist() == pytest.approx(
        [naive, naive / 2, 0.5]
    )
    # one of 100 lies beyond the 99% quantile, and 60 are apart
    assert atom[["low", "high", "beyond"]].tolist() == pytest.approx([0, 39, 0.01])
    (passes,) = summaries["backfitting"].itertuples()
    assert (passes.passes, passes.greatest, passes.greatest_after) == (3, -40, 2)


def test_random_splits_have_the_sizes_of_the_fixed_one_and_differ(tables, toy):
    splits = tables["splits"]
    assert set(splits["features"]) == {"all", "paper"}
    assert splits.groupby("features").size().eq(5).all()  # models
    assert splits["splits"].eq(3).all()
    params = {"generalized": PARAMS["generalized"], "losses": (3, 1), "random_splits": 3}
    errors = random_splits(toy, features=None, n_train=400, params=params)
    errors = select(errors, model=NAIVE)["misclassification"]
    assert errors.nunique() == 3  # other samples in each split
    assert 200 * errors.to_numpy() == pytest.approx(np.round(200 * errors))  # 200 are tested
    summary = select(splits, features="all", model=NAIVE)["mean"].item()
    assert summary == pytest.approx(errors.mean())


def test_the_papers_error_is_placed_in_the_interval_of_one_further_split():
    errors = [0.05, 0.06, 0.055, 0.065]
    splits = pd.DataFrame({"model": NAIVE, "misclassification": errors})
    (row,) = _summarise_splits(splits, 0.053).itertuples()
    mean, sd = 0.0575, np.std(errors, ddof=1)
    half = 3.182446 * sd * np.sqrt(1.25)  # Student's t, 3 degrees of freedom, 97.5 %
    assert [row.mean, row.lower, row.upper] == pytest.approx([mean, mean - half, mean + half])
    assert (row.paper, row.paper_share, row.contains) == (0.053, 0.25, True)
    far = pd.DataFrame({"model": NAIVE, "misclassification": [0.10, 0.11, 0.105]})
    assert not _summarise_splits(far, 0.053)["contains"].item()


def test_the_published_method_is_fitted_without_atoms_from_naive_bayes(tables, toy):
    published = {"start": "naive", "atom": None, "shrinkage": 0.0, "inner": "converged"}
    model = GeneralizedNB(span=0.5, categorical=["c"], **published)
    model.fit(toy.frame()[:400], toy.labels[:400])
    where = {"model": "generalized naive Bayes, as published", "features": "all", "part": "train"}
    (row,) = select(tables["fit"], **where).itertuples()
    assert row.log_likelihood == pytest.approx(model.log_likelihood_[-1])
    assert row.passes == model.n_iter_
    where["model"] = "naive Bayes, as published"
    (row,) = select(tables["fit"], **where).itertuples()
    assert row.log_likelihood == pytest.approx(model.log_likelihood_[0])
