"""The walk of a table: the functions that a CSV passes between its row and its series."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from xnbflow import sources
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import read_entry

#: Issue 66: 159 functions in 27 files before, by this count.
MOST_FUNCTIONS = 103
MOST_FILES = 20


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_small_table_passes_few_functions(tmp_path):
    values = np.random.default_rng(0).normal(8, 1, (30, 50)).round(3)
    table = pd.DataFrame(values, columns=[f"g{i}" for i in range(50)])
    table.insert(0, "type", ["ill", "well"] * 15)
    table.insert(0, "sample", [f"s{i}" for i in range(30)])
    table.to_csv(tmp_path / "x.csv", index=False)
    settings = {"source": "table", "file": f"{tmp_path}/x.csv", "label": "type", "id": "sample"}
    entry = read_entry("x", settings)
    acquire(entry)  # imports are no part of the walk
    folder = Path(sources.__file__).parent
    functions = set()

    def note(frame, event, _argument):
        code = frame.f_code
        is_named = not code.co_name.startswith("<")  # generators and lambdas are lines of others
        if event == "call" and is_named and Path(code.co_filename).is_relative_to(folder):
            functions.add((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        acquire(entry)
    finally:
        sys.setprofile(None)
    assert len(functions) <= MOST_FUNCTIONS
    assert len({file for file, _ in functions}) <= MOST_FILES
