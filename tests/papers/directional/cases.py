"""Cases of this paper for the tests of all estimators, see `paper_cases`."""

from refused_samples import CODES, NOISE
from sklearn.naive_bayes import GaussianNB as ScikitGaussianNB

from xnbflow import naive_bayes as nb
from xnbflow.density.families import Gaussian, Kernel
from xnbflow.papers.directional.boundaries import von_mises_boundary, von_mises_fisher_boundary
from xnbflow.papers.directional.categorical import Categorical
from xnbflow.papers.directional.von_mises import VonMises
from xnbflow.papers.directional.von_mises_fisher import VonMisesFisher

#: Classifiers that SelectiveNB cannot take; BlockNB is of a paper that may have been removed.
DEPENDENT = [getattr(nb, name)() for name in ("BlockNB", "XNB") if hasattr(nb, name)]
DEPENDENT.append(ScikitGaussianNB())

REFUSED = [
    *(
        (nb.SelectiveNB(classifier), NOISE, CODES, "independent given the class")
        for classifier in DEPENDENT
    ),
    (nb.SelectiveNB(nb.VonMisesNB()), NOISE[:3], [0, 1, 2], "2 folds"),
    (nb.VonMisesFisherNB(), NOISE, CODES, "sample 0"),
    (nb.HybridNB([("a", "gauss", [0])]), NOISE, CODES, "'gauss'"),
    (nb.HybridNB([("a", "gaussian")]), NOISE, CODES, "name, distribution, columns"),
    (nb.HybridNB([("a", "kernel", [0]), ("b", "kernel", [0, 1])]), NOISE, CODES, "'a' and"),
    (nb.HybridNB([("a", "gaussian", [True, False])]), NOISE, CODES, "mask"),
    (nb.HybridNB([("a", "gaussian", ["tide"])]), NOISE, CODES, "'tide'"),
    (nb.HybridNB([("a", Kernel(bandwidth="isj"), [0])]), NOISE, CODES, "'a': bandwidth"),
    (nb.HybridNB([("a", Gaussian(var_smoothing=-1), [0])]), NOISE, CODES, "'a': var_smoothing"),
    (nb.HybridNB([("a", "gaussian", [])]), NOISE, CODES, "no group"),
    (nb.HybridNB([("a", "categorical", [0])]), NOISE, CODES, "'a': column 0"),
    *(
        (nb.HybridNB([("a", "gaussian", [0]), (name, "gaussian", [1])]), NOISE, CODES, "name")
        for name in ("a__b", "priors", "groups", "a", 3)
    ),
]

VARIANTS = [
    nb.HybridNB([("all", "multivariate_gaussian", slice(None))]),
    nb.HybridNB([("all", Kernel(kernel="triangular"), slice(None))]),
]
FAMILIES = [Categorical, VonMises, VonMisesFisher]
SUMMED = [Categorical(), VonMises()]
WITHOUT_DENSITY = [
    (Categorical(), [0.0, 1.0, 2.0, -1.0], "column 1 holds -1, which is not a category"),
    (Categorical(), [0.0, 1.0, 2.0, 0.5], r"column 1 holds 0\.5, which is not a category"),
    (Categorical(), [0.0, 1.0, 2.0, 1e9], r"column 1 holds 1e\+09, which is not a category"),
    (VonMisesFisher(), [0.0, 1.0, 1.0, 1.0], "the vector of sample 0 has length 0, not 1"),
]
CALLS = {
    "kappa": lambda: von_mises_boundary([0, 1], [1, -1]),
    "prior": lambda: von_mises_boundary([0, 1], [1, 1], [0.0, 1.0]),
    "kappa is": lambda: von_mises_fisher_boundary([[1, 0], [0, 1]], [1, -2]),
    r"mu has shape \(1,\); boundaries": lambda: von_mises_boundary([0], [1, 1]),
}
