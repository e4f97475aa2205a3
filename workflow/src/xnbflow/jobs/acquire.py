"""A job of *acquire*: one data set from its source."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xnbflow.core.errors import InputError
from xnbflow.sources.acquire import acquire_with_findings
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import UnavailableError
from xnbflow.sources.simulate import write_truth
from xnbflow.tables.contract import GROUPS, UNRESOLVED
from xnbflow.tables.finding_table import finding_table
from xnbflow.tables.storage import write_parquet


def acquire_data_set(
    entry: DatasetEntry,
    *,
    series: Path,
    findings: Path,
    truth: Path,
    checksums: Path,
    downloads: Mapping[str, Any],
) -> None:
    """Write the canonical series of a data set, with findings and planted markers.

    ``checksums`` is kept from run to run: a download is compared with that of an earlier run.
    ``downloads`` are settings of `xnbflow.sources.acquire.acquire`.

    Raises
    ------
    UnavailableError
        If no place has a file. The message also has the line that leaves the data set out.
    """
    try:
        data, notices = acquire_with_findings(
            entry, lock=checksums, unresolved=UNRESOLVED, **downloads
        )
    except InputError as error:
        if not _is_unavailable(error):
            raise
        msg = (
            f"{error}. To run without this data set, add skip: [{entry.id}] to the configuration, "
            f"or --config skip={entry.id} to the command"
        )
        raise UnavailableError(msg, file=error.file, key=error.key) from error
    data.write(series)
    write_parquet(finding_table(notices), findings, GROUPS["audit"].tables["findings"])
    write_truth(entry, truth)
    # a data set without downloads has no checksums; the rule promises the file
    checksums.touch()


def _is_unavailable(error: BaseException) -> bool:
    """Return whether the cause of an error is a file that no place has."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, UnavailableError):
            return True
        cause = cause.__cause__
    return False
