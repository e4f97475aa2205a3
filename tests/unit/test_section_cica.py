"""The section of CICA: what it says about small tables that are written by hand."""

import pandas as pd
import pytest

from xnbflow.config import Study
from xnbflow.report.blocks import Group, Prose, Table, figures_of
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.cica import section
from xnbflow.report.style import render

#: Median recovery error by step: the paper's width approaches the sources and leaves them.
PATHS = {"paper's": [2.0, 0.5, 0.3, 1.5, 2.8], "chosen": [2.0, 0.9, 0.5, 0.4, 0.4]}
MEASURES = ["recovery error", "mean square error, paper's width", "mean square error, chosen width"]
METHODS = ["CICA, paper's width", "CICA, chosen width", "no transformation", "true sources"]


def with_band(frame):
    return frame.assign(lower=frame["median"] * 0.9, upper=frame["median"] * 1.1, seeds=7)


def tables():
    iterations = [
        (200, width, measure, step, value)
        for width, path in PATHS.items()
        for measure in ("recovery error", "mean square error")
        for step, value in enumerate(path)
    ]
    summary = [
        (2, 200, method, measure, 0.1 * (i + 1))
        for i, method in enumerate(METHODS)
        for measure in MEASURES
    ]
    fits = [(2, 200, method, seed, 0.5, 10.0, seed > 0) for method in METHODS for seed in range(4)]
    accuracy = [
        ("wine", fold, kind, value)
        for fold, (none, cica) in enumerate([(0.9, 0.8), (0.7, 1.0)])
        for kind, value in (("none", none), ("CICA", cica))
    ]
    dependence = [
        ("wine", samples, kind, ratio)
        for samples, none, cica in (("those fitted", 0.5, 0.0), ("held-out half", 0.4, 0.1))
        for kind, ratio in (("none", none), ("CICA", cica))
    ]
    frame = pd.DataFrame
    return {
        "iterations": with_band(
            frame(iterations, columns=["samples", "width", "measure", "step", "median"])
        ),
        "summary": with_band(
            frame(summary, columns=["inputs", "samples", "method", "measure", "median"])
        ),
        "fits": frame(
            fits, columns=["inputs", "samples", "method", "seed", "width", "steps", "converged"]
        ),
        "classification": frame(
            accuracy, columns=["dataset", "fold", "transformation", "accuracy"]
        ),
        "dependence": frame(dependence, columns=["dataset", "samples", "transformation", "ratio"]),
    }


@pytest.fixture
def results(tmp_path):
    study = Study("cica", "CICA", "", (), (), (), diagnostics=False, analyses={})
    written = StudyResults(study, {}, {}, tmp_path)
    folder = written.folder / "cica"
    folder.mkdir(parents=True)
    for name, table in tables().items():
        table.to_parquet(folder / f"{name}.parquet", index=False)
    return written


def walk(blocks):
    for block in blocks:
        yield block
        if isinstance(block, Group):
            yield from walk(block.blocks)


def table_with(made, column):
    return next(b for b in walk(made.blocks) if isinstance(b, Table) and column in b.frame.columns)


def headlines(made):
    return [b.text for b in walk(made.blocks) if isinstance(b, Prose) and b.role == "headline"]


def test_it_says_that_the_papers_width_leaves_the_sources(results):
    (text,) = headlines(section(results))
    assert "from 2.00 to 0.30 at step 2, then leaves the sources again and ends at 2.80" in text
    assert "chosen from the data it ends at 0.40" in text


def test_it_does_not_say_so_where_it_stays(results):
    path = results.folder / "cica" / "iterations.parquet"
    table = pd.read_parquet(path)
    table[table["step"] <= 2].to_parquet(path, index=False)
    (text,) = headlines(section(results))
    assert "leaves" not in text


def test_rivals_are_levels_beside_the_descent(results):
    first = next(figures_of(section(results).blocks)).arguments
    assert [label for label, _ in first["levels"]] == ["no transformation", "true sources"]
    assert [value for _, value in first["levels"]] == pytest.approx([0.3, 0.4])
    assert first["bands"][0].median.tolist() == PATHS["paper's"]


def test_convergence_is_a_share_of_runs(results):
    frame = table_with(section(results), "converged").frame
    assert frame["method"].tolist() == METHODS[:2]
    assert frame["converged"].tolist() == [0.75, 0.75]


def test_classification_stands_beside_dependence(results):
    (row,) = table_with(section(results), "accuracy with").frame.to_dict("records")
    assert row["accuracy without"] == pytest.approx(0.8)
    assert row["accuracy with"] == pytest.approx(0.9)
    assert row["dependent, those fitted, before"] == 0.5
    assert row["dependent, held-out half, after"] == 0.1


def test_without_data_sets_there_is_no_classification(results):
    for name in ("classification", "dependence"):
        path = results.folder / "cica" / f"{name}.parquet"
        pd.read_parquet(path).head(0).to_parquet(path, index=False)
    titles = [b.title for b in section(results).blocks if isinstance(b, Group)]
    assert "Classification" not in titles


def test_every_figure_draws_small(results):
    for figure in figures_of(section(results).blocks):
        svg = render(figure.name, figure.draw, figure.arguments)
        assert svg.startswith("<svg"), figure.name
        assert len(svg) < 20_000, figure.name
