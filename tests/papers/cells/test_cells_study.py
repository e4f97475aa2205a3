"""The analysis of single cells, small, and what its section says of tables written by hand."""

import numpy as np
import pytest
from report_study import analysis_section, walk
from scipy.stats import mannwhitneyu, norm

from xnbflow.data.dataset import DataSet
from xnbflow.papers.cells import compute, markers
from xnbflow.papers.cells.compute import analyse
from xnbflow.papers.cells.entries import ANALYSIS
from xnbflow.papers.cells.markers import rank_sum_scores
from xnbflow.report.page.blocks import Prose, Table, figures_of
from xnbflow.tables.contract import analysis_tables

PARAMS = {"splits": 3, "repeats": 2, "top": 2, "trees": 20}
OWN = ["ClassSpecificNB", "XNB", "Wilcoxon, top 2", "all genes"]


def cells(groups=None, n_genes=12):
    rng = np.random.default_rng(0)
    labels = np.repeat(["B", "NK", "T"], 24)
    values = np.log1p(rng.poisson(0.3, (n_genes, 72)))
    for i, label in enumerate(("B", "NK", "T")):
        values[4 * i] += 2.0 * (labels == label)
    genes, samples = [f"g{i:02}" for i in range(n_genes)], [f"c{i}" for i in range(72)]
    return DataSet("toy", values, features=genes, samples=samples, labels=labels, groups=groups)


@pytest.fixture(scope="module")
def tables():
    return analyse({"toy": cells()}, PARAMS, threads=1)


def test_each_method_has_a_row_with_the_declared_columns(tables):
    for name, table in analysis_tables(ANALYSIS).items():
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


def test_only_training_cells_choose_markers_and_a_donor_is_on_one_side(monkeypatch):
    donors = np.tile([f"d{i}" for i in range(6)], 12)
    data = cells(donors)
    data.values[11] = np.arange(72)  # names the cells that a finder sees
    trained = []

    def find(training):
        trained.append(training.features[11].astype(int))
        return [np.array([k]) for k in range(3)], None

    monkeypatch.setattr(compute, "finders", lambda *_: [markers.Finder("peer", find)])
    row = analyse({"toy": data}, PARAMS, threads=1)["methods"].iloc[0]
    assert row["donors"] == 6
    tested = [np.setdiff1d(np.arange(72), train) for train in trained]
    for repeat in (tested[:3], tested[3:]):
        assert sorted(np.concatenate(repeat)) == list(range(72))
    for train, test in zip(trained, tested, strict=True):
        assert not set(donors[train]) & set(donors[test])


def test_types_without_a_marker_are_counted(monkeypatch):
    """Of three types one has no marker, one has one, one has two."""

    def find(_):
        return [np.array([], dtype=int), np.array([0]), np.array([1, 2])], None

    monkeypatch.setattr(compute, "finders", lambda *_: [markers.Finder("peer", find)])
    row = analyse({"toy": cells()}, PARAMS, threads=1)["methods"].iloc[0]
    assert row["types_without"] == 1.0
    assert row["genes_per_type"] == 1.0
    assert row["genes"] == 3.0


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


def test_rank_sums_are_scipy_s(rng):
    features, codes = rng.poisson(1.0, (6, 50)).astype(float), np.arange(50) % 3
    features[5] = 2.0
    scores = rank_sum_scores(features, codes, 3)
    assert (scores[:, 5] == 0.0).all()
    for code in range(3):
        of_type = codes == code
        how = {"use_continuity": False, "method": "asymptotic", "alternative": "greater", "axis": 1}
        test = mannwhitneyu(features[:5, of_type], features[:5, ~of_type], **how)
        np.testing.assert_allclose(norm.sf(scores[code, :5]), test.pvalue, rtol=1e-9)


def shown(tmp_path, frames, donors=0):
    methods = frames["methods"].assign(donors=donors)
    skipped = {"status": "skipped", "reason": "nsforest is not installed", "accuracy": np.nan}
    methods.loc[methods["method"] == "NS-Forest", list(skipped)] = list(skipped.values())
    return analysis_section(ANALYSIS, frames | {"methods": methods}, tmp_path, sourced=False)[0]


def test_the_section_says_what_is_skipped_and_whether_donors_are_named(tables, tmp_path):
    section = shown(tmp_path / "a", tables)
    warned = [b.text for b in walk(section.blocks) if isinstance(b, Prose) and b.role == "warning"]
    assert any("names no donor of its 72 cells" in text for text in warned)
    assert "toy: NS-Forest was skipped: nsforest is not installed." in warned
    (figure,) = figures_of(section.blocks)
    methods = tables["methods"].set_index("method")
    for line in figure.arguments["lines"]:
        assert (line.x, line.y) == tuple(methods.loc[line.label, ["genes", "accuracy"]])
    assert set(OWN) <= {line.label for line in figure.arguments["lines"]}
    shares = next(
        b.frame for b in walk(section.blocks) if isinstance(b, Table) and "XNB" in b.frame
    )
    recalls = tables["recalls"].set_index(["method", "type"])["recall"]
    assert shares.set_index("type")["XNB"].to_dict() == recalls["XNB"].to_dict()
    of_donors = shown(tmp_path / "b", tables, donors=8)
    texts = [block.text for block in walk(of_donors.blocks) if isinstance(block, Prose)]
    assert any("come from 8 donors" in text for text in texts)
    assert not any("names no donor" in text for text in texts)
