"""Sparse samples give what the same samples give dense: features, distances, labels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from xnbflow.data.errors import InputError
from xnbflow.density import matrices
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV

MODELS = [
    XNB(),
    XNB(underflow="log", min_bandwidth=0.2, distance="jeffreys", min_distance="mean"),
    XNB(bandwidth="cross_validation"),
    XNB(bandwidth="scott", distance="wasserstein", min_distance=0.05, n_grid=7),
    XNB(selection="minimal", distance="jensen_shannon"),
    ClassSpecificNB(n_features=3, distance="separation", bandwidth="scott"),
    ClassSpecificNB(n_features=2, bandwidth="adaptive"),
    ClassSpecificNB(n_features=2, kernel="triangular", evidence="odds"),
    ClassSpecificNB(selection="minimal", threshold=0.9),
    ClassSpecificNBCV(cv=3, sizes=[1, 3]),
]


FORMS = [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix]


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
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_samples_give_what_dense_ones_give(model, dtype):
    X, y = cells(160, 48)
    X = X.astype(dtype)
    dense = clone(model).fit(X, y)
    for form in FORMS[:2] if dtype == np.float64 else FORMS[2:]:
        stored = clone(model).fit(form(X), y)
        fitted_alike(dense, stored)
        for points in (form(X), X):
            found = stored.predict_joint_log_proba(points)
            np.testing.assert_allclose(found, dense.predict_joint_log_proba(X), rtol=1e-11)
        np.testing.assert_array_equal(stored.predict(form(X)), dense.predict(X))
        assert stored.explain(form(X[:3])).equals(dense.explain(X[:3]))


@pytest.mark.parametrize("form", FORMS)
def test_a_selector_keeps_sparse_samples_sparse(form):
    X, y = cells()
    model = ClassSpecificNB(n_features=2).fit(form(X), y)
    kept = model.transform(form(X))
    assert sparse.issparse(kept)
    np.testing.assert_array_equal(kept.toarray(), X[:, model.used_columns_])


def test_a_few_values_in_memory_change_nothing(monkeypatch):
    X, y = cells()
    expected = ClassSpecificNB().fit(X, y)
    monkeypatch.setattr(matrices.feature_blocks, "__defaults__", (500,))
    monkeypatch.setattr(matrices, "_PART", 77)
    monkeypatch.setattr(matrices, "_DENSE_VALUES", 700)
    for form in FORMS[:2]:
        fitted_alike(expected, ClassSpecificNB().fit(form(X), y))


def test_stored_zeros_and_repeated_entries_are_what_scipy_takes_them_for():
    X, y = cells()
    rows, columns = np.nonzero(X)
    rows, columns = np.append(rows, [0, 1, 1]), np.append(columns, [9, 9, 5])
    values = np.append(X[X != 0], [0.0, 0.0, 0.25])  # the last is added to what cell 1 has
    X[1, 5] += 0.25
    twice = sparse.coo_array((values, (rows, columns)), shape=X.shape)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))])
    order = np.argsort(rows, kind="stable")[::1]
    raw = sparse.csr_array((values[order], columns[order], indptr), shape=X.shape)
    assert not raw.has_canonical_format
    expected = XNB().fit(X, y)
    fitted_alike(expected, XNB().fit(raw, y))
    fitted_alike(expected, XNB().fit(twice.tocsc(), y))


def test_features_with_the_same_values_in_another_order_tie():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 60)
    X = np.zeros((120, 40))
    X[60:, 0] = rng.gamma(2.0, size=60)
    for gene in range(1, 40):
        X[60:, gene] = rng.permutation(X[60:, 0])
    model = XNB(min_distance=0.1).fit(sparse.csc_array(X), y)
    assert len(np.unique(model.pair_distances_["distance"])) == 1
    assert model.selected_features_ == XNB(min_distance=0.1).fit(X, y).selected_features_


@pytest.mark.parametrize("form", FORMS[:2])
@pytest.mark.parametrize("value", [np.inf, np.nan, 1e160, 1e-170])
def test_values_out_of_range_are_refused(form, value):
    X, y = cells()
    X[:, 4] = 0.0
    X[3, 4] = value
    with pytest.raises(InputError, match="column 4" if np.isfinite(value) else "infinity|NaN"):
        ClassSpecificNB().fit(form(X), y)


def test_a_chunk_that_is_not_finite_is_named_and_raw_counts_are_warned_of():
    features = sparse.csr_array(np.array([[0.0, 1.0, 1.0, 2.0], [np.nan, 0.0, 0.0, 1.0]]))
    with pytest.raises(InputError, match="feature 'b'"):
        XNB().fit_stream([(["a", "b"], features)], ["x", "y", "x", "y"])
    rng = np.random.default_rng(0)
    counts = rng.poisson(2.0, (40, 5)) * rng.integers(1, 30, (40, 1))
    with pytest.warns(UserWarning, match="raw counts"):
        XNB().fit(sparse.csr_array(counts), np.arange(40) % 2)


def test_a_stream_of_sparse_chunks_is_what_the_whole_is():
    X, y = cells()
    names = np.array([f"g{i:02}" for i in range(X.shape[1])])
    features = sparse.csr_array(X.T)
    for model in (XNB(), ClassSpecificNB(n_features=2)):
        whole = clone(model).fit(sparse.csc_array(X), y)
        parts = ((names[i : i + 7], features[i : i + 7]) for i in range(0, len(names), 7))
        stream = clone(model).fit_stream(parts, y)
        told = {k: names[v].tolist() for k, v in whole.selected_features_.items()}
        assert stream.selected_features_ == told
        used = np.searchsorted(names, stream.feature_names_in_)
        points = sparse.csr_array(X[:, used])
        np.testing.assert_array_equal(stream.predict(points), whole.predict(X))
