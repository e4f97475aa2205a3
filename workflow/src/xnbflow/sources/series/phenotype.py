"""A phenotype file: columns of the samples, in a file beside the file of their values."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.nouns import counted, either, listed
from xnbflow.data.dataset import refuse_control_characters
from xnbflow.data.note import Note
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_number, plain_text
from xnbflow.sources.formats.files import GEO_FORMATS, HEAD_BYTES, format_of, open_raw
from xnbflow.sources.formats.gct import read_classes
from xnbflow.sources.formats.geo_head import GeoHead, read_head
from xnbflow.sources.formats.opening import read_text_table, suffix_of
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import WORKBOOKS, about_sheets
from xnbflow.sources.roles import position_of
from xnbflow.sources.series.name_matching import matched_names

#: The column with the accessions of GEO's samples (GSM...).
_ACCESSION = "geo_accession"


class PhenotypeFile(NamedTuple):
    """A phenotype file as it is: the text of a table, the head of a file of GEO, or classes (CLS).

    The column of CLS is indexed by the names of the samples.
    """

    path: Path
    text: TextTable | GeoHead | pd.DataFrame


def read_phenotype_file(path: Path, dataset: DatasetEntry, table: Path) -> PhenotypeFile:
    """Read a phenotype file as it is: a table in any format, or a file of GEO or GenePattern.

    A file of GEO is a series matrix or GDS, with or without values. The keys ``encoding`` and
    ``phenotype: {sheet: ...}`` of the entry apply. A CLS file has its samples from the ``table``.
    """
    if suffix_of(path) == ".cls":
        return PhenotypeFile(path, read_classes(path, table))
    if suffix_of(path) not in WORKBOOKS:
        with about_file(path), open_raw(path) as stream:
            if format_of(stream.peek(HEAD_BYTES)[:HEAD_BYTES]) in GEO_FORMATS:
                return PhenotypeFile(path, read_head(path, stream))
    reading = {"encoding": dataset.encoding, "sheet": dataset.phenotype_sheet}
    reading = {key: value for key, value in reading.items() if value}
    return PhenotypeFile(path, read_text_table(path, reading))


def phenotype_columns(phenotype: PhenotypeFile, dataset: DatasetEntry) -> pd.DataFrame:
    """Return the columns of a phenotype file as text, indexed by the names of the samples.

    The ``id`` of the phenotype names the column of sample names; the default is the column with the
    name of the ``id`` of the table, or the first one. For GEO it names a field (``title``), and the
    default is the samples' accessions.
    """
    path, text = phenotype
    with about_file(path):
        if isinstance(text, pd.DataFrame):
            return text
        if isinstance(text, GeoHead):
            return _geo_phenotype(path, text, dataset)
        # A spreadsheet may save empty columns beside the table.
        names = []
        columns = []
        for name, cells in zip(text.header, _columns_of(text), strict=True):
            if name or any(cells):
                names.append(name)
                columns.append(cells)
        for name, count in Counter(names).items():
            if count > 1:
                msg = f"{path}: column {quoted(name)} occurs {count} times; rename them"
                raise InputError(msg, file=str(path))
        refuse_control_characters(str(path), "column name", names)
        key = 0
        if dataset.phenotype_id:
            key = position_of(path, names, dataset.phenotype_id, "phenotype.id")
        elif dataset.id_column and dataset.id_column in names:
            key = names.index(dataset.id_column)
        frame = pd.DataFrame(dict(zip(names, columns, strict=True)), dtype=object)
        return _index_by_sample(path, frame, names[key])


def naming_column(text: TextTable | GeoHead | pd.DataFrame, names: Sequence[str]) -> str:
    """Return the column of a phenotype file that contains names of samples, if not the first.

    The result is empty if the first column contains one of the names, if no column does, and for
    GEO.
    """
    if not isinstance(text, TextTable):
        return ""
    columns = _columns_of(text)
    samples = {name for name in names if name}
    first = columns[0] if columns else []
    if samples & set(first) or matched_names(list(names), first):
        return ""
    for name, cells in zip(text.header, columns, strict=True):
        if name and len(set(cells)) == len(cells) and samples & set(cells):
            return name
    return ""


def refuse_sample_as_header(
    phenotype: PhenotypeFile, dataset: DatasetEntry, table: TextTable
) -> None:
    """Refuse a phenotype file without a header: the first of its samples would be lost.

    The name of its column of samples is then itself a sample of the ``table``.
    """
    text = phenotype.text
    if not isinstance(text, TextTable) or not text.header:
        return
    key = text.header.index(dataset.phenotype_id) if dataset.phenotype_id in text.header else 0
    name = text.header[key]
    cells = text.columns([key])[0]
    # samples of the table are in its header, or in its first column
    for samples in (set(table.header[1:]), set(table.columns([0])[0])):
        if name in samples and not samples.isdisjoint(cells):
            msg = (
                f"{phenotype.path}: the first row has the sample {quoted(name)} where names of "
                "columns are expected, so that this sample would be lost; insert a row of names "
                "above it, such as sample and class"
            )
            raise InputError(msg, file=str(phenotype.path), key="phenotype")


def _columns_of(table: TextTable) -> list[list[str]]:
    """Return the texts of all columns of a phenotype file."""
    with about_sheets(table):
        return table.columns(range(len(table.header)))


def _geo_phenotype(path: Path, head: GeoHead, dataset: DatasetEntry) -> pd.DataFrame:
    """Return the samples' fields in a head of GEO; label and group are named as in the entry."""
    head.fields = head.fields.drop(columns=_ACCESSION, errors="ignore")
    head.fields.insert(0, _ACCESSION, head.samples)
    key = _ACCESSION
    if dataset.phenotype_id:
        key, _ = head.label_texts(str(path), dataset.phenotype_id)
    frame = _index_by_sample(path, head.fields.copy(), key)
    for name in (dataset.label, dataset.group):
        if name and head.field_named(name) not in (None, key):
            field, _ = head.label_texts(str(path), name)
            frame = frame.rename(columns={field: name})
    return frame


