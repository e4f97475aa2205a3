"""Genes of a class-specific classifier as scanpy's ranked genes."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from unit.data.test_samples import annotated as annotated_cells

from xnbflow.naive_bayes import XNB, ClassSpecificNB
from xnbflow.papers.cells.ranked_genes import rank_genes_groups

h5py = pytest.importorskip("h5py", reason="needs the extra h5ad")

from cell_files import GENES, TYPES, X, write_cells  # noqa: E402


def fitted():
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(GENES)])
    model = ClassSpecificNB(n_features=2).fit(frame, TYPES)
    return model, rank_genes_groups(model, "type", samples=X, labels=TYPES)


def test_a_class_s_own_genes_come_first_and_others_fill_up():
    model, ranked = fitted()
    for label, selected in model.selected_features_.items():
        n_selected = len(selected)
        names = ranked["names"][label].tolist()
        scores = ranked["scores"][label]
        first = names[:n_selected]
        assert set(first) == set(selected)
        distance_of = dict(zip(selected, model.selected_distances_[label], strict=True))
        expected = [distance_of[name] for name in first]
        np.testing.assert_array_equal(np.abs(scores[:n_selected]), expected)
        assert (scores[n_selected:] == 0.0).all()
        assert len(set(names)) == len(names)
        assert np.isnan(ranked["pvals"][label]).all()
        direction_of = dict(zip(selected, model.direction_[label], strict=True))
        high = [direction_of[name] == "high" for name in first]
        np.testing.assert_array_equal(scores[:n_selected] > 0, high)
        np.testing.assert_array_equal(ranked["logfoldchanges"][label][:n_selected] > 0, high)
        assert (np.diff(np.sign(scores[:n_selected])) <= 0).all()  # the higher ones first


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
def test_fold_changes_of_sparse_counts_are_those_of_the_dense_ones(form):
    model, expected = fitted()
    actual = rank_genes_groups(model, "type", samples=form(X), labels=TYPES)
    for label in model.classes_:
        np.testing.assert_allclose(
            actual["logfoldchanges"][label], expected["logfoldchanges"][label], rtol=1e-12
        )


@pytest.mark.filterwarnings("ignore")
def test_scanpy_shows_the_ranking(tmp_path):
    scanpy = pytest.importorskip("scanpy", reason="needs the extra cells")
    import matplotlib as mpl

    mpl.use("Agg")
    _, ranked = fitted()
    data = scanpy.read_h5ad(write_cells(tmp_path / "cells.h5ad"))
    data.uns["rank_genes_groups"] = ranked
    scanpy.pl.rank_genes_groups(data, n_genes=2, show=False)
    axes = scanpy.pl.rank_genes_groups_dotplot(data, n_genes=2, dendrogram=False, show=False)
    shown = {text.get_text() for text in axes["mainplot_ax"].get_xticklabels()}
    assert shown == {name for label in ("B", "NK", "T") for name in ranked["names"][label][:2]}
    frame = scanpy.get.rank_genes_groups_df(data, "T")
    assert frame["names"].tolist() == ranked["names"]["T"].tolist()
    by_wilcoxon = data.copy()
    scanpy.tl.rank_genes_groups(by_wilcoxon, "type", method="wilcoxon")
    expected = scanpy.get.rank_genes_groups_df(by_wilcoxon, "T")
    expected = expected.set_index("names")["logfoldchanges"]
    actual = frame.set_index("names")["logfoldchanges"]
    np.testing.assert_allclose(actual, expected[actual.index], rtol=1e-4)


def test_annotated_cells_are_ranked_by_xnb_with_the_signs_of_their_changes():
    cells = annotated_cells()
    ranked = rank_genes_groups(XNB().fit(cells, "type"), "type", samples=cells)
    assert (ranked["scores"]["B"] * ranked["logfoldchanges"]["B"] >= 0.0).all()
