"""Generalized naive Bayes for two classes: naive effects and their adjustments (Larsen 2005)."""

import warnings
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.optimize import brentq, minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from xnbflow.core.jit import njit
from xnbflow.core.parameters import columns_constraint, number_constraint, one_of, whole_constraint
from xnbflow.data.samples import SamplesLike
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.papers.generalized.naive_effect import (
    QUADRATIC_KERNELS,
    SMOOTHING,
    SortedFeature,
    categorical_mask,
    check_two_classes,
    look_up,
)

#: Least weight ``p (1 - p)`` of a sample.
_LEAST_WEIGHT = 1e-6
#: Largest change of an adjustment in one pass.
_LARGEST_STEP = 4.0
#: Adjustments with a smaller root mean square have no norm for a relative change.
_LEAST_NORM = 1e-3
#: Most applications of the smoother to a feature in a pass.
_INNER_PASSES = 100
#: Most halvings of a step.
_HALVINGS = 8
#: Rounding error of the log-likelihood, relative to it.
_STEP_ROUNDING = 1e-12
#: Least decrease of the log-likelihood per sample that counts as divergence.
_FALL = 1e-9


class GeneralizedNB(BaseNaiveBayes):
    """Additive log odds ``b0 + sum_j g_j(x_j) + sum_j b_j(x_j)`` for two classes.

    The naive effect ``g_j`` is the log ratio of the feature's two class-conditional densities. The
    adjustment ``b_j`` removes the bias that the assumption of conditional independence causes, by
    backfitting: partial residuals are smoothed over the same neighbourhoods until the adjustments
    stop changing. Before, all naive effects are scaled together, see ``start``.

    ``start="naive", atom=None, shrinkage=0, inner="converged", stop="likelihood"`` is the method as
    published (Larsen 2005), which leaves the kernel of the adjustments open.

    Parameters
    ----------
    span : float, default=0.6
        Share of a feature's observations in a neighbourhood, in (0, 1].
    kernel : {"minimum_variance", "epanechnikov"}, default="minimum_variance"
        Kernel of the naive effects: ``(3/8)(3 - 5u²)``, as in the paper, or ``(3/4)(1 - u²)``.
    atom : float or None, default=0.1
        A value that more than this share of the samples have (mostly zeros) is an atom: it has a
        weight of evidence of its own and belongs to no neighbourhood. None, as published: no value
        is one.
    shrinkage : float, default=1.0
        Number of pseudo-observations at each value. They pull naive effects and adjustments
        towards 0, and bound them where a feature separates the classes. 0, as published: none;
        a sum is then at least 1e-4 of an observation, so that its logarithm is finite.
    adjustment_kernel : {"epanechnikov", "minimum_variance"}, default="epanechnikov"
        Kernel of the adjustments. With the negative weights of the minimum-variance kernel, and
        pseudo-observations, backfitting from naive Bayes diverges.
    tol, max_iter : float, int, default=1e-3, 100
        Backfitting stops when the adjustments change by less than this share of their norm, or
        after so many passes. With 0 the classifier is plain naive Bayes.
    start : {"logistic", "naive"}, default="logistic"
        The first pass. "naive": naive Bayes, as published; where features repeat each other the
        passes then may diverge, and `fit` warns. "logistic": naive effects times factors found by a
        logistic regression with a ridge of ``shrinkage`` on each factor's distance from 1; steps
        that would lower the log-likelihood are halved, so that it never ends below naive Bayes.
    inner : {"once", "converged"}, default="once"
        How often the smoother is applied to a feature before the next one. "once": in each pass.
        "converged", as published: until its adjustment changes by less than ``tol``, with weights
        and residuals computed anew each time, at most 100 times.
    stop : {"adjustments", "likelihood"}, default="adjustments"
        What ends backfitting before ``max_iter`` passes. "adjustments": they change by less than
        ``tol``. "likelihood": also the first pass that does not raise the log-likelihood, as
        published; the last pass counts.
    least_effect : float or None, default=None
        Least standard deviation of ``g_j + b_j`` over the training samples, as a share of that of
        ``g_j``. Features below it are removed, because the adjustment neutralises their naive
        effect, and the others are fitted again. (The paper proposes this without a number.) None,
        or where it would be every feature: none is removed.
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
        ``b_j`` is ``(factor - 1) g_j`` and a smooth part; 1 with ``start="naive"``.
    categorical_ : ndarray of bool, shape (n_features,)
        Which features are categorical.
    removed_ : ndarray of bool, shape (n_features,)
        Which features ``least_effect`` removed: their ``g_j`` and ``b_j`` are 0.
    n_iter_, log_likelihood_ : int, ndarray of shape (``n_iter_`` + 1,)
        Passes made; training log-likelihood of naive Bayes and after each pass.

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

    A noisy copy has lost nine tenths of its effect, so that it can be removed.

    >>> noisy = np.where(np.arange(100) % 10 == 0, 1 - x, x)
    >>> X = np.column_stack([x, noisy])
    >>> GeneralizedNB(least_effect=0.1).fit(X, y).removed_
    array([False,  True])
    """

    _squares_features = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SMOOTHING,
        "shrinkage": [number_constraint(0.0, closed="left")],
        "adjustment_kernel": [one_of(*QUADRATIC_KERNELS)],
        "tol": [number_constraint(0.0, closed="left")],
        "max_iter": [whole_constraint(0)],
        "start": [one_of("logistic", "naive")],
        "inner": [one_of("once", "converged")],
        "stop": [one_of("adjustments", "likelihood")],
        "least_effect": [number_constraint(0.0, 1.0), None],
        "categorical": [columns_constraint(), None],
    }

    def __init__(
        self,
        *,
        span: float = 0.6,
        kernel: str = "minimum_variance",
        atom: float | None = 0.1,
        shrinkage: float = 1.0,
        adjustment_kernel: str = "epanechnikov",
        tol: float = 1e-3,
        max_iter: int = 100,
        start: str = "logistic",
        inner: str = "once",
        stop: str = "adjustments",
        least_effect: float | None = None,
        categorical: Any = None,
    ) -> None:
        self.span = span
        self.kernel = kernel
        self.atom = atom
        self.shrinkage = shrinkage
        self.adjustment_kernel = adjustment_kernel
        self.tol = tol
        self.max_iter = max_iter
        self.start = start
        self.inner = inner
        self.stop = stop
        self.least_effect = least_effect
        self.categorical = categorical

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def decision_function(self, X: SamplesLike) -> np.ndarray:
        """Return the log odds of the second class, shape (n_samples,)."""
        return self._log_odds(self._read_features(X))

    def effects(self, X: SamplesLike) -> pd.DataFrame:
        """Return the contribution of each feature to each sample's log odds.

        One row per sample of X and feature, with columns ``sample`` (X's index, or the row number),
        ``feature``, ``naive_effect``, ``adjustment`` and ``sum``. With ``intercept_`` the sums of a
        sample add up to its log odds.
        """
        features = self._read_features(X)
        samples = X.index if isinstance(X, pd.DataFrame) else np.arange(features.shape[1])
        names = self._feature_names()
        table = pd.DataFrame(
            {"sample": np.repeat(samples, len(names)), "feature": np.tile(names, len(samples))}
        )
        table["naive_effect"] = self._effects_at(features, self.naive_effects_).T.reshape(-1)
        table["adjustment"] = self._effects_at(features, self.marginal_bias_).T.reshape(-1)
        return table.assign(sum=table["naive_effect"] + table["adjustment"])

    def scorecard(self) -> pd.DataFrame:
        """Return the look-up table that a scoring system needs; it can be stored as Parquet.

        The log odds of a sample are the intercept's ``sum`` and that of each feature at the
        sample's value: interpolated linearly and constant beyond the ends, or for a category that
        of the exact match and 0 without one.

        The intercept, then one row per feature and distinct training value, with columns
        ``feature`` (its name, or ``x0``, ``x1``, ...), ``kind`` (``intercept``, ``continuous`` or
        ``categorical``), ``value``, ``count``, ``naive_effect``, ``adjustment``, ``sum``.
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
        """Estimate the naive effects, and adjust them by local scoring."""
        check_two_classes(self.classes_)
        self.categorical_ = categorical_mask(self.categorical, self._feature_names())
        columns = []
        for feature, categorical in zip(features, self.categorical_, strict=True):
            column = SortedFeature.from_values(
                feature, self.span, categorical=categorical, atom=self.atom
            )
            columns.append(column)
        self.values_ = [column.values for column in columns]
        self.counts_ = [column.counts for column in columns]
        self.naive_effects_ = [
            column.naive_effect(codes, self.shrinkage, self.kernel) for column in columns
        ]
        events = codes.astype(np.float64)
        fit = self._backfit(columns, self.naive_effects_, events)
        is_neutralized = self._removal_mask(fit)
        if is_neutralized.any():
            used = np.flatnonzero(~is_neutralized)
            fit = self._backfit(
                [columns[j] for j in used], [self.naive_effects_[j] for j in used], events
            )

        # Set the fitted attributes; removed features have no effect.
        self.removed_ = is_neutralized
        self.intercept_ = fit.intercept
        self.factors_ = np.ones(len(is_neutralized))
        self.factors_[~is_neutralized] = fit.factors
        self.marginal_bias_ = [np.zeros(len(values)) for values in self.values_]
        for j, adjustment in zip(np.flatnonzero(~is_neutralized), fit.adjustments, strict=True):
            self.marginal_bias_[j] = adjustment
        for j in np.flatnonzero(is_neutralized):
            self.naive_effects_[j] = np.zeros(len(self.values_[j]))
        self.log_likelihood_ = np.array(fit.history)
        self.n_iter_ = len(fit.history) - 1

        if message := fit.fault(max_iter=self.max_iter, tol=self.tol):
            warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _backfit(
        self, columns: list[SortedFeature], effects: list[np.ndarray], events: np.ndarray
    ) -> "LocalScoring":
        """Return the adjustments of some features."""
        fit = LocalScoring(
            columns,
            effects,
            events,
            shrinkage=self.shrinkage,
            kernel=self.adjustment_kernel,
            intercept=self._prior_odds(),
        )
        is_careful = self.start == "logistic"
        inner_tol = self.tol if self.inner == "converged" else np.inf
        if is_careful and self.max_iter > 0:
            fit.scale()
        while len(fit.history) <= self.max_iter and fit.change > self.tol:
            fit.backfit(halving=is_careful, inner_tol=inner_tol)
            if self.stop == "likelihood" and fit.history[-1] <= fit.history[-2]:
                fit.has_ceased = True
                break
        return fit

    def _removal_mask(self, fit: "LocalScoring") -> np.ndarray:
        """Return which features the parameter ``least_effect`` removes, bool (n_features,)."""
        if self.least_effect is None:
            return np.zeros(len(fit.columns), dtype=bool)
        naive_spreads = []
        spreads = []
        for column, effect, adjustment in zip(
            fit.columns, fit.effects, fit.adjustments, strict=True
        ):
            naive_spreads.append(effect[column.rows].std())
            spreads.append((effect + adjustment)[column.rows].std())
        is_neutralized = np.array(spreads) < self.least_effect * np.array(naive_spreads)
        return is_neutralized & ~is_neutralized.all()

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        log_odds = self._log_odds(features)
        return -np.logaddexp(0.0, np.column_stack([log_odds, -log_odds]))

    def _log_odds(self, features: np.ndarray) -> np.ndarray:
        sums = [g + b for g, b in zip(self.naive_effects_, self.marginal_bias_, strict=True)]
        return self.intercept_ + self._effects_at(features, sums).sum(axis=0)

    def _effects_at(self, features: np.ndarray, effects: list[np.ndarray]) -> np.ndarray:
        """Return the effects (n_features, n_samples) of the values of samples."""
        at_samples = np.empty(features.shape)
        for column, categorical in enumerate(self.categorical_):
            at_samples[column] = look_up(
                self.values_[column], effects[column], features[column], categorical=categorical
            )
        return at_samples


class LocalScoring:
    """The additive log odds of a training set while they are fitted.

    As published, backfitting starts from naive Bayes. Where features repeat each other, its weights
    ``p (1 - p)`` vanish, the partial residuals divided by them overshoot, and the passes diverge.
    Factors of the naive effects, found together by a logistic regression whose penalty pulls them
    towards 1, correct what is counted twice; the smooth part is then backfitted.

    Of each of the ``columns`` the naive effects g_j have shape (n_values_j,); ``events``
    (n_samples,) are 1 or 0. The ``shrinkage`` is pseudo-observations without residual at each
    value, and the penalty of the factors; the ``kernel`` smooths the adjustments; the ``intercept``
    is the prior log odds, after the fit b0.
    """

    def __init__(
        self,
        columns: list[SortedFeature],
        effects: list[np.ndarray],
        events: np.ndarray,
        *,
        shrinkage: float,
        kernel: str,
        intercept: float,
    ) -> None:
        self.columns = columns
        self.effects = effects
        self.events = events
        self.shrinkage = shrinkage
        self.kernel = kernel
        self.intercept = intercept
        self.factors = np.ones(len(columns))
        self.smooth = [np.zeros(len(column.values)) for column in columns]
        self.log_odds = np.full(len(events), intercept)
        for column, effect in zip(columns, effects, strict=True):
            self.log_odds += effect[column.rows]
        #: The log-likelihood of naive Bayes and after each pass.
        self.history = [_log_likelihood(self.log_odds, events)]
        #: Change of the adjustments in the last pass, as a share of their norm.
        self.change = np.inf
        #: Whether the passes ended because the log-likelihood did not rise.
        self.has_ceased = False

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
            value = -_log_likelihood(log_odds, self.events) + penalty @ changes[1:] / 2.0
            return value, np.append(residual.sum(), rows @ residual + penalty)

        changes = minimize(objective, np.zeros(len(rows) + 1), jac=True, method="L-BFGS-B").x
        self.intercept += float(changes[0])
        self.factors += changes[1:]
        self.log_odds = naive + changes[0] + changes[1:] @ rows

    def fault(self, *, max_iter: int, tol: float) -> str:
        """Return why the passes have not converged, with what to do; empty where they have."""
        first = self.history[0]
        last = self.history[-1]
        n_passes = len(self.history) - 1
        if n_passes and last < first - _FALL * len(self.events):
            return (
                f"backfitting diverges: the log-likelihood fell from {first:.1f} (naive "
                f"Bayes) to {last:.1f}; features repeat each other. Use start='logistic'"
            )
        if n_passes and self.change > tol and not self.has_ceased:
            return (
                f"the adjustments still change by {self.change:.2g} of their norm after "
                f"{max_iter} passes; raise max_iter or tol"
            )
        return ""

    def backfit(self, *, halving: bool, inner_tol: float) -> None:
        """Smooth every feature's partial residuals; balance the intercept.

        A feature is smoothed until its adjustment changes by at most ``inner_tol`` of its norm
        (infinite: once). Its weights and residuals depend on its adjustment, and so does the
        smoothed function; this is the innermost loop of the paper.

        With weights ``w = p (1 - p)`` the smoothed residual is ``sum K (w s + y - p) / sum K w``,
        which never divides by a row's weight.

        With ``halving`` a step is halved until the log-likelihood does not fall, or else left out.
        The pass is added to `history`, and `change` is that of its adjustments.
        """
        change = 0.0
        norm = 0.0
        for j, column in enumerate(self.columns):
            before = self.smooth[j].copy()
            self._smooth_feature(j, halving=halving, inner_tol=inner_tol)
            change += float(np.sqrt(column.counts @ (self.smooth[j] - before) ** 2))
            adjustment = (self.factors[j] - 1.0) * self.effects[j] + self.smooth[j]
            norm += np.sqrt(column.counts @ adjustment**2)

        # Shift the intercept such that the expected number of events is the actual.
        share = self.events.mean()
        centre = np.log(share / (1.0 - share))
        shift = brentq(
            lambda shift: expit(self.log_odds + shift).mean() - share,
            centre - self.log_odds.max() - 1.0,
            centre - self.log_odds.min() + 1.0,
        )
        self.intercept += shift
        self.log_odds += shift

        self.change = float(change / max(norm, _LEAST_NORM * np.sqrt(len(self.events))))
        self.history.append(_log_likelihood(self.log_odds, self.events))

    def _smooth_feature(self, j: int, *, halving: bool, inner_tol: float) -> None:
        """Apply the smoother to a feature once, or until its smooth part converges."""
        column = self.columns[j]
        for _ in range(_INNER_PASSES):
            step = self.smoothing_step(column, self.smooth[j])
            if halving:
                step = self.halved_step(step, column.rows)
            self.smooth[j] += step
            self.log_odds += step[column.rows]
            norm = float(np.sqrt(column.counts @ self.smooth[j] ** 2))
            least = _LEAST_NORM * float(np.sqrt(len(self.events)))
            if float(np.sqrt(column.counts @ step**2)) <= inner_tol * max(norm, least):
                break

    def smoothing_step(self, column: SortedFeature, smooth: np.ndarray) -> np.ndarray:
        """Return the change of a feature's smooth part (n_values,), centred and limited."""
        weight, residual = _working_totals(
            column.rows, self.log_odds, self.events, len(column.values)
        )
        share = self.events.mean()
        sums = column.smooth(np.stack([weight * smooth + residual, weight]), self.kernel)
        # A kernel with negative weights can make the total weight of a neighbourhood negative.
        total_weight = sums[1].clip(min=0.0) + self.shrinkage * share * (1.0 - share)
        target = np.divide(
            sums[0], total_weight, out=np.zeros_like(total_weight), where=total_weight > 0
        )
        target -= column.counts @ target / column.counts.sum()
        return np.clip(target - smooth, -_LARGEST_STEP, _LARGEST_STEP)

    def halved_step(self, step: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the step halved until the log-likelihood does not fall, or no step."""
        before = _log_likelihood(self.log_odds, self.events)
        for _ in range(_HALVINGS):
            after = _log_likelihood(self.log_odds + step[rows], self.events)
            # Log-likelihoods are negative: the bound is lower than `before` by its rounding.
            if after >= before + _STEP_ROUNDING * before:
                return step
            step = step / 2.0
        return np.zeros_like(step)


def _log_likelihood(log_odds: np.ndarray, events: np.ndarray) -> float:
    """Return the log-likelihood of events (1 or 0) with the given log odds."""
    return float(-np.logaddexp(0.0, np.where(events == 1.0, -log_odds, log_odds)).sum())


@njit()
def _working_totals(
    rows: np.ndarray, log_odds: np.ndarray, events: np.ndarray, n_values: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the total weight ``p (1 - p)`` and residual ``y - p`` of the rows of each value."""
    weight = np.zeros(n_values)
    residual = np.zeros(n_values)
    for row, value in enumerate(rows):
        probability = 1.0 / (1.0 + np.exp(-log_odds[row]))
        weight[value] += max(probability * (1.0 - probability), _LEAST_WEIGHT)
        residual[value] += events[row] - probability
    return weight, residual
