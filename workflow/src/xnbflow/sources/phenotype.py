"""A phenotype file: columns of the samples, in a file beside that of their values."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted, listed
from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.data.dataset import refuse_control_characters
from xnbflow.sources.files import format_of, open_raw
from xnbflow.sources.geo_head import GeoHead, read_head
from xnbflow.sources.sequencing import plain_sample_names
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
    names a field (``title``), and the default is the samples' accessions. ``phenotype_sheet`` names
    a sheet of a workbook.
    """
    path = Path(path)
    wanted = dataset.options.get("phenotype_id")
    with about_file(path):
        if suffix_of(path) not in WORKBOOKS:
            with open_raw(path) as stream:
                if format_of(stream.peek(4096)[:4096]) in ("series matrix", "SOFT"):
                    return _of_geo(path, read_head(path, stream), dataset)
        options = {key: dataset.options[key] for key in ("encoding",) if key in dataset.options}
        if sheet := dataset.options.get("phenotype_sheet"):
            options["sheet"] = sheet
        with open_table(path, options) as table:
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


def naming_column(path: str | Path, dataset: SheetRow, names: Sequence[str]) -> str:
    """Return the column of a phenotype file that has some names, where its first column has none.

    The result is empty where the first column has some, where no column has, and for GEO.
    """
    path = Path(path)
    if suffix_of(path) not in WORKBOOKS:
        with open_raw(path) as stream:
            if format_of(stream.peek(4096)[:4096]) in ("series matrix", "SOFT"):
                return ""
    options = {key: dataset.options[key] for key in ("encoding",) if key in dataset.options}
    if sheet := dataset.options.get("phenotype_sheet"):
        options["sheet"] = sheet
    with open_table(path, options) as table:
        header = table.header
        columns = table.read(Columns(range(len(header)), ())).texts
    wanted = set(filter(None, names))
    first = columns[0] if columns else []
    if wanted & set(first) or matched_names(list(names), first):
        return ""
    for name, cells in zip(header, columns, strict=True):
        if name and len(set(cells)) == len(cells) and wanted & set(cells):
            return name
    return ""


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


@dataclass(frozen=True)
class Joined:
    """Samples of a table that have a row in a phenotype.

    ``names`` (n_samples,) are the samples' names as in the phenotype, ``keep`` (n_samples,) is
    whether they are in it, ``rows`` are those of the kept samples in order.
    """

    names: np.ndarray
    keep: np.ndarray
    rows: pd.DataFrame
    notes: list[str]


def join_samples(
    where: str, samples: Sequence[str] | np.ndarray, phenotype: pd.DataFrame
) -> Joined:
    """Find the rows of a table's samples in a phenotype, and note those that only one of them has.

    Names may differ by folders, endings of files and characters that R replaces (`matched_names`).
    """
    notes = []
    texts = list(map(str, samples))
    matched = matched_names(texts, list(phenotype.index))
    if matched is not None:
        changed = next(i for i, name in enumerate(texts) if matched[i] != name)
        notes.append(
            "names of samples were changed to those of the phenotype file, as "
            f"{quoted(texts[changed])} to {quoted(matched[changed])}"
        )
        texts = matched
    names = pd.Index(np.asarray(texts, dtype=object))
    keep = names.isin(phenotype.index)
    if not keep.any():
        columns = [str(column) for column in phenotype if names.isin(phenotype[column]).any()]
        way_out = "Name the columns by id_column and the option phenotype_id"
        if columns:
            way_out = f"They are in its column {columns[0]!r}: set phenotype_id={columns[0]}"
        msg = (
            f"{where}: no sample of the table is in the phenotype file; the table has "
            f"{listed(list(names))}, the phenotype {listed(list(phenotype.index))}. {way_out}"
        )
        raise InputError(msg, key="phenotype_id")
    without = list(names[~keep])
    if without:
        notes.append(
            f"{counted(len(without), 'sample', 'is', 'are')} left out, without phenotype: "
            f"{listed(without)}"
        )
    unmeasured = list(phenotype.index[~phenotype.index.isin(names)])
    if unmeasured:
        notes.append(
            f"{counted(len(unmeasured), 'sample', 'is', 'are')} in the phenotype file only: "
            f"{listed(unmeasured)}"
        )
    rows = phenotype.loc[names[keep]].reset_index(drop=True)
    return Joined(names.to_numpy(dtype=str), keep, rows, notes)


def matched_names(samples: Sequence[str], listed_names: Sequence[str]) -> list[str] | None:
    """Return the listed name of each sample where only a change of spelling makes them agree.

    Folders and endings that programs append are left out (`plain_sample_names`), R's
    ``make.names`` is undone (``X01.a`` of ``01-a``), or small and capital letters and spaces are
    alike. The result is None where a name is listed as it is, where names would become equal, and
    where neither all samples nor all listed names match. Samples that do not match keep their
    names.
    Letters and spaces may also differ in some names only.

    Examples
    --------
    >>> matched_names(["/run/S1.bam", "/run/S2.bam"], ["S1", "S2", "S3"])
    ['S1', 'S2']
    >>> matched_names(["X1.a", "X2.a"], ["1-a", "2-a"]), matched_names(["S1", "S9"], ["S1", "S2"])
    (['1-a', '2-a'], None)
    """
    if not samples:
        return None
    if set(samples) & set(listed_names):
        return _matched_by_letters(samples, listed_names)
    for spell in (plain_sample_names, _as_r_spells, _in_small_letters):
        names, spelled = spell(list(samples)), spell(list(listed_names))
        if len(set(names)) < len(names) or len(set(spelled)) < len(spelled):
            continue
        if set(names) <= set(spelled) or set(spelled) <= set(names):
            place = dict(zip(spelled, listed_names, strict=True))
            return [place.get(name, sample) for name, sample in zip(names, samples, strict=True)]
    return None


def _matched_by_letters(samples: Sequence[str], listed_names: Sequence[str]) -> list[str] | None:
    """Return the listed name of each sample where letters and spaces differ in some names only."""
    spelled = dict(zip(_in_small_letters(listed_names), listed_names, strict=True))
    if len(spelled) < len(listed_names) or len(set(_in_small_letters(samples))) < len(samples):
        return None
    names = [
        spelled.get(plain, name)
        for plain, name in zip(_in_small_letters(samples), samples, strict=True)
    ]
    return None if names == list(samples) else names


def _in_small_letters(names: Sequence[str]) -> list[str]:
    """Return names in small letters, with single spaces."""
    return [" ".join(name.lower().split()) for name in names]


def _as_r_spells(names: Sequence[str]) -> list[str]:
    """Return names as R's make.names writes them, without the X before a digit."""
    replaced = [re.sub(r"[^\w.]", ".", name) for name in names]
    return [re.sub(r"^X(?=\d)", "", name) for name in replaced]
