"""GCT and CLS, the files of GenePattern and GSEA: values, and the classes of their samples.

A CLS file has no names of samples: its classes are in the order of the samples of a GCT file.
https://www.genepattern.org/file-formats-guide
"""

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.nouns import counted
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.formats.text_table import TextTable

if TYPE_CHECKING:
    import io

#: Largest number of bytes of a CLS file that are read.
_MOST_BYTES = 1 << 24


def read_gct(
    path: Path, stream: "io.BufferedReader[Any]", most_rows: int | None = None
) -> TextTable:
    """Read a GCT file: its version and size, then a table."""
    if stream.readline()[:4] not in (b"#1.2", b"#1.3") or not stream.readline():
        msg = f"{path} is not GCT of version 1.2 or 1.3; write one, or a plain table"
        raise InputError(msg, file=str(path))
    return read_text(path, stream, separator="\t", decimal=".", first_line=3, most_rows=most_rows)


def _read_head(path: Path, most_rows: int) -> TextTable:
    with about_file(path), open_raw(path) as stream:
        return read_gct(path, stream, most_rows)


def as_gct(path: Path, dataset: DatasetEntry) -> DatasetEntry:
    """Return the entry of a GCT file: samples are columns, and some columns describe features.

    In version 1.3 the rows that describe samples become columns of the phenotype.
    """
    header = _read_head(path, 0).header
    annotation, n_rows = _annotation_of_gct(path, header)
    row_names: list[str] = []
    if n_rows:
        row_names = _read_head(path, n_rows).columns([0])[0][:n_rows]
    phenotype = [name for name in row_names if name != dataset.label]
    return replace(
        dataset,
        samples="columns",
        drop=tuple(dict.fromkeys([*dataset.drop, *annotation])),
        phenotype_columns=tuple(dict.fromkeys([*dataset.phenotype_columns, *phenotype])),
    )


def _annotation_of_gct(path: Path, header: list[str]) -> tuple[list[str], int]:
    """Return the columns that describe features, and the number of rows that describe samples."""
    with open_raw(path) as stream:
        version = stream.readline()
        sizes = stream.readline().split()
    if version.startswith(b"#1.2"):
        return header[1:2], 0
    if len(sizes) != 4 or not all(size.isdigit() for size in sizes):
        msg = f"{path}: the second line of GCT 1.3 has four whole numbers; correct it"
        raise InputError(msg, file=str(path))
    n_columns, n_rows = map(int, sizes[2:])
    return header[1 : 1 + n_columns], n_rows


def read_classes(path: Path, table: Path) -> pd.DataFrame:
    """Return the column ``class`` of a CLS file, indexed by the samples of its GCT file.

    By the definition of the format, the first label that occurs belongs to the first class. Labels
    that are names of classes, or numbers, in another order contradict this and are refused.
    """
    if not table.name.lower().removesuffix(".gz").endswith(".gct"):
        msg = f"{path} has no names of samples, like any CLS; use it with GCT, not {table}"
        raise InputError(msg, file=str(path), key="phenotype")
    with about_file(path), open_raw(path) as stream:
        text = stream.read(_MOST_BYTES).decode("utf-8", errors="replace")
        lines = [line.split() for line in text.splitlines() if line.strip()]
        if len(lines) != 3 or lines[0][2:] != ["1"] or not lines[1][0].startswith("#"):
            msg = (
                f"{path} is not CLS: three lines, as '4 2 1', '# tumour normal' and '0 0 1 1'; "
                "numeric labels (#numeric) are not classes"
            )
            raise InputError(msg, file=str(path))
        names = " ".join(lines[1]).lstrip("# ").split()
        labels = lines[2]
        distinct_labels = list(dict.fromkeys(labels))
        header = _read_head(table, 0).header
        annotation, _ = _annotation_of_gct(table, header)
        samples = header[1 + len(annotation) :]
        declared_sizes = lines[0][:2]
        sizes = [str(len(samples)), str(len(names))]
        agree = len(samples) == len(labels) and len(names) == len(distinct_labels)
        if declared_sizes != sizes or not agree:
            first_line = " ".join(lines[0])
            msg = (
                f"{path}: {first_line} is its first line, but {table} has "
                f"{counted(len(samples), 'sample')}, and here are "
                f"{counted(len(labels), 'label')}, {counted(len(names), 'name')} of classes "
                f"(without spaces) and {counted(len(distinct_labels), 'distinct label')}; "
                "correct it"
            )
            raise InputError(msg, file=str(path))
        numbers = [int(label) for label in distinct_labels if re.fullmatch("[0-9]{1,9}", label)]
        in_other_order = numbers != sorted(numbers) or bool(set(distinct_labels) & set(names))
        if distinct_labels != names and in_other_order:
            msg = (
                f"{path}: the first label that occurs, {quoted(labels[0])}, would be of the "
                f"first class, {quoted(names[0])}; list the names in the order in which labels "
                "occur"
            )
            raise InputError(msg, file=str(path))
    class_of_label = dict(zip(distinct_labels, names, strict=True))
    classes = [class_of_label[label] for label in labels]
    return pd.DataFrame({"class": classes}, index=samples, dtype=object)


