"""Reading of samples from a file or an accession, for training or prediction."""

import itertools
import re
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.sources.acquisition import acquire
from xnbflow.sources.annotation import fetch_annotation
from xnbflow.sources.cell_texts import complaint, is_missing
from xnbflow.sources.class_labels import IGNORE
from xnbflow.sources.downloads import Downloads
from xnbflow.sources.files import format_of, open_raw
from xnbflow.sources.geo import load as load_geo
from xnbflow.sources.registry import known_sources
from xnbflow.sources.sheet import SheetRow, is_accession
from xnbflow.sources.table import load as load_table
from xnbflow.sources.table_file import TableFile
from xnbflow.sources.table_formats import open_table

_LOADERS = {"geo": load_geo, "table": load_table}

#: Number of rows by which columns of text are recognised.
_LOOKED_AT = 20


def described(
    location: str,
    label: str = "",
    id_column: str = "",
    options: Iterable[str] = (),
    orientation: str = "rows",
) -> SheetRow:
    """Return the row of a sheet for a location: path, URL, GEO accession or ``source:location``.

    ``options`` are ``key=value`` of the source; the others are as in the sheet.

    Examples
    --------
    >>> described("GSE4107", "title").source, described("bundled:wine").location
    ('geo', 'wine')
    """
    source, _, rest = location.partition(":")
    if source in known_sources() and rest:
        location = rest
    else:
        geo = "series_matrix.txt" in location or location.endswith((".soft", ".soft.gz"))
        if Path(location).is_file():
            with open_raw(location) as stream:
                geo = format_of(stream.read(4096)) in ("series matrix", "SOFT")
        source = "geo" if is_accession(location) or geo else "table"
    known, given = known_sources()[source].options, {}
    for option in options:
        key, equals, given[key] = option.partition("=")
        if not equals or key not in known:
            listed = ", ".join(sorted(known)) or "none"
            msg = f"option {option!r}: source {source} accepts, as key=value, {listed}"
            raise InputError(msg)
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(location).name.partition(".")[0]).strip("-")
    return SheetRow(
        name or "table", source, location, label=label or None, id_column=id_column or None,
        orientation=orientation, options=given,
    )  # fmt: skip


def read_training(dataset: SheetRow, downloads: str | Path | None = None) -> DataSet:
    """Read samples with their labels; what is downloaded is kept in the folder ``downloads``."""
    if dataset.source in _LOADERS and not dataset.label:
        msg = f"{dataset.location}: name the column of the class labels, as --label diagnosis"
        raise InputError(msg)
    with tempfile.TemporaryDirectory() as folder:
        return acquire(dataset, downloads=str(downloads or folder))


def read_samples(
    dataset: SheetRow,
    known: Mapping[str, str] | None = None,
    downloads: str | Path | None = None,
    features: Iterable[str] = (),
    columns: Collection[str] = (),
) -> pd.DataFrame:
    """Read samples to predict, (n_samples, n_features); the index names them.

    Labels are not needed and are ignored; the model handles missing values. The columns ``label``
    and ``id_column`` of the training data, ``known``, have the same meaning here. A table without
    any of the model's ``features`` in its header has samples in columns. Columns of text that are
    not features are left out, except ``columns`` of the samples, which come last.
    """
    dataset = _completed(dataset, known or {}, set(features), columns)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(downloads or temporary)
        if dataset.source not in _LOADERS:
            series = acquire(dataset, downloads=str(folder))
        else:
            places = Downloads(folder)
            series = _LOADERS[dataset.source](fetch_annotation(dataset, places), places)
        metadata = pd.DataFrame() if series.sample_metadata is None else series.sample_metadata
        own = metadata.set_axis(series.samples).filter(columns) if columns else metadata[[]]
        return series.frame().join(own)


def symbols_of(series: DataSet, column: str = "symbol") -> dict[str, str]:
    """Return the gene symbol, or another ``column``, of each feature that has one."""
    table = series.feature_metadata
    if table is None or column not in table:
        return {}
    pairs = zip(series.features, table[column], strict=True)
    return {str(feature): symbol for feature, symbol in pairs if symbol}


def _completed(
    dataset: SheetRow,
    known: Mapping[str, str],
    features: Collection[str],
    columns: Collection[str] = (),
) -> SheetRow:
    """Fill in the training data's columns of labels and samples, if the table has them."""
    if dataset.source in _LOADERS:
        given = {"controls": "keep", "missing": "impute", "unlabelled": IGNORE}
        given |= dataset.options
        dataset = replace(dataset, options=given)
    if dataset.source == "geo" and not dataset.label:
        return replace(dataset, label="title")
    path = Path(dataset.location)
    if dataset.source != "table" or not path.is_file() or path.suffix == ".h5ad":
        return dataset
    with open_table(path, dataset.options) as table:
        there = {key: name for key, name in known.items() if name and name in table.header}
        turned = bool(features) and not any(name in features for name in table.header)
        if features and not turned and dataset.orientation == "rows":
            own = {*features, *columns, *there.values(), dataset.label, dataset.id_column}
            drop = [*dataset.names("drop"), *_text_columns(table, own)]
            kept = [*dataset.names("phenotype_columns"), *(set(columns) & set(table.header))]
            options = {"drop": ",".join(drop), "phenotype_columns": ",".join(kept)}
            options = {key: names for key, names in options.items() if names}
            dataset = replace(dataset, options={**dataset.options, **options})
    return replace(
        dataset,
        label=dataset.label or there.get("label"),
        id_column=dataset.id_column or there.get("id_column"),
        orientation="columns" if turned else dataset.orientation,
    )


def _text_columns(table: TableFile, own: Collection[str | None]) -> list[str]:
    """Return the columns, beside some, that hold text in the first rows, as the sheet lists them.

    Names that a list or a pattern cannot represent are left out.
    """
    rows = itertools.islice(table.divided_rows(len(table.header)), _LOOKED_AT)
    columns = zip(table.header, *(cells for _, cells, _ in rows), strict=True)
    found = []
    for name, *cells in columns:
        plain = name and name == name.strip() and not set(name) & set(",*?[")
        texts = (cell.strip().replace(table.decimal, ".", 1) for cell in cells)
        text = any(complaint(cell) for cell in texts if not is_missing(cell))
        if plain and text and name not in own:
            found.append(name)
    return found
