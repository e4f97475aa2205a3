"""Files of gene sets (GMT): those of the user, and public ones that are downloaded once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.sources.formats.files import checksums
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.pinned import pinned_url
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.studies.enrichment import read_gene_sets
from xnbflow.tables.contract import DOWNLOADS, GENE_LIST_TABLES

#: The folder of downloaded gene sets below that of all downloads.
_SOURCE = "gene_sets"


@dataclass(frozen=True)
class GeneSetFile:
    """A file of gene sets on this machine, and the ``place`` that the configuration names."""

    path: Path
    place: str


def fetch_gene_sets(
    locations: Sequence[str], download: Mapping[str, Any], folder: Path | None = None
) -> list[GeneSetFile]:
    """Return public files of gene sets, each downloaded once and checked by its SHA-256.

    Parameters
    ----------
    locations : sequence of str
        URLs with a checksum, see `xnbflow.sources.places.pinned`.
    download : mapping
        The section of the configuration.
    folder : path, optional
        The folder of downloads, in which files put there by hand are found, too.
    """
    settings = dict(download)
    base_urls = settings.pop("base_urls", {})
    downloads = Downloads(
        folder or Path(DOWNLOADS),
        base_urls,
        RetryPolicy(**settings),
        checksum_place="the key gene_sets of the configuration",
    )
    files = []
    for location in locations:
        pinned = pinned_url(location)
        if pinned is None:
            msg = f"gene_sets: {location} is no URL"
            raise InputError(msg, key="gene_sets")
        url, sha256 = pinned
        name = url.rpartition("/")[2] or "gene-sets.gmt"
        path = downloads.fetch_location(_SOURCE, url, name=name, sha256=sha256)
        files.append(GeneSetFile(path, url))
    return files


def gene_set_file_table(files: Sequence[GeneSetFile]) -> pd.DataFrame:
    """Return the study's table ``gene_set_files``: a row for each file, with its checksum."""
    rows = []
    for file in files:
        row = {
            "file": file.path.name,
            "place": file.place,
            "sha256": checksums(file.path)[0],
            "gene_sets": len(read_gene_sets(file.path)),
        }
        rows.append(row)
    return pd.DataFrame(rows, columns=GENE_LIST_TABLES["gene_set_files"].fixed)
