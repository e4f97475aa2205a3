"""Seek the files of an optional data set: a study runs without those that cannot be had."""

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.atomic import write_atomically
from xnbflow.sources.acquire import acquire_noting
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import Origin, UnavailableError

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Sought:
    """Whether a data set can be had.

    Attributes
    ----------
    reason : str
        Why it cannot; empty if it can.
    origins : list of Origin
        Where its files came from.
    """

    reason: str
    origins: list[Origin]


def seek(dataset: DatasetEntry, **settings: Any) -> Sought:
    """Try to acquire a data set, and return whether its files can be had.

    A file that cannot be read, or is not the file of the entry, is an error here as in
    *acquire*: only files that no place has are absent.

    Parameters
    ----------
    dataset : DatasetEntry
        Its entry in the configuration.
    **settings
        The keyword arguments of `xnbflow.sources.acquire.acquire`.
    """
    for key, path in dataset.local_files.items():
        if not path.is_file():
            return Sought(reason=f"{key}: there is no file {path}", origins=[])
    origins: list[Origin] = []
    try:
        acquire_noting(dataset, origins=origins, **settings)
    except UnavailableError as error:
        reason = " ".join(str(error).split())
        _LOG.warning("data set %s is left out: %s", dataset.id, reason)
        return Sought(reason=reason, origins=[])
    return Sought(reason="", origins=origins)


def write_availability(sought: Sought, path: str | Path) -> None:
    """Write whether a data set can be had; planning reads it, see `read_reason`."""
    text = json.dumps({"available": not sought.reason, "reason": sought.reason}, indent=1)
    write_atomically(Path(path), lambda part: part.write_text(f"{text}\n", encoding="utf-8"))


def places_table(dataset: str, origins: Iterable[Origin]) -> pd.DataFrame:
    """Return a row for each file of a data set, with its place and the places that failed."""
    rows = []
    for origin in origins:
        place = origin.place if isinstance(origin.place, str) else ""
        rows.append(
            {
                "dataset": dataset,
                "file": origin.path.name,
                "place": place or origin.earlier,
                "failures": "\n".join(origin.failures),
            }
        )
    return pd.DataFrame(rows, columns=["dataset", "file", "place", "failures"], dtype=object)


def origins_of(places: pd.DataFrame) -> dict[str, Origin]:
    """Return the origins in a table of `places_table` by the name of the file."""
    origins = {}
    for row in places.to_dict("records"):
        failures = tuple(filter(None, row["failures"].split("\n")))
        origins[row["file"]] = Origin(
            Path(row["file"]), None, failures=failures, earlier=row["place"]
        )
    return origins
