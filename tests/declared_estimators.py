"""All public estimators and families of densities, with small samples to fit them to."""

import inspect

import numpy as np
import paper_cases

from xnbflow import naive_bayes as nb
from xnbflow import preprocessing
from xnbflow.core.parameters import Declared
from xnbflow.density import families
from xnbflow.density.families import Distribution
from xnbflow.evaluation.build import import_estimator
from xnbflow.evaluation.methods import shipped_methods
from xnbflow.preprocessing.estimator import Estimator

_ABSTRACT = {"BaseNaiveBayes", "Distribution"}


def _public_classes():
    """Return the classes of the public packages, of the registry and of the papers, once each."""
    classes = []
    for module in (nb, preprocessing, families):
        classes += filter(inspect.isclass, vars(module).values())
    for method in shipped_methods().values():
        classes += map(import_estimator, [method.estimator, *method.related])
    return list(dict.fromkeys([*classes, *paper_cases.FAMILIES]))


#: Estimators and families whose parameters are declared and validated.
DECLARED = [
    declared
    for declared in _public_classes()
    if declared.__name__ not in _ABSTRACT
    and issubclass(declared, Declared)
    and issubclass(declared, Estimator | Distribution)
]
#: Those that name what is wrong with samples; filters and normalisers leave that to scikit-learn.
ESTIMATORS = [declared for declared in DECLARED if issubclass(declared, Estimator)]

#: Parameters that an estimator needs, or that make it faster.
_PARAMETERS = {
    "SelectiveNB": {"estimator": nb.GaussianNB()},
    "GaussianBlocks": {"columns": [[0]]},
    "ClassSpecificNBCV": {"cv": 2},
}


def make(estimator):
    """Return an estimator or family of a class."""
    return estimator(**_PARAMETERS.get(estimator.__name__, {}))


def samples(estimator):
    """Return 36 samples of three features and two classes, or targets, that a class can fit."""
    rng = np.random.default_rng(0)
    codes = np.arange(36) % 2
    X = rng.normal(size=(36, 3)) + 2.0 * codes[:, np.newaxis]
    if estimator.__name__ == "VonMisesFisherNB":
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, X[:, 0].copy() if estimator.__name__ == "KernelNBRegressor" else codes


def use(model, X):
    """Return predictions, or transformed samples."""
    return getattr(model, "predict", getattr(model, "transform", None))(X)
