"""The genes on the page: the class against its control, counts, shifts and further comparisons."""

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from report_study import completed, walk
from study_files import StudyFiles, configuration
from toys import dataset

from xnbflow.core.study import Study
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.report.page.blocks import Figure, Gallery, GeneExplorer, Prose, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import audit, genes
from xnbflow.tables.contract import TRUTH_TABLE

ENTRIES = {"xnb": resolved({"method": "xnb"})}


def study_of(root, series):
    """Return the results of a study of some series with one classifier."""
    names = tuple(each.name for each in series)
    study = Study(
        id="s",
        title="S",
        summary="",
        datasets=names,
        classifiers=("xnb",),
        folds=("3-fold",),
        diagnostics=True,
        analyses={},
    )
    files = StudyFiles(root)
    for each in series:
        files.put_series(each)
        truth = completed(pd.DataFrame({"feature": []}), TRUTH_TABLE)
        files.put("acquired", {"truth": truth}, dataset=each.name)
        tables = train(each, draw_folds(each, 3, 2), ENTRIES["xnb"])
        place = {"study": "s", "dataset": each.name, "folds": "3-fold", "job": "main"}
        files.put_stacked("training", {"xnb": tables}, **place)
        files.put_stacked("random_genes", {}, **place)
    files.compare(study, {"xnb": "XNB"}, ENTRIES)
    settings = configuration(study, dict.fromkeys(names, "table"), ENTRIES)
    return StudyResults(study, {"xnb": "XNB"}, settings, root)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    counts, codes, _, ages = simulated_counts(2, n_features=300, n_samples=24)
    phenotype = pd.DataFrame({"age": ages, "sex": np.tile(["f", "m", "x"], 8)})
    labels = np.array(["normal", "cancer"])[codes]
    of_counts = dataset(
        counts,
        labels,
        name="counts",
        scale="counts",
        sample_metadata=phenotype,
        contrasts=("slope(age)", "levels(sex)"),
    )
    rng = np.random.default_rng(1)
    shifted = rng.normal(8, 1, (200, 24)) - 2 * (labels == "cancer")
    arrays = dataset(shifted, labels, name="arrays", scale="log2")
    return study_of(tmp_path_factory.mktemp("study"), [of_counts, arrays])


def blocks_of(results, kind):
    return [block for block in walk(genes.section(results).blocks) if isinstance(block, kind)]


def test_two_classes_are_listed_and_drawn_once_as_the_class_against_its_control(results):
    datasets = results.tables["datasets"].set_index("dataset")
    assert datasets["control"].tolist() == ["normal", "normal"]
    assert datasets["counts"].tolist() == [True, False]
    tables = [block.frame for block in blocks_of(results, Table)]
    of_classes = [frame for frame in tables if "class" in frame]
    assert len(of_classes) == 2
    assert all(set(frame["class"]) == {"cancer"} for frame in of_classes)
    assert all(frame["feature"].is_unique for frame in of_classes)
    assert len(of_classes[0]) == 200  # of the one class
    explorers = blocks_of(results, GeneExplorer)
    assert len(explorers) == 2
    for explorer in explorers:
        volcanoes = [item for item in explorer.figures.figures if isinstance(item, Figure)]
        assert "cancer" in [figure.arguments["title"] for figure in volcanoes]
        assert "normal" not in [figure.arguments["title"] for figure in volcanoes]


def figures_of(results):
    galleries = blocks_of(results, Gallery)
    figures = [figure for gallery in galleries for figure in gallery.figures]
    return [figure for figure in figures if isinstance(figure, Figure)]


def test_counts_are_explained_and_a_shift_is_warned_of_before_the_list(results):
    prose = blocks_of(results, Prose)
    assert sum("precision weights of voom" in block.text for block in prose) == 1
    warnings = [block.text for block in prose if block.role == "warning"]
    assert len(warnings) == 1
    assert warnings[0].startswith("Most features are lower in “cancer” (median log2 fold change -2")
    texts = [block.text for block in prose]
    differ = next(i for i, text in enumerate(texts) if "200 features" in text)
    assert texts.index(warnings[0]) < differ
    findings = audit.section(results).blocks[0].frame
    assert "global shift" in findings["check"].tolist()


def test_further_comparisons_have_a_table_and_a_plot_of_each_single_contrast(results):
    tables = [block for block in blocks_of(results, Table) if "contrast" in block.frame]
    assert len(tables) == 1
    assert set(tables[0].frame["contrast"]) == {"slope(age)", "levels(sex)"}
    assert tables[0].frame["rank"].max() == 50
    assert "slope(age): " in tables[0].caption
    names = [figure.name for figure in figures_of(results)]
    assert [name for name in names if name.startswith("contrast-")] == ["contrast-counts-00"]
