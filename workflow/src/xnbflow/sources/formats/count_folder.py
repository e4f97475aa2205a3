"""A folder of one-sample files of counts, as HTSeq, STAR and Salmon write them, as one table.

STAR's files have three counts of each gene, unstranded, sense and antisense; a library that
distinguishes the strands has nearly all its reads in one of the latter two.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.sources.formats.cell_texts import is_text
from xnbflow.sources.formats.files import open_raw, text_lines
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.series.feature_names import TALLY
from xnbflow.sources.series.sample_names import plain_sample_names
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM

#: Endings of files that are read.
_ENDINGS = (".txt", ".tsv", ".tab", ".csv", ".counts", ".count", ".sf", ".results")
#: Columns of counts in a file with a header, best first.
_COUNT_COLUMNS = ("numreads", "est_counts", "expected_count", "count", "counts", "reads")
#: Columns in the file of one sample: of Salmon, kallisto and RSEM, and the first one of it.
_QUANTIFIED = ("numreads", "est_counts", "expected_count")
_NAMES_OF_TRANSCRIPTS = ("name", "target_id", "gene_id", "transcript_id")
#: Number of columns of STAR's file of one sample; HTSeq's has two.
_STAR_COLUMNS = 4
#: Share of the reads of one strand from which a library is stranded.
_STRANDED = 0.8
_LEAST_FILES = 2


@dataclass(frozen=True)
class MergedCounts:
    """Counts (n_genes, n_samples) as a frame, sentences about how they were read, and options."""

    counts: pd.DataFrame
    remarks: list[str]
    options: dict[str, Any]


def merge_counts(folder: Path) -> MergedCounts:
    """Read the files of a folder, or one file of each of its folders, as the columns of a table.

    Summary rows of HTSeq and STAR are left out. A sample is called as its file, without what
    programs append, or as its folder where files have one name.

    Raises
    ------
    InputError
        If there are fewer than two files, or they do not have the same genes.
    """
    _refuse_matrix_market(folder)
    files = _count_files(folder)
    if len(files) < _LEAST_FILES:
        endings = ", ".join(_ENDINGS)
        msg = (
            f"{folder} is a folder with {counted(len(files), 'file')} of counts ({endings}, "
            "plain or gzipped); name a table, or a folder with a file of counts for each sample"
        )
        raise InputError(msg, file=str(folder))
    names = _sample_names(folder, files)
    tables = [_read_counts(path) for path in files]
    n_columns = {table.shape[1] for table in tables}
    if len(n_columns) > 1:
        msg = f"{folder}: files have {listed(sorted(n_columns))} columns of counts; separate them"
        raise InputError(msg, file=str(folder))
    remarks = [f"{counted(len(files), 'file')} of one sample each were merged."]
    column = 0
    if n_columns == {3}:
        column, remark = _strand(tables)
        remarks.append(remark)
    first_genes = tables[0].index
    for path, table in zip(files, tables, strict=True):
        if not table.index.equals(first_genes):
            _refuse_other_genes(path, files[0], table.index, first_genes)
    counts = pd.DataFrame(
        {name: table.iloc[:, column] for name, table in zip(names, tables, strict=True)}
    )
    tallies = [name for name in map(str, counts.index) if TALLY.fullmatch(name)]
    if tallies:
        counts = counts.drop(index=tallies)
        remarks.append(
            f"{counted(len(tallies), 'summary row', 'was', 'were')} left out: {listed(tallies)}."
        )
    options = {"transform": PROPOSED_COUNT_TRANSFORM.value}
    return MergedCounts(counts.rename_axis("gene"), remarks, options)


def refuse_one_sample(table: TextTable) -> None:
    r"""Refuse the file of counts of one sample, without a header or with that of its program.

    Files without a header are those of STAR and HTSeq, which have their tallies in the first
    column; the first of them, or a gene, is then in the place of the header.

    Examples
    --------
    >>> lines = ["N_noFeature\t7\t9\t8", "TP53\t2\t0\t2"]
    >>> table = TextTable(path="S1_ReadsPerGene.out.tab", header=["N_unmapped", "5", "5", "5"],
    ...                   rows=lines, lines=range(2, 4), separator="\t")
    >>> try:
    ...     refuse_one_sample(table)
    ... except InputError as error:
    ...     print(str(error)[:61])
    S1_ReadsPerGene.out.tab has the counts of one sample alone, a
    """
    header = [name.strip().lower() for name in table.header]
    is_quantified = bool(set(_QUANTIFIED) & set(header)) and header[0] in _NAMES_OF_TRANSCRIPTS
    is_headless = (
        1 < len(header) <= _STAR_COLUMNS
        and all(name.isdecimal() for name in header[1:])
        and any(map(TALLY.fullmatch, [table.header[0], *table.columns([0])[0]]))
    )
    if is_quantified or is_headless:
        msg = (
            f"{table.path} has the counts of one sample alone, as STAR, HTSeq, Salmon, kallisto "
            "and RSEM write them; name the folder that has such a file for each sample"
        )
        raise InputError(msg, file=str(table.path))


def _refuse_matrix_market(folder: Path) -> None:
    """Refuse the folder of a sparse matrix of cells, as Cell Ranger and STARsolo write it."""
    matrices = [*sorted(folder.glob("*.mtx")), *sorted(folder.glob("*.mtx.gz"))]
    if matrices:
        msg = (
            f"{folder} has a matrix of single cells ({matrices[0].name}), as Cell Ranger writes "
            f"it: read it by scanpy.read_10x_mtx({quoted(str(folder))}), add up the cells of "
            "each sample and type (scanpy.get.aggregate), and write the sums as an .h5ad file"
        )
        raise InputError(msg, file=str(folder))


def counts_text(merged: MergedCounts) -> str:
    """Return merged counts as a table separated by tabs."""
    return str(merged.counts.to_csv(sep="\t", lineterminator="\n"))


def _count_files(folder: Path) -> list[Path]:
    """Return the files of counts in a folder, or else one of each folder in it, all of one name."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and _is_counts(path))
    if len(files) >= _LEAST_FILES:
        return files
    deeper = sorted(path for path in folder.glob("*/*") if path.is_file() and _is_counts(path))
    by_name: dict[str, list[Path]] = {}
    for path in deeper:
        by_name.setdefault(path.name, []).append(path)
    common = max(by_name.values(), key=len, default=[])
    if len(common) >= _LEAST_FILES:
        return common
    is_one_of_each = len({path.parent for path in deeper}) == len(deeper)
    return deeper if deeper and is_one_of_each else files


