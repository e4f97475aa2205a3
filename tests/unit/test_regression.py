"""Naive Bayes regression."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from xnbflow.naive_bayes import KernelNBRegressor


@parametrize_with_checks([KernelNBRegressor()])
def test_estimator_keeps_the_contract(estimator, check):
    check(estimator)
