"""The comparison of numbers with those of R, where packages of R are absent."""

import pytest
import r_oracles


@pytest.mark.parametrize("absent", ["limma", "statmod"])
def test_a_test_is_skipped_with_the_name_of_the_absent_package(monkeypatch, absent):
    monkeypatch.setattr(r_oracles, "is_installed", lambda name: name != absent)
    with pytest.raises(pytest.skip.Exception, match=f"R's {absent} is not installed"):
        r_oracles.r_answers("limma", "", needs=["statmod"])
