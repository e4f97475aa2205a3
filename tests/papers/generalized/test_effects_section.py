"""Summaries and section of the study of effects, from tables written by hand."""

import numpy as np
import pandas as pd
import pytest
from report_study import analysis_section, walk

from xnbflow.papers.generalized import GENERALIZED, LINEAR, NAIVE, PUBLISHED, TUNED, compute
from xnbflow.papers.generalized.entries import ANALYSIS
from xnbflow.report.page.blocks import Prose, Table, figures_of

#: Sets of features.
ALL = "all"
PAPER = "paper"
MODELS = (NAIVE, PUBLISHED, GENERALIZED, TUNED, LINEAR)
#: Shares misclassified in the test part of 1,000 samples, by set and model.
ERRORS = {
    ALL: dict(zip(MODELS, [0.105, 0.058, 0.054, 0.055, 0.075], strict=True)),
    PAPER: dict(zip(MODELS, [0.085, 0.066, 0.060, 0.059, 0.084], strict=True)),
}
FEATURES = {ALL: ["a", "wordFreqOUR", "capLengthMAX", "b"], PAPER: ["wordFreqOUR", "capLengthMAX"]}


def fit_rows():
    rows = []
    for features, errors in ERRORS.items():
        for samples, shift in (("train", -0.01), ("test", 0.0)):
            for model, error in errors.items():
                rows.append(
                    {
                        "dataset": "spambase",
                        "features": features,
                        "model": model,
                        "part": samples,
                        "n_features": len(FEATURES[features]),
                        "n_samples": 1000,
                        "log_likelihood": -1000 * error,
                        "mean_square_error": error / 2,
                        "c_statistic": 1 - error,
                        "cutoff": 0.75,
                        "misclassification": error + shift,
                        "event": "spam",
                        "other": "mail",
                        "false_alarms": 30,
                        "missed": 7,
                        "loss_per_1000": 48.5,
                        "passes": np.nan if model == LINEAR else 8.0,
                    }
                )
    return pd.DataFrame(rows)


def card_rows():
    """Each feature has the values 0 to 3, of 40, 30, 20 and 10 samples."""
    rows = []
    for features, names in FEATURES.items():
        about = {"dataset": "spambase", "features": features}
        intercept = {"feature": "(intercept)", "kind": "intercept", "value": np.nan, "count": 0}
        rows.append(about | intercept | {"naive_effect": -0.5, "adjustment": 0.1, "sum": -0.4})
        for place, name in enumerate(names, 1):
            for value, count in enumerate([40, 30, 20, 10]):
                naive = place * value
                taken_back = {1: 0.5, 2: 0.25, 3: -0.5, 4: 0.0}[place]
                rows.append(
                    about
                    | {"feature": name, "kind": "continuous", "value": float(value)}
                    | {"count": count, "naive_effect": naive, "adjustment": -taken_back * naive}
                    | {"sum": (1 - taken_back) * naive}
                )
    return pd.DataFrame(rows)


def raw_tables():
    about = {"dataset": "spambase", "features": ALL}
    backfitting = [
        {**about, **compute._backfitting([-90.0, -60, -45, -50])},
        {**about, "features": PAPER, **compute._backfitting([-90.0, -95, -99])},
    ]
    splits = []
    for features, errors in ERRORS.items():
        rows = [
            {"model": model, "misclassification": errors[model] + shift}
            for model in (NAIVE, PUBLISHED, GENERALIZED, LINEAR)
            for shift in (-0.003, 0.0, 0.003)
        ]
        summary = compute._summarise_splits(pd.DataFrame(rows), paper_error=0.053)
        splits.append(summary.assign(dataset="spambase", features=features))
    stepwise = pd.DataFrame(
        {
            **about,
            "features": ALL,
            "step": [1, 2, 3],
            "action": "enter",
            "feature": ["a", "capLengthMAX", "b"],
            "chi_square": [90.0, 20, 5],
            "p_value": [1e-9, 1e-4, 0.02],
            "log_likelihood": [-200.0, -150.0, -146.5],
            "n_selected": [1, 2, 3],
        }
    )
    tuning = pd.DataFrame(
        {**about, "span": [0.3, 0.6], "mean_log_likelihood": [-0.3, -0.2], "chosen": [False, True]}
    )
    return {
        "fit": fit_rows(),
        "backfitting": pd.DataFrame(backfitting),
        "scorecard": card_rows(),
        "splits": pd.concat(splits, ignore_index=True),
        "stepwise": stepwise,
        "tuning": tuning,
    }


