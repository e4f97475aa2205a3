"""AnnData files by h5py: every version of the format, and what a stranger may put into one."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats import anndata_file, h5ad, memory
from xnbflow.sources.formats.anndata_file import open_anndata, read_frame
from xnbflow.sources.table import read_table

h5py = pytest.importorskip("h5py", reason="needs the extra h5ad")

from cell_files import GENES, TEXT, TYPES, N, X, encoded, put_table, write_cells  # noqa: E402


@pytest.fixture
def path(tmp_path):
    return write_cells(tmp_path / "cells.h5ad")


def cells_row(label="type", **options):
    return DatasetEntry("cells", "table", "x.h5ad", label=label, **options)


@pytest.mark.parametrize("matrix", ["X", "layers:columns", "layers:whole"])
def test_a_data_set_is_read(path, matrix):
    series = read_table(path, cells_row(matrix=matrix, group="obs:donor"))
    np.testing.assert_array_equal(series.values.T, X)
    assert list(series.labels) == list(TYPES)
    assert list(series.groups[:3]) == ["p", "q", "p"]
    assert list(series.features) == [f"g{i}" for i in range(GENES)]
    assert series.feature_metadata["symbol"][1] == "G1"


@pytest.fixture
def barcoded(path):
    """The cells with a column of barcodes b00, b01, ... beside their type and donor."""
    with h5py.File(path, "r+") as file:
        barcodes = np.array([f"b{i:02}" for i in range(N)], dtype=TEXT)
        encoded(file["obs"].create_dataset("barcode", data=barcodes), "string-array")
        file["obs"].attrs["column-order"] = np.array(["type", "donor", "barcode"], dtype=TEXT)
    return path


@pytest.mark.parametrize("name", ["barcode", "obs:barcode"])
def test_a_column_of_obs_names_the_cells_in_place_of_the_index(barcoded, name):
    series = read_table(barcoded, replace(cells_row(), id_column=name))
    assert series.samples[:2].tolist() == ["b00", "b01"]
    assert series.features.tolist() == [f"g{i}" for i in range(GENES)]
    assert list(series.sample_metadata) == ["donor"]


def test_a_column_of_names_that_obs_lacks_is_refused(barcoded):
    with refused("did you mean 'barcode'", key="id"):
        read_table(barcoded, replace(cells_row(), id_column="barcodes"))


@pytest.mark.parametrize(("id_column", "names"), [(None, "c{}"), ("barcode", "b{:02}")])
def test_a_phenotype_file_describes_cells_by_their_names(barcoded, id_column, names):
    """Its rows are in another order; the columns of obs stay beside its columns."""
    stages = pd.DataFrame({"cell": [names.format(i) for i in range(N)]})
    stages["stage"] = np.where(np.arange(N) % 5 == 0, "late", "early")
    phenotype = barcoded.with_name("stages.tsv")
    stages[::-1].to_csv(phenotype, sep="\t", index=False)
    row = replace(cells_row("stage", phenotype=str(phenotype)), id_column=id_column)
    series = read_table(barcoded, row)
    assert series.labels.tolist() == stages["stage"].tolist()
    assert series.samples.tolist() == stages["cell"].tolist()
    assert series.sample_metadata["type"].tolist() == TYPES.tolist()


def test_a_phenotype_file_of_other_names_is_refused_with_both(barcoded):
    phenotype = barcoded.with_name("stages.tsv")
    phenotype.write_text("cell\tstage\nb00\tearly\nb01\tlate\n")
    with refused("table has c0, .* file b00, b01", code="phenotype.other-samples"):
        read_table(barcoded, cells_row("stage", phenotype=str(phenotype)))


def test_records_of_the_first_format_are_read(tmp_path):
    kinds = np.array([(b"c0", 1, 2.5), (b"c1", 0, 3.5)], dtype="S2,i1,f8")
    kinds.dtype.names = "index", "kind", "depth"
    with h5py.File(tmp_path / "old.h5ad", "w") as file:
        file["obs"], file["uns/kind_categories"] = kinds, np.array([b"B", b"T"])
        file["var"] = np.array([(b"g0",)], dtype=[("index", "S2")])
        file["X"], file["raw.var"] = np.ones((2, 1)), file["var"][:]
        group = file.create_group("raw.X")
        group.attrs["h5sparse_format"], group.attrs["h5sparse_shape"] = "csr", (2, 1)
        group["data"], group["indices"], group["indptr"] = [7.0], [0], [0, 0, 1]
    series = read_table(tmp_path / "old.h5ad", cells_row("kind", matrix="raw"))
    assert series.labels.tolist() == ["T", "B"]
    assert series.samples.tolist() == ["c0", "c1"]
    assert series.values.tolist() == [[0.0, 7.0]]


def test_categories_of_version_0_7_and_nullable_columns_are_read(path):
    with h5py.File(path, "r+") as file:
        obs = file["obs"]
        obs["__categories/stage"] = np.array(["early", "late"], dtype=TEXT)
        obs["stage"] = np.arange(N, dtype="i1") % 2
        obs["stage"].attrs["categories"] = obs["__categories/stage"].ref
        whole = encoded(obs.create_group("age"), "nullable-integer", "0.1.0")
        whole["values"], whole["mask"] = np.arange(N), np.arange(N) == 2
        obs.attrs["column-order"] = np.array(["stage", "age"], dtype=TEXT)
    with open_anndata(path) as file:
        table = read_frame(path, file, "obs")
    assert table["stage"].tolist()[:3] == ["early", "late", "early"]
    assert table["age"].isna().tolist()[:4] == [False, False, True, False]


def test_what_a_file_lacks_is_refused(path):
    with refused("may be X, layers:columns, layers:whole here", code="anndata_file.no-matrix"):
        read_table(path, cells_row(matrix="raw"))
    for asked in (cells_row("obs:kind"), cells_row(group="patient"), cells_row(matrix="layers:z")):
        with pytest.raises(InputError, match=r"kind|patient|layers:z"):
            read_table(path, asked)
    with h5py.File(path, "r+") as file:
        file["var/_index"][1] = "g0"
    with refused("g0", code="merging.repeated-features"):
        read_table(path, cells_row())


def set_part(name, change):
    def damage(file, _elsewhere):
        values, attributes = file[name][:], dict(file[name].attrs)
        del file[name]
        encoded(file.create_dataset(name, data=change(values)), "array", **attributes)

    return damage


def with_value(at, value):
    def change(values):
        values = values.astype("i8")
        values[at] = value
        return values

    return change


def link(name, make):
    def damage(file, elsewhere):
        with h5py.File(elsewhere, "w") as other:
            other["secret"] = np.array(["secret"] * N, dtype=TEXT)
        del file[name]
        file[name] = make(str(elsewhere))

    return damage


def external_storage(file, elsewhere):
    elsewhere.write_bytes(b"secret\n" * N)
    del file["obs/_index"]
    file.create_dataset("obs/_index", (N,), "S7", external=[(str(elsewhere), 0, 7 * N)])


def virtual(file, elsewhere):
    with h5py.File(elsewhere, "w") as other:
        other["secret"] = np.arange(1.0, X.size + 1).reshape(X.shape)
    layout = h5py.VirtualLayout(X.shape, float)
    layout[:] = h5py.VirtualSource(elsewhere, "secret", X.shape)
    del file["X"]
    file.create_virtual_dataset("X", layout)


def replaced(name, data):
    def damage(file, _elsewhere):
        if name in file:
            del file[name]
        file[name] = data

    return damage


def broken_chunk(file, _elsewhere):
    del file["X"]
    data = file.create_dataset("X", X.shape, "f8", chunks=X.shape, compression="gzip")
    data.id.write_direct_chunk((0, 0), b"no gzip")


def huge(form):
    """Declare 200,000 cells and genes, of which nothing is stored."""

    def damage(file, _elsewhere):
        del file["X"]
        for table in ("obs", "var"):
            del file[table]
            put_table(file, table, [])
            del file[f"{table}/_index"]
            file.create_dataset(f"{table}/_index", (200_000,), "S8", chunks=(1000,))
        if form == "dense":
            file.create_dataset("X", (200_000, 200_000), "f8", chunks=(1000, 1000))
            return
        group = encoded(file.create_group("X"), "csr_matrix", shape=(200_000, 200_000))
        for array in ("data", "indices", "indptr"):
            group.create_dataset(array, (200_001,), "i8", chunks=(1000,))

    return damage


def zeros(file, _elsewhere):
    del file["X"]
    file.create_dataset("X", data=np.zeros((9000, 8000), "i1"), compression="gzip")


def twice(unsorted):
    def damage(file, _elsewhere):
        row = np.argmax(np.diff(file["X/indptr"][:]) > 2)
        start = file["X/indptr"][row]
        indices = file["X/indices"][:]
        indices[start + 1 + unsorted] = indices[start]
        file["X/indices"][:] = indices

    return damage


def dangling(file, _elsewhere):
    del file["X"], file["obs/type/categories"]


#: What a stranger may put into a file: the matrix that is read, and what is done to the file.
CORPUS = {
    "indptr negative": ("X", set_part("X/indptr", with_value(3, -1))),
    "indptr descends": ("X", set_part("X/indptr", with_value(3, 10**6))),
    "indptr from 1": ("X", set_part("X/indptr", with_value(0, 1))),
    "indptr ends early": ("X", set_part("X/indptr", with_value(-1, 1))),
    "indptr short": ("X", set_part("X/indptr", lambda values: values[:-1])),
    "index negative": ("X", set_part("X/indices", with_value(5, -1))),
    "index too large": ("X", set_part("X/indices", with_value(5, GENES))),
    "index of a column": ("layers:columns", set_part("layers/columns/indices", with_value(5, N))),
    "index twice": ("X", twice(unsorted=False)),
    "index twice, unsorted": ("X", twice(unsorted=True)),
    "data short": ("X", set_part("X/data", lambda values: values[:-1])),
    "data text": ("X", set_part("X/data", lambda values: values.astype("S8"))),
    "code too large": ("X", set_part("obs/type/codes", with_value(0, 3))),
    "indices of other byte order": (
        "X",
        set_part("X/indices", lambda values: values.astype(">i4")),
    ),
    "category twice": ("X", set_part("obs/type/categories", lambda values: values[[0, 0, 1]])),
    "huge, sparse": ("X", huge("csr")),
    "huge, dense": ("X", huge("dense")),
    "zeros, packed": ("X", zeros, "unpacks to more than 250 times its size"),
    "external link": ("X", link("obs/_index", lambda at: h5py.ExternalLink(at, "secret"))),
    "soft link": ("X", link("obs/_index", lambda _at: h5py.SoftLink("/var/_index"))),
    "external storage": ("X", external_storage),
    "virtual": ("X", virtual),
    "dangling": ("layers:whole", dangling),
    "broken chunk": ("X", broken_chunk),
    "no obs": ("X", lambda file, _: file.pop("obs"), "it has no obs"),
    "obs of numbers": ("X", replaced("obs", np.zeros(N)), "the table obs has no names"),
    "one value": ("X", replaced("obs/type", [1]), "column 'type' of obs: 1 value for 90 names"),
    "raw of numbers": ("X", replaced("raw", [1.0]), "'raw/X' is below a data set"),
    "a type": ("X", replaced("X", np.dtype("f8")), "neither a group nor a data set"),
    "text": ("X", replaced("X", np.full(X.shape, b"a")), "matrix X has no numbers"),
    "fewer cells": ("X", replaced("X", X[1:]), "has shape [89, 12], but there are 90 cells"),
    "coo": (
        "X",
        lambda file, _: encoded(file["X"], "coo_matrix"),
        "X is stored as 'coo_matrix'",
    ),
}


@pytest.mark.parametrize("case", CORPUS)
def test_a_hostile_file_is_refused(path, case):
    matrix, damage, *texts = CORPUS[case]
    with h5py.File(path, "r+") as file:
        damage(file, path.with_name("elsewhere"))
    with pytest.raises(InputError) as refusal:
        read_table(path, cells_row(matrix=matrix))
    assert all(text in str(refusal.value) for text in [str(path), *texts])
    code = {"fewer cells": "anndata_file.other-shape"}.get(case, "anndata_file.damaged")
    assert refusal.value.code in (code, "files.bomb")
    assert "secret" not in str(refusal.value)


def test_a_sparse_matrix_that_no_file_fills_is_not_made_dense(tmp_path):
    n = 20_000  # 3.2 GB if dense
    with h5py.File(tmp_path / "wide.h5ad", "w") as file:
        for table in ("obs", "var"):
            put_table(file, table, [])
            del file[f"{table}/_index"]
            file[f"{table}/_index"] = np.arange(n).astype("S5")
        file["obs/type"], file["obs"].attrs["column-order"] = np.arange(n) % 2, ["type"]
        group = encoded(file.create_group("X"), "csr_matrix", shape=(n, n))
        group["data"], group["indices"] = np.ones(1), np.zeros(1, int)
        group["indptr"] = np.minimum(np.arange(n + 1), 1).astype("i1")
    dataset = DatasetEntry("wide", "table", "wide.h5ad", label="type")
    with refused("dense", code="anndata_file.damaged"):
        read_table(tmp_path / "wide.h5ad", dataset)


@pytest.mark.parametrize(
    ("matrix", "stored"),
    [
        ("layers:whole", 8 * N * GENES),  # float64 as it is stored
        ("X", 12 * np.count_nonzero(X) + 4 * (N + 1)),  # values, indices, a start for each cell
        ("layers:columns", 12 * np.count_nonzero(X) + 4 * (GENES + 1)),
    ],
)
def test_a_matrix_that_does_not_fit_in_memory_is_refused_before_it_is_read(
    path, monkeypatch, matrix, stored
):
    needed = stored + 8 * N * GENES
    monkeypatch.setattr(memory, "free_memory", lambda: needed)
    assert read_table(path, cells_row(matrix=matrix)).n_samples == N
    monkeypatch.setattr(memory, "free_memory", lambda: needed - 1)
    monkeypatch.setattr(h5py.Dataset, "__getitem__", lambda *_: pytest.fail("it is read"))
    message = f"matrix {matrix} of 90 cells and 12 genes"
    with monkeypatch.context() as only_tables:
        only_tables.setattr(anndata_file, "read_frame", lambda *names: TABLES[names[-1]])
        with pytest.raises(InputError, match=message) as refusal:
            read_table(path, cells_row(matrix=matrix))
        assert refusal.value.code == "memory.too-large"
    assert refusal.value.file == str(path)
    assert "write a file of fewer genes or cells" in str(refusal.value)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("n_at_once", [1, 100, 1_000_000])
def test_a_sparse_matrix_becomes_dense_some_cells_or_genes_at_a_time(monkeypatch, form, n_at_once):
    monkeypatch.setattr(h5ad, "VALUES_AT_ONCE", n_at_once)
    matrix = sparse.csr_array(X.astype(np.float32)).asformat(form)
    values = h5ad.dense_by_gene(matrix)
    np.testing.assert_array_equal(values, X.astype(np.float32).T)
    assert values.dtype == np.float64
    assert values.flags.c_contiguous


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_a_sparse_matrix_is_dense_once(monkeypatch, form):
    monkeypatch.setattr(h5ad, "VALUES_AT_ONCE", 10_000)
    matrix = sparse.eye_array(1000, dtype=np.float32).asformat(form)
    tracemalloc.start()
    h5ad.dense_by_gene(matrix)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 8e6 <= peak < 8.5e6  # 8 bytes for each of a million values


#: As many rows as a file of `write_cells` has cells and genes.
TABLES = {"obs": pd.DataFrame(index=range(N)), "var": pd.DataFrame(index=range(GENES))}


def test_fractions_of_cells_are_phenotype_only_where_an_option_names_them(path):
    with h5py.File(path, "r+") as file:
        fractions = np.arange(N) / 8
        fractions[1] = np.nan
        for name in ("depth", "age"):
            encoded(file["obs"].create_dataset(name, data=fractions), "array")
        names = np.array(["type", "donor", "depth", "age"], dtype=TEXT)
        file["obs"].attrs["column-order"] = names
    assert list(read_table(path, cells_row()).sample_metadata) == ["donor"]
    series = read_table(path, cells_row(phenotype_columns=("depth",)))
    assert list(series.sample_metadata) == ["donor", "depth"]
    assert series.sample_metadata["depth"].tolist()[:3] == ["0.0", "", "0.25"]
    series = read_table(path, cells_row(phenotype_columns=("age",)))
    assert list(series.sample_metadata) == ["donor", "age"]


def test_the_raw_matrix_has_genes_of_its_own(path):
    with h5py.File(path, "r+") as file:
        raw = encoded(file.create_group("raw"), "raw", "0.1.0")
        encoded(raw.create_dataset("X", data=np.hstack([X, X])), "array")
        put_table(raw, "var", [f"r{i}" for i in range(2 * GENES)])
    series = read_table(path, cells_row(matrix="raw"))
    assert series.features.tolist() == [f"r{i}" for i in range(2 * GENES)]
    np.testing.assert_array_equal(series.values.T, np.hstack([X, X]))


def test_infinite_values_are_refused_by_gene_and_cell(path):
    with h5py.File(path, "r+") as file:
        file["layers/whole"][0, 1] = np.inf
        file["layers/whole"][1, 1] = -np.inf
    with refused(
        r"gene 'g1', cell 'c0': the value is infinite \('inf'\); .*drop",
        code="raw_table.no-number",
    ):
        read_table(path, cells_row(matrix="layers:whole"))
    series = read_table(path, cells_row(matrix="layers:whole", drop=("g1",)))
    assert series.features.tolist() == [f"g{i}" for i in range(GENES) if i != 1]
