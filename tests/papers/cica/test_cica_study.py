"""The study of CICA: its simulation, its tables and its section."""

import numpy as np
import pandas as pd
import pytest
from report_study import analysis_section, small, walk
from sklearn.datasets import load_iris
from small_analyses import few_patients_of_diabetes
from toys import dataset

from xnbflow.papers.cica.compute import DEFAULTS, analyse, score_classifiers
from xnbflow.papers.cica.entries import ANALYSIS
from xnbflow.papers.cica.real_target import score_regressors
from xnbflow.papers.cica.simulated_tables import simulate_seeds
from xnbflow.report.page.blocks import Prose

TINY = small("cica")
MEASURE = "recovery error"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris()
    species = bunch.target_names[bunch.target]
    return dataset(bunch.data.T, species, "iris", features=bunch.feature_names)


@pytest.fixture(scope="module")
def tables(iris):
    with few_patients_of_diabetes():
        return analyse({"iris": iris}, TINY, threads=1)


def test_dependence_given_the_class_is_gone_after_cica(tables):
    table = tables["classification"].set_index("transformation")
    # sepal length and petal length, |r| = .756 within species, are the one dependent pair
    assert table.loc["none", "pairs"] == 1
    assert table.loc["none", "ratio"] == 0.5
    assert table.loc["CICA", "pairs"] == 0
    assert table.loc["CICA", "held_out_pairs"] == 0
    assert table.loc["CICA", "largest_r"] < 0.3


def test_tables_made_of_others_follow_from_them(tables, iris):
    keys = ["setting", "samples", "method"]
    errors = simulate_seeds(DEFAULTS | TINY, threads=1).errors
    errors = errors.set_index([*keys, "regression_width"])["mean_square_error"]
    row = tables["summary"].set_index([*keys, "measure"])
    row = row.loc["as in the paper", 20, "FastICA", "mean square error, chosen width"]
    expected = errors["as in the paper", 20, "FastICA", "chosen"].quantile([0.1, 0.5, 0.9])
    np.testing.assert_allclose(row[["lower", "median", "upper"]].astype(float), expected)
    start = tables["iterations"].query("step == 0").pivot(index="measure", columns="width")
    np.testing.assert_allclose(start["median", "paper's"], start["median", "chosen"])
    for row in tables["descents"].itertuples():
        path = tables["iterations"].query(
            "samples == @row.samples and width == @row.width and measure == @row.measure"
        )
        path = path.set_index("step")["median"].sort_index()
        assert path.index.tolist() == list(range(13))
        assert (row.start, row.least, row.end) == (path.iloc[0], path.min(), path.iloc[-1])
        assert path[row.least_at] == path.min()
        assert row.leaves == (path.iloc[-1] > 1.5 * path.min())
    summary = tables["summary"].set_index(["setting", "samples", "measure", "method"])
    for key, row in summary.iterrows():
        if (*key[:3], "no transformation") in summary.index:
            without = summary.loc[(*key[:3], "no transformation"), "median"]
            assert row["of_untransformed"] == pytest.approx(row["median"] / without, nan_ok=True)
    accuracies = score_classifiers([iris], TINY["splits"], TINY["repeats"], threads=1)
    accuracy = accuracies.query("transformation == 'CICA'")["accuracy"]
    assert accuracy.between(0.8, 1).all()
    row = tables["classification"].set_index("transformation").loc["CICA"]
    assert row[["accuracy", "sd"]].tolist() == pytest.approx([accuracy.mean(), accuracy.std()])


def test_the_section_shows_the_numbers_of_the_tables(tables, tmp_path):
    page, shown = analysis_section(ANALYSIS, tables, tmp_path)
    columns = [
        ("descents", "end"),
        ("summary", "median"),
        ("summary", "median"),
        ("convergence", "runs"),
        ("regression_summary", "r2"),
        ("classification", "accuracy"),
        ("classification", "held_out_ratio"),
    ]
    for (name, column), table in zip(columns, shown, strict=True):
        assert set(table.frame[column].dropna()) <= set(tables[name][column]), name
    words = " ".join(block.text for block in walk(page.blocks) if isinstance(block, Prose))
    assert "from 50% to 0% (samples: those fitted)" in words


def test_recovery_by_size_is_that_of_the_papers_setting(tables, tmp_path):
    _, shown = analysis_section(ANALYSIS, tables, tmp_path)
    recovery = next(table.frame for table in shown if "by number of samples" in table.caption)
    recovery = recovery.set_index(["samples", "method"])["median"]
    assert recovery.index.get_level_values("samples").unique().tolist() == [20, 30]
    assert not {"no transformation", "true sources"} & set(recovery.index.get_level_values(1))
    summary = tables["summary"].query("setting == 'as in the paper' and measure == @MEASURE")
    summary = summary.set_index(["samples", "method"])["median"]
    pd.testing.assert_series_equal(recovery, summary.loc[recovery.index])


def test_r2_has_intervals_of_the_corrected_variance(tables):
    with few_patients_of_diabetes():
        scores = score_regressors(TINY["real_splits"], TINY["real_repeats"], threads=1)
    folds = scores.pivot(index=["repeat", "fold"], columns="model", values="r2")
    assert folds.shape == (3, 5)
    rows = tables["regression_summary"].set_index("model")
    for model, row in rows.iterrows():
        gains = folds[model] - folds["naive Bayes"]
        # Nadeau and Bengio: variance * (1 / folds + test size / training size)
        half = 4.302653 * np.sqrt(gains.var() * (1 / 3 + 1 / 2))
        assert row["r2"] == pytest.approx(folds[model].mean())
        assert row["gain"] == pytest.approx(gains.mean())
        if model != "naive Bayes":
            assert row["gain_upper"] == pytest.approx(gains.mean() + half)
            assert row["gain_lower"] == pytest.approx(gains.mean() - half)


@pytest.mark.nightly
def test_the_number_of_threads_changes_no_table():
    few = TINY | {"recovery_samples": [], "nuisance_samples": []}
    tables = analyse({}, few, threads=1)
    assert len(tables["summary"]) > 0
    for name, table in analyse({}, few, threads=2).items():
        pd.testing.assert_frame_equal(table, tables[name], check_exact=True)
