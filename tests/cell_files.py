"""AnnData files of ninety cells, as h5py writes them.

The cells are of three types (B, NK, T) and two donors, with 12 genes; every third gene is high in
one type. `write_cells` has ``X`` as rows of a sparse matrix, and the layers ``columns`` and
``whole`` with the same values in the other forms.
"""

import numpy as np
import pytest
from scipy import sparse

h5py = pytest.importorskip("h5py", reason="needs the extra h5ad")

N = 90
GENES = 12
TEXT = h5py.string_dtype("utf-8")


def values():
    """Return logarithms of counts (N, GENES), and the type of each cell."""
    rng = np.random.default_rng(3)
    types = np.arange(N) % 3
    high = np.arange(GENES) % 3 == types[:, None]
    return np.log1p(rng.poisson(0.2 + 2.0 * high)), np.array(["B", "NK", "T"], object)[types]


X, TYPES = values()


def encoded(element, kind, version="0.2.0", **attributes):
    """Give an element of a file the attributes by which AnnData knows its kind; return it."""
    for name, value in {"encoding-type": kind, "encoding-version": version, **attributes}.items():
        element.attrs[name] = value
    return element


def put_matrix(file, name, form):
    """Write the values as a matrix ``dense``, of rows (``csr``) or of columns (``csc``)."""
    if form == "dense":
        encoded(file.create_dataset(name, data=X), "array")
        return
    stored = getattr(sparse, f"{form}_array")(X)
    group = encoded(file.create_group(name), f"{form}_matrix", "0.1.0", shape=X.shape)
    for array in ("data", "indices", "indptr"):
        encoded(group.create_dataset(array, data=getattr(stored, array), chunks=True), "array")


def put_table(file, name, index, **columns):
    """Write a table with an index of texts, and columns of categories."""
    table = encoded(file.create_group(name), "dataframe", _index="_index")
    table.attrs["column-order"] = np.array(list(columns), dtype=TEXT)
    encoded(table.create_dataset("_index", data=np.array(index, dtype=TEXT)), "string-array")
    for column, data in columns.items():
        categories, codes = np.unique(data.astype(str), return_inverse=True)
        group = encoded(table.create_group(column), "categorical", ordered=False)
        group["codes"], group["categories"] = codes.astype("i1"), categories.astype(TEXT)


def write_cells(path):
    """Write a file of today's format, with each way to store a matrix."""
    with h5py.File(path, "w") as file:
        encoded(file, "anndata", "0.1.0")
        put_matrix(file, "X", "csr")
        put_matrix(file, "layers/columns", "csc")
        put_matrix(file, "layers/whole", "dense")
        for name in ("layers", "uns"):
            encoded(file.require_group(name), "dict", "0.1.0")
        donors = np.array(["p", "q"], object)[np.arange(N) % 2]
        put_table(file, "obs", [f"c{i}" for i in range(N)], type=TYPES, donor=donors)
        symbols = np.array([f"G{i}" for i in range(GENES)], object)
        put_table(file, "var", [f"g{i}" for i in range(GENES)], symbol=symbols)
    return path
