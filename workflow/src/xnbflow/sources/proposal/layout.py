"""Layout of a table: where samples, labels and features are, and columns that are not features.

The layout is recognised for a proposal (`summary`), and for the commands that read a table of a
model. What the row of the sheet has is kept.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NoReturn

import pandas as pd

from xnbflow.core.errors import did_you_mean, quoted
from xnbflow.core.nouns import either, listed, noun
from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.cell_texts import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    have_thousands,
    is_measured,
    is_missing,
    is_text,
)
from xnbflow.sources.formats.gct import as_gct, read_classes
from xnbflow.sources.formats.long_table import refuse_long
from xnbflow.sources.formats.opening import read_raw_table, suffix_of
from xnbflow.sources.formats.program_exports import refuse_workbook
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.formats.text import is_utf8
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.orientation import SamplesInColumns, SamplesInRows
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.column_options import (
    SETTLED,
    add_names,
    find_id_column,
    set_aside,
    without_tallies,
)
from xnbflow.sources.proposal.variables import (
    FIRST_SAMPLES,
    guess_variables,
    is_text_column,
)
from xnbflow.sources.proposal.workbook_sheets import phenotype_sheet, propose_sheets
from xnbflow.sources.roles import SAMPLE_NAMES, matches
from xnbflow.sources.series.phenotype import (
    matched_names,
    naming_column,
    read_phenotype,
    refuse_glued,
)
from xnbflow.sources.series.sequencing import FEATURE_COUNTS_COLUMNS
from xnbflow.sources.sheet import SheetRow, is_accession
from xnbflow.sources.table import fetch_table

#: First rows by which columns beside the samples are recognised, with samples in columns.
_ROWS_OF_COLUMNS = 60
#: Words for what is measured of each sample, best first, and a column with such a word at its end.
_MEASURES = (
    "normalized abundance",
    "normalised abundance",
    "maxlfq",
    "lfq",
    "avg_signal",
    "signal",
    "tpm",
    "fpkm",
    "rpkm",
    "quantity",
    "abundance",
    "intensity",
    "reads",
    "counts",
    "count",
    "ratio",
    "peptides",
    "psms",
    "coverage",
    "score",
    "bead_stderr",
    "avg_nbeads",
    "stderr",
    "detection",
    "pval",
    "p-value",
    "call",
)
_MEASURE = re.compile(
    rf"(.+?)((?:[ ._:|-]+(?:{'|'.join([*_MEASURES, 'spectral', 'normalized', 'unique', 'total'])}"
    r"|pval|razor))+)",
    re.IGNORECASE,
)
#: The name that readers give to a row of conditions beside the header.
_CONDITIONS = re.compile(r"(line|row) \d+")
#: Number of names of samples that a message shows of each file.
_EXAMPLES = 3
#: Columns with NCBI's number of a gene.
_GENE_NUMBER = re.compile(r"entrez([ _.]?gene)?([ _.]?ids?)?|ncbi[ _.]?gene[ _.]?id", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
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


def recognise_layout(dataset: SheetRow, downloads: Downloads) -> Layout:
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
            "The text is not UTF-8; proposed is encoding=cp1252, that of Windows in western Europe."
        )
    if suffix_of(path) in WORKBOOKS:
        proposed, remark = propose_sheets(path, dataset.options)
        dataset = replace(dataset, options=proposed | dataset.options)
        remarks += [remark] if remark else []
    raw = read_raw_table(path, dataset.options)
    if not len(raw):
        return Layout(pd.DataFrame(), dataset, tuple(remarks))  # the reader refuses it
    refuse_workbook(path, raw.header)
    refuse_long(raw, dataset.label)
    first = [raw.cells(row) for row in range(min(FIRST_SAMPLES, len(raw)))]
    dataset = _with_decimal(dataset, raw, first)
    remarks += _about_thousands(raw, first)
    phenotype, dataset = _read_phenotype(path, dataset, raw, downloads)
    if raw.is_header_short:
        refuse_glued(path, raw.header, phenotype)
    if _are_columns(dataset, raw, phenotype):
        layout = _samples_in_columns(raw, dataset, phenotype)
    else:
        layout = _samples_in_rows(raw, dataset, phenotype)
    if phenotype.empty:
        remarks += _about_measured(layout.fields, dataset.label)
    return replace(layout, remarks=(*remarks, *layout.remarks))


def _layout_of_cells(path: Path, dataset: SheetRow) -> Layout:
    """Return the layout of a file of AnnData, with another matrix where X is scaled."""
    from xnbflow.sources.formats.h5ad import cells_of, proposed_matrix  # noqa: PLC0415 - an extra

    matrix, names = proposed_matrix(path)
    remarks = []
    if len(names) > 1:
        remarks.append(f"Its matrices are {listed(names)} (matrix=).")
    if "matrix" not in dataset.options and matrix:
        dataset = replace(dataset, options=dataset.options | {"matrix": matrix})
        remarks.append(
            f"Proposed is matrix={matrix}: X has negative values, as after scaling each gene."
        )
    return Layout(cells_of(path), dataset, tuple(remarks))


def _with_decimal(dataset: SheetRow, raw: RawTable, first: Sequence[Sequence[str]]) -> SheetRow:
    """Return the row with a decimal comma, where numbers in the first rows have commas alone."""
    cells = list(chain.from_iterable(first))
    has_commas = any(map(DECIMAL_COMMA.fullmatch, cells))
    has_points = any(map(DECIMAL_POINT.fullmatch, cells))
    are_thousands = has_commas and have_thousands(cells, ",")
    if raw.decimal == "." and has_commas and not has_points and not are_thousands:
        return replace(dataset, options={"decimal": "comma"} | dataset.options)
    return dataset


def _about_thousands(raw: RawTable, first: Sequence[Sequence[str]]) -> list[str]:
    """Return a sentence where the decimal sign of a table probably separates thousands."""
    cells = list(chain.from_iterable(first))
    if not have_thousands(cells, raw.decimal):
        return []
    example = next(cell for cell in cells if raw.decimal in cell and not is_text(cell))
    remark = (
        f"Numbers such as {example} look like whole numbers with separators of thousands, but are "
        f"read with {raw.decimal!r} as the decimal sign: if so, save the table without "
        "separators."
    )
    return [remark]


def _about_measured(fields: pd.DataFrame, label: str | None) -> list[str]:
    """Return a sentence on columns that are read as texts, but whose cells are mostly numbers."""
    examples = []
    for position, name in enumerate(map(str, fields)):
        cells = [cell for cell in fields.iloc[:, position] if not is_missing(cell)]
        measured = [cell for cell in cells if is_measured(cell)]
        n_numbers = len(measured) + sum(1 for cell in cells if not is_text(cell))
        if name != label and measured and 2 * n_numbers > len(cells):
            examples.append(f"{name} (as {quoted(measured[0])})")
    if not examples:
        return []
    n_columns = len(examples)
    remark = (
        f"{listed(examples)} {either(n_columns, 'has', 'have')} measurements that are no plain "
        f"numbers, and {either(n_columns, 'is', 'are')} read as text of the samples, not as "
        f"{either(n_columns, 'a feature', 'features')}; write plain numbers."
    )
    return [remark]


def _read_phenotype(
    path: Path, dataset: SheetRow, raw: RawTable, downloads: Downloads
) -> tuple[pd.DataFrame, SheetRow]:
    """Return the phenotype's columns, empty where there is none, and the row with its sheet."""
    location = dataset.options.get("phenotype", "")
    if not location or is_accession(location):
        return pd.DataFrame(), dataset
    beside = fetch_table(downloads, location, f"{dataset.id}-phenotype")
    if "encoding" not in dataset.options and not is_utf8(beside):
        dataset = replace(dataset, options=dataset.options | {"encoding": "cp1252"})
    if suffix_of(beside) == ".cls":
        return read_classes(beside, path), dataset
    names = [*raw.header, *raw.columns([0])[0][:FIRST_SAMPLES]]
    if suffix_of(beside) in WORKBOOKS and "phenotype_sheet" not in dataset.options:
        options = phenotype_sheet(beside, names) | dataset.options
        dataset = replace(dataset, options=options)
    if "phenotype_id" not in dataset.options and not dataset.id_column:
        column = naming_column(beside, dataset, [*names, *_beside_annotation(raw)])
        if column:
            dataset = replace(dataset, options=dataset.options | {"phenotype_id": column})
    return read_phenotype(beside, dataset), dataset


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
        for names in (header, header[1:], _beside_annotation(raw)):
            if set(sample_names) & set(names) or matched_names(names, sample_names):
                return True
        if set(sample_names) & set(chain.from_iterable(first)):
            return False
    if dataset.label or sample_names:
        return bool(dataset.label) and dataset.label not in header
    has_conditions = _CONDITIONS.fullmatch(first[0][0]) is not None
    return has_conditions or bool(_feature_count_columns(header))


