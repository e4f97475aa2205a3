"""Names of columns in one cell: every list of names is read as it was written."""

from hypothesis import given
from hypothesis import strategies as st

from xnbflow.core.joined_columns import join_columns, joined_columns

#: Names of the signs that separate and enclose names, and of others.
NAMES = st.text(alphabet='×" ab', min_size=1).map(str.strip).filter(bool)


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_names_are_read_as_they_were_joined(names):
    assert joined_columns(join_columns(names)) == tuple(names)


def test_a_name_with_the_sign_is_one_name():
    assert joined_columns(join_columns(["dose × time"])) == ("dose × time",)
