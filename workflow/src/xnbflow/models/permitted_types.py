"""Types that the file of a model may contain, beside those that skops trusts itself.

skops trusts the estimators of scikit-learn, arrays and plain types. A model has our classes as
well, and objects of scikit-learn that are no estimators.
"""

from functools import cache

from xnbflow.evaluation.methods import known_methods

#: Types that estimators of several methods hold as their state.
_STATES = {
    "xnbflow.density.borrowed.BorrowedShape",
    "xnbflow.density.families.gaussian.Gaussian",
    "xnbflow.density.families.kernel.Kernel",
    "xnbflow.density.families.multivariate_gaussian.MultivariateGaussian",
    "xnbflow.density.standard.StandardUnits",
    "xnbflow.naive_bayes.class_specific_nb_cv.DecorrelatedNBCV",
    "xnbflow.naive_bayes.evidence.ClassDensities",
    "xnbflow.naive_bayes.independent.ColumnGroup",
    "xnbflow.preprocessing.decorrelation.Decorrelator",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.multiclass._ConstantPredictor",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
}


@cache
def permitted_types() -> frozenset[str]:
    """Return the full names of the types: the registered methods with their states, and others."""
    registered: set[str] = set()
    for method in known_methods().values():
        registered |= {method.estimator, *method.states}
    return frozenset(registered | _STATES)
