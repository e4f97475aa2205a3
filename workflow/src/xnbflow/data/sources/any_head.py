"""The head of a GEO file, whether a series matrix or a curated data set."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from xnbflow.data.sources.dataset_head import read_dataset_head
from xnbflow.data.sources.formats import format_of
from xnbflow.data.sources.geo_head import GeoHead
from xnbflow.data.sources.matrix_head import read_matrix_head

if TYPE_CHECKING:
    import io

__all__ = ["read_head"]


def read_head(path: str | Path, stream: "io.BufferedReader[Any]") -> GeoHead:
    """Read the head of a series matrix or of a GDS, whichever it is, and leave the stream there.

    Raises
    ------
    InputError
        If it is neither.
    """
    if format_of(stream.peek(4096)[:4096]) == "SOFT":
        return read_dataset_head(path, stream)
    return read_matrix_head(path, stream)
