"""Which tests run without an option, and with one."""

from types import SimpleNamespace

import pytest
from selection import is_asked


@pytest.mark.parametrize(
    ("markers", "expression", "expected"),
    [
        ([], "", True),
        (["nightly"], "", False),
        (["nightly"], "not slow", False),  # `make test-fast`
        (["nightly"], "nightly", True),
        (["core"], "nightly", False),
        (["core"], "core", True),
        (["slow"], "", True),
    ],
)
def test_tests_of_minutes_run_only_by_name(markers, expression, expected):
    item = SimpleNamespace(get_closest_marker=lambda name: name in markers)
    assert is_asked(item, expression) == expected
