"""The forms in which people have samples and labels: AnnData, tables of others, odd labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
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


def annotated():
    rng = np.random.default_rng(5)
    types = np.array(["B", "NK", "T"])[np.arange(N) % 3]
    high = np.arange(GENES) % 3 == np.arange(N)[:, None] % 3
    values = np.log1p(rng.poisson(0.3 + 3.0 * high)).astype(np.float32)
    obs = pd.DataFrame({"type": pd.Categorical(types)}, index=[f"c{i}" for i in range(N)])
    return Annotated(values, obs, pd.Index([f"g{i}" for i in range(GENES)]))


@pytest.mark.filterwarnings("ignore:.*lack features that the classifier uses:UserWarning")
@pytest.mark.slow
def test_genes_that_cells_lack_are_marginalised_as_those_of_a_table():
    cells = annotated()
    model = ClassSpecificNB(n_features=2).fit(cells, "type")
    frame = pd.DataFrame(cells.X, cells.obs.index, cells.var_names)
    gone = model.feature_names_in_[model.used_columns_[0]]
    table = frame.drop(columns=gone)[::-1]
    lacking = Annotated(table.to_numpy(), cells.obs[::-1], table.columns)
    expected, left = model.predict_proba(table), model.evidence_left(table)
    assert (left < 1.0).all()
    for samples in (lacking, table.assign(note="text")):
        np.testing.assert_allclose(model.predict_proba(samples), expected)
        assert np.array_equal(model.evidence_left(samples), left)
    assert np.array_equal(model.evidence_left(cells), np.ones(N))


@pytest.mark.parametrize("model", [XNB(), ClassSpecificNB(n_features=1)], ids=repr)
def test_annotated_cells_are_a_table_with_names(model):
    cells = annotated()
    frame = pd.DataFrame(cells.X, cells.obs.index, cells.var_names)
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


def test_cells_whose_values_are_in_a_file_are_refused_with_the_remedy():
    cells = annotated()
    backed = Annotated(cells.X, cells.obs, cells.var_names, isbacked=True)
    with refused(r"give its to_memory\(\)"):
        ClassSpecificNB().fit(backed, "type")


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array])
def test_annotated_cells_of_sparse_values_are_refused_as_scikit_learn_refuses_them(form):
    cells = annotated()
    stored = Annotated(form(cells.X), cells.obs, cells.var_names)
    model = ClassSpecificNB(n_features=2).fit(cells, "type")
    for use in (model.predict, lambda samples: ClassSpecificNB().fit(samples, "type")):
        with pytest.raises(TypeError, match="dense data is required"):
            use(stored)


@pytest.mark.filterwarnings("ignore:.*lack features that the classifier uses:UserWarning")
def test_a_table_of_another_library_is_the_table():
    cells = annotated()
    dense = pd.DataFrame(cells.X.astype(float), columns=cells.var_names)
    y = cells.obs["type"].to_numpy()
    expected = ClassSpecificNB(n_features=2).fit(dense, y)
    model = ClassSpecificNB(n_features=2).fit(pa.Table.from_pandas(dense), y)
    assert model.selected_features_ == expected.selected_features_
    assert model.feature_names_in_.tolist() == list(dense.columns)
    for table in (dense, dense[dense.columns[:0:-1]]):  # the second lacks a gene that is used
        joint = expected.predict_joint_log_proba(table)
        for samples in (pa.Table.from_pandas(table), table):
            np.testing.assert_allclose(model.predict_joint_log_proba(samples), joint, rtol=1e-9)


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


@pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")
def test_a_few_values_in_memory_change_nothing(monkeypatch):
    X, y = cells()
    expected = ClassSpecificNB().fit(X, y)
    monkeypatch.setattr(matrices, "_SAMPLE_BLOCK_VALUES", 77)
    monkeypatch.setattr(matrices, "_FEATURE_BLOCK_VALUES", 700)
    fitted_alike(expected, ClassSpecificNB().fit(X, y))


@pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")
def test_whole_numbers_are_taken_and_raw_counts_are_warned_of():
    X, y = cells(90, 24)
    counts = np.ceil(X).astype(np.int64)
    fitted_alike(XNB().fit(counts.astype(float), y), XNB().fit(counts, y))
    with pytest.warns(UserWarning, match="as raw counts are"):
        XNB().fit(100 * abs(counts), y)


def test_what_is_no_finite_number_is_refused():
    X, y = cells()
    X[3, 4] = np.inf
    with pytest.raises(InputError, match="infinity"):
        XNB().fit(X, y)
    for value, what in ((1e160, "column 4 reaches"), (1e-170, "column 4 varies")):
        X[:, 4] = 0.0
        X[3, 4] = value
        with pytest.raises(InputError, match=what):
            ClassSpecificNB().fit(X, y)
