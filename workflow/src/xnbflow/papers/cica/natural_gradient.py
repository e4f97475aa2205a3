"""Natural gradient descent to conditionally independent components (CICA paper, section 3.3)."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from xnbflow.papers.cica.joint import (
    TARGET_REACH,
    JointDensity,
    MeshTarget,
    conditional_log_density,
)

#: Least share of the decrease that the gradient predicts (Armijo's condition).
_SUFFICIENT_DECREASE = 1e-4
#: Size of the first step, factor by which a step is shortened, and how often.
_FIRST_STEP = 0.1
_SHORTENING = 0.4
_MOST_SHORTENINGS = 30
#: Steps whose curvature is remembered.
_MEMORY = 10
#: Largest change of W in a step, relative to W.
_LARGEST_CHANGE = 1.0
#: Targets farther apart, in widths, are codes of classes: no real target has such a gap.
_CLASSES_APART = 1e9


class ConditionalEntropy:
    """The objective of CICA: the sum of the components' entropies given the target, Eq. 7.

    The value is ``-log |det W| - sum_i mean log p(z_i | y)`` in nats, with leave-one-out densities:
    Eq. 7 less the constant ``n_components * H(y)``.

    Of centred ``inputs`` (n_inputs, n_samples) and a ``target`` (n_samples,), which is real and of
    unit variance, or codes of classes so far apart that no kernel reaches from one to another.
    Kernel widths of components and target are ``factor * n_samples**(-1/6)``.
    """

    def __init__(self, inputs: np.ndarray, target: np.ndarray, factor: float) -> None:
        order = np.argsort(target, kind="stable")
        self.inputs = np.ascontiguousarray(inputs[:, order])
        self.width = factor * len(target) ** (-1 / 6)
        self.target = target[order] / self.width
        self.reach = np.searchsorted(self.target, self.target + TARGET_REACH, side="right")
        gaps = np.diff(self.target)
        if gaps.max(initial=0.0) > _CLASSES_APART:
            codes = np.append(0, np.cumsum(gaps > _CLASSES_APART))
            mesh = MeshTarget.from_classes(codes)
        else:
            mesh = MeshTarget.from_numbers(self.target)
        self.density = JointDensity(self.target, self.reach, self.width, mesh)

    def __call__(self, demixing: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the value in nats, and its derivative by relative changes of W.

        The derivative is that by ``E`` where the square matrix W becomes ``(I + E) W``, with
        components of unit variance (`standardise`): off the diagonal ``E[phi_i z_j] - E[z_i z_j]
        (E[phi_i z_i] - 1)``, whose first term is Eq. 8's and whose second is the effect of
        standardising; on the diagonal 0.
        """
        components = demixing @ self.inputs
        log_density, score = self.density.scores(components)
        n_samples = components.shape[1]
        moments = score @ components.T / n_samples
        covariance = components @ components.T / n_samples
        gradient = moments - covariance * (np.diag(moments) - 1.0)[:, np.newaxis]
        np.fill_diagonal(gradient, 0.0)
        value = -np.linalg.slogdet(demixing)[1] - log_density.mean(axis=1).sum()
        return float(value), gradient

    def held_out(self, demixing: np.ndarray, inputs: np.ndarray, target: np.ndarray) -> float:
        """Return the value in nats of samples that the densities were not estimated from.

        ``inputs`` (n_inputs, n_new) and ``target`` (n_new,) are theirs.
        """
        log_density = conditional_log_density(
            demixing @ self.inputs,
            self.target,
            width=self.width,
            new_components=demixing @ inputs,
            new_target=target / self.width,
        )
        return float(-np.linalg.slogdet(demixing)[1] - log_density.mean(axis=1).sum())

    def standardise(self, demixing: np.ndarray) -> np.ndarray:
        """Return W with rows scaled so that the components have unit variance."""
        return demixing / (demixing @ self.inputs).std(axis=1, keepdims=True)


@dataclass(frozen=True)
class Descent:
    """A descent from one start.

    ``path`` has W (n_components, n_inputs) at the start and after each step, ``values`` the
    `ConditionalEntropy` there, which never rises; ``converged``: the gradient is below the
    tolerance.
    """

    path: list[np.ndarray]
    values: list[float]
    converged: bool

    def then(self, further: "Descent") -> "Descent":
        """Return this descent followed by one that starts at its end."""
        path = self.path + further.path[1:]
        values = self.values + further.values[1:]
        return Descent(path, values, further.converged)


def natural_gradient(
    objective: ConditionalEntropy, start: np.ndarray, *, max_iter: int, tol: float
) -> Descent:
    """Descend by ``W += -step * direction @ W`` (Eq. 8) with a step that adapts.

    The first direction is the natural gradient. Later ones are the natural gradient times the
    inverse curvature of the last steps (limited-memory BFGS). A step shrinks until it lowers the
    objective by a fair part of what the gradient predicts. ``start`` is a nonsingular W; the
    descent has converged where no entry of the gradient is above ``tol``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.uniform(-3, 3, 100)
    >>> sources = np.stack([y, y**2 - 3]) + rng.uniform(-1, 1, (2, 100))
    >>> inputs = np.array([[1, 0.5], [0.5, 1]]) @ sources
    >>> objective = ConditionalEntropy(inputs, y / y.std(), 0.25)
    >>> descent = natural_gradient(objective, np.eye(2), max_iter=100, tol=1e-4)
    >>> descent.converged, descent.values[-1] < descent.values[0]
    (True, True)
    """
    demixing = objective.standardise(start)
    value, gradient = objective(demixing)
    path = [demixing]
    values = [value]
    # Changes of W (relative to W) of the last steps, with the changes of the gradient.
    history: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=_MEMORY)
    while np.abs(gradient).max() > tol and len(path) <= max_iter:
        direction = _descent_direction(gradient, history)
        slope = np.sum(gradient * direction)
        length = min(1.0, _LARGEST_CHANGE / np.abs(direction).max())
        for _ in range(_MOST_SHORTENINGS):
            changed = objective.standardise(demixing - length * direction @ demixing)
            next_value, next_gradient = objective(changed)
            if next_value <= value - _SUFFICIENT_DECREASE * length * slope:
                break
            length *= _SHORTENING
        else:
            return Descent(path, values, converged=False)
        move = -length * direction
        gradient_change = next_gradient - gradient
        # Only a positive curvature keeps the next direction a descent.
        if np.sum(move * gradient_change) > 0:
            history.append((move, gradient_change))
        demixing = changed
        value = next_value
        gradient = next_gradient
        path.append(demixing)
        values.append(value)
    return Descent(path, values, converged=bool(np.abs(gradient).max() <= tol))


def _descent_direction(
    gradient: np.ndarray, history: deque[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Return the gradient times the inverse curvature of past moves.

    This is the two-loop recursion of limited-memory BFGS (Nocedal and Wright, Numerical
    Optimization, 2006, algorithm 7.4): the newest move first, then the oldest.
    """
    direction = gradient.copy()
    shares = []
    for move, change in reversed(history):
        share = np.sum(move * direction) / np.sum(move * change)
        direction -= share * change
        shares.append(share)
    step = _FIRST_STEP
    if history:
        move, change = history[-1]
        step = np.sum(move * change) / np.sum(change * change)
    direction *= step
    for (move, change), share in zip(history, reversed(shares), strict=True):
        direction += (share - np.sum(change * direction) / np.sum(move * change)) * move
    return direction
