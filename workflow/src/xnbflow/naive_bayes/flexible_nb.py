"""Flexible naive Bayes: a kernel density per class and feature (XNB paper, section 4.2)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from xnbflow.core.parameters import PRIORS_CONSTRAINT
from xnbflow.density.families.kernel import DENSITY_CONSTRAINTS, Kernel
from xnbflow.naive_bayes.independent import IndependentNB


class FlexibleNB(IndependentNB):
    """Flexible naive Bayes: kernel densities instead of normal ones.

    Parameters
    ----------
    bandwidth : {"silverman", "scott", "normal_reference", "sheather_jones", \
            "cross_validation", "adaptive"}, default="silverman"
        Rule for the bandwidth of each class and feature. "silverman" and "scott" are rules of
        thumb, .9 and 1.059 times the smaller of standard deviation and quartile range / 1.349;
        "normal_reference" is 1.059 times the standard deviation, which the text of the XNB paper
        prints as Silverman's. "sheather_jones" is the plug-in equation, solved as in the authors'
        program of XNB (`xnbflow.density.plug_in_bandwidth`). "cross_validation" has the best
        likelihood of left-out samples in three folds, as in that program; it depends on the order
        of the samples (`xnbflow.density.validated_bandwidth`). With both the time grows with the
        square of a class's samples. "adaptive" multiplies Silverman's bandwidth by a factor for
        each sample, greater where samples are sparse (Abramson's square-root law).
    kernel : {"gaussian", "uniform", "epanechnikov", "biweight", "triweight", "cosine", \
            "triangular", "exponential"} or int, default="gaussian"
        Kernel of the densities. A whole number ``s`` is the kernel ``(1 - u²)**s`` of the beta
        family (Eq. 5), whose first members are "uniform" (0) to "triweight" (3). All but
        "gaussian" and "exponential" have bounded support: where a density is zero its logarithm is
        taken as -708.4, that of the smallest normal number.
    min_bandwidth : float, default=0.0
        No bandwidth is below ``min_bandwidth * s * n_c**-0.2``, with ``s`` the feature's standard
        deviation over all training samples and ``n_c`` the samples of the class. With 0, the
        published method, the density of a class that is (almost) constant in a feature is a spike.
        0.2 to 0.5 are good floors.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None means their shares of the training samples.

    Attributes
    ----------
    density_ : Kernel
        The densities of all features, with ``samples_`` and ``bandwidths_`` of each class.

    See Also
    --------
    GaussianNB : One normal density per feature and class.
    XNB : The same densities of selected features of each class.
    HybridNB : Other families for other columns.

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

    _any_layout = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DENSITY_CONSTRAINTS,
        "priors": PRIORS_CONSTRAINT,
    }

    def __init__(
        self,
        *,
        bandwidth: str = "silverman",
        kernel: str | int = "gaussian",
        min_bandwidth: float = 0.0,
        priors: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.min_bandwidth = min_bandwidth
        self.priors = priors

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        self.density_ = Kernel(
            bandwidth=self.bandwidth,
            kernel=self.kernel,
            min_bandwidth=self.min_bandwidth,
        )
        self.density_.fit(features, codes, len(self.classes_))
        self._set_group(self.density_)
