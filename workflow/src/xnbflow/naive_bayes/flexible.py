"""Flexible naive Bayes: a kernel density per class and feature (XNB paper, section 4.2)."""

from typing import ClassVar

import numpy as np

from xnbflow.density.bandwidth import BANDWIDTHS
from xnbflow.density.kernels import KERNELS
from xnbflow.distributions.kernel import KernelDensities, fit_kernel_densities
from xnbflow.naive_bayes.independent import IndependentNB
from xnbflow.parameters import one_of

__all__ = ["FlexibleNB"]


class FlexibleNB(IndependentNB):
    """Flexible naive Bayes: kernel densities instead of normal ones.

    Parameters
    ----------
    bandwidth : {"silverman", "scott", "sheather_jones", "cross_validation", "adaptive"}, \
            default="silverman"
        Rule for the bandwidth of each class and feature: Silverman's and Scott's rules of thumb,
        Sheather and Jones' plug-in equation, greatest leave-one-out likelihood, or Abramson's
        square-root law, by which every sample has a bandwidth of its own.
    kernel : {"gaussian", "uniform", "epanechnikov", "biweight", "triweight", "cosine", \
            "triangular"}, default="gaussian"
        Kernel of the densities. All but the first have bounded support: where a density is zero
        its logarithm is taken as -708.4, that of the smallest normal number.

    Attributes
    ----------
    densities_ : list of KernelDensities
        One per class, in the order of ``classes_``.

    References
    ----------
    .. [1] John, Langley, "Estimating continuous distributions in Bayesian classifiers", 1995.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> float(FlexibleNB().fit(X, y).score(X, y))
    0.96
    """

    _parameter_constraints: ClassVar[dict[str, list]] = {
        "bandwidth": [one_of(*BANDWIDTHS)],
        "kernel": [one_of(*KERNELS)],
    }

    def __init__(self, *, bandwidth: str = "silverman", kernel: str = "gaussian") -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        self.densities_ = fit_kernel_densities(
            features, codes, len(self.classes_), bandwidth=self.bandwidth, kernel=self.kernel
        )

    def _class_densities(self, code: int) -> KernelDensities:
        return self.densities_[code]
