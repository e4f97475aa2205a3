"""Microarray series that no public address serves: files in CuMiDa's layout that a user supplies.

The series of the studies `baselines`, `signatures`, `separation` and `cohorts` are in R packages.
docs/tutorials/data-files.md describes their columns and origin, with a few lines that write each.
"""

import re

from xnbflow.core.errors import InputError, quoted
from xnbflow.data.dataset import DataSet
from xnbflow.sources.cumida import read_cumida_csv
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import Downloads

_NAME = re.compile(r"[A-Za-z0-9_-]+")


def load(dataset: DatasetEntry, downloads: Downloads) -> DataSet:
    """Get the file ``<name>.csv``, gzipped or not, from a folder that the user names.

    Folders, or URLs of a mirror, are the base URLs of the source ``microarray``; without one the
    file is expected in the folder of downloads.
    """
    if not _NAME.fullmatch(dataset.location):
        msg = (
            f"data set {dataset.id}: name {quoted(dataset.location)} is not the name of a file "
            "without its ending, as SRBCT_Khan2001"
        )
        raise InputError(msg, key="name")
    path = downloads.fetch("microarray", f"{dataset.location}.csv", sha256=dataset.sha256)
    return read_cumida_csv(path, dataset)
