"""A user's table: text, workbook or Parquet, with samples in rows or columns."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted, either, listed
from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.terms import column_of_term
from xnbflow.data.dataset import DataSet
from xnbflow.sources.adjustment import refuse_inseparable
from xnbflow.sources.annotation import standard_names
from xnbflow.sources.assembly import assemble
from xnbflow.sources.cell_texts import category_codes, is_date, is_missing, symbols_of_date
from xnbflow.sources.class_labels import UNLABELLED, plain_text
from xnbflow.sources.downloads import Downloads
from xnbflow.sources.draft import Draft
from xnbflow.sources.genepattern import as_gct, read_classes
from xnbflow.sources.geo import fetch_accession
from xnbflow.sources.phenotype import join_samples, position_of, read_phenotype
from xnbflow.sources.sample_names import SAMPLE_NAMES
from xnbflow.sources.sequencing import are_alignments, plain_sample_names, without_version
from xnbflow.sources.sheet import SheetRow, check_options, is_accession
from xnbflow.sources.table_file import Columns, TableFile
from xnbflow.sources.table_formats import WORKBOOKS, open_table, suffix_of

_PERIODS = {"degrees": 360.0, "radians": 2 * math.pi}
#: Most columns (or rows) that are not features and are kept as the samples' phenotype.
_KEPT_TEXTS = 50


def fetch_table(downloads: Downloads, location: str, name: str, sha256: str | None = None) -> Path:
    """Return the local path of a table, or of its phenotype; one at a URL is downloaded."""
    name += "".join(Path(urlsplit(location).path).suffixes[-2:])
    return downloads.fetch_location("table", location, name=name, sha256=sha256)


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get a table from its path or URL, and read it by the options of its row of the sheet."""
    if phenotype := dataset.options.get("phenotype"):
        if is_accession(phenotype):
            local = fetch_accession(dataset.id, phenotype, downloads)
        else:
            local = fetch_table(downloads, phenotype, f"{dataset.id}-phenotype")
        dataset = replace(dataset, options=dataset.options | {"phenotype": str(local)})
        if "adjust" in dataset.options and suffix_of(local) != ".cls":
            refuse_inseparable(dataset, read_phenotype(local, dataset))  # before the download
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
        location = dataset.options.get("phenotype", "")
        if suffix_of(location) == ".cls":
            phenotype = read_classes(Path(location), path)
        else:
            phenotype = read_phenotype(location, dataset) if location else None
        kinds = _Kinds(dataset)
        if phenotype is not None:
            phenotype = _without_dropped(phenotype, dataset, kinds)
        with open_table(path, dataset.options) as table:
            if not table.header:
                msg = f"{path} has no header; get it again"
                raise InputError(msg)
            are_columns = dataset.orientation == "columns"
            read = _samples_in_columns if are_columns else _samples_in_rows
            content = read(dataset, kinds, table, phenotype)
            notes = list(table.notes)
        draft = _draft(path, dataset, content, kinds, phenotype)
        draft.notes[:0] = notes
        draft.note_unlogged = are_intensities
        return assemble(dataset, draft)


def _without_dropped(phenotype: pd.DataFrame, dataset: SheetRow, kinds: "_Kinds") -> pd.DataFrame:
    """Return the columns of a phenotype that the option ``drop`` does not match.

    A column that another option or the label names stays.
    """
    wanted = _wanted_texts(dataset, None, None)
    kept = [name for name in phenotype if name in wanted or not matches(str(name), kinds.drop)]
    kinds.dropped_elsewhere = {*map(str, phenotype)}.difference(map(str, kept))
    return phenotype[kept]


