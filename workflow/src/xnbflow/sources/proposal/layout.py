"""Layout of a table: where samples, labels and features are, and columns that are not features.

The layout is recognised for a proposal (`summary`), and for the commands that read a table of a
model. What the row of the sheet has is kept.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, did_you_mean, quoted
from xnbflow.core.nouns import either, listed, noun
from xnbflow.core.terms import column_of_term
from xnbflow.sources.formats.cell_texts import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    have_thousands,
    is_measured,
    is_missing,
    is_text,
)
from xnbflow.sources.formats.gct import as_gct, read_classes
from xnbflow.sources.formats.opening import read_raw_table, suffix_of
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.formats.text import is_utf8
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.orientation import SamplesInColumns, SamplesInRows, SampleTable
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.workbook_sheets import phenotype_sheet, propose_sheets
from xnbflow.sources.roles import SAMPLE_NAMES, matches
from xnbflow.sources.series.phenotype import (
    matched_names,
    naming_column,
    read_phenotype,
    refuse_glued,
)
from xnbflow.sources.series.plausibility import (
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
from xnbflow.sources.series.sequencing import FEATURE_COUNTS_COLUMNS, read_tallies, tally_pattern
from xnbflow.sources.sheet import RESERVED_IN_NAMES, SheetRow, is_accession
from xnbflow.sources.table import fetch_table

#: First rows by which columns of text are recognised, with samples in rows.
_FIRST_ROWS = 20
#: First rows by which columns beside the samples are recognised, with samples in columns.
_ROWS_OF_COLUMNS = 60
#: Most features to which a column with a clinical name is compared.
_COMPARED = 200
#: With samples in columns, one row of this many is compared, beside the first ones.
_EVERY = 100
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
#: Columns of 0 and 1 that are read whole; of more, those with the name of a class.
_MOST_BINARY = 50
#: More columns of 0 and 1 with the name of a class are features, as mutations of tumours.
_MOST_BINARY_LABELS = 3
#: Least number of samples, and share of them, with each value of a label of 0 and 1.
_LEAST_BINARY = 3
_BINARY_SHARE = 0.1
#: Most distinct numbers of a column that may be classes, as doses, and least samples of each.
_MOST_LEVELS = 10
_LEAST_OF_LEVEL = 4
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
    first = [raw.cells(row) for row in range(min(_FIRST_ROWS, len(raw)))]
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
    names = [*raw.header, *raw.columns([0])[0][:_FIRST_ROWS]]
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
    first = [raw.cells(row) for row in range(min(_FIRST_ROWS, len(raw)))]
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
    rows = [raw.cells(row) for row in range(min(_FIRST_ROWS, len(raw)))]
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


@dataclass(frozen=True, kw_only=True)
class _Variables:
    """Positions of the variables of a table by what they probably are.

    Attributes
    ----------
    texts : list of int
        Those that describe samples: texts, and numbers with a name of samples, covariates, patients
        or follow-up, and other values than the features.
    features : list of int
        The others that are numbers.
    empty : list of int
        Columns without any value that the sheet does not name.
    cells : dict of int to list of str
        The texts of the variables in ``texts``, and of `binary`.
    binary : DataFrame
        Columns of 0 and 1 among the features that are plausible labels.
    """

    texts: list[int]
    features: list[int]
    empty: list[int]
    cells: dict[int, list[str]]
    binary: pd.DataFrame


def _guess(table: SampleTable, dataset: SheetRow) -> _Variables:
    """Return what the variables of a table probably are.

    The texts of the first samples decide which variables may be text; these are then read whole.
    """
    names = table.names
    heads = table.heads(_FIRST_ROWS)
    # A column without a value describes nothing; a row without one is a feature.
    has_empty = isinstance(table, SamplesInRows)
    declared = {dataset.label, *dataset.names("phenotype_columns")} - {None}
    may_be_text = {
        i for i, head in enumerate(heads) if is_text_column(head) or (has_empty and _is_empty(head))
    }
    named = {i for i, name in enumerate(names) if is_sample_id(name) or _is_covariate(name)}
    named |= {i for i, name in enumerate(names) if name in declared}
    others = sorted(set(range(len(names))) - may_be_text - named)
    compared = others[:: max(1, len(others) // _COMPARED)]
    candidates = _binary_candidates(others, names, heads)
    positions = sorted({*may_be_text, *named, *compared, *candidates})
    cells = dict(zip(positions, table.texts(positions), strict=True))
    decimal = table.raw.decimal
    features = _as_numbers([cells[i] for i in compared], decimal)
    genes = _genes_with_other_names(
        table,
        cells,
        numbers=named - may_be_text,
        others=others,
        features=features,
        declared=declared,
    )
    empty = _empty_columns(dataset, names, cells) if has_empty else set()
    described = sorted((may_be_text | named) - genes - empty)
    texts = [i for i in described if i in named or is_text_column(cells[i]) or _is_empty(cells[i])]
    binary = _plausible_labels(
        candidates={i: cells[i] for i in candidates},
        names=names,
        others=others,
        features=features,
    )
    return _Variables(
        texts=texts,
        features=others,
        empty=sorted(empty),
        cells=cells,
        binary=binary,
    )


def _samples_in_rows(raw: RawTable, dataset: SheetRow, phenotype: pd.DataFrame) -> Layout:
    """Return the layout of a table with samples in rows."""
    table = SamplesInRows(raw, None)
    header = raw.header
    guess = _guess(table, dataset)
    fields = pd.DataFrame(
        list(zip(*(guess.cells[i] for i in guess.texts), strict=True)),
        columns=[header[i] for i in guess.texts],
        dtype=object,
    )
    dataset = _without_tallies(dataset, header)
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
    guess = _guess(table, dataset)
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
    dataset = _add_names(dataset, "drop", dropped)
    dataset = _without_tallies(dataset, table.names)
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


def _binary_candidates(
    others: Sequence[int], names: Sequence[str], heads: Sequence[Sequence[str]]
) -> list[int]:
    """Return the features that have few distinct numbers in the first samples.

    Of many, as in a table of counts, only those with the name of a class are returned.
    """
    candidates = [i for i in others if _has_few_numbers(heads[i])]
    if len(candidates) > _MOST_BINARY:
        candidates = [i for i in candidates if is_case_control(names[i])]
    return candidates


def _genes_with_other_names(
    table: SampleTable,
    cells: Mapping[int, Sequence[str]],
    *,
    numbers: Collection[int],
    others: Sequence[int],
    features: np.ndarray,
    declared: Collection[str | None],
) -> set[int]:
    """Return the variables that are features although their names have another meaning.

    ``numbers`` are the numbers with such names, ``others`` those with other names, of which some
    have the values ``features``. A gene is between other features, or its name is in capitals like
    theirs; and its values are distributed as theirs. If most numbers have clinical names and are
    unlike the rest, the table is one of clinical numbers, which are its features.
    """
    names = table.names
    covariates = [i for i in sorted(numbers) if not is_sample_id(names[i])]
    candidates = [i for i in covariates if names[i] not in declared]
    are_capitals = _are_capitals([names[i] for i in others])
    places_of_features = set(others)
    genes = set()
    for i in candidates:
        is_between = {i - 1, i + 1} <= places_of_features
        is_symbol = is_between or (names[i].isupper() and are_capitals)
        values = _as_numbers([cells[i]], table.raw.decimal)[0]
        if is_symbol and is_like_features(values, features):
            genes.add(i)
    n_numbers = len(others) + len(numbers)
    if 2 * (len(candidates) - len(genes)) > n_numbers:
        genes.update(candidates)
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
    remedy = "Name the file of labels by the option phenotype"
    if texts:
        remedy = f"Rows and columns of text: {listed(texts)}"
    msg = (
        f"{raw.path}: no row and no column is called {label!r}, which the sheet's label names. "
        f"{remedy}{similar}"
    )
    raise InputError(msg, file=str(raw.path), key="label", sheet=True)


def _columns_beside(raw: RawTable) -> list[int]:
    """Return the columns, except the first, that describe features."""
    beside = set(_annotation_columns(raw.header))
    rows = [raw.cells(row) for row in range(min(_ROWS_OF_COLUMNS, len(raw)))]
    for i, column in enumerate(zip(*rows, strict=True)):
        n_texts = sum(map(is_text, column))
        if 2 * n_texts > len(rows):
            beside.add(i)
    return sorted(beside - {0})


def _has_few_numbers(cells: Sequence[str]) -> bool:
    """Return whether the first cells may be those of a column of classes: 0 and 1, or doses."""
    distinct = {cell.strip() for cell in cells if not is_missing(cell)}
    return 0 < len(distinct) <= _MOST_LEVELS and 2 * len(distinct) <= max(len(cells), 4)


def _plausible_labels(
    *,
    candidates: Mapping[int, Sequence[str]],
    names: Sequence[str],
    others: Sequence[int],
    features: np.ndarray,
) -> pd.DataFrame:
    """Return the columns of few numbers that are probably labels, a row per sample.

    They are 0 and 1, or up to ten numbers as the doses of a drug; each value is frequent. The name
    means a class; or there is one such column, which is not a gene (it is not between the features,
    and not in capitals as they are) and not a count (most features, of which some have the values
    ``features``, are not whole numbers).

    ``candidates`` are columns by their position among all ``names``, ``others`` the positions of
    the features.
    """
    frequent = {}
    for i, cells in candidates.items():
        counts = Counter(cell.strip() for cell in cells if not is_missing(cell))
        is_binary = binary_counts(cells) is not None
        if not is_binary and not 2 < len(counts) <= _MOST_LEVELS:
            continue
        least = _LEAST_BINARY if is_binary else max(_LEAST_BINARY, _LEAST_OF_LEVEL)
        if min(counts.values()) >= max(least, _BINARY_SHARE * len(cells)):
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
