"""Generalized naive Bayes for two classes: naive effects and their adjustments (Larsen 2005).

References
----------
K. Larsen, Generalized naive Bayes classifiers, SIGKDD Explorations 7(1), 2005.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from xnbflow.columns import column_mask
from xnbflow.distributions.naive_effect import SMOOTHING, SortedFeature, check_two_classes, look_up
from xnbflow.jit import njit
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.parameters import Columns, number, whole

__all__ = ["GeneralizedNB"]

# Local scoring: the least weight of a row, and the largest change of an adjustment in one pass.
_LEAST_WEIGHT = 1e-6
_LARGEST_STEP = 4.0
# Adjustments below this root mean square have no norm worth a relative change.
_LEAST_NORM = 1e-3


class GeneralizedNB(BaseNaiveBayes):
    """Additive log odds ``b0 + sum_j g_j(x_j) + sum_j b_j(x_j)`` for two classes.

    The naive effect ``g_j`` is the log ratio of the feature's two class-conditional densities,
    as in naive Bayes. The adjustment ``b_j`` takes away the bias that the assumption of conditional
    independence causes. It is found by backfitting: partial residuals are smoothed over the same
    neighbourhoods until the adjustments stop to change.

    Parameters
    ----------
    span : float, default=0.6
        Share of a feature's observations in a neighbourhood, in (0, 1]. Values held by more than a
        tenth of the rows are atoms and stand for themselves.
    kernel : {"minimum_variance", "epanechnikov"}, default="minimum_variance"
        Kernel of the naive effects. The adjustments always use Epanechnikov's: with the negative
        weights of the minimum-variance kernel backfitting does not settle.
    shrinkage : float, default=1.0
        Number of pseudo-observations at each value, above 0. They pull naive effects and
        adjustments towards 0, and bound them where a feature separates the classes.
    tol : float, default=1e-3
        Backfitting stops when the adjustments change by less than this share of their norm.
    max_iter : int, default=100
        Passes over the features. With 0 the classifier is plain naive Bayes.
    categorical : columns, default=None
        The features whose values are categories, in any form that a block of `HybridNB` takes.
        They get a weight of evidence; a category unknown in training has no effect.

    Attributes
    ----------
    intercept_ : float
        ``b0``, such that over the training samples the expected number of events is the actual.
    values_, counts_ : list of ndarray of shape (n_values_j,)
        Each feature's distinct training values, ascending, and how many samples hold them.
    naive_effects_, marginal_bias_ : list of ndarray of shape (n_values_j,)
        ``g_j`` and ``b_j`` at these values.
    categorical_ : ndarray of bool, shape (n_features,)
        Which features are categorical.
    log_likelihood_ : ndarray of shape (n_iter_ + 1,)
        Training log-likelihood of naive Bayes and after each pass. It need not rise strictly.
    n_iter_ : int
        Passes made.

    References
    ----------
    K. Larsen, Generalized naive Bayes classifiers, SIGKDD Explorations 7(1), 2005.

    Examples
    --------
    Two copies of one feature count its evidence twice; the adjustments take half of it back.

    >>> x = np.repeat([0.0, 1.0], 50)
    >>> y = np.r_[np.repeat([0, 1], [40, 10]), np.repeat([0, 1], [10, 40])]
    >>> X = np.column_stack([x, x])
    >>> GeneralizedNB(max_iter=0).fit(X, y).predict_proba([[1.0, 1.0]])[0, 1].round(2)
    np.float64(0.94)
    >>> GeneralizedNB().fit(X, y).predict_proba([[1.0, 1.0]])[0, 1].round(2)
    np.float64(0.8)
    """

    _squares_features = False
    _parameter_constraints: ClassVar[dict[str, list]] = {
        **SMOOTHING,
        "tol": [number(0.0, closed="left")],
        "max_iter": [whole(0)],
        "categorical": [Columns(), None],
    }

    def __init__(
        self,
        *,
        span: float = 0.6,
        kernel: str = "minimum_variance",
        shrinkage: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 100,
        categorical: Any = None,
    ) -> None:
        self.span = span
        self.kernel = kernel
        self.shrinkage = shrinkage
        self.tol = tol
        self.max_iter = max_iter
        self.categorical = categorical

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def decision_function(self, X: np.ndarray | pd.DataFrame) -> np.ndarray:
        """Return the log odds of the second class, shape (n_samples,)."""
        return self._log_odds(self._features(X))

    def effects(self, X: np.ndarray | pd.DataFrame) -> pd.DataFrame:
        """Return what each feature adds to each sample's log odds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples to explain.

        Returns
        -------
        DataFrame
            One row per sample and feature, with columns ``sample`` (X's index, or the row number),
            ``feature``, ``naive_effect``, ``adjustment`` and ``sum``. With ``intercept_`` the sums
            of a sample add up to its log odds.
        """
        features = self._features(X)
        samples = X.index if isinstance(X, pd.DataFrame) else np.arange(features.shape[1])
        names = self._feature_names()
        naive = self._looked_up(features, self.naive_effects_).T.reshape(-1)
        adjustment = self._looked_up(features, self.marginal_bias_).T.reshape(-1)
        return pd.DataFrame(
            {
                "sample": np.repeat(samples, len(names)),
                "feature": np.tile(names, len(samples)),
                "naive_effect": naive,
                "adjustment": adjustment,
                "sum": naive + adjustment,
            }
        )

    def scorecard(self) -> pd.DataFrame:
        """Return the look-up table that a scoring system needs; it can be stored as Parquet.

        Returns
        -------
        DataFrame
            The intercept, then one row per feature and distinct training value, with columns
            ``feature`` (its name, or ``x0``, ``x1``, ...), ``kind`` (``intercept``, ``continuous``
            or ``categorical``), ``value``, ``count``, ``naive_effect``, ``adjustment``, ``sum``.

        See Also
        --------
        xnbflow.naive_bayes.scorecard.score : Scores samples by the table alone.
        """
        prior = float(np.subtract(*self.class_log_prior_[::-1]))
        sizes = [len(values) for values in self.values_]
        names = getattr(
            self, "feature_names_in_", [f"x{column}" for column in range(self.n_features_in_)]
        )
        naive = np.concatenate([[prior], *self.naive_effects_])
        adjustment = np.concatenate([[self.intercept_ - prior], *self.marginal_bias_])
        return pd.DataFrame(
            {
                "feature": ["(intercept)", *np.repeat(names, sizes)],
                "kind": [
                    "intercept",
                    *np.repeat(np.where(self.categorical_, "categorical", "continuous"), sizes),
                ],
                "value": np.concatenate([[np.nan], *self.values_]),
                "count": np.concatenate([[self.class_count_.sum()], *self.counts_]).astype(int),
                "naive_effect": naive,
                "adjustment": adjustment,
                "sum": naive + adjustment,
            }
        )

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        check_two_classes(self.classes_)
        self.categorical_ = column_mask(self.categorical, self._feature_names(), "categorical")
        columns = [
            SortedFeature.of(feature, self.span, categorical=categorical)
            for feature, categorical in zip(features, self.categorical_, strict=True)
        ]
        self.values_ = [column.values for column in columns]
        self.counts_ = [column.counts for column in columns]
        self.naive_effects_ = [
            column.naive_effect(codes, self.kernel, self.shrinkage) for column in columns
        ]
        self._backfit(columns, codes.astype(np.float64))

    def _backfit(self, columns: list[SortedFeature], events: np.ndarray) -> None:
        """Find the adjustments by local scoring, starting from naive Bayes."""
        adjustments = [np.zeros(len(column.values)) for column in columns]
        self.intercept_ = float(np.subtract(*self.class_log_prior_[::-1]))
        log_odds = np.full(len(events), self.intercept_)
        for column, effect in zip(columns, self.naive_effects_, strict=True):
            log_odds += effect[column.rows]
        log_likelihood = [_log_likelihood(log_odds, events)]
        ridge = self.shrinkage * events.mean() * (1.0 - events.mean())
        converged = self.max_iter == 0
        while not converged and len(log_likelihood) <= self.max_iter:
            change = norm = 0.0
            for column, adjustment in zip(columns, adjustments, strict=True):
                step = _adjust(column, adjustment, log_odds, events, ridge)
                change += np.sqrt(column.counts @ step**2)
                norm += np.sqrt(column.counts @ adjustment**2)
            shift = _balancing_shift(log_odds, events)
            self.intercept_ += shift
            log_odds += shift
            log_likelihood.append(_log_likelihood(log_odds, events))
            converged = change <= self.tol * max(norm, _LEAST_NORM * np.sqrt(len(events)))
        if not converged:
            warnings.warn(
                f"the adjustments still change by {change / norm:.2g} of their norm after "
                f"{self.max_iter} passes; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.marginal_bias_ = adjustments
        self.log_likelihood_ = np.array(log_likelihood)
        self.n_iter_ = len(log_likelihood) - 1

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        log_odds = self._log_odds(features)
        return -np.logaddexp(0.0, np.column_stack([log_odds, -log_odds]))

    def _log_odds(self, features: np.ndarray) -> np.ndarray:
        sums = [g + b for g, b in zip(self.naive_effects_, self.marginal_bias_, strict=True)]
        return self.intercept_ + self._looked_up(features, sums).sum(axis=0)

    def _looked_up(self, features: np.ndarray, effects: list[np.ndarray]) -> np.ndarray:
        found = np.empty(features.shape)
        for column, categorical in enumerate(self.categorical_):
            found[column] = look_up(
                self.values_[column], effects[column], features[column], categorical=categorical
            )
        return found


def _adjust(
    column: SortedFeature,
    adjustment: np.ndarray,
    log_odds: np.ndarray,
    events: np.ndarray,
    ridge: float,
) -> np.ndarray:
    """Smooth a feature's partial residuals; update its adjustment and the log odds in place.

    With weights ``w = p (1 - p)`` the smoothed residual is ``sum K (w b + y - p) / sum K w``, which
    never divides by a row's weight. ``ridge`` is the weight of the pseudo-observations, whose
    residual is 0. Returns the step, shape (n_values,).
    """
    weight, residual = _working_totals(column.rows, log_odds, events, len(column.values))
    sums = column.smooth(np.stack([weight * adjustment + residual, weight]), "epanechnikov")
    target = sums[0] / (sums[1] + ridge)
    target -= column.counts @ target / column.counts.sum()
    step = np.clip(target - adjustment, -_LARGEST_STEP, _LARGEST_STEP)
    adjustment += step
    log_odds += step[column.rows]
    return step


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


def _balancing_shift(log_odds: np.ndarray, events: np.ndarray) -> float:
    """Return the shift of the log odds that makes the expected number of events the actual."""
    share = events.mean()
    centre = np.log(share / (1.0 - share))
    return brentq(
        lambda shift: expit(log_odds + shift).mean() - share,
        centre - log_odds.max() - 1.0,
        centre - log_odds.min() + 1.0,
    )


def _log_likelihood(log_odds: np.ndarray, events: np.ndarray) -> float:
    return float(-np.logaddexp(0.0, np.where(events == 1.0, -log_odds, log_odds)).sum())
