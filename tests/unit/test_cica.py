"""CICA keeps scikit-learn's contract, recovers sources, and says what it cannot do."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from xnbflow.preprocessing import CICA


@parametrize_with_checks([CICA()])
def test_estimator_keeps_the_contract(estimator, check):
    check(estimator)
