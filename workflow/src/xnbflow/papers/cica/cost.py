"""The cost of CICA in its three forms (CICA paper, section 3.2, Eqs. 5 to 7).

The cost of a demixing W is how far its components ``z = W x`` are from independence given the
target y: 0 if they are independent, and more nats the more they depend on each other.

====== ==============================================================================
Eq. 5  the divergence ``K[p(z, y) || p(y) prod_i p(z_i | y)]``
Eq. 6  the same in entropies, ``-H(z, y) + sum_i H(z_i, y) + (1 - d) H(y)``
Eq. 7  ``-log |det W| + sum_i H(z_i, y)``, which differs from it by a constant
====== ==============================================================================

Only Eq. 7 needs no density of all components together, and a descent minimises it
(`natural_gradient.ConditionalEntropy`, with densities that leave each sample out). The forms here
are the paper's own estimates: Gaussian kernels whose width is ``n**(-1/6)`` standard deviations
(section 4), entropies as means of logarithms over the training samples. The kernels of several
variables have the variables' covariance, so that all densities change with W as the true ones do:
the densities of single components are the margins of the joint one, and the constant between Eqs. 6
and 7 is a constant to rounding.
"""

import numpy as np
from scipy.special import logsumexp


def conditional_divergence(components: np.ndarray, target: np.ndarray) -> float:
    """Return the divergence of the components from independence given the target, Eq. 5.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_samples)
        Linearly independent and not constant.
    target : ndarray of shape (n_samples,)
        A real target that varies.

    Returns
    -------
    float
        In nats, the mean over samples of ``log p(z, y) - log p(y) - sum_i log p(z_i | y)``.

    Examples
    --------
    A component that repeats another one but for a little noise, and one of its own:

    >>> rng = np.random.default_rng(0)
    >>> y, first, second = rng.normal(size=(3, 500))
    >>> float(round(conditional_divergence(np.stack([first, first + 0.3 * second]), y), 1))
    1.3
    >>> float(round(conditional_divergence(np.stack([first, second]), y), 1))
    0.1
    """
    log_target = _log_density(target[np.newaxis], _no_components(target))
    divergence = _log_density(target[np.newaxis], components) - log_target
    for component in components:
        divergence -= _log_density(target[np.newaxis], component[np.newaxis]) - log_target
    return float(divergence.mean())


def cost_in_entropies(components: np.ndarray, target: np.ndarray) -> float:
    """Return the cost as a sum of entropies in nats, Eq. 6; as `conditional_divergence`."""
    of_components = sum(_joint_entropy(component[np.newaxis], target) for component in components)
    of_target = _joint_entropy(_no_components(target), target)
    joint = _joint_entropy(components, target)
    return -joint + of_components + (1 - len(components)) * of_target


def cost_up_to_constant(demixing: np.ndarray, inputs: np.ndarray, target: np.ndarray) -> float:
    """Return ``-log |det W| + sum_i H(z_i, y)`` in nats, Eq. 7.

    ``demixing`` is W (n_inputs, n_inputs), ``inputs`` have the shape (n_inputs, n_samples) and the
    ``target`` (n_samples,). It is Eq. 6 plus ``H(x, y) + (d - 1) H(y)``, which W does not change.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 60)), rng.normal(size=60)
    >>> W = np.array([[1.0, 0.5], [-3.0, 2.0]])
    >>> before = cost_up_to_constant(np.eye(2), x, y) - cost_in_entropies(x, y)
    >>> after = cost_up_to_constant(W, x, y) - cost_in_entropies(W @ x, y)
    >>> bool(abs(after - before) < 1e-12)
    True
    """
    components = demixing @ inputs
    entropies = [_joint_entropy(component[np.newaxis], target) for component in components]
    return float(-np.linalg.slogdet(demixing)[1] + sum(entropies))


def _joint_entropy(components: np.ndarray, target: np.ndarray) -> float:
    """Return the entropy of some components and the target together, in nats.

    ``components`` may have no rows; the entropy is then that of the target.
    """
    return -float(_log_density(target[np.newaxis], components).mean())


def _no_components(target: np.ndarray) -> np.ndarray:
    return np.empty((0, len(target)))


def _log_density(target: np.ndarray, components: np.ndarray) -> np.ndarray:
    """Return the logarithm of the kernel density at the samples, from the samples (Eq. 10).

    ``target`` has the shape (1, n_samples). The kernels are normal, with the covariance of the
    components, and the variance of the target, times ``n**(-1/3)``.
    """
    n_samples = target.shape[1]
    exponents = np.zeros((n_samples, n_samples))
    log_scale = np.log(n_samples)
    for variables in (target, components):
        if not len(variables):
            continue
        covariance = np.atleast_2d(np.cov(variables, bias=True)) * n_samples ** (-1 / 3)
        # Distances are Euclidean after division by the root of the covariance.
        root = np.linalg.cholesky(covariance)
        scaled = np.linalg.solve(root, variables)
        differences = scaled[:, :, np.newaxis] - scaled[:, np.newaxis, :]
        exponents -= 0.5 * (differences**2).sum(axis=0)
        log_scale += np.log(np.diag(root)).sum() + 0.5 * len(variables) * np.log(2.0 * np.pi)
    return logsumexp(exponents, axis=1) - log_scale
