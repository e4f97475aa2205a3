"""Forward stepwise selection in logistic regression, as SAS's PROC LOGISTIC does it.

References
----------
SAS/STAT User's Guide, The LOGISTIC Procedure, "Effect-Selection Methods": SELECTION=STEPWISE.
W. W. Hauck and A. Donner, Wald's test as applied to hypotheses in logit analysis, Journal of the
American Statistical Association 72, 1977.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

#: Columns of the table of steps.
_STEP_COLUMNS = [
    "step",
    "action",
    "candidate",
    "chi_square",
    "p_value",
    "log_likelihood",
    "n_selected",
]

#: A candidate is collinear with the selected ones if less than this share of its information is not
#: in the model.
_TOLERANCE = 1e-8
#: The classes are separated if the log-likelihood per sample is this near to 0.
_SEPARATED = 1e-6


def stepwise_logistic(
    candidates: np.ndarray, events: np.ndarray, *, entry: float = 0.05, stay: float = 0.05
) -> tuple[np.ndarray, pd.DataFrame]:
    """Select the candidates that a logistic regression needs.

    Two steps alternate:

    1. the candidate with the greatest score chi-square enters, if it is significant;
    2. selected candidates whose Wald chi-square is not significant are removed, the least first.
       SAS does not require it, but here the likelihood ratio must agree.

    The selection ends when no candidate enters, when the candidate that has just entered is
    removed, when a model is the same as an earlier one, or when the model separates the classes.

    Parameters
    ----------
    candidates : ndarray of shape (n_candidates, n_samples)
    events : ndarray of shape (n_samples,)
        1 or 0; both occur.
    entry, stay : float
        Significance levels in (0, 1) of steps 1 and 2 (SAS: SLENTRY, SLSTAY).

    Returns
    -------
    selected : ndarray of int, shape (n_selected,)
        The selected candidates, in the order in which they entered.
    steps : DataFrame
        A row per step.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> candidates = rng.normal(size=(3, 200))
    >>> events = (candidates[1] + 0.5 * rng.normal(size=200) > 0).astype(int)
    >>> stepwise_logistic(candidates, events)[0]
    array([1])
    """
    search = _StepwiseSearch(candidates, events)
    earlier_models: set[frozenset[int]] = set()
    while search.enter(entry) and not search.separated:
        newest = search.selected[-1]
        is_removed = True
        while is_removed:
            is_removed = search.remove(stay)
        model = frozenset(search.selected)
        if newest not in search.selected or model in earlier_models:
            break
        earlier_models.add(model)
    return np.array(search.selected, dtype=int), pd.DataFrame(search.steps, columns=_STEP_COLUMNS)


class _StepwiseSearch:
    """The current model of a stepwise search, and the steps that led to it."""

    def __init__(self, candidates: np.ndarray, events: np.ndarray) -> None:
        self.candidates = candidates
        self.events = events
        self.selected: list[int] = []
        self.steps: list[dict[str, Any]] = []
        self._refit()

    @property
    def separated(self) -> bool:
        """Whether the features separate the classes, so that the likelihood has no maximum."""
        return self.log_likelihood > -_SEPARATED * len(self.events)

    def enter(self, level: float) -> bool:
        """Add the candidate with the greatest score chi-square, if it is significant."""
        # Each candidate's score chi-square beside the model; 0 where it cannot enter. The
        # statistic of candidate c is ``(c' r)² / (c' W c - c' W D V D' W c)`` with the
        # residuals r, the weights W = p (1 - p), the design D of the model and the
        # covariance V of its coefficients: the information in c that the model does not
        # contain.
        weighted = self.candidates * self.weight
        information = np.einsum("ij,ij->i", weighted, self.candidates)
        shared = weighted @ self.design.T
        remaining = information - np.einsum("ij,jk,ik->i", shared, self.covariance, shared)
        can_enter = remaining > _TOLERANCE * information
        can_enter[self.selected] = False
        scores = np.zeros(len(self.candidates))
        np.divide((self.candidates @ self.residual) ** 2, remaining, out=scores, where=can_enter)

        best = int(np.argmax(scores))
        is_significant = scores[best] > chi2.isf(level, 1)
        if not is_significant:
            return False
        self.selected.append(best)
        self._add_step("enter", best, scores[best])
        return True

    def remove(self, level: float) -> bool:
        """Remove the candidate with the least Wald chi-square, if it is not significant.

        Wald's test fails where a candidate nearly separates the classes: a coefficient far from 0
        then looks uncertain (Hauck and Donner 1977). A candidate is therefore kept if its
        likelihood ratio is significant, and the candidate with the next Wald chi-square is tested.
        """
        critical = chi2.isf(level, 1)
        walds = self.coefficients[1:] ** 2 / np.diag(self.covariance)[1:]
        for worst in np.argsort(walds)[: np.sum(walds < critical)]:
            others = np.delete(self.selected, worst)
            ratio = 2.0 * (self.log_likelihood - _fit(self.candidates[others], self.events)[1])
            if ratio < critical:
                removed = self.selected.pop(worst)
                self._add_step("remove", removed, walds[worst])
                return True
        return False

    def _add_step(self, action: str, candidate: int, chi_square: float) -> None:
        """Fit the model after a candidate has entered or been removed, and record the step."""
        self._refit()
        self.steps.append(
            {
                "step": len(self.steps) + 1,
                "action": action,
                "candidate": candidate,
                "chi_square": chi_square,
                "p_value": chi2.sf(chi_square, 1),
                "log_likelihood": self.log_likelihood,
                "n_selected": len(self.selected),
            }
        )

    def _refit(self) -> None:
        """Fit the selected candidates, and set what the next tests need."""
        features = self.candidates[self.selected]
        self.design = np.vstack([np.ones(len(self.events)), features])
        self.coefficients, self.log_likelihood = _fit(features, self.events)
        log_odds = self.coefficients @ self.design
        self.residual = self.events - expit(log_odds)
        self.weight = expit(log_odds) * expit(-log_odds)
        self.covariance = np.linalg.pinv((self.design * self.weight) @ self.design.T)


def _fit(features: np.ndarray, events: np.ndarray) -> tuple[np.ndarray, float]:
    """Return intercept and coefficients of a logistic regression, and its log-likelihood."""
    if len(features) == 0:
        coefficients = np.array([np.log(events.mean() / (1.0 - events.mean()))])
    else:
        model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8)
        model.fit(features.T, events)
        coefficients = np.concatenate([model.intercept_, model.coef_[0]])
    log_odds = coefficients[0] + coefficients[1:] @ features
    # log p = -log(1 + exp(-z)) of an event, log(1 - p) = -log(1 + exp(z)) of none, z the log odds
    signs = np.where(events == 1, -1.0, 1.0)
    return coefficients, float(-np.logaddexp(0.0, signs * log_odds).sum())
