"""The three averages of the CICA algorithm, as the paper prints it (CICA paper, section 3.3).

A step of the algorithm changes W by a share of ``(I - E[phi(z, y) z^T]) W`` (Eq. 8). The paper
names three ways to average, and uses the second:

=============  ==========================================================================
integration    over the estimated density, numerically: "the most expensive"
batch          over the training samples
on-line        none: one sample at a time, "in the sense of stochastic approximation"
=============  ==========================================================================

Here are all three with the paper's own estimate: the score of Eq. 11, in which a sample counts
itself, and the kernel widths of section 4. `CICA` descends by batch averages with estimates that
are fitter for it (`joint`); docs/methods/cica.md compares the three.

Integration is over the kernel density of all components and the target. Its kernels are products,
so that ``E[phi_i z_j]`` is the mean over samples of ``z_j`` times the integral of ``phi_i`` over
the kernel of the component i and the target around the sample: two dimensions, whatever the number
of components. On the diagonal the integral is 1 for every density (by parts), so that the step does
not change the scale of W. The batch average is below 1 there, and the steps enlarge W without end
unless it is scaled back. With the density of naive Bayes, ``p(y) prod_i p(z_i | y)``, the integral
off the diagonal would be 0 whatever the components, since ``E[phi_i | y]`` is 0.
"""

from typing import Literal

import numpy as np

#: Steps are this share of Eq. 8's matrix; the paper prints a proportion only.
_STEP = 0.2
#: Passes after which the steps of on-line learning have decreased to a half.
_PASSES_TO_HALF = 10
#: Nodes of the quadrature over a kernel, in each of two dimensions.
_NODES = 7

Average = Literal["integration", "batch", "on-line"]


def _score_average(
    points: np.ndarray,
    targets: np.ndarray,
    *,
    samples: np.ndarray,
    sample_targets: np.ndarray,
    factor: float = 1.0,
) -> np.ndarray:
    """Return the score of a component at any points, Eq. 11.

    Parameters
    ----------
    points, targets : ndarray of any shape
        Values of the component and of the target.
    samples, sample_targets : ndarray of shape (n_samples,)
        Values of the training samples, from which the density is estimated.
    factor : float
        Kernel width in units of the paper's, ``sigma * n_samples**(-1/6)``.

    Examples
    --------
    Half-way between samples at -1 and 1 the score is that of the sample whose target is near: the
    distance of -1, over the squared width ``2**(-1/3)``.

    >>> samples = np.array([-1.0, 1.0])
    >>> near_the_second = np.array([5.0])
    >>> score = _score_average(
    ...     np.zeros(1), near_the_second, samples=samples, sample_targets=samples
    ... )
    >>> score.round(3)
    array([-1.26])
    """
    shrinkage = factor * len(samples) ** (-1 / 6)
    width = shrinkage * samples.std()
    target_width = shrinkage * sample_targets.std()
    distances = points[..., np.newaxis] - samples
    target_distances = targets[..., np.newaxis] - sample_targets
    exponents = -0.5 * ((distances / width) ** 2 + (target_distances / target_width) ** 2)
    # A common factor of all kernels of a point cancels, and prevents an underflow of all.
    kernels = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    return (distances * kernels).sum(axis=-1) / (width**2 * kernels.sum(axis=-1))


def _batch_average(components: np.ndarray, target: np.ndarray, factor: float = 1.0) -> np.ndarray:
    """Return ``E[phi(z, y) z^T]`` over the training samples, (n_components, n_components).

    ``components`` have the shape (n_components, n_samples), the ``target`` (n_samples,).
    """
    return _scores(components, target, factor) @ components.T / len(target)


