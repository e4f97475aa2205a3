"""The analysis of single cells, small, and what its section says of tables written by hand."""

import numpy as np
import pandas as pd
import pytest
from report_study import walk, write_declared
from scipy.stats import mannwhitneyu, norm

from xnbflow.data.contract import analysis_tables
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.study import Study
from xnbflow.report.page.blocks import Prose, figures_of
from xnbflow.report.page.style import render
from xnbflow.report.results import StudyResults
from xnbflow.studies.cells import ANALYSIS, compute, markers
from xnbflow.studies.cells.compute import analyse
from xnbflow.studies.cells.markers import rank_sum_scores
from xnbflow.studies.cells.section import section

TABLES = analysis_tables(ANALYSIS)

PARAMS = {"splits": 3, "repeats": 2, "top": 2, "trees": 20}
OWN = ["ClassSpecificNB", "XNB", "Wilcoxon, top 2", "all genes"]


def cells(groups=None, n_genes=12):
    rng = np.random.default_rng(0)
    labels = np.repeat(["B", "NK", "T"], 24)
    values = np.log1p(rng.poisson(0.3, (n_genes, 72)))
    for i, label in enumerate(("B", "NK", "T")):
        values[4 * i] += 2.0 * (labels == label)
    genes, samples = [f"g{i:02}" for i in range(n_genes)], [f"c{i}" for i in range(72)]
    return DataSet("toy", values, genes, samples, labels, groups=groups)


@pytest.fixture(scope="module")
def tables():
    return analyse({"toy": cells()}, PARAMS, threads=1)


def test_each_method_has_a_row_with_the_declared_columns(tables):
    for name, table in TABLES.items():
        assert list(tables[name]) == table.fixed
    methods = tables["methods"].set_index("method")
    assert set(OWN) <= set(methods.index[methods["status"] == "ok"])
    assert (methods.loc[OWN, "accuracy"] > 0.9).all()
    assert methods.loc["all genes", "genes"] == 12
    assert methods.loc["Wilcoxon, top 2", "genes_per_type"] == 2
    assert methods["own_accuracy"].notna().to_dict() == {
        name: name in ("ClassSpecificNB", "XNB") for name in methods.index
    }
    assert (methods["donors"] == 0).all()


def test_the_planted_genes_are_the_markers(tables):
    chosen = tables["markers"]
    assert "all genes" not in set(chosen["method"])
    first = chosen[chosen["method"] == "Wilcoxon, top 2"].drop_duplicates("type")
    assert first.set_index("type")["gene"].to_dict() == {"B": "g00", "NK": "g04", "T": "g08"}
    assert (first["folds"] == 6).all()
    assert (first["share"] == 1.0).all()


def test_recalls_weigh_up_to_the_accuracy(tables):
    for method, rows in tables["recalls"].groupby("method"):
        mean = np.average(rows["recall"], weights=rows["cells"])
        methods = tables["methods"].set_index("method")
        assert mean == pytest.approx(methods.loc[method, "accuracy"])


def test_what_is_not_installed_is_told(monkeypatch):
    monkeypatch.setattr(markers.importlib.util, "find_spec", lambda _: None)
    found = analyse({"toy": cells()}, PARAMS, threads=1)["methods"].set_index("method")
    for name, package in {"Wilcoxon by scanpy, top 2": "scanpy", "NS-Forest": "nsforest"}.items():
        assert found.loc[name, "status"] == "skipped"
        assert found.loc[name, "reason"].startswith(f"{package} is not installed")
        assert np.isnan(found.loc[name, "accuracy"])


def test_a_donor_is_on_one_side_of_a_fold(monkeypatch):
    donors = np.tile([f"d{i}" for i in range(6)], 12)
    sides = []
    found = compute._found

    def seen(data, finder, codes, train):
        sides.append(set(donors[train]) & set(donors[~train]))
        return found(data, finder, codes, train)

    monkeypatch.setattr(compute, "_found", seen)
    tables = analyse({"toy": cells(donors)}, PARAMS, threads=1)
    assert sides
    assert not any(sides)
    assert (tables["methods"]["donors"] == 6).all()


def test_only_training_cells_choose_markers(monkeypatch):
    """Values of tested cells that give the types away change no marker."""
    before = analyse({"toy": cells()}, PARAMS | {"repeats": 1}, threads=1)["markers"]
    found = compute._found

    def spoiled(data, finder, codes, train):
        values = data.values.copy()
        values[11, ~train] = 100.0 * codes[~train]
        other = DataSet(data.name, values, data.features, data.samples, data.labels)
        return found(other, finder, codes, train)

    monkeypatch.setattr(compute, "_found", spoiled)
    after = analyse({"toy": cells()}, PARAMS | {"repeats": 1}, threads=1)["markers"]
    assert before.equals(after)


def test_a_peer_that_fails_is_told_and_our_own_raises(monkeypatch):
    def fails(_):
        raise ValueError("no positive genes")

    for package, ends in (("numpy", False), ("", True)):
        finder = markers.Finder("peer", fails, package)
        monkeypatch.setattr(compute, "finders", lambda *_, finder=finder: [finder])
        if ends:
            with pytest.raises(ValueError, match="no positive genes"):
                analyse({"toy": cells()}, PARAMS, threads=1)
        else:
            row = analyse({"toy": cells()}, PARAMS, threads=1)["methods"].iloc[0]
            assert (row["status"], row["reason"]) == ("failed", "ValueError: no positive genes")


