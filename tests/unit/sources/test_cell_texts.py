"""Cells of text: which are numbers, missing, or texts."""

import numpy as np
import pytest

from xnbflow.sources.formats.cell_texts import (
    fault_of_number,
    is_missing,
    is_text,
    numbers_of,
    symbols_of_date,
)


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


@pytest.mark.parametrize("word", ["NA", "n/a", "#N/A", "<NA>", "-nan", "NULL", "None", "?", ""])
def test_words_of_missing_values_in_any_letters(word):
    assert is_missing(f" {word} ")
    assert np.isnan(numbers_of(f"{word}\n{word.lower()}\n{word.upper()}", 3)).all()


def test_undetermined_is_missing_as_programs_of_pcr_write_it():
    assert is_missing("Undetermined")
    assert np.isnan(numbers_of("Undetermined\nUNDETERMINED\nundetermined", 3)).all()


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        pytest.param(
            "1_000", "'1_000' is not a number", id="an underscore"
        ),  # Python reads it as 1000
        pytest.param(
            "1,234", "'1,234' is not a number: it has separators of thousands", id="separators"
        ),
        pytest.param("x", "'x' is not a number", id="a text"),
        pytest.param("inf", "the value is infinite ('inf')", id="infinite"),
    ],
)
def test_why_a_cell_is_no_number(cell, expected):
    assert fault_of_number(cell).clause == expected


@pytest.mark.parametrize("cell", ["1.5", "-2e3"])
def test_a_number_has_no_complaint(cell):
    assert fault_of_number(cell) is None


def test_a_column_with_an_infinite_number_is_not_converted_at_once():
    assert numbers_of("1\ninf", 2) is None
    assert numbers_of("1\nx", 2) is None
    assert numbers_of("1,5\n2", 2, ",").tolist() == [1.5, 2]


@pytest.mark.parametrize(
    ("name", "symbols"),
    [
        ("2-Sep", ["SEPT2"]),
        ("Mar-01", ["MARCH1", "MARC1"]),
        ("2021-12-01", ["DEC1"]),
        ("4-Oct", ["OCT4"]),
        ("1-Jan", []),
        ("2021-13-01", []),
        ("x", []),
    ],
)
def test_symbols_of_which_excel_makes_dates(name, symbols):
    assert symbols_of_date(name) == symbols
