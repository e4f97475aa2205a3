"""Overlaps of gene sets: which genes are those of a class, and which sets are compared."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from xnbflow.studies.enrichment import enrichment, over_represented, probability_of_overlap


def gene_table(n, *, fdr=0.001, difference=1.0):
    """Genes g1, g2, ... of the class a by rank; columns may be lists."""
    return pd.DataFrame(
        {
            "class": "a",
            "feature": [f"g{i}" for i in range(1, n + 1)],
            "symbol": "",
            "rank": range(1, n + 1),
            "fdr": fdr,
            "difference": difference,
        }
    )


def genes(first, last):
    return {f"g{i}" for i in range(first, last + 1)}


def test_the_first_200_significant_genes_are_those_of_a_class():
    table = enrichment(
        {"d": gene_table(1000)}, {}, {"S": genes(196, 205), "LATER": genes(201, 210)}
    )
    (row,) = table.to_dict("records")
    assert (row["gene_set"], row["chosen"], row["overlap"]) == ("S", 200, 5)
    assert row["genes"] == "g196 g197 g198 g199 g200"
    assert row["fold"] == pytest.approx(5 / (10 * 200 / 1000))


def test_a_gene_is_significant_below_the_level_and_higher_in_the_class():
    fdr = [0.0499, 0.05, 0.06, 0.001, 0.001, 0.001] + [0.9] * 14
    difference = [1.0, 1.0, 1.0, -1.0, 0.0, 2.0] + [1.0] * 14
    table = enrichment(
        {"d": gene_table(20, fdr=fdr, difference=difference)}, {}, {"S": genes(1, 6)}
    )
    assert table["genes"].tolist() == ["g1 g6"]


@pytest.mark.parametrize(
    ("size", "is_compared"), [(4, False), (5, True), (500, True), (501, False)]
)
def test_sets_of_5_to_500_measured_genes_are_compared(size, is_compared):
    sets = {"S": genes(1, size) | {"unmeasured"}, "OTHER": genes(1, 10)}
    table = enrichment({"d": gene_table(600)}, {}, sets)
    assert ("S" in set(table["gene_set"])) == is_compared


def test_the_probability_is_that_of_at_least_so_many_shared_genes():
    """Of 10 genes 4 are chosen; of a set of 5 three are among them: (10 * 5 + 5) / 210."""
    table = over_represented(genes(1, 4), {"S": genes(2, 6), "NONE": genes(7, 8)}, 10)
    (row,) = table.to_dict("records")
    expected = (comb(5, 3) * comb(5, 1) + comb(5, 4)) / comb(10, 4)
    assert row["p"] == pytest.approx(expected)
    assert row["fdr"] == pytest.approx(min(1, 2 * expected))  # of two sets


def test_signatures_of_other_data_sets_are_not_compared():
    signature = pd.DataFrame({"class": ["b"] * 5, "feature": [f"g{i}" for i in range(1, 6)]})
    signature["symbol"] = ""
    table = enrichment(
        {"d": gene_table(50, fdr=0.9)}, {("d", "nb"): signature, ("e", "xnb"): signature},
        {"S": genes(1, 6)},
    )  # fmt: skip
    assert table[["by", "class", "overlap"]].values.tolist() == [["nb", "b", 5]]


@pytest.mark.parametrize("measured", [4, 100, 20_000, 60_000])
def test_the_probability_of_an_overlap_is_scipys(measured):
    random = np.random.default_rng(measured)
    sizes = random.integers(0, min(500, measured) + 1, size=100)
    chosen = int(random.integers(1, min(2000, measured) + 1))
    overlaps = random.integers(0, np.minimum(sizes, chosen) + 1)
    actual = probability_of_overlap(overlaps, sizes, chosen=chosen, measured=measured)
    expected = hypergeom.sf(overlaps - 1, measured, sizes, chosen)
    np.testing.assert_allclose(actual, expected, rtol=2e-9, atol=1e-300)


def test_an_overlap_that_cannot_be_avoided_is_certain():
    # 3 of 4 genes are chosen, so that a set of 2 has one of them at least
    sizes = np.array([2, 2, 0, 4])
    overlaps = np.array([1, 2, 0, 3])
    actual = probability_of_overlap(overlaps, sizes, chosen=3, measured=4)
    np.testing.assert_allclose(actual, [1, 0.5, 1, 1], rtol=1e-12)
