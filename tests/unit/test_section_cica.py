"""The section of CICA: what it says about small tables that are written by hand."""

import shutil
from dataclasses import replace

import pandas as pd
import pytest
from report_study import sources, unsourced, walk, write_declared

from xnbflow.data.study import Study
from xnbflow.report.page.blocks import Group, Prose, Table, figures_of
from xnbflow.report.page.style import render
from xnbflow.report.results import StudyResults
from xnbflow.studies.cica import section as cica
from xnbflow.studies.cica.compute_summary import summarise
from xnbflow.studies.cica.contract import TABLES
from xnbflow.studies.cica.section import section

#: Median recovery error by step: the paper's width approaches the sources and leaves them.
PATHS = {"paper's": [2.0, 0.5, 0.3, 1.5, 2.8], "chosen": [2.0, 0.9, 0.5, 0.4, 0.4]}
MEASURES = ["recovery error", "mean square error, paper's width", "mean square error, chosen width"]
#: Gives each width the path of the other.
SWAPPED = {"paper's": "chosen", "chosen": "paper's"}
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
        ("as in the paper", 200, method, measure, 0.1 * (i + 1))
        for i, method in enumerate(METHODS)
        for measure in MEASURES
    ]
    fits = [
        ("as in the paper", 200, method, seed, 0.5, 10.0, seed > 0)
        for method in METHODS
        for seed in range(4)
    ]
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
            frame(summary, columns=["setting", "samples", "method", "measure", "median"])
        ),
        "fits": frame(
            fits, columns=["setting", "samples", "method", "seed", "width", "steps", "converged"]
        ),
        "classification": frame(
            accuracy, columns=["dataset", "fold", "transformation", "accuracy"]
        ),
        "dependence": frame(dependence, columns=["dataset", "samples", "transformation", "ratio"]),
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    study = Study("cica", "CICA", "", (), (), (), diagnostics=False, analyses={})
    written = StudyResults(study, {}, {}, tmp_path_factory.mktemp("study"))
    folder = written.folder / "cica"
    for name, table in summarise(tables()).items():
        write_declared(table, folder / f"{name}.parquet", TABLES[name])
    return written


@pytest.fixture
def results(finished, tmp_path):
    """Tables that a test may change."""
    shutil.copytree(finished.root, tmp_path, dirs_exist_ok=True)
    return replace(finished, root=tmp_path)


def rewrite(results, name, change):
    """Write all tables again, one of them changed."""
    folder = results.folder / "cica"
    given = {each: pd.read_parquet(folder / f"{each}.parquet") for each in tables()}
    given[name] = change(given[name]).reset_index(drop=True)
    for each, table in summarise(given).items():
        write_declared(table, folder / f"{each}.parquet", TABLES[each])


def table_with(made, column):
    return next(b for b in walk(made.blocks) if isinstance(b, Table) and column in b.frame.columns)


def headlines(made):
    return [b.text for b in walk(made.blocks) if isinstance(b, Prose) and b.role == "headline"]


def test_it_says_that_the_papers_width_leaves_the_sources(results):
    text = headlines(section(results))[0]
    assert "from 2.00 to 0.30 at step 2, then the descent leaves the sources again" in text
    assert "from 2.00 to 0.40 at step 3 and stays near it, at 0.40 in the end" in text


def test_it_says_of_either_width_that_it_leaves(results):
    rewrite(results, "iterations", lambda t: t.assign(width=t["width"].map(SWAPPED)))
    text = headlines(section(results))[0]
    assert "the width chosen from the data it falls from 2.00 to 0.30 at step 2, then" in text


def test_it_does_not_say_so_where_it_stays(results):
    rewrite(results, "iterations", lambda t: t[t["step"] <= 2])
    assert "leaves" not in headlines(section(results))[0]


def test_it_says_where_the_sources_are_never_approached(results):
    rewrite(results, "iterations", lambda t: t[t["step"].isin([0, 4])])
    text = headlines(section(results))[0]
    assert "never falls below its 2.00 at the start and ends at 2.80" in text


def test_recovery_is_told_by_number_of_samples(results):
    more = [
        ("as in the paper", n, "CICA, chosen width", "recovery error", v)
        for n, v in [(1000, 0.07), (500, 0.15)]
    ]
    columns = ["setting", "samples", "method", "measure", "median"]
    extra = with_band(pd.DataFrame(more, columns=columns))
    rewrite(results, "summary", lambda t: pd.concat([t, extra]))
    text = headlines(section(results))[1]
    assert "chosen from the data 0.20 (n = 200), 0.15 (n = 500), 0.07 (n = 1,000)" in text


