"""Sparse samples give what the same samples give dense: features, distances, labels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from xnbflow.data import matrices
from xnbflow.data.errors import InputError
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV

MODELS = [
    XNB(),
    XNB(underflow="log", min_bandwidth=0.2, distance="jeffreys", min_distance="mean"),
    XNB(kernel="epanechnikov", selection="joint"),
    XNB(bandwidth="cross_validation"),
    XNB(bandwidth="scott", distance="wasserstein", min_distance=0.05, n_grid=7),
    XNB(selection="minimal", distance="jensen_shannon"),
    ClassSpecificNB(),
    ClassSpecificNB(n_features=3, distance="separation", bandwidth="scott"),
    ClassSpecificNB(n_features=2, bandwidth="adaptive"),
    ClassSpecificNB(n_features=2, kernel="triangular", evidence="odds"),
    ClassSpecificNB(selection="minimal", threshold=0.9),
    ClassSpecificNBCV(cv=3, sizes=[1, 3]),
]
FORMATS = ["csr", "csc", "coo", "bsr", "dok", "lil", "dia"]


def untidy(matrix, dtype=np.int64):
    """The same matrix as CSR with duplicates, explicit zeros and unsorted indices."""
    found = sparse.coo_array(matrix)
    halves = np.concatenate([found.data / 2, found.data / 2, [0.0]])
    rows = np.concatenate([found.coords[0], found.coords[0], [0]])
    columns = np.concatenate([found.coords[1], found.coords[1], [found.shape[1] - 1]])
    order = np.lexsort((-columns, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=found.shape[0]))])
    arrays = halves[order], columns[order].astype(dtype), indptr.astype(dtype)
    raw = sparse.csr_array(arrays, shape=found.shape)
    raw.indices, raw.indptr = arrays[1:]  # SciPy makes the indices as small as they may be
    assert not raw.has_canonical_format
    return raw


def transposed(matrix):
    return untidy(matrix.T).T  # the same as CSC


FORMS = {
    **{f"{name}_array": getattr(sparse, f"{name}_array") for name in FORMATS},
    **{f"{name}_matrix": getattr(sparse, f"{name}_matrix") for name in FORMATS},
    "untidy": untidy,
    "untidy int32": lambda matrix: untidy(matrix, np.int32),
    "untidy csc": transposed,
}

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


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
    for name in ("spike_features_", "tied_features_", "direction_", "optimality_gap_"):
        assert getattr(dense, name, None) == getattr(other, name, None)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_sparse_samples_give_what_dense_ones_give(model):
    X, y = cells(160, 48)
    for form, dtype in ((sparse.csr_array, float), (sparse.csc_matrix, np.float32)):
        dense = clone(model).fit(X.astype(dtype), y)
        stored = clone(model).fit(form(X.astype(dtype)), y)
        fitted_alike(dense, stored)
        for points in (form(X), X):
            found = stored.predict_joint_log_proba(points)
            np.testing.assert_allclose(found, dense.predict_joint_log_proba(X), rtol=1e-11)
        assert stored.explain(form(X[:3])).equals(dense.explain(X[:3]))


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_format_is_the_same_matrix_at_every_door(form):
    X, y = cells(90, 24)
    X[1, 3], y[y == 3] = 0.0, 2
    names = np.array([f"g{i:02}" for i in range(24)])
    for model in (XNB(), ClassSpecificNB(n_features=2), ClassSpecificNBCV(cv=3, sizes=[2])):
        dense = clone(model).fit(X, y)
        stored = clone(model).fit(form(X), y)
        fitted_alike(dense, stored)
        joint = dense.predict_joint_log_proba(X)
        np.testing.assert_allclose(dense.predict_joint_log_proba(form(X)), joint, rtol=1e-11)
        assert dense.explain(form(X[:3])).equals(dense.explain(X[:3]))
        if hasattr(model, "transform"):
            kept = dense.transform(form(X))
            assert sparse.issparse(kept)
            np.testing.assert_array_equal(kept.toarray(), X[:, dense.used_columns_])
        if hasattr(model, "fit_stream"):
            parts = [(names[i : i + 7], form(X[:, i : i + 7].T)) for i in range(0, 24, 7)]
            stream = clone(model).fit_stream(parts, y)
            of_names = {k: names[v].tolist() for k, v in dense.selected_features_.items()}
            assert stream.selected_features_ == of_names
            used = np.searchsorted(names, stream.feature_names_in_)
            found = stream.predict_joint_log_proba(form(X[:, used]))
            np.testing.assert_allclose(found, joint, rtol=1e-11)


def test_a_few_values_in_memory_change_nothing(monkeypatch):
    X, y = cells()
    expected = ClassSpecificNB().fit(X, y)
    monkeypatch.setattr(matrices.feature_blocks, "__defaults__", (500,))
    monkeypatch.setattr(matrices, "_PART", 77)
    monkeypatch.setattr(matrices, "_DENSE_VALUES", 700)
    for form in (sparse.csr_array, sparse.csc_array):
        fitted_alike(expected, ClassSpecificNB().fit(form(X), y))


def test_whole_numbers_are_taken_in_a_stream_and_raw_counts_are_warned_of():
    X, y = cells(90, 24)
    counts, names = np.ceil(X).astype(np.int64).T, [f"g{i:02}" for i in range(24)]
    empty = [], sparse.csr_array((0, 90), dtype=int)
    dense = XNB().fit_stream([(names, counts)], y)
    fitted_alike(dense, XNB().fit_stream([empty, (names, sparse.csc_array(counts))], y))
    with pytest.warns(UserWarning, match="as raw counts are"):
        XNB().fit(sparse.csr_array(100 * abs(counts.T)), y)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
def test_what_is_no_finite_number_is_refused(form):
    X, y = cells()
    X[3, 4] = np.inf
    with pytest.raises(InputError, match="infinity"):
        XNB().fit(form(X), y)
    with pytest.raises(InputError, match="feature 'b' is not a finite number"):
        XNB().fit_stream([(["a", "b"], form(X[:, 3:5].T))], y)
    for value, what in ((1e160, "column 4 reaches"), (1e-170, "column 4 varies")):
        X[:, 4] = 0.0
        X[3, 4] = value
        with pytest.raises(InputError, match=what):
            ClassSpecificNB().fit(form(X), y)
