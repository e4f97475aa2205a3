"""What the page of genes searches NCBI and Ensembl for."""

import pytest

from xnbflow.report.sections.genes import _kind_of_term


@pytest.mark.parametrize(
    ("symbol", "feature", "kind"),
    [
        ("", "1007_s_at", 0),  # a probe without a symbol
        ("", "", 0),
        ("", "gene12", 0),
        ("", "TP53", 2),  # the feature is a symbol
        ("", "M12345", 0),  # an accession of GenBank
        ("TP53", "1007_s_at", 1),
        ("DDR1 /// MIR4640", "1007_s_at", 1),
        ("NA", "1007_s_at", 0),
        ("", "MYC///PVT1", 2),  # several symbols as a name: the first is searched
    ],
)
def test_a_feature_is_searched_by_its_symbol_or_its_name(symbol, feature, kind):
    assert _kind_of_term(symbol, feature) == kind
