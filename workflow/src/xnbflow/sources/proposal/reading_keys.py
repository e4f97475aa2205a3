"""The files that a proposal is about, read once, and the keys by which they can be read.

These keys are the encoding, the sheets of a workbook, the matrix of AnnData, and the column of a
phenotype file that names the samples.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from xnbflow.core.nouns import listed
from xnbflow.sources.dataset_entry import DatasetEntry, is_accession
from xnbflow.sources.formats.count_folder import refuse_one_sample
from xnbflow.sources.formats.opening import read_text_table, suffix_of
from xnbflow.sources.formats.parquet import PARQUET
from xnbflow.sources.formats.program_exports import refuse_export_header
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.infer.gene_columns import sample_column_names
from xnbflow.sources.infer.variables import FIRST_SAMPLES
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.workbook_sheets import phenotype_sheet, propose_sheets
from xnbflow.sources.series.phenotype import PhenotypeFile, naming_column, read_phenotype_file
from xnbflow.sources.table_files import (
    DECLARING_FORMATS,
    TableTexts,
    fetch_phenotype,
    fetch_table,
    with_keys_of_format,
)

#: Most columns of the counts of one sample, as programs write them.
_MOST_COLUMNS_OF_ONE_SAMPLE = 40
#: The encoding of texts that are not UTF-8: that of Windows in western Europe.
_WINDOWS = "cp1252"


def read_request(request: DatasetEntry, downloads: Downloads) -> TableTexts:
    """Return the texts of a table and its phenotype, and the entry with the keys that read them.

    Files at URLs are downloaded. Exports of programs that are no tables are refused.
    """
    path = fetch_table(downloads, request.location, request.id, request.sha256)
    entry = request
    if suffix_of(path) in DECLARING_FORMATS:
        entry = with_keys_of_format(path, request)
    remarks: list[str] = []
    table = None
    samples = None
    if suffix_of(path) == ".h5ad":
        entry, remarks = _with_matrix(path, entry)
    elif suffix_of(path) in WORKBOOKS:
        sheets = propose_sheets(path, entry)
        entry = entry.with_defaults(**sheets.keys)
        table = sheets.values
        samples = sheets.samples
        remarks += [sheets.sentence] if sheets.sentence else []
    if table is None:
        reading = {"encoding": _WINDOWS, **entry.reading}
        table = read_text_table(path, reading, refuse_exports=True)
    if suffix_of(path) in (*WORKBOOKS, *PARQUET):  # those of text are refused by its first lines
        refuse_export_header(path, table.header)
    if len(table.header) <= _MOST_COLUMNS_OF_ONE_SAMPLE:
        refuse_one_sample(table)
    if table.encoding and not entry.encoding:
        entry = replace(entry, encoding=table.encoding)
        remarks.append(
            f"The text is not UTF-8; the proposal is encoding: {table.encoding}, that of Windows "
            "in western Europe."
        )
    phenotype = None
    if entry.phenotype:
        phenotype_path = fetch_phenotype(entry, downloads)
        phenotype, entry = _read_phenotype(phenotype_path, entry, table, samples)
    return TableTexts(table=table, entry=entry, phenotype=phenotype, remarks=tuple(remarks))


class _WithMatrix(NamedTuple):
    """An entry with the matrix of AnnData, and sentences."""

    entry: DatasetEntry
    remarks: list[str]


def _with_matrix(path: Path, entry: DatasetEntry) -> _WithMatrix:
    """Return the entry of a file of AnnData with another matrix where X is scaled."""
    from xnbflow.sources.formats.h5ad import proposed_matrix  # noqa: PLC0415 - an extra

    matrix, names = proposed_matrix(path)
    remarks = []
    if len(names) > 1:
        remarks.append(f"Its matrices are {listed(names)} (matrix).")
    if not entry.matrix and matrix:
        entry = replace(entry, matrix=matrix)
        remarks.append(
            f"The proposal is matrix: {matrix}: X has negative values, as after scaling each gene."
        )
    return _WithMatrix(entry, remarks)


def _read_phenotype(
    path: Path, entry: DatasetEntry, table: TextTable, samples: TextTable | None
) -> tuple[PhenotypeFile, DatasetEntry]:
    """Return the phenotype file of a table, and the entry with the keys that read it.

    It is read unless it is a sheet that was read before (``samples``).
    """
    if is_accession(entry.phenotype or "") or suffix_of(path) == ".cls":
        return read_phenotype_file(path, entry, Path(table.path)), entry
    # The names in the table, of which some are samples: in its header, or in its first column.
    names = [*table.header, *table.columns([0])[0][:FIRST_SAMPLES]]
    if suffix_of(path) in WORKBOOKS and not entry.phenotype_sheet:
        sheets = phenotype_sheet(path, names)
        entry = entry.with_defaults(**sheets.keys)
        samples = sheets.samples
    if samples is None:
        readable = entry.with_defaults(encoding=_WINDOWS)
        phenotype = read_phenotype_file(path, readable, Path(table.path))
    else:
        phenotype = PhenotypeFile(path, samples)
    if isinstance(phenotype.text, TextTable) and phenotype.text.encoding:
        entry = replace(entry, encoding=phenotype.text.encoding)
    if not entry.phenotype_id and not entry.id_column:
        column = naming_column(phenotype.text, [*names, *sample_column_names(table)])
        if column:
            entry = replace(entry, phenotype_id=column)
    return phenotype, entry
