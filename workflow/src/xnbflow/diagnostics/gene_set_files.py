"""Files of gene sets (GMT): those of the user, and public ones that are downloaded once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.data.dataset import refuse_control_characters
from xnbflow.sources.formats.files import checksums, open_raw, text_lines
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.pinned import pinned_url
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.tables.contract import DOWNLOADS

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


def read_gene_sets(*paths: str | Path) -> dict[str, set[str]]:
    """Read GMT files: a set per line, its name, a description and its genes, separated by tabs.

    A line without genes, a second one with the same name in any file, and a name with control
    characters are an `InputError`.
    """
    sets: dict[str, set[str]] = {}
    for path in paths:
        with about_file(path):
            _read_sets(Path(path), sets)
    return sets


def _read_sets(path: Path, sets: dict[str, set[str]]) -> None:
    """Add the gene sets of a GMT file to ``sets``, by name."""
    with open_raw(path) as stream:
        for number, raw in enumerate(text_lines(path, stream), 1):
            where = f"{path}, line {number}"
            try:
                name, *rest = (cell.strip() for cell in raw.decode("utf-8-sig").split("\t"))
            except UnicodeDecodeError as error:
                msg = f"{where}: not UTF-8 text; save the file as UTF-8"
                raise InputError(msg) from error
            if not any((name, *rest)):
                continue
            refuse_control_characters(where, "name of the set", [name])
            genes = set(rest[1:]) - {""}
            if not genes or name in sets:
                wrong = "has the name of an earlier set" if name in sets else "has no genes"
                msg = (
                    f"{where}: {quoted(name)} {wrong}. A GMT file has a set per line: "
                    "name, description and genes, separated by tabs"
                )
                raise InputError(msg)
            sets[name] = genes


def with_files(tests: pd.DataFrame, files: Sequence[GeneSetFile]) -> pd.DataFrame:
    """Return the table ``gene_set_tests`` with the file of each set, its place and its checksum."""
    file_of_set: dict[str, dict[str, str]] = {}
    for file in files:
        described = {"file": file.path.name, "place": file.place, "sha256": checksums(file.path)[0]}
        file_of_set |= dict.fromkeys(read_gene_sets(file.path), described)
    columns = {}
    for column in ("file", "place", "sha256"):
        columns[column] = [file_of_set[name][column] for name in tests["gene_set"]]
    return tests.assign(**columns)
