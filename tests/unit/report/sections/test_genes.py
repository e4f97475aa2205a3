"""The genes on the page: the class against its control, counts, shifts and further comparisons."""

import base64
import gzip
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from report_blocks import unpack
from report_study import completed, study_of_tables, walk
from study_files import StudyFiles, configuration
from toys import dataset

from xnbflow.core.study import Design, Study
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.report.page.blocks import (
    Figure,
    Gallery,
    GeneExplorer,
    Group,
    Links,
    Prose,
    Table,
)
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import audit, further_comparisons, genes
from xnbflow.report.workbook import write_workbook
from xnbflow.tables.contract import GROUPS

ENTRIES = {"xnb": resolved({"method": "xnb"})}
COMPARISONS = Design(adjust=("age",), contrasts=("cancer vs normal", "normal vs cancer"))


def study_of(root, series):
    """Return the results of a study of some series with one classifier."""
    names = tuple(one_series.name for one_series in series)
    study = Study(
        id="s",
        title="S",
        summary="",
        datasets=names,
        classifiers=("xnb",),
        folds=("3-fold",),
        diagnostics=True,
        analyses={},
        designs={"counts": COMPARISONS},
    )
    files = StudyFiles(root)
    for one_series in series:
        files.put_series(one_series)
        truth = completed(pd.DataFrame({"feature": []}), GROUPS["acquired"].tables["truth"])
        files.put("acquired", {"truth": truth}, dataset=one_series.name)
        tables = train(one_series, draw_folds(one_series, 3, 2), ENTRIES["xnb"])
        place = {"study": "s", "dataset": one_series.name, "folds": "3-fold", "job": "main"}
        files.put_stacked("training", {"xnb": tables}, **place)
    sets = root / "sets.gmt"
    raised = [f"g{i}" for i in range(60)]
    others = [f"g{i}" for i in range(100, 120)]
    sets.write_text("\t".join(["RAISED", "-", *raised]) + "\n" + "\t".join(["OTHER", "-", *others]))
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
    )
    rng = np.random.default_rng(1)
    shifted = rng.normal(8, 1, (200, 24)) - 2 * (labels == "cancer")
    arrays = dataset(shifted, labels, name="arrays", scale="log2")
    return study_of(tmp_path_factory.mktemp("study"), [of_counts, arrays])


def blocks_of(results, kind):
    return [block for block in walk(genes.section(results).blocks) if isinstance(block, kind)]


@pytest.mark.slow
def test_two_classes_are_listed_and_drawn_once_as_the_class_against_its_control(results):
    for name in ("counts", "arrays"):
        assert results.tables_of("genes", dataset=name)["design"]["control"].tolist() == ["normal"]
    assert results.tables["datasets"]["counts"].tolist() == [True, False]
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
    of_sets = [text for text in warnings if text.startswith("The test describes the samples")]
    assert len(of_sets) == 2  # each series has its gene sets
    (shift,) = (text for text in warnings if text not in of_sets)
    assert shift.startswith("Most genes are lower in “cancer” (median log2 fold change -2")
    texts = [block.text for block in prose]
    differ = next(i for i, text in enumerate(texts) if "200 genes" in text)
    assert texts.index(shift) < differ
    findings = audit.section(results).blocks[0].frame
    assert findings["detail"].str.contains("Most genes are lower in “cancer”").any()


def groups_of_comparisons(results):
    (group,) = [
        block
        for block in walk(genes.section(results).blocks)
        if isinstance(block, Group) and block.title == "Pairs of classes"
    ]
    return {block.title: block for block in group.blocks if isinstance(block, Group)}


def test_each_comparison_has_its_features_its_gene_sets_and_a_plot(results):
    groups = groups_of_comparisons(results)
    assert list(groups) == ["cancer vs normal", "normal vs cancer"]
    for group in groups.values():
        assert [type(block).__name__ for block in group.blocks] == ["Figure", "Table", "Table"]
    assert groups["cancer vs normal"].blocks[0].name == "contrast-counts-00"
    assert groups["cancer vs normal"].opened
    assert not groups["normal vs cancer"].opened
    features = groups["cancer vs normal"].blocks[1].frame
    assert features["rank"].tolist() == list(range(1, 51))
    for name, direction in (("cancer vs normal", "higher"), ("normal vs cancer", "lower")):
        sets = groups[name].blocks[2].frame
        assert sets["gene_set"].tolist() == ["RAISED"]
        assert sets["direction"].tolist() == [direction]


