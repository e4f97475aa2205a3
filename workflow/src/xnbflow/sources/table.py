"""A table of one's own: text, workbook, ARFF or Parquet, samples in rows or columns."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from xnbflow.errors import InputError
from xnbflow.series import Series
from xnbflow.sources.annotation import standard_names
from xnbflow.sources.assembly import Draft, assemble
from xnbflow.sources.cells import category_codes, is_missing
from xnbflow.sources.dataset import DataSet
from xnbflow.sources.delimited import Columns, GrowingRows
from xnbflow.sources.download import Downloads
from xnbflow.sources.labels import UNLABELLED, listed, plain_text
from xnbflow.sources.phenotype import joined, read_phenotype
from xnbflow.sources.tabular import OpenTable, column_position, opened_table, suffix_of

__all__ = ["load", "read_table"]

_PERIODS = {"degrees": 360.0, "radians": 2 * math.pi}
#: So many columns (or rows) that are no features are kept as what is known of samples.
_KEPT_TEXTS = 50


@dataclass
class _Content:
    """A table turned so that features are rows.

    ``values`` has a row for each of `features`; those in `coded` are filled later, from `texts`.
    ``unit`` and ``lines`` say where: of samples in rows the line of each sample, else that of each
    feature.
    """

    samples: list[str]
    features: list[str]
    values: np.ndarray
    texts: dict[str, list[str]]
    coded: list[int]
    place: Callable[[int, int], str]
    sample_places: list[str]
    feature_places: list[str]
    feature_texts: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def load(dataset: DataSet, downloads: Downloads) -> Series:
    """Get a table from its path or URL, and read it as its row of the sheet says."""
    path = _fetched(dataset.location, dataset.id, downloads, dataset.sha256)
    if phenotype := dataset.options.get("phenotype"):
        local = _fetched(phenotype, f"{dataset.id}-phenotype", downloads, None)
        dataset = replace(dataset, options=dataset.options | {"phenotype": str(local)})
    return read_table(path, dataset)


def _fetched(location: str, name: str, downloads: Downloads, sha256: str | None) -> Path:
    suffixes = "".join(Path(urlsplit(location).path).suffixes[-2:])
    return downloads.fetch_location("table", location, name=name + suffixes, sha256=sha256)


def read_table(path: str | Path, dataset: DataSet) -> Series:
    r"""Read a table.

    Parameters
    ----------
    path : path
        CSV (comma), TSV (``.tsv``, ``.tab``, ``.txt``; tabs), plain or gzipped, as R's write.csv
        and write.table write it, too; a workbook (``.xlsx``, ``.xls``, ``.ods``), ``.arff``,
        Parquet or AnnData's ``.h5ad``. It has a header.
    dataset : DataSet
        Where samples stand in rows, ``label`` and ``id_column`` name columns, and without the
        latter samples are called by the first column if that has no name, else 0, 1, ...; where
        they stand in columns, ``label`` names the row of labels, and ``id_column`` the column of
        row names (the first without). Its options:

        - ``angular=wind:degrees,hour:24``: angles with their unit, ``degrees``, ``radians`` or
          the period; they become radians.
        - ``categorical=sex,stage``: categories, which become codes 0, 1, ... in the order of the
          numbers if all are numbers, else of the alphabet.
        - ``drop=note``: what is no feature; ``features=*_at``: what is, and nothing else.
        - ``separator=semicolon`` (comma, tab, semicolon, space, pipe), ``decimal=comma``,
          ``sheet=Sheet2`` of a workbook.
        - ``phenotype=pheno.tsv``: another table, a row per sample, for label, group and what else
          is known; its column of sample names is ``phenotype_id``, else the first.
        - ``matrix=X`` (or ``raw``, ``layers:counts``) of an ``.h5ad`` file.
        - those of `xnbflow.sources.assembly.assemble`.

        Names may be patterns with ``*`` and ``?``. All other features are linear.

    Returns
    -------
    Series

    Raises
    ------
    InputError
        If something in the file or the options is wrong; the message says where.

    Examples
    --------
    >>> import tempfile
    >>> row = DataSet("toy", "table", label="site", options={"angular": "wind:degrees"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("site,wind,speed\nnorth,90,3\nsouth,180,5\n")
    ...     series = read_table(path, row)
    >>> series.features.tolist(), series.kinds.tolist(), series.values.round(2).tolist()
    (['wind', 'speed'], ['angular', 'linear'], [[1.57, 3.14], [3.0, 5.0]])
    """
    path = Path(path)
    if suffix_of(path) == ".h5ad":
        from xnbflow.sources.h5ad import read_h5ad  # noqa: PLC0415 - an extra

        return read_h5ad(path, dataset)
    phenotype = None
    if location := dataset.options.get("phenotype"):
        phenotype = read_phenotype(location, dataset)
    with opened_table(path, dataset.options) as table:
        if not table.header:
            msg = f"{path} has no header; get it again"
            raise InputError(msg)
        _refuse_idle_options(path, dataset, table, phenotype)
        turn = _samples_in_rows if dataset.orientation == "rows" else _samples_in_columns
        content = turn(path, dataset, table, phenotype)
        content.notes += getattr(table, "notes", [])
    return assemble(dataset, _draft(path, dataset, content, phenotype))


def _samples_in_rows(
    path: Path, dataset: DataSet, table: OpenTable, phenotype: pd.DataFrame | None
) -> _Content:
    names = table.header
    key = _key_of_rows(path, dataset, names)
    wanted = _texts_wanted(dataset, phenotype, names)
    for name, option in wanted.items():
        column_position(path, names, name, option)
    nominal = getattr(table, "nominal", [])
    texts: list[int] = []
    numbers: list[int] = []
    coded: list[int] = []
    order: list[int] = []
    aside = _set_aside(dataset, names, {*wanted, *([names[key]] if key is not None else [])})
    for place, name in enumerate(names):
        if place == key or name in wanted:
            texts.append(place)
        elif name in aside:
            texts += [place] if len(aside) <= _KEPT_TEXTS else []
        else:
            order.append(place)
            is_coded = name in nominal or _matches(name, dataset.names("categorical"))
            (coded if is_coded else numbers).append(place)
    _refuse_no_features(path, order)
    columns = Columns(names, (*texts, *coded), tuple(numbers))
    row_of = {place: row for row, place in enumerate(order)}
    lines, blocks = [], []
    cells: list[list[str]] = [[] for _ in columns.text]
    for block in table.blocks(columns):
        lines += block.lines
        blocks.append(block.numbers)
        for whole, part in zip(cells, block.texts, strict=True):
            whole.extend(part)
    if not lines:
        msg = f"{path} has nothing below its header; get it again"
        raise InputError(msg)
    values = _stack(blocks, len(order), [row_of[place] for place in numbers])
    found = {names[place]: text for place, text in zip(columns.text, cells, strict=True)}
    samples = [str(n) for n in range(len(lines))] if key is None else found.pop(names[key])
    where = [f"{table.unit} {line}" for line in lines]
    columns_told = [f"column {place + 1} ({names[place]!r})" for place in order]
    return _Content(
        samples,
        [names[place] for place in order],
        values,
        found,
        [row_of[place] for place in coded],
        lambda feature, sample: f"{columns_told[feature]}, {where[sample]}",
        where,
        columns_told,
    )


def _key_of_rows(path: Path, dataset: DataSet, names: Sequence[str]) -> int | None:
    if dataset.id_column:
        return column_position(path, names, dataset.id_column, "id_column")
    return 0 if names[0] == "" else None  # the row names that R and pandas write


def _samples_in_columns(
    path: Path, dataset: DataSet, table: OpenTable, phenotype: pd.DataFrame | None
) -> _Content:
    names = table.header
    key = column_position(path, names, dataset.id_column or names[0], "id_column")
    drop = dataset.names("drop")
    aside = [p for p, name in enumerate(names) if p != key and _matches(name, drop)]
    places = [p for p in range(len(names)) if p != key and p not in set(aside)]
    wanted = _texts_wanted(dataset, phenotype, None)
    is_special = _special_rows(dataset, wanted)
    kept_aside = aside if len(aside) <= _KEPT_TEXTS else []
    columns = Columns(names, (key, *kept_aside), tuple(places), is_special, key)
    values, features, lines = GrowingRows(len(places)), [], []
    texts: dict[str, list[list[str]]] = {}
    special_lines: dict[str, int] = {}
    feature_texts: list[list[str]] = [[] for _ in kept_aside]
    for block in table.blocks(columns):
        values.append(block.numbers)
        features += block.texts[0]
        lines += block.lines
        for whole, part in zip(feature_texts, block.texts[1:], strict=True):
            whole.extend(part)
        for line, cells in block.special:
            texts.setdefault(cells[key], []).append([cells[p] for p in places])
            special_lines[cells[key]] = line
    for name, option in wanted.items():
        seen = [text for text in texts for _ in texts[text]] + features
        column_position(path, [text for text in seen if text == name] or seen, name, option)
    codes = [name for name in texts if _matches(name, dataset.names("categorical"))]
    numbers = values.finished()
    order = sorted(
        [(line, i) for i, line in enumerate(lines)]
        + [(special_lines[name], len(lines) + j) for j, name in enumerate(codes)]
    )
    _refuse_no_features(path, order)
    features += codes
    lines += [special_lines[name] for name in codes]
    if codes:
        numbers = np.vstack([numbers, np.full((len(codes), len(places)), np.nan)])
        numbers = numbers[[i for _, i in order]]
    told = [f"{table.unit} {lines[i]} ({features[i]!r})" for _, i in order]
    sample_places = [f"column {p + 1} ({names[p]!r})" for p in places]
    extra = {names[p]: text for p, text in zip(kept_aside, feature_texts, strict=True)}
    in_order = [features[i] for _, i in order]
    return _Content(
        [names[place] for place in places],
        in_order,
        numbers,
        {name: rows[0] for name, rows in texts.items() if len(rows) == 1},
        [row for row, (_, i) in enumerate(order) if i >= len(lines) - len(codes)],
        lambda feature, sample: f"{told[feature]}, {sample_places[sample]}",
        sample_places,
        told,
        extra if not codes else {},
    )


def _special_rows(dataset: DataSet, wanted: dict[str, str]) -> Callable[[str], bool] | None:
    """Return what says of a row's name that the row is no row of numbers."""
    patterns = [*dataset.names("drop"), *dataset.names("categorical")]
    only = dataset.names("features")
    exact = {*wanted, *patterns}
    patterns = [pattern for pattern in patterns if set(pattern) & set("*?[")]
    if not exact and not only:
        return None

    def is_special(name: str) -> bool:
        return (
            name in exact
            or bool(patterns and _matches(name, patterns))
            or bool(only and not _matches(name, only))
        )

    return is_special


def _texts_wanted(
    dataset: DataSet, phenotype: pd.DataFrame | None, names: Sequence[str] | None
) -> dict[str, str]:
    """Return the names of the table's label and group, each with its key of the sheet."""
    wanted = {}
    for key, name in (("label", dataset.label), ("group", dataset.options.get("group"))):
        if not name:
            continue
        elsewhere = phenotype is not None and name in phenotype
        if not elsewhere:
            if phenotype is not None and names is not None and name not in names:
                msg = (
                    f"data set {dataset.id}: neither the phenotype file nor the table has "
                    f"{name!r}, which the sheet's {key} names; the phenotype has "
                    f"{listed(list(phenotype.columns))}"
                )
                raise InputError(msg)
            wanted[name] = key
        elif names is not None and name in names:
            wanted[name] = key  # no feature, whichever file it is taken from
    return wanted


def _set_aside(dataset: DataSet, names: Sequence[str], wanted: set[str]) -> set[str]:
    """Return the names of columns that are no features."""
    drop, only = dataset.names("drop"), dataset.names("features")
    coded = dataset.names("categorical") + [t.rpartition(":")[0] for t in dataset.names("angular")]
    return {
        name
        for name in names
        if name not in wanted
        and (_matches(name, drop) or (only and not _matches(name, [*only, *coded])))
    }


def _draft(
    path: Path, dataset: DataSet, content: _Content, phenotype: pd.DataFrame | None
) -> Draft:
    where = f"data set {dataset.id}: {path}"
    _refuse_bad_names(path, "feature", content.features, content.feature_places, repeat=True)
    _refuse_bad_names(path, "sample", content.samples, content.sample_places)
    _refuse_dates(content)
    kinds = _settle_kinds(dataset, content)
    metadata = pd.DataFrame(
        {name: text for name, text in content.texts.items() if name not in content.features},
        dtype=object,
        index=range(len(content.samples)),
    )
    values, samples, place = content.values, np.asarray(content.samples, dtype=str), content.place
    label_place = f"label {dataset.label!r}"
    if phenotype is not None:
        keep, rows, notes = joined(where, samples, phenotype)
        content.notes += notes
        if not keep.all():
            kept = np.flatnonzero(keep)
            values, samples = np.ascontiguousarray(values[:, keep]), samples[keep]
            place = lambda feature, sample: content.place(feature, int(kept[sample]))  # noqa: E731
        metadata = metadata.loc[keep].reset_index(drop=True)
        _refuse_contradictions(where, dataset, samples, metadata, rows)
        metadata = pd.concat([metadata.drop(columns=list(rows), errors="ignore"), rows], axis=1)
    if dataset.label is None:  # samples to predict: no row of a sheet is without
        labels = pd.Series(UNLABELLED, index=metadata.index)
    else:
        labels = metadata.pop(dataset.label)
    feature_metadata = standard_names(pd.DataFrame(content.feature_texts, dtype=object))
    return Draft(
        where,
        values,
        content.features,
        samples,
        list(labels),
        label_place,
        metadata,
        kinds,
        feature_metadata if len(feature_metadata.columns) else None,
        place,
        content.notes,
    )


def _refuse_contradictions(
    where: str,
    dataset: DataSet,
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
                f"{where}: {name!r} of sample {str(samples[i])!r} is {table[name][i]!r} in the "
                f"table, {phenotype[name][i]!r} in the phenotype file ({differs.sum()} differ); "
                "correct one, or name another column"
            )
            raise InputError(msg)


def _settle_kinds(dataset: DataSet, content: _Content) -> list[str]:
    """Fill in codes of categories and turn angles to radians; return each feature's kind."""
    literal = set(dataset.names("literal"))
    kinds = []
    for row, name in enumerate(content.features):
        if row in set(content.coded):
            cells = content.texts[name]
            known = [i for i, c in enumerate(cells) if c in literal or not is_missing(c)]
            content.values[row] = np.nan
            content.values[row, known] = category_codes([cells[i] for i in known])
            kinds.append("categorical")
            continue
        kind, factor = _kind(dataset, name)
        if kind == "angular":
            content.values[row] *= factor
        kinds.append(kind)
    return kinds


def _kind(dataset: DataSet, name: str) -> tuple[str, float]:
    """Return a feature's kind, and the factor that makes radians of an angle."""
    for text in dataset.names("angular"):
        pattern, period = _period(dataset, text)
        if _matches(name, [pattern]):
            return "angular", 2 * math.pi / period
    return "linear", 1.0


def _period(dataset: DataSet, text: str) -> tuple[str, float]:
    """Split ``name:unit`` into the name and the period."""
    name, _, unit = text.rpartition(":")
    try:
        period = _PERIODS.get(unit) or float(unit)
    except ValueError:
        period = 0.0
    if not name or not 0 < period < math.inf:
        msg = (
            f"data set {dataset.id}: the sheet's option angular has {text!r}; write name:degrees, "
            "name:radians or name:<period>, say hour:24"
        )
        raise InputError(msg)
    return name, period


def _refuse_idle_options(
    path: Path, dataset: DataSet, table: OpenTable, phenotype: pd.DataFrame | None
) -> None:
    """Refuse patterns of columns that match nothing; of rows only reading can tell."""
    for text in dataset.names("angular"):
        _period(dataset, text)
    if dataset.orientation == "columns":
        return
    names = [*table.header, *(phenotype if phenotype is not None else ())]
    for option in ("drop", "features", "categorical", "angular"):
        _refuse_idle_patterns(path, dataset, option, names)


def _refuse_idle_patterns(path: Path, dataset: DataSet, option: str, names: Sequence[str]) -> None:
    for text in dataset.names(option):
        pattern = _period(dataset, text)[0] if option == "angular" else text
        if not any(_matches(name, [pattern]) for name in names):
            msg = (
                f"{path}: the sheet's option {option} has {pattern!r}, but nothing is called so; "
                f"there are {listed(names)} ({len(names)} in all). Correct the option"
            )
            raise InputError(msg)


def _refuse_no_features(path: Path, order: Sequence[object]) -> None:
    if not order:
        msg = f"{path}: there are no features; check label, id_column, orientation and drop"
        raise InputError(msg)


def _refuse_bad_names(
    path: Path, what: str, names: Sequence[str], places: Sequence[str], *, repeat: bool = False
) -> None:
    """Refuse what has no name, and names that repeat unless that is settled later."""
    if not names:
        msg = f"{path}: there are no {what}s; check label, id_column, orientation and drop"
        raise InputError(msg)
    first: dict[str, str] = {}
    for name, place in zip(names, places, strict=True):
        if not name:
            msg = f"{path}, {place}: the {what} has no name; name it, or drop it"
            raise InputError(msg)
        if name in first and not repeat:
            msg = (
                f"{path}, {place}: {what} name {name!r} stands in {first[name]}, too; "
                f"make {what} names unique"
            )
            raise InputError(msg)
        first[name] = place


def _refuse_dates(content: _Content) -> None:
    """Note names that Excel has made dates of (2-Sep for SEPT2)."""
    months = {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
    dates = [
        name
        for name in content.features
        if len(name) <= 6 and (p := name.lower().split("-"))[-1] in months and p[0].isdigit()
    ]
    if dates:
        content.notes.append(
            f"{len(dates)} feature names are dates ({listed(dates)}): Excel makes dates of gene "
            "symbols such as SEPT2 and MARCH1; correct them"
        )


def _stack(blocks: list[np.ndarray], n_features: int, rows: list[int]) -> np.ndarray:
    """Lay blocks (n_block, n_numbers) side by side at some rows; empty the list."""
    if len(blocks) == 1 and len(rows) == n_features:
        return np.ascontiguousarray(blocks.pop().T)
    values = np.empty((n_features, sum(len(block) for block in blocks)))
    start = 0
    while blocks:
        block = blocks.pop(0)
        stop = start + len(block)
        if len(rows) == n_features:
            values[:, start:stop] = block.T
        else:
            values[rows, start:stop] = block.T
        start = stop
    return values


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)
