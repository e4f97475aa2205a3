"""Parquet files with checksums of pages, written atomically."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.core.atomic import atomic
from xnbflow.core.errors import InputError

#: The remedy; the file must be a target, since files made from it may still be up to date.
REMEDY = "delete it and run the workflow again with this file as a target"


@contextmanager
def parquet_writer(
    path: str | Path, schema: pa.Schema, **options: Any
) -> Iterator[pq.ParquetWriter]:
    """Write a Parquet file with checksums, atomically.

    For ``options`` see `pyarrow.parquet.ParquetWriter`; files are compressed with zstd.
    """
    options = {"compression": "zstd", "write_page_checksum": True, **options}
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
