"""A user's table: text, workbook or Parquet, with samples in rows or columns."""

import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, about_file, did_you_mean, quoted
from xnbflow.core.nouns import counted, either, listed
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note
from xnbflow.sources.annotation import standard_names
from xnbflow.sources.assembly import assemble
from xnbflow.sources.cell_texts import (
    category_codes,
    complaint,
    is_date,
    is_missing,
    symbols_of_date,
)
from xnbflow.sources.class_labels import UNLABELLED, plain_text
from xnbflow.sources.draft import Draft
from xnbflow.sources.genepattern import as_gct, read_classes
from xnbflow.sources.geo import fetch_accession
from xnbflow.sources.phenotype import join_samples, position_of, read_phenotype
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.sample_names import SAMPLE_NAMES
from xnbflow.sources.sequencing import are_alignments, plain_sample_names, without_version
from xnbflow.sources.sheet import SheetRow, check_options, is_accession
from xnbflow.sources.table_file import Cells, Columns, TableFile
from xnbflow.sources.table_formats import WORKBOOKS, open_table, suffix_of

#: Periods of the units of angles.
_PERIODS = {"degrees": 360.0, "radians": 2 * math.pi}
#: Largest number of columns (or rows) that are not features and become part of the phenotype.
_MOST_TEXTS = 50


