"""AnnData's file format (.h5ad): matrices, dense or sparse, and the tables obs and var; by h5py.

Every version is read: today's (each element has its ``encoding-type``), that of 0.7 (categories in
``__categories``) and earlier ones (tables as HDF5 records, ``raw.X`` beside ``X``). See the anndata
documentation, "On-disk format".

A file may be malicious. `node` opens every group and data set, and only those that are completely
in this file. The structure of a matrix is checked before its values are used.
"""

import subprocess
import sys
from contextlib import contextmanager
from functools import lru_cache
from math import ceil, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted
from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.files import fault_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import h5py

#: Bytes in memory per byte of the file: deflate packs at most 1,032 times.
_MOST_UNPACKED = 1_100
#: Exceptions of h5py and NumPy for damaged files.
_DAMAGE = (OSError, RuntimeError, LookupError, TypeError, ValueError, ArithmeticError)
#: The message for a damaged file.
_DAMAGED = Refusal(
    code="anndata_file.damaged",
    sentence="{path} cannot be read as AnnData ({reason}); write it anew, or get it again",
)

#: First observations of a dense matrix by which its scale is recognised.
_CELLS_OF_TRIAL = 200
#: First values of a sparse matrix by which its scale is recognised.
_VALUES_OF_TRIAL = 100_000

#: Reads attributes and items of variable length, on which HDF5 may not terminate.
_TRIAL = """
import sys
import h5py
def read(name, item):
    for key in item.attrs:
        try:
            item.attrs[key]
        except Exception:
            pass
    try:
        if item.dtype.hasobject and not (item.is_virtual or item.external):
            item[()]
    except Exception:
        pass
with h5py.File(sys.argv[1]) as file:
    file.visititems(read)
"""


_NO_H5PY = Refusal(
    code="anndata_file.no-h5py",
    sentence="{path} is AnnData; to read it, install h5py (the extra h5ad of this package)",
)


@contextmanager
def open_anndata(path: str | Path) -> "Iterator[h5py.File]":
    """Open an AnnData file."""
    path = Path(path)
    try:
        import h5py  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise _NO_H5PY.error(path=path) from error
    if fault := fault_of(path):
        raise fault
    status = path.stat()
    _require_answer(path.absolute(), status.st_size, status.st_mtime_ns)
    try:
        with h5py.File(path, "r") as file:
            if missing := [name for name in ("obs", "var") if node(file, name) is None]:
                raise _refusal(path, f"it has no {' and no '.join(missing)}")
            yield file
    except InputError:
        raise
    except _DAMAGE as error:
        raise _refusal(path, str(error)[:200]) from error


@lru_cache(maxsize=64)
def _require_answer(path: Path, size: int, _changed: int) -> None:
    """Refuse a file on which HDF5 (2.0) crashes or does not end in a separate process."""
    try:
        command = [sys.executable, "-P", "-c", _TRIAL, str(path)]
        limit = 20 + size / 1e7
        tried = subprocess.run(command, capture_output=True, timeout=limit, check=False)  # noqa: S603 - a constant program
    except subprocess.TimeoutExpired as error:
        raise _refusal(path, "HDF5 does not finish reading it") from error
    if tried.returncode:
        raise _refusal(path, "HDF5 cannot read it, or crashes")


def _refusal(path: str | Path, reason: str) -> InputError:
    return _DAMAGED.error(path=path, reason=reason)


def node(group: Any, name: str) -> Any:
    """Open a group or a data set of the file itself; None if there is no link of its name.

    Links to other places are refused, and data sets that are stored elsewhere or in part, or have
    other types than numbers and text.
    """
    import h5py  # noqa: PLC0415 - an extra

    path = group.file.filename
    element = group
    for step in name.split("/"):
        if not isinstance(element, h5py.Group):
            raise _refusal(path, f"{quoted(name)} is below a data set")
        links = element.id.links
        if not step or not links.exists(step.encode()):
            return None
        if links.get_info(step.encode()).type != h5py.h5l.TYPE_HARD:
            raise _refusal(path, f"{quoted(name)} is a link to another place")
        element = element[step]
    if isinstance(element, h5py.Dataset):
        if fault := _fault_of_storage(element):
            raise _refusal(path, f"{quoted(name)} {fault}")
    elif not isinstance(element, h5py.Group):
        raise _refusal(path, f"{quoted(name)} is neither a group nor a data set")
    return element