def _is_counts(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    is_log = name.endswith((".log", "log.out", ".summary", "samples.csv", "samples.tsv"))
    return name.endswith(_ENDINGS) and not is_log and not name.startswith(".")


def _sample_names(folder: Path, files: Sequence[Path]) -> list[str]:
    """Return the names of the samples: the names of the files, or of their folders."""
    names = plain_sample_names([path.name for path in files])
    if len(set(names)) < len(names) or not all(names):
        names = [path.parent.name for path in files]
    if len(set(names)) < len(names):
        msg = f"{folder}: several files have the name {quoted(names[0])}; rename them"
        raise InputError(msg, file=str(folder))
    return names


def _read_counts(path: Path) -> pd.DataFrame:
    """Return the columns of counts of a file, indexed by gene."""
    with open_raw(path) as stream:
        lines = [
            line.decode("utf-8", errors="replace").rstrip("\r\n")
            for line in text_lines(path, stream)
        ]
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    separator = "," if lines and "\t" not in lines[0] and "," in lines[0] else "\t"
    rows = [line.split(separator) for line in lines]
    width = len(rows[-1]) if rows else 0
    positions = list(range(1, width))
    if len(rows) > 1 and all(map(is_text, rows[0][1:])):
        header = [name.strip().lower() for name in rows.pop(0)]
        if len(positions) > 1:
            count_positions = [header.index(name) for name in _COUNT_COLUMNS if name in header]
            # featureCounts has its counts in the last column
            positions = count_positions[:1] or [width - 1]
    try:
        values = [[float(row[position]) for position in positions] for row in rows]
        genes = [row[0].strip() for row in rows]
    except (ValueError, IndexError) as error:
        msg = (
            f"{path}: not a file of counts with a gene in the first cell of each line "
            f"({error}); take it out of the folder"
        )
        raise InputError(msg, file=str(path)) from error
    counts = np.array(values, dtype=float).reshape(len(rows), len(positions))
    is_whole = bool((counts == np.floor(counts)).all())
    return pd.DataFrame(counts.astype(np.int64) if is_whole else counts, index=genes)


def _strand(tables: Sequence[pd.DataFrame]) -> tuple[int, str]:
    """Return which of STAR's counts fits the library, 0 to 2, and a sentence.

    In a file of STAR the genes are column 1, and the counts columns 2 to 4: of both strands, and of
    the reads whose first, or second, mate has the strand of the gene.
    """
    sums = np.zeros(3)
    for table in tables:
        is_gene = ~table.index.str.match(r"N_", case=False)
        sums += table[is_gene].sum(axis=0).to_numpy(dtype=float)
    _, sense, antisense = sums
    share = max(sense, antisense) / max(sense + antisense, 1.0)
    if share < _STRANDED:
        return 0, "STAR's column 2, counts of both strands, was taken."
    counts = 1 if sense > antisense else 2
    return counts, (
        f"STAR's column {counts + 2} was taken, because it has {share:.0%} of the reads that have "
        "a strand."
    )


def _refuse_other_genes(path: Path, first: Path, genes: pd.Index, expected: pd.Index) -> None:
    others = genes.symmetric_difference(expected)
    if len(others):
        msg = (
            f"{path} has other genes ({listed(others, 3)}) than {first}; count all samples with "
            "one annotation"
        )
        raise InputError(msg, file=str(path))
    msg = f"{path} has another order of genes than {first}; count all samples with one annotation"
    raise InputError(msg, file=str(path))


def default_name(folder: Path) -> str:
    """Return the name of the merged table of a folder.

    Examples
    --------
    >>> default_name(Path("run 7/htseq"))
    'htseq-counts.tsv'
    """
    return f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', folder.resolve().name)}-counts.tsv"
