"""Read a small table, then a large one, and print by how many bytes the peak of memory rose.

``python peak_of_reading.py {rows,columns} small.csv large.csv``; the label is ``class``.
"""

import sys
import warnings
from pathlib import Path

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.table import read_table


def status(key: str) -> int:
    """Return a number of this process in bytes, by its name in /proc."""
    text = Path("/proc/self/status").read_text()
    return int(text.split(f"{key}:")[1].split()[0]) * 1024


if __name__ == "__main__":
    orientation, small, large = sys.argv[1:]
    warnings.simplefilter("ignore")
    row = DatasetEntry("x", "table", "x", label="class", samples=orientation)
    read_table(small, row)
    before = status("VmRSS")
    read_table(large, row)
    print(status("VmHWM") - before)
