"""Damaged, copied and unreadable Parquet files are refused with the remedy that helps."""

import errno

import pyarrow as pa
import pytest
from toys import refused

from xnbflow.tables.parquet import REMEDY, open_parquet, parquet_writer, place_of

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


def test_the_place_begins_at_the_last_folder_of_results():
    assert place_of("/results/x/results/a/t.parquet") == "results/a/t.parquet"
    assert place_of("/resources/a/t.parquet") == "resources/a/t.parquet"
    assert place_of("/other/results") == ""


def test_a_copy_for_another_data_set_is_refused(tmp_path):
    path = write(tmp_path / "results/a/t.parquet")
    copy = tmp_path / "results/b/t.parquet"
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    assert read(path).num_rows == 5000
    with refused("is a copy of results/a/t.parquet", file=copy):
        read(copy)


def test_a_file_that_was_moved_out_of_results_is_read(tmp_path):
    path = write(tmp_path / "results/a/t.parquet")
    moved = path.rename(tmp_path / "t.parquet")
    assert read(moved).num_rows == 5000


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
