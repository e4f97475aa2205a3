"""Layout of a table: where samples, labels and features are, and columns that are not features.

The layout is recognised for a proposal (`summary`), and for the commands that read a table of a
model. What the row of the sheet has is kept.
"""

import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, did_you_mean, quoted
from xnbflow.core.nouns import either, listed, noun
from xnbflow.core.terms import column_of_term
from xnbflow.sources.cell_texts import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    have_thousands,
    is_measured,
    is_missing,
    is_text,
)
from xnbflow.sources.delimited import is_utf8
from xnbflow.sources.genepattern import as_gct, read_classes
from xnbflow.sources.phenotype import (
    matched_names,
    naming_column,
    read_phenotype,
)
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.plausibility import (
    binary_counts,
    is_case_control,
    is_clinical,
    is_event_status,
    is_event_time,
    is_like_features,
    is_patient,
    is_sample_id,
    is_technical,
)
from xnbflow.sources.sample_names import SAMPLE_NAMES
from xnbflow.sources.sequencing import FEATURE_COUNTS_COLUMNS, read_tallies, tally_pattern
from xnbflow.sources.sheet import RESERVED_IN_NAMES, SheetRow, is_accession
from xnbflow.sources.table import fetch_table, matches
from xnbflow.sources.table_formats import WORKBOOKS, open_table, suffix_of
from xnbflow.sources.workbook_sheets import phenotype_sheet, propose_sheets

#: First rows by which columns of text are recognised, with samples in rows.
_FIRST_ROWS = 20
#: First rows by which columns beside the samples are recognised, with samples in columns.
_ROWS_OF_COLUMNS = 60
#: Most features to which a column with a clinical name is compared.
_COMPARED = 200
#: With samples in columns, one row of this many is compared, beside the first ones.
_EVERY = 100
#: The name that readers give to a row of conditions beside the header.
_CONDITIONS = re.compile(r"(line|row) \d+")
#: Columns of 0 and 1 that are read whole; of more, those with the name of a class.
_MOST_BINARY = 50
#: More columns of 0 and 1 with the name of a class are features, as mutations of tumours.
_MOST_BINARY_LABELS = 3
#: Least number of samples, and share of them, with each value of a label of 0 and 1.
_LEAST_BINARY = 3
_BINARY_SHARE = 0.1
#: Most words of a sample's name with spaces.
_WORDS_OF_NAME = 3
#: Number of names of samples that a message shows of each file.
_EXAMPLES = 3
#: Columns with NCBI's number of a gene.
_GENE_NUMBER = re.compile(r"entrez([ _.]?gene)?([ _.]?ids?)?|ncbi[ _.]?gene[ _.]?id", re.IGNORECASE)
#: Options about the use of columns.
SETTLED = ("group", "batch", "drop", "categorical", "phenotype_columns")
#: Least share of names in capital letters in a table of gene symbols.
_CAPITALS = 0.8


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
        from xnbflow.sources.h5ad import cells_of  # noqa: PLC0415 - an extra

        return Layout(cells_of(path), dataset)
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
    dataset, first = _read_head(path, dataset)
    if not first.rows:
        return Layout(pd.DataFrame(), dataset, tuple(remarks))  # the reader refuses it
    remarks += _about_thousands(first)
    phenotype, dataset = _read_phenotype(path, dataset, first, downloads)
    if _are_columns(dataset, first, phenotype):
        layout = _samples_in_columns(path, dataset, phenotype)
    else:
        layout = _samples_in_rows(path, dataset, first, phenotype)
    if phenotype.empty:
        remarks += _about_measured(layout.fields, dataset.label)
    return replace(layout, remarks=(*remarks, *layout.remarks))


@dataclass(frozen=True)
class _Head:
    """The header of a table, its first rows as texts, and the decimal sign of its numbers."""

    header: list[str]
    rows: list[list[str]]
    decimal: str = "."

    @property
    def columns(self) -> list[tuple[str, ...]]:
        """The columns of the first rows; empty ones of a table without rows."""
        return list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.header)


