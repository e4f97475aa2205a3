"""Evidence for each class, feature by feature: densities against one common reference.

By the theorem of class-specific features (Baggenstoss 1999) densities of different features become
comparable when each is divided by that of one reference; here the mixture of all classes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from xnbflow.density.borrowed import BorrowedShape, fit_borrowed_shape
from xnbflow.density.families.kernel import Kernel
from xnbflow.density.standard import StandardFeatures, StandardUnits

__all__ = ["EVIDENCES", "ClassDensities", "fit_class_densities", "weigh"]

EVIDENCES = ("relative", "odds", "absolute")

#: Log densities below this, those of samples beyond all range, are equally impossible.
_IMPOSSIBLE = -1e300


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
        found = np.moveaxis(kernel(points), 1, 0)
        return found if self.borrowed is None else self.borrowed.mix(found, points)


def fit_class_densities(
    values: np.ndarray,
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

    Values are an array, `Rows` or CSR (n_features, n_samples) as measured. The spread within all
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
    shape = fit_borrowed_shape(features, codes, n_classes, borrowed, least)
    return ClassDensities(features.standard, family, shape)


def weigh(
    log_density: np.ndarray,
    log_prior: np.ndarray,
    evidence: str,
    contamination: float,
    *,
    approximate: bool = False,
) -> np.ndarray:
    """Return the evidence for each class, in nats, in the shape of the densities.

    Densities have shape (n_classes, ...), the weights of the classes in the reference,
    ``log_prior``, (n_classes,). The evidence "relative" is ``log p(x | c) - log p(x)`` with
    ``p(x)`` the mixture of all classes, "odds" ``log p(x | c) - log p(x | not c)``, "absolute"
    ``log p(x | c)``. The share ``contamination`` of ``p(x)`` is mixed into ``p(x | c)`` and ``p(x |
    not c)``; ``approximate`` does so to rounding only, in a third of the time. Where all classes
    are equally impossible it is 0, or -inf for "absolute".

    Examples
    --------
    >>> densities = np.log([[0.3], [0.1]])
    >>> np.exp(weigh(densities, np.log([0.5, 0.5]), "relative", 0.0)).round(6).tolist()
    [[1.5], [0.5]]
    """
    log_density = np.maximum(log_density, _IMPOSSIBLE)
    weights = log_prior.reshape(-1, *[1] * (log_density.ndim - 1))
    if approximate and evidence == "relative" and contamination > 0.0:
        ratio = np.exp(log_density - log_density.max(axis=0))
        ratio /= np.tensordot(np.exp(log_prior), ratio, 1)
        return np.log((1.0 - contamination) * ratio + contamination)
    reference = logsumexp(log_density + weights, axis=0)
    # Relative to the reference first: the logarithms of a wild value are too great to be added to.
    ratio = _contaminated(log_density - reference, contamination)
    if evidence == "relative":
        return ratio
    if evidence == "absolute":
        return np.where(reference > _IMPOSSIBLE / 2, ratio + reference, -np.inf)
    joint = log_density + weights
    rest = np.empty_like(joint)
    for code in range(len(joint)):
        others = np.arange(len(joint)) != code
        weight = logsumexp(log_prior[others]) if others.any() else -np.inf
        if weight > -np.inf:
            rest[code] = logsumexp(joint[others], axis=0) - weight
        else:  # the only class there can be has no evidence
            rest[code] = log_density[code]
    return ratio - _contaminated(np.maximum(rest, _IMPOSSIBLE) - reference, contamination)


def _contaminated(log_ratio: np.ndarray, share: float) -> np.ndarray:
    if share == 0.0:
        return log_ratio
    return np.logaddexp(np.log1p(-share) + log_ratio, np.log(share))