def _integrated_average(
    components: np.ndarray, target: np.ndarray, factor: float = 1.0
) -> np.ndarray:
    """Return ``E[phi(z, y) z^T]`` over the estimated density, (n_components, n_components).

    As `_batch_average`; by Gauss and Hermite's rule over the kernel of each sample.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=50)
    >>> z = y + rng.normal(size=(2, 50))
    >>> _integrated_average(z, y).diagonal().round(3).tolist()
    [1.0, 1.0]
    """
    n_components, n_samples = components.shape
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    weights = weights / weights.sum()
    shrinkage = factor * n_samples ** (-1 / 6)
    # Nodes around every sample, (n_samples, component's nodes, target's nodes).
    targets = target[:, np.newaxis, np.newaxis] + shrinkage * target.std() * nodes
    average = np.empty((n_components, n_components))
    for i, samples in enumerate(components):
        steps = shrinkage * samples.std() * nodes
        points = samples[:, np.newaxis, np.newaxis] + steps[:, np.newaxis]
        points, both_targets = np.broadcast_arrays(points, targets)
        scores = _score_average(
            points, both_targets, samples=samples, sample_targets=target, factor=factor
        )
        over_target = scores @ weights
        average[i] = components @ (over_target @ weights) / n_samples
        # The component itself is not constant over the kernel.
        average[i, i] = np.mean((over_target * points[:, :, 0]) @ weights)
    return average


def _sample_term(
    sample: int, components: np.ndarray, target: np.ndarray, factor: float = 1.0
) -> np.ndarray:
    """Return ``phi(z, y) z^T`` of one training sample, whose mean is the batch average."""
    point = components[:, sample]
    scores = [
        _score_average(value, target[sample], samples=samples, sample_targets=target, factor=factor)
        for value, samples in zip(point, components, strict=True)
    ]
    return np.outer(scores, point)


def descend(
    inputs: np.ndarray,
    target: np.ndarray,
    average: Average,
    *,
    n_steps: int,
    factor: float = 1.0,
    random: np.random.Generator | None = None,
) -> list[np.ndarray]:
    """Return W at the start, the identity, and after each step of Eq. 8.

    Rows of W are scaled after each step so that the components have unit variance: the score is of
    the components' scale, and with a batch average their scale would grow without end.

    Parameters
    ----------
    inputs : ndarray of shape (n_inputs, n_samples)
        Centred.
    target : ndarray of shape (n_samples,)
    average : {"integration", "batch", "on-line"}
    n_steps : int
        Passes over the samples. In a pass, "on-line" takes each sample once, in random order, with
        steps that decrease with the passes.
    factor : float
        Kernel width in units of the paper's.
    random : numpy Generator
        For the order of the samples, on-line.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.uniform(-3, 3, 100)
    >>> sources = np.stack([y, y**2 - 3]) + rng.uniform(-1, 1, (2, 100))
    >>> mixing = np.array([[1, 0.5], [0.5, 1]])
    >>> path = descend(mixing @ sources, y, "batch", n_steps=20, factor=0.5)
    >>> len(path), path[-1].shape
    (21, (2, 2))
    """
    random = np.random.default_rng(0) if random is None else random
    demixing = _standardise(np.eye(len(inputs)), inputs)
    path = [demixing]
    for n_passed in range(n_steps):
        if average == "on-line":
            # All samples of a pass together make a step as long as one of the batch.
            step = _STEP / (len(target) * (1 + n_passed / _PASSES_TO_HALF))
            for sample in random.permutation(len(target)):
                moments = _sample_term(sample, demixing @ inputs, target, factor)
                demixing = _step_demixing(demixing, moments, step, inputs)
        elif average == "batch":
            moments = _batch_average(demixing @ inputs, target, factor)
            demixing = _step_demixing(demixing, moments, _STEP, inputs)
        else:
            moments = _integrated_average(demixing @ inputs, target, factor)
            demixing = _step_demixing(demixing, moments, _STEP, inputs)
        path.append(demixing)
    return path


def _step_demixing(
    demixing: np.ndarray, moments: np.ndarray, step: float, inputs: np.ndarray
) -> np.ndarray:
    """Return W after a step of Eq. 8, scaled to components of unit variance."""
    change = (np.eye(len(demixing)) - moments) @ demixing
    return _standardise(demixing + step * change, inputs)


def _scores(components: np.ndarray, target: np.ndarray, factor: float) -> np.ndarray:
    """Return the score of every component at every training sample."""
    scores = [
        _score_average(samples, target, samples=samples, sample_targets=target, factor=factor)
        for samples in components
    ]
    return np.array(scores)


def _standardise(demixing: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Return W with rows scaled so that the components have unit variance."""
    return demixing / (demixing @ inputs).std(axis=1, keepdims=True)
