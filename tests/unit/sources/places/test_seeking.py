"""An optional data set is there, or absent with a reason; a damaged one is an error."""

import json

import pytest
from serving import serving
from toys import put

from xnbflow.core.errors import InputError
from xnbflow.sources.acquire import acquire_noting
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.seeking import origins_of, places_table, seek, write_availability
from xnbflow.tables.contract import PLACES_TABLE
from xnbflow.tables.storage import read_parquet, write_parquet

CSV = b"samples,type,g1,g2\n" + b"".join(
    b"s%d,%s,%d.5,%d.25\n" % (i, b"ab"[i % 2 : i % 2 + 1], i % 9, i % 7) for i in range(50)
)
ROW = DatasetEntry("mine", "microarray", "Mine")


def settings(folder, *places):
    return {"downloads": folder / "downloads", "base_urls": {"microarray": places}, "retries": 0}


def test_a_file_that_no_place_has_is_absent_with_the_places_and_the_remedy(tmp_path):
    sought = seek(ROW, **settings(tmp_path, str(tmp_path)))
    assert f"cannot get Mine.csv: {tmp_path}/Mine.csv: no such file" in sought.reason
    assert "put the file" in sought.reason
    with pytest.raises(InputError) as error:
        acquire_noting(ROW, **settings(tmp_path, str(tmp_path)))
    assert error.value.fields["codes"] == ["downloads.no-file"]
    write_availability(sought, tmp_path / "availability.json")
    found = json.loads((tmp_path / "availability.json").read_text())
    assert found == {"available": False, "reason": sought.reason}


def test_a_file_that_is_there_is_available(tmp_path):
    put(tmp_path, CSV, "Mine.csv")
    sought = seek(ROW, **settings(tmp_path, str(tmp_path)))
    assert sought.reason == ""
    write_availability(sought, tmp_path / "availability.json")
    assert json.loads((tmp_path / "availability.json").read_text())["available"] is True


@pytest.mark.parametrize("content", [b"samples,type,g1\n", b"<html>"])
def test_a_file_that_is_there_but_wrong_is_an_error(tmp_path, content):
    """It is not left out silently: somebody supplied it."""
    put(tmp_path / "downloads/microarray", content, "Mine.csv")
    with pytest.raises(InputError):
        seek(ROW, **settings(tmp_path))


def test_a_user_s_own_file_that_does_not_exist_is_absent(tmp_path):
    row = DatasetEntry("mine", "table", str(tmp_path / "mine.csv"), label="kind")
    assert seek(row).reason == f"location: there is no file {tmp_path / 'mine.csv'}"


def test_the_place_that_seek_noticed_is_in_the_notes_of_acquire(tmp_path):
    """The file is there when *acquire* reads it; its notes and checksums have the server."""
    lock = tmp_path / "checksums.sha256"
    with serving("there", {"Mine.csv": [CSV]}) as server, serving("gone", {}) as gone:
        places = settings(tmp_path, gone.url, server.url)
        sought = seek(ROW, **places)
    path = tmp_path / "places.parquet"
    write_parquet(places_table("mine", sought.origins), path, PLACES_TABLE)
    earlier = origins_of(read_parquet(path, PLACES_TABLE))
    _, notes = acquire_noting(ROW, lock=lock, earlier=earlier, **settings(tmp_path))
    note = notes["note"].iloc[-1]
    assert f"downloaded earlier from {server.url}/Mine.csv" in note
    assert f"other places failed: {gone.url}/Mine.csv: " in note
    assert lock.read_text().startswith(f"# Mine.csv from {server.url}/Mine.csv\n")
