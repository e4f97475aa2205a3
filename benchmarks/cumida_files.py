"""A writer of files in CuMiDa's layout, for benchmarks and tests of readers."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xnbflow.core.atomic import atomic
from xnbflow.data.dataset import DataSet


def write_cumida_csv(series: DataSet, path: str | Path) -> None:
    """Write a series as a CSV file in CuMiDa's layout; the file appears whole or not at all.

    Parameters
    ----------
    series : DataSet
        What to write. Numbers are written with as many digits as reading them back needs.
    path : path
        Where to write. Missing folders are made.

    Examples
    --------
    >>> import tempfile
    >>> series = DataSet("toy", [[0.1, 2.0]], ["g1"], ["a", "b"], ["tumour", "normal"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_cumida_csv(series, Path(folder, "toy.csv"))
    ...     print(Path(folder, "toy.csv").read_text())
    samples,type,g1
    a,tumour,0.1
    b,normal,2
    <BLANKLINE>
    """
    with atomic(path) as temporary, temporary.open("wb") as file:
        file.write(_csv_line(["samples", "type", *series.features]))
        for sample, label, values in zip(
            series.samples, series.labels, series.values.T, strict=True
        ):
            cells = pc.cast(pa.array(np.ascontiguousarray(values)), pa.string())
            row = pa.ListArray.from_arrays([0, len(cells)], cells)
            file.write(_csv_line([sample, label])[:-1] + b",")
            file.write(pc.binary_join(row, ",")[0].as_buffer())
            file.write(b"\n")


def _csv_line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()
