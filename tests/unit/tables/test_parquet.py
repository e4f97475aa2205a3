"""Damaged and unreadable Parquet files are refused with the remedy that helps."""

import errno

import pyarrow as pa
import pytest
from toys import refused

from xnbflow.tables.parquet import REMEDY, open_parquet, parquet_writer

TABLE = pa.table({"a": pa.array(range(5000), pa.int64())})


def write(path):
    with parquet_writer(path, TABLE.schema, use_dictionary=False, compression="none") as writer:
        writer.write_table(TABLE)
    return path


def read(path):
    with open_parquet(path) as file:
        return file.read()


def test_a_changed_byte_is_damage(tmp_path):
    path = write(tmp_path / "t.parquet")
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    with refused("t.parquet is damaged", remedy=REMEDY):
        read(path)


@pytest.mark.parametrize(
    "error",
    [pa.ArrowMemoryError("no memory"), pa.ArrowException("no thread"), OSError(errno.EIO, "I/O")],
)
def test_lack_of_memory_or_threads_and_errors_of_the_disk_are_not_damage(tmp_path, error):
    path = write(tmp_path / "t.parquet")
    with (
        refused("the file may be intact", file=path) as _,
        open_parquet(path),
    ):
        raise error


def test_another_error_of_arrow_is_damage(tmp_path):
    path = write(tmp_path / "t.parquet")
    with refused("is damaged", remedy=REMEDY), open_parquet(path):
        raise pa.ArrowInvalid("bad page")
