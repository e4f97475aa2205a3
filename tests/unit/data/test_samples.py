"""The forms in which people have samples and labels: AnnData, sparse matrices, odd labels."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.data import matrices
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV, GaussianNB

N, GENES = 60, 8


@dataclass
class Annotated:
    """The public attributes of an AnnData in memory that are documented and used."""

    X: Any
    obs: pd.DataFrame
    var_names: pd.Index
    isbacked: bool = False

    @property
    def shape(self):
        return self.X.shape

    def __len__(self):
        return self.X.shape[0]


def annotated(form=np.asarray):
    rng = np.random.default_rng(5)
    types = np.array(["B", "NK", "T"])[np.arange(N) % 3]
    high = np.arange(GENES) % 3 == np.arange(N)[:, None] % 3
    values = np.log1p(rng.poisson(0.3 + 3.0 * high)).astype(np.float32)
    obs = pd.DataFrame({"type": pd.Categorical(types)}, index=[f"c{i}" for i in range(N)])
    return Annotated(form(values), obs, pd.Index([f"g{i}" for i in range(GENES)]))


FORMS = [np.asarray, sparse.csr_matrix, sparse.csc_array]


@pytest.mark.filterwarnings("ignore:.*lack features that the classifier uses:UserWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.slow
def test_genes_that_cells_lack_are_marginalised_as_those_of_a_table(form):
    cells = annotated(form)
    model = ClassSpecificNB(n_features=2).fit(cells, "type")
    frame = pd.DataFrame(annotated().X, cells.obs.index, cells.var_names)
    gone = model.feature_names_in_[model.used_columns_[0]]
    table = frame.drop(columns=gone)[::-1]
    lacking = Annotated(form(table.to_numpy()), cells.obs[::-1], table.columns)
    columns = table.astype(pd.SparseDtype(float, 0.0))
    expected, left = model.predict_proba(table), model.evidence_left(table)
    assert (left < 1.0).all()
    for samples in (lacking, columns, columns.assign(note="text")):
        np.testing.assert_allclose(model.predict_proba(samples), expected)
        assert np.array_equal(model.evidence_left(samples), left)
    assert np.array_equal(model.evidence_left(cells), np.ones(N))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", [XNB(), ClassSpecificNB(n_features=1)], ids=repr)
def test_annotated_cells_are_a_table_with_names(model, form):
    cells = annotated(form)
    frame = pd.DataFrame(annotated().X, cells.obs.index, cells.var_names)
    expected = model.fit(frame, cells.obs["type"])
    selected, joint = expected.selected_features_, expected.predict_joint_log_proba(frame)
    model.fit(cells, "type")
    assert model.selected_features_ == selected
    np.testing.assert_allclose(model.predict_joint_log_proba(cells), joint, rtol=1e-9)
    turned = Annotated(cells.X[:, ::-1], cells.obs, cells.var_names[::-1])
    np.testing.assert_allclose(model.predict_joint_log_proba(turned), joint, rtol=1e-9)
    lacking = Annotated(cells.X[:, 1:], cells.obs, cells.var_names[1:])
    if isinstance(model, XNB):  # whose classes would not be comparable
        with pytest.raises(InputError, match="g0"):
            model.predict(lacking)


def test_annotated_cells_that_cannot_be_used_are_refused():
    cells = annotated()
    with refused(key="typ"):
        ClassSpecificNB().fit(cells, "typ")
    alike = Annotated(cells.X, cells.obs, pd.Index(["g"] * GENES))
    with pytest.raises(InputError, match="two genes of the AnnData have one name"):
        ClassSpecificNB().fit(alike, "type")


class StoredMatrix:
    """The public attributes of a sparse matrix in an .h5ad file that is not read."""

    shape = (1_000_000, 20_000)
    group: ClassVar = {
        "data": np.broadcast_to(np.float32(1.0), 2_000_000_000),
        "indices": np.broadcast_to(np.int32(1), 2_000_000_000),
        "indptr": np.broadcast_to(np.int64(1), 1_000_001),
    }


@dataclass
class StoredTable:
    """The same of a dense matrix, a data set of h5py."""

    shape: tuple[int, int]


@pytest.mark.parametrize(
    ("matrix", "memory"),
    [
        (StoredMatrix(), "sparse values take 16,009 MB, .* 32,017 MB"),
        (StoredTable((1_000_000, 20_000)), "dense values take 160,000 MB, .* 320,000"),
    ],
)
def test_cells_in_a_file_are_refused_with_the_memory_that_they_take(matrix, memory):
    cells = annotated()
    backed = Annotated(matrix, cells.obs, cells.var_names, isbacked=True)
    with pytest.raises(InputError, match=memory) as refusal:
        ClassSpecificNB().fit(backed, "type")
    assert "X.to_memory()" in str(refusal.value)
    assert "X[:, genes].to_memory()" in str(refusal.value)


TABLES = [lambda table, fill=fill: table.astype(pd.SparseDtype(float, fill)) for fill in (0.0, 1.0)]


@pytest.mark.filterwarnings("ignore:.*lack features that the classifier uses:UserWarning")
@pytest.mark.parametrize("form", [*TABLES, pa.Table.from_pandas])
def test_a_sparse_table_and_one_of_another_library_are_the_table(form):
    cells = annotated()
    dense = pd.DataFrame(cells.X.astype(float), columns=cells.var_names)
    y = cells.obs["type"].to_numpy()
    expected = ClassSpecificNB(n_features=2).fit(dense, y)
    model = ClassSpecificNB(n_features=2).fit(form(dense), y)
    assert model.selected_features_ == expected.selected_features_
    assert model.feature_names_in_.tolist() == list(dense.columns)
    for table in (dense, dense[dense.columns[:0:-1]]):  # the second lacks a gene that is used
        joint = expected.predict_joint_log_proba(table)
        for samples in (form(table), table):
            np.testing.assert_allclose(model.predict_joint_log_proba(samples), joint, rtol=1e-9)


def test_a_sparse_table_is_refused_where_zeros_would_be_stored():
    cells = annotated()
    stored = pd.DataFrame(cells.X.astype(float)).astype(pd.SparseDtype(float, 0.0))
    with pytest.raises(InputError, match="sparse"):
        GaussianNB().fit(stored.add_prefix("g"), cells.obs["type"])


X, CODES = annotated().X, np.arange(N) % 3


def test_labels_that_have_no_order_are_named_by_their_types():
    with pytest.raises(InputError) as caught:
        ClassSpecificNB().fit(X, np.array([1, b"b", "c"], dtype=object)[CODES])
    assert all(name in str(caught.value) for name in ("int", "bytes", "str"))


def test_a_column_of_dates_is_named():
    table = pd.DataFrame(X).add_prefix("g").assign(drawn=pd.Timestamp("2020-03-01"))
    with pytest.raises(InputError, match="'drawn'"):
        GaussianNB().fit(table, CODES)


def check_inner_folds(make, folds):
    """Check a classifier whose ``cv`` is a splitter or a list of splits."""
    expected = make(cv=folds).fit(X, CODES).predict_proba(X)
    listed = list(folds.split(X, CODES))
    np.testing.assert_array_equal(make(cv=listed).fit(X, CODES).predict_proba(X), expected)
    for cv, message in (
        ([], r"cv is \[\]; use an int in the range"),
        (folds.split(X, CODES), "cv is <generator .*; use an int in the range"),
        ([([0, 1, 2], [N])], f"a sample beyond the {N} that there are"),
    ):
        with pytest.raises(InputError, match=message):
            make(cv=cv).fit(X, CODES)


def test_inner_folds_may_be_a_list_of_splits():
    check_inner_folds(ClassSpecificNBCV, StratifiedKFold(4))


MODELS = [
    XNB(),
    XNB(underflow="log", min_bandwidth=0.2, min_distance="mean"),
    XNB(kernel="epanechnikov", selection="joint"),
    XNB(selection="minimal"),
    XNB(bandwidth="scott", min_distance=0.05, n_grid=7),
    ClassSpecificNB(),
    ClassSpecificNB(n_features=3, distance="separation", bandwidth="scott"),
    ClassSpecificNB(n_features=2, kernel="triangular"),
    ClassSpecificNBCV(cv=3, sizes=[1, 3]),
]


def untidy(matrix):
    """The same matrix as CSR with duplicates, explicit zeros and unsorted indices."""
    actual = sparse.coo_array(matrix)
    halves = np.concatenate([actual.data / 2, actual.data / 2, [0.0]])
    rows = np.concatenate([actual.coords[0], actual.coords[0], [0]])
    columns = np.concatenate([actual.coords[1], actual.coords[1], [actual.shape[1] - 1]])
    order = np.lexsort((-columns, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=actual.shape[0]))])
    arrays = halves[order], columns[order], indptr
    raw = sparse.csr_array(arrays, shape=actual.shape)
    raw.indices, raw.indptr = arrays[1:]  # SciPy makes the indices as small as they may be
    assert not raw.has_canonical_format
    return raw


STORED_FORMS = {
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
    "coo_array": sparse.coo_array,
    "untidy": untidy,
    "untidy csc": lambda matrix: untidy(matrix.T).T,
}


def cells(n=300, genes=60, seed=0):
    """Log counts with markers, negative values, a constant gene and one that is never zero."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    high = np.arange(genes) % 12 == 3 * y[:, None]
    X = np.log1p(rng.poisson(0.15 + 0.9 * high) * rng.uniform(0.5, 2.0, (n, 1)))
    X[:, 7] -= 0.5 * (rng.random(n) < 0.3)
    X[:, 9] = 0.0
    X[:, 11] = 2.0 + rng.random(n)
    X[:, 13] = rng.random(n) < 0.02  # a rare gene: the grid is wide against its bandwidths
    return X, y


