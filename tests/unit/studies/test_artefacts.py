"""Known artefacts: the length of the list of a class, and when a set is marked."""

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
    # the probability of one gene of four in a list of 20 of 2,000 is .039
    assert found_in(["FOS"])["marked"].tolist() == [False]


def test_a_set_is_marked_up_to_a_false_discovery_rate_of_5_percent():
    """Two of four genes among 20 of n: n = 200 has p = .05 and more sets raise it above."""
    few = found_in(["FOS", "JUN"], n=160)
    assert few["p"].iloc[0] == pytest.approx(0.0768, abs=0.001)
    assert few["marked"].tolist() == [few["fdr"].iloc[0] <= 0.05] == [False]


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
