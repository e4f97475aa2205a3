"""Exports of laboratory programs that are no plain tables, converted to tables with genes in rows.

- ``proteinGroups.txt`` of MaxQuant (Cox and Mann, Nature Biotechnology 26, 2008): a row per protein
  group; of the columns of each sample the normalised ones are taken.
- ``combined_protein.tsv`` of FragPipe (Kong and others, Nature Methods 14, 2017): a row per
  protein, with up to three columns of each sample, of which MaxLFQ intensities are best.
- ``report.pg_matrix.tsv`` of DIA-NN (Demichev and others, Nature Methods 17, 2020): a row per
  protein group, with a column for the file of each run.
- NPX of Olink, a row per sample and assay (long format).
- Counts of NanoString's nSolver and of its collector tool, and tables made of RCC files: attributes
  of the samples above or among the counts of probes, which have a code class.
"""

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.cell_texts import is_missing, is_text
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.text_lines import SEPARATORS, utf16_lines

#: First lines by which an export is recognised.
_HEAD_LINES = 40
#: First characters of such a line that are read.
_HEAD_CHARACTERS = 4000
#: Endings of text files.
_SUFFIXES = (".csv", ".tsv", ".txt", ".tab")

#: Columns of MaxQuant by which its table is recognised.
_MAXQUANT = {"Protein IDs", "Majority protein IDs"}
#: Prefixes of a sample's values, the best first; a ratio of a labelled experiment has none.
_INTENSITIES = ("LFQ intensity ", "iBAQ ", "Intensity ", "Reporter intensity corrected ")
#: Columns that mark what is no protein of the sample.
_MARKED = ("Reverse", "Potential contaminant", "Contaminant", "Only identified by site")

#: Columns of FragPipe by which its table is recognised.
_FRAGPIPE = {"Protein", "Protein ID", "Gene"}
#: Endings of a sample's values, the best first; spectral counts are no intensities.
_ENDINGS = (" MaxLFQ Intensity", " Intensity")
#: Columns of DIA-NN that describe a protein group; the others are runs.
_DIANN = {"Protein.Group", "Protein.Names", "Genes"}
_DESCRIPTIONS = re.compile(r"Genes?|(All|First|Global|N|PG|Protein|Proteotypic)\.[A-Za-z.]+")
_RUN_ENDING = re.compile(r"(\.(raw|dia|d|wiff|mzml|htrms))+$", re.IGNORECASE)

#: Columns of Olink's long format by which it is recognised.
_OLINK = {"SampleID", "NPX"}
#: Columns that name an assay, the best first; the last is a number that no two assays share.
_ASSAYS = ("Assay", "UniProt", "OlinkID")
#: Columns of Olink that describe no sample.
_OLINK_OTHERS = re.compile(
    r"index|sample_?type|olinkid|uniprot|assay.*|missingfreq|npx|panel.*|lod|.*warn.*|normali.*|.*qc"
    r"|count|extnpx|pcnormalizednpx|block|dataanalysisref.*|explorev.*",
    re.IGNORECASE,
)
#: Word in the names or the column of types of Olink's control samples.
_OLINK_CONTROL = re.compile(r"control|^(?:neg|ipc|sc)[_ -]?\d*$", re.IGNORECASE)

#: The column of NanoString's code classes. Names of columns are without spaces, in small letters.
_CODE_CLASS = "codeclass"
#: Columns of NanoString's names of probes, the best first.
_PROBE_NAMES = ("name", "gene", "genename", "genesymbol", "probename", "probe")
#: All columns of NanoString that describe probes.
_ABOUT_PROBES = (_CODE_CLASS, *_PROBE_NAMES, "accession", "accessionno", "probeid", "nsprobeid")
#: First columns among which those that describe probes are.
_FIRST_COLUMNS = 6
#: Code classes of probes of genes.
_PROBES_OF_GENES = ("endogenous", "housekeeping")
#: Attributes that are no batch: a cartridge has one lane for each of its twelve samples.
_NO_BATCH = ("lane id", "lane")


