"""The classifiers of the XNB study keep scikit-learn's contract."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from xnbflow.naive_bayes import XNB, FlexibleNB, GaussianNB


@parametrize_with_checks([GaussianNB(), FlexibleNB(), XNB()])
@pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")
def test_estimator_keeps_the_contract(estimator, check):
    check(estimator)