def _beside_annotation(raw: RawTable) -> list[str]:
    """Return the names of columns without the first and those that describe genes."""
    rows = [raw.cells(row) for row in range(min(FIRST_SAMPLES, len(raw)))]
    annotation = set(_annotation_columns(raw.header))
    for position, column in enumerate(zip(*rows, strict=True)):
        if is_text_column(column):
            annotation.add(position)
    return [name for i, name in enumerate(raw.header) if i > 0 and i not in annotation]


def _annotation_columns(header: Sequence[str]) -> list[int]:
    """Return the columns of numbers that describe genes: of featureCounts, and Entrez's numbers."""
    gene_numbers = [i for i, name in enumerate(header) if _GENE_NUMBER.fullmatch(name.strip())]
    return sorted({*gene_numbers, *_feature_count_columns(header)})


def _feature_count_columns(header: Sequence[str]) -> list[int]:
    """Return the columns of featureCounts that describe genes; none in another table."""
    if set(FEATURE_COUNTS_COLUMNS) <= set(header):
        return [header.index(name) for name in FEATURE_COUNTS_COLUMNS]
    return []


def _samples_in_rows(raw: RawTable, dataset: SheetRow, phenotype: pd.DataFrame) -> Layout:
    """Return the layout of a table with samples in rows."""
    table = SamplesInRows(raw, None)
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
        fields, dataset = _join_phenotype(fields, dataset, phenotype, header)
    return Layout(fields, dataset, tuple(remarks), binary=guess.binary)