@pytest.fixture(scope="module")
def tables():
    return compute._completed_tables(raw_tables())


@pytest.fixture(scope="module")
def section(tables, tmp_path_factory):
    return analysis_section(ANALYSIS, tables, tmp_path_factory.mktemp("effects"))[0]


@pytest.fixture(scope="module")
def texts(section):
    return [block.text for block in walk(section.blocks) if isinstance(block, Prose)]


def shown_table(section, title):
    """The first table whose caption starts like this."""
    shown = [block for block in walk(section.blocks) if isinstance(block, Table)]
    return next(table for table in shown if title in table.caption)


def shown_figure(section, name):
    return next(figure for figure in figures_of(section.blocks) if figure.name == name)


def test_the_share_of_the_first_pass_is_that_of_the_whole_gain(tables):
    """From -90 by -60 and -45 to -50: 30 of 40; missing where nothing is gained in the end."""
    passes = tables["backfitting"].set_index("features")
    assert passes.loc[ALL, "first_share"] == pytest.approx(0.75)
    assert np.isnan(passes.loc[PAPER, "first_share"])
    assert passes.loc[ALL, ["passes", "greatest", "greatest_after"]].tolist() == [3, -45, 2]


def test_one_pass_has_no_share():
    assert np.isnan(compute._backfitting([-9.0, -5.0])["first_share"])


def test_adjustments_against_the_effect_are_counted(tables):
    """Shares taken back .5, .25, -.5 and 0: two are above 0, and the median is .125."""
    row = tables["backfitting"].set_index("features").loc[ALL]
    assert (row["effects"], row["against"]) == (4, 2)
    assert row["median_taken_back"] == pytest.approx(0.125)


def test_values_of_more_than_a_tenth_of_the_samples_are_drawn_apart(tables):
    card = tables["scorecard"].query("features == 'all' and feature == 'a'")
    assert card["share"].tolist() == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert card["below"].tolist() == pytest.approx([0.4, 0.7, 0.9, 1.0])
    assert card["apart"].tolist() == [True, True, True, False]  # exactly a tenth is not apart


def test_every_category_is_drawn_apart():
    card = card_rows().query("features == 'all' and feature == 'a'")
    categories = compute._add_observations(card.assign(kind="categorical", count=[1, 1, 97, 1]))
    assert categories["apart"].all()


def test_the_difference_from_the_paper_has_both_errors(tables):
    """.067 is 2.5 standard errors of the paper's .053 away, and 1.4 of the difference."""
    fit = tables["fit"].copy()
    chosen = (fit["features"] == PAPER) & (fit["model"] == GENERALIZED) & (fit["part"] == "test")
    for share, differs in ((0.067, False), (0.075, True), (0.053, False)):
        fit.loc[chosen, "misclassification"] = share
        fit.loc[chosen, "misclassification_error"] = np.sqrt(share * (1 - share) / 1000)
        assert compute._compare_with_paper(fit)["differs"].tolist() == [differs]


def test_the_headline_names_the_errors_of_the_smallest_set_in_the_test_part(section):
    """Standard error of .060 of 1,000: .75%; of the paper's .053 of 1,536: .57%."""
    text = section.blocks[0].text
    assert text.startswith("Of 1,000 test samples of spambase, with the features of set “paper”")
    assert "generalized naive Bayes misclassifies 6.0% (standard error 0.8%)" in text
    assert "naive Bayes 8.5% and logistic regression 8.4%" in text
    assert "5.3%, with a standard error of 0.6%: the two differ by no more than chance" in text


def test_the_headline_states_a_difference_beyond_chance(tmp_path):
    raw = raw_tables()
    worse = raw["fit"]["model"] == GENERALIZED
    raw["fit"].loc[worse, "misclassification"] = 0.10
    section, _ = analysis_section(ANALYSIS, compute._completed_tables(raw), tmp_path)
    assert "the two differ by more than chance." in section.blocks[0].text


