"""The data sets of a study that were left out, and how to supply them."""

import pandas as pd

from xnbflow.report.page.blocks import Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.tables.contract import Column

_HOW_TO_SUPPLY = (
    "Take a data set out of skip in the configuration, or supply its file, and run the study "
    "again: only what is new is computed. Put a file at the place in its row, or name a folder "
    "with it under download: base_urls: of the configuration. The documentation page “Data files” "
    "(docs/tutorials/data-files.md) has the columns and the origin of each file that no public "
    "address serves, with a few lines that write it. To do without a data set for good, take it "
    "out of the study's datasets."
)
_CAPTION = "Data sets that are not in this run."
_COLUMNS = {
    "dataset": Column("text", "", label="data set"),
    "reason": Column("text", "why it was left out"),
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
        "The study ran without these data sets.",
        [Table(rows, _CAPTION, columns=_COLUMNS), Prose(_HOW_TO_SUPPLY)],
    )
