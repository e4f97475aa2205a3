"""Whether a study supports what it found: a rule of intervals and a permutation test.

A result counts as a signal if the permutation test of the balanced accuracy has p <= .025 *and* the
interval of the balanced accuracy lies above that of chance. Everything else can only weaken it.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.inference.intervals import (
    CROSS_VALIDATED,
    Estimate,
    balanced_interval,
    share_interval,
    share_p,
)

__all__ = [
    "LEVEL",
    "SURE",
    "ClassRecall",
    "Performance",
    "Verdict",
    "holm",
    "overconfidence_p",
    "performance",
    "verdict",
]

#: One-sided level of a verdict.
LEVEL = 0.025
#: Agreement of lists from other samples below which a selection is poor (Nogueira et al. 2018).
POOR_STABILITY = 0.4
#: Mean predicted probability from which on a wrong prediction may be a wrong label.
SURE = 0.9

Level = Literal["well supported", "partly supported", "not supported"]


@dataclass(frozen=True)
class ClassRecall:
    """How well one class is recognised.

    ``code`` is the class, ``samples`` how many it has; ``recall`` and ``false_alarms`` are the
    shares of its samples, and of all others, that are predicted as it. It is ``recognised`` if the
    recall is above one half, and the 95 % interval of its difference from the false alarms above 0.
    ``taken_for`` is the other class that its samples are most often predicted as, -1 if none ever
    is, and ``taken`` how many samples, the mean over repeats.
    """

    code: int
    samples: int
    recall: Estimate
    false_alarms: Estimate
    recognised: bool
    taken_for: int
    taken: float


@dataclass(frozen=True)
class Performance:
    """What a classifier's predictions are worth, all pooled over folds and averaged over repeats.

    ``majority`` is the share of the largest class, ``majority_p`` the one-sided p of the accuracy
    against it; ``classes`` are those that have samples, in order.
    """

    accuracy: Estimate
    balanced_accuracy: Estimate
    majority: float
    majority_p: float
    classes: list[ClassRecall]

    @property
    def chance(self) -> float:
        """Balanced accuracy of a classifier without information."""
        return 1 / len(self.classes)


def performance(
    codes: np.ndarray,
    predicted: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    inflation: float = CROSS_VALIDATED,
    choices: int = 1,
) -> Performance:
    """Return accuracy and recalls with intervals that hold for new samples.

    ``codes``, of shape (n_samples,), are the true classes; ``predicted``, of shape (n_samples,
    n_classes), says in which share of its tests each sample is predicted as each class. See
    `xnbflow.inference.intervals` for ``groups`` and ``inflation``. ``choices`` is out of how many
    this classifier was chosen after looking at the results, for Bonferroni's intervals.
    """
    confidence = 1 - 2 * LEVEL / choices

    def interval(right: np.ndarray, own: np.ndarray) -> Estimate:
        mine = None if groups is None else groups[own]
        return share_interval(right[own], mine, inflation, confidence)

    every = np.ones(len(codes), dtype=bool)
    rows = []
    for code in np.unique(codes).tolist():
        own = codes == code
        recall, alarms = interval(predicted[:, code], own), interval(predicted[:, code], ~own)
        others = predicted[own].sum(axis=0)
        others[code] = 0.0
        most = float(others.max())
        taken_for = int(others.argmax()) if most > 0 else -1
        told = np.where(own, predicted[:, code], 1 - predicted[:, code])
        # recall less false alarms is above 0 where the mean of recall and specificity is above 1/2
        mean = balanced_interval(told, own, groups, inflation, confidence)
        recognised = bool(recall.value > 0.5 and mean.lower > 0.5)
        size = int(own.sum())
        rows.append(ClassRecall(code, size, recall, alarms, recognised, taken_for, most))
    right = predicted[np.arange(len(codes)), codes]
    majority = max(row.samples for row in rows) / len(codes)
    p_value = min(1.0, choices * share_p(right, majority, groups, inflation))
    balanced = balanced_interval(right, codes, groups, inflation, confidence)
    return Performance(interval(right, every), balanced, majority, p_value, rows)


@dataclass(frozen=True)
class Verdict:
    """A verdict, and the conditions that fail.

    These are "chance interval", "permutation test", "copies", "majority class", "classes",
    "stability" and "stability unknown".
    """

    level: Level
    reasons: list[str]


def verdict(
    found: Performance,
    p_value: float = np.nan,
    stability: Estimate | None = None,
    *,
    choices: int = 1,
    copies: str | None = None,
) -> Verdict:
    """Return whether a study supports that a classifier recognises its classes.

    ``found`` has intervals for the same number of ``choices``, by which p is multiplied.
    ``p_value`` is of the permutation test of balanced accuracy, missing where none was run;
    ``stability`` is the agreement of lists from independent samples, None where nothing is
    selected; ``copies`` is of `xnbflow.studies.summaries.copies`. For the rule see
    `docs/methods/verdicts.md`.
    """
    failed = ["chance interval"] * (not found.balanced_accuracy.lower > found.chance)
    failed += ["permutation test"] * (p_value * choices > LEVEL)
    failed += ["copies"] * (copies == "severe")
    if failed:
        return Verdict("not supported", failed)
    weak = ["majority class"] * (not found.accuracy.lower > found.majority)
    weak += ["classes"] * (not all(row.recognised for row in found.classes))
    weak += ["copies"] * (copies == "warning")
    if stability is not None and stability.lower < POOR_STABILITY:
        weak.append("stability" if stability.upper < POOR_STABILITY else "stability unknown")
    return Verdict("partly supported" if weak else "well supported", weak)


def overconfidence_p(
    probabilities: np.ndarray, right: np.ndarray, groups: np.ndarray | None = None
) -> float:
    """Return the exact p of so few right predictions if the probabilities are calibrated.

    ``probabilities`` are of each sample's predicted class; ``right`` says whether it is right, or
    in which share of its tests. With ``groups`` each group counts as one prediction, its mean, so
    that p is rather too great. All have shape (n_samples,).

    Y. Hong, "On computing the distribution function for the Poisson binomial distribution",
    Computational Statistics and Data Analysis 59 (2013), 41-51, the recursion of section 2.
    """
    if groups is not None:
        codes = np.unique(groups, return_inverse=True)[1]
        probabilities, right = (
            np.bincount(codes, each) / np.bincount(codes) for each in (probabilities, right)
        )
    density = np.ones(1)
    for p in probabilities:
        density = np.append(density * (1 - p), 0.0) + np.append(0.0, density * p)
    reached = int(np.ceil(np.sum(right) - 1e-9))
    return float(min(1.0, density[: reached + 1].sum()))


def holm(p_values: np.ndarray) -> np.ndarray:
    """Return p-values adjusted for multiple testing by Holm's step-down procedure.

    Missing ones are left out and stay missing; one below 0 or above 1 is an `InputError`.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979), 65-70.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if ((p < 0) | (p > 1)).any():
        msg = f"p-values must lie between 0 and 1, got {np.nanmin(p):g} to {np.nanmax(p):g}"
        raise InputError(msg)
    places = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # the missing last
    adjusted = np.full(p.shape, np.nan)
    products = p[places] * np.arange(len(places), 0, -1)
    adjusted[places] = np.minimum(np.maximum.accumulate(products), 1.0)
    return adjusted
