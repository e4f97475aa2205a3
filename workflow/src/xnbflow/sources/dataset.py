"""A data set as its row of the sheet describes it: what every source is given."""

from dataclasses import dataclass, field
from pathlib import Path

from xnbflow.sources.files import local_path

__all__ = ["COLUMNS", "DataSet"]

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
class DataSet:
    """A row of the sheet.

    Attributes
    ----------
    id : str
        Names the data set in the configuration and in file names.
    source : str
        One of `xnbflow.sources.registry.known_sources`.
    location : str
        Where in the source: ``Brain/GSE50161`` (cumida), a path or URL (table), a name (bundled,
        uci, angular), nothing (simulate).
    sha256 : str or None
        Checksum of the file, or of what it holds uncompressed.
    samples, features, classes : int or None
        The expected shape; for simulate the shape to make.
    label, id_column : str or None
        For table: the column of class labels, and that of sample names (row numbers without).
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
    def local_file(self) -> Path | None:
        """The user's own file, if the data set is a local one: a workflow can see it change."""
        return local_path(self.location) if self.source == "table" else None

    def names(self, option: str) -> list[str]:
        """Return an option's comma-separated values; none where it is not set."""
        return [name.strip() for name in self.options.get(option, "").split(",") if name.strip()]