def _samples_in_columns(raw: RawTable, dataset: SheetRow, phenotype: pd.DataFrame) -> Layout:
    """Return the layout of a table with samples in columns.

    A column beside the samples has text in most rows, or is one of featureCounts.
    """
    declared = {dataset.label, *dataset.names("phenotype_columns")}
    header = raw.header
    beside = _columns_beside(raw)
    positions = [i for i in range(1, len(header)) if i not in beside]
    other_measures, remarks = _other_measures([header[i] for i in positions])
    positions = [i for i in positions if header[i] not in other_measures]
    table = SamplesInColumns(raw, 0, (), positions)
    guess = guess_variables(table, dataset)
    fields = pd.DataFrame({table.names[i]: guess.cells[i] for i in guess.texts}, dtype=object)
    if dataset.label and dataset.label not in fields and phenotype.empty:
        text_columns = [header[i] for i in beside]
        _refuse_absent_label(raw, dataset, table.names, [*text_columns, *fields])
        fields = fields.iloc[:, :0]
    dropped = [header[i] for i in beside]
    dropped += other_measures
    if len(phenotype):
        dropped += [name for name in fields if name not in declared]
        matched = matched_names(table.samples, list(phenotype.index)) or table.samples
        is_measured = phenotype.index.isin(matched)
        fields = phenotype[is_measured] if is_measured.any() else phenotype
    dataset = replace(dataset, orientation="columns")
    dataset = add_names(dataset, "drop", dropped)
    dataset = without_tallies(dataset, table.names)
    return Layout(
        fields, dataset, tuple(remarks), samples=tuple(table.samples), binary=guess.binary
    )


