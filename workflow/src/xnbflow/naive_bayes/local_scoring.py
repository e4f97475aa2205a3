"""Local scoring: the adjustments of naive effects by backfitting (Larsen 2005), made to converge.

The adjustments are ``b_j = (f_j - 1) g_j + s_j``: factors f of the naive effects, then a smooth
part s. Naive Bayes is f = 1 and s = 0; neither part ends below where it starts.
"""

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit

from xnbflow.density.families.naive_effect import SortedFeature
from xnbflow.density.jit import njit

__all__ = ["LocalScoring", "log_likelihood"]

# The least weight of a row, and the largest change of an adjustment in one pass.
_LEAST_WEIGHT = 1e-6
_LARGEST_STEP = 4.0
# Adjustments below this root mean square have no norm worth a relative change.
_LEAST_NORM = 1e-3
# A step is halved so often before it is given up; the share of the log-likelihood that is rounding.
_HALVINGS = 8
_ROUNDING = 1e-12


class LocalScoring:
    """The additive log odds of a training set while they are fitted.

    As published, backfitting starts from naive Bayes. Where features repeat each other, its weights
    ``p (1 - p)`` vanish, the partial residuals divided by them overshoot, and the passes diverge.
    Factors of the naive effects, found together by a logistic regression whose penalty pulls them
    towards 1, correct what is counted twice; the smooth part is then backfitted.

    Parameters
    ----------
    columns : list of SortedFeature
    effects : list of ndarray of shape (n_values_j,)
        The naive effects g_j.
    events : ndarray of float64, shape (n_samples,)
        1 for an event, 0 otherwise.
    shrinkage : float
        Pseudo-observations without residual at each value, and the penalty of the factors.
    intercept : float
        The prior log odds; after the fit b0.

    Attributes
    ----------
    factors : ndarray of shape (n_features,)
        f_j, 1 at first.
    smooth : list of ndarray of shape (n_values_j,)
        s_j, 0 at first.
    log_odds : ndarray of shape (n_samples,)
    """

    def __init__(
        self,
        columns: list[SortedFeature],
        effects: list[np.ndarray],
        events: np.ndarray,
        shrinkage: float,
        intercept: float,
    ) -> None:
        self.columns, self.effects, self.events = columns, effects, events
        self.shrinkage, self.intercept = shrinkage, intercept
        self.factors = np.ones(len(columns))
        self.smooth = [np.zeros(len(column.values)) for column in columns]
        self.log_odds = np.full(len(events), intercept)
        for column, effect in zip(columns, effects, strict=True):
            self.log_odds += effect[column.rows]

    @property
    def adjustments(self) -> list[np.ndarray]:
        """The b_j at the distinct values of each feature."""
        parts = zip(self.factors, self.effects, self.smooth, strict=True)
        return [(factor - 1.0) * effect + smooth for factor, effect, smooth in parts]

    def scale(self) -> None:
        """Set intercept and factors by a penalised logistic regression that starts from f = 1."""
        pairs = zip(self.columns, self.effects, strict=True)
        rows = np.array([effect[column.rows] for column, effect in pairs])
        naive = self.log_odds

        def objective(changes: np.ndarray) -> tuple[float, np.ndarray]:
            log_odds = naive + changes[0] + changes[1:] @ rows
            residual = expit(log_odds) - self.events
            penalty = self.shrinkage * changes[1:]
            value = -log_likelihood(log_odds, self.events) + penalty @ changes[1:] / 2.0
            return value, np.append(residual.sum(), rows @ residual + penalty)

        changes = minimize(objective, np.zeros(len(rows) + 1), jac=True, method="L-BFGS-B").x
        self.intercept += float(changes[0])
        self.factors += changes[1:]
        self.log_odds = naive + changes[0] + changes[1:] @ rows

    def backfit(self, *, halving: bool) -> float:
        """Smooth every feature's partial residuals once; balance the intercept.

        With weights ``w = p (1 - p)`` the smoothed residual is ``sum K (w s + y - p) / sum K w``,
        which never divides by a row's weight.

        With ``halving`` a step is halved until the log-likelihood does not fall, or else left out.
        Returns by how much the adjustments changed, as a share of their norm.
        """
        change = norm = 0.0
        for j, column in enumerate(self.columns):
            step = self._step(column, self.smooth[j])
            if halving:
                step = self._halved(step, column.rows)
            self.smooth[j] += step
            self.log_odds += step[column.rows]
            change += np.sqrt(column.counts @ step**2)
            adjustment = (self.factors[j] - 1.0) * self.effects[j] + self.smooth[j]
            norm += np.sqrt(column.counts @ adjustment**2)
        share = self.events.mean()  # the expected number of events becomes the actual
        centre = np.log(share / (1.0 - share))
        shift = brentq(
            lambda shift: expit(self.log_odds + shift).mean() - share,
            centre - self.log_odds.max() - 1.0,
            centre - self.log_odds.min() + 1.0,
        )
        self.intercept += shift
        self.log_odds += shift
        return float(change / max(norm, _LEAST_NORM * np.sqrt(len(self.events))))

    def _step(self, column: SortedFeature, smooth: np.ndarray) -> np.ndarray:
        weight, residual = _working_totals(
            column.rows, self.log_odds, self.events, len(column.values)
        )
        share = self.events.mean()
        sums = column.smooth(np.stack([weight * smooth + residual, weight]), "epanechnikov")
        target = sums[0] / (sums[1] + self.shrinkage * share * (1.0 - share))
        target -= column.counts @ target / column.counts.sum()
        return np.clip(target - smooth, -_LARGEST_STEP, _LARGEST_STEP)

    def _halved(self, step: np.ndarray, rows: np.ndarray) -> np.ndarray:
        now = log_likelihood(self.log_odds, self.events)
        for _ in range(_HALVINGS):
            after = log_likelihood(self.log_odds + step[rows], self.events)
            if after >= now + _ROUNDING * now:
                return step
            step = step / 2.0
        return np.zeros_like(step)


def log_likelihood(log_odds: np.ndarray, events: np.ndarray) -> float:
    """Return the log-likelihood of events (1 or 0) with the given log odds."""
    return float(-np.logaddexp(0.0, np.where(events == 1.0, -log_odds, log_odds)).sum())


@njit()
def _working_totals(
    rows: np.ndarray, log_odds: np.ndarray, events: np.ndarray, n_values: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the total weight ``p (1 - p)`` and residual ``y - p`` of the rows of each value."""
    weight, residual = np.zeros(n_values), np.zeros(n_values)
    for row, value in enumerate(rows):
        probability = 1.0 / (1.0 + np.exp(-log_odds[row]))
        weight[value] += max(probability * (1.0 - probability), _LEAST_WEIGHT)
        residual[value] += events[row] - probability
    return weight, residual
