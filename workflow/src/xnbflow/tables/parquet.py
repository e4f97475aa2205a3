"""Parquet files with checksums of pages and metadata, which name the place of their writing."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.core.atomic import atomic
from xnbflow.core.errors import InputError

#: Metadata key of the file's path below ``results`` or ``resources``, which identifies the file.
_PLACE = b"xnbflow.place"
#: Metadata key of the digest of the other metadata and the names of columns: Parquet has checksums
#: of pages only, and the labels of a series are metadata. Files of earlier versions have none.
_SEAL = b"xnbflow.seal"
#: The remedy; the file must be a target, since files made from it may still be up to date.
REMEDY = "delete it and run the workflow again with this file as a target"


@contextmanager
def parquet_writer(
    path: str | Path, schema: pa.Schema, **options: Any
) -> Iterator[pq.ParquetWriter]:
    """Write a Parquet file with checksums, atomically.

    For ``options`` see `pyarrow.parquet.ParquetWriter`; files are compressed with zstd.
    """
    metadata: dict[bytes, bytes] = dict(schema.metadata or {})
    if place := place_of(path):
        metadata[_PLACE] = place.encode()
    metadata[_SEAL] = _digest_of(schema.names, metadata)
    options = {"compression": "zstd", "write_page_checksum": True, **options}
    schema = schema.with_metadata(metadata)
    with atomic(path) as temporary, pq.ParquetWriter(temporary, schema, **options) as writer:
        yield writer


@contextmanager
def open_parquet(path: str | Path) -> Iterator[pq.ParquetFile]:
    """Open a file that `parquet_writer` has written, and verify its metadata.

    Pages are verified as they are read.

    The block should only read: its errors of Arrow and of the operating system are reported as
    damage of the file.
    """
    try:
        with (
            pa.OSFile(str(path)) as stream,
            pq.ParquetFile(stream, page_checksum_verification=True) as file,
        ):
            metadata: dict[bytes, bytes] = dict(file.schema_arrow.metadata or {})
            seal = metadata.pop(_SEAL, None)
            is_sealed = seal in {None, _digest_of(file.schema_arrow.names, metadata)}
            if not is_sealed or file.metadata.num_rows != _rows_of_groups(file):
                msg = f"{path} is damaged (its metadata are not those that were written); {REMEDY}"
                raise InputError(msg, file=str(path), remedy=REMEDY)

            # A file belongs to the data set, scheme, classifier and table of its path.
            written_place = metadata.get(_PLACE, b"").decode()
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


def _rows_of_groups(file: pq.ParquetFile) -> int:
    """Return the number of rows of all row groups, which is in the metadata a second time."""
    return sum(file.metadata.row_group(group).num_rows for group in range(file.num_row_groups))


def _digest_of(columns: Sequence[str], metadata: Mapping[bytes, bytes]) -> bytes:
    """Return the SHA-256 of the names of columns and of metadata, in hexadecimal digits."""
    texts = [[key.decode("latin-1"), value.decode("latin-1")] for key, value in metadata.items()]
    content = json.dumps([list(columns), sorted(texts)])
    return hashlib.sha256(content.encode()).hexdigest().encode()


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
