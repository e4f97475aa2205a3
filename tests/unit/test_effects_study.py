"""The study of effects: its tables against scikit-learn's metrics, and what its section says."""

import itertools

import numpy as np
import pandas as pd
import pytest
from report_study import as_shown, sources, unsourced, walk, write_declared
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

from xnbflow.data.contract import FOLDS_TABLE, analysis_tables
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.study import Study
from xnbflow.data.tables import write_parquet
from xnbflow.naive_bayes import GeneralizedNB
from xnbflow.naive_bayes.scorecard import score
from xnbflow.report.page.blocks import Gallery, Group, Links, Prose, Table, figures_of
from xnbflow.report.page.style import render
from xnbflow.report.results import StudyResults
from xnbflow.studies.effects import ANALYSIS, section_curves
from xnbflow.studies.effects import section as effects
from xnbflow.studies.effects.compute import analyse, summarise
from xnbflow.studies.effects.section import section

TABLES = analysis_tables(ANALYSIS)

STATISTICS = ["log_likelihood", "mean_square_error", "c_statistic", "misclassification"]
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
    shown = {"features": "all", "model": "generalized naive Bayes", "part": "test"}
    dear, cheap = (
        select(table, **shown, actual="mail", predicted="spam").iloc[0]
        for table in (tables["confusion"], equal)
    )
    assert dear["count"] < cheap["count"]
    assert cheap["cutoff"] == 0.5


def test_linear_effects_lose_on_a_v(tables):
    loss = select(tables["linear_loss"], features="all", part="test")
    assert list(loss["statistic"]) == STATISTICS
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
        ({"fold": "x"}, "no parameter 'fold'"),
        ({"losses": [0, 1]}, "above 0"),
        ({"features": {"wrong": ["a", "z"]}}, "toy has no feature 'z'"),
    ],
)
def test_refuses_parameters_and_features_that_do_not_exist(toy, params, message):
    with pytest.raises(InputError, match=message):
        analyse({"toy": toy}, params, threads=1)


NAIVE, GENERALIZED = "naive Bayes", "generalized naive Bayes"
TUNED, LINEAR = "generalized naive Bayes, tuned", "logistic regression"

#: Misclassified in the test part of 100: naive, generalized, linear, tuned.
WRONG = {NAIVE: 12, GENERALIZED: 6, LINEAR: 9, TUNED: 7}


def fit(sets):
    parts = {"train": 200, "test": 100}
    rows = itertools.product(sets, WRONG, parts)
    frame = pd.DataFrame(rows, columns=["features", "model", "part"])
    wrong = frame["model"].map(WRONG)
    return frame.assign(
        n_features=frame["features"].map(sets),
        n_samples=frame["part"].map(parts),
        log_likelihood=-10.0 * wrong,
        mean_square_error=wrong / 200,
        c_statistic=1 - wrong / 300,
        cutoff=0.75,
        misclassification=wrong / 100,
    )


def confusion(fitted):
    """Return two thirds of the errors as false alarms; half of the samples are events."""
    rows = []
    for row in fitted.itertuples():
        half, wrong = row.n_samples // 2, round(row.misclassification * row.n_samples)
        alarms, missed = wrong - wrong // 3, wrong // 3
        cells = {
            ("ham", "ham"): half - alarms,
            ("ham", "spam"): alarms,
            ("spam", "ham"): missed,
            ("spam", "spam"): half - missed,
        }
        key = (row.features, row.model, row.part, row.cutoff)
        rows += [(*key, *cell, count) for cell, count in cells.items()]
    columns = ["features", "model", "part", "cutoff", "actual", "predicted", "count"]
    return pd.DataFrame(rows, columns=columns)


def linear_loss(fitted):
    pairs = fitted[["features", "part"]].drop_duplicates()
    rows = pairs.merge(pd.DataFrame({"statistic": STATISTICS}), how="cross")
    return rows.assign(generalized=1.0, linear=0.5, loss=0.5)