def test_the_note_of_a_comparison_counts_what_its_tables_have(results):
    note = groups_of_comparisons(results)["cancer vs normal"].note
    table = results.tables_of("genes", dataset="counts")["contrasts"]
    rows = table[(table["contrast"] == "cancer vs normal") & (table["fdr"] < 0.05)]
    assert note == f"{len(rows)} genes and 1 gene set at an FDR below 0.05"
    assert len(rows) > 20


def in_r(dataset):
    """Return the words of a link to the script, with the commands that run it."""
    script = f"results/studies/s/genes/{dataset}/limma.R"
    commands = f"xnbflow export {dataset}; Rscript {script} {dataset}.gct"
    return f"the same comparisons in R, by limma (in the folder of the study: {commands})"


def test_the_file_of_the_comparisons_is_beside_that_of_the_genes(results):
    (links,) = blocks_of(results, Links)
    assert [item[:2] for item in links.items] == [
        ("counts", "all genes, each class against the others"),
        ("counts", "all genes, the other comparisons"),
        ("counts", in_r("counts")),
        ("arrays", "all genes, each class against the others"),
        ("arrays", in_r("arrays")),
    ]
    assert links.items[1][2][1].endswith("counts/contrasts.parquet")
    assert links.items[2][2] == ["genes/counts/limma.R"]