def _read_head(path: Path, dataset: SheetRow) -> tuple[SheetRow, _Head]:
    """Return the row with a decimal comma, where numbers have commas alone, and the first rows."""
    with open_table(path, dataset.options) as table:
        decimal = table.decimal
        rows = islice(table.divided_rows(len(table.header)), _FIRST_ROWS)
        first = _Head(table.header, [cells for _, cells, _ in rows], decimal)
    cells = list(chain.from_iterable(first.rows))
    has_commas = any(map(DECIMAL_COMMA.fullmatch, cells))
    has_points = any(map(DECIMAL_POINT.fullmatch, cells))
    are_thousands = has_commas and have_thousands(cells, ",")
    if decimal == "." and has_commas and not has_points and not are_thousands:
        dataset = replace(dataset, options={"decimal": "comma"} | dataset.options)
    return dataset, first


def _about_thousands(first: _Head) -> list[str]:
    """Return a sentence where the decimal sign of a table probably separates thousands."""
    cells = list(chain.from_iterable(first.rows))
    if not have_thousands(cells, first.decimal):
        return []
    example = next(cell for cell in cells if first.decimal in cell and not is_text(cell))
    remark = (
        f"Numbers such as {example} look like whole numbers with separators of thousands, but are "
        f"read with {first.decimal!r} as the decimal sign: if so, save the table without "
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
    path: Path, dataset: SheetRow, first: _Head, downloads: Downloads
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
    names = [*first.header, *(row[0] for row in first.rows)]
    if suffix_of(beside) in WORKBOOKS and "phenotype_sheet" not in dataset.options:
        options = phenotype_sheet(beside, names) | dataset.options
        dataset = replace(dataset, options=options)
    if "phenotype_id" not in dataset.options and not dataset.id_column:
        column = naming_column(beside, dataset, [*names, *_beside_annotation(first)])
        if column:
            dataset = replace(dataset, options=dataset.options | {"phenotype_id": column})
    return read_phenotype(beside, dataset), dataset


def _are_columns(dataset: SheetRow, first: _Head, phenotype: pd.DataFrame) -> bool:
    """Return whether samples are columns of the table.

    A phenotype file decides by the names of its samples, else the label by where it is; without
    both, samples are columns of featureCounts, and where they have a row of conditions.
    """
    if dataset.orientation == "columns":
        return True
    header = first.header
    sample_names = list(phenotype.index)
    if sample_names:
        for names in (header, header[1:], _beside_annotation(first)):
            if set(sample_names) & set(names) or matched_names(names, sample_names):
                return True
        if set(sample_names) & set(chain.from_iterable(first.rows)):
            return False
    if dataset.label or sample_names:
        return bool(dataset.label) and dataset.label not in header
    has_conditions = bool(first.rows) and _CONDITIONS.fullmatch(first.rows[0][0]) is not None
    return has_conditions or bool(_feature_count_columns(header))


def _beside_annotation(first: _Head) -> list[str]:
    """Return the names of columns without the first and those that describe genes."""
    annotation = {i for i, column in enumerate(first.columns) if is_text_column(column)}
    annotation.update(_annotation_columns(first.header))
    return [name for i, name in enumerate(first.header) if i > 0 and i not in annotation]


def _annotation_columns(header: Sequence[str]) -> list[int]:
    """Return the columns of numbers that describe genes: of featureCounts, and Entrez's numbers."""
    gene_numbers = [i for i, name in enumerate(header) if _GENE_NUMBER.fullmatch(name.strip())]
    return sorted({*gene_numbers, *_feature_count_columns(header)})


def _feature_count_columns(header: Sequence[str]) -> list[int]:
    """Return the columns of featureCounts that describe genes; none in another table."""
    if set(FEATURE_COUNTS_COLUMNS) <= set(header):
        return [header.index(name) for name in FEATURE_COUNTS_COLUMNS]
    return []


# Samples in rows


def _samples_in_rows(
    path: Path, dataset: SheetRow, first: _Head, phenotype: pd.DataFrame
) -> Layout:
    """Return the layout of a table with samples in rows.

    Columns of samples have text, or a name of samples or of a covariate and other values than the
    features. The first rows decide which columns may be text; these are then read whole.
    """
    header = first.header
    groups = _group_columns(dataset, first)
    candidates = _binary_candidates(groups, first)
    positions = sorted(
        {*groups.texts, *groups.named, *groups.labels, *groups.compared, *candidates}
    )
    with open_table(path, dataset.options) as table:
        rows = [[cells[i] for i in positions] for _, cells, _ in table.divided_rows(len(header))]
        decimal = table.decimal
    columns = {i: tuple(row[n] for row in rows) for n, i in enumerate(positions)}
    genes = _genes_with_other_names(header, groups, columns, decimal)
    empty = _empty_columns(dataset, header, columns)
    sample_columns = []
    for i in sorted({*groups.texts, *groups.named, *groups.labels} - genes - empty):
        is_by_name = i in groups.named or i in groups.labels
        if is_by_name or is_text_column(columns[i]) or _is_empty(columns[i]):
            sample_columns.append(i)
    fields = pd.DataFrame(
        list(zip(*(columns[i] for i in sample_columns), strict=True)),
        columns=[header[i] for i in sample_columns],
        dtype=object,
    )
    dataset = _without_tallies(dataset, header)
    dataset, remarks = _without_empty(dataset, [header[i] for i in sorted(empty) if header[i]])
    if len(phenotype):
        fields, dataset = _join_phenotype(fields, dataset, phenotype, header)
    binary = _plausible_labels(
        candidates={i: columns[i] for i in candidates},
        names=header,
        others=groups.others,
        features=_as_numbers([columns[i] for i in groups.compared], decimal),
    )
    return Layout(fields, dataset, tuple(remarks), binary=binary)


@dataclass(frozen=True, kw_only=True)
class _ColumnGroups:
    """Positions of the columns of a table with samples in rows, by the header and first rows.

    Attributes
    ----------
    texts : set of int
        Columns of text, and empty ones.
    named : set of int
        Columns whose names mean samples, covariates, patients or follow-up.
    labels : set of int
        Columns of numbers that are the label.
    candidates : list of int
        Columns of numbers with such a name, which may be genes nevertheless (``MICE``, ``AGE``).
    others : list of int
        Columns of numbers with other names: the features.
    compared : list of int
        Up to about `_COMPARED` of the features.
    """

    texts: set[int]
    named: set[int]
    labels: set[int]
    candidates: list[int]
    others: list[int]
    compared: list[int]


def _group_columns(dataset: SheetRow, first: _Head) -> _ColumnGroups:
    header = first.header
    texts = set()
    named = set()
    for i, (name, column) in enumerate(zip(header, first.columns, strict=True)):
        if is_text_column(column) or _is_empty(column):
            texts.add(i)
        if is_sample_id(name) or _is_covariate(name):
            named.add(i)
    numbers = set(range(len(header))) - texts
    others = sorted(numbers - named)
    return _ColumnGroups(
        texts=texts,
        named=named,
        labels={i for i in numbers if header[i] == dataset.label},
        candidates=sorted(i for i in named & numbers if not is_sample_id(header[i])),
        others=others,
        compared=others[:: max(1, len(others) // _COMPARED)],
    )


def _empty_columns(
    dataset: SheetRow, header: Sequence[str], columns: Mapping[int, Sequence[str]]
) -> set[int]:
    """Return the columns without any value that the sheet does not name."""
    used = {dataset.label, dataset.id_column}
    for option in SETTLED:
        used.update(map(column_of_term, dataset.names(option)))
    return {i for i, cells in columns.items() if _is_empty(cells) and header[i] not in used}


def _without_empty(dataset: SheetRow, names: Sequence[str]) -> tuple[SheetRow, list[str]]:
    """Return the row that drops columns without a value, and a remark on them."""
    if not names or "features" in dataset.options:
        return dataset, []
    verb = either(len(names), "has no value and is", "have no values and are")
    remark = f"The {noun(len(names), 'column')} {listed(names)} {verb} left out (drop=)."
    return _add_names(dataset, "drop", names), [remark]


def _binary_candidates(groups: _ColumnGroups, first: _Head) -> list[int]:
    """Return the columns of numbers that have only 0 and 1 in the first rows.

    Of many, as in a table of counts, only those with the name of a class are returned.
    """
    columns = first.columns
    candidates = [i for i in groups.others if _has_only_0_and_1(columns[i])]
    if len(candidates) > _MOST_BINARY:
        candidates = [i for i in candidates if is_case_control(first.header[i])]
    return candidates


def _genes_with_other_names(
    header: Sequence[str],
    groups: _ColumnGroups,
    columns: Mapping[int, Sequence[str]],
    decimal: str,
) -> set[int]:
    """Return the columns that are features although their names have another meaning.

    A gene is between other features, or its name is in capitals like the others; and its values are
    distributed as those of the features. If most columns of numbers have clinical names and are
    unlike the rest, the table is one of clinical numbers, which are its features.
    """
    features = _as_numbers([columns[i] for i in groups.compared], decimal)
    are_capitals = _are_capitals([header[i] for i in groups.others])
    others = set(groups.others)
    genes = set()
    for i in groups.candidates:
        is_between = {i - 1, i + 1} <= others
        is_symbol = is_between or (header[i].isupper() and are_capitals)
        values = _as_numbers([columns[i]], decimal)[0]
        if is_symbol and is_like_features(values, features):
            genes.add(i)
    n_numbers = len(header) - len(groups.texts)
    if 2 * (len(groups.candidates) - len(genes)) > n_numbers:
        genes.update(groups.candidates)
    return genes


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


def _refuse_other_samples(
    fields: pd.DataFrame, dataset: SheetRow, phenotype: pd.DataFrame, header: Sequence[str]
) -> NoReturn:
    """Refuse a table that has the samples of the phenotype neither in rows nor in columns."""
    row_names = list(fields.iloc[:, 0]) if len(fields.columns) else []
    in_rows = f"in rows {listed(row_names, _EXAMPLES)}, " if row_names else ""
    msg = (
        f"{dataset.location}: no sample of the phenotype file is in the table. The phenotype file "
        f"has {listed(list(phenotype.index), _EXAMPLES)}; the table has {in_rows}in columns "
        f"{listed(header[1:], _EXAMPLES)}. Correct the names in one of the files, or name the "
        "phenotype file's column of samples by phenotype_id"
    )
    raise InputError(msg, key="phenotype_id")


# Samples in columns


def _samples_in_columns(path: Path, dataset: SheetRow, phenotype: pd.DataFrame) -> Layout:
    """Return the layout of a table with samples in columns.

    A column beside the samples has text in most rows, or is one of featureCounts; a row that is not
    a feature has text in some samples, or a clinical name and other values than features.
    """
    declared = {dataset.label, *dataset.names("phenotype_columns")}
    with open_table(path, dataset.options) as table:
        header = table.header
        stream = (cells for _, cells, _ in table.divided_rows(len(header)))
        first = list(islice(stream, _ROWS_OF_COLUMNS))
        beside = _columns_beside(header, first)
        positions = [i for i in range(1, len(header)) if i not in beside]
        rows = _group_rows(chain(first, stream), positions, declared)
        texts = rows.texts | _covariate_rows(rows, table.decimal)
    fields = pd.DataFrame({rows.names[n]: texts[n] for n in sorted(texts)}, dtype=object)
    if dataset.label and dataset.label not in fields and phenotype.empty:
        text_columns = [header[i] for i in beside]
        _refuse_absent_label(path, dataset, header, rows.names, [*text_columns, *fields])
        fields = fields.iloc[:, :0]
    samples = [header[i] for i in positions]
    dropped = [header[i] for i in beside]
    if len(phenotype):
        dropped += [name for name in fields if name not in declared]
        matched = matched_names(samples, list(phenotype.index)) or samples
        is_measured = phenotype.index.isin(matched)
        fields = phenotype[is_measured] if is_measured.any() else phenotype
    dataset = replace(dataset, orientation="columns")
    dataset = _add_names(dataset, "drop", dropped)
    dataset = _without_tallies(dataset, rows.names)
    not_features = {*rows.texts, *rows.candidates}
    binary = _plausible_labels(
        candidates=rows.binary,
        names=rows.names,
        others=[n for n in range(len(rows.names)) if n not in not_features],
        features=_as_numbers(rows.compared[:_COMPARED], table.decimal),
    )
    return Layout(fields, dataset, samples=tuple(samples), binary=binary)


def _refuse_absent_label(
    path: Path,
    dataset: SheetRow,
    header: Sequence[str],
    row_names: Sequence[str],
    text_names: Sequence[object],
) -> None:
    """Refuse a label that is neither a column nor a row; ``text_names`` are those of text.

    Names of samples are labels by themselves, and an accession of GEO may have the label.
    """
    label = str(dataset.label)
    if label == SAMPLE_NAMES or "phenotype" in dataset.options:
        return
    texts = list(map(str, text_names))
    similar = did_you_mean(label, texts) or did_you_mean(label, [*row_names, *header])
    remedy = "Name the file of labels by the option phenotype"
    if texts:
        remedy = f"Rows and columns of text: {listed(texts)}"
    msg = (
        f"{path}: no row and no column is called {label!r}, which the sheet's label names. "
        f"{remedy}{similar}"
    )
    raise InputError(msg, file=str(path), key="label", sheet=True)


@dataclass
class _RowGroups:
    """The rows of a table with samples in columns; each row by its number from 0.

    ``names`` are those of all rows. ``texts`` are rows of text or that an option names,
    ``candidates`` numbers whose name means a covariate, ``compared`` the values of some features,
    ``binary`` rows of 0 and 1.
    """

    names: list[str] = field(default_factory=list)
    texts: dict[int, list[str]] = field(default_factory=dict)
    candidates: dict[int, list[str]] = field(default_factory=dict)
    compared: list[list[str]] = field(default_factory=list)
    binary: dict[int, list[str]] = field(default_factory=dict)


def _group_rows(
    rows: Iterable[Sequence[str]], positions: Sequence[int], declared: Container[str | None]
) -> _RowGroups:
    """Read rows, and keep those that are probably no features, and some features to compare.

    ``positions`` are the columns of the samples, ``declared`` names of rows in the sheet's options.
    """
    groups = _RowGroups()
    for number, cells in enumerate(rows):
        name = cells[0].strip()
        values = [cells[i] for i in positions]
        groups.names.append(name)
        is_text = is_text_column(values[:_FIRST_ROWS]) and is_text_column(values)
        if name in declared or is_text:
            groups.texts[number] = values
        elif _is_covariate(name):
            groups.candidates[number] = values
        else:
            if number < _ROWS_OF_COLUMNS or number % _EVERY == 0:
                groups.compared.append(values)
            if _has_only_0_and_1(values[:_FIRST_ROWS]) and _has_only_0_and_1(values):
                groups.binary[number] = values
    return groups


def _covariate_rows(rows: _RowGroups, decimal: str) -> dict[int, list[str]]:
    """Return the rows of numbers that are covariates by their name, place and values.

    A gene with such a name is below and above other features, or its name is in capitals like
    theirs; and its values are distributed as theirs.
    """
    not_features = {*rows.texts, *rows.candidates}
    others = [number for number in range(len(rows.names)) if number not in not_features]
    features = _as_numbers(rows.compared[:_COMPARED], decimal)
    are_capitals = _are_capitals([rows.names[number] for number in others])
    covariates = {}
    for number, cells in rows.candidates.items():
        is_between = bool(others) and others[0] < number < others[-1]
        is_symbol = is_between or (rows.names[number].isupper() and are_capitals)
        values = _as_numbers([cells], decimal)[0]
        if not (is_symbol and is_like_features(values, features)):
            covariates[number] = cells
    return covariates


def _columns_beside(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns, except the first, that describe features."""
    beside = set(_annotation_columns(header))
    for i, column in enumerate(zip(*rows, strict=True)):
        n_texts = sum(map(is_text, column))
        if 2 * n_texts > len(rows):
            beside.add(i)
    return sorted(beside - {0})


# Common to both


def _has_only_0_and_1(cells: Sequence[str]) -> bool:
    present = [cell for cell in cells if not is_missing(cell)]
    return bool(present) and binary_counts([*present, "0", "1"]) is not None


def _plausible_labels(
    *,
    candidates: Mapping[int, Sequence[str]],
    names: Sequence[str],
    others: Sequence[int],
    features: np.ndarray,
) -> pd.DataFrame:
    """Return the columns of 0 and 1 that are probably labels, a row per sample.

    Both values are frequent. The name means a class; or there is one such column, which is not a
    gene (it is not between the features, and not in capitals as they are) and not a count (most
    features, of which some have the values ``features``, are not whole numbers).

    ``candidates`` are columns by their position among all ``names``, ``others`` the positions of
    the features.
    """
    frequent = {}
    for i, cells in candidates.items():
        counts = binary_counts(cells)
        if counts and min(counts) >= max(_LEAST_BINARY, _BINARY_SHARE * len(cells)):
            frequent[i] = list(cells)
    labels = {names[i]: cells for i, cells in frequent.items() if is_case_control(names[i])}
    if not labels and len(frequent) == 1:
        ((i, cells),) = frequent.items()
        is_between = bool(others) and others[0] < i < others[-1]
        is_symbol = names[i].isupper() and _are_capitals([names[other] for other in others])
        with np.errstate(invalid="ignore"):
            is_whole = np.all((features == np.floor(features)) | np.isnan(features), axis=1)
        are_counts = 2 * int(is_whole.sum()) >= len(features)
        if not (is_between or is_symbol or are_counts):
            labels = {names[i]: cells}
    if len(labels) > _MOST_BINARY_LABELS:
        labels = {}
    return pd.DataFrame(labels, dtype=object)


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


def set_aside(dataset: SheetRow, names: Sequence[str]) -> SheetRow:
    """Return the row with phenotype columns, which are not features.

    A name that contains a separator of names, or occurs twice, is dropped by a pattern.
    """
    plain_names = []
    patterns = []
    for name in names:
        if RESERVED_IN_NAMES.search(name) is None and names.count(name) == 1:
            plain_names.append(name)
        else:
            patterns.append(name)
    dataset = _add_names(dataset, "phenotype_columns", plain_names)
    return _add_names(dataset, "drop", patterns)


def find_id_column(fields: pd.DataFrame) -> str | None:
    """Return the column that names the samples: its values are distinct, its name is of samples.

    Without such a name it is the first column of distinct values without spaces, else the first
    column if its values are distinct and of a few words. Percentages and limits are no names.

    Examples
    --------
    >>> find_id_column(pd.DataFrame({"note": ["a", "b"], "sample": ["s1", "s2"]}))
    'sample'
    """
    unique = fields.loc[:, ~fields.columns.duplicated(keep=False)]
    distinct = []
    few_words = []
    for name in map(str, unique):
        cells = unique[name]
        is_complete = cells.nunique() == len(cells) and not cells.map(is_missing).any()
        if not is_complete or is_technical(name) or cells.map(is_measured).any():
            continue
        if is_sample_id(name) or not cells.str.contains(r"\s").any():
            distinct.append(name)
        elif name == fields.columns[0] and cells.str.split().str.len().max() <= _WORDS_OF_NAME:
            few_words.append(name)
    names_of_samples = [name for name in distinct if is_sample_id(name)]
    return next(iter([*names_of_samples, *distinct, *few_words]), None)


def _without_tallies(dataset: SheetRow, names: Iterable[str]) -> SheetRow:
    """Return the row that drops the reads of HTSeq and STAR that belong to no gene."""
    tallies = read_tallies([name.strip() for name in names])
    if not tallies:
        return dataset
    patterns = dict.fromkeys([*dataset.names("drop"), *tally_pattern(tallies).split(",")])
    return replace(dataset, options=dataset.options | {"drop": ",".join(patterns)})


def _add_names(dataset: SheetRow, option: str, names: Sequence[str]) -> SheetRow:
    """Return the row with names in an option that is a list; special characters become ``?``."""
    plain = [RESERVED_IN_NAMES.sub("?", name) for name in names]
    if not plain:
        return dataset
    joined = ",".join(dict.fromkeys([*dataset.names(option), *plain]))
    return replace(dataset, options=dataset.options | {option: joined})


def is_text_column(cells: Sequence[str]) -> bool:
    """Return whether more than a quarter of the cells are not numbers; single ones are mistakes."""
    n_texts = sum(map(is_text, cells))
    if not n_texts:
        return False
    return 4 * n_texts > sum(not is_missing(cell) for cell in cells)


def _is_empty(cells: Sequence[str]) -> bool:
    return all(map(is_missing, cells))


def is_covariate(name: str) -> bool:
    """Return whether a numeric column is a covariate by its name; KIT is a gene."""
    return is_clinical(name) or (is_technical(name) and not name.isupper())


def _is_covariate(name: str) -> bool:
    """Return whether a name means something else than a feature: also patients and follow-up."""
    return is_covariate(name) or is_patient(name) or is_event_time(name) or is_event_status(name)


def _are_capitals(names: Sequence[str]) -> bool:
    """Return whether most names have no small letters, as human gene symbols."""
    return bool(names) and sum(name.isupper() for name in names) >= _CAPITALS * len(names)


def _as_numbers(rows: Sequence[Sequence[str]], decimal: str) -> np.ndarray:
    """Return cells as numbers, (n_rows, n_cells); NaN where a cell is none."""
    texts = np.array([list(row) for row in rows], dtype=object)
    if not texts.size:
        return np.empty((len(rows), 0))
    if decimal == ",":
        texts = np.array([[cell.replace(",", ".") for cell in row] for row in rows], dtype=object)
    numbers = pd.to_numeric(pd.Series(texts.ravel()), errors="coerce")
    return numbers.to_numpy(dtype=np.float64).reshape(texts.shape)
