"""The data sets of a study that could not be had, and how to supply them."""

import pandas as pd

from xnbflow.report.page.blocks import Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.tables.contract import Column

_HOW_TO_SUPPLY = (
    "Supply the files and run the study again: it looks for them anew, and computes only what is "
    "new. Put a file at the place in its row, or name a folder with it under download: base_urls: "
    "of the configuration. The documentation page “Data files” (docs/tutorials/data-files.md) has "
    "the columns and the origin of each file that no public address serves, with a few lines that "
    "write it. To do without a data set for good, take it out of the study's datasets."
)
_CAPTION = "Optional data sets that are not in this run, with the places that were tried."
_COLUMNS = {
    "dataset": Column("text", "", label="data set"),
    "reason": Column("text", "why it is missing"),
}


def section(results: StudyResults) -> Section | None:
    """Return the data sets without which the study ran, with the reasons; None without one."""
    missing = results.study.missing
    if not missing:
        return None
    rows = pd.DataFrame({"dataset": list(missing), "reason": list(missing.values())})
    return Section(
        "missing",
        "Data sets that are missing",
        "Files of these data sets could not be had; the study ran without them.",
        [Table(rows, _CAPTION, columns=_COLUMNS), Prose(_HOW_TO_SUPPLY)],
    )
