"""Folders of one-sample files: which files, which strand of STAR, and what is refused."""

import pytest
from toys import put, refused

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.count_folder import merge_counts
from xnbflow.sources.proposal.table_summary import summarise_table


def star(folder, shares):
    """Write ReadsPerGene files of 100 reads, of which so many are of the sense strand."""
    for i, sense in enumerate(shares):
        rows = ["N_unmapped\t5\t5\t5", f"TP53\t100\t{sense}\t{100 - sense}"]
        put(folder, "\n".join(rows) + "\n", f"S{i}ReadsPerGene.out.tab")
    return merge_counts(folder)


@pytest.mark.parametrize(
    ("share", "column", "counts"),
    [
        (80, "column 3 was taken, because it has 80%", 80),
        (79, "column 2, counts of both strands", 100),
        (20, "column 4 was taken, because it has 80%", 80),
        (21, "column 2, counts of both strands", 100),
    ],
)
def test_a_strand_is_taken_from_80_percent_of_the_reads_on(tmp_path, share, column, counts):
    merged = star(tmp_path, [share, share])
    assert merged.counts.loc["TP53"].tolist() == [counts, counts]
    assert any(column in remark for remark in merged.remarks)
    assert merged.counts.index.tolist() == ["TP53"]


def test_merged_counts_are_normalised_whether_they_are_whole_or_estimated(tmp_path):
    for i in range(2):
        put(tmp_path / f"S{i}", "Name\tLength\tTPM\tNumReads\nG\t5\t1.5\t7.25\n", "quant.sf")
    merged = merge_counts(tmp_path)
    assert merged.counts.to_dict() == {"S0": {"G": 7.25}, "S1": {"G": 7.25}}
    assert merged.options == {"transform": "tmm"}


def test_reads_of_no_gene_do_not_decide_on_the_strand(tmp_path):
    """Most reads of no feature are of the other strand."""
    for i in range(2):
        rows = ["N_noFeature\t900\t0\t900", "TP53\t100\t90\t10"]
        put(tmp_path, "\n".join(rows) + "\n", f"S{i}ReadsPerGene.out.tab")
    merged = merge_counts(tmp_path)
    assert merged.counts.loc["TP53"].tolist() == [90, 90]
    assert (
        "STAR's column 3 was taken, because it has 90% of the reads that have a strand"
        in merged.remarks[1]
    )


@pytest.mark.parametrize(
    ("header", "cells", "count"),
    [
        ("Name\tTPM\tNumReads", "G\t1.5\t7", 7),  # Salmon
        ("target_id\test_counts\ttpm", "G\t8\t1.5", 8),  # kallisto
        ("gene_id\texpected_count\tTPM", "G\t9\t1.5", 9),  # RSEM
        ("Name\tcount\tNumReads", "G\t1\t2", 2),  # the best name first
        ("Geneid\tChr\tLength\ta.bam", "G\tchr1\t500\t6", 6),  # featureCounts: the last one
        ("gene\tS1", "G\t5", 5),
    ],
)
def test_the_column_of_counts_of_each_program(tmp_path, header, cells, count):
    for i in range(2):
        put(tmp_path, f"{header}\n{cells}\n{cells.replace('G', 'H')}\n", f"S{i}.tsv")
    assert merge_counts(tmp_path).counts.loc["G"].tolist() == [count, count]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("S1ReadsPerGene.out.tab", "N_unmapped\t5\t5\t5\nTP53\t100\t90\t10\n"),
        ("S1.counts.txt", "TP53\t100\nMYC\t7\n__no_feature\t9\n"),
        ("quant.sf", "Name\tLength\tEffectiveLength\tTPM\tNumReads\nG\t5\t4\t1.5\t7.25\n"),
        ("abundance.tsv", "target_id\tlength\teff_length\test_counts\ttpm\nG\t5\t4\t7\t1\n"),
        ("S1.genes.results", "gene_id\tlength\texpected_count\tTPM\nG\t5\t7.25\t1.5\n"),
    ],
)
def test_the_file_of_one_sample_is_refused_with_the_folder_to_name(tmp_path, name, text):
    path = put(tmp_path, text, name)
    with refused("has the counts of one sample alone, .* name the folder"):
        summarise_table(DatasetEntry("x", "table", str(path)))