@dataclass(frozen=True, kw_only=True)
class Export:
    """A table with a row per feature, options of the sheet for it, and sentences about it.

    ``attributes`` are texts of the samples, by name, that the export has above its values; they
    become rows of the table.
    """

    program: str
    values: pd.DataFrame
    remarks: list[str]
    options: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, list[str]] = field(default_factory=dict)


_OTHER_WIDTH = Refusal(
    code="program_exports.other-width",
    sentence=(
        "{path}, line {number}: {n_cells:#cell}, but the header has {width}; export the file again"
    ),
)


@dataclass(frozen=True)
class _Rows:
    """The cells of a text, a list for each of its lines."""

    path: Path
    rows: list[list[str]]

    def frame(self, header: int) -> pd.DataFrame:
        """Return the rows below a header, all cells as text."""
        names = self.rows[header]
        below = [row for row in self.rows[header + 1 :] if any(row)]
        for number, row in enumerate(below, header + 2):
            if len(row) != len(names):
                raise _OTHER_WIDTH.error(
                    path=self.path, number=number, n_cells=len(row), width=len(names)
                )
        return pd.DataFrame(below, columns=names, dtype=object)


def read_export(path: Path) -> Export | None:
    """Return the table of an export of a known program; None for other files."""
    if not path.name.lower().removesuffix(".gz").endswith(_SUFFIXES) or not path.is_file():
        return None
    head = [line[:_HEAD_CHARACTERS] for line in _lines(path, _HEAD_LINES)]
    if any("\r" in line.rstrip("\r\n") for line in head):
        return None  # line ends of old Macs, which no program writes and the reader of tables names
    for separator in (SEPARATORS["tab"], SEPARATORS["semicolon"], SEPARATORS["comma"]):
        rows = _split(head, separator)
        for number, row in enumerate(rows):
            read = _reader_of(row)
            if read is not None:
                return read(_Rows(path, _split(_lines(path, None), separator)), number)
    return None


_WORKBOOK = Refusal(
    code="program_exports.workbook",
    sentence=(
        "{path} has the columns of an export of {program}, which is read from text: save the "
        "table as .csv, and propose the study from that file"
    ),
)


def refuse_workbook(path: Path, header: Sequence[str]) -> None:
    """Refuse a workbook with an export of NanoString or Olink, which is read as text only."""
    programs = {_nanostring: "NanoString", _olink: "Olink"}
    program = programs.get(_reader_of(header))  # type: ignore[arg-type]
    if program and not path.name.lower().removesuffix(".gz").endswith(_SUFFIXES):
        raise _WORKBOOK.error(path=path, program=program)


def export_text(export: Export) -> str:
    """Return an export as a table separated by tabs, attributes of the samples first."""
    attributes = pd.DataFrame(export.attributes, index=export.values.columns).T
    whole = pd.concat([attributes, export.values.astype(object)]) if len(attributes) else None
    table = export.values if whole is None else whole
    return str(table.rename_axis("feature").to_csv(sep="\t", lineterminator="\n"))


def _lines(path: Path, most: int | None) -> list[str]:
    with open_raw(path) as stream:
        lines = islice(utf16_lines(path, stream) or stream, most)
        return [line.decode("utf-8-sig", errors="replace") for line in lines]


def _split(lines: Sequence[str], separator: str) -> list[list[str]]:
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]


def _reader_of(header: Sequence[str]) -> Callable[[_Rows, int], Export] | None:
    """Return the function that reads the export with such a header."""
    if set(header) >= _MAXQUANT:
        return _maxquant
    if set(header) >= _FRAGPIPE and any(name.endswith(_ENDINGS) for name in header):
        return _fragpipe
    if set(header) >= _DIANN:
        return _diann
    if set(header) >= _OLINK and set(header) & set(_ASSAYS):
        return _olink
    first_names = [_plain_name(name) for name in header[:_FIRST_COLUMNS]]
    has_samples = len(header) > sum(name in _ABOUT_PROBES for name in first_names)
    if has_samples and _CODE_CLASS in first_names and set(first_names) & set(_PROBE_NAMES):
        return _nanostring
    return None