def _fault_of_storage(data: "h5py.Dataset") -> str | None:
    """Return why a data set is refused, before its size is used or its data are read."""
    if data.is_virtual or data.external:
        return "is stored in another file"
    if not _is_plain(data.dtype):
        return f"is of the type {data.dtype}, neither numbers nor text"
    if data.shape is None:
        return "is empty"
    if data.chunks is None:
        is_whole = data.id.get_storage_size() >= prod(data.shape) * data.dtype.itemsize
    else:
        n_chunks = 1
        for length, chunk_length in zip(data.shape, data.chunks, strict=True):
            n_chunks *= ceil(length / chunk_length)
        is_whole = data.id.get_num_chunks() == n_chunks
    return None if is_whole else "is not stored whole"


def _is_plain(dtype: np.dtype) -> bool:
    """Return whether a type is a number, text or a record of these, not a reference or an array."""
    import h5py  # noqa: PLC0415 - an extra

    if dtype.names:
        return all(_is_plain(dtype[name]) for name in dtype.names)
    return dtype.kind in "biufS" or h5py.check_string_dtype(dtype) is not None


def require_stored(path: str | Path, n_bytes: int, what: str) -> None:
    """Refuse data of more than 1,100 times the bytes of its file (and of 64 kB)."""
    stored = Path(path).stat().st_size
    if n_bytes > _MOST_UNPACKED * max(stored, 1 << 16):
        raise _refusal(path, f"{what} takes {n_bytes:,} bytes, but the file has {stored:,}")


def _required(group: Any, name: str) -> Any:
    """Open a group or a data set that must be there."""
    element = node(group, name)
    if element is None:
        raise _refusal(group.file.filename, f"{quoted(group.name)} has no {quoted(name)}")
    return element


def _array(group: Any, name: str, kinds: str = "biufSO") -> Any:
    """Return a one-dimensional data set of some kinds of type."""
    element = _required(group, name)
    is_array = hasattr(element, "dtype") and element.ndim == 1 and element.dtype.isnative
    if not is_array or element.dtype.kind not in kinds:
        raise _refusal(group.file.filename, f"{quoted(name)} is not a list of the required type")
    return element


def read_matrix(path: str | Path, file: "h5py.File", name: str) -> tuple[Any, pd.DataFrame]:
    """Return a matrix of cells by genes and the table of its genes.

    Its name is ``X``, ``raw`` or ``layers:<name>``; it is an array, or sparse as in the file. A
    dense matrix that takes far more memory than the file is refused before it is read.
    """
    place = _place_of_matrix(path, file, name)
    element = _required(file, place)
    # The genes of ``raw`` are in a table beside its matrix: raw/var, or raw.var before 0.7.
    var = read_frame(path, file, place.removesuffix("X") + "var" if name == "raw" else "var")
    kind, stored_shape = _kind_and_shape(path, element, name)
    shape = (len(read_frame(path, file, "obs")), len(var))
    _refuse_other_shape(path, name, stored_shape, shape)
    n_bytes = 8 * shape[0] * shape[1]
    require_stored(path, n_bytes, f"a dense matrix {name} of {counted(shape[0], 'cell')}")
    if kind == "dense":
        return element[:], var
    return _read_sparse(path, name, element, kind, shape), var


def _kind_and_shape(path: str | Path, element: Any, name: str) -> tuple[str, Any]:
    """Return how a matrix is stored (``dense``, ``csr``, ``csc``), and its shape by the file."""
    if hasattr(element, "dtype"):
        if element.dtype.kind not in "biuf":
            raise _refusal(path, f"matrix {name} has no numbers")
        return "dense", element.shape
    # The attributes of today's format, and those before 0.7.
    attributes = element.attrs
    encoding = _text(attributes.get("encoding-type", attributes.get("h5sparse_format", "")))
    kind = encoding.removesuffix("_matrix")
    if kind not in ("csr", "csc"):
        raise _refusal(path, f"matrix {name} is stored as {quoted(encoding)}")
    return kind, attributes.get("shape", attributes.get("h5sparse_shape"))


_OTHER_SHAPE = Refusal(
    code="anndata_file.other-shape",
    sentence=(
        "{path}: matrix {matrix} has shape {shape!r}, but there {n_cells:is|are} "
        "{n_cells:#cell} in obs and {n_genes:#gene} in var; write the file again"
    ),
)


def _refuse_other_shape(
    path: str | Path, name: str, stored_shape: Any, shape: tuple[int, int]
) -> None:
    """Refuse a matrix whose stored shape is not ``shape``, the numbers of rows of obs and var."""
    n_cells, n_genes = shape
    if not np.array_equal(stored_shape, shape):
        raise _OTHER_SHAPE.error(
            path=path,
            matrix=name,
            shape=np.ravel(stored_shape).tolist(),
            n_cells=n_cells,
            n_genes=n_genes,
        )


