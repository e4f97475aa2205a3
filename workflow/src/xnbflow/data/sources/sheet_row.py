"""A data set as its row of the sheet describes it: what every source is given."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from xnbflow.data.sources.location import local_path

__all__ = ["COLUMNS", "SheetRow", "is_accession"]

_ACCESSION = re.compile(r"GDS\d+|GSE\d+(-GPL\d+)?")

#: The sheet's columns, in order.
COLUMNS = (
    "id",
    "source",
    "location",
    "sha256",
    "samples",
    "features",
    "classes",
    "label",
    "id_column",
    "orientation",
    "options",
)


@dataclass(frozen=True)
class SheetRow:
    """A row of the sheet.

    Attributes
    ----------
    id : str
        Names the data set in the configuration and in file names.
    source : str
        One of `xnbflow.data.sources.registry.known_sources`.
    location : str
        Where in the source: ``Brain/GSE50161`` (cumida), an accession, path or URL (geo), a path or
        URL (table), a name (bundled, uci, angular), nothing (simulate).
    sha256 : str or None
        Checksum of the file, or of what it holds uncompressed.
    samples, features, classes : int or None
        The expected shape; for simulate the shape to make.
    label, id_column : str or None
        For table: the column of class labels, and that of sample names (row numbers without). For
        geo, the label is ``title``, ``characteristics:diagnosis`` and the like.
    orientation : {"rows", "columns"}
        For table: whether a sample is a row or a column.
    options : dict of str to str
        Further settings of the source, from ``key=value;key=value``.
    """

    id: str
    source: str
    location: str = ""
    sha256: str | None = None
    samples: int | None = None
    features: int | None = None
    classes: int | None = None
    label: str | None = None
    id_column: str | None = None
    orientation: str = "rows"
    options: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def local_files(self) -> dict[str, Path]:
        """The user's own files, which a workflow sees change: ``location``, or an option's name."""
        named = {key: self.options.get(key, "") for key in ("phenotype", "annotation")}
        if self.source == "table" or (self.source == "geo" and not is_accession(self.location)):
            named["location"] = self.location
        if re.fullmatch(r"GPL\d+|none", named["annotation"]):
            named.pop("annotation")
        if is_accession(named["phenotype"]):
            named.pop("phenotype")
        found = {key: local_path(text) for key, text in named.items() if text}
        return {key: path for key, path in found.items() if path is not None}

    def with_files(self, files: Mapping[str, str]) -> "SheetRow":
        """Return the row with its own files (as `local_files` names them) found elsewhere."""
        files = dict(files)
        location = files.pop("location", self.location)
        return replace(self, location=location, options={**self.options, **files})

    def names(self, option: str) -> list[str]:
        """Return an option's comma-separated values; none where it is not set."""
        return [name.strip() for name in self.options.get(option, "").split(",") if name.strip()]


def is_accession(location: str) -> bool:
    """Return whether a location is GEO's accession of a series or a data set.

    Examples
    --------
    >>> is_accession("GSE781-GPL96"), is_accession("GSE781_series_matrix.txt.gz")
    (True, False)
    """
    return _ACCESSION.fullmatch(location) is not None