def _plain_name(name: str) -> str:
    """Return the letters of a column's name in small letters: ``Code.Class`` is ``codeclass``."""
    return re.sub(r"[^a-z]", "", name.lower())


_NO_INTENSITIES = Refusal(
    code="program_exports.no-intensities",
    sentence="{path} has no columns of intensities, such as {example!r}; export it with them",
)


def _maxquant(rows: _Rows, header: int) -> Export:
    """Return intensities of protein groups without decoys and contaminants; 0 is missing."""
    table = rows.frame(header)
    prefix = next((p for p in _INTENSITIES if any(c.startswith(p) for c in table)), None)
    if prefix is None:
        raise _NO_INTENSITIES.error(path=rows.path, example="LFQ intensity A")
    marks = [name for name in _MARKED if name in table]
    marked = (table[marks] == "+").any(axis=1)
    proteins = table[~marked]
    columns = [name for name in table if name.startswith(prefix)]
    numbers = proteins[columns].apply(pd.to_numeric, errors="coerce")
    values = numbers.mask(numbers == 0)
    values.columns = [name.removeprefix(prefix) for name in columns]
    values.index = proteins["Majority protein IDs"].str.partition(";")[0]
    if "Gene names" in proteins:
        genes = proteins["Gene names"].str.partition(";")[0]
        values.index = np.where(genes != "", genes, values.index)
    is_measured = values.notna().any(axis=1)
    about_values = (
        f"proteinGroups of MaxQuant: the columns {quoted(prefix.strip())} were taken, an intensity "
        "of 0 is missing, and proteins are called by their first gene."
    )
    about_rows = (
        f"{counted(int(marked.sum()), 'protein group')} of decoys, contaminants or single sites, "
        f"and {int((~is_measured).sum()):,} without a value, were left out."
    )
    remarks = [about_values, about_rows]
    options: dict[str, Any] = {"transform": "log2", "missing": {"drop_features": 0.3}}
    return Export(program="maxquant", values=values[is_measured], remarks=remarks, options=options)


def _fragpipe(rows: _Rows, header: int) -> Export:
    """Return one intensity of each protein and sample; 0 is missing."""
    table = rows.frame(header)
    ending = _best_ending(table)
    columns = [name for name in table if name.endswith(ending)]
    if ending == " Intensity":
        columns = [name for name in columns if not name.endswith(" MaxLFQ Intensity")]
    others = len([name for name in table if name.endswith((*_ENDINGS, " Spectral Count"))])
    remark = (
        f"combined_protein of FragPipe: of {others} columns of the samples, {len(columns)} with "
        f"{quoted(ending.strip())} were taken, an intensity of 0 is missing, and proteins are "
        "called by their gene."
    )
    names = [name.removesuffix(ending) for name in columns]
    return _proteins(
        table,
        columns,
        names,
        program="fragpipe",
        genes="Gene",
        proteins="Protein ID",
        remark=remark,
    )


def _best_ending(table: pd.DataFrame) -> str:
    """Return the ending of the columns of intensities, the first one that has a value."""
    for ending in _ENDINGS:
        columns = [name for name in table if name.endswith(ending)]
        numbers = table[columns].apply(pd.to_numeric, errors="coerce")
        if (numbers > 0).any(axis=None):
            return ending
    return _ENDINGS[-1]


def _diann(rows: _Rows, header: int) -> Export:
    """Return the quantities of protein groups; an empty cell is missing."""
    table = rows.frame(header)
    columns = [name for name in table if not _DESCRIPTIONS.fullmatch(name)]
    files = [re.split(r"[/\\]", name)[-1] for name in columns]
    names = [_RUN_ENDING.sub("", name) for name in files]
    if len(set(names)) < len(names):
        names = columns
    remark = (
        "pg_matrix of DIA-NN: runs are called by their files, and protein groups by their first "
        "gene."
    )
    return _proteins(
        table,
        columns,
        names,
        program="diann",
        genes="Genes",
        proteins="Protein.Group",
        remark=remark,
    )


