"""Damaged and hostile AnnData files: each is refused, or read as a plain loop over it reads it.

Bytes are damaged, parts of matrices and tables are changed, and parts are replaced by links and
storage in another file. Some damage is to parts that are not read.
"""

import io
import shutil
from functools import partial

import numpy as np
import pytest

h5py = pytest.importorskip("h5py", reason="needs the extra h5ad")

from fuzz.test_readers import COUNT, SEED, Tally, damaged, outcome  # noqa: E402
from unit.test_cell_file import GENES, TYPES, N, cells_row, put_matrix, put_table, say  # noqa: E402  # noqa: E402

from xnbflow.data.sources.h5ad import read_h5ad  # noqa: E402

PLACES = {"X": "X", "layers:columns": "layers/columns", "layers:whole": "layers/whole"}
#: What a program may leave in a list of numbers.
NUMBERS = [-1, 0, 1, 2, 5, GENES, N, 127, 255, 2**31 - 1, 2**31, 2**62]
TYPES_OF_NUMBERS = ["i1", "u1", "i4", ">i4", "i8", "u8", "f4", "f8", "f2", "?", "c8", "S4"]
SECRET = "of another file"


def write_cells(path):
    with h5py.File(path, "w", libver="earliest") as file:
        put_matrix(file, "X", "csr")
        put_matrix(file, "layers/columns", "csc")
        put_matrix(file, "layers/whole", "dense")
        donors = np.array(["p", "q"], object)[np.arange(N) % 2]
        put_table(file, "obs", [f"c{i}" for i in range(N)], type=TYPES, donor=donors)
        put_table(file, "var", [f"g{i}" for i in range(GENES)])


def parts_of(file):
    names = []
    file.visit(names.append)
    return names


def change_bytes(rng, path, _secret):
    """Change single bytes in their places: all that is elsewhere stays where it is."""
    content = bytearray(path.read_bytes())
    for at in rng.integers(len(content), size=rng.integers(1, 9)):
        content[at] = rng.integers(256)
    path.write_bytes(content)


def cut_or_shift(rng, path, _secret):
    path.write_bytes(damaged(rng, path.read_bytes()))


def change_part(rng, path, _secret):
    """Change values, length or type of a list, or an attribute."""
    with h5py.File(path, "r+") as file:
        name = rng.choice([n for n in parts_of(file) if isinstance(file[n], h5py.Dataset)])
        values, attributes = file[name][()], dict(file[name].attrs)
        how = rng.integers(6)
        at = tuple(int(rng.integers(n)) for n in values.shape)
        if how == 0 and values.dtype.kind in "iuf":
            values = values.astype("i8" if values.dtype.kind in "iu" else "f8")
            values[at] = rng.choice(NUMBERS)
        elif how == 1:
            values[at] = values[tuple(int(rng.integers(n)) for n in values.shape)]
        elif how == 2:
            values = values[: int(rng.integers(len(values) + 1))]
        elif how == 3:
            values = np.concatenate([values, values[: int(rng.integers(1, len(values)))]])
        elif how == 4 and values.dtype.kind in "iuf":
            values = values.astype(rng.choice(TYPES_OF_NUMBERS))
        else:
            values = rng.permutation(values)
        del file[name]
        say(file.create_dataset(name, data=values), "array", **attributes)
        if rng.random() < 0.1:
            group = file[rng.choice(list(PLACES.values())[:2])]
            group.attrs["shape"] = rng.choice(NUMBERS, 2)


def replace_part(rng, path, secret):
    """Put a link or storage in another file in the place of a part."""
    with h5py.File(path, "r+") as file:
        name = str(rng.choice(parts_of(file)))
        old = file[name]
        kind = old.dtype if isinstance(old, h5py.Dataset) and old.dtype.kind != "O" else "S15"
        shape = old.shape if isinstance(old, h5py.Dataset) else (N,)
        del file[name]
        how = rng.integers(4)
        if how == 0:
            file[name] = h5py.ExternalLink(str(secret), str(rng.choice(["text", "/", name])))
        elif how == 1:
            file[name] = h5py.SoftLink(str(rng.choice(["/", f"/{name}", "/var/_index", "/none"])))
        elif how == 2:
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            file.create_dataset(name, shape, kind, external=[(f"{secret}.txt", 0, size)])
        else:
            layout = h5py.VirtualLayout((N,), "S15")
            layout[:] = h5py.VirtualSource(secret, "text", (N,))
            file.create_virtual_dataset(name, layout)


