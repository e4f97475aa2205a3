"""The blocks of sections that tests look at: tables, figures, prose."""

import base64
import gzip
import json
import struct

import numpy as np
from report_study import walk

from xnbflow.report.page import blocks as kinds
from xnbflow.report.page.blocks import Prose, Table
from xnbflow.report.sections import (
    accuracy,
    answer,
    audit,
    explanation,
    methods,
    samples,
)

#: The sections of a study without models, cohorts and analyses.
MODULES = (
    answer,
    audit,
    accuracy,
    explanation,
    samples,
    methods,
)


def blocks(section, kind):
    """Every block of a kind in a section, those in groups included."""
    return [block for block in walk(section.blocks) if isinstance(block, kind)]


def column(table, row, name):
    """Return the cell of a table in the row that its first column names."""
    frame = table.frame.set_index(table.frame.columns[0])
    return frame.loc[row, name]


def drawn(section, name):
    """The arguments of a figure, by its name."""
    return next(f.arguments for f in kinds.figures_of(section.blocks) if f.name == name)


def table_with(section, *columns):
    """The first table of a section that has these columns."""
    return next(t for t in blocks(section, Table) if set(columns) <= set(t.frame))


def warnings_in(section):
    """Return the texts of the warnings of a section."""
    return [prose.text for prose in blocks(section, Prose) if prose.role == "warning"]


def unpack(text):
    """Read a packed content as charts.js does; return its header and its arrays by name.

    Four bytes have the size of the header, which is JSON. Each array follows at the next multiple
    of eight bytes.
    """
    data = gzip.decompress(base64.b64decode(text))
    (size,) = struct.unpack("<I", data[:4])
    header = json.loads(data[4 : 4 + size])
    arrays = {}
    end = 4 + size
    for name, kind, length in header.pop("arrays"):
        start = -(-end // 8) * 8
        arrays[name] = np.frombuffer(data, kind, length, start)
        end = start + arrays[name].nbytes
    return header, arrays