def fitted_alike(dense, other):
    assert dense.selected_features_ == other.selected_features_
    for a, b in zip(dense.distances_, other.distances_, strict=True):
        # A distance is a root: near 0 it is known to the root of rounding only.
        np.testing.assert_allclose(a**2, b**2, rtol=1e-11, atol=1e-14)
    for name in ("tied_features_", "direction_", "optimality_gap_"):
        assert getattr(dense, name, None) == getattr(other, name, None)


def explained_alike(dense, other):
    """Compare explanations: rows and names exactly, numbers to the tolerance of two fits.

    BLAS sums dense and sparse values in orders that depend on the processor, and the search for the
    calibration's slope stops at slightly different points: two fits agree to about 1e-10.
    """
    pd.testing.assert_frame_equal(dense, other, rtol=1e-8, atol=1e-10)


@pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_sparse_samples_give_what_dense_ones_give(model):
    X, y = cells(160, 48)
    for form, dtype in ((sparse.csr_array, float), (sparse.csc_matrix, np.float32)):
        dense = clone(model).fit(X.astype(dtype), y)
        stored = clone(model).fit(form(X.astype(dtype)), y)
        fitted_alike(dense, stored)
        for points in (form(X), X):
            actual = stored.predict_joint_log_proba(points)
            np.testing.assert_allclose(actual, dense.predict_joint_log_proba(X), rtol=1e-8)
            assert stored.predict(points).tolist() == dense.predict(X).tolist()
        explained_alike(dense.explain(X[:3]), stored.explain(form(X[:3])))


@pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("form", STORED_FORMS.values(), ids=STORED_FORMS)
def test_every_format_is_the_same_matrix_at_every_door(form):
    X, y = cells(90, 24)
    X[1, 3], y[y == 3] = 0.0, 2
    for model in (XNB(), ClassSpecificNB(n_features=2), ClassSpecificNBCV(cv=3, sizes=[2])):
        dense = clone(model).fit(X, y)
        stored = clone(model).fit(form(X), y)
        fitted_alike(dense, stored)
        joint = dense.predict_joint_log_proba(X)
        np.testing.assert_allclose(dense.predict_joint_log_proba(form(X)), joint, rtol=1e-11)
        explained_alike(dense.explain(X[:3]), stored.explain(form(X[:3])))
        if hasattr(model, "transform"):
            selected = dense.transform(form(X))
            assert sparse.issparse(selected)
            np.testing.assert_array_equal(selected.toarray(), X[:, dense.used_columns_])


@pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")
def test_a_few_values_in_memory_change_nothing(monkeypatch):
    X, y = cells()
    expected = ClassSpecificNB().fit(X, y)
    monkeypatch.setattr(matrices, "SAMPLE_BLOCK_VALUES", 77)
    monkeypatch.setattr(matrices, "FEATURE_BLOCK_VALUES", 700)
    for form in (sparse.csr_array, sparse.csc_array):
        fitted_alike(expected, ClassSpecificNB().fit(form(X), y))


@pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")
def test_whole_numbers_are_taken_and_raw_counts_are_warned_of():
    X, y = cells(90, 24)
    counts = np.ceil(X).astype(np.int64).T
    fitted_alike(XNB().fit(counts.T, y), XNB().fit(sparse.csc_array(counts.T), y))
    with pytest.warns(UserWarning, match="as raw counts are"):
        XNB().fit(sparse.csr_array(100 * abs(counts.T)), y)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
def test_what_is_no_finite_number_is_refused(form):
    X, y = cells()
    X[3, 4] = np.inf
    with pytest.raises(InputError, match="infinity"):
        XNB().fit(form(X), y)
    for value, what in ((1e160, "column 4 reaches"), (1e-170, "column 4 varies")):
        X[:, 4] = 0.0
        X[3, 4] = value
        with pytest.raises(InputError, match=what):
            ClassSpecificNB().fit(form(X), y)
