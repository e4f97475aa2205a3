"""A phenotype file: columns of the samples, in a file beside that of their values."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted, listed
from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.data.dataset import refuse_control_characters
from xnbflow.sources.files import format_of, open_raw
from xnbflow.sources.geo_head import GeoHead, read_head
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.table_file import Columns
from xnbflow.sources.table_formats import WORKBOOKS, open_table, suffix_of

#: Of the samples of GEO (GSM...).
_ACCESSION = "geo_accession"


def read_phenotype(path: str | Path, dataset: SheetRow) -> pd.DataFrame:
    """Read a phenotype file: every column as text, indexed by the sample's name.

    It is a table in any format (`read_table`) with a row per sample, or a series matrix or GDS of
    GEO, with or without values. The option ``phenotype_id`` names the column of sample names; the
    default is the column with the name of the sheet's ``id_column``, else the first. For GEO it
    names a field (``title``), and the default is the samples' accessions.
    """
    path = Path(path)
    wanted = dataset.options.get("phenotype_id")
    with about_file(path):
        if suffix_of(path) not in WORKBOOKS:
            with open_raw(path) as stream:
                if format_of(stream.peek(4096)[:4096]) in ("series matrix", "SOFT"):
                    return _of_geo(path, read_head(path, stream), dataset)
        encoding = {key: dataset.options[key] for key in ("encoding",) if key in dataset.options}
        with open_table(path, encoding) as table:
            names = table.header
            texts = table.read(Columns(range(len(names)), ())).texts
        for name, count in Counter(names).items():
            if count > 1:
                msg = f"{path}: column {quoted(name)} occurs {count} times; rename them"
                raise InputError(msg, key=name)
        refuse_control_characters(str(path), "column name", names)
        key = names.index(dataset.id_column) if dataset.id_column in names else 0
        if wanted:
            key = position_of(path, names, wanted, "phenotype_id")
        frame = pd.DataFrame(dict(zip(names, texts, strict=True)), dtype=object)
        return _indexed(path, frame, names[key])


def position_of(path: Path, names: Sequence[str], name: str, key: str) -> int:
    """Return the position of a name, which the sheet's ``key`` has and which must occur once."""
    count = list(names).count(name)
    if count == 1:
        return list(names).index(name)
    if count:
        msg = (
            f"{path}: {name!r}, which the sheet's {key} names, occurs {count} times; rename or "
            "remove all but one"
        )
    else:
        msg = (
            f"{path}: there is no {name!r}, which the sheet's {key} names; there are "
            f"{listed(names)} ({len(names)} in all). Correct {key}, or the orientation or "
            "separator, in the sheet"
        )
    raise InputError(msg, file=str(path), key=key)


def _of_geo(path: Path, head: GeoHead, dataset: SheetRow) -> pd.DataFrame:
    """Return the samples' fields in a head of GEO; label and group are named as in the sheet."""
    head.fields = head.fields.drop(columns=_ACCESSION, errors="ignore")
    head.fields.insert(0, _ACCESSION, head.samples)
    key = _ACCESSION
    if wanted := dataset.options.get("phenotype_id"):
        key, _ = head.label_texts(str(path), wanted)
    frame = _indexed(path, head.fields.copy(), key)
    for name in (dataset.label, dataset.options.get("group")):
        if name and head.field_named(name) not in (None, key):
            field, _ = head.label_texts(str(path), name)
            frame = frame.rename(columns={field: name})
    return frame


def _indexed(path: Path, frame: pd.DataFrame, key: str) -> pd.DataFrame:
    samples = frame.pop(key)
    if samples.empty:
        raise InputError(f"{path}: there are no samples below the header", file=str(path))
    bad = samples[(samples == "") | samples.duplicated()]
    if len(bad):
        what = f"sample {quoted(bad.iloc[0])} occurs twice" if bad.iloc[0] else "a cell is empty"
        msg = f"{path}, column {quoted(key)}: {what}; correct it, or name another phenotype_id"
        raise InputError(msg, key=key)
    refuse_control_characters(str(path), "sample name", samples)
    return frame.set_index(pd.Index(samples, name=None))


def joined(
    where: str, samples: Sequence[str] | np.ndarray, phenotype: pd.DataFrame
) -> tuple[np.ndarray, pd.DataFrame, list[str]]:
    """Return a mask of the samples with a row in a phenotype, these rows in order, and notes."""
    names = pd.Index(np.asarray(samples, dtype=object))
    keep = names.isin(phenotype.index)
    if not keep.any():
        known = [str(column) for column in phenotype if names.isin(phenotype[column]).any()]
        way_out = "Name the columns by id_column and the option phenotype_id"
        if known:
            way_out = f"They are in its column {known[0]!r}: set phenotype_id={known[0]}"
        msg = (
            f"{where}: no sample of the table is in the phenotype file; the table has "
            f"{listed(list(names))}, the phenotype {listed(list(phenotype.index))}. {way_out}"
        )
        raise InputError(msg, key="phenotype_id")
    notes = []
    for only, what in (
        (names[~keep], "left out, without phenotype"),
        (phenotype.index[~phenotype.index.isin(names)], "in the phenotype file only"),
    ):
        if len(only):
            text = f"{counted(len(only), 'sample', 'is', 'are')} {what}: {listed(list(only))}"
            notes.append(text)
    return keep, phenotype.loc[names[keep]].reset_index(drop=True), notes
