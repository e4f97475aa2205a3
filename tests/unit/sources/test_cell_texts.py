"""Cells of text: which are numbers, missing, or texts."""

import pytest

from xnbflow.sources.cell_texts import is_text


@pytest.mark.parametrize(
    "cell",
    [
        "12",
        " -3.25 ",
        "+7.",
        ".5",
        "1e-3",
        "3,5",
        "1.234.567",
        "12345678901234567890123456789",
        "",
        "NA",
        "?",
    ],
)
def test_numbers_in_any_notation_and_missing_values_are_no_texts(cell):
    assert not is_text(cell)


@pytest.mark.parametrize("cell", ["TP53", "1.2.3x", "12 mg", "1_000", "inf", "1e999", "-", "1-2"])
def test_other_cells_are_texts(cell):
    """Also what Python reads as a number but no table contains as one: 1_000, and infinities."""
    assert is_text(cell)
