"""The section of effects: what it says about small tables that are written by hand."""

import numpy as np
import pandas as pd
import pytest
from report_study import sources, unsourced, walk, write_declared

from xnbflow.data.study import Study
from xnbflow.report.page.blocks import Gallery, Group, Links, Prose, Table, figures_of
from xnbflow.report.page.style import render
from xnbflow.report.results import StudyResults
from xnbflow.studies.effects import section as effects
from xnbflow.studies.effects import section_curves
from xnbflow.studies.effects.compute_summary import summarise
from xnbflow.studies.effects.contract import TABLES
from xnbflow.studies.effects.section import section

NAIVE, GENERALIZED = "naive Bayes", "generalized naive Bayes"
TUNED, LINEAR = "generalized naive Bayes, tuned", "logistic regression"

#: Misclassified in the test part of 100: naive, generalized, linear, tuned.
WRONG = {NAIVE: 12, GENERALIZED: 6, LINEAR: 9, TUNED: 7}


def fit(sets):
    rows = [
        {
            "features": name,
            "model": model,
            "part": part,
            "n_features": size,
            "n_samples": samples,
            "log_likelihood": -10.0 * wrong,
            "mean_square_error": wrong / 200,
            "c_statistic": 1 - wrong / 300,
            "cutoff": 0.75,
            "misclassification": wrong / 100,
        }
        for name, size in sets.items()
        for model, wrong in WRONG.items()
        for part, samples in (("train", 200), ("test", 100))
    ]
    return pd.DataFrame(rows)


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
    statistics = ["log_likelihood", "mean_square_error", "c_statistic", "misclassification"]
    rows = [
        (name, part, statistic, 1.0, 0.5, 0.5)
        for name, part in fitted[["features", "part"]].drop_duplicates().itertuples(index=False)
        for statistic in statistics
    ]
    return pd.DataFrame(
        rows, columns=["features", "part", "statistic", "generalized", "linear", "loss"]
    )


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
            "convergence": pd.concat(
                [
                    pd.DataFrame(
                        {"features": n, "iteration": range(3), "log_likelihood": [-90, -60, -59.0]}
                    )
                    for n in sets
                ],
                ignore_index=True,
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
    return next(b for b in walk(made.blocks) if isinstance(b, Table) and column in b.frame.columns)


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
    table = table_with(papers, "loss per 1,000").frame
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
    excerpt = table_with(papers, "adjustment").frame
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
    assert (printed.part, printed.ours, printed.paper, printed.differs) == (
        "test",
        pytest.approx(0.06),
        0.053,
        False,
    )


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
    convergence = pd.DataFrame({"iteration": range(4), "log_likelihood": [-90.0, -50, -40, -45]})
    tables = {
        "fit": fitted,
        "confusion": confusion(fitted),
        "scorecard": scorecard,
        "convergence": convergence,
    }
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
