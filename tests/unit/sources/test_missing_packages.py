"""Files that need a package which is not installed, or whose reader does not end."""

import importlib.util
import subprocess
import sys
from unittest.mock import Mock

import pytest
from toys import put, refused

from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry


def test_a_file_without_its_package_and_a_reader_without_an_end_are_named(tmp_path, monkeypatch):
    pytest.importorskip("h5py")  # its import runs a process, which the test replaces below
    monkeypatch.setattr(subprocess, "run", Mock(side_effect=subprocess.TimeoutExpired([], 20)))
    with refused("HDF5 does not finish reading it", code="anndata_file.damaged"):
        acquire(DatasetEntry("x", "table", str(put(tmp_path, "abc", "x.h5ad")), label="y"))
    monkeypatch.setitem(sys.modules, "h5py", None)
    with refused("to read it, install h5py", code="anndata_file.no-h5py"):
        acquire(DatasetEntry("x", "table", str(put(tmp_path, "abc", "x.h5ad")), label="y"))
    monkeypatch.setattr(importlib.util, "find_spec", Mock(return_value=None))
    with refused(
        "to read it, install python-calamine, or save it as CSV", code="workbook.no-calamine"
    ):
        acquire(DatasetEntry("x", "table", str(put(tmp_path, "abc", "x.xlsx")), label="y"))