def fetch_table(downloads: Downloads, location: str, name: str, sha256: str | None = None) -> Path:
    """Return the local path of a table, or of its phenotype; one at a URL is downloaded."""
    name += "".join(Path(urlsplit(location).path).suffixes[-2:])
    return downloads.fetch_location("table", location, name=name, sha256=sha256)


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get a table from its path or URL, and read it by the options of its row of the sheet."""
    if location := dataset.options.get("phenotype"):
        if is_accession(location):
            phenotype_path = fetch_accession(dataset.id, location, downloads)
        else:
            phenotype_path = fetch_table(downloads, location, f"{dataset.id}-phenotype")
        dataset = replace(dataset, options=dataset.options | {"phenotype": str(phenotype_path)})
    path = fetch_table(downloads, dataset.location, dataset.id, dataset.sha256)
    return read_table(path, dataset)


def read_table(path: str | Path, dataset: SheetRow, *, are_intensities: bool = False) -> DataSet:
    r"""Read a table.

    Parameters
    ----------
    path : path
        CSV (comma), TSV (``.tsv``, ``.tab``, ``.txt``; tabs), plain or gzipped, as R's write.csv
        and write.table write it, too; a workbook (``.xlsx``, ``.xls``, ``.ods``), ``.arff``,
        Parquet or AnnData's ``.h5ad``. It has a header.
    dataset : SheetRow
        With samples in rows, ``label`` and ``id_column`` name columns, and without the latter
        samples are called by the first column if that has no name, else 0, 1, ...; with samples
        in columns, ``label`` names the row of labels, and ``id_column`` the column of row names
        (the first without). Its options:

        - ``angular=wind:degrees,hour:24``: angles with their unit, ``degrees``, ``radians`` or
          the period; they become radians.
        - ``categorical=sex,stage``: categories, which become codes 0, 1, ... in the order of the
          numbers if all are numbers, else of the alphabet.
        - ``batch=plate``, ``phenotype_columns=age,sex``: columns of the samples'
          phenotype, which are not features.
        - ``drop=note``: columns to leave out, also of the phenotype; with samples in columns those
          beside the samples still annotate the features. ``features=*_at``: the only features.
        - ``separator=semicolon`` (comma, tab, semicolon, space, pipe), ``decimal=comma``,
          ``sheet=Sheet2`` of a workbook, ``header=3``: the line of the header, where a title above
          it is not recognised.
        - ``phenotype=pheno.tsv``: another table, a row per sample, for label, group and other
          columns; its column of sample names is ``phenotype_id``, else the first, and its sheet
          in a workbook ``phenotype_sheet``. Or a series
          matrix or an accession of GEO (``phenotype=GSE4107``), for ``label`` and ``group`` as of
          source geo; its sample names are accessions (GSM...), or ``phenotype_id=title``. Of a
          table in GCT it may be a ``.cls`` file, which gives the label ``class``.
        - ``matrix=X`` (or ``raw``, ``layers:counts``) of an ``.h5ad`` file.
        - those of `xnbflow.sources.assembly.assemble`.

        Names may be patterns with ``*`` and ``?``. All other features are linear.
    are_intensities : bool, default=False
        Whether the values are known to be of arrays: a note is added where they are not logged.

    Returns
    -------
    DataSet

    Examples
    --------
    >>> import tempfile
    >>> row = SheetRow("toy", "table", label="site", options={"angular": "wind:degrees"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("site,wind,speed\nnorth,90,3\nsouth,180,5\n")
    ...     series = read_table(path, row)
    >>> series.features.tolist(), series.kinds.tolist(), series.values.round(2).tolist()
    (['wind', 'speed'], ['angular', 'linear'], [[1.57, 3.14], [3.0, 5.0]])
    """
    path = Path(path)
    check_options(dataset)
    if suffix_of(path) == ".h5ad":
        from xnbflow.sources.h5ad import read_h5ad  # noqa: PLC0415 - an extra

        return read_h5ad(path, dataset)
    if suffix_of(path) == ".gct":
        dataset = as_gct(path, dataset)
    with about_file(path):
        kinds = _Kinds(dataset)
        phenotype = _read_phenotype_option(path, dataset, kinds)
        content = _read_content(path, dataset, kinds, phenotype)
        draft = _draft(path, dataset, content, kinds, phenotype)
        draft.note_unlogged = are_intensities
        return assemble(dataset, draft)


def _read_content(
    path: Path, dataset: SheetRow, kinds: "_Kinds", phenotype: pd.DataFrame | None
) -> "_Content":
    """Read a table in the orientation of the sheet."""
    read = _samples_in_columns if dataset.orientation == "columns" else _samples_in_rows
    with open_table(path, dataset.options) as table:
        if not table.header:
            msg = f"{path} has no header; get it again"
            raise InputError(msg)
        content = read(dataset, kinds, table, phenotype)
        content.notes = list(table.notes)  # formats add notes while they are read
    return content


def _read_phenotype_option(path: Path, dataset: SheetRow, kinds: "_Kinds") -> pd.DataFrame | None:
    """Return the phenotype that the option names, without dropped columns; None without one.

    A column that the option ``drop`` matches remains if the label or another option names it.
    """
    location = dataset.options.get("phenotype", "")
    if not location:
        return None
    if suffix_of(location) == ".cls":
        phenotype = read_classes(Path(location), path)
    else:
        phenotype = read_phenotype(location, dataset)
    used = _columns_of_options(dataset, None, None)
    dropped = [name for name in phenotype if name not in used and matches(str(name), kinds.drop)]
    kinds.dropped_columns = {str(name) for name in dropped}
    return phenotype.drop(columns=dropped)


@dataclass(kw_only=True)
class _Content:
    """The contents of a table.

    Attributes
    ----------
    samples, features : list of str
        The names in the file.
    values : ndarray of shape (n_features, n_samples)
        NaN where a value is missing, and in rows of categories, which `_settle_kinds` fills in.
    texts : dict of str to list of str
        A text for each sample, by the name of the column (or row).
    coded : list of int
        Positions of the features that are categories; their cells are in ``texts``.
    sample_place, feature_place : callable
        Return where in the file a sample or a feature is, by its position.
    feature_texts : dict of str to list of str
        The annotation of each feature in the file.
    notes : list of str
        Sentences about how the file was read.
    """

    samples: list[str]
    features: list[str]
    values: np.ndarray
    texts: dict[str, list[str]]
    coded: list[int]
    sample_place: Callable[[int], str]
    feature_place: Callable[[int], str]
    feature_texts: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class _Kinds:
    """The sheet's patterns of names, by option; those of angles with their periods."""

    def __init__(self, dataset: SheetRow) -> None:
        self.drop = dataset.names("drop")
        self.features = dataset.names("features")
        self.categorical = dataset.names("categorical")
        self.angular: dict[str, float] = {}
        #: Columns of the phenotype that the option ``drop`` matches.
        self.dropped_columns: set[str] = set()
        for text in dataset.names("angular"):
            name, _, unit = text.rpartition(":")
            try:
                self.angular[name] = _PERIODS.get(unit) or float(unit)
            except ValueError:
                name = ""
            if not name or not 0 < self.angular[name] < math.inf:
                msg = (
                    f"data set {dataset.id}: the sheet's option angular has {quoted(text)}; write "
                    "name:degrees, name:radians or name:<period>, as hour:24"
                )
                raise InputError(msg, key="angular", sheet=True)

    def is_feature(self, name: str) -> bool:
        """Return whether a column is a feature by its name."""
        patterns = [*self.features, *self.categorical, *self.angular]
        return not matches(name, self.drop) and (not self.features or matches(name, patterns))

    def refuse_unmatched(self, path: str | Path, names: Sequence[str]) -> None:
        """Refuse patterns of names that match nothing."""
        for option in ("drop", "features", "categorical", "angular"):
            candidates = [*names, *self.dropped_columns] if option == "drop" else names
            for pattern in getattr(self, option):
                if not any(matches(name, [pattern]) for name in candidates):
                    msg = (
                        f"{path}: the sheet's option {option} has {quoted(pattern)}, but no name "
                        f"matches; there are {listed(names)} ({len(names)} in all). Correct the "
                        "option"
                    )
                    raise InputError(msg, key=option, sheet=True)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name is one of the patterns of an option, or matches one."""
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _samples_in_rows(
    dataset: SheetRow, kinds: _Kinds, table: TableFile, phenotype: pd.DataFrame | None
) -> _Content:
    """Read a table with a row per sample.

    Its columns are the names of the samples, texts of the samples (label, group and other columns
    that an option names), categories, and numbers; the last two are features.
    """
    path = Path(table.path)
    names = list(table.header)
    if phenotype is not None:
        names += list(phenotype)
    kinds.refuse_unmatched(path, names)
    columns = _divide_columns(dataset, kinds, table, phenotype)
    cells = table.read(Columns(columns.texts, columns.numbers), by_column=True)
    if not cells.lines:
        msg = f"{path} has no rows below its header; get it again"
        raise InputError(msg)
    values = cells.numbers.T
    if columns.coded:
        values = np.full((len(columns.features), len(cells.lines)), np.nan)
        values[np.searchsorted(columns.features, columns.numbers)] = cells.numbers.T
    text_names = [table.header[position] for position in columns.texts]
    texts = dict(zip(text_names, cells.texts, strict=True))
    if columns.key is None:
        samples = [str(number) for number in range(len(cells.lines))]
    else:
        samples = texts.pop(table.header[columns.key])
    return _Content(
        samples=samples,
        features=[table.header[position] for position in columns.features],
        values=values,
        texts=texts,
        coded=np.searchsorted(columns.features, columns.coded).tolist(),
        sample_place=lambda sample: f"{table.unit} {cells.lines[sample]}",
        feature_place=lambda feature: table.place(columns.features[feature]),
    )


@dataclass(frozen=True, kw_only=True)
class _DividedColumns:
    """Positions of the columns of a table with samples in rows.

    Attributes
    ----------
    key : int or None
        The column of the names of samples.
    features, coded, numbers : list of int
        The features; those that are categories, and those that are numbers.
    texts : list of int
        The columns that are read as text: names and texts of samples, and categories.
    """

    key: int | None
    features: list[int]
    coded: list[int]
    numbers: list[int]
    texts: list[int]


def _divide_columns(
    dataset: SheetRow, kinds: _Kinds, table: TableFile, phenotype: pd.DataFrame | None
) -> _DividedColumns:
    """Divide the columns of a table into names and texts of samples, categories, and numbers."""
    header = table.header
    path = Path(table.path)
    key = 0 if header[0] == "" else None  # the row names that R and pandas write
    if dataset.id_column:
        key = position_of(path, header, dataset.id_column, "id_column")
    option_columns = _columns_of_options(dataset, phenotype, header)
    for name, option in option_columns.items():
        position_of(path, header, name, option)
    declared = set(option_columns)
    if key is not None:
        declared.add(header[key])
    not_features = {name for name in header if name not in declared and not kinds.is_feature(name)}
    further_texts = {name for name in not_features if not matches(name, kinds.drop)}
    if len(further_texts) > _MOST_TEXTS:
        further_texts = set()
    features = []
    texts = []
    for position, name in enumerate(header):
        if position == key or name in declared or name in further_texts:
            texts.append(position)
        elif name not in not_features:
            features.append(position)
    _refuse_empty(path, features, "features")
    coded = [position for position in features if matches(header[position], kinds.categorical)]
    for position in coded:
        position_of(path, header, header[position], "categorical")
    numbers = features
    if coded:
        numbers = sorted(set(features).difference(coded))
    return _DividedColumns(
        key=key, features=features, coded=coded, numbers=numbers, texts=texts + coded
    )


def _samples_in_columns(
    dataset: SheetRow, kinds: _Kinds, table: TableFile, phenotype: pd.DataFrame | None
) -> _Content:
    """Read a table with a column per sample.

    Columns that the option ``drop`` names describe the features; rows of text (label, group and
    others that an option names) describe the samples.
    """
    columns = _divide_header(dataset, kinds, table)
    option_rows = _columns_of_options(dataset, phenotype, None)
    shared = _columns_of_both(dataset, phenotype)
    cells = _read_cells(
        dataset=dataset,
        table=table,
        columns=columns,
        phenotype=phenotype,
        option_rows=option_rows,
        is_text=_text_test(kinds, {*option_rows, *shared}),
    )
    rows = _divide_text_rows(
        text_rows=_text_rows_of(cells, columns),
        kinds=kinds,
        option_rows=option_rows,
        shared=shared,
        decimal=table.decimal,
    )
    path = Path(table.path)
    names = [row.name for row in rows.samples]
    _require_rows(dataset, path, phenotype, option_rows, [*names, *cells.texts[0]])
    for row in rows.categories:
        position_of(path, names, row.name, "categorical")
    n_rows = Counter(names)
    sample_texts = {}
    for row in rows.samples:
        is_dropped = row.name not in option_rows and matches(row.name, kinds.drop)
        if n_rows[row.name] == 1 and not is_dropped:
            sample_texts[row.name] = row.cells
    return _content_of_columns(table, columns, cells, rows, sample_texts)


@dataclass(frozen=True, kw_only=True)
class _HeaderColumns:
    """Positions of the columns of a table with samples in columns.

    Attributes
    ----------
    key : int
        The column of the names of rows.
    annotation : list of int
        The columns that describe features.
    samples : list of int
        The columns of the samples.
    """

    key: int
    annotation: list[int]
    samples: list[int]


def _divide_header(dataset: SheetRow, kinds: _Kinds, table: TableFile) -> _HeaderColumns:
    """Divide the columns of a table into names of rows, annotation of features, and samples."""
    header = table.header
    key = position_of(Path(table.path), header, dataset.id_column or header[0], "id_column")
    annotation = []
    samples = []
    for position, name in enumerate(header):
        if position == key:
            continue
        if matches(name, kinds.drop):
            annotation.append(position)
        else:
            samples.append(position)
    if len(annotation) > _MOST_TEXTS:
        annotation = []
    return _HeaderColumns(key=key, annotation=annotation, samples=samples)


def _columns_of_both(dataset: SheetRow, phenotype: pd.DataFrame | None) -> dict[str, list[str]]:
    """Return the phenotype's label and group, which rows of the table may repeat, by name."""
    if phenotype is None:
        return {}
    names = (dataset.label, dataset.options.get("group"))
    return {name: list(phenotype[name]) for name in names if name and name in phenotype}


def _read_cells(
    *,
    dataset: SheetRow,
    table: TableFile,
    columns: _HeaderColumns,
    phenotype: pd.DataFrame | None,
    option_rows: dict[str, str],
    is_text: Callable[[str], bool] | None,
) -> Cells:
    """Read the names and annotation of rows, their numbers, and rows of text apart."""
    text_columns = (columns.key, *columns.annotation)
    try:
        return table.read(Columns(text_columns, columns.samples, columns.key, is_text))
    except InputError:
        # A row of labels whose name is misspelt in the sheet is read as numbers: then the name is
        # the mistake, not the cell.
        with open_table(Path(table.path), dataset.options) as again:
            rows = again.divided_rows(len(again.header))
            row_names = [cells[columns.key].strip() for _, cells, _ in rows]
        _require_rows(dataset, Path(table.path), phenotype, option_rows, row_names)
        raise


def _require_rows(
    dataset: SheetRow,
    path: Path,
    phenotype: pd.DataFrame | None,
    option_rows: dict[str, str],
    row_names: Sequence[str],
) -> None:
    """Refuse names of rows in the label and options that no row, or several rows, have."""
    for name, option in option_rows.items():
        if phenotype is not None and name not in row_names:
            _refuse_absent(dataset, name, option, phenotype)
        # A message about a name that occurs several times lists that name alone.
        same_names = [row_name for row_name in row_names if row_name == name]
        position_of(path, same_names or row_names, name, option)


@dataclass(frozen=True, kw_only=True)
class _Row:
    """A row that was read as text: name, line, and the cells of the samples and the annotation."""

    name: str
    line: int
    cells: list[str]
    annotation: list[str]


@dataclass(frozen=True, kw_only=True)
class _TextRows:
    """The rows that were read as text.

    Attributes
    ----------
    samples : list of _Row
        Rows that describe samples, those of categories among them.
    categories : list of _Row
        Features that are categories.
    genes : list of _Row
        Features with the name of the phenotype's label or group; their cells are numbers.
    """

    samples: list[_Row]
    categories: list[_Row]
    genes: list[_Row]


def _text_rows_of(cells: Cells, columns: _HeaderColumns) -> Iterator[_Row]:
    """Yield the rows of a table that were read as text."""
    for line, row in cells.text_rows:
        yield _Row(
            name=row[columns.key],
            line=line,
            cells=[row[position] for position in columns.samples],
            annotation=[row[position] for position in columns.annotation],
        )


def _divide_text_rows(
    *,
    text_rows: Iterable[_Row],
    kinds: _Kinds,
    option_rows: Container[str],
    shared: Mapping[str, Sequence[str]],
    decimal: str,
) -> _TextRows:
    """Divide the rows of text into those of samples, categories, and genes.

    ``shared`` are columns of the phenotype that the table may repeat. The label ``ESR1``, positive
    or negative, is in the phenotype; a row ``ESR1`` of numbers is then the gene.
    """
    rows = _TextRows(samples=[], categories=[], genes=[])
    for row in text_rows:
        is_feature = row.name not in option_rows and kinds.is_feature(row.name)
        phenotype_cells = shared.get(row.name)
        if phenotype_cells is not None and _are_other_numbers(row.cells, phenotype_cells, decimal):
            if is_feature:
                rows.genes.append(row)
            continue
        rows.samples.append(row)
        if is_feature and matches(row.name, kinds.categorical):
            rows.categories.append(row)
    return rows


def _are_other_numbers(cells: Sequence[str], phenotype_cells: Sequence[str], decimal: str) -> bool:
    """Return whether cells are numbers, and not those of a column of the phenotype.

    Examples
    --------
    >>> _are_other_numbers(["7.1", "NA"], ["1", "0"], "."), _are_other_numbers(["1.0"], ["1"], ".")
    (True, False)
    >>> _are_other_numbers(["high"], ["1"], ".")
    False
    """
    texts = [cell.replace(decimal, ".", 1) for cell in cells if not is_missing(cell)]
    if any(complaint(text) for text in texts):
        return False
    phenotype_numbers = {float(cell) for cell in phenotype_cells if complaint(cell) is None}
    return not texts or not {float(text) for text in texts} <= phenotype_numbers


def _content_of_columns(
    table: TableFile,
    columns: _HeaderColumns,
    cells: Cells,
    rows: _TextRows,
    sample_texts: dict[str, list[str]],
) -> _Content:
    """Return the contents of a table: its rows of numbers, categories and genes, as in the file."""
    names, *annotation = cells.texts
    further = [*rows.categories, *rows.genes]
    names = [*names, *(row.name for row in further)]
    lines = [*cells.lines, *(row.line for row in further)]
    order = sorted(range(len(lines)), key=lines.__getitem__)
    values = cells.numbers
    if further:
        further_values = np.full((len(further), len(columns.samples)), np.nan)
        for i, row in enumerate(rows.genes, start=len(rows.categories)):
            for sample, cell in enumerate(row.cells):
                if not is_missing(cell):
                    further_values[i, sample] = float(cell.replace(table.decimal, ".", 1))
        values = np.vstack([values, further_values])[order]
    feature_texts: dict[str, list[str]] = {}
    if not rows.categories:
        for i, position in enumerate(columns.annotation):
            texts_of_rows = [*annotation[i], *(row.annotation[i] for row in rows.genes)]
            feature_texts[table.header[position]] = [texts_of_rows[row] for row in order]
    first_category = len(cells.lines)
    after_categories = first_category + len(rows.categories)
    return _Content(
        samples=[table.header[position] for position in columns.samples],
        features=[names[i] for i in order],
        values=values,
        texts=sample_texts,
        coded=[row for row, i in enumerate(order) if first_category <= i < after_categories],
        sample_place=lambda sample: table.place(columns.samples[sample]),
        feature_place=lambda feature: (
            f"{table.unit} {lines[order[feature]]} ({quoted(names[order[feature]])})"
        ),
        feature_texts=feature_texts,
    )


def _text_test(kinds: _Kinds, option_rows: set[str]) -> Callable[[str], bool] | None:
    """Return which rows, by name, are text, dropped or categories; None if there are none."""
    texts = {*option_rows, *kinds.drop, *kinds.categorical}
    patterns = [name for name in texts if set(name) & set("*?[")]
    if not texts and not kinds.features:
        return None

    def is_text(name: str) -> bool:
        if name in texts or matches(name, patterns):
            return True
        return bool(kinds.features) and not matches(name, kinds.features)

    return is_text


def _columns_of_options(
    dataset: SheetRow, phenotype: pd.DataFrame | None, names: Sequence[str] | None
) -> dict[str, str]:
    """Return the columns that the label and options name, which are not features, with their key.

    For example ``{"tissue": "label", "plate": "batch"}``. Columns that only the phenotype file has
    are omitted. ``names`` is the header, or None if samples are columns.
    """
    options = [("label", dataset.label)]
    options += [(key, dataset.options.get(key)) for key in ("group", "batch")]
    options += [("phenotype_columns", name) for name in dataset.names("phenotype_columns")]
    columns = {}
    for key, name in options:
        if not name:
            continue
        in_table = names is not None and name in names
        in_phenotype = phenotype is not None and name in phenotype
        if in_phenotype and not in_table:
            continue
        if key == "label" and name == SAMPLE_NAMES and not in_table:
            continue
        if phenotype is not None and names is not None and not in_table:
            _refuse_absent(dataset, name, key, phenotype)
        columns[name] = key
    return columns


def _draft(
    path: Path,
    dataset: SheetRow,
    content: _Content,
    kinds: _Kinds,
    phenotype: pd.DataFrame | None,
) -> Draft:
    """Return the draft of a series: the contents of the table, joined with the phenotype."""
    where = f"data set {dataset.id}: {path}"
    notes = list(content.notes) + _drop_empty_unnamed(content)
    if dataset.orientation == "columns":
        notes += _drop_unnamed(content)
    _refuse_bad_names(path, content)
    notes += _plain_names(content, phenotype)
    feature_kinds = _settle_kinds(dataset, kinds, content)
    notes += _changed_names(path, content)
    samples = _join_phenotype(where, dataset, content, phenotype)
    notes += samples.notes
    metadata = samples.metadata
    labels = [UNLABELLED] * len(samples.names)  # for samples to predict
    if dataset.label == SAMPLE_NAMES and SAMPLE_NAMES not in metadata:
        labels = samples.names.tolist()
    elif dataset.label is not None:
        labels = list(metadata.pop(dataset.label))
    values = content.values
    positions = samples.positions
    if len(positions) < values.shape[1]:
        values = np.ascontiguousarray(values[:, positions])
    feature_metadata = standard_names(pd.DataFrame(content.feature_texts, dtype=object))
    return Draft(
        where=where,
        values=values,
        features=content.features,
        samples=samples.names,
        labels=labels,
        label_place=f"label {dataset.label!r}",
        sample_metadata=metadata,
        kinds=feature_kinds,
        feature_metadata=feature_metadata if len(feature_metadata.columns) else None,
        place=lambda feature, sample: (
            f"{content.feature_place(feature)}, {content.sample_place(int(positions[sample]))}"
        ),
        notes=notes,
    )


@dataclass(kw_only=True)
class _JoinedSamples:
    """The samples of a table that its phenotype has too: names, (n_samples,), and columns.

    ``positions`` (n_samples,) are those in the table; ``notes`` name the samples of only one file.
    """

    names: np.ndarray
    positions: np.ndarray
    metadata: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def _join_phenotype(
    where: str, dataset: SheetRow, content: _Content, phenotype: pd.DataFrame | None
) -> _JoinedSamples:
    """Return the samples of a table with its own columns of text and those of the phenotype.

    A column that both have is that of the phenotype; labels and groups must agree.
    """
    names = np.asarray(content.samples, dtype=str)
    texts = {name: text for name, text in content.texts.items() if name not in content.features}
    metadata = pd.DataFrame(texts, dtype=object, index=range(len(names)))
    if phenotype is None:
        return _JoinedSamples(names=names, positions=np.arange(len(names)), metadata=metadata)
    joined = join_samples(where, names, phenotype)
    names = joined.names[joined.keep]
    metadata = metadata.loc[joined.keep].reset_index(drop=True)
    _refuse_contradictions(
        where=where, dataset=dataset, samples=names, table=metadata, phenotype=joined.rows
    )
    metadata = metadata.drop(columns=list(joined.rows), errors="ignore")
    metadata = pd.concat([metadata, joined.rows], axis=1)
    return _JoinedSamples(
        names=names,
        positions=np.flatnonzero(joined.keep),
        metadata=metadata,
        notes=joined.notes,
    )


def _settle_kinds(dataset: SheetRow, kinds: _Kinds, content: _Content) -> list[str]:
    """Fill in codes of categories and convert angles to radians; return each feature's kind."""
    feature_kinds = ["linear"] * len(content.features)
    literal = set(dataset.names("literal"))
    for row in content.coded:
        cells = content.texts[content.features[row]]
        present = [i for i, cell in enumerate(cells) if cell in literal or not is_missing(cell)]
        content.values[row, present] = category_codes([cells[i] for i in present])
        feature_kinds[row] = "categorical"
    for pattern, period in kinds.angular.items():
        for row, name in enumerate(content.features):
            if feature_kinds[row] == "linear" and matches(name, [pattern]):
                content.values[row] *= 2 * math.pi / period
                feature_kinds[row] = "angular"
    return feature_kinds


def _drop_empty_unnamed(content: _Content) -> list[str]:
    """Omit columns without a name and without a value, due to separators at the ends of lines.

    They are features in a table with samples in rows, else samples; the result is a note.
    """
    is_unnamed_feature = np.array([name == "" for name in content.features], dtype=bool)
    is_unnamed_sample = np.array([name == "" for name in content.samples], dtype=bool)
    if not is_unnamed_feature.any() and not is_unnamed_sample.any():
        return []
    is_missing_value = np.isnan(content.values)
    features = np.flatnonzero(~(is_unnamed_feature & is_missing_value.all(axis=1)))
    is_empty_sample = is_unnamed_sample & is_missing_value.all(axis=0)
    for texts in content.texts.values():
        is_empty_sample &= [is_missing(text) for text in texts]
    samples = np.flatnonzero(~is_empty_sample)
    n_dropped = sum(content.values.shape) - len(features) - len(samples)
    if not n_dropped or not len(features) or not len(samples):
        return []
    content.values = np.ascontiguousarray(content.values[np.ix_(features, samples)])
    content.features = [content.features[i] for i in features]
    content.coded = np.flatnonzero(np.isin(features, content.coded)).tolist()
    content.samples = [content.samples[i] for i in samples]
    for name, texts in content.texts.items():
        content.texts[name] = [texts[i] for i in samples]
    for name, texts in content.feature_texts.items():
        content.feature_texts[name] = [texts[i] for i in features]
    place_of_feature = content.feature_place
    place_of_sample = content.sample_place
    content.feature_place = lambda feature: place_of_feature(int(features[feature]))
    content.sample_place = lambda sample: place_of_sample(int(samples[sample]))
    names = counted(n_dropped, "column or row", "was", "were")
    return [f"{names} left out, without a name and without a value"]


def _drop_unnamed(content: _Content) -> list[str]:
    """Omit features without a name, if most features have one; return a note about them."""
    rows = np.flatnonzero([name != "" for name in content.features])
    n_unnamed = len(content.features) - len(rows)
    if not n_unnamed or content.coded or n_unnamed >= len(rows):
        return []
    place_in_table = content.feature_place
    content.values = np.ascontiguousarray(content.values[rows])
    content.features = [content.features[row] for row in rows]
    for name, texts in content.feature_texts.items():
        content.feature_texts[name] = [texts[row] for row in rows]
    content.feature_place = lambda feature: place_in_table(int(rows[feature]))
    verb = either(n_unnamed, "was", "were")
    return [f"{counted(n_unnamed, 'feature')} without a name {verb} left out"]


def _plain_names(content: _Content, phenotype: pd.DataFrame | None) -> list[str]:
    """Shorten Ensembl identifiers and names of files, and return notes about it.

    With a phenotype, `join_samples` adapts the names of samples to those of the phenotype.
    """
    notes = []
    if (identifiers := without_version(content.features)) is not None:
        pairs = zip(content.features, identifiers, strict=True)
        name, identifier = next(pair for pair in pairs if pair[0] != pair[1])
        notes.append(
            f"versions of Ensembl identifiers were left out, as {name} became {identifier}"
        )
        content.features = identifiers
    if phenotype is None and are_alignments(content.samples):
        names = plain_sample_names(content.samples)
        if len(set(names)) == len(names):
            notes.append(
                "names of samples are paths of alignments and were shortened, as "
                f"{quoted(content.samples[0])} to {quoted(names[0])}"
            )
            content.samples = names
    return notes


def _changed_names(path: Path, content: _Content) -> list[str]:
    """Note names that were lost: dates that Excel made, and words for a missing name."""
    notes: list[str] = []
    dates = [name for name in content.features if is_date(name)]
    if dates:
        genes = [f"{name} ({' or '.join(symbols_of_date(name)) or 'no gene'})" for name in dates]
        note = Note(
            f"{counted(len(dates), 'feature name', 'is a date', 'are dates')} that Excel has made "
            f"of gene symbols ({listed(genes)})",
            advice="correct them in the table",
        )
        notes.append(note)
    days = [name for name in content.samples if is_date(name)]
    if days and suffix_of(path) in WORKBOOKS:  # in text files, samples may be named by days
        note = Note(
            f"{counted(len(days), 'sample name', 'is a date', 'are dates')} ({listed(days)}): "
            "Excel makes dates of names such as 1-2",
            advice="correct them",
        )
        notes.append(note)
    missing = [name for name in content.features if is_missing(name)]
    if missing:
        note = Note(
            f"{counted(len(missing), 'feature', 'is', 'are')} called {listed(missing)}, as "
            "where a probe has no gene",
            advice="name a gene, or leave it out by drop=",
        )
        notes.append(note)
    return notes


def _refuse_bad_names(path: Path, content: _Content) -> None:
    """Refuse missing names, and repeated names of samples; repeated features are merged later."""
    _refuse_empty(path, content.features, "features")
    if "" in content.features:
        place = content.feature_place(content.features.index(""))
        msg = f"{path}, {place}: the feature has no name; name it, or drop it"
        raise InputError(msg, key=place)
    _refuse_empty(path, content.samples, "samples")
    samples = pd.Series(content.samples, dtype=object)
    invalid = (samples == "") | samples.duplicated()
    if invalid.any():
        i = int(invalid.argmax())
        place = content.sample_place(i)
        fault = "the sample has no name; name it, or drop it"
        if samples[i]:
            first = content.sample_place(content.samples.index(samples[i]))
            fault = f"sample name {quoted(samples[i])} occurs in {first}, too; make them unique"
        raise InputError(f"{path}, {place}: {fault}", key=place)


def _refuse_contradictions(
    *,
    where: str,
    dataset: SheetRow,
    samples: np.ndarray,
    table: pd.DataFrame,
    phenotype: pd.DataFrame,
) -> None:
    """Refuse a label or group that differs between the table and the phenotype file."""
    for name in (dataset.label, dataset.options.get("group")):
        if name not in table or name not in phenotype:
            continue
        differs = (table[name].map(_comparable) != phenotype[name].map(_comparable)).to_numpy()
        if differs.any():
            i = int(np.argmax(differs))
            n_differing = int(differs.sum())
            verb = either(n_differing, "differs", "differ")
            msg = (
                f"{where}: {name!r} of sample {quoted(str(samples[i]))} is "
                f"{quoted(table[name][i])} in the table, {quoted(phenotype[name][i])} in the "
                f"phenotype file ({n_differing} {verb}); correct one, or name another column"
            )
            raise InputError(msg, key=name)


def _comparable(text: str) -> str:
    """Return a text such that spellings of one number are equal, as 1, 1.0 and 1,0 are."""
    plain = plain_text(text)
    number = plain.replace(",", ".", 1)
    return plain if complaint(number) else str(float(number))


def _refuse_absent(dataset: SheetRow, name: str, key: str, phenotype: pd.DataFrame) -> None:
    """Refuse a name of the sheet that neither the table nor the phenotype file has."""
    msg = (
        f"data set {dataset.id}: neither the phenotype file nor the table has {name!r}, which the "
        f"sheet's {key} names; the phenotype has {listed(list(phenotype.columns))}"
        f"{did_you_mean(name, map(str, phenotype))}"
    )
    raise InputError(msg, key=key, sheet=True)


def _refuse_empty(path: Path, names: Sequence[object], what: str) -> None:
    """Refuse a table without features or samples."""
    if not names:
        msg = f"{path}: there are no {what}; check label, id_column, orientation and drop"
        raise InputError(msg)