def _index_by_sample(path: Path, frame: pd.DataFrame, key: str) -> pd.DataFrame:
    """Return a phenotype indexed by its column ``key``, whose names must be unique."""
    samples = frame.pop(key)
    if samples.empty:
        msg = f"{path}: there are no samples below the header; get it again"
        raise InputError(msg, file=str(path))
    invalid = samples[(samples == "") | samples.duplicated()]
    if len(invalid):
        name = invalid.iloc[0]
        if name:
            msg = (
                f"{path}, column {quoted(key)}: sample {quoted(name)} occurs twice; correct it, "
                "or name another phenotype.id"
            )
            raise InputError(msg, file=str(path), key="phenotype.id")
        msg = (
            f"{path}, column {quoted(key)}: a cell is empty; correct it, or name another "
            "phenotype.id"
        )
        raise InputError(msg, file=str(path), key="phenotype.id")
    refuse_control_characters(str(path), "sample name", samples)
    return frame.set_index(pd.Index(samples, name=None))


def names_in_phenotype(
    where: str, samples: Sequence[str] | np.ndarray, phenotype: pd.DataFrame, notes: list[str]
) -> np.ndarray:
    """Return the names of a table's samples, (n_samples,), as in the phenotype if it has them.

    Names may differ by folders, endings of files and characters that R replaces (`matched_names`).
    The ``notes`` get sentences on changed names and on samples of only one of the files; files
    without a common sample are refused.
    """
    texts = list(map(str, samples))
    matched = matched_names(texts, list(phenotype.index))
    if matched is not None:
        pairs = zip(texts, matched, strict=True)
        before, after = next(pair for pair in pairs if pair[0] != pair[1])
        notes.append(
            "names of samples were changed to those of the phenotype file, as "
            f"{quoted(before)} to {quoted(after)}"
        )
        texts = matched
    names = pd.Index(np.asarray(texts, dtype=object))
    has_row = names.isin(phenotype.index)
    if not has_row.any():
        columns = [str(column) for column in phenotype if names.isin(phenotype[column]).any()]
        remedy = "Name the columns of names by id and phenotype.id"
        if columns:
            remedy = (
                f"They are in its column {quoted(columns[0])}: set phenotype: {{id: {columns[0]}}}"
            )
        msg = (
            f"{where}: no sample of the table is in the phenotype file; the table has "
            f"{listed(names, 3)}, the phenotype file {listed(phenotype.index, 3)}. {remedy}"
        )
        raise InputError(msg, key="phenotype.id")
    without = list(names[~has_row])
    if without:
        text = (
            f"{counted(len(without), 'sample', 'is', 'are')} left out, without phenotype: "
            f"{listed(without)}"
        )
        notes.append(Note(text, "without phenotype"))
    unmeasured = list(phenotype.index[~phenotype.index.isin(names)])
    if unmeasured:
        text = (
            f"{counted(len(unmeasured), 'sample', 'is', 'are')} in the phenotype file only: "
            f"{listed(unmeasured)}"
        )
        notes.append(Note(text, "phenotype only"))
    return names.to_numpy(dtype=str)


def refuse_contradictions(
    *,
    where: str,
    dataset: DatasetEntry,
    samples: np.ndarray,
    table: pd.DataFrame,
    phenotype: pd.DataFrame,
) -> None:
    """Refuse a label or group that differs between the table and the phenotype file."""
    for key, name in (("label", dataset.label), ("group", dataset.group)):
        if name not in table or name not in phenotype:
            continue
        differs = (table[name].map(_comparable) != phenotype[name].map(_comparable)).to_numpy()
        if differs.any():
            i = int(np.argmax(differs))
            n_differing = int(differs.sum())
            msg = (
                f"{where}: {quoted(name)} of sample {quoted(str(samples[i]))} is "
                f"{quoted(table[name][i])} in the table, {quoted(phenotype[name][i])} in the "
                f"phenotype file ({n_differing} {either(n_differing, 'differs', 'differ')}); "
                "correct one, or name another column"
            )
            raise InputError(msg, key=key)


def _comparable(text: str) -> str:
    """Return a text such that spellings of one number are equal, as 1, 1.0 and 1,0 are."""
    plain = plain_text(text)
    number = plain.replace(",", ".", 1)
    return str(float(number)) if is_number(number) else plain


def refuse_glued(path: Path, header: Sequence[str], phenotype: pd.DataFrame) -> None:
    """Refuse a header of R's form in which two names of the phenotype are one.

    A header that lost a separator has one name less than the rows have cells, as R writes it.
    """
    samples = set(map(str, phenotype.index))
    for name in header:
        for position in range(1, len(name)):
            first, second = name[:position], name[position:]
            if first in samples and second in samples and name not in samples:
                msg = (
                    f"{path}: the name {quoted(name)} in the header is two samples of the "
                    f"phenotype file, {quoted(first)} and {quoted(second)}: a separator between "
                    "them was lost. Insert it"
                )
                raise InputError(msg, file=str(path))
