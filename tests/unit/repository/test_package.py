"""The names of the package itself."""

import pytest

import xnbflow
from xnbflow import naive_bayes as nb


def test_the_package_itself_has_its_estimators():
    assert xnbflow.XNB is nb.XNB
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = xnbflow.nothing
