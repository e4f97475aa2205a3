"""Vector scaling: a slope and an intercept for the summed evidence of each class.

Features may be more correlated in one class than in another, so that their sum is too sharp in some
classes only. Vector scaling (Guo, Pleiss, Sun, Weinberger, "On calibration of modern neural
networks", ICML 2017, section 4.2) has a factor for each class instead of one temperature.
"""

import numpy as np

from xnbflow.naive_bayes.evidence_calibration import (
    HIGHEST_TEMPERATURE,
    Calibration,
    CalibrationSamples,
    fit_temperature,
    usable_samples,
)

#: Number of classes whose features are the same, so that one temperature serves both.
_SAME_FEATURES = 2

#: One over the variance of the Gaussian priors of slopes and intercepts (standard deviation .5).
_PRECISION = 4.0

#: Most steps of Newton's method.
_MOST_STEPS = 100
#: The shortest step that halving leads to, as a share of Newton's.
_SHORTEST_STEP = 1e-6
#: The greatest change of a parameter at convergence.
_TOLERANCE = 1e-7
#: The share of the decrease that the gradient promises which a step must reach (Armijo's rule).
_SUFFICIENT = 1e-4


def fit_vector(
    sums: np.ndarray,
    log_prior: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray | None = None,
    start: Calibration | None = None,
) -> Calibration:
    """Return the slope and the intercept of each class with the least penalised log loss.

    Slopes times the temperature, and intercepts, have Gaussian priors with standard deviation 0.5
    around 1 and 0, so that calibration is weak with few samples. No slope is above 1. Two classes,
    whose features are the same, get the temperature alone.

    The fit begins at ``start``, whose temperature it keeps, or else at `fit_temperature`, whose
    other parameters these are.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = rng.integers(3, size=10_000)
    >>> sums = rng.normal(size=(10_000, 3)) + (codes[:, None] == [0, 1, 2])
    >>> log_prior = np.log(np.full((10_000, 3), 1 / 3))
    >>> fit_vector(sums * [5.0, 2.0, 2.0], log_prior, codes).slope.round(1).tolist()
    [0.2, 0.5, 0.5]
    """
    n_classes = sums.shape[1]
    if start is None:
        start = fit_temperature(sums, log_prior, codes, weights)
    if n_classes <= _SAME_FEATURES:
        return start
    # Parameters are slopes times the temperature, then intercepts. A slope of at most 1 is a
    # parameter of at most the temperature.
    lowest = np.repeat([1.0 / HIGHEST_TEMPERATURE, -np.inf], n_classes)
    highest = np.repeat([start.temperature, np.inf], n_classes)
    first = np.concatenate([start.slope * start.temperature, start.intercept])
    samples = usable_samples(sums / start.temperature, log_prior, codes, weights)
    loss = PenalisedLoss(samples)
    slope, intercept = np.split(minimise(loss, first, lowest, highest), 2)
    return Calibration(start.temperature, slope / start.temperature, intercept)


class PenalisedLoss:
    """The log loss of slopes and intercepts with their Gaussian priors.

    With the posterior ``p_ic`` proportional to ``exp(slope_c S_ic + intercept_c + log prior_ic)``
    of sample ``i`` it is ``-sum of w_i log p_i,class(i) + 2 |parameters - likeliest|²``, which is
    convex. ``parameters`` (2 n_classes,) are the slopes of sums that were divided by the
    temperature, then the intercepts.
    """

    def __init__(self, samples: CalibrationSamples) -> None:
        self.sums = samples.sums
        self.log_prior = samples.log_prior
        self.weights = samples.weights
        self.true_class = np.arange(len(samples.codes)), samples.codes
        self.likeliest = np.repeat([1.0, 0.0], samples.sums.shape[1])

    def __call__(self, parameters: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the loss and the posteriors (n_samples, n_classes)."""
        slope, intercept = np.split(parameters, 2)
        joint = self.sums * slope + (intercept + self.log_prior)
        joint -= joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint)
        totals = posterior.sum(axis=1)
        losses = np.log(totals) - joint[self.true_class]
        posterior /= totals[:, None]
        distance = parameters - self.likeliest
        penalty = _PRECISION * (distance @ distance) / 2.0
        return float(self.weights @ losses + penalty), posterior

    def derivatives(
        self, parameters: np.ndarray, posterior: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient and the Hessian at parameters with these posteriors.

        The Hessian of a multinomial logistic loss is ``diag(p) - p pᵀ`` of each sample, in blocks
        of slopes (times ``S_c``) and intercepts.
        """
        excess = self.weights[:, None] * posterior
        excess[self.true_class] -= self.weights
        gradient = np.concatenate([(excess * self.sums).sum(axis=0), excess.sum(axis=0)])
        expected = np.hstack([posterior * self.sums, posterior])
        weighted = self.weights[:, None] * expected
        squares = (weighted[:, : self.sums.shape[1]] * self.sums).sum(axis=0)
        means, totals = np.split(weighted.sum(axis=0), 2)
        diagonals = np.block(
            [[np.diag(squares), np.diag(means)], [np.diag(means), np.diag(totals)]]
        )
        hessian = diagonals - weighted.T @ expected + _PRECISION * np.eye(len(parameters))
        return gradient + _PRECISION * (parameters - self.likeliest), hessian


def minimise(
    loss: PenalisedLoss, first: np.ndarray, lowest: np.ndarray, highest: np.ndarray
) -> np.ndarray:
    """Return where a convex loss is least within bounds, by projected Newton steps.

    Parameters at a bound that the gradient points beyond stay there (Bertsekas, SIAM Journal on
    Control and Optimization 20, 1982). A step is halved until the loss decreases enough.
    """
    parameters = first
    value, posterior = loss(parameters)
    for _ in range(_MOST_STEPS):
        gradient, hessian = loss.derivatives(parameters, posterior)
        at_lowest = (parameters <= lowest) & (gradient > 0.0)
        at_highest = (parameters >= highest) & (gradient < 0.0)
        free = np.flatnonzero(~(at_lowest | at_highest))
        step = np.zeros_like(parameters)
        step[free] = np.linalg.solve(hessian[free][:, free], gradient[free])
        length = 1.0
        while length > _SHORTEST_STEP:
            candidate = np.clip(parameters - length * step, lowest, highest)
            change = parameters - candidate
            candidate_value, posterior = loss(candidate)
            if candidate_value <= value - _SUFFICIENT * float(gradient @ change):
                break
            length /= 2.0
        else:
            return parameters
        parameters = candidate
        value = candidate_value
        if np.abs(change).max() < _TOLERANCE:
            return parameters
    return parameters
