"""Notes on reading in a paper's methods: what was found, without what the reader should do."""

import pytest

from xnbflow.report.manuscript.paragraphs import without_advice


@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        (
            "1 feature name is a date that Excel has made of symbols (1-Mar (MARCH1 or MARC1))",
            "; correct them in the table",
        ),
        (
            "1 feature is called NAN, as where a probe has no gene",
            ": name a gene, or leave it out by drop=",
        ),
        (
            "the values look like intensities not logged (99% quantile 900, largest 1,000)",
            "; consider transform=log2",
        ),
        (
            "the values look like counts (whole numbers from 0)",
            ": if they are reads of RNA-seq, set transform=log2",
        ),
        (
            "'patient' has 3 values for 24 samples",
            ": if it names patients, set group=patient in the sheet's options",
        ),
        (
            "1 title line was left out above the header ('RMA')",
            "; the option header= names another line as the header",
        ),
        (
            "fewer than 5 samples in class 'rare' (2): of 5 folds some test none",
            "; add samples, join or leave out classes by map= in the sheet's options",
        ),
        ("logarithms to base 2 were taken of all values", ""),
        ("2 samples are left out, without phenotype: S1, S2", ""),
    ],
)
def test_advice_is_left_out(statement, advice):
    assert without_advice(statement + advice) == statement
