"""Damaged AnnData files: read as what they hold, or refused with an `InputError`.

Each part of a file has a checksum: what is read after bytes were changed equals what was written.
XNBFLOW_FUZZ is the number of all files.
"""

import os
import warnings
import zlib
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from xnbflow.data.cells import CellFile
from xnbflow.data.errors import InputError
from xnbflow.data.sources.h5ad import read_h5ad
from xnbflow.data.sources.sheet import SheetRow

h5py = pytest.importorskip("h5py", reason="needs the extra h5ad")

COUNT = int(os.environ.get("XNBFLOW_FUZZ", "25")) // 3  # for each form
FORMS = ("csr", "csc", "dense")
VALUES = np.random.default_rng(0).poisson(1.0, (8, 6)) * 1.5
TYPES = list("abababab")
CELLS, GENES = ([f"{kind}{i}" for i in range(n)] for kind, n in (("c", 8), ("g", 6)))


def write(path, form):
    """Write an AnnData file, each of its parts with a checksum."""
    text = partial(np.array, dtype="S")
    with h5py.File(path, "w", libver="latest") as file:

        def put(name, values, **attributes):
            values = np.asarray(values)
            if values.dtype.kind == "U":
                values = values.astype("S")
            options = {
                "chunks": tuple(min(5, n) for n in values.shape),
                "fletcher32": True,
                "compression": "gzip",
            }
            file.create_dataset(name, data=values, **options)
            file[name].attrs.update(attributes)

        if form == "dense":
            put("X", VALUES)
        else:
            stored = getattr(sparse, f"{form}_array")(VALUES)
            file.create_group("X").attrs["encoding-type"] = text(f"{form}_matrix")
            file["X"].attrs["shape"] = VALUES.shape
            for part in ("data", "indices", "indptr"):
                put(f"X/{part}", getattr(stored, part))
        for table, names in (("obs", CELLS), ("var", GENES)):
            put(f"{table}/_index", names)
            file[table].attrs["_index"] = text("_index")
            columns = np.array(["type"] if table == "obs" else [], "S")
            file[table].attrs["column-order"] = columns
        put("obs/type/codes", np.arange(8, dtype="i1") % 2)
        put("obs/type/categories", ["a", "b"])


def read(path):
    """Return values, types and names, by chunks and as a data set."""
    cells = CellFile(path, values_in_memory=7)
    parts = [getattr(part, "toarray", lambda part=part: part)() for _, part in cells]
    values = np.concatenate(parts).T if parts else np.empty(cells.shape)
    assert values.shape == cells.shape
    types = list(cells.obs["type"].astype(object).fillna("")) if "type" in cells.obs else None
    read_h5ad(path, SheetRow("toy", "table", str(path), label="type"))
    return values.astype(float).tolist(), types, list(cells.obs.index), list(cells.genes)


def changed_bytes(rng, path):
    """Change, drop, repeat or insert a few bytes, most of them not 0, or cut the end off."""
    content = bytearray(path.read_bytes())
    filled = np.flatnonzero(np.frombuffer(bytes(content), np.uint8))
    for _ in range(rng.integers(1, 4)):
        at = int(rng.choice(filled) if rng.random() < 0.8 else rng.integers(len(content)))
        at, how = min(at, len(content) - 1), rng.integers(12)
        end = at + int(rng.integers(1, 9))
        if how < 6:
            content[at] = content[at] ^ (1 << rng.integers(8)) if how < 3 else rng.integers(256)
        elif how < 9:
            content[at:end] = bytes([rng.choice([0, 255])]) * (end - at)
        elif how == 9:
            content[at:at] = content[at:end]
        elif how == 10:
            del content[at:end]
        else:
            del content[max(at, 1) :]
    path.write_bytes(content)


@pytest.mark.parametrize("form", FORMS)
def test_a_damaged_file_is_read_as_it_was_or_refused(tmp_path, form):
    path = tmp_path / "x.h5ad"
    write(path, form)
    expected = (VALUES.tolist(), TYPES, CELLS, GENES)
    assert read(path) == expected
    for number in range(COUNT):
        write(path, form)
        changed_bytes(np.random.default_rng([number, zlib.crc32(form.encode())]), path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                assert read(path) == expected
            except InputError as error:
                message = str(error)
                assert len(message) <= 700 + len(str(path)), message
