"""AnnData files: dense and sparse matrices, layers, raw, and columns of obs."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from xnbflow.data.errors import InputError
from xnbflow.data.sources.sheet import SheetRow
from xnbflow.data.sources.table import read_table

pytestmark = pytest.mark.filterwarnings("ignore:The 'mode.chained_assignment' option")
anndata = pytest.importorskip("anndata", reason="needs the extra h5ad")

COUNTS = np.random.default_rng(0).poisson(3.0, (7, 5)).astype(float)


def row(label="obs:type", **options):
    return SheetRow("cells", "table", "x.h5ad", label=label, options=options)


@pytest.fixture
def path(tmp_path):
    obs = pd.DataFrame(
        {"type": pd.Categorical(list("BTBTBTB")), "donor": list("pppqqqq"), "depth": COUNTS.sum(1)},
        index=[f"c{i}" for i in range(7)],
    )
    var = pd.DataFrame({"symbol": [f"G{i}" for i in range(5)]}, index=[f"g{i}" for i in range(5)])
    data = anndata.AnnData(sparse.csr_matrix(COUNTS), obs, var)
    data.layers["dense"] = np.log1p(COUNTS)
    data.layers["columns"] = sparse.csc_matrix(COUNTS)
    data.raw = data.copy()
    data = data[:, :3].copy()
    with anndata.settings.override(allow_write_nullable_strings=True):  # for pandas 3
        data.write_h5ad(tmp_path / "x.h5ad")
    return tmp_path / "x.h5ad"


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ("X", COUNTS[:, :3]),
        ("layers:dense", np.log1p(COUNTS)[:, :3]),
        ("layers:columns", COUNTS[:, :3]),
        ("raw", COUNTS),
    ],
)
@pytest.mark.parametrize("chunk", [6, 1_000_000])
def test_each_matrix_is_read_by_chunks(path, monkeypatch, matrix, expected, chunk):
    monkeypatch.setattr("xnbflow.data.sources.h5ad._VALUES_PER_CHUNK", chunk)
    series = read_table(path, row(matrix=matrix))
    np.testing.assert_array_equal(series.values.T, expected)
    assert list(series.labels) == list("BTBTBTB")
    assert list(series.features) == [f"g{i}" for i in range(expected.shape[1])]
    assert series.feature_metadata["symbol"][0] == "G0"
    assert list(series.sample_metadata) == ["donor"]


def test_groups_come_from_obs(path):
    assert list(read_table(path, row(group="obs:donor")).groups) == list("pppqqqq")


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (row("obs:kind"), "names; its columns of text are type, donor"),
        (row(group="patient"), "obs has no 'patient', which the sheet's group names"),
        (row(matrix="layers:z"), "may be X, raw, layers:columns, layers:dense here"),
    ],
)
def test_what_the_file_has_not_is_told(path, dataset, message):
    with pytest.raises(InputError, match=message):
        read_table(path, dataset)


def test_what_is_no_anndata_is_told(tmp_path):
    path = tmp_path / "x.h5ad"
    path.write_bytes(b"\x89HDF\r\n\x1a\n and no more")
    with pytest.raises(InputError, match="cannot be read as AnnData"):
        read_table(path, row())


@pytest.mark.parametrize(("matrix", "expected"), [("X", "scaled"), ("raw", "log counts")])
def test_the_real_cells_are_read(shared_data, matrix, expected):
    source = shared_data / "singlecell" / "pbmc68k_reduced.h5ad"
    series = read_table(source, row("bulk_labels", matrix=matrix))
    assert series.values.shape == (765, 700)
    assert len(series.classes) == 10
    assert (series.values.min() >= 0) == (expected == "log counts")