def test_unknown_parameters_are_refused():
    with pytest.raises(InputError, match="has no parameter 'bottom'; it has splits"):
        analyse({"toy": cells()}, {"bottom": 3}, threads=1)


def test_rank_sums_are_scipy_s():
    rng = np.random.default_rng(1)
    features, codes = rng.poisson(1.0, (6, 50)).astype(float), np.arange(50) % 3
    features[5] = 2.0
    scores = rank_sum_scores(features, codes, 3)
    assert (scores[:, 5] == 0.0).all()
    for code in range(3):
        mine = codes == code
        test = mannwhitneyu(
            features[:5, mine],
            features[:5, ~mine],
            use_continuity=False,
            method="asymptotic",
            alternative="greater",
            axis=1,
        )
        np.testing.assert_allclose(norm.sf(scores[code, :5]), test.pvalue, rtol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_scanpy_ranks_the_same_genes():
    anndata = pytest.importorskip("anndata", reason="needs the extra cells")
    scanpy = pytest.importorskip("scanpy", reason="needs the extra cells")
    data = cells()
    theirs = anndata.AnnData(data.values.T.copy())
    theirs.var_names, theirs.obs["type"] = list(data.features), list(data.labels)
    scanpy.tl.rank_genes_groups(theirs, "type", method="wilcoxon", tie_correct=True)
    codes = np.searchsorted(data.classes, data.labels)
    scores = rank_sum_scores(data.values, codes, 3)
    for row, label in zip(scores, data.classes, strict=True):
        frame = scanpy.get.rank_genes_groups_df(theirs, label).set_index("names")["scores"]
        np.testing.assert_allclose(frame[list(data.features)], row, rtol=1e-5, atol=1e-6)


def test_ns_forest_finds_the_planted_genes():
    pytest.importorskip("nsforest", reason="needs the extra cells")
    tables = analyse({"toy": cells(n_genes=60)}, PARAMS, threads=1)
    row = tables["methods"].set_index("method").loc["NS-Forest"]
    assert row["status"] == "ok", row["reason"]
    assert row["version"].startswith("nsforest ")
    assert row["accuracy"] > 0.9


METHODS = ["ClassSpecificNB", "Wilcoxon, top 5", "NS-Forest", "all genes"]


def written(donors=0):
    rows = []
    for i, method in enumerate(METHODS):
        ok = method != "NS-Forest"
        figures = [0.8 - 0.01 * i, 0.7, 0.75 if i == 0 else np.nan, 10.0**i, 3.0, 0.0, 0.5]
        told = ("ok", "") if ok else ("skipped", "nsforest is not installed")
        figures = figures if ok else [np.nan] * 7
        rows.append(("toy", method, *told, "", *figures, 700, 2, donors, 5, 1))
    recalls = [
        ("toy", method, kind, cells, 0.5 + 0.1 * i, 3.0)
        for i, method in enumerate(METHODS)
        if method != "NS-Forest"
        for kind, cells in (("B", 300), ("T", 400))
    ]
    markers = [("toy", "ClassSpecificNB", "B", "CD19", 5, 1.0)]
    found = {"methods": rows, "recalls": recalls, "markers": markers}
    return {name: pd.DataFrame(rows, columns=TABLES[name].fixed) for name, rows in found.items()}


def shown(tmp_path, frames):
    study = Study("cells", "Cells", "", (), (), (), diagnostics=False, analyses={})
    results = StudyResults(study, {}, {}, tmp_path)
    for name, table in frames.items():
        write_declared(table, results.folder / "cells" / f"{name}.parquet", TABLES[name])
    return section(results)


def words(found):
    return [(block.role, block.text) for block in walk(found.blocks) if isinstance(block, Prose)]


def test_what_is_skipped_and_that_no_donor_is_named_is_said(tmp_path):
    said = words(shown(tmp_path, written()))
    warned = [text for role, text in said if role == "warning"]
    assert any("names no donor of its 700 cells" in text for text in warned)
    assert "toy: NS-Forest was skipped: nsforest is not installed." in warned
    (headline,) = [text for role, text in said if role == "headline"]
    assert "ClassSpecificNB 0.800 with 1 gene, Wilcoxon, top 5 0.790 with 10 genes" in headline
    assert "all 1,000 genes give 0.770" in headline


def test_donors_that_folds_keep_together_are_said(tmp_path):
    said = words(shown(tmp_path, written(donors=8)))
    assert any("come from 8 donors" in text for _, text in said)
    assert not any("names no donor" in text for _, text in said)


def test_figures_are_drawn(tmp_path):
    found = shown(tmp_path, written())
    figures = list(figures_of(found.blocks))
    assert [each.name for each in figures] == ["cells-trade-toy", "cells-recall-toy"]
    for each in figures:
        assert "<svg" in render(each.name, each.draw, each.arguments)


def test_nothing_computed_is_no_section(tmp_path):
    empty = {name: table.iloc[:0] for name, table in written().items()}
    assert shown(tmp_path, empty) is None
