"""Generalized naive Bayes for two classes: naive effects and their adjustments (Larsen 2005)."""

import warnings
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from xnbflow.data.columns import column_mask
from xnbflow.data.parameters import Columns, number, one_of, whole
from xnbflow.density.families.naive_effect import (
    SMOOTHING,
    SortedFeature,
    check_two_classes,
    look_up,
)
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.local_scoring import LocalScoring, log_likelihood

__all__ = ["GeneralizedNB"]

#: Of the log-likelihood of a sample.
_ROUNDING = 1e-9


class GeneralizedNB(BaseNaiveBayes):
    """Additive log odds ``b0 + sum_j g_j(x_j) + sum_j b_j(x_j)`` for two classes.

    The naive effect ``g_j`` is the log ratio of the feature's two class-conditional densities. The
    adjustment ``b_j`` removes the bias that the assumption of conditional independence causes, by
    backfitting: partial residuals are smoothed over the same neighbourhoods until the adjustments
    stop changing. Before, all naive effects are scaled together, see ``start``.

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
    start : {"logistic", "naive"}, default="logistic"
        The first pass. "naive": naive Bayes, as published; where features repeat each other the
        passes then may diverge, and `fit` warns. "logistic": naive effects times factors found by a
        logistic regression with a ridge of ``shrinkage`` on each factor's distance from 1; steps
        that would lower the log-likelihood are halved, so that it never ends below naive Bayes.
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
    factors_ : ndarray of shape (n_features,)
        The factor of each naive effect before backfitting, 1 with ``start="naive"``: ``b_j`` is
        ``(factor - 1) g_j`` and a smooth part.
    categorical_ : ndarray of bool, shape (n_features,)
        Which features are categorical.
    log_likelihood_ : ndarray of shape (n_iter_ + 1,)
        Training log-likelihood of naive Bayes and after each pass. It never falls, unless
        ``start="naive"``.
    n_iter_ : int
        Passes made.

    See Also
    --------
    GaussianNB : Naive Bayes without a second fit.
    xnbflow.preprocessing.StepwiseNaiveEffects : Selects the features first.

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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SMOOTHING,
        "tol": [number(0.0, closed="left")],
        "max_iter": [whole(0)],
        "start": [one_of("logistic", "naive")],
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
        start: str = "logistic",
        categorical: Any = None,
    ) -> None:
        self.span = span
        self.kernel = kernel
        self.shrinkage = shrinkage
        self.tol = tol
        self.max_iter = max_iter
        self.start = start
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
        table = pd.DataFrame(
            {"sample": np.repeat(samples, len(names)), "feature": np.tile(names, len(samples))}
        )
        table["naive_effect"] = self._looked_up(features, self.naive_effects_).T.reshape(-1)
        table["adjustment"] = self._looked_up(features, self.marginal_bias_).T.reshape(-1)
        return table.assign(sum=table["naive_effect"] + table["adjustment"])

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
        prior = self._prior_odds()
        sizes = [len(values) for values in self.values_]
        numbered = [f"x{column}" for column in range(self.n_features_in_)]
        kinds = np.where(self.categorical_, "categorical", "continuous")
        counts = np.concatenate([[self.class_count_.sum()], *self.counts_])
        names = getattr(self, "feature_names_in_", numbered)
        table = pd.DataFrame(
            {
                "feature": ["(intercept)", *np.repeat(names, sizes)],
                "kind": ["intercept", *np.repeat(kinds, sizes)],
                "value": np.concatenate([[np.nan], *self.values_]),
                "count": counts.astype(int),
                "naive_effect": np.concatenate([[prior], *self.naive_effects_]),
                "adjustment": np.concatenate([[self.intercept_ - prior], *self.marginal_bias_]),
            }
        )
        return table.assign(sum=table["naive_effect"] + table["adjustment"])

    def _prior_odds(self) -> float:
        return float(np.subtract(*self.class_log_prior_[::-1]))

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
        events = codes.astype(np.float64)
        prior, careful = self._prior_odds(), self.start == "logistic"
        fit = LocalScoring(columns, self.naive_effects_, events, self.shrinkage, prior)
        history, change = [log_likelihood(fit.log_odds, events)], np.inf
        if careful and self.max_iter > 0:
            fit.scale()
        while len(history) <= self.max_iter and change > self.tol:
            change = fit.backfit(halving=careful)
            history.append(log_likelihood(fit.log_odds, events))
        self.intercept_, self.factors_ = fit.intercept, fit.factors
        self.marginal_bias_ = fit.adjustments
        self.log_likelihood_ = np.array(history)
        self.n_iter_ = len(history) - 1
        msg = ""
        if self.n_iter_ and history[-1] < history[0] - _ROUNDING * len(codes):
            msg = (
                f"backfitting diverges: the log-likelihood fell from {history[0]:.1f} (naive "
                f"Bayes) to {history[-1]:.1f}; features repeat each other. Use start='logistic'"
            )
        elif self.n_iter_ and change > self.tol:
            msg = (
                f"the adjustments still change by {change:.2g} of their norm after {self.max_iter} "
                "passes; raise max_iter or tol"
            )
        if msg:
            warnings.warn(msg, ConvergenceWarning, stacklevel=3)

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