def test_the_workbook_has_a_sheet_of_each_comparison_and_of_gene_sets(results, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    write_workbook(results, tmp_path / "study.xlsx")
    book = openpyxl.load_workbook(tmp_path / "study.xlsx")
    assert {"cancer vs normal counts", "normal vs cancer counts"} <= set(book.sheetnames)
    head, first, *_ = book["cancer vs normal counts"].iter_rows(values_only=True)
    row = dict(zip(head, first, strict=True))
    expected = results.tables_of("genes", dataset="counts")["contrasts"].query(
        "contrast == 'cancer vs normal'"
    )
    assert row["feature"] == expected["feature"].iloc[0]
    assert row["t"] == pytest.approx(expected["t"].iloc[0])
    head, *rows = book["gene sets of comparisons"].iter_rows(values_only=True)
    sets = pd.DataFrame(rows, columns=head)
    assert sets["contrast"].drop_duplicates().tolist() == ["cancer vs normal", "normal vs cancer"]
    assert head[0] == "dataset"
    assert set(sets["dataset"]) == {"counts"}


def gene(feature, rank, **fields):
    row = {"feature": feature, "class": "b", "rank": rank, "symbol": "", "difference": 1.0}
    return row | {"log_fold_change": 1.0, "p": 0.001, "fdr": 0.01, "auc": 0.9} | fields


def test_genes_in_words_count_both_ends_of_the_auc_and_the_fdr():
    rows = [
        gene("g1", 1, auc=1.0),
        gene("g2", 2, auc=0.0),
        gene("g3", 3, p=0.04, fdr=0.2),
        gene("g4", 4, p=0.04, fdr=0.05),
    ]
    both = [row | {"class": label} for row in rows for label in "ab"]
    assert genes._gene_counts_sentence(pd.DataFrame(both)) == (
        "2 of 4 features separate these classes perfectly (AUC of 0 or 1). 2 differ at "
        "an FDR below 0.05."
    )
    assert "(AUC of 0 or 1; labels without information give 686)" in genes._gene_counts_sentence(
        pd.DataFrame(both), 12_000 * 2 / 35
    )
    assert "give fewer than one)" in genes._gene_counts_sentence(pd.DataFrame(both), 0.4)
    three = [row | {"class": label} for row in rows[:1] for label in "abc"]
    assert genes._gene_counts_sentence(pd.DataFrame(three)) == (
        "1 of 1 feature separates at least one class from all others perfectly (AUC of 0 "
        "or 1). 1 differs in at least one comparison at an FDR below 0.05."
    )


def test_a_volcano_plot_cuts_at_the_largest_p_that_differs_and_names_the_smallest(tmp_path):
    rows = [gene(f"g{i}", i, p=0.001 * i, fdr=0.009 * i) for i in range(1, 8)]
    rows[1]["symbol"] = "TP53"
    study = study_of_tables(tmp_path, {"genes.genes": rows})
    (figure,) = genes._volcano_plots(
        study, study.tables_of("genes", dataset="d"), "d", ["a", "b"], [1]
    ).figures
    assert figure.arguments["cut"] == 0.005  # FDR .045; the next has .054
    assert figure.arguments["names"] == {"g1": 0, "TP53": 1, "g3": 2, "g4": 3}
    assert figure.alt == "Volcano plot of b against a: 5 genes of 7 at an FDR below 0.05."


@pytest.mark.parametrize(("n_genes", "rest"), [(200, False), (201, True)])
def test_the_table_has_two_hundred_genes_with_arrows(tmp_path, n_genes, rest):
    rows = [gene(f"g{i}", i, difference=(1.0, -1.0, 0.0)[i % 3]) for i in range(1, n_genes + 1)]
    tables = study_of_tables(tmp_path, {"genes.genes": rows}).tables_of("genes", dataset="d")
    table = genes._gene_table_block(tables, tables["genes"], "gene")
    assert len(table.frame) == 200
    assert table.frame["higher or lower"].tolist()[:3] == ["↓", "", "↑"]
    assert table.caption.endswith("All are in the files.") == rest


def test_names_of_a_volcano_plot_are_at_their_points():
    """Untested features come before tested ones in the table."""
    row = {"contrast": "b vs a", "symbol": "", "log_fold_change": 1.0, "t": 3.0}
    rows = [
        row | {"feature": "g0", "p": np.nan, "fdr": np.nan},
        row | {"feature": "g1", "p": 0.001, "fdr": 0.01},
        row | {"feature": "g2", "p": 0.04, "fdr": 0.06},
    ]
    figure = further_comparisons._comparison_volcano("n", "b vs a", pd.DataFrame(rows), [], "gene")
    assert figure.arguments["names"] == {"g1": 0}
    assert figure.arguments["p"].tolist() == [0.001, 0.04]


def gene_set(name, rank, **fields):
    file = {"file": "h-1.gmt", "place": "https://host/h.gmt", "sha256": "ab"}
    return {"class": "b", "gene_set": name, "rank": rank} | file | fields


def test_gene_sets_are_the_best_of_their_tests(tmp_path):
    tests = [
        gene_set("S1", 1, fdr=0.01),
        gene_set("S11", 11, fdr=0.02),
        gene_set("S2", 2, fdr=0.05),
    ]
    study = study_of_tables(tmp_path, {"genes.gene_set_tests": tests})
    (group,) = genes._gene_set_blocks(study, "d", ["b"])
    assert group.note == "2 tests at an FDR below 0.05"
    _, significant, files = group.blocks
    (file,) = files.frame.to_dict("records")  # which collection, from where
    assert file["place"] == "https://host/h.gmt"
    assert file["gene_set"] == 3
    assert significant.frame["gene_set"].tolist() == ["S1"]


def test_without_a_significant_set_a_sentence_says_so(tmp_path):
    study = study_of_tables(tmp_path, {"genes.gene_set_tests": [gene_set("S1", 1, fdr=0.05)]})
    (group,) = genes._gene_set_blocks(study, "d", ["b"])
    assert group.blocks[1].text.startswith("No gene set is higher or lower")
    assert group.note == "0 tests at an FDR below 0.05"


def test_statistics_of_the_page_are_those_of_their_columns():
    rows = pd.DataFrame([gene("g1", 1, p=1e-3, fdr=1e-2, mean=7.0, log_fold_change=-2.0)])
    actual = genes._page_statistics([rows, rows.assign(auc=0.25)])
    assert {name: column[0] for name, column in actual.items()} == {
        "change.0": -2.0,
        "evidence.0": 3.0,
        "fdr.0": 2.0,
        "auc.0": 0.9,
        "change.1": -2.0,
        "evidence.1": 3.0,
        "fdr.1": 2.0,
        "auc.1": 0.25,
        "mean": 7.0,
    }


@pytest.mark.parametrize(
    ("symbol", "feature", "kind"),
    [("TP53", "p1", 1), ("", "TP53", 2), ("", "p1", 0), ("TP53 /// WRAP53", "p1", 1)],
)
def test_a_gene_is_searched_by_its_symbol_else_by_its_name(symbol, feature, kind):
    assert genes._kind_of_term(symbol, feature) == kind


@pytest.mark.parametrize(
    ("note", "reference", "shown"), [("adjusted for age", "", "b"), ("", "a", "b"), ("", "b", "a")]
)
def test_the_explorer_has_the_class_against_its_control_and_rings_the_core(
    tmp_path, note, reference, shown
):
    rows = [gene("g1", 1), gene("g2", 2, auc=0.1)]
    both = rows + [row | {"class": "a", "auc": 1 - row["auc"]} for row in rows]
    value = {"sample": "s1", "class": "a", "group": "", "batch": "", "value": 1.0}
    cell = {"row": 0, "feature": "g1", "symbol": "", "column": 0, "sample": "s1", "class": "a"}
    about = {"dataset": "d", "samples": 1}
    tables = {
        "headline": [{"classifier": "xnb"}],
        "datasets": [about],
        "genes.genes": both,
        "genes.gene_values": [value | {"feature": "g1"}],
        "genes.gene_heatmap": [cell | {"z": 0.0}],
        "genes.design": [{"notes": note}],
        "model.signature": [{"class": "a", "feature": "g2", "core": True, "symbol": ""}],
    }
    designs = {"d": Design(reference=reference)}
    study = study_of_tables(tmp_path, tables, final=("xnb",), designs=designs)
    blocks = list(
        genes._genes_of_series(study, study.tables_of("genes", dataset="d"), "d", 100_000)
    )
    assert blocks[0].text.endswith(" Adjusted for age.") == bool(note)
    (explorer,) = (block for block in blocks if isinstance(block, GeneExplorer))
    header, arrays = unpack(explorer.content)
    assert header["contrasts"] == [shown]
    assert header["features"] == ["g1", "g2"]
    assert arrays["core"].tolist() == [0, 1]
    assert arrays["auc.0"].tolist() == ([65534, 0] if shown == "b" else [0, 65534])
    (group,) = (block for block in blocks if isinstance(block, Group))
    assert set(group.blocks[0].frame["class"]) == {shown}


def three_classes(root, *contrasts):
    """Return a study of three classes, of which early and late share 20 features, whose design
    has these contrasts."""
    rng = np.random.default_rng(4)
    labels = np.repeat(["early", "healthy", "late"], 10)
    values = rng.normal(size=(100, 30))
    values[:20] += 4.0 * (labels != "healthy")
    values[20:30] += 3.0 * (labels == "early")
    results = study_of(root, [dataset(values, labels, name="three", scale="log2")])
    design = Design(contrasts=contrasts)
    return replace(results, study=replace(results.study, designs={"three": design}))


def test_features_of_three_classes_are_listed_by_the_least_difference(tmp_path):
    """Those of both cancers differ more from the mean of the others than those of *early*."""
    results = three_classes(tmp_path)
    (frame,) = [block.frame for block in blocks_of(results, Table) if "auc" in block.frame]
    assert {"least_t", "nearest"} <= {*frame}
    early = frame[frame["class"] == "early"].head(10)
    assert set(early["feature"]) == {f"g{i}" for i in range(20, 30)}
    assert early["nearest"].isin(["healthy", "late"]).all()


def test_the_page_shows_how_to_compare_two_of_several_classes(tmp_path):
    results = three_classes(tmp_path)
    texts = [block.text for block in blocks_of(results, Prose)]
    (text,) = (text for text in texts if "contrasts:" in text)
    assert "contrasts: [healthy vs early]" in text


def test_pairs_of_several_classes_come_before_each_class_against_the_others(tmp_path):
    row = {"feature": "g1", "symbol": "", "rank": 1, "p": 0.01, "fdr": 0.02, "difference": 1.0}
    rows = [gene("g1", 1) | {"class": label} for label in ("a", "b", "c")]
    cell = {"row": 0, "feature": "g1", "symbol": "", "column": 0, "sample": "s1", "class": "a"}
    value = {"feature": "g1", "sample": "s1", "class": "a", "group": "", "batch": "", "value": 1.0}
    tables = {
        "headline": [{"classifier": "xnb"}],
        "datasets": [{"dataset": "d", "samples": 1}],
        "genes.genes": rows,
        "genes.gene_values": [value],
        "genes.gene_heatmap": [cell | {"z": 0.0}],
        "genes.contrasts": [row | {"contrast": "b vs a"}],
    }
    study = study_of_tables(tmp_path, tables)
    blocks = list(
        genes._genes_of_series(study, study.tables_of("genes", dataset="d"), "d", 100_000)
    )
    (explorer,) = (i for i, block in enumerate(blocks) if isinstance(block, GeneExplorer))
    (pairs,) = (
        i
        for i, block in enumerate(blocks)
        if isinstance(block, Group) and block.title == "Pairs of classes"
    )
    assert pairs < explorer


def test_two_classes_have_neither_least_differences_nor_proposals(results):
    assert not [block for block in blocks_of(results, Prose) if "contrasts:" in block.text]
    for block in blocks_of(results, Table):
        assert "least_t" not in block.frame


def test_gene_sets_of_two_classes_have_the_direction_of_the_one_that_is_not_the_control(tmp_path):
    tests = [
        gene_set("S1", 1, fdr=0.01) | {"class": label, "direction": direction}
        for label, direction in (("normal", "lower"), ("tumour", "higher"))
    ]
    study = study_of_tables(tmp_path, {"genes.gene_set_tests": tests})
    (group,) = genes._gene_set_blocks(study, "d", ["tumour"])
    assert group.note == "1 test at an FDR below 0.05"
    assert group.blocks[1].frame["class"].tolist() == ["tumour"]