def _other_measures(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns of other measures where each sample has several, and a sentence.

    Some programs write several columns of each sample, such as BeadStudio ``S1.AVG_Signal`` and
    ``S1.Detection Pval``. The measure whose name is first in `_MEASURES` has the values.

    Examples
    --------
    >>> _other_measures(["a Intensity", "b Intensity", "a Count", "b Count"])[0]
    ['a Count', 'b Count']
    >>> _other_measures(["P1_T", "P1_N", "P2_T", "P2_N"])[0]
    []
    """
    samples_of_measure: dict[str, list[str]] = {}
    for name in names:
        match = _MEASURE.fullmatch(name)
        if match is None:
            return [], []
        samples_of_measure.setdefault(match[2], []).append(match[1])
    measures = list(samples_of_measure)
    first = sorted(samples_of_measure[measures[0]]) if measures else []
    have_same_samples = all(sorted(samples_of_measure[m]) == first for m in measures)
    if len(measures) < 2 or not have_same_samples:
        return [], []
    ranks = {}
    for measure in measures:
        words = measure.lower()
        ranks[measure] = next(i for i, word in enumerate(_MEASURES) if word in words)
    chosen = min(measures, key=ranks.__getitem__)
    others = [name for name in names if _MEASURE.fullmatch(name)[2] != chosen]  # type: ignore[index]
    plain = {measure: measure.strip(" ._:|-") for measure in measures}
    left_out = listed([plain[measure] for measure in measures if measure != chosen])
    remark = (
        f"Each sample has {len(measures)} columns; {quoted(plain[chosen])} has the values, and "
        f"{left_out} {either(len(measures) - 1, 'is', 'are')} left out (drop=)."
    )
    return others, [remark]


def _without_empty(dataset: SheetRow, names: Sequence[str]) -> tuple[SheetRow, list[str]]:
    """Return the row that drops columns without a value, and a remark on them."""
    if not names or "features" in dataset.options:
        return dataset, []
    verb = either(len(names), "has no value and is", "have no values and are")
    remark = f"The {noun(len(names), 'column')} {listed(names)} {verb} left out (drop=)."
    return add_names(dataset, "drop", names), [remark]


def _join_phenotype(
    fields: pd.DataFrame, dataset: SheetRow, phenotype: pd.DataFrame, header: Sequence[str]
) -> tuple[pd.DataFrame, SheetRow]:
    """Add the phenotype's columns to those of the table, by the first column that names samples."""
    keys = [name for name in fields if fields[name].isin(phenotype.index).any()]
    key = dataset.id_column or next(iter(keys), None)
    if key not in fields:
        _refuse_other_samples(fields, dataset, phenotype, header)
    rows = phenotype.reindex(fields[key])
    joined = pd.concat([fields, rows.reset_index(drop=True).fillna("")], axis=1)
    joined = joined.loc[:, ~joined.columns.duplicated()]
    return joined, replace(dataset, id_column=key)


_OTHER_SAMPLES = Refusal(
    code="layout.other-samples",
    sentence=(
        "{location}: no sample of the phenotype file is in the table. The phenotype file has "
        "{samples:list3}; the table has {in_rows}in columns {columns:list3}. Correct the names in "
        "one of the files, or name the phenotype file's column of samples by phenotype_id"
    ),
    key="phenotype_id",
)


def _refuse_other_samples(
    fields: pd.DataFrame, dataset: SheetRow, phenotype: pd.DataFrame, header: Sequence[str]
) -> NoReturn:
    """Refuse a table that has the samples of the phenotype neither in rows nor in columns."""
    row_names = list(fields.iloc[:, 0]) if len(fields.columns) else []
    in_rows = f"in rows {listed(row_names, _EXAMPLES)}, " if row_names else ""
    raise _OTHER_SAMPLES.error(
        location=dataset.location,
        samples=list(phenotype.index),
        in_rows=in_rows,
        columns=header[1:],
    )


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


def _columns_beside(raw: RawTable) -> list[int]:
    """Return the columns, except the first, that describe features."""
    beside = set(_annotation_columns(raw.header))
    rows = [raw.cells(row) for row in range(min(_ROWS_OF_COLUMNS, len(raw)))]
    for i, column in enumerate(zip(*rows, strict=True)):
        n_texts = sum(map(is_text, column))
        if 2 * n_texts > len(rows):
            beside.add(i)
    return sorted(beside - {0})


def complete_row(dataset: SheetRow, downloads: Downloads) -> SheetRow:
    """Return the row of a table with all that its layout shows, for a command that reads it.

    These are the orientation, the column of the samples' names, and columns that are no features.
    The row is returned as it is where the table has no such label.
    """
    layout = recognise_layout(dataset, downloads)
    row, fields = layout.row, layout.fields.map(str.strip)
    is_sample_name = dataset.label == SAMPLE_NAMES
    if dataset.label and not is_sample_name and dataset.label not in fields:
        return dataset
    if suffix_of(row.location) == ".h5ad":
        return row
    in_table = "phenotype" not in row.options
    id_column = row.id_column
    if in_table and row.orientation == "rows" and not id_column and "" not in fields:
        id_column = find_id_column(fields.loc[:, fields.columns != row.label])
    row = replace(row, id_column=id_column)
    if not in_table or "features" in row.options:
        return row
    settled = list(chain.from_iterable(map(row.names, SETTLED)))
    others = [str(name) for name in fields if name not in (row.label, id_column, "")]
    rest = [name for name in others if not matches(name, settled)]
    return set_aside(row, rest) if rest else row


def column_of_samples(
    dataset: SheetRow, downloads: Downloads, exceptions: Collection[str]
) -> str | None:
    """Return the column that names samples in rows, None without one; never an exception."""
    layout = recognise_layout(dataset, downloads)
    row, fields = layout.row, layout.fields.map(str.strip)
    if row.id_column or "phenotype" in row.options or row.orientation == "columns":
        return row.id_column
    if "" in fields:
        return None
    return find_id_column(fields.loc[:, ~fields.columns.isin(list(exceptions))])
