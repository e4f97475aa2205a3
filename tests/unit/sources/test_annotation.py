"""Annotation of probes: which columns are symbols, which row counts, and where GEO has it."""

import numpy as np
import pandas as pd
import pytest
from toys import put, refused

from xnbflow.sources.annotation import (
    _join_genes,
    fetch_annotation,
    read_annotation,
    standard_names,
)
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.series.features import Features, select_features

GPL = (
    "^Annotation\n!Annotation_platform = {platform}\n!platform_table_begin\n"
    "ID\tGene symbol\tGene ID\np1\tA\t1\np2\tB\t2\np1\tC\t3\n!platform_table_end\n"
)


@pytest.mark.parametrize(
    ("cells", "is_symbol"),
    [
        (["tumor protein p53", "TP53"], True),  # half of them are descriptions
        (["tumor protein p53", "myc proto-oncogene", "TP53"], False),
        (["TP53", ""], True),
        (["---", ""], False),  # no genes
    ],
)
def test_a_column_of_descriptions_is_none_of_symbols(cells, is_symbol):
    table = standard_names(pd.DataFrame({"GENE_NAME": cells}))
    assert ("symbol" in table) == is_symbol


def test_names_of_columns_are_standard_the_best_first():
    table = pd.DataFrame({"Symbol": ["old"], "Gene.Symbol": ["TP53"], "GeneID": ["7157"]})
    assert list(standard_names(table)) == ["Symbol", "symbol", "entrez_id"]
    table = pd.DataFrame({"gene_id": ["ENSG00000141510.18"], "kind": ["x"]})
    assert list(standard_names(table)) == ["ensembl_gene_id", "kind_"]


def test_genes_of_a_cell_are_distinct_and_of_their_form():
    assert _join_genes("symbol", 'TP53 /// "WRAP53" /// TP53 /// ---') == "TP53///WRAP53"
    assert _join_genes("entrez_id", "7157 /// NM_000546") == "7157"
    assert (
        _join_genes("ensembl_gene_id", "ENST00000269305 /// ENSG00000141510") == "ENSG00000141510"
    )
    for empty in ("", "---", "NA", "null", "--Control"):
        assert _join_genes("symbol", empty) == ""


def test_the_first_row_of_a_probe_annotates_it(tmp_path):
    path = put(tmp_path, GPL.format(platform="GPL97"), "GPL97.annot")
    table, platform = read_annotation(path, ["p2", "p1", "other"])
    assert table["symbol"].tolist() == ["B", "A", ""]
    assert table["entrez_id"].tolist() == ["2", "1", ""]
    assert platform == "GPL97"
    cut = put(
        tmp_path, GPL.format(platform="GPL97").partition("!platform_table_end")[0], "cut.annot"
    )
    with refused("ends before !platform_table_end: it is cut off"):
        read_annotation(cut, ["p2"])


@pytest.mark.parametrize(
    ("platforms", "is_noted"),
    [("GPL9", False), ("GPL96 GPL9", False), ("GPL97", True), ("", False)],
)
def test_another_platform_is_noted_by_its_whole_name(tmp_path, platforms, is_noted):
    path = put(tmp_path, GPL.format(platform="GPL9"), "GPL9.annot")
    row = DatasetEntry("x", "geo", "GSE1", annotation=str(path))
    features = Features(
        names=np.array(["p1", "p3"]),
        kinds=np.full(2, "linear", dtype=object),
        places=np.arange(2),
        annotation=pd.DataFrame(index=range(2)),
    )
    notes = []
    annotated = select_features(features, row, notes, platforms)
    assert annotated.annotation["symbol"].tolist() == ["A", ""]
    assert ("the annotation is of GPL9, the series of GPL97" in notes) == is_noted
    assert notes[-1] == "1 of 2 features has a symbol in the annotation"
    none = DatasetEntry("x", "geo", "GSE1", annotation="none")
    assert select_features(features, none, notes, platforms).annotation.columns.empty


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("GPL9", "GPLnnn"), ("GPL570", "GPLnnn"), ("GPL1261", "GPL1nnn"), ("GPL16956", "GPL16nnn")],
)
def test_thousands_of_platforms_share_a_folder(tmp_path, platform, folder):
    place = tmp_path / "geo/platforms" / folder / platform / "annot"
    text = GPL.format(platform=platform)
    put(place, text, f"{platform}.annot.gz")
    downloads = Downloads(tmp_path / "downloads", {"geo": [str(tmp_path / "geo")]})
    row = DatasetEntry("x", "geo", "GSE1", annotation=platform)
    assert fetch_annotation(row, downloads).annotation == str(place / f"{platform}.annot.gz")


def test_a_table_of_one_s_own_annotates_features(tmp_path):
    path = put(tmp_path, "probe,Gene Symbol\np1,A\np2,\n", "genes.csv")
    table, platform = read_annotation(path, ["p1", "p2"])
    assert (table["symbol"].tolist(), platform) == (["A", ""], None)
    with refused("no column of gene symbols among 'probe, note'"):
        read_annotation(put(tmp_path, "probe,note\np1,A\n", "notes.csv"), ["p1"])
    with refused("has none of the 2 features"):
        read_annotation(path, np.array(["q1", "q2"]))
