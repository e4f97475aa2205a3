"""Microarray series that no public address serves: files in CuMiDa's layout that a user supplies.

The series of the studies `baselines`, `signatures`, `separation` and `cohorts` are in R packages.
docs/tutorials/data-files.md describes their columns and origin, with a few lines that write each.
"""

import re

from xnbflow.core.refusals import Refusal
from xnbflow.data.dataset import DataSet
from xnbflow.sources.cumida import read_cumida_csv
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.sheet import SheetRow

_LOCATION = re.compile(r"[A-Za-z0-9_-]+")


_WRONG_LOCATION = Refusal(
    code="microarray.wrong-location",
    sentence=(
        "data set {dataset}: location {location!r} is not the name of a file without its "
        "ending, as SRBCT_Khan2001"
    ),
    key="location",
)


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get the file ``<location>.csv``, gzipped or not, from a folder that the user names.

    Folders, or URLs of a mirror, are the base URLs of the source ``microarray``; without one the
    file is expected in the folder of downloads.
    """
    if not _LOCATION.fullmatch(dataset.location):
        raise _WRONG_LOCATION.error(dataset=dataset.id, location=dataset.location)
    path = downloads.fetch("microarray", f"{dataset.location}.csv", sha256=dataset.sha256)
    return read_cumida_csv(path, dataset.id, dataset.options)
