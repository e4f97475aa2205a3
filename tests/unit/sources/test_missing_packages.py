"""Files that need a package which is not installed."""

import sys

from toys import put, refused

from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry


def test_a_file_without_its_package_is_refused_with_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with refused("to read it, install anndata"):
        acquire(DatasetEntry("x", "table", str(put(tmp_path, "abc", "x.h5ad")), label="y"))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with refused("to read it, install"):
        acquire(DatasetEntry("x", "table", str(put(tmp_path, "abc", "x.xlsx")), label="y"))
