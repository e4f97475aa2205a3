"""Columns that describe genes, in a table with samples in columns."""

import re
from collections.abc import Sequence

from xnbflow.sources.formats.cell_texts import (
    is_text,
)
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.proposal.variables import (
    FIRST_SAMPLES,
    is_text_column,
)
from xnbflow.sources.series.sequencing import FEATURE_COUNTS_COLUMNS

#: First rows by which columns beside the samples are recognised, with samples in columns.
_ROWS_OF_COLUMNS = 60

#: Columns with NCBI's number of a gene.
_GENE_NUMBER = re.compile(r"entrez([ _.]?gene)?([ _.]?ids?)?|ncbi[ _.]?gene[ _.]?id", re.IGNORECASE)


def sample_column_names(raw: RawTable) -> list[str]:
    """Return the names of columns without the first and those that describe genes."""
    rows = raw.first_rows(FIRST_SAMPLES)
    annotation = set(_annotation_columns(raw.header))
    for position, column in enumerate(zip(*rows, strict=True)):
        if is_text_column(column):
            annotation.add(position)
    return [name for i, name in enumerate(raw.header) if i > 0 and i not in annotation]


def _annotation_columns(header: Sequence[str]) -> list[int]:
    """Return the columns of numbers that describe genes: of featureCounts, and Entrez's numbers."""
    gene_numbers = [i for i, name in enumerate(header) if _GENE_NUMBER.fullmatch(name.strip())]
    return sorted({*gene_numbers, *feature_count_columns(header)})


def feature_count_columns(header: Sequence[str]) -> list[int]:
    """Return the columns of featureCounts that describe genes; none in another table."""
    if set(FEATURE_COUNTS_COLUMNS) <= set(header):
        return [header.index(name) for name in FEATURE_COUNTS_COLUMNS]
    return []


def columns_about_genes(raw: RawTable) -> list[int]:
    """Return the columns, except the first, that describe features."""
    beside = set(_annotation_columns(raw.header))
    rows = raw.first_rows(_ROWS_OF_COLUMNS)
    for i, column in enumerate(zip(*rows, strict=True)):
        n_texts = sum(map(is_text, column))
        if 2 * n_texts > len(rows):
            beside.add(i)
    return sorted(beside - {0})