@dataclass(kw_only=True)
class _Content:
    """The contents of a table.

    ``values`` has the shape (n_features, n_samples), NaN where a value is missing; its rows in
    ``coded`` are categories, filled later from ``texts``, which holds a text for each sample by the
    column's (or row's) name. ``sample_place`` and ``feature_place`` return where in the file a
    sample or a feature is; ``feature_texts`` are the file's annotation of each feature.
    """

    samples: list[str]
    features: list[str]
    values: np.ndarray
    texts: dict[str, list[str]]
    coded: list[int]
    sample_place: Callable[[int], str]
    feature_place: Callable[[int], str]
    feature_texts: dict[str, list[str]] = field(default_factory=dict)


class _Kinds:
    """The sheet's patterns of names, by option; those of angles with their periods."""

    def __init__(self, dataset: SheetRow) -> None:
        self.drop, self.features, self.categorical = map(
            dataset.names, ("drop", "features", "categorical")
        )
        self.angular: dict[str, float] = {}
        #: Columns of the phenotype that the option ``drop`` matches.
        self.dropped_elsewhere: set[str] = set()
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
                raise InputError(msg, key="angular")

    def is_feature(self, name: str) -> bool:
        """Return whether a column is a feature by its name."""
        patterns = [*self.features, *self.categorical, *self.angular]
        return not matches(name, self.drop) and (not self.features or matches(name, patterns))

    def refuse_idle(self, path: str | Path, names: Sequence[str]) -> None:
        """Refuse patterns of names that match nothing."""
        for option in ("drop", "features", "categorical", "angular"):
            for pattern in getattr(self, option):
                elsewhere = self.dropped_elsewhere if option == "drop" else ()
                if not any(matches(name, [pattern]) for name in [*names, *elsewhere]):
                    msg = (
                        f"{path}: the sheet's option {option} has {quoted(pattern)}, but no name "
                        f"matches; there are {listed(names)} ({len(names)} in all). Correct the "
                        "option"
                    )
                    raise InputError(msg, key=option)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name is one of the patterns of an option, or matches one."""
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _samples_in_rows(
    dataset: SheetRow, kinds: _Kinds, table: TableFile, phenotype: pd.DataFrame | None
) -> _Content:
    """Read a table with a row per sample.

    Its columns are the samples' names, texts of the samples (label, group and other columns that an
    option names), categories, and numbers; the last two are features.
    """
    header, path = table.header, Path(table.path)
    kinds.refuse_idle(path, [*header, *(() if phenotype is None else phenotype)])
    key = 0 if header[0] == "" else None  # the row names that R and pandas write
    if dataset.id_column:
        key = position_of(path, header, dataset.id_column, "id_column")
    wanted = _wanted_texts(dataset, phenotype, header)
    for name, option in wanted.items():
        position_of(path, header, name, option)
    named = {*wanted, *([header[key]] if key is not None else [])}
    others = {name for name in header if name not in named and not kinds.is_feature(name)}
    kept = {name for name in others if not matches(name, kinds.drop)}
    texts = named if len(kept) > _KEPT_TEXTS else named | kept
    order = [p for p, name in enumerate(header) if p != key and name not in named | others]
    _refuse_nothing(path, order, "features")
    coded = [place for place in order if matches(header[place], kinds.categorical)]
    text_places = [p for p, name in enumerate(header) if p == key or name in texts]
    text_places += coded
    number_places = sorted(set(order).difference(coded)) if coded else order
    cells = table.read(Columns(text_places, number_places), by_column=True)
    if not cells.lines:
        msg = f"{path} has no rows below its header; get it again"
        raise InputError(msg)
    values = cells.numbers.T
    if coded:  # their rows are filled by `_settle_kinds`
        values = np.full((len(order), len(cells.lines)), np.nan)
        values[np.searchsorted(order, number_places)] = cells.numbers.T
    columns = {header[p]: column for p, column in zip(text_places, cells.texts, strict=True)}
    samples = list(map(str, range(len(values.T)))) if key is None else columns.pop(header[key])
    return _Content(
        samples=samples,
        features=[header[place] for place in order],
        values=values,
        texts=columns,
        coded=np.searchsorted(order, coded).tolist(),
        sample_place=lambda sample: f"{table.unit} {cells.lines[sample]}",
        feature_place=lambda feature: table.place(order[feature]),
    )


def _samples_in_columns(
    dataset: SheetRow, kinds: _Kinds, table: TableFile, phenotype: pd.DataFrame | None
) -> _Content:
    """Read a table with a column per sample.

    Columns that the option ``drop`` names describe the features; rows of text (label, group and
    others that an option names) describe the samples.
    """
    header, path = table.header, Path(table.path)
    key = position_of(path, header, dataset.id_column or header[0], "id_column")
    beside = [p for p, name in enumerate(header) if p != key and matches(name, kinds.drop)]
    places = [p for p in range(len(header)) if p != key and p not in set(beside)]
    annotation = beside if len(beside) <= _KEPT_TEXTS else []
    wanted = _wanted_texts(dataset, phenotype, None)
    columns = Columns((key, *annotation), places, key, _text_rows(kinds, set(wanted)))
    cells = table.read(columns)
    numeric, *feature_texts = cells.texts
    text_rows = {row[key]: (line, row) for line, row in cells.text_rows}
    count = Counter(row[key] for _, row in cells.text_rows)
    for name, option in wanted.items():
        names = [*count.elements(), *numeric]
        if phenotype is not None and name not in names:
            _refuse_nowhere(dataset, name, option, phenotype)
        position_of(path, [text for text in names if text == name] or names, name, option)
    coded = [name for name in count if matches(name, kinds.categorical)]
    features, lines, values = numeric + coded, cells.lines, cells.numbers
    order = list(range(len(features)))
    if coded:  # features are in the order of the file; categories are filled by `_settle_kinds`
        lines = lines + [text_rows[name][0] for name in coded]
        order.sort(key=lines.__getitem__)
        values = np.vstack([values, np.full((len(coded), len(places)), np.nan)])[order]
    sample_texts = {
        name: [row[p] for p in places]
        for name, (_, row) in text_rows.items()
        if count[name] == 1 and (name in wanted or not matches(name, kinds.drop))
    }
    named_texts = dict(zip([header[p] for p in annotation], feature_texts, strict=True))
    return _Content(
        samples=[header[place] for place in places],
        features=[features[i] for i in order],
        values=values,
        texts=sample_texts,
        coded=[row for row, i in enumerate(order) if i >= len(numeric)],
        sample_place=lambda sample: table.place(places[sample]),
        feature_place=lambda feature: (
            f"{table.unit} {lines[order[feature]]} ({quoted(features[order[feature]])})"
        ),
        feature_texts={} if coded else named_texts,
    )


def _text_rows(kinds: _Kinds, wanted: set[str]) -> Callable[[str], bool] | None:
    """Return which rows, by name, are text, dropped or categories; None if there are none."""
    named = {*wanted, *kinds.drop, *kinds.categorical}
    patterns = [name for name in named if set(name) & set("*?[")]
    if not named and not kinds.features:
        return None

    def is_text(name: str) -> bool:
        if name in named or matches(name, patterns):
            return True
        return bool(kinds.features) and not matches(name, kinds.features)

    return is_text


def _wanted_texts(
    dataset: SheetRow, phenotype: pd.DataFrame | None, names: Sequence[str] | None
) -> dict[str, str]:
    """Return the columns that are not features by the sheet, each with its key there.

    Columns that only the phenotype file has are left out. ``names`` is the header, None where
    samples are columns.
    """
    wanted = {}
    named = [("label", dataset.label)]
    named += [(key, dataset.options.get(key)) for key in ("group", "batch")]
    named += [("phenotype_columns", name) for name in dataset.names("phenotype_columns")]
    named += [("adjust", column_of_term(term)) for term in dataset.names("adjust")]
    for key, name in named:
        elsewhere = phenotype is not None and name in phenotype
        if not name or (elsewhere and name not in (names or ())):
            continue
        if key == "label" and name == SAMPLE_NAMES and name not in (names or ()):
            continue
        if phenotype is not None and names is not None and name not in names:
            _refuse_nowhere(dataset, name, key, phenotype)
        wanted[name] = key  # not a feature, in either file
    return wanted


def _draft(
    path: Path,
    dataset: SheetRow,
    content: _Content,
    kinds: _Kinds,
    phenotype: pd.DataFrame | None,
) -> Draft:
    where = f"data set {dataset.id}: {path}"
    notes = _drop_unnamed(content) if dataset.orientation == "columns" else []
    _refuse_bad_names(path, content)
    notes += _plain_names(content, phenotype)
    feature_kinds = _settle_kinds(dataset, kinds, content)
    notes += _changed_names(path, content)
    values, samples = content.values, np.asarray(content.samples, dtype=str)
    metadata = pd.DataFrame(
        {name: text for name, text in content.texts.items() if name not in content.features},
        dtype=object,
        index=range(len(samples)),
    )
    kept = np.arange(len(samples))
    if phenotype is not None:
        joined = join_samples(where, samples, phenotype)
        notes += joined.notes
        keep, rows, samples = joined.keep, joined.rows, joined.names
        if not keep.all():
            kept = np.flatnonzero(keep)
            values, samples = np.ascontiguousarray(values[:, keep]), samples[keep]
        metadata = metadata.loc[keep].reset_index(drop=True)
        _refuse_contradictions(where, dataset, samples, metadata, rows)
        metadata = pd.concat([metadata.drop(columns=list(rows), errors="ignore"), rows], axis=1)
    labels: Any = [UNLABELLED] * len(samples)  # for samples to predict
    if dataset.label == SAMPLE_NAMES and SAMPLE_NAMES not in metadata:
        labels = list(samples)
    elif dataset.label is not None:
        labels = list(metadata.pop(dataset.label))
    feature_metadata = standard_names(pd.DataFrame(content.feature_texts, dtype=object))
    return Draft(
        where=where,
        values=values,
        features=content.features,
        samples=samples,
        labels=labels,
        label_place=f"label {dataset.label!r}",
        sample_metadata=metadata,
        kinds=feature_kinds,
        feature_metadata=feature_metadata if len(feature_metadata.columns) else None,
        place=lambda feature, sample: (
            f"{content.feature_place(feature)}, {content.sample_place(int(kept[sample]))}"
        ),
        notes=notes,
    )


def _settle_kinds(dataset: SheetRow, kinds: _Kinds, content: _Content) -> list[str]:
    """Fill in codes of categories and turn angles to radians; return each feature's kind."""
    settled = ["linear"] * len(content.features)
    literal = set(dataset.names("literal"))
    for row in content.coded:
        cells = content.texts[content.features[row]]
        known = [i for i, c in enumerate(cells) if c in literal or not is_missing(c)]
        content.values[row, known] = category_codes([cells[i] for i in known])
        settled[row] = "categorical"
    for row, name in enumerate(content.features) if kinds.angular else ():
        period = next((p for key, p in kinds.angular.items() if matches(name, [key])), None)
        if settled[row] == "linear" and period is not None:
            content.values[row] *= 2 * math.pi / period
            settled[row] = "angular"
    return settled


