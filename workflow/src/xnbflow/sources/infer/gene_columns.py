"""Columns that describe genes, in a table with samples in columns."""

import re
from collections.abc import Sequence

from xnbflow.sources.formats.cell_texts import (
    is_text,
)
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.infer.variables import (
    FIRST_SAMPLES,
    Kind,
    kind_of,
)
from xnbflow.sources.series.feature_names import FEATURE_COUNTS_COLUMNS

#: First rows by which columns of texts are recognised, with samples in columns.
_FIRST_FEATURES = 60

#: Columns with NCBI's number of a gene.
_GENE_NUMBER = re.compile(r"entrez([ _.]?gene)?([ _.]?ids?)?|ncbi[ _.]?gene[ _.]?id", re.IGNORECASE)


def columns_about_genes(table: TextTable) -> list[int]:
    """Return the positions of the columns, except the first, that describe features.

    They are columns in which most of the first cells are texts, columns of numbers of genes, and
    columns of featureCounts.
    """
    positions = set(_number_columns_about_genes(table.header))
    rows = table.first_rows(_FIRST_FEATURES)
    for i, column in enumerate(zip(*rows, strict=True)):
        n_texts = sum(map(is_text, column))
        if 2 * n_texts > len(rows):
            positions.add(i)
    return sorted(positions - {0})


def sample_column_names(table: TextTable) -> list[str]:
    """Return the names of the columns that may be samples, without the first column.

    A column is no sample if it has numbers of genes, or if its first cells are those of a text
    (`xnbflow.sources.infer.variables.kind_of`).
    """
    rows = table.first_rows(FIRST_SAMPLES)
    no_samples = {0, *_number_columns_about_genes(table.header)}
    for i, column in enumerate(zip(*rows, strict=True)):
        if kind_of(column) is Kind.TEXT:
            no_samples.add(i)
    return [name for i, name in enumerate(table.header) if i not in no_samples]


def _number_columns_about_genes(header: Sequence[str]) -> list[int]:
    """Return the columns of numbers that describe genes: of featureCounts, and Entrez's numbers."""
    positions = {i for i, name in enumerate(header) if _GENE_NUMBER.fullmatch(name.strip())}
    if set(FEATURE_COUNTS_COLUMNS) <= set(header):
        positions |= {header.index(name) for name in FEATURE_COUNTS_COLUMNS}
    return sorted(positions)


def are_row_numbers(cells: Sequence[str]) -> bool:
    """Return whether cells are the numbers of rows, from 0 or 1.

    Examples
    --------
    >>> are_row_numbers(["0", "1", "2"]), are_row_numbers(["7157", "1956"])
    (True, False)
    """
    n_rows = len(cells)
    return list(cells) in (list(map(str, range(n_rows))), list(map(str, range(1, n_rows + 1))))