def test_errors_are_compared_with_those_without_cica(results):
    # The medians are .1, .2, .3 and .4 in the order of METHODS, at both widths of the regression.
    made = section(results)
    frame = table_with(made, "without CICA").frame
    assert frame["regression"].tolist() == ["chosen", "paper's"]
    assert frame["of that without, paper's width"].tolist() == pytest.approx([1 / 3] * 2)
    assert frame["of that without, chosen width"].tolist() == pytest.approx([2 / 3] * 2)
    text = headlines(made)[2]
    assert "33% to 33% of that without at the paper’s width of CICA" in text
    assert text.count("no higher than with the true sources in 2 of 2 cases") == 2


def test_errors_above_those_with_true_sources_are_not_called_good(results):
    reverse = {1: 4, 2: 3, 3: 2, 4: 1}
    rewrite(
        results,
        "summary",
        lambda t: t.assign(median=(10 * t["median"]).round().astype(int).map(reverse) / 10),
    )
    assert headlines(section(results))[2].count("in 0 of 2 cases") == 2


def test_other_settings_are_not_mixed_with_the_papers(results):
    only_recovery = [("as in the paper", 500, "CICA, chosen width", "recovery error", 0.1)]
    columns = ["setting", "samples", "method", "measure", "median"]
    extra = with_band(pd.DataFrame(only_recovery, columns=columns))
    rewrite(results, "summary", lambda t: pd.concat([t, extra, t.assign(setting="ten inputs")]))
    made = list(figures_of(section(results).blocks))
    assert all("ten inputs" not in figure.arguments["title"] for figure in made[:2])
    styles = [
        {group.label: group.style for group in figure.arguments["groups"]} for figure in made[2:]
    ]
    errors = {"as in the paper, 200 samples": 0, "ten inputs, 200 samples": 2}
    assert styles == [errors | {"as in the paper, 500 samples": 1}, errors, errors]


def test_rivals_are_levels_beside_the_descent(results):
    first = next(figures_of(section(results).blocks)).arguments
    assert [label for label, _ in first["levels"]] == ["no transformation", "true sources"]
    assert [value for _, value in first["levels"]] == pytest.approx([0.3, 0.4])
    assert first["bands"][0].median.tolist() == PATHS["paper's"]


def test_convergence_is_a_share_of_runs(results):
    frame = table_with(section(results), "converged").frame
    assert frame["method"].tolist() == METHODS[:2]
    assert frame["converged"].tolist() == [0.75, 0.75]
    assert frame["runs"].tolist() == [4, 4]
    prose = [b.text for b in walk(section(results).blocks) if isinstance(b, Prose)]
    assert any("CICA, chosen width: 3 of 4 (75%)" in text for text in prose)


def test_classification_stands_beside_dependence(results):
    (row,) = table_with(section(results), "accuracy with").frame.to_dict("records")
    assert row["accuracy without"] == pytest.approx(0.8)
    assert row["accuracy with"] == pytest.approx(0.9)
    assert row["dependent, those fitted, before"] == 0.5
    assert row["dependent, held-out half, after"] == 0.1
    text = headlines(section(results))[-1]
    assert "wine: flexible naive Bayes is right in 80.0% of cases without CICA and in 90.0%" in text
    assert "from 50% to 0% (samples: those fitted) and from 40% to 10% (samples: held" in text


def test_without_data_sets_there_is_no_classification(results):
    for name in ("classification", "dependence"):
        rewrite(results, name, lambda t: t.head(0))
    titles = [b.title for b in section(results).blocks if isinstance(b, Group)]
    assert "Classification" not in titles


def test_every_figure_draws_small(results):
    for figure in figures_of(section(results).blocks):
        svg = render(figure.name, figure.draw, figure.arguments)
        assert svg.startswith("<svg"), figure.name
        assert len(svg) < 20_000, figure.name


def test_every_number_names_the_table_that_holds_it(results):
    blocks = section(results).blocks
    assert unsourced(blocks, cica) == []
    assert sources(blocks) <= {f"cica/{name}.tsv" for name in TABLES}
