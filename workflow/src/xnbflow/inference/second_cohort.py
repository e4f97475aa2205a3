"""Verdict on a classifier in a second cohort, class by class.

The measure is the balanced accuracy, because shares of classes may differ between cohorts. It is
compared with cross-validation in the first cohort, with the errors of both, and with permuted
labels of the second. With two classes the ranking of the samples is judged as well: if only the
ranking held, the scores are shifted between the cohorts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy  # scipy.optimize, a tenth of a second, is imported where it is used
from scipy.special import ndtri

from xnbflow.core.rounding import ROUNDING
from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.diagnostics.shared_samples import PatientMatch
from xnbflow.inference.estimates import Performance, performance
from xnbflow.inference.intervals import (
    UNKNOWN,
    Estimate,
    area_interval,
    difference,
    mean_of,
)
from xnbflow.inference.label_exchange import label_exchange

#: Strict level of exchanged labels, since the verdict implies a mistake in the data.
EXCHANGED_LEVEL = 0.005
#: Loss of balanced accuracy that is permitted for a threshold from few samples.
_COST = 0.02
#: Area under the ROC curve of scores without information.
_AREA_BY_CHANCE = 0.5

Held = Literal["held", "held in ranking", "not held", "cannot be judged"]


@dataclass(frozen=True, kw_only=True)
class CohortVerdict:
    """The verdict on a classifier in a second cohort.

    ``reason`` is the condition that decided, ``measured`` the performance in the second,
    ``loss`` its balanced accuracy minus that of cross-validation in the first, over the classes
    that the second has. ``p_value`` is of permuted labels of the second cohort. Where labels look
    exchanged, ``exchanged`` is the label that each class seems to have. ``auc`` is missing of more
    than two classes and of classifiers without probabilities.
    """

    level: Held
    reason: str
    measured: Performance
    loss: Estimate
    p_value: float
    exchanged: dict[int, int]
    auc: Estimate

    def columns(self, classes: Sequence[str] | np.ndarray) -> dict[str, Any]:
        """Return the columns of the verdict in tables; ``classes`` are the labels of its codes."""
        n = sum(row.n_samples for row in self.measured.classes)
        renamed = ", ".join(f"{classes[a]} as {classes[b]}" for a, b in self.exchanged.items())
        ranking_holds = self.level == "held in ranking"
        return {
            "verdict": self.level,
            "reason": f"{self.reason}: {renamed}" if renamed else self.reason,
            "n": n,
            "right": round(self.measured.accuracy.value * n),
            **self.measured.balanced_accuracy._asdict(),
            "chance": self.measured.chance,
            "p_value": self.p_value,
            "loss": self.loss.value,
            "loss_lower": self.loss.lower,
            "loss_upper": self.loss.upper,
            "auc": self.auc.value,
            "auc_lower": self.auc.lower,
            "auc_upper": self.auc.upper,
            "needed": _samples_for_threshold(self.auc.value) if ranking_holds else np.nan,
            **recall_columns(self.measured, classes),
        }


def recall_columns(measured: Performance, classes: Sequence[str] | np.ndarray) -> dict[str, float]:
    """Return the recall of each measured class by the name of its column in ``cohort_tests``."""
    return {f"recall.{classes[row.code]}": row.recall.value for row in measured.classes}


def cohort_verdict(
    validated: Performance | None,
    codes: np.ndarray,
    predicted: np.ndarray,
    n_classes: int,
    groups: np.ndarray | None = None,
    *,
    scores: np.ndarray | None = None,
    shared: int = 0,
    patients: PatientMatch | None = None,
    is_same_scale: bool = True,
) -> CohortVerdict:
    """Return the verdict on a classifier in a second cohort.

    The first condition that applies decides (`_Evidence.decide`): shared samples or one class only
    (cannot be judged), exchanged labels (not held), held, held in ranking, not held, or else cannot
    be judged. The rule in words is `xnbflow.report.sentences.COHORT_RULE`.

    Parameters
    ----------
    validated : Performance or None
        Its cross-validation in the first cohort, if there was one.
    codes, predicted : ndarray of int, shape (n_samples,)
        True and predicted classes of the samples of the second cohort.
    n_classes : int
        The number of classes of the first cohort.
    groups : ndarray of shape (n_samples,), optional
        For example the patients.
    scores : ndarray of shape (n_samples, n_classes), optional
        Log posteriors; with two classes they also rank the samples.
    shared : int
        The number of samples of the second cohort that are in the first.
    patients : PatientMatch, optional
        The test of whether samples are of the same patients: what holds in these is no result in a
        second cohort.
    is_same_scale : bool
        Values that are not on the scale of the first cohort refute nothing.
    """
    measured = performance(codes, np.eye(n_classes)[predicted], groups, inflation=1.0)
    before = _cross_validated(validated, measured)
    exchanged: dict[int, int] = {}
    if len(measured.classes) > 1:
        exchanged = _exchange(
            measured.balanced_accuracy,
            before,
            codes=codes,
            predicted=predicted,
            n_classes=n_classes,
            groups=groups,
        )
    # How the log posteriors rank two classes.
    auc = UNKNOWN
    if scores is not None and n_classes == 2:
        with np.errstate(invalid="ignore"):  # a class that is impossible for all
            auc = _ranking(codes, scores[:, 1] - scores[:, 0], groups)
    evidence = _Evidence(
        measured=measured,
        before=before,
        p_value=_permutation_p(codes, predicted, groups),
        auc=auc,
        exchanged=exchanged,
        shared=shared,
        patients=patients,
        is_same_scale=is_same_scale,
    )
    level, reason = evidence.decide()
    return CohortVerdict(
        level=level,
        reason=reason,
        measured=measured,
        loss=evidence.loss,
        p_value=evidence.p_value,
        exchanged=exchanged,
        auc=evidence.auc,
    )


@dataclass(frozen=True, kw_only=True)
class _Evidence:
    """What the verdict depends on; ``before`` is the balanced accuracy of cross-validation.

    The other attributes are those of `CohortVerdict` and the arguments of `cohort_verdict`.
    """

    measured: Performance
    before: Estimate
    p_value: float
    auc: Estimate
    exchanged: dict[int, int]
    shared: int
    patients: PatientMatch | None
    is_same_scale: bool

    @property
    def loss(self) -> Estimate:
        """Balanced accuracy in the second cohort minus the cross-validated one in the first."""
        return difference(self.measured.balanced_accuracy, self.before)

    def decide(self) -> tuple[Held, str]:
        """Return the level and the reason of the first rule that applies.

        A cohort refutes the classifier if the interval of its balanced accuracy excludes ``half``:
        the middle between chance and cross-validation, such as 0.7 between 0.5 and 0.9.
        """
        balanced = self.measured.balanced_accuracy
        above = self.p_value <= ONE_SIDED_LEVEL and balanced.lower > self.measured.chance
        missed = any(row.recall.value <= 0.5 for row in self.measured.classes)
        # The same patients support nothing; what fails in them is refuted all the more.
        holds = above or self.auc.lower > _AREA_BY_CHANCE
        same_patients = self.patients is not None and self.patients.same_patients
        half = (self.measured.chance + self.before.value) / 2
        rules: list[tuple[bool, Held, str]] = [
            (self.shared > 0, "cannot be judged", "the cohorts share samples"),
            (len(self.measured.classes) <= 1, "cannot be judged", "one class"),
            (bool(self.exchanged), "not held", "labels look exchanged"),
            (holds and same_patients, "cannot be judged", _same_patients(self.patients)),
            (above and self.loss.upper < 0, "held", "loss against cross-validation"),
            (above and missed, "held", "a class is not recognised"),
            (above, "held", ""),
            (self.auc.lower > _AREA_BY_CHANCE, "held in ranking", "the threshold did not"),
            (
                balanced.upper < half and not self.is_same_scale,
                "cannot be judged",
                "the values are on another scale",
            ),
            (
                balanced.upper < half,
                "not held",
                f"the interval is below {half:.0%}, the middle of chance and cross-validation",
            ),
            (True, "cannot be judged", "too few samples"),
        ]
        return next((level, reason) for applies, level, reason in rules if applies)


def _cross_validated(validated: Performance | None, measured: Performance) -> Estimate:
    """Return the balanced accuracy of cross-validation over the classes of the second cohort."""
    if validated is None:
        return UNKNOWN
    present = {row.code for row in measured.classes}
    recalls = [row.recall for row in validated.classes if row.code in present]
    if len(recalls) == len(validated.classes):
        return validated.balanced_accuracy
    return mean_of(recalls) if recalls else UNKNOWN


def _same_patients(patients: PatientMatch | None) -> str:
    """Return the words on samples of the same patients."""
    if patients is None:
        return ""
    if patients.in_groups:
        return (
            f"probably the same patients: {patients.share:.0%} of the samples are in "
            f"{patients.groups} groups of like samples of both cohorts"
        )
    return (
        f"probably the same patients: {patients.mutual} of {patients.possible} pairs of samples "
        f"are each other's nearest, p = {patients.p:.2g}"
    )


def _ranking(codes: np.ndarray, scores: np.ndarray, groups: np.ndarray | None = None) -> Estimate:
    """Return the area under the ROC curve of two classes, with its 95% interval.

    ``codes`` are the classes of the samples, 0 and 1, ``scores`` (n_samples,) are higher for class
    1; ties count half. Where samples have ``groups``, those of a class count instead of its
    samples. Missing where a class has no sample or a score is missing.

    See `xnbflow.inference.intervals.area_interval`.

    Examples
    --------
    >>> area = _ranking(np.repeat([0, 1], 10), np.arange(20.0))
    >>> [round(number, 2) for number in area]
    [1.0, 0.8, 1.0]
    """
    second = codes == 1
    n_second = int(second.sum())
    n_first = int((~second).sum())
    if not n_second or not n_first or np.isnan(scores).any():
        return UNKNOWN
    ranks = pd.Series(scores).rank().to_numpy()
    wins = ranks[second].sum() - n_second * (n_second + 1) / 2
    area = float(wins / (n_second * n_first))
    if groups is not None:
        n_second = len(np.unique(groups[second]))
        n_first = len(np.unique(groups[~second]))
    return area_interval(area, n_second, n_first)


def _samples_for_threshold(auc: float) -> int:
    """Return the samples of each class that a new threshold needs, for two normal score classes.

    With this number the threshold between the classes' means loses less than two points of balanced
    accuracy against the best threshold in 95% of the draws of these samples. With ``d = sqrt(2)
    ndtri(auc)`` the cost of a threshold that is ``t`` standard deviations off is ``t^2 d phi(d / 2)
    / 4``, and ``t`` has the variance ``1 / (2 n)``.

    Examples
    --------
    >>> [_samples_for_threshold(auc) for auc in (0.7, 0.84, 0.95, 0.999)]
    [7, 11, 12, 5]
    """
    d = np.sqrt(2.0) * ndtri(min(max(auc, 0.5), 0.9999))
    density = np.exp(-((d / 2) ** 2) / 2) / np.sqrt(2 * np.pi)
    return max(5, int(np.ceil(ndtri(0.975) ** 2 * d * density / (8 * _COST))))


def _permutation_p(
    codes: np.ndarray,
    predicted: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    n_permutations: int = 1999,
    seed: int = 0,
) -> float:
    """Return the p of the agreement of labels and predictions against random labels of the cohort.

    ``codes`` and ``predicted`` are the true and predicted classes of the samples; ``groups`` bind
    labels as in `xnbflow.inference.label_exchange`.

    References
    ----------
    B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Statistical
    Applications in Genetics and Molecular Biology 9 (2010), 39.

    Examples
    --------
    >>> codes = np.repeat([0, 1], 10)
    >>> _permutation_p(codes, codes) <= 0.001, _permutation_p(codes, 1 - codes)
    (True, 1.0)
    """
    order = _order_by_answers(codes, predicted, groups)
    codes = codes[order]
    predicted = predicted[order]
    exchange = label_exchange(codes, None if groups is None else groups[order])
    rng = np.random.default_rng(seed)
    rows = np.stack([codes, *(exchange.permute(codes, rng) for _ in range(n_permutations))])
    recalls = []
    for code in np.unique(codes):
        in_class = rows == code
        recalls.append((in_class & (predicted == code)).sum(axis=1) / in_class.sum(axis=1))
    balanced = np.mean(recalls, axis=0)
    return float(np.mean(balanced >= balanced[0] - ROUNDING))


def _order_by_answers(
    codes: np.ndarray, predicted: np.ndarray, groups: np.ndarray | None
) -> np.ndarray:
    """Return an order of the samples by class and prediction, whatever their order and names.

    Groups are together, in the order of their sorted answers.
    """
    if groups is None:
        return np.lexsort((predicted, codes))
    answers = pd.Series(list(zip(codes.tolist(), predicted.tolist(), strict=True)))
    of_group = answers.groupby(np.asarray(groups)).agg(lambda pairs: tuple(sorted(pairs)))
    rank = pd.Series(np.arange(len(of_group)), index=of_group.sort_values(kind="stable").index)
    return np.lexsort((predicted, codes, rank.reindex(groups).to_numpy()))


def _exchange(
    as_labelled: Estimate,
    before: Estimate,
    *,
    codes: np.ndarray,
    predicted: np.ndarray,
    n_classes: int,
    groups: np.ndarray | None,
) -> dict[int, int]:
    """Return the renaming of classes with the accuracy of cross-validation; empty if there is none.

    ``as_labelled`` is the balanced accuracy with the names of the cohort, ``before`` that of
    cross-validation. The interval of the difference between the renamed classes and
    cross-validation reaches 0, that of their difference from the names of the cohort does not, and
    p times the number of renamings is at most the level.
    """
    renamed = _exchanged_classes(codes, predicted, n_classes)
    table = np.array([renamed.get(code, code) for code in range(n_classes)])
    as_renamed = performance(table[codes], np.eye(n_classes)[predicted], groups, inflation=1.0)
    balanced = as_renamed.balanced_accuracy
    as_good = difference(balanced, before).upper >= 0
    if not (renamed and as_good and difference(as_labelled, balanced).upper < 0):
        return {}
    p_value = _permutation_p(table[codes], predicted, groups)
    renamings = n_classes * (n_classes - 1) / 2
    return renamed if p_value * renamings <= EXCHANGED_LEVEL else {}


def _exchanged_classes(codes: np.ndarray, predicted: np.ndarray, n_classes: int) -> dict[int, int]:
    """Return the renaming of classes under which true and predicted labels agree best.

    The renaming maximises the sum of recalls; it is empty if no renaming agrees better than the
    names of the cohort.

    Examples
    --------
    >>> codes = np.repeat([0, 1, 2], 10)
    >>> _exchanged_classes(codes, np.array([1, 0, 2])[codes], 3)
    {0: 1, 1: 0}
    """
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (codes, predicted), 1.0)
    recalls = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    rows, columns = scipy.optimize.linear_sum_assignment(-recalls)
    if recalls[rows, columns].sum() <= np.trace(recalls) + ROUNDING:
        return {}
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return {row: column for row, column in pairs if row != column}