def matrix_places(file: "h5py.File") -> dict[str, str]:
    """Return the path within the file of each matrix, by its name in the option ``matrix``."""
    places = {}
    if node(file, "X") is not None:
        places["X"] = "X"
    for place in ("raw.X", "raw/X"):  # before and since version 0.7
        if node(file, place) is not None:
            places["raw"] = place
    for layer in node(file, "layers") or ():
        places[f"layers:{layer}"] = f"layers/{layer}"
    return places


def is_scaled(file: "h5py.File", name: str) -> bool:
    """Return whether a matrix has negative values, as after scaling each gene to mean 0."""
    element = _required(file, matrix_places(file)[name])
    if hasattr(element, "dtype"):
        if element.dtype.kind not in "iuf" or element.ndim != 2:
            return False
        return bool((element[:_CELLS_OF_TRIAL] < 0).any())
    return bool((_array(element, "data", "biuf")[:_VALUES_OF_TRIAL] < 0).any())


_NO_MATRIX = Refusal(
    code="anndata_file.no-matrix",
    sentence="{path} has no matrix {matrix!r}; the option matrix may be {places:list} here",
    key="matrix",
)


def _place_of_matrix(path: str | Path, file: "h5py.File", name: str) -> str:
    """Return the path within the file of a matrix that the option ``matrix`` names."""
    places = matrix_places(file)
    if name not in places:
        raise _NO_MATRIX.error(path=path, matrix=name, places=list(places))
    return places[name]


def _read_sparse(
    path: str | Path, name: str, element: Any, kind: str, shape: tuple[int, int]
) -> sparse.csr_array | sparse.csc_array:
    """Read a sparse matrix, whose structure must be valid and its indices unique."""
    arrays = [_array(element, array, "biuf")[:] for array in ("data", "indices", "indptr")]
    form = sparse.csr_array if kind == "csr" else sparse.csc_array
    matrix = form(tuple(arrays), shape=shape)
    matrix.check_format(full_check=True)
    matrix.sort_indices()
    if not matrix.has_canonical_format:
        raise _refusal(path, f"matrix {name} has an index twice in a row or column")
    return matrix


def read_frame(path: str | Path, file: "h5py.File", name: str) -> pd.DataFrame:
    """Return a table, ``obs`` or ``var``; its index are the names of cells or genes."""
    element = _required(file, name)
    if hasattr(element, "dtype"):
        return _frame_of_records(file, name, element[:])
    index = _text(element.attrs.get("_index", "_index"))
    names = pd.Index(_column(element, index)).astype(str)
    columns = {}
    for column in map(_text, element.attrs.get("column-order", ())):
        try:
            values = _column(element, column)
            if len(values) != len(names):  # pandas would repeat a single value
                msg = f"{counted(len(values), 'value')} for {counted(len(names), 'name')}"
                raise ValueError(msg)
            columns[column] = values
        except _DAMAGE as error:
            fields = error.fields if isinstance(error, InputError) else {}
            reason = str(fields.get("reason", error))[:200]
            raise _refusal(path, f"column {quoted(column)} of {name}: {reason}") from error
    return pd.DataFrame(columns, index=names)


def _frame_of_records(file: "h5py.File", table: str, records: np.ndarray) -> pd.DataFrame:
    """Return a table of the format before 0.7: records, categories apart in uns."""
    columns: dict[str, Any] = {}
    for name in records.dtype.names or ():
        values = records[name]
        categories = f"uns/{name}_categories"
        if values.dtype.kind in "iu" and node(file, categories) is not None:
            values = pd.Categorical.from_codes(values, _values(file, categories))
        elif values.dtype.kind in "SO":
            values = np.array([_text(value) for value in values], dtype=object)
        columns[name] = values
    index = next((name for name in ("index", "_index", *columns) if name in columns), None)
    if index is None:
        raise _refusal(file.filename, f"the table {table} has no names")
    return pd.DataFrame(columns).set_index(index).rename_axis(None)


def _column(table: Any, name: str) -> Any:
    """Return a column of a table; categories of version 0.7 are in ``__categories``."""
    element = _required(table, name)
    if hasattr(element, "dtype") and "categories" in element.attrs:
        return pd.Categorical.from_codes(element[:], _values(table, f"__categories/{name}"))
    if hasattr(element, "dtype") or node(element, "codes") is None:
        return _values(table, name)
    codes = _array(element, "codes", "iu")[:]
    return pd.Categorical.from_codes(codes, _values(element, "categories"))


def _values(group: Any, name: str) -> np.ndarray:
    """Return a column that is not a category: numbers or text, or a group of values and a mask."""
    element = _required(group, name)
    if not hasattr(element, "dtype"):
        values = pd.Series(_values(element, "values"))
        return values.mask(_array(element, "mask", "b")[:]).to_numpy()
    data = _array(group, name)
    return data.asstr()[:].astype(object) if data.dtype.kind in "SO" else data[:]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