def _drop_unnamed(content: _Content) -> list[str]:
    """Leave out features without a name, if they are the fewer; return a note about them."""
    named = np.flatnonzero([name != "" for name in content.features])
    n_unnamed = len(content.features) - len(named)
    if not n_unnamed or content.coded or n_unnamed >= len(named):
        return []
    place = content.feature_place
    content.values = np.ascontiguousarray(content.values[named])
    content.features = [content.features[i] for i in named]
    content.feature_texts = {
        name: [texts[i] for i in named] for name, texts in content.feature_texts.items()
    }
    content.feature_place = lambda feature: place(int(named[feature]))
    verb = either(n_unnamed, "was", "were")
    return [f"{counted(n_unnamed, 'feature')} without a name {verb} left out"]


def _plain_names(content: _Content, phenotype: pd.DataFrame | None) -> list[str]:
    """Shorten Ensembl identifiers and names of files, and return notes about it.

    Names of samples are left to `join_samples` where a phenotype has others.
    """
    notes = []
    if (identifiers := without_version(content.features)) is not None:
        first = next(i for i, name in enumerate(identifiers) if name != content.features[i])
        notes.append(
            f"versions of Ensembl identifiers were left out, as {content.features[first]} became "
            f"{identifiers[first]}"
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
    notes = []
    if dates := [name for name in content.features if is_date(name)]:
        of_genes = [f"{name} ({' or '.join(symbols_of_date(name)) or 'no gene'})" for name in dates]
        notes.append(
            f"{counted(len(dates), 'feature name', 'is a date', 'are dates')} that Excel has made "
            f"of gene symbols ({listed(of_genes)}); correct them in the table"
        )
    days = [name for name in content.samples if is_date(name)]
    if days and suffix_of(path) in WORKBOOKS:  # elsewhere samples may be days
        notes.append(
            f"{counted(len(days), 'sample name', 'is a date', 'are dates')} ({listed(days)}): "
            "Excel makes dates of names such as 1-2; correct them"
        )
    if nothing := [name for name in content.features if is_missing(name)]:
        notes.append(
            f"{counted(len(nothing), 'feature', 'is', 'are')} called {listed(nothing)}, as "
            "where a probe has no gene: name a gene, or leave it out by drop="
        )
    return notes


def _refuse_bad_names(path: Path, content: _Content) -> None:
    """Refuse missing names, and repeated names of samples; those of features are merged later."""
    for what, names, place in (
        ("feature", content.features, content.feature_place),
        ("sample", content.samples, content.sample_place),
    ):
        _refuse_nothing(path, names, f"{what}s")
        column = pd.Series(names, dtype=object)
        bad = (column == "") | (column.duplicated() & (what == "sample"))
        if bad.any():
            i = int(bad.argmax())
            wrong = f"the {what} has no name; name it, or drop it"
            if names[i]:
                first = place(names.index(names[i]))
                wrong = f"{what} name {quoted(names[i])} occurs in {first}, too; make them unique"
            msg = f"{path}, {place(i)}: {wrong}"
            raise InputError(msg, key=place(i))


def _refuse_contradictions(
    where: str,
    dataset: SheetRow,
    samples: np.ndarray,
    table: pd.DataFrame,
    phenotype: pd.DataFrame,
) -> None:
    """Refuse a label or group that table and phenotype file give differently."""
    for name in (dataset.label, dataset.options.get("group")):
        if name not in table or name not in phenotype:
            continue
        differs = (table[name].map(plain_text) != phenotype[name].map(plain_text)).to_numpy()
        if differs.any():
            i = int(np.argmax(differs))
            msg = (
                f"{where}: {name!r} of sample {quoted(str(samples[i]))} is "
                f"{quoted(table[name][i])} in the table, {quoted(phenotype[name][i])} in the "
                f"phenotype file ({differs.sum()} differ); correct one, or name another column"
            )
            raise InputError(msg, key=name)


def _refuse_nowhere(dataset: SheetRow, name: str, key: str, phenotype: pd.DataFrame) -> None:
    msg = (
        f"data set {dataset.id}: neither the phenotype file nor the table has {name!r}, which the "
        f"sheet's {key} names; the phenotype has {listed(list(phenotype.columns))}"
    )
    raise InputError(msg, key=key)


def _refuse_nothing(path: Path, found: Sequence[object], what: str) -> None:
    if not found:
        msg = f"{path}: there are no {what}; check label, id_column, orientation and drop"
        raise InputError(msg)