def gct_and_cls(series: DataSet) -> dict[str, str]:
    r"""Return a series as texts of GCT and CLS by their endings; missing values are empty cells.

    Descriptions are symbols, "na" where there is none. Spaces in names of classes, which separate
    them in CLS, become underscores. Names are written as they are, also those that a spreadsheet
    would run as a formula (``=``, ``+``, ``-``, ``@``), because programs compare them with gene
    sets. GCT has no quotes: some programs take those around a cell as a part of it, others do not.

    Raises
    ------
    InputError
        If a feature is not a measurement, names of classes become equal, or a name or a symbol
        begins with a quotation mark.

    Examples
    --------
    >>> series = DataSet("toy", [[1.5, 2.0]], ["g1"], ["s1", "s2"], ["a tumour", "normal"])
    >>> texts = gct_and_cls(series)
    >>> texts[".gct"].splitlines()
    ['#1.2', '1\t2', 'Name\tDescription\ts1\ts2', 'g1\tna\t1.5\t2.0']
    >>> texts[".cls"].splitlines()
    ['2 2 1', '# a_tumour normal', '0 1']
    """
    if (series.kinds != "linear").any():
        msg = (
            f"{series.name} has features that are not measurements, and GCT is for expression; "
            "write a table"
        )
        raise InputError(msg)
    codes, names = pd.factorize(pd.Series(series.labels).str.replace(r"\s+", "_", regex=True))
    if len(names) < len(series.classes):
        msg = (
            f"{series.name}: names of classes that differ only in spaces or _ are equal in CLS; "
            "give classes other labels by map"
        )
        raise InputError(msg)
    annotation = series.feature_metadata
    symbols = pd.Series(dtype=str)
    if annotation is not None and "symbol" in annotation:
        symbols = annotation["symbol"]
    descriptions = [" ".join(symbol.split()) or "na" for symbol in symbols] or "na"
    for name in (*series.features, *series.samples, *descriptions):
        if name.startswith('"'):
            msg = f"{series.name}: {quoted(str(name))} begins with a quotation mark; rename it"
            raise InputError(msg)
    table = pd.DataFrame(series.values, series.features, series.samples)
    table.insert(0, "Description", descriptions, allow_duplicates=True)
    body = table.to_csv(
        sep="\t", index_label="Name", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None
    )
    lines = [f"{len(codes)} {len(names)} 1", f"# {' '.join(names)}", " ".join(map(str, codes))]
    return {
        ".gct": f"#1.2\n{series.n_features}\t{series.n_samples}\n{body}",
        ".cls": "\n".join(lines) + "\n",
    }
