"""CuMiDa's microarray series: download, and a reader of their CSV files.

CuMiDa (Feltes et al., J. Comput. Biol. 26, 2019) serves one CSV file per series, with one row per
sample: ``samples,type,<probe>,...``, 50 to 150 MB of decimals with up to 17 digits.
"""

import csv
import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.data.dataset import DataSet
from xnbflow.sources.annotation import annotated
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.delimited import DelimitedText
from xnbflow.sources.downloads import Downloads
from xnbflow.sources.files import open_raw
from xnbflow.sources.intensities import scale_of
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.table_file import Cells, Columns

__all__ = ["BASE_URLS", "load", "read_cumida_csv"]

#: Where CuMiDa has been served, the present address first.
BASE_URLS = (
    "https://sbcb.inf.ufrgs.br/data/cumida/Genes",
    "http://sbcb.inf.ufrgs.br/carbm/static/cumida/Genes",
)

_LOCATION = re.compile(r"([A-Za-z0-9_-]+)/([A-Za-z0-9_-]+)")


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get a series whose location is ``<Type>/<GSE>``, as ``Brain/GSE50161``."""
    match = _LOCATION.fullmatch(dataset.location)
    if not match:
        msg = (
            f"data set {dataset.id}: location {quoted(dataset.location)} is not <Type>/<series>, "
            "as Brain/GSE50161"
        )
        raise InputError(msg, key="location")
    kind, series = match.groups()
    path = downloads.fetch(
        "cumida",
        f"{kind}/{series}/{kind}_{series}.csv",
        default=BASE_URLS,
        sha256=dataset.sha256,
    )
    read = read_cumida_csv(path, dataset.id)
    notes: list[str] = []
    genes = annotated(dataset, read.features.tolist(), "", notes)
    scale = "log2" if scale_of(read.values, read.samples)[0] == "logarithms" else ""
    return replace(read, feature_metadata=genes, notes=tuple(notes), scale=scale)


def read_cumida_csv(path: str | Path, name: str) -> DataSet:
    r"""Read a file in CuMiDa's layout, ``samples,type,<feature>,...`` with one row per sample.

    Every number is the double nearest to its decimal text, as ``float`` gives it. Features whose
    names repeat (GSE26304 has RefSeq accessions of several probes) get the suffixes ``.1``, ``.2``,
    ... from the second on, as pandas gives them, with a warning.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("samples,type,g1,g2\na,tumour,1.5,2\nb,normal,0.1,4e-1\n")
    ...     series = read_cumida_csv(path, "toy")
    >>> series.values.tolist(), series.labels.tolist()
    ([[1.5, 0.1], [2.0, 0.4]], ['tumour', 'normal'])
    """
    path = Path(path)
    with about_file(path):
        with open_raw(path) as stream:
            table = DelimitedText(path, stream, (",", "."), advice="correct or remove it")
            _refuse_other_headers(path, table.header)
            cells = table.read(Columns((0, 1), range(2, len(table.header))), by_column=True)
        if not cells.lines:
            msg = f"{path} has a header but no samples; get it again"
            raise InputError(msg)
        if table.cut:
            msg = (
                f"{path} does not end with a line break; if the file was cut off within its last "
                "number, that number is wrong. Compare its size or checksum with the original"
            )
            warnings.warn(msg, UserWarning, stacklevel=2)
        _refuse_bad_cells(path, table, cells)
        samples, labels = cells.texts
        features = _unique(path, table.header[2:])
        return DataSet(name, cells.numbers.T, features, samples, labels)


def _csv_line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _refuse_other_headers(path: Path, columns: Sequence[str]) -> None:
    if columns[:2] != ["samples", "type"]:
        starts = ", ".join(map(quoted, columns[:3]))
        wrong = (
            f"no label column: the header starts with {starts}, a CuMiDa file "
            "with 'samples', 'type'. Use source 'table' and name the columns there"
        )
    elif len(columns) == 2:
        wrong = "the header names no features; get the file again"
    elif "" in columns:
        wrong = f"column {columns.index('') + 1} has no name; name or remove it"
    else:
        return
    msg = f"{path}, line 1: {wrong}"
    raise InputError(msg, key="line 1")


def _refuse_bad_cells(path: Path, table: DelimitedText, cells: Cells) -> None:
    """Refuse a sample with a missing or repeated name, without a class, or with a missing value."""
    samples, labels = (pd.Series(texts) for texts in cells.texts)
    bad = {
        0: (samples == "") | samples.duplicated(),
        1: labels.map(is_missing),
    }
    for column, rows in bad.items():
        if rows.any():
            row = int(rows.argmax())
            cell = cells.texts[column][row]
            wrong = (
                "occurs before; make names unique" if cell and not column else "is a missing value"
            )
            msg = (
                f"{path}, {table.place(column, cells.lines[row])}: {quoted(cell)} {wrong}; fill it "
                "in, correct it or remove the line"
            )
            raise InputError(msg, key=table.header[column])
    missing = np.isnan(cells.numbers)
    if missing.any():
        row, column = np.argwhere(missing)[0].tolist()
        msg = (
            f"{path}, {table.place(2 + column, cells.lines[row])}: the value is missing; correct "
            "or remove it"
        )
        raise InputError(msg, key=table.header[2 + column])


def _unique(path: Path, names: Sequence[str]) -> list[str]:
    """Add ``.1``, ``.2``, ... to the second, third, ... feature of a name."""
    repeated = pd.Series(names).value_counts()
    repeated = repeated[repeated > 1]
    if repeated.empty:
        return list(names)
    msg = (
        f"{path}: {counted(len(repeated), 'feature name', 'occurs', 'occur')} more than once (for "
        f"example {repeated.index[0]!r}); all but the first of each got the suffix .1, .2, ..."
    )
    warnings.warn(msg, UserWarning, stacklevel=3)
    return list(pd.read_csv(io.BytesIO(_csv_line(names)), index_col=False).columns)
