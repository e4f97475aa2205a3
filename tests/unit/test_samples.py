"""The forms in which people have samples and labels: AnnData, sparse tables, odd labels, types."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from toys import refused

from xnbflow.data.cells import Cells, rank_genes_groups
from xnbflow.data.errors import InputError
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV, GaussianNB, SelectiveNB

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
    for given in (lacking, columns, columns.assign(note="text")):
        np.testing.assert_allclose(model.predict_proba(given), expected)
        assert np.array_equal(model.evidence_left(given), left)
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
    turned = Cells(cells.X[:, ::-1], cells.obs, cells.var_names[::-1])
    np.testing.assert_allclose(model.predict_joint_log_proba(turned), joint, rtol=1e-9)
    lacking = Cells(cells.X[:, 1:], cells.obs, cells.var_names[1:])
    if isinstance(model, XNB):  # whose classes would not be comparable
        with pytest.raises(InputError, match="g0"):
            model.predict(lacking)


def test_annotated_cells_that_cannot_be_used_are_refused():
    cells = annotated()
    with refused(key="typ"):
        ClassSpecificNB().fit(cells, "typ")
    for wrong in (
        Annotated(cells.X, cells.obs, cells.var_names, isbacked=True),
        Annotated(cells.X, cells.obs, pd.Index(["g"] * GENES)),
    ):
        with pytest.raises(InputError):
            ClassSpecificNB().fit(wrong, "type")


@pytest.mark.parametrize("form", FORMS)
def test_a_streamed_model_predicts_annotated_cells_of_all_genes(form):
    cells = annotated(form)
    chunk = np.asarray(cells.var_names), annotated().X.T
    model = ClassSpecificNB(n_features=1).fit_stream([chunk], cells.obs["type"])
    assert len(model.feature_names_in_) < GENES
    own = annotated().X[:, cells.var_names.get_indexer(model.feature_names_in_)]
    frame = pd.DataFrame(own, columns=model.feature_names_in_)
    assert model.predict(cells).tolist() == model.predict(frame).tolist()
    with pytest.raises(InputError, match="feature_names_in_"):
        model.predict(annotated(sparse.csr_array).X)


def test_genes_that_are_higher_in_a_class_are_ranked_first():
    cells = annotated(sparse.csr_array)
    model = ClassSpecificNB(n_features=4).fit(cells, "type")
    ranked = rank_genes_groups(model, "type", samples=cells)
    for label, own in model.selected_features_.items():
        signs = np.sign(ranked["scores"][label][: len(own)])
        assert sorted(ranked["names"][label][: len(own)]) == sorted(own)
        assert (np.diff(signs) <= 0).all()
        assert {-1.0, 1.0} == set(signs)
        # Markers were planted: a class is higher in its own and lower in those of the others.
        np.testing.assert_array_equal(np.sign(ranked["logfoldchanges"][label][: len(own)]), signs)
    of_xnb = rank_genes_groups(XNB().fit(cells, "type"), "type", samples=cells)
    assert (of_xnb["scores"]["B"] * of_xnb["logfoldchanges"]["B"] >= 0.0).all()


@pytest.mark.parametrize("fill", [0.0, 1.0])
def test_a_sparse_table_is_the_table(fill):
    cells = annotated()
    dense = pd.DataFrame(cells.X.astype(float), columns=cells.var_names)
    stored = dense.astype(pd.SparseDtype(float, fill))
    y = cells.obs["type"]
    expected = ClassSpecificNB(n_features=2).fit(dense, y)
    model = ClassSpecificNB(n_features=2).fit(stored, y)
    assert model.selected_features_ == expected.selected_features_
    assert model.feature_names_in_.tolist() == list(dense.columns)
    for table in (stored, dense):
        np.testing.assert_allclose(
            model.predict_joint_log_proba(table), expected.predict_joint_log_proba(dense), rtol=1e-9
        )
    if fill == 0.0:
        with pytest.raises(InputError, match="sparse"):
            GaussianNB().fit(stored, y)


@pytest.mark.filterwarnings("ignore:.*lack features that the classifier uses:UserWarning")
def test_a_table_of_another_library_is_its_dataframe():
    cells = annotated()
    frame = pd.DataFrame(cells.X.astype(float), columns=cells.var_names)
    y = cells.obs["type"].to_numpy()
    model = ClassSpecificNB(n_features=2).fit(pa.Table.from_pandas(frame), y)
    expected = ClassSpecificNB(n_features=2).fit(frame, y)
    assert model.selected_features_ == expected.selected_features_
    other = frame[frame.columns[:0:-1]].assign(note="text")  # lacks a gene that is used
    for table in (frame, other):
        found = model.predict_joint_log_proba(pa.Table.from_pandas(table))
        np.testing.assert_array_equal(found, expected.predict_joint_log_proba(table))


X, CODES = annotated().X, np.arange(N) % 3


def test_labels_that_have_no_order_are_named_by_their_types():
    with pytest.raises(InputError) as caught:
        ClassSpecificNB().fit(X, np.array([1, b"b", "c"], dtype=object)[CODES])
    assert all(name in str(caught.value) for name in ("int", "bytes", "str"))


def test_a_column_of_dates_is_named():
    table = pd.DataFrame(X).add_prefix("g").assign(drawn=pd.Timestamp("2020-03-01"))
    with pytest.raises(InputError, match="'drawn'"):
        GaussianNB().fit(table, CODES)


def test_inner_folds_may_be_a_list_or_a_generator_of_splits():
    folds = StratifiedKFold(4)
    listed = list(folds.split(X, CODES))
    for make in (ClassSpecificNBCV, SelectiveNB):
        expected = make(cv=folds).fit(X, CODES).predict_proba(X)
        np.testing.assert_array_equal(make(cv=listed).fit(X, CODES).predict_proba(X), expected)
        model = make(cv=folds.split(X, CODES)).fit(X, CODES)
        np.testing.assert_array_equal(model.predict_proba(X), expected)
        for cv in (model.cv, iter([3]), [([0, 1, 2], [N])]):  # the first is used up
            with pytest.raises(InputError):
                make(cv=cv).fit(X, CODES)
    streamed = ClassSpecificNBCV(cv=iter(listed)).fit_stream([(np.arange(GENES), X.T)], CODES)
    pd.testing.assert_frame_equal(streamed.path_, ClassSpecificNBCV(cv=4).fit(X, CODES).path_)


def test_the_path_has_the_score_of_any_scorer():
    y = CODES == 1
    model = ClassSpecificNBCV(cv=4, sizes=[1, 3], rule="best", calibration="temperature")
    log_loss = model.set_params(scoring="log_loss").fit(X, y).path_
    same = model.set_params(scoring="neg_log_loss").fit(X, y).path_
    pd.testing.assert_frame_equal(log_loss, same)
    accuracy = model.set_params(scoring=lambda fitted, rows, true: fitted.score(rows, true))
    path = accuracy.fit(X, y).path_
    np.testing.assert_allclose(path["score"], path["accuracy"])
    np.testing.assert_allclose(path["score_se"], path["accuracy_se"])
    # The area under the curve is that of ClassSpecificNB with as many features, pooled over folds.
    area = model.set_params(scoring="roc_auc", sizes=[2]).fit(X, y).path_["score"][0]
    pooled = np.empty(N)
    for train, test in StratifiedKFold(4).split(X, y):
        inner = ClassSpecificNB(n_features=2, temperature=model.temperature_)
        pooled[test] = inner.fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    assert area == pytest.approx(roc_auc_score(y, pooled), abs=0.02)
