"""The genes on the page: the class against its control, counts, shifts and further comparisons."""

import base64
import gzip
import re

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
from xnbflow.report.page.blocks import Figure, Gallery, GeneExplorer, Group, Links, Prose, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import audit, genes
from xnbflow.report.workbook import write_workbook
from xnbflow.tables.contract import TRUTH_TABLE

ENTRIES = {"xnb": resolved({"method": "xnb"})}


def study_of(root, series):
    """Return the results of a study of some series with one classifier."""
    names = tuple(each.name for each in series)
    study = Study("s", "S", "", names, ("xnb",), ("3-fold",), True, {})
    files = StudyFiles(root)
    for each in series:
        files.put_series(each)
        truth = completed(pd.DataFrame({"feature": []}), TRUTH_TABLE)
        files.put("acquired", {"truth": truth}, dataset=each.name)
        tables = train(each, draw_folds(each, 3, 2), ENTRIES["xnb"])
        place = {"study": "s", "dataset": each.name, "folds": "3-fold", "job": "main"}
        files.put_stacked("training", {"xnb": tables}, **place)
        files.put_stacked("random_genes", {}, **place)
    sets = root / "sets.gmt"
    members = {"RAISED": range(60), "OTHER": range(100, 120)}
    lines = [
        f"{name}\t-\t" + "\t".join(f"g{i}" for i in positions)
        for name, positions in members.items()
    ]
    sets.write_text("\n".join(lines))
    files.paths["gene_sets"].append(sets)
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
        contrasts=("slope(age)", "levels(sex)", "cancer vs normal"),
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
    of_classes = [frame for frame in tables if {"class", "auc"} <= {*frame}]
    assert len(of_classes) == 2
    assert all(set(frame["class"]) == {"cancer"} for frame in of_classes)
    assert all(frame["feature"].is_unique for frame in of_classes)
    assert len(of_classes[0]) == 200  # of the one class
    explorers = blocks_of(results, GeneExplorer)
    assert len(explorers) == 2
    for explorer in explorers:
        content = gzip.decompress(base64.b64decode(explorer.content))
        assert re.search(rb'"contrasts": ?\["cancer"\]', content)
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
    assert len(warnings) == 2
    assert warnings[1].startswith("The test and the pictures describe the samples")  # gene sets
    assert warnings[0].startswith("Most features are lower in “cancer” (median log2 fold change -2")
    texts = [block.text for block in prose]
    differ = next(i for i, text in enumerate(texts) if "200 features" in text)
    assert texts.index(warnings[0]) < differ
    findings = audit.section(results).blocks[0].frame
    assert "global shift" in findings["check"].tolist()


def groups_of_comparisons(results):
    (group,) = [
        block
        for block in walk(genes.section(results).blocks)
        if isinstance(block, Group) and block.title == "Other comparisons"
    ]
    return {block.title: block for block in group.blocks if isinstance(block, Group)}


def test_each_comparison_has_its_features_its_gene_sets_and_a_plot_of_one_contrast(results):
    groups = groups_of_comparisons(results)
    assert list(groups) == ["slope(age)", "levels(sex)", "cancer vs normal"]
    kinds = {
        name: [type(block).__name__ for block in group.blocks] for name, group in groups.items()
    }
    assert kinds["slope(age)"][:2] == ["Figure", "Table"]
    assert kinds["levels(sex)"] == ["Table", "Prose"]  # of F there are no changes to draw
    assert kinds["cancer vs normal"] == ["Figure", "Table", "Table"]
    assert groups["slope(age)"].blocks[0].name == "contrast-counts-00"
    assert groups["slope(age)"].opened
    assert not groups["cancer vs normal"].opened
    features = groups["cancer vs normal"].blocks[1].frame
    assert features["rank"].tolist() == list(range(1, 51))
    sets = groups["cancer vs normal"].blocks[2].frame
    assert sets["gene_set"].tolist() == ["RAISED"]
    assert sets["direction"].tolist() == ["higher"]
    assert "No gene set is higher or lower" in groups["levels(sex)"].blocks[1].text


def test_the_note_of_a_comparison_counts_what_its_tables_have(results):
    note = groups_of_comparisons(results)["cancer vs normal"].note
    table = results.diagnosed("counts")["contrasts"]
    rows = table[(table["contrast"] == "cancer vs normal") & (table["fdr"] < 0.05)]
    assert note == f"{len(rows)} features and 1 gene set at an FDR below 0.05"
    assert len(rows) > 20


def test_the_file_of_the_comparisons_is_beside_that_of_the_genes(results):
    (links,) = blocks_of(results, Links)
    assert [item[:2] for item in links.items] == [
        ("counts", "all features, each class against the others"),
        ("arrays", "all features, each class against the others"),
        ("counts", "all features, the other comparisons"),
    ]
    assert links.items[2][2][1].endswith("counts/contrasts.parquet")


def test_the_workbook_has_a_sheet_of_each_comparison_and_of_gene_sets(results, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    write_workbook(results, tmp_path / "study.xlsx")
    book = openpyxl.load_workbook(tmp_path / "study.xlsx")
    assert {"slope(age) counts", "levels(sex) counts", "cancer vs normal counts"} <= set(
        book.sheetnames
    )
    head, first, *_ = book["cancer vs normal counts"].iter_rows(values_only=True)
    row = dict(zip(head, first, strict=True))
    expected = results.diagnosed("counts")["contrasts"].query("contrast == 'cancer vs normal'")
    assert row["feature"] == expected["feature"].iloc[0]
    assert row["t"] == pytest.approx(expected["t"].iloc[0])
    head, *rows = book["gene sets of comparisons"].iter_rows(values_only=True)
    sets = pd.DataFrame(rows, columns=head)
    assert sets["contrast"].drop_duplicates().tolist() == [
        "slope(age)",
        "levels(sex)",
        "cancer vs normal",
    ]
