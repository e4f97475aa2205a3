"""Known artefacts: the length of the list of a class, and when a set is marked."""

from math import comb

import pandas as pd
import pytest

from xnbflow.studies.artefacts import artefacts

#: Genes of tissue handling in `artefacts.toml`.
HANDLING = ["FOS", "JUN", "EGR1", "ATF3"]


def found_in(symbols, n=2000):
    """Return the row of tissue handling where a class has these genes first, and n in all."""
    absent = [gene for gene in HANDLING if gene not in symbols]
    others = [f"G{i}" for i in range(n - len(symbols) - len(absent))]
    names = [*symbols, *others, *absent]
    table = pd.DataFrame({"class": "a", "feature": names, "symbol": ""})
    table["rank"] = range(1, len(names) + 1)
    rows = artefacts({"d": table}, {})
    return rows[rows["gene_set"] == "tissue-handling"]


def test_the_list_of_a_class_has_its_first_20_genes():
    fillers = [f"F{i}" for i in range(18)]
    (row,) = found_in([*fillers, "FOS", "JUN", "EGR1"]).to_dict("records")
    assert row["chosen"] == 20
    assert row["genes"] == "FOS JUN"


def test_a_set_is_marked_with_two_genes_but_not_with_one():
    assert found_in(["FOS", "JUN"])["marked"].tolist() == [True]
    one = found_in(["FOS"], n=20_000)
    assert one["fdr"].iloc[0] < 0.05
    assert one["marked"].tolist() == [False]


@pytest.mark.parametrize(("n", "is_marked"), [(700, True), (350, False)])
def test_a_set_is_marked_up_to_a_false_discovery_rate_of_5_percent(n, is_marked):
    """Two of four genes among 20 of n; 1 - P(0) - P(1) of the hypergeometric distribution."""
    row = found_in(["FOS", "JUN"], n=n).iloc[0]
    none = comb(n - 4, 20) / comb(n, 20)
    one = 4 * comb(n - 4, 19) / comb(n, 20)
    assert row["p"] == pytest.approx(1 - none - one)
    assert 0.02 < row["fdr"] < 0.18
    assert row["marked"] == is_marked == (row["fdr"] <= 0.05)


def test_several_probes_of_a_gene_take_one_place():
    names = ["FOS"] * 30 + [f"F{i}" for i in range(18)] + ["JUN"]
    table = pd.DataFrame(
        {
            "class": "a",
            "feature": [f"p{i}" for i in range(1500)],
            "symbol": [*names, *(f"G{i}" for i in range(1500 - len(names)))],
            "rank": range(1, 1501),
        }
    )
    rows = artefacts({"d": table}, {})
    assert rows.loc[rows["gene_set"] == "tissue-handling", "genes"].tolist() == ["FOS JUN"]
