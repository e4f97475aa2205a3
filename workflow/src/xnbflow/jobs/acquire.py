"""A job of *acquire*: one data set from its source."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xnbflow.sources.acquire import acquire_noting
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.seeking import origins_of
from xnbflow.sources.simulate import write_truth
from xnbflow.tables.contract import NOTES_TABLE, PLACES_TABLE
from xnbflow.tables.storage import read_parquet, write_parquet


def acquire_data_set(
    entry: DatasetEntry,
    *,
    series: Path,
    notes: Path,
    truth: Path,
    checksums: Path,
    places: Path | None,
    downloads: Mapping[str, Any],
) -> None:
    """Write the canonical series of a data set, with notes and planted markers.

    ``checksums`` is kept from run to run: a download is compared with that of an earlier run.
    ``places`` is the table of *seek* of an optional data set, which has fetched its files;
    ``downloads`` are settings of `xnbflow.sources.acquire.acquire`.
    """
    earlier = {} if places is None else origins_of(read_parquet(places, PLACES_TABLE))
    data, noted = acquire_noting(entry, lock=checksums, earlier=earlier, **downloads)
    data.write(series)
    write_parquet(noted, notes, NOTES_TABLE)
    write_truth(entry, truth)
    # a data set without downloads has no checksums; the rule promises the file
    checksums.touch()