def test_errors_are_drawn_in_per_cent_with_the_papers(section):
    figure = shown_figure(section, "effects-errors-spambase")
    groups = {group.label: group for group in figure.arguments["groups"]}
    assert list(groups) == [*MODELS, "paper"]
    assert list(groups[NAIVE].values) == pytest.approx([10.5, 8.5])
    paper = groups["paper"]
    assert paper.values[1] == pytest.approx(5.3)
    assert [paper.lower[1], paper.upper[1]] == pytest.approx([4.18, 6.42], abs=0.005)


def test_the_best_model_of_each_set_and_part_is_marked(section):
    """All statistics are best where fewest samples are misclassified."""
    table = shown_table(section, "The best of each set and part")
    best = {
        (table.frame.loc[row, "features"], table.frame.loc[row, "model"]) for row, _ in table.best
    }
    assert best == {(ALL, GENERALIZED), (PAPER, TUNED)}
    assert len(table.best) == 4 * 4  # statistics; sets and parts


def test_both_kinds_of_error_have_their_names(section, texts):
    table = shown_table(section, "Both kinds of error")
    labels = dict(zip(table.frame, (column.label for column in table.headings), strict=True))
    assert labels["false_alarms"] == "mail called spam"
    assert labels["missed"] == "spam called mail"
    assert any(
        "exceeds L1 / (L1 + L2) = 0.75. L1 is the loss of calling “spam”" in t for t in texts
    )


def test_random_splits_place_the_paper_for_both_generalized_models(texts):
    """Mean .066, sd .003 of three splits: t = 4.303, so ± 1.49 points."""
    placed = next(text for text in texts if "of its one" not in text and "inside" in text)
    assert "5.3% is inside the interval of generalized naive Bayes, as published (6.60%" in placed
    assert placed.count("With set") == 4


def test_the_papers_figures_come_first(section):
    first = shown_figure(section, "effect-spambase-01")
    second = shown_figure(section, "effect-spambase-02")
    assert [first.arguments["feature"], second.arguments["feature"]] == [
        "capLengthMAX",
        "wordFreqOUR",
    ]
    assert first.arguments["large"]


def test_a_curve_has_naive_effect_adjustment_and_sum_in_this_order(section):
    """The first feature of the set: half of the naive effects 0 to 3 is taken back."""
    figure = shown_figure(section, "effect-spambase-02")
    naive = np.arange(4.0)
    np.testing.assert_allclose(figure.arguments["effects"], [naive, -naive / 2, naive / 2])
    assert figure.arguments["note"] == ""
    assert figure.arguments["counts"].tolist() == [40, 30, 20, 10]
    values, shares = zip(*figure.arguments["separate"], strict=True)
    assert values == (0.0, 1.0, 2.0)
    assert shares == pytest.approx((0.4, 0.3, 0.2))


def test_the_adjustments_of_the_set_are_counted_in_words(texts):
    """Of the paper's two features both lose a part of their effect, .5 and .25."""
    assert any(
        text.startswith("In 2 of 2 features the adjustment works against the naive effect; half")
        and "lose 38% or more of it" in text
        for text in texts
    )


def test_gains_of_the_selection_and_the_papers_features_are_counted(section):
    """-200, -150 and -146.5; of the paper's two features the selection has both in its card."""
    caption = shown_table(section, "Set “all”").caption
    assert "The second step gains 50.0 of log-likelihood, the last 3.5." in caption
    assert "Of the paper’s 2 features 2 are selected here." in caption


def test_the_chosen_combination_is_marked(section):
    assert shown_table(section, "Every combination tried").best == {(1, "mean_log_likelihood")}


def test_the_excerpt_of_the_scorecard_has_quantiles_of_the_samples(section):
    """Least value, median, and the quantiles .75, .9 and .99 of 40, 30, 20 and 10 samples."""
    table = shown_table(section, "An excerpt")
    of_feature = table.frame[table.frame["feature"] == "capLengthMAX"]
    assert of_feature["value"].tolist() == [0.0, 1.0, 2.0, 3.0]