@pytest.fixture
def secret(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        write_cells(tmp_path / "other.h5")
        with h5py.File(tmp_path / "other.h5") as other:
            for name in ("X", "obs", "var", "layers"):
                other.copy(name, file)
        file["text"] = np.full(N, SECRET, dtype="S15")
        file["obs/_index"][:] = [f"{SECRET} {i}" for i in range(N)]
        file["X/data"][:] = file["layers/columns/data"][:] = file["layers/whole"][:] = 77.0
    (tmp_path / "secret.h5.txt").write_text(f"{SECRET}\n" * 10_000)
    return tmp_path / "secret.h5"


def own(group, name):
    """Return what a file itself holds by a name."""
    for part in name.split("/"):
        assert group.get(part, getlink=True).__class__ is h5py.HardLink
        group = group[part]
    if isinstance(group, h5py.Dataset):
        assert not group.is_virtual
        assert not group.external
        return group[()]
    return group


def texts(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


def column(file, name):
    codes, categories = own(file, f"obs/{name}/codes"), own(file, f"obs/{name}/categories")
    categories = texts(categories)
    return [categories[code] if code >= 0 else None for code in codes.tolist()]


def matrix(file, place, shape):
    """Return cells by genes, by a loop over what is stored."""
    if place == "layers/whole":
        return own(file, place).astype(float)
    group = own(file, place)
    data, indices, indptr = (own(group, name).tolist() for name in ("data", "indices", "indptr"))
    values = np.zeros(shape if place == "X" else shape[::-1])
    assert len(indptr) == len(values) + 1
    assert len(data) == len(indices) == indptr[-1]
    for i in range(len(values)):
        for k in range(indptr[i], indptr[i + 1]):
            assert k >= 0
            assert 0 <= indices[k] < values.shape[1]
            values[i, indices[k]] += data[k]
    return values if place == "X" else values.T


def holds(found, content, place):
    """Whether a data set is what the file itself holds."""
    with h5py.File(io.BytesIO(content)) as file:
        try:
            cells, genes = texts(own(file, "obs/_index")), texts(own(file, "var/_index"))
            values = matrix(file, place, (len(cells), len(genes)))
            types, donors = column(file, "type"), column(file, "donor")
        except AssertionError:
            return False
    rows = [cells.index(name) for name in found.samples]
    columns = [genes.index(name) for name in found.features]
    return (
        (len(set(cells)), len(set(genes))) == (len(cells), len(genes)) == found.values.T.shape
        and np.array_equal(found.values.T, values[np.ix_(rows, columns)], equal_nan=True)
        and [types[i] for i in rows] == list(found.labels)
        and [donors[i] for i in rows] == list(found.groups)
    )


@pytest.mark.parametrize("damage", [change_bytes, cut_or_shift, change_part, replace_part])
def test_a_damaged_cell_file_is_read_as_it_is_or_refused(tmp_path, secret, damage, record_property):
    write_cells(tmp_path / "good.h5ad")
    path, tally = tmp_path / "cells.h5ad", Tally()
    rng = np.random.default_rng([SEED, *damage.__name__.encode()])
    for i in range(-(-COUNT // 10)):
        path.unlink(missing_ok=True)
        path = tmp_path / f"{i}.h5ad"  # a file that was tried is remembered by its name
        shutil.copy(tmp_path / "good.h5ad", path)
        if i:
            damage(rng, path, secret)
        name = str(rng.choice(list(PLACES)))
        right = partial(holds, content=path.read_bytes(), place=PLACES[name])
        read = partial(read_h5ad, dataset=cells_row(matrix=name, group="obs:donor"))
        kind, shown = outcome(path, read, right)
        assert i or kind == "read", shown
        tally.add(kind, shown)
    tally.judge(record_property)
