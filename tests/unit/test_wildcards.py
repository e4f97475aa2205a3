"""What a wildcard may stand for: the names that were given, all of them and no other."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xnbflow.workflow.wildcards import exactly

#: Few letters, so that names begin and end alike, and those that mean something in an expression.
NAMES = st.lists(st.text("ab0-.^]\\|", min_size=1, max_size=6), max_size=12)


@given(NAMES, NAMES)
def test_exactly_the_given_names_match(names, others):
    pattern = re.compile(exactly(names))
    assert all(pattern.fullmatch(name) for name in names)
    assert not any(pattern.fullmatch(other) for other in [*others, ""] if other not in names)


@given(NAMES)
def test_a_name_is_found_within_a_path_though_another_one_begins_like_it(names):
    pattern = re.compile(f"results/(?P<name>{exactly(names)})-b/a")
    assert all(pattern.fullmatch(f"results/{name}-b/a")["name"] == name for name in names)


@pytest.mark.parametrize("n_names", [10, 1000])
def test_names_in_a_row_take_no_longer_expression_however_many_they_are(n_names):
    width = len(str(n_names - 1))
    names = [f"GSE{number:0{width}d}" for number in range(n_names)]
    assert exactly(names) == "GSE" + width * "[0123456789]"
