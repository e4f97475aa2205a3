"""Layout of a table: whether samples are its rows or its columns, and what describes them.

What the row of the sheet has is kept. The table is turned by `xnbflow.sources.roles.turn`, as
by the reader, with the options that are proposed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import did_you_mean
from xnbflow.core.nouns import either, listed, noun
from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.gct import as_gct
from xnbflow.sources.formats.long_table import refuse_long
from xnbflow.sources.formats.opening import read_raw_table, suffix_of
from xnbflow.sources.formats.program_exports import refuse_workbook
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.formats.text import is_utf8
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.column_options import (
    add_names,
    without_tallies,
)
from xnbflow.sources.proposal.gene_columns import (
    feature_count_columns,
    gene_columns,
    sample_column_names,
)
from xnbflow.sources.proposal.measures import other_measures
from xnbflow.sources.proposal.number_format import about_measured, about_thousands, with_decimal
from xnbflow.sources.proposal.phenotype_file import join_beside, read_beside
from xnbflow.sources.proposal.variables import (
    FIRST_SAMPLES,
    guess_variables,
)
from xnbflow.sources.proposal.workbook_sheets import propose_sheets
from xnbflow.sources.roles import SAMPLE_NAMES, turn
from xnbflow.sources.series.phenotype import (
    matched_names,
    refuse_glued,
)
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.table import fetch_table

#: The name that readers give to a row of conditions beside the header.
_CONDITIONS = re.compile(r"(line|row) \d+")


@dataclass(frozen=True)
class TableLayout:
    """The layout of a table.

    ``fields`` has a row per sample and its columns of text and clinical numbers, as text; ``row``
    is completed by the orientation, the sheets of a workbook, a decimal comma and columns that are
    no features; ``remarks`` are sentences about it. ``samples`` are the names of samples in
    columns. ``binary`` are columns of 0 and 1, apart from ``fields``, that are plausible labels.
    """

    fields: pd.DataFrame
    row: SheetRow
    remarks: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    binary: pd.DataFrame = field(default_factory=pd.DataFrame)


def recognise_layout(dataset: SheetRow, downloads: Downloads) -> TableLayout:
    """Return the layout of a table; one at a URL is downloaded."""
    path = fetch_table(downloads, dataset.location, dataset.id, dataset.sha256)
    if suffix_of(path) == ".h5ad":
        return _layout_of_cells(path, dataset)
    if suffix_of(path) == ".gct":
        dataset = as_gct(path, dataset)
    remarks = []
    if "encoding" not in dataset.options and not is_utf8(path):
        dataset = replace(dataset, options=dataset.options | {"encoding": "cp1252"})
        remarks.append(
            "The text is not UTF-8; the proposal is encoding=cp1252, that of Windows in western "
            "Europe."
        )
    if suffix_of(path) in WORKBOOKS:
        proposed, remark = propose_sheets(path, dataset.options)
        dataset = replace(dataset, options=proposed | dataset.options)
        remarks += [remark] if remark else []
    raw = read_raw_table(path, dataset.options)
    if not len(raw):
        return TableLayout(pd.DataFrame(), dataset, tuple(remarks))  # the reader refuses it
    refuse_workbook(path, raw.header)
    refuse_long(raw, dataset.label)
    first = [raw.cells(row) for row in range(min(FIRST_SAMPLES, len(raw)))]
    dataset = with_decimal(dataset, raw, first)
    remarks += about_thousands(raw, first)
    phenotype, dataset = read_beside(path, dataset, raw, downloads)
    if raw.is_header_short:
        refuse_glued(path, raw.header, phenotype)
    if _are_columns(dataset, raw, phenotype):
        layout = _samples_in_columns(raw, dataset, phenotype)
    else:
        layout = _samples_in_rows(raw, dataset, phenotype)
    if phenotype.empty:
        remarks += about_measured(layout.fields, dataset.label)
    return replace(layout, remarks=(*remarks, *layout.remarks))


def _layout_of_cells(path: Path, dataset: SheetRow) -> TableLayout:
    """Return the layout of a file of AnnData, with another matrix where X is scaled."""
    from xnbflow.sources.formats.h5ad import cells_of, proposed_matrix  # noqa: PLC0415 - an extra

    matrix, names = proposed_matrix(path)
    remarks = []
    if len(names) > 1:
        remarks.append(f"Its matrices are {listed(names)} (matrix=).")
    if "matrix" not in dataset.options and matrix:
        dataset = replace(dataset, options=dataset.options | {"matrix": matrix})
        remarks.append(
            f"The proposal is matrix={matrix}: X has negative values, as after scaling each gene."
        )
    return TableLayout(cells_of(path), dataset, tuple(remarks))


def _are_columns(dataset: SheetRow, raw: RawTable, phenotype: pd.DataFrame) -> bool:
    """Return whether samples are columns of the table.

    A phenotype file decides by the names of its samples, else the label by where it is; without
    both, samples are columns of featureCounts, and where they have a row of conditions.
    """
    if dataset.orientation == "columns":
        return True
    header = raw.header
    sample_names = list(phenotype.index)
    first = [raw.cells(row) for row in range(min(FIRST_SAMPLES, len(raw)))]
    if sample_names:
        for names in (header, header[1:], sample_column_names(raw)):
            if set(sample_names) & set(names) or matched_names(names, sample_names):
                return True
        if set(sample_names) & set(chain.from_iterable(first)):
            return False
    if dataset.label or sample_names:
        return bool(dataset.label) and dataset.label not in header
    has_conditions = _CONDITIONS.fullmatch(first[0][0]) is not None
    return has_conditions or bool(feature_count_columns(header))


def _samples_in_rows(raw: RawTable, dataset: SheetRow, phenotype: pd.DataFrame) -> TableLayout:
    """Return the layout of a table with samples in rows."""
    table = turn(raw, dataset)
    header = raw.header
    guess = guess_variables(table, dataset)
    fields = pd.DataFrame(
        list(zip(*(guess.cells[i] for i in guess.texts), strict=True)),
        columns=[header[i] for i in guess.texts],
        dtype=object,
    )
    dataset = without_tallies(dataset, header)
    dataset, remarks = _without_empty(dataset, [header[i] for i in guess.empty if header[i]])
    if len(phenotype):
        fields, dataset = join_beside(fields, dataset, phenotype, header)
    return TableLayout(fields, dataset, tuple(remarks), binary=guess.binary)


def _samples_in_columns(raw: RawTable, dataset: SheetRow, phenotype: pd.DataFrame) -> TableLayout:
    """Return the layout of a table with samples in columns.

    Columns that describe genes, and those of other measures, are dropped by the proposed row.
    """
    declared = {dataset.label, *dataset.names("phenotype_columns")}
    header = raw.header
    beside = gene_columns(raw)
    beside_names = [header[i] for i in beside]
    measured = [header[i] for i in range(1, len(header)) if i not in beside]
    left_out, remarks = other_measures(measured)
    dataset = replace(dataset, orientation="columns")
    dataset = add_names(dataset, "drop", [*beside_names, *left_out])
    table = turn(raw, dataset)
    guess = guess_variables(table, dataset)
    fields = pd.DataFrame({table.names[i]: guess.cells[i] for i in guess.texts}, dtype=object)
    if dataset.label and dataset.label not in fields and phenotype.empty:
        _refuse_absent_label(raw, dataset, table.names, [*beside_names, *fields])
        fields = fields.iloc[:, :0]
    if len(phenotype):
        described = [name for name in fields if name not in declared]
        dataset = add_names(dataset, "drop", described)
        matched = matched_names(table.samples, list(phenotype.index)) or table.samples
        is_measured = phenotype.index.isin(matched)
        fields = phenotype[is_measured] if is_measured.any() else phenotype
    dataset = without_tallies(dataset, table.names)
    return TableLayout(
        fields, dataset, tuple(remarks), samples=tuple(table.samples), binary=guess.binary
    )


def _without_empty(dataset: SheetRow, names: Sequence[str]) -> tuple[SheetRow, list[str]]:
    """Return the row that drops columns without a value, and a remark on them."""
    if not names or "features" in dataset.options:
        return dataset, []
    verb = either(len(names), "has no value and is", "have no values and are")
    remark = f"The {noun(len(names), 'column')} {listed(names)} {verb} left out (drop=)."
    return add_names(dataset, "drop", names), [remark]


_ABSENT_LABEL = Refusal(
    code="layout.absent-label",
    sentence=(
        "{path}: no row and no column is called {label!r}, which the sheet's label names. "
        "{hint}{similar}"
    ),
    key="label",
    sheet=True,
)


def _refuse_absent_label(
    raw: RawTable, dataset: SheetRow, row_names: Sequence[str], text_names: Sequence[object]
) -> None:
    """Refuse a label that is neither a column nor a row; ``text_names`` are those of text.

    Names of samples are labels by themselves, and an accession of GEO may have the label.
    """
    label = str(dataset.label)
    if label == SAMPLE_NAMES or "phenotype" in dataset.options:
        return
    texts = list(map(str, text_names))
    similar = did_you_mean(label, texts) or did_you_mean(label, [*row_names, *raw.header])
    hint = "Name the file of labels by the option phenotype"
    if texts:
        hint = f"Rows and columns of text: {listed(texts)}"
    raise _ABSENT_LABEL.error(path=raw.path, label=label, hint=hint, similar=similar)
