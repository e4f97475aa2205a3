"""A job of *seek*: whether the files of an optional data set can be had."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.seeking import places_table, seek, write_availability
from xnbflow.tables.contract import PLACES_TABLE
from xnbflow.tables.storage import write_parquet


def seek_data_set(
    entry: DatasetEntry,
    *,
    availability: Path,
    places: Path,
    downloads: Mapping[str, Any],
) -> None:
    """Write whether the files of a data set can be had, and from where.

    ``downloads`` are settings of `xnbflow.sources.places.seeking.seek`.
    """
    sought = seek(entry, **downloads)
    write_parquet(places_table(entry.id, sought.origins), places, PLACES_TABLE)
    write_availability(sought, availability)