def _proteins(
    table: pd.DataFrame,
    columns: Sequence[str],
    names: Sequence[str],
    *,
    program: str,
    genes: str,
    proteins: str,
    remark: str,
) -> Export:
    """Return intensities of proteins, named by the first gene, or without one the first protein."""
    numbers = table[list(columns)].apply(pd.to_numeric, errors="coerce")
    values = numbers.mask(numbers == 0)
    values.columns = list(names)
    gene = table[genes].str.partition(";")[0]
    values.index = np.where(gene != "", gene, table[proteins].str.partition(";")[0])
    is_measured = values.notna().any(axis=1)
    values = values[is_measured]
    share = float(values.isna().to_numpy().mean())
    remarks = [remark, f"{share:.0%} of the values are missing."]
    if not is_measured.all():
        remarks.append(f"{int((~is_measured).sum()):,} proteins without a value were left out.")
    options: dict[str, Any] = {"transform": "log2", "missing": {"drop_features": 0.5}}
    if share == 0:
        del options["missing"]
    return Export(program=program, values=values, remarks=remarks, options=options)


_SEVERAL_VALUES = Refusal(
    code="program_exports.several-values",
    sentence="{path}: {sample!r} has several values of {assay!r}; keep one run of each sample",
)


def _olink(rows: _Rows, header: int) -> Export:
    """Return NPX, which are logarithms to base 2, of assays in samples; controls are left out."""
    table = rows.frame(header)
    if "Sample_Type" in table:  # then "Control 7" may be a patient of a control group
        is_control = table["Sample_Type"].str.upper() != "SAMPLE"
    else:
        is_control = table["SampleID"].str.contains(_OLINK_CONTROL)
    npx = pd.to_numeric(table["NPX"].str.replace(",", ".", regex=False), errors="coerce")
    names = [name for name in _ASSAYS if name in table]
    assay = table[names[0]]
    if "OlinkID" in table:
        several = table.groupby(names[0])["OlinkID"].nunique()
        assay = assay.where(assay.map(several) == 1, table["OlinkID"])
    long = pd.DataFrame({"assay": assay, "sample": table["SampleID"], "npx": npx})[~is_control]
    twice = long.duplicated(["assay", "sample"])
    if twice.any():
        row = long[twice].iloc[0]
        raise _SEVERAL_VALUES.error(path=rows.path, sample=row["sample"], assay=row["assay"])
    values = long.pivot_table(index="assay", columns="sample", values="npx", sort=False)
    remarks = ["NPX of Olink in long format: a row per sample and assay became a table."]
    if is_control.any():
        n_controls = table.loc[is_control, "SampleID"].nunique()
        remarks.append(f"{counted(n_controls, 'control sample', 'was', 'were')} left out.")
    options: dict[str, Any] = {"scale": "log2"}
    if values.isna().any(axis=None):
        options["missing"] = "impute"
    attributes = _texts_of_samples(table[~is_control], list(values.columns))
    if attributes:
        options["phenotype_columns"] = tuple(attributes)
    return Export(
        program="olink", values=values, remarks=remarks, options=options, attributes=attributes
    )


