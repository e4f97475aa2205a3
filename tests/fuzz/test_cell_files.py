"""Damaged and hostile AnnData files: each is refused, or read as a plain loop over it reads it."""

import io
import shutil
from functools import partial

import numpy as np
import pytest

h5py = pytest.importorskip("h5py", reason="needs the extra h5ad")

from cell_files import GENES, TYPES, N, put_matrix, put_table  # noqa: E402
from fuzz.test_readers import COUNT, SEED, damaged, judge, outcome  # noqa: E402
from unit.test_cell_file import cells_row  # noqa: E402

from xnbflow.sources.h5ad import read_h5ad  # noqa: E402

PLACES = {"X": "X", "layers:columns": "layers/columns", "layers:whole": "layers/whole"}
#: What a program may leave in a list of numbers, and of which type.
NUMBERS = [-1, 0, 1, 2, 5, GENES, N, 127, 255, 2**31 - 1, 2**31, 2**62]
KINDS = ["i1", "u1", "i4", ">i4", "i8", "u8", "f4", "f8", "f2", "?", "c8", "S4"]


def write_cells(path):
    with h5py.File(path, "w") as file:
        for name, form in zip(PLACES.values(), ("csr", "csc", "dense"), strict=True):
            put_matrix(file, name, form)
        put_table(file, "obs", [f"c{i}" for i in range(N)], type=TYPES)
        put_table(file, "var", [f"g{i}" for i in range(GENES)])


def change_bytes(rng, path):
    """Cut or shift the file, or change single bytes so that all else stays in its place."""
    content = bytearray(path.read_bytes())
    for at in rng.integers(len(content), size=rng.integers(1, 9)):
        content[at] = rng.integers(256)
    path.write_bytes(content if rng.random() < 0.8 else damaged(rng, path.read_bytes()))


def change_part(rng, path):
    """Change a value, the length, the order or the type of a list, or a declared shape."""
    with h5py.File(path, "r+") as file:
        names = []
        file.visititems(lambda name, part: names.append(name) if hasattr(part, "size") else None)
        name = str(rng.choice(names))
        values, how = file[name][()], rng.integers(5)
        numbers = values.dtype.kind in "iuf"
        if how == 0 and numbers:
            values = values.astype("i8" if values.dtype.kind in "iu" else "f8")
            values[tuple(int(rng.integers(n)) for n in values.shape)] = rng.choice(NUMBERS)
        elif how == 1:
            values = values[: int(rng.integers(len(values) + 1))]
        elif how == 2:
            values = np.concatenate([values, values[: int(rng.integers(1, len(values)))]])
        elif how == 3 and numbers:
            values = values.astype(rng.choice(KINDS))
        else:
            values = rng.permutation(values)
        del file[name]
        file[name] = values
        if rng.random() < 0.1:
            file["X"].attrs["shape"] = rng.choice(NUMBERS, 2)


def own(file, name):
    """Return what a file holds by a name."""
    return file[name][()].tolist()


def matrix(file, place, shape):
    """Return cells by genes, by a loop over what is stored."""
    if place == "layers/whole":
        return np.array(own(file, place), dtype=float)
    data, indices, indptr = (own(file, f"{place}/{n}") for n in ("data", "indices", "indptr"))
    values = np.zeros(shape if place == "X" else shape[::-1])
    assert (len(values) + 1, len(data), len(data)) == (len(indptr), len(indices), indptr[-1])
    for i in range(len(values)):
        for k in range(indptr[i], indptr[i + 1]):
            assert min(k, indices[k]) >= 0
            values[i, indices[k]] += data[k]
    return values if place == "X" else values.T


def holds(found, content, place):
    """Whether a data set is what the file itself holds."""
    with h5py.File(io.BytesIO(content)) as file:
        lists = ("obs/_index", "var/_index", "obs/type/categories")
        cells, genes, words = ([v.decode() for v in own(file, name)] for name in lists)
        values = matrix(file, place, (len(cells), len(genes)))
        types = [words[code] for code in own(file, "obs/type/codes")]
    names = [*found.samples], [*found.features], [*found.labels]
    return names == (cells, genes, types) and np.array_equal(found.values.T, values, equal_nan=True)


@pytest.mark.parametrize("damage", [change_bytes, change_part])
def test_a_damaged_cell_file_is_read_as_it_is_or_refused(tmp_path, damage, record_property):
    write_cells(tmp_path / "good.h5ad")
    outcomes, rng = [], np.random.default_rng([SEED, *damage.__name__.encode()])
    for i in range(-(-COUNT // 10)):
        path = tmp_path / f"{i}.h5ad"  # a file that was tried is remembered by its name
        shutil.copy(tmp_path / "good.h5ad", path)
        damage(rng, path)
        name = str(rng.choice(list(PLACES)))
        right = partial(holds, content=path.read_bytes(), place=PLACES[name])
        outcomes.append(outcome(path, partial(read_h5ad, dataset=cells_row(matrix=name)), right))
        path.unlink()
    assert holds(
        read_h5ad(tmp_path / "good.h5ad", cells_row()), (tmp_path / "good.h5ad").read_bytes(), "X"
    )
    judge(outcomes, record_property)
