"""Parquet files with checksums of every page, which name the place that they were written for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.core.atomic import atomic
from xnbflow.core.errors import InputError

#: Metadata key of the file's path below ``results`` or ``resources``, which identifies the file.
_PLACE = b"xnbflow.place"
#: The remedy; the file must be a target, since files made from it may still be up to date.
REMEDY = "delete it and run the workflow again with this file as a target"


@contextmanager
def parquet_writer(
    path: str | Path, schema: pa.Schema, **options: Any
) -> Iterator[pq.ParquetWriter]:
    """Write a Parquet file with checksums, atomically.

    ``options`` are those of `pyarrow.parquet.ParquetWriter`; files are compressed with zstd.
    """
    metadata: dict[bytes, bytes] = dict(schema.metadata or {})
    if place := place_of(path):
        metadata[_PLACE] = place.encode()
    options = {"compression": "zstd", "write_page_checksum": True, **options}
    schema = schema.with_metadata(metadata)
    with atomic(path) as temporary, pq.ParquetWriter(temporary, schema, **options) as writer:
        yield writer


@contextmanager
def open_parquet(path: str | Path) -> Iterator[pq.ParquetFile]:
    """Open a file that `parquet_writer` has written; pages are verified as they are read.

    The block should only read: its errors of Arrow and of the operating system are reported as
    damage of the file.
    """
    try:
        with (
            pa.OSFile(str(path)) as stream,
            pq.ParquetFile(stream, page_checksum_verification=True) as file,
        ):
            # A file belongs to the data set, scheme, classifier and table of its path.
            written_place = (file.schema_arrow.metadata or {}).get(_PLACE, b"").decode()
            place = place_of(path)
            if written_place and place and written_place != place:
                msg = (
                    f"{path} is a copy of {written_place}, which belongs to something else; "
                    f"{REMEDY}"
                )
                raise InputError(msg, file=str(path), remedy=REMEDY)
            yield file
    except FileNotFoundError as error:
        msg = f"{path} is missing; run the workflow again with this file as a target"
        raise InputError(msg) from error
    except (OSError, pa.ArrowException) as error:
        reason = str(error).partition("\n")[0]
        remedy = REMEDY
        msg = f"{path} is damaged ({reason}); {remedy}"
        # Lack of memory or of threads is not damage. Arrow has no error class for a thread that
        # cannot be started: it raises the base class.
        if (
            isinstance(error, MemoryError)
            or type(error) is pa.ArrowException
            or getattr(error, "errno", None)
        ):
            remedy = "remove the cause, and run the workflow again; the file may be intact"
            msg = f"{path} cannot be read ({reason}); {remedy}"
        raise InputError(msg, file=str(path), remedy=remedy) from error


def place_of(path: str | Path) -> str:
    """Return a path from its last folder ``results`` or ``resources`` on; empty without them.

    Examples
    --------
    >>> place_of("work/results/wine/10-fold/nb/fits.parquet")
    'results/wine/10-fold/nb/fits.parquet'
    >>> place_of("fits.parquet")
    ''
    """
    parts = Path(path).absolute().parts
    tops = [i for i, name in enumerate(parts[:-1]) if name in {"results", "resources"}]
    return "/".join(parts[tops[-1] :]) if tops else ""
