"""The analysis of single cells, small: markers, a common classifier, donors, what is skipped."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.studies.cells import compute, markers
from xnbflow.studies.cells.compute import analyse
from xnbflow.studies.cells.contract import TABLES
from xnbflow.studies.cells.markers import rank_sum_scores

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
    assert dict(zip(first["type"], first["gene"], strict=True)) == {
        "B": "g00",
        "NK": "g04",
        "T": "g08",
    }
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
        return found(
            DataSet(data.name, values, data.features, data.samples, data.labels),
            finder,
            codes,
            train,
        )

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
        for gene in range(5):
            test = mannwhitneyu(
                features[gene, mine],
                features[gene, ~mine],
                use_continuity=False,
                method="asymptotic",
                alternative="greater",
            )
            from scipy.stats import norm

            assert norm.sf(scores[code, gene]) == pytest.approx(test.pvalue, rel=1e-9)


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
