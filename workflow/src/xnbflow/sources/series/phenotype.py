"""A phenotype file: columns of the samples, in a file beside the file of their values."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.nouns import counted, either, listed
from xnbflow.data.dataset import refuse_control_characters
from xnbflow.data.note import Note
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_number
from xnbflow.sources.formats.files import format_of, open_raw
from xnbflow.sources.formats.gct import read_classes
from xnbflow.sources.formats.geo_head import GeoHead, read_head
from xnbflow.sources.formats.opening import read_raw_table, suffix_of
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import WORKBOOKS, about_sheets
from xnbflow.sources.roles import position_of
from xnbflow.sources.series.class_labels import plain_text
from xnbflow.sources.series.sample_names import BARCODE, plain_sample_names

#: Least number of different names of which one is a part of the other.
_LEAST_MATCHED = 3
#: The column with the accessions of GEO's samples (GSM...).
_ACCESSION = "geo_accession"
#: Bytes by which a file of GEO is recognised.
_HEAD = 4096


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
            if format_of(stream.peek(_HEAD)[:_HEAD]) in ("series matrix", "SOFT"):
                return PhenotypeFile(path, read_head(path, stream))
    reading = {"encoding": dataset.encoding, "sheet": dataset.phenotype_sheet}
    reading = {key: value for key, value in reading.items() if value}
    return PhenotypeFile(path, read_raw_table(path, reading))


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


def matched_names(samples: Sequence[str], row_names: Sequence[str]) -> list[str] | None:
    """Return the row name of each sample if only their spelling differs.

    Folders and endings that programs append are removed (`plain_sample_names`), R's ``make.names``
    is undone (``X01.a`` of ``01-a``), small and capital letters, signs between words and zeros
    before a number are alike (`_spell_alike`), all names of one table have the same further ending,
    or each is a part of one name of the other table. If a sample has a row name already, only what
    `_spell_alike` makes alike may differ in the other names. The result is None if different names
    would become equal, and if neither all samples nor all row names match. Samples that do not
    match keep their names.

    Examples
    --------
    >>> matched_names(["/run/S1.bam", "/run/S2.bam"], ["S1", "S2", "S3"])
    ['S1', 'S2']
    >>> matched_names(["X1.a", "X2.a"], ["1-a", "2-a"]), matched_names(["S1", "S9"], ["S1", "S2"])
    (['1-a', '2-a'], None)
    """
    if not samples:
        return None
    if set(samples) & set(row_names):
        return _matched_by_letters(samples, row_names)
    for spell in (plain_sample_names, _spell_as_r, _spell_alike):
        spelled_samples = spell(list(samples))
        spelled_rows = spell(list(row_names))
        names = set(spelled_samples)
        rows = set(spelled_rows)
        if len(names) < len(samples) or len(rows) < len(row_names):
            continue
        if names <= rows or rows <= names:
            row_name_of = dict(zip(spelled_rows, row_names, strict=True))
            pairs = zip(spelled_samples, samples, strict=True)
            return [row_name_of.get(spelled, sample) for spelled, sample in pairs]
    return _matched_without_ending(samples, row_names) or _matched_by_parts(samples, row_names)


def _matched_by_parts(samples: Sequence[str], row_names: Sequence[str]) -> list[str] | None:
    """Return the row name of each sample if one file has names of which the other has a part.

    The part is the beginning or the end of the longer name, up to a character that is neither a
    letter nor a digit, as the rest of a barcode or the name of a file. It is the part of one name
    alone, and all names of one file have their counterpart, at the same end.

    Examples
    --------
    >>> rows = ["GSM1_EB_0_A.CEL", "GSM2_EB_0_B.CEL", "GSM3_EB_0_C.CEL"]
    >>> _matched_by_parts(["GSM1", "GSM2", "GSM3"], rows)
    ['GSM1_EB_0_A.CEL', 'GSM2_EB_0_B.CEL', 'GSM3_EB_0_C.CEL']
    >>> _matched_by_parts(["S1.R1", "S2.R1", "S3.R2"], ["S1", "S2", "S3", "S4"])
    ['S1', 'S2', 'S3']
    >>> _matched_by_parts(["S1", "S2", "S3"], ["S1_a", "S1_b", "S2_a", "S3_a"]) is None
    True
    """
    if min(len(set(samples)), len(set(row_names))) < _LEAST_MATCHED:
        return None
    for ends in (_beginnings, _endings):
        sample_of_part = _names_by_part(samples, ends)
        row_of_part = _names_by_part(row_names, ends)
        row_of_sample = {}
        for sample in samples:
            # The sample is a part of one row name, or one of its parts is a row name.
            if len(row_of_part.get(sample, [])) == 1:
                row_of_sample[sample] = row_of_part[sample][0]
        if not row_of_sample:
            for row_name in row_names:
                if len(sample_of_part.get(row_name, [])) == 1:
                    row_of_sample[sample_of_part[row_name][0]] = row_name
        n_rows = len(set(row_of_sample.values()))
        are_distinct = n_rows == len(row_of_sample)
        is_complete = len(row_of_sample) == len(samples) or n_rows == len(row_names)
        if row_of_sample and are_distinct and is_complete:
            return [row_of_sample.get(sample, sample) for sample in samples]
    return None


def _names_by_part(names: Sequence[str], ends: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """Return the names that have each part."""
    names_of_part: dict[str, list[str]] = {}
    for name in names:
        for part in ends(name):
            names_of_part.setdefault(part, []).append(name)
    return names_of_part


def _beginnings(name: str) -> list[str]:
    """Return the parts of a name up to a character that is no letter and no digit.

    Examples
    --------
    >>> _beginnings("S1.R1_input")
    ['S1', 'S1.R1']
    >>> _beginnings("TCGA-A1-A0SB-01A-11R")[-2:]
    ['TCGA-A1-A0SB-01A', 'TCGA-A1-A0SB-01']
    """
    parts = [name[: match.start()] for match in re.finditer(r"(?<=[^\W_])[\W_]", name)]
    # A barcode of TCGA ends at the type of the sample in many sheets, before its vial.
    if barcode := BARCODE.fullmatch(name):
        parts.append(name[: barcode.end(4)])
    return parts


def _endings(name: str) -> list[str]:
    """Return the parts of a name after a character that is no letter and no digit.

    Examples
    --------
    >>> _endings("run_S1.R1")
    ['S1.R1', 'R1']
    """
    return [name[match.end() :] for match in re.finditer(r"[\W_](?=[^\W_])", name)]


def _matched_without_ending(samples: Sequence[str], row_names: Sequence[str]) -> list[str] | None:
    """Return the row name of each sample where all names of one table have a further ending.

    Examples
    --------
    >>> _matched_without_ending(["treated1", "untreated2"], ["treated1fb", "untreated2fb"])
    ['treated1fb', 'untreated2fb']
    """
    rows = set(row_names)
    row_ending = _common_ending(row_names)
    with_ending = [f"{sample}{row_ending}" for sample in samples]
    if row_ending and set(with_ending) <= rows:
        return with_ending
    sample_ending = _common_ending(samples)
    without_ending = [sample.removesuffix(sample_ending) for sample in samples]
    if sample_ending and set(without_ending) <= rows:
        return without_ending
    return None


def _common_ending(names: Sequence[str]) -> str:
    """Return the letters with which all of several names end."""
    if len(names) < 2:
        return ""
    ending = ""
    for letters in zip(*(reversed(name) for name in names), strict=False):
        if len(set(letters)) > 1:
            break
        ending = letters[0] + ending
    return ending


def _matched_by_letters(samples: Sequence[str], row_names: Sequence[str]) -> list[str] | None:
    """Return the row name of each sample where some are spelled otherwise (`_spell_alike`)."""
    spelled_rows = dict(zip(_spell_alike(row_names), row_names, strict=True))
    spelled_samples = _spell_alike(samples)
    if len(spelled_rows) < len(row_names) or len(set(spelled_samples)) < len(samples):
        return None
    pairs = zip(spelled_samples, samples, strict=True)
    names = [spelled_rows.get(spelled, sample) for spelled, sample in pairs]
    return None if names == list(samples) else names


def _spell_alike(names: Sequence[str]) -> list[str]:
    """Return names in small letters, with one sign between words, and numbers without zeros before.

    Spreadsheets make 1 of ``001``, and programs write other signs in place of spaces and hyphens.

    Examples
    --------
    >>> _spell_alike(["S01", "Patient  7", "ctrl_1", "dose 0.05", "100"])
    ['s1', 'patient.7', 'ctrl.1', 'dose.0.05', '100']
    """
    without_zeros = [re.sub(r"(?<![\d.])0+(?=\d)", "", name) for name in names]
    return [re.sub(r"[\s._-]+", ".", name.strip().lower()) for name in without_zeros]


def _spell_as_r(names: Sequence[str]) -> list[str]:
    """Return names as R's make.names writes them, without the X before a digit."""
    replaced = [re.sub(r"[^\w.]", ".", name) for name in names]
    return [re.sub(r"^X(?=\d)", "", name) for name in replaced]


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
