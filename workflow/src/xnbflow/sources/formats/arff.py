"""Weka's ARFF as a table, by `scipy.io.arff`: numbers and nominal attributes, no texts or dates.

CuMiDa serves every series in this format as well.
"""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.io import arff

from xnbflow.core.errors import InputError
from xnbflow.sources.formats.parquet import ArrowTable
from xnbflow.sources.formats.text_table import TextTable

#: The name of a declared attribute, in quotes of either kind or without.
_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'([^']*)'|"([^"]*)"|(\S+))""", re.IGNORECASE)


def read_arff(path: Path, stream: io.BufferedIOBase) -> TextTable:
    """Read an ARFF file; a question mark is a missing value."""
    table = arff_frame(path, stream)
    return ArrowTable(
        path=path,
        header=list(table.columns),
        arrow=pa.Table.from_pandas(table, preserve_index=False),
        lines=range(1, len(table) + 1),
    )


def arff_frame(path: Path, stream: io.BufferedIOBase) -> pd.DataFrame:
    """Return the attributes of an ARFF file as columns of numbers, or of texts (None: missing)."""
    try:
        text = stream.read().decode("utf-8-sig")
        records, attributes = arff.loadarff(io.StringIO(text))
    except (arff.ArffError, arff.ParseArffError, NotImplementedError, ValueError) as error:
        reason = str(error)[:160]
        msg = (
            f"{path} cannot be read as ARFF ({reason}). Only numeric and nominal attributes and "
            "full rows are read; save the file as CSV, or get it again"
        )
        raise InputError(msg, file=str(path)) from error
    except StopIteration as error:
        msg = (
            f"{path} cannot be read as ARFF (it has no @data). Only numeric and nominal "
            "attributes and full rows are read; save the file as CSV, or get it again"
        )
        raise InputError(msg, file=str(path)) from error
    columns: dict[str, np.ndarray] = {}
    for name, kind in zip(attributes.names(), attributes.types(), strict=True):
        if kind == "nominal":
            texts = [cell.decode() for cell in records[name].tolist()]
            columns[name] = np.array([None if text == "?" else text for text in texts], object)
        else:
            columns[name] = _whole_numbers(records[name])
    return pd.DataFrame(columns)


def _whole_numbers(values: np.ndarray) -> np.ndarray:
    """Return int64 if all values are whole, such as numbers of samples: 0 is no name ``0.0``."""
    are_whole = (np.abs(values) < 2**53).all() and (values == np.floor(values)).all()
    return values.astype(np.int64) if are_whole else values


def attribute_names(stream: io.BufferedIOBase) -> list[str]:
    """Return the names of the attributes of an ARFF file, whose rows are not read."""
    names = []
    for line in stream:
        text = line.decode("utf-8", errors="replace").strip()
        if text.lower().startswith("@data"):
            break
        match = _ATTRIBUTE.match(text)
        if match is not None:
            names.append(next(name for name in match.groups() if name is not None))
    return names