def card(features):
    """Return a scorecard: 60 of 100 samples are 0, the others spread; half is taken back."""
    rows = [("(intercept)", "intercept", np.nan, 100, -0.5, 0.1)]
    for j, feature in enumerate(features, 1):
        rows.append((feature, "continuous", 0.0, 60, -0.2 * j, 0.1 * j))
        rows += [
            (feature, "continuous", float(value), 1, 0.1 * j * value, -0.05 * j * value)
            for value in range(1, 41)
        ]
    columns = ["feature", "kind", "value", "count", "naive_effect", "adjustment"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(sum=frame["naive_effect"] + frame["adjustment"])


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    """Write tables of the analysis and return the study's results."""

    def written(dataset, sets, **more):
        fitted = fit({name: len(features) for name, features in sets.items()})
        tables = {
            "fit": fitted,
            "confusion": confusion(fitted),
            "linear_loss": linear_loss(fitted),
            "convergence": pd.DataFrame(
                [(name, i, value) for name in sets for i, value in enumerate([-90, -60, -59.0])],
                columns=["features", "iteration", "log_likelihood"],
            ),
            "scorecard": pd.concat(
                [card(f).assign(features=name) for name, f in sets.items()], ignore_index=True
            ),
            **more,
        }
        study = Study("mail", "Mail", "", (dataset,), (), (), diagnostics=False, analyses={})
        results = StudyResults(study, {}, {}, tmp_path_factory.mktemp("study"))
        folder = results.folder / "effects"
        tables = {name: table.assign(dataset=dataset) for name, table in tables.items()}
        for name, table in summarise(tables).items():
            write_declared(table, folder / f"{name}.parquet", TABLES[name])
        return results

    return written


def table_with(made, column):
    return next(b for b in walk(made.blocks) if isinstance(b, Table) and column in as_shown(b))


def texts(made):
    return [block.text for block in walk(made.blocks) if isinstance(block, Prose)]


STEPWISE = pd.DataFrame(
    {
        "features": "chosen",
        "step": [1, 2, 3],
        "action": ["enter", "enter", "remove"],
        "feature": ["wordFreqOUR", "other", "other"],
        "chi_square": [30.0, 4.0, 1.0],
        "p_value": [1e-7, 0.04, 0.3],
        "log_likelihood": [-80.0, -78.0, -78.5],
        "n_selected": [1, 2, 1],
    }
)
TUNING = pd.DataFrame(
    {
        "features": "paper",
        "span": [0.3, 0.6, 1.0],
        "mean_log_likelihood": [-0.3, -0.2, -0.1],
        "chosen": [False, False, True],
    }
)
PAPER = ["wordFreqOUR", "capLengthMAX", "x"]


@pytest.fixture(scope="module")
def papers(write):
    sets = {"chosen": ["wordFreqOUR", "a", "b", "c"], "paper": PAPER}
    return section(write("spambase", sets, stepwise=STEPWISE, tuning=TUNING))


def test_the_papers_error_is_said_to_be_of_another_split(papers):
    headline = papers.blocks[0]
    assert headline.role == "headline"
    # sqrt(.06 * .94 / 100) and, on the paper's 1,536 test samples, sqrt(.053 * .947 / 1536).
    assert "misclassifies 6.0% (standard error 2.4%)" in headline.text
    assert "5.3%, but on a random split of its own" in headline.text
    assert "standard error of 0.6%: the two differ by no more than chance" in headline.text


def test_other_data_are_not_compared_with_the_paper(write):
    made = section(write("loans", {"paper": PAPER}))
    assert not any("5.3%" in text for text in texts(made))
    errors = next(figures_of(made.blocks))
    labels = [group.label for group in errors.arguments["groups"]]
    assert labels == [NAIVE, GENERALIZED, TUNED, LINEAR]


def test_optional_tables_may_be_missing(write):
    titles = [
        b.title for b in section(write("loans", {"all": ["u"]})).blocks if isinstance(b, Group)
    ]
    assert "Scorecard" in titles
    assert not {"Stepwise selection", "Tuning"} & set(titles)


def test_the_best_model_of_each_statistic_is_marked(papers):
    table = table_with(papers, "log-likelihood, test")
    row = table.frame["model"].tolist().index(GENERALIZED)
    assert table.best == {(row, column) for column in table.frame.columns[1:]}


def test_the_papers_two_features_come_first_and_large(papers):
    effects = [f for f in figures_of(papers.blocks) if f.name.startswith("effect-")]
    drawn = [(f.arguments["feature"], f.arguments["large"]) for f in effects]
    assert drawn == [("capLengthMAX", True), ("wordFreqOUR", True), ("x", False)]


def test_a_value_of_many_samples_stands_apart_from_the_bars(papers):
    drawn = next(f.arguments for f in figures_of(papers.blocks) if f.name.startswith("effect-"))
    assert drawn["separate"] == [(0.0, 0.6)]
    # 40 samples beside the 60; one of 100 lies beyond the 99 % quantile.
    assert drawn["counts"].sum() == 39
    assert drawn["note"] == "1.0% lie outside"
    assert drawn["edges"][[0, -1]].tolist() == [0.0, 39.0]


def test_strength_is_spread_and_share_taken_back(write):
    folder = write("loans", {"all": ["weak", "strong"]}).folder
    strengths = pd.read_parquet(folder / "effects" / "strengths.parquet").set_index("feature")
    assert strengths.index.tolist() == ["strong", "weak"]
    naive = np.r_[np.full(60, -0.4), 0.2 * np.arange(1, 41)]
    assert strengths.loc["strong", "naive"] == pytest.approx(naive.std())
    np.testing.assert_allclose(strengths["taken_back"], 0.5)
    np.testing.assert_allclose(strengths["adjusted"], strengths["naive"] / 2)


def test_a_false_alarm_costs_by_its_loss(papers):
    table = as_shown(table_with(papers, "loss per 1,000"))
    row = table[(table["model"] == NAIVE) & (table["part"] == "test")].iloc[0]
    assert (row["ham called spam"], row["spam called ham"]) == (8, 4)
    # Cut-off .75: L1 = 1.5 and L2 = .5, so 8 * 1.5 + 4 * .5 = 14 of 100.
    assert row["loss per 1,000"] == pytest.approx(140)
    assert any("L1 / (L1 + L2) = 0.75" in text for text in texts(papers))


def test_stepwise_marks_the_papers_features(papers):
    figure = next(f for f in figures_of(papers.blocks) if f.name.startswith("stepwise-"))
    assert figure.arguments["steps"] == ["+ wordFreqOUR", "+ other", "− other"]
    assert figure.arguments["filled"].tolist() == [True, False, False]
    assert "1 of its 3 are here" in figure.caption


def test_tuning_says_what_was_chosen_and_whether_it_helped(papers):
    sentence = next(text for text in texts(papers) if "was chosen" in text)
    assert "span 1 was chosen" in sentence
    assert "worse than that of the untuned model (-70.0 against -60.0)" in sentence
    assert "At an end of what was tried: span." in sentence
    table = table_with(papers, "tried")
    assert table.best == {(2, "paper (3 features)")}


def test_the_scorecard_is_linked_and_its_excerpt_short(papers):
    links = next(b for b in walk(papers.blocks) if isinstance(b, Links))
    assert links.items[0][2] == ["effects/scorecard.parquet", "effects/scorecard.tsv"]
    excerpt = as_shown(table_with(papers, "adjustment"))
    assert excerpt["feature"].iloc[0] == "(intercept)"
    # Least value and median are both the 60 zeros; then 75, 90 and 99 %.
    x = excerpt[excerpt["feature"] == "x"]
    assert x["value"].tolist() == [0.0, 15.0, 30.0, 39.0]


def test_without_a_test_part_the_training_part_is_shown(write):
    fitted = fit({"all": 2}).query("part == 'train'")
    parts = {"fit": fitted, "confusion": confusion(fitted), "linear_loss": linear_loss(fitted)}
    made = section(write("loans", {"all": ["u", "v"]}, **parts))
    assert made.blocks[0].text.startswith("Of 200 train samples of loans")
    assert not any("test" in column for column in table_with(made, "model").frame.columns)


def test_every_figure_draws_small(papers):
    for figure in figures_of(papers.blocks):
        svg = render(figure.name, figure.draw, figure.arguments)
        assert svg.startswith("<svg"), figure.name
        assert len(svg) < 20_000, figure.name
        assert figure.alt, figure.name


def test_categories_are_marks_without_a_curve(write):
    table = card(["u"]).assign(features="all")
    category = table.iloc[[1, 2, 3]].assign(kind="categorical", count=[5, 90, 5])
    scorecard = pd.concat([table.iloc[[0]], category], ignore_index=True)
    made = section(write("loans", {"all": ["u"]}, scorecard=scorecard))
    drawn = next(f.arguments for f in figures_of(made.blocks) if f.name.startswith("effect-"))
    assert drawn["separate"] == [(0.0, 0.05), (1.0, 0.9), (2.0, 0.05)]
    assert drawn["counts"].sum() == 0
    assert any(isinstance(block, Gallery) for block in walk(made.blocks))


def test_every_number_names_the_table_that_holds_it(papers):
    assert unsourced(papers.blocks, effects, section_curves) == []
    assert sources(papers.blocks) <= {f"effects/{name}.tsv" for name in TABLES}


def test_intervals_and_the_papers_error_are_tables(write):
    folder = write("spambase", {"paper": PAPER}).folder / "effects"
    fitted = pd.read_parquet(folder / "fit.parquet").set_index(["model", "part"])
    row = fitted.loc[(GENERALIZED, "test")]
    error = np.sqrt(0.06 * 0.94 / 100)
    ends = row[["misclassification_lower", "misclassification_upper"]]
    assert ends.tolist() == pytest.approx([0.06 - 1.96 * error, 0.06 + 1.96 * error])
    (printed,) = pd.read_parquet(folder / "published.parquet").itertuples()
    # .007 apart, and 1.96 standard errors of the difference are .048
    assert (printed.part, printed.paper, printed.differs) == ("test", 0.053, False)
    assert printed.ours == pytest.approx(0.06)


def test_shapes_are_told_by_where_the_samples_are():
    values = np.arange(11.0)
    curves = {
        # 80 % of the climb are made at the second of eleven values, and it stays
        "stick": np.minimum(values, 1.0),
        "straight": values,
        "bowl": (values - 5) ** 2,
        "level": np.zeros(11),
    }
    scorecard = pd.concat(
        pd.DataFrame({"feature": name, "kind": "continuous", "value": values, "sum": effect})
        for name, effect in curves.items()
    ).reset_index(drop=True)
    scorecard = scorecard.assign(count=1, naive_effect=scorecard["sum"], adjustment=0.0)
    fitted = fit({"all": 4})
    path = pd.DataFrame({"iteration": range(4), "log_likelihood": [-90.0, -50, -40, -45]})
    tables = {"fit": fitted, "confusion": confusion(fitted)}
    tables |= {"scorecard": scorecard, "convergence": path}
    made = summarise({k: t.assign(dataset="d", features="all") for k, t in tables.items()})
    shapes = made["shapes"].set_index("feature")
    assert shapes["stays"].to_dict() == {
        "stick": True, "straight": True, "bowl": False, "level": False}  # fmt: skip
    assert shapes["dips"].to_dict() == {
        "stick": False, "straight": False, "bowl": True, "level": False}  # fmt: skip
    assert shapes["climbed_share"][["stick", "straight"]].tolist() == pytest.approx(
        [2 / 11, 9 / 11]
    )
    assert shapes.loc["bowl", ["lowest", "lowest_at"]].tolist() == [0, 5]
    strengths = made["strengths"].set_index("feature")
    assert strengths.loc["straight", "adjusted"] == pytest.approx(np.std(values))
    assert np.isnan(strengths.loc["level", "taken_back"])
    (passes,) = made["passes"].itertuples()
    assert (passes.passes, passes.greatest, passes.greatest_after) == (3, -40, 2)
    assert passes.first_share == pytest.approx(40 / 45)