def _texts_of_samples(table: pd.DataFrame, samples: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of Olink's table that have one text for each sample, as a class has."""
    attributes = {}
    by_sample = table.groupby("SampleID", sort=False)
    for name in table:
        if name == "SampleID" or not name or _OLINK_OTHERS.fullmatch(name):
            continue
        texts = by_sample[name].first().reindex(samples)
        is_constant = (by_sample[name].nunique() == 1).all()
        is_complete = not any(map(is_missing, texts))
        if is_constant and is_complete and 1 < texts.nunique() < len(samples):
            attributes[name] = list(texts)
    return attributes


_NO_PROBES_OF_GENES = Refusal(
    code="program_exports.no-probes-of-genes",
    sentence=(
        "{path}: no probe has the code class Endogenous or Housekeeping in the column "
        "{column!r}; export the counts of all probes"
    ),
)


def _nanostring(rows: _Rows, header: int) -> Export:
    """Return counts of the probes of genes, and the samples' attributes above or among them."""
    table = rows.frame(header)
    names = rows.rows[header]

    # Columns that describe probes come first; the others are samples.
    plain = [_plain_name(name) for name in names[:_FIRST_COLUMNS]]
    probe_columns = [i for i, name in enumerate(plain) if name in _ABOUT_PROBES]
    sample_columns = [i for i in range(len(names)) if i not in probe_columns]
    class_column = plain.index(_CODE_CLASS)
    name_column = next(plain.index(name) for name in _PROBE_NAMES if name in plain)
    code_classes = table.iloc[:, class_column].str.lower()

    # Rows that describe samples: those above the header, and texts without a code class, as groups.
    sample_rows = {row[0]: row for row in rows.rows[:header] if row and row[0]}
    for row in table[code_classes == ""].itertuples(index=False):
        name = next((row[i] for i in probe_columns if row[i]), "")
        if name and any(is_text(row[i]) for i in sample_columns):
            sample_rows[name] = list(row)

    # The counts of the probes of genes.
    is_gene = code_classes.isin(_PROBES_OF_GENES)
    if not is_gene.any():
        raise _NO_PROBES_OF_GENES.error(path=rows.path, column=names[class_column])
    values = table.loc[is_gene].iloc[:, sample_columns].apply(pd.to_numeric, errors="coerce")
    values.columns = _nanostring_samples(names, rows.rows[:header], sample_columns)
    values.index = table.loc[is_gene].iloc[:, name_column]

    # Descriptions with several texts, which neither name the samples nor are lanes.
    attributes = {}
    for name, row_cells in sample_rows.items():
        cells = [row_cells[i] if i < len(row_cells) else "" for i in sample_columns]
        n_texts = len(set(cells))
        is_description = 1 < n_texts < len(cells) and not any(map(is_missing, cells))
        if is_description and name.lower() not in _NO_BATCH:
            attributes[name] = cells
    options: dict[str, Any] = {"transform": "tmm"}
    if attributes:
        options["phenotype_columns"] = tuple(attributes)
    is_control = ~is_gene & (code_classes != "")
    controls = table.loc[is_control].iloc[:, class_column].value_counts()
    kinds = listed([f"{count} {kind}" for kind, count in controls.items()]) or "none"
    remark = (
        f"Counts of NanoString: probes of genes were taken, and others left out ({kinds}). They "
        "are not normalised by these controls: transform: tmm adjusts for the size of the library."
    )
    return Export(
        program="nanostring",
        values=values,
        remarks=[remark],
        options=options,
        attributes=attributes,
    )


def _nanostring_samples(
    names: Sequence[str], rows_above: Sequence[list[str]], sample_columns: Sequence[int]
) -> list[str]:
    """Return the names of samples: of the user, of the header, or of the first row, in this order.

    ``names`` are the cells of the header, ``rows_above`` the rows above it; the row ``Sample ID``
    has the names that the user chose, if they are complete and distinct.
    """
    above = {row[0]: row for row in rows_above if row and row[0]}
    samples = [names[i] for i in sample_columns]
    if not all(samples):
        first_row = next(iter(above.values()), [])
        samples = [first_row[i] if i < len(first_row) else "" for i in sample_columns]
    if "Sample ID" in above:
        row = above["Sample ID"]  # may end before the last sample
        user_names = [row[i] if i < len(row) else "" for i in sample_columns]
        if all(user_names) and len(set(user_names)) == len(sample_columns):
            return user_names
    return [re.sub(r"\.RCC$", "", name, flags=re.IGNORECASE) for name in samples]
