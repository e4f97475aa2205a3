"""A job of *acquire*: one data set from its source."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from xnbflow.sources.acquisition import acquire_noting
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.simulate import write_truth
from xnbflow.tables.contract import NOTES_TABLE
from xnbflow.tables.storage import write_parquet


def acquire_data_set(
    row: SheetRow,
    *,
    series: Path,
    notes: Path,
    truth: Path,
    checksums: Path,
    downloads: Mapping[str, Any],
    check_code: Callable[[], None],
) -> None:
    """Write the canonical series of a row of the sheet, with notes and planted markers.

    ``checksums`` is kept from run to run: a download is compared with that of an earlier run.
    ``downloads`` are settings of `xnbflow.sources.acquisition.acquire`.
    """
    data, noted = acquire_noting(row, lock=checksums, **downloads)
    check_code()
    data.write(series)
    write_parquet(noted, notes, NOTES_TABLE)
    write_truth(row, truth)
    # a data set without downloads has no checksums; the rule promises the file
    checksums.touch()
