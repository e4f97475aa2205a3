"""Refusals of readers and data sets: what was found, where, and what to do.

The rows ``refusal`` of ``mistakes.toml`` have a way to read, files by name (as Latin-1), a part of
the message, and fields of the entry.
"""

from pathlib import Path

import pytest
from toys import mistakes

from xnbflow.core.errors import InputError
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, local_path
from xnbflow.sources.formats.count_folder import merge_counts
from xnbflow.sources.geo import read_geo
from xnbflow.sources.places.pinned import pinned_url
from xnbflow.sources.registry import is_entry_key
from xnbflow.sources.table import read_table


def row_of(path, source="table", **cells):
    """Return an entry for a file; other files beside it are named by their paths."""
    if "phenotype" in cells:
        cells["phenotype"] = str(path.with_name(cells["phenotype"]))
    cells = {"label": "type"} | cells
    cells["label"] = cells["label"] or None
    return DatasetEntry("x", source, str(path), **cells)


READERS = {
    "table": lambda path, **cells: read_table(path, row_of(path, **cells)),
    "acquire": lambda path, **cells: acquire(row_of(path, **cells)),
    "geo": lambda path: read_geo(path, row_of(path, "geo", label="title")),
    "folder": lambda path: merge_counts(path.parent),
    "pinned": lambda path: pinned_url(str(path)),
    "cumida": lambda path: acquire(DatasetEntry("x", "cumida", path)),
    "microarray": lambda path: acquire(DatasetEntry("x", "microarray", path)),
    "location": lambda path: local_path(str(path)),
}


@pytest.mark.parametrize("row", mistakes("refusal"), ids=lambda row: row[2])
def test_what_is_wrong_is_refused_with_the_file_and_what_to_do(tmp_path, row):
    reader, files, message, *cells = row
    paths = list(files)
    if reader not in ("pinned", "location", "cumida", "microarray"):
        paths = [tmp_path / name for name in files]
        for path, content in zip(paths, files.values(), strict=True):
            if content != "absent":
                path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=message) as error:
        READERS[reader](paths[0], **dict(*cells))
    assert error.value.key in (None, "name", "source") or is_entry_key(error.value.key)
    if reader in ("table", "geo", "folder"):
        assert Path(error.value.file).is_relative_to(tmp_path)
