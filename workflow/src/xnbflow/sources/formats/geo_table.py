"""GEO's two files with values as tables: a series matrix, and a curated data set (GDS).

What the head of the file describes of the samples becomes the first rows of the table, so that a
series of GEO is read as any table with samples in columns.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.geo_head import GeoHead, read_head
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.formats.text_table import TextTable

if TYPE_CHECKING:
    from io import BufferedReader

#: The column of symbols in a GDS, in capital letters.
SYMBOLS = "IDENTIFIER"


def read_geo_table(path: Path) -> tuple[TextTable, GeoHead]:
    """Read a series matrix or a GDS, and its head.

    The fields of the samples are the first rows of the table, and are described as texts.
    """
    with open_raw(path) as stream:
        head = read_head(path, stream)
        if not head.has_table:
            raise no_values(path, head)
        table = _read_values(path, stream, head)
    if not table.header or not len(table):
        raise no_values(path, head)
    _refuse_other_samples(path, table.header, head)
    position_of_sample = {name: position for position, name in enumerate(table.header)}
    columns = [position_of_sample[sample] for sample in head.samples]
    fields = []
    for name in head.fields:
        row = [""] * len(table.header)
        row[0] = name
        for column, text in zip(columns, head.fields[name], strict=True):
            row[column] = text
        fields.append(row)
    n_fields = len(fields)
    table = replace(
        table,
        rows=[*fields, *table.rows],
        lines=[*([0] * n_fields), *table.lines],
        described=range(n_fields),
    )
    return table, head


def _read_values(path: Path, stream: "BufferedReader[Any]", head: GeoHead) -> TextTable:
    """Return the table of probes below a head."""
    return read_text(
        path,
        stream,
        separator="\t",
        decimal=".",
        first_line=head.lines + 1,
        end=head.table_end,
        advice="get the file again, or correct the cell",
    )


def no_values(path: Path, head: GeoHead) -> InputError:
    """Return the error for a series without a table of values, which names its other files."""
    files = list(dict.fromkeys(head.supplementary))
    files_of_series = [name for name in files if "/series/" in name] or files
    supplementary = ""
    if files_of_series:
        supplementary = f"; its supplementary files are {listed(files_of_series)}"
    kind = head.facts.get("type", "") or "of unknown type"
    phenotype = head.accession or path
    msg = (
        f"{path} has no table of values ({head.accession}, {kind}): sequencing studies keep "
        f"their counts in supplementary files{supplementary}. Get the table of counts and use "
        f"source table, with phenotype: {{accession: {phenotype}}} for what is known of the "
        "samples"
    )
    return InputError(msg, file=str(path), key="phenotype")


def _refuse_other_samples(path: Path, header: Sequence[str], head: GeoHead) -> None:
    """Refuse samples without a column, and columns without a sample; a GDS may have others."""
    missing = [sample for sample in head.samples if sample not in header]
    expected = {*head.samples, "ID_REF", SYMBOLS}
    beyond = [name for name in header if name not in expected]
    if missing or (beyond and head.facts.get("value_type") is None):
        msg = (
            f"{path}: the table's columns are not the samples of the head: "
            f"{listed(missing) or 'none'} without a column, {listed(beyond) or 'none'} without a "
            "head; get the file again"
        )
        raise InputError(msg, file=str(path))
