"""Messages quote values, names and numbers of things in a bounded length."""

import pytest

from xnbflow.core.errors import InputError, known_names, printable, quoted
from xnbflow.core.nouns import counted, listed


@pytest.mark.parametrize(
    ("count", "name", "text"),
    [
        (0, "sample", "0 samples"),
        (1, "sample", "1 sample"),
        (2, "branch", "2 branches"),
        (2, "box", "2 boxes"),
        (2, "day", "2 days"),
        (1_000, "time series", "1,000 time series"),
    ],
)
def test_a_noun_is_in_the_number_of_its_count(count, name, text):
    assert counted(count, name) == text


def test_lists_name_eight_things_and_count_the_others():
    assert listed("abcdefgh") == "a, b, c, d, e, f, g, h"
    assert listed("abcdefghi") == "a, b, c, d, e, f, g, h and 1 more"


def test_names_of_sixty_characters_are_cut_in_lists():
    assert listed(["a" * 59]) == "a" * 59
    assert listed(["a" * 60]) == "a" * 57 + "..."


def test_a_line_of_a_message_has_at_most_700_characters():
    assert str(InputError("a" * 700)) == "a" * 700
    assert str(InputError("a" * 701 + "\nb")) == "a" * 348 + "..." + "a" * 348 + "\nb"


def test_a_quoted_value_has_at_most_60_characters():
    assert quoted("a" * 58) == "'" + "a" * 58 + "'"
    assert quoted("a" * 59) == "'" + "a" * 27 + "..." + "a" * 27 + "'"


@pytest.mark.parametrize("character", ["\x1b", "\x07", "\x9b", "\u202e", "\u2066"])
def test_characters_that_a_terminal_obeys_are_escaped(character):
    assert printable(f"a{character}\tb\n") == f"a{character!r}\tb\n".replace("'", "")


def test_an_unknown_name_is_followed_by_the_names_up_to_60_characters():
    names = ["a" * 30, "b" * 30, "c" * 30]
    assert known_names("zz", names) == f"known: {'a' * 30}, {'b' * 30} and 1 more"
    assert known_names("zz", []) == "known: none"
