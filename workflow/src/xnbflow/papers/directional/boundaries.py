"""Decision boundaries of directional naive Bayes, where two classes are equally probable.

Lopez-Cruz, Bielza and Larranaga, Directional naive Bayes classifiers, Theorems 1 to 3 and section
3.4, whose appendices derive them. In all functions ``priors`` (2,) are the prior probabilities of
the two classes. They raise an `InputError` unless there are two classes, concentrations are not
negative and priors are positive.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from xnbflow.core.errors import InputError
from xnbflow.papers.directional.von_mises_fisher import log_sphere_normalizer


class HybridSurface(NamedTuple):
    """The surface ``normal @ x + y @ quadratic @ y + linear @ y + offset = 0``.

    ``x`` (d,) is a unit vector and ``y`` (q,) are linear variables; ``quadratic`` (q, q) is
    symmetric. If the covariances of the classes are equal, it is 0 and the surface a hyperplane.
    """

    normal: np.ndarray
    quadratic: np.ndarray
    linear: np.ndarray
    offset: float


def von_mises_boundary(
    mu: ArrayLike, kappa: ArrayLike, priors: ArrayLike = (0.5, 0.5)
) -> np.ndarray:
    """Return the two angles, in (-pi, pi], that separate two von Mises classes, Theorem 1.

    Mean directions ``mu``, in radians, concentrations ``kappa`` and ``priors`` have shape (2,).
    Both angles are NaN where one class is more probable at every angle.

    Examples
    --------
    >>> von_mises_boundary([np.pi / 2, np.pi], [2, 5]).round(2).tolist()  # Figure 3
    [2.43, -1.67]
    """
    directions = _on_circle(_pair("mu", mu))
    normal, offset = von_mises_fisher_boundary(directions, kappa, priors)
    return _crossings(normal, np.array(-offset))


def torus_boundary(
    phi: ArrayLike, mu: ArrayLike, kappa: ArrayLike, priors: ArrayLike = (0.5, 0.5)
) -> np.ndarray:
    """Return the curve on the torus of two angles that separates two classes, Theorem 2.

    In the angles the theorem's polynomials are ``a cos(phi) + b sin(phi) + c cos(psi) + d sin(psi)
    = D``; at one ``phi`` this is Theorem 1's equation for ``psi``.

    ``phi`` (n_angles,) are values of the first angle in radians; mean directions and concentrations
    have shape (2, 2), a row per class. The result, (2, n_angles), has the two values of ``psi`` at
    each ``phi``, in (-pi, pi]; NaN where there is none.

    Examples
    --------
    >>> curve = torus_boundary([0.0], [[0, 0], [np.pi, np.pi]], np.ones((2, 2)))
    >>> curve.round(4).ravel().tolist()  # cos(phi) + cos(psi) = 0
    [3.1416, 3.1416]
    """
    mu = _pair("mu", mu)
    kappa = _pair("kappa", kappa)
    normal_phi, offset_phi = von_mises_fisher_boundary(_on_circle(mu[:, 0]), kappa[:, 0], priors)
    normal_psi, offset_psi = von_mises_fisher_boundary(_on_circle(mu[:, 1]), kappa[:, 1])
    # The decision functions of both angles add up; that of psi must cancel that of phi.
    angles = np.atleast_1d(np.asarray(phi, dtype=np.float64))
    decision_phi = _on_circle(angles) @ normal_phi + offset_phi
    return _crossings(normal_psi, -(decision_phi + offset_psi))


def von_mises_fisher_boundary(
    mu: ArrayLike, kappa: ArrayLike, priors: ArrayLike = (0.5, 0.5)
) -> tuple[np.ndarray, float]:
    """Return the hyperplane that separates two von Mises-Fisher classes, Theorem 3, Eq. 6.

    The first class is the more probable where ``normal @ x + offset > 0``; ``normal`` (d,) is
    ``kappa_1 mu_1 - kappa_2 mu_2``. Mean directions ``mu`` (2, d) are of any length: not all of the
    paper's examples have length 1.

    Examples
    --------
    >>> normal, offset = von_mises_fisher_boundary([[-1, 0, -0.2], [-0.5, -0.5, 1]], [10, 20])
    >>> normal.round(6).tolist(), round(offset, 4)  # Figure 7: 10 x2 - 22 x3 = -9.3069
    ([0.0, 10.0, -22.0], 9.3069)
    """
    mu = _pair("mu", mu)
    kappa = _pair("kappa", kappa)
    priors = _pair("priors", priors)
    if not (np.isfinite(kappa).all() and (kappa >= 0).all()):
        msg = f"kappa is {kappa.tolist()}; concentrations are finite and not negative"
        raise InputError(msg)
    if not (np.isfinite(priors).all() and (priors > 0).all()):
        msg = f"priors is {priors.tolist()}; give two positive numbers"
        raise InputError(msg)
    constants = log_sphere_normalizer(kappa, mu.shape[1]) + np.log(priors)
    return kappa[0] * mu[0] - kappa[1] * mu[1], float(constants[0] - constants[1])


def hybrid_boundary(
    mu: ArrayLike,
    kappa: ArrayLike,
    mean: ArrayLike,
    covariance: ArrayLike,
    priors: ArrayLike = (0.5, 0.5),
) -> HybridSurface:
    """Return the surface that separates two classes of a unit vector and linear variables.

    The decision functions of both blocks add up, with the priors once (section 3.4). A discrete
    variable shifts the surface as its probabilities would shift the priors (section 3.5).

    Mean directions ``mu`` have shape (2, d), with ``d`` = 2 of an angle, and ``kappa`` (2,). The
    linear variables have a mean and a variance in each class, (2,), or means (2, q) and covariances
    (2, q, q).

    Examples
    --------
    >>> surface = hybrid_boundary([[0.2, -0.8], [-0.8, -0.5]], [5, 10], [0, 2], [1, 1])
    >>> surface.normal.tolist(), surface.quadratic.item(), surface.linear.item()  # Figure 10
    ([9.0, 1.0], 0.0, -2.0)
    """
    normal, offset = von_mises_fisher_boundary(mu, kappa, priors)
    mean = _pair("mean", mean).reshape(2, -1)
    covariance = _pair("covariance", covariance).reshape(2, mean.shape[1], mean.shape[1])
    precision = np.linalg.inv(covariance)
    weighted = np.einsum("cij,cj->ci", precision, mean)
    constants = -0.5 * (weighted * mean).sum(axis=1) - 0.5 * np.linalg.slogdet(covariance)[1]
    return HybridSurface(
        normal=normal,
        quadratic=0.5 * (precision[1] - precision[0]),
        linear=weighted[0] - weighted[1],
        offset=offset + float(constants[0] - constants[1]),
    )


def _crossings(normal: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Return both angles at which ``normal @ (cos, sin)`` is ``level``, shape (2, ...)."""
    # In the letters of Theorem 1, normal @ (cos a, sin a) = T cos(a - alpha) = D:
    #     T is `length`, alpha is `direction`, D is `level`; a = alpha -+ arccos(D / T).
    length = np.hypot(*normal)
    direction = np.arctan2(normal[1], normal[0])
    has_crossings = (np.abs(level) <= length) & (length > 0)
    divisor = length if length > 0 else 1.0  # without a length there is no crossing: NaN / 1
    half_arc = np.arccos(np.where(has_crossings, level, np.nan) / divisor)
    angles = direction + np.array([half_arc, -half_arc])
    return np.pi - (np.pi - angles) % (2 * np.pi)  # in (-pi, pi]


def _on_circle(angles: np.ndarray) -> np.ndarray:
    """Return the unit vectors of angles, shape (..., 2)."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _pair(name: str, values: ArrayLike) -> np.ndarray:
    """Return the parameters of two classes as floats; raise unless there are two."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim == 0 or len(values) != 2:
        msg = f"{name} has shape {values.shape}; boundaries are between two classes, one entry each"
        raise InputError(msg)
    return values
