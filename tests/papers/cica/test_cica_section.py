"""The section of the CICA study: its sentences and figures, from tables written by hand."""

import itertools

import pandas as pd
import pytest
from report_study import analysis_section, walk

from xnbflow.papers.cica.entries import ANALYSIS
from xnbflow.report.page.blocks import Prose, figures_of
from xnbflow.tables.contract import analysis_tables

SQUARE_ERROR = "mean square error, paper's width"
CICA_METHODS = ("CICA, paper's width", "CICA, chosen width")


def summary_row(method, measure, median, share, seeds=7, samples=20):
    return {
        "setting": "as in the paper",
        "samples": samples,
        "method": method,
        "measure": measure,
        "lower": median / 2,
        "median": median,
        "upper": median * 2,
        "seeds": seeds,
        "of_untransformed": share,
    }


def tables_by_hand():
    """Two settings, of 20 and 200 samples; with 20 the paper's width has a lower error than the
    true sources."""
    summary = [
        summary_row(method, "recovery error", median, median / 2, samples=samples)
        for method, medians in zip(CICA_METHODS, ((2.4, 2.8), (1.9, 0.4)), strict=True)
        for samples, median in zip((20, 200), medians, strict=True)
    ]
    for samples, errors in ((20, (0.1, 0.3)), (200, (0.3, 0.16))):
        for method, error in zip(CICA_METHODS, errors, strict=True):
            summary.append(summary_row(method, SQUARE_ERROR, error, error, samples=samples))
        summary.append(summary_row("true sources", SQUARE_ERROR, 0.16, 0.16, samples=samples))
        summary.append(summary_row("no transformation", SQUARE_ERROR, 1.0, 1.0, samples=samples))
        summary.append(
            summary_row("no transformation", "recovery error", 2.0, 1.0, samples=samples)
        )
    # more components than sources: no recovery error
    summary.append(summary_row("true sources", "recovery error", 0.0, 0.0, seeds=0))
    medians = {"paper's": (2.0, 0.4, 2.4), "chosen": (2.0, 1.0, 0.5)}  # of the three steps
    rows = []
    for measure, (width, path) in itertools.product(
        ("recovery error", "mean square error"), medians.items()
    ):
        for step, median in enumerate(path):
            row = {"samples": 20, "width": width, "measure": measure, "step": step, "seeds": 7}
            rows.append(row | {"median": median, "lower": median / 2, "upper": median * 2})
    iterations = pd.DataFrame(rows)
    classification = pd.DataFrame(
        {
            "dataset": "wine",
            "transformation": ["none", "CICA"],
            "accuracy": [0.95, 0.975],
            "sd": 0.01,
            "folds": 10,
            "ratio": [0.5, 0.0],
            "pairs": 3,
            "largest_r": 0.4,
            "held_out_ratio": [0.6, 0.1],
            "held_out_pairs": 3,
            "held_out_largest_r": 0.4,
        }
    )
    regression = pd.DataFrame(
        {"dataset": "diabetes", "model": ["naive Bayes", "ridge"], "r2": [0.25, 0.5], "folds": 30}
    )
    limits = ["r2_lower", "r2_upper", "gain", "gain_lower", "gain_upper"]
    written = {
        "summary": pd.DataFrame(summary),
        "iterations": iterations,
        "classification": classification,
        "regression_summary": regression.assign(**dict.fromkeys(limits, 0.1)),
    }
    empty = {
        name: pd.DataFrame(columns=table.fixed) for name, table in analysis_tables(ANALYSIS).items()
    }
    return empty | written


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return analysis_section(ANALYSIS, tables_by_hand(), tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def words(page):
    section, _ = page
    return " ".join(block.text for block in walk(section.blocks) if isinstance(block, Prose))


def test_errors_are_compared_with_those_without_cica_and_of_the_true_sources(words):
    """Without CICA the error is 1, with the true sources .16."""
    assert "10% to 30% of that without at the paper’s width of CICA" in words
    assert "16% to 30% of that without at the chosen width of CICA" in words
    assert words.count("no higher than with the true sources in 1 of 2 cases") == 2


def test_recovery_is_stated_by_size(words):
    assert "CICA, paper's width: 2.40 with 20, 2.80 with 200." in words
    assert "CICA, chosen width: 1.90 with 20, 0.40 with 200." in words


def test_accuracy_and_dependence_are_stated_before_and_after(words):
    assert "right in 95.0% of cases without CICA and in 97.5% with it" in words
    assert "from 50% to 0% (samples: those fitted)" in words
    assert "from 60% to 10% (samples: held-out half)" in words


def test_r2_is_stated_of_each_model(words):
    assert "R² on diabetes, mean over 30 folds: naive Bayes 0.250, ridge 0.500." in words


def test_the_table_of_the_ends_states_the_runs_and_leaves_out_what_has_none(page):
    _, shown = page
    table = next(table for table in shown if table.caption.startswith("Medians over 7 runs"))
    recovery = table.frame[table.frame["measure"] == "recovery error"]
    assert set(recovery["method"]) == {*CICA_METHODS, "no transformation"}


def test_a_descent_has_lines_bands_and_the_medians_of_other_methods(page):
    section, _ = page
    figures = {figure.arguments["title"]: figure for figure in figures_of(section.blocks)}
    error = figures["Mean square error, 20 samples"]
    assert "paper's width 2.00 to 2.40, chosen width 2.00 to 0.50" in error.alt
    assert error.arguments["levels"] == [("no transformation", 1.0), ("true sources", 0.16)]
    assert error.arguments["logarithmic"] == "y"
    steps, lower, upper = error.arguments["bands"][1]
    assert steps.tolist() == [0, 1, 2]
    assert lower.tolist() == [1.0, 0.5, 0.25]
    assert upper.tolist() == [4.0, 2.0, 1.0]
    recovery = figures["Recovery error, 20 samples"]
    assert recovery.arguments["levels"] == [("no transformation", 2.0), ("true sources", 0.0)]
    assert recovery.arguments["logarithmic"] == ""
