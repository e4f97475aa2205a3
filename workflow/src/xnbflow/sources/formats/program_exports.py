"""Exports of laboratory programs and long tables: they are refused with the table to make.

A plain table has one value for each sample and gene. Exports have several columns of a sample, rows
that are no gene, or a row for each sample and gene. They are recognised by names of columns.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.formats.text_lines import UTF16_MARKS
from xnbflow.sources.formats.text_recognition import SEPARATORS
from xnbflow.sources.formats.text_table import TextTable

#: What is not compared of the names of columns, in small letters.
_OTHER_THAN_LETTERS = re.compile("[^a-z]+")
#: First lines among which the names of columns are, below attributes of the samples.
_HEAD_LINES = 40


@dataclass(frozen=True, kw_only=True)
class Export:
    """How the export of a program is recognised, and which columns make a plain table.

    ``columns`` are names of columns as `_plain_name` returns them; all of them are in one row.
    ``ending`` is that of at least one other name in it.
    """

    program: str
    columns: frozenset[str]
    keep: str
    ending: str = ""


EXPORTS = (
    Export(
        program="MaxQuant (proteinGroups.txt)",
        columns=frozenset({"proteinids", "majorityproteinids"}),
        keep=(
            "'Gene names' and the column 'LFQ intensity ...' of each sample; leave intensities of "
            "0 empty, and leave out the rows with + in 'Reverse', 'Potential contaminant' or "
            "'Only identified by site'"
        ),
    ),
    Export(
        program="FragPipe (combined_protein.tsv)",
        columns=frozenset({"protein", "proteinid", "gene"}),
        ending="spectralcount",  # without them the table has one value for each sample
        keep=(
            "'Gene' and the column '... MaxLFQ Intensity' of each sample; leave intensities of 0 "
            "empty"
        ),
    ),
    Export(
        program="DIA-NN (report.pg_matrix.tsv)",
        columns=frozenset({"proteingroup", "proteinnames", "genes"}),
        keep="'Genes' and the column of each run",
    ),
    Export(
        program="Olink (NPX in long format)",
        columns=frozenset({"sampleid", "npx"}),
        keep=(
            "a row for each 'SampleID', a column for each 'Assay', and the values of 'NPX'; leave "
            "out control samples"
        ),
    ),
    Export(
        program="NanoString (nSolver, or RCC files)",
        columns=frozenset({"codeclass"}),
        keep=(
            "the names of the probes and the column of each sample; leave out the rows above the "
            "names of the columns, and those whose code class is not Endogenous or Housekeeping"
        ),
    ),
)


#: Most columns of a long table; a table with more columns has features in them.
MOST_LONG_COLUMNS = 40
#: Names of the columns of a long table.
_SAMPLES = frozenset(
    {
        "sample",
        "samples",
        "sampleid",
        "samplename",
        "specimen",
        "patient",
        "patientid",
        "subject",
        "subjectid",
    }
)
_FEATURES = frozenset(
    {
        "gene",
        "genes",
        "geneid",
        "genename",
        "genesymbol",
        "symbol",
        "target",
        "targetname",
        "protein",
        "proteinid",
        "proteinname",
        "assay",
        "analyte",
        "marker",
        "feature",
        "probe",
        "probeid",
        "detector",
        "mirna",
        "metabolite",
        "compound",
    }
)
_VALUES = frozenset(
    {
        "ct",
        "cq",
        "npx",
        "value",
        "values",
        "expression",
        "intensity",
        "abundance",
        "count",
        "counts",
        "concentration",
        "quantity",
        "signal",
        "level",
        "tpm",
        "fpkm",
        "rfu",
        "mfi",
    }
)


def refuse_export(path: Path, head: bytes) -> None:
    """Refuse a text file that is the export of a program, by its first lines in its first bytes."""
    encoding = "utf-16" if head.startswith(UTF16_MARKS) else "utf-8-sig"
    for text in head.decode(encoding, errors="replace").split("\n")[:_HEAD_LINES]:
        # Most lines have no such names: those of a table of 50,000 genes are not divided.
        letters = _OTHER_THAN_LETTERS.sub("", text.lower())
        if not any(all(name in letters for name in export.columns) for export in EXPORTS):
            continue
        for separator in SEPARATORS.values():
            refuse_export_header(path, text.split(separator))


def refuse_export_header(path: Path, header: Iterable[str]) -> None:
    """Refuse a table with the names of columns of an export."""
    names = set(map(_plain_name, header))
    for export in EXPORTS:
        has_ending = any(name.endswith(export.ending) for name in names - export.columns)
        if names >= export.columns and has_ending:
            msg = (
                f"{path} is an export of {export.program}. Make a table with one value for each "
                f"sample and gene: keep {export.keep}"
            )
            raise InputError(msg, file=str(path))


def refuse_long(table: TextTable, label: str | None = None) -> None:
    """Refuse a table with a row for each sample and feature, by its names of columns.

    Names of samples and of features repeat. The column that is the ``label`` has neither.
    """
    columns = {_plain_name(name): i for i, name in enumerate(table.header) if name != label}
    positions = [_first_column(columns, names) for names in (_SAMPLES, _FEATURES, _VALUES)]
    sample, feature, value = positions
    if sample is None or feature is None or value is None:
        return
    for names in table.columns([sample, feature]):
        if len(set(names)) == len(names):
            return
    samples = quoted(table.header[sample])
    features = quoted(table.header[feature])
    values = quoted(table.header[value])
    msg = (
        f"{table.path} has a row for each sample and feature. Make a table with one value for "
        f"each sample and feature: a row for each {samples}, a column for each {features}, and the "
        f"values of {values}; in Python: table.pivot_table(index={samples}, columns={features}, "
        f"values={values}).to_csv('wide.csv')"
    )
    raise InputError(msg, file=str(table.path))


def _first_column(columns: dict[str, int], names: frozenset[str]) -> int | None:
    """Return the position of the first column with one of the names; None without one."""
    return next((position for name, position in columns.items() if name in names), None)


def _plain_name(name: str) -> str:
    """Return the letters of a column's name in small letters: ``Code.Class`` is ``codeclass``."""
    return _OTHER_THAN_LETTERS.sub("", name.lower())
