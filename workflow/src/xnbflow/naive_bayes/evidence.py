"""Evidence for each class, feature by feature: densities against one common reference.

By the theorem of class-specific features (Baggenstoss 1999) densities of different features become
comparable when each is divided by that of one reference; here the mixture of all classes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from xnbflow.data.matrices import Rows
from xnbflow.density.borrowed import BorrowedShape, fit_borrowed_shape
from xnbflow.density.families.kernel import Kernel
from xnbflow.density.standard import StandardFeatures, StandardUnits

#: Log densities below this, of samples far outside the range, are equally impossible.
_IMPOSSIBLE = -1e300

#: Share of a value that comes from the mixture of all classes, so that no value excludes a class.
DEFAULT_CONTAMINATION = 0.01


@dataclass(frozen=True)
class ClassDensities:
    """Kernel densities of several features in every class, in standard units.

    ``standard`` are centres and units of the features, ``kernel`` the densities in these units, and
    ``borrowed``, if any, the shape that is mixed into them.
    """

    standard: StandardUnits
    kernel: Kernel
    borrowed: BorrowedShape | None = None

    def log_density(self, points: np.ndarray, *, approximate: bool = False) -> np.ndarray:
        """Return log densities per standard deviation, shape (n_classes, n_features, n_points).

        Points (n_features, n_points) are as measured; they may be ``approximate`` as by `Kernel`.
        """
        points = self.standard.apply(points.T).T
        kernel = self.kernel.approximate_log_density if approximate else self.kernel.log_density
        log_density = np.moveaxis(kernel(points), 1, 0)
        if self.borrowed is None:
            return log_density
        return self.borrowed.mix(log_density, points)


def fit_class_densities(
    values: np.ndarray | Rows,
    codes: np.ndarray,
    n_classes: int,
    *,
    bandwidth: str,
    min_bandwidth: float,
    kernel: str,
    exact: bool = False,
    borrowed: float = 0.0,
) -> ClassDensities:
    """Fit a kernel density to each feature in every class.

    Values are an array or `Rows` (n_features, n_samples) as measured. The spread within all
    classes has the weight of ``borrowed`` samples in a class's density (see
    `xnbflow.density.borrowed`); the other parameters are those of
    `xnbflow.naive_bayes.ClassSpecificNB`.
    """
    features: Any = StandardFeatures(values)
    family = Kernel(bandwidth=bandwidth, kernel=kernel, min_bandwidth=min_bandwidth, exact=exact)
    family.fit(features, codes, n_classes, features.standard.spreads)
    if not borrowed:
        return ClassDensities(features.standard, family)
    least = min_bandwidth * features.standard.spreads * len(codes) ** -0.2
    shape = fit_borrowed_shape(features, codes, n_classes=n_classes, borrowed=borrowed, least=least)
    return ClassDensities(features.standard, family, shape)


def class_evidence(
    log_density: np.ndarray,
    log_prior: np.ndarray,
    contamination: float,
    *,
    approximate: bool = False,
) -> np.ndarray:
    """Return the evidence for each class, in nats, in the shape of the densities.

    It is ``log p(x | c) - log p(x)`` with ``p(x)`` the mixture of all classes. Densities have shape
    (n_classes, ...), the weights of the classes in the mixture, ``log_prior``, (n_classes,). The
    share ``contamination`` of ``p(x)`` is mixed into ``p(x | c)``; ``approximate`` does so to
    rounding only, in a third of the time. Where all classes are equally impossible it is 0.

    Examples
    --------
    >>> densities = np.log([[0.3], [0.1]])
    >>> np.exp(class_evidence(densities, np.log([0.5, 0.5]), 0.0)).round(6).tolist()
    [[1.5], [0.5]]
    """
    log_density = np.maximum(log_density, _IMPOSSIBLE)
    if approximate and contamination > 0.0:
        ratio = np.exp(log_density - log_density.max(axis=0))
        ratio /= np.tensordot(np.exp(log_prior), ratio, 1)
        return np.log((1.0 - contamination) * ratio + contamination)
    weights = log_prior.reshape(-1, *[1] * (log_density.ndim - 1))
    ratio = log_density - logsumexp(log_density + weights, axis=0)
    if contamination == 0.0:
        return ratio
    return np.logaddexp(np.log1p(-contamination) + ratio, np.log(contamination))
