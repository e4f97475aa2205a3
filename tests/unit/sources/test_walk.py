"""The walk of a table: the functions that a CSV passes between its row and its series."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from xnbflow import sources
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, read_entry
from xnbflow.sources.proposal.table_summary import summarise_table

#: Issue 79: 112 functions in 25 files before, and 159 before issue 66, by this count.
MOST_FUNCTIONS = 57
MOST_FILES = 22
#: Issue 79: 190 functions before, by this count.
MOST_FUNCTIONS_OF_STUDY = 95


def write_table(folder):
    """Write a table of 30 samples and 50 genes, and return its entry."""
    values = np.random.default_rng(0).normal(8, 1, (30, 50)).round(3)
    table = pd.DataFrame(values, columns=[f"g{i}" for i in range(50)])
    table.insert(0, "type", ["ill", "well"] * 15)
    table.insert(0, "sample", [f"s{i}" for i in range(30)])
    table.to_csv(folder / "x.csv", index=False)
    settings = {"source": "table", "file": f"{folder}/x.csv", "label": "type", "id": "sample"}
    return read_entry("x", settings)


def functions_entered(function, entry):
    """Return the functions of the package `sources` that a call enters, as files and names."""
    function(entry)  # imports are no part of the walk
    folder = Path(sources.__file__).parent
    functions = set()

    def note(frame, event, _argument):
        code = frame.f_code
        is_named = not code.co_name.startswith("<")  # generators and lambdas are lines of others
        if event == "call" and is_named and Path(code.co_filename).is_relative_to(folder):
            functions.add((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        function(entry)
    finally:
        sys.setprofile(None)
    return functions


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_small_table_passes_few_functions(tmp_path):
    functions = functions_entered(acquire, write_table(tmp_path))
    assert len(functions) <= MOST_FUNCTIONS
    assert len({file for file, _ in functions}) <= MOST_FILES


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_study_of_a_small_table_passes_few_functions(tmp_path):
    write_table(tmp_path)
    request = DatasetEntry("x", "table", f"{tmp_path}/x.csv")
    assert len(functions_entered(summarise_table, request)) <= MOST_FUNCTIONS_OF_STUDY


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("samples", ["rows", "columns"])
def test_a_study_reads_a_table_once(tmp_path, samples):
    """The layout, the label, missing values and repeated names are inferred from one reading."""
    values = np.random.default_rng(1).normal(8, 1, (12, 40)).round(3)
    table = pd.DataFrame(values, columns=[*(f"ZNF{i}" for i in range(39)), "ZNF1"])
    table.iloc[3, 5] = np.nan
    table.index = pd.Index([f"P{i // 2}_{kind}" for i, kind in enumerate(["ill", "well"] * 6)])
    table = table if samples == "rows" else table.T
    table.to_csv(tmp_path / "x.csv", index_label="name")
    n_readings = 0

    def note(frame, event, _argument):
        nonlocal n_readings
        n_readings += event == "call" and frame.f_code.co_name == "read_text"

    sys.setprofile(note)
    try:
        proposed = summarise_table(DatasetEntry("x", "table", f"{tmp_path}/x.csv")).entry
    finally:
        sys.setprofile(None)
    assert n_readings == 1
    assert (proposed.missing, proposed.duplicates) == ("impute", "max_mean")
    assert proposed.group == "sample name patient"
