"""Estimates: accuracy, balanced accuracy, recalls and AUC of a classifier, with their intervals.

The verdict, the page and the models use these numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.significance import corrected_confidence
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.keyed_tables import Headers, Key, arrays, key_fields
from xnbflow.evaluation.metrics import class_areas
from xnbflow.inference.intervals import (
    BELOW,
    CROSS_VALIDATED,
    Estimate,
    accuracy_interval,
    area_interval,
    balanced_interval,
    share_interval,
    share_p,
)
from xnbflow.tables.contract import GROUPS

#: Recall up to which a class is not recognised, whatever its interval.
MISSED_RECALL = 0.5


@dataclass(frozen=True, kw_only=True)
class ClassRecall:
    """The recall of one class.

    Attributes
    ----------
    code, n_samples : int
        The class, and its number of samples.
    recall : Estimate
        The share of its samples that are predicted as the class.
    is_recognised : bool
        Whether the recall is above one half, and the 95% interval of the recall minus the
        false-positive rate (the share of all other samples that are predicted as the class) is
        above 0.
    mistaken_for : int
        The other class that is predicted most often for its samples; -1 if there is none.
    n_mistaken : float
        The number of its samples that are predicted as that class, mean over repeats.
    """

    code: int
    n_samples: int
    recall: Estimate
    is_recognised: bool
    mistaken_for: int
    n_mistaken: float


@dataclass(frozen=True, kw_only=True)
class Performance:
    """The performance of a classifier, pooled over folds and averaged over repeats.

    Attributes
    ----------
    accuracy, balanced_accuracy : Estimate
    majority : float
        The share of the largest class.
    majority_p : float
        One-sided p of the accuracy against ``majority``.
    classes : list of ClassRecall
        The classes that have samples, in order.
    candidates : int
        The number of classifiers among which this one was chosen by the results; intervals and p
        are corrected for it.
    strict_lower : float
        The lower limit of the balanced accuracy with the full inflation. Lower limits usually have
        less (`xnbflow.inference.intervals.BELOW`), because a cross-validation errs on the low side.
        A result without a label test has no such margin.
    """

    accuracy: Estimate
    balanced_accuracy: Estimate
    majority: float
    majority_p: float
    classes: list[ClassRecall]
    candidates: int = 1
    strict_lower: float = np.nan

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
    candidates: int = 1,
) -> Performance:
    """Return accuracy and recalls with intervals that hold for new samples.

    ``codes``, of shape (n_samples,), are the true classes; ``predicted``, of shape (n_samples,
    n_classes), is the share of each sample's tests in which it is predicted as each class. See
    `xnbflow.inference.intervals` for ``groups`` and ``inflation``. ``candidates`` is the number of
    classifiers from which this one was chosen by the results, for Bonferroni's intervals.
    """
    confidence = corrected_confidence(candidates)
    recalls = [
        _class_recall(code, codes, predicted, groups, inflation=inflation, confidence=confidence)
        for code in np.unique(codes).tolist()
    ]
    correct_share = predicted[np.arange(len(codes)), codes]  # of each sample's tests
    strict = balanced_interval(
        correct_share, codes, groups, inflation=inflation, confidence=confidence, below=inflation
    )
    majority = max(recall.n_samples for recall in recalls) / len(codes)
    return Performance(
        accuracy=accuracy_interval(
            correct_share, codes, groups, inflation=inflation, confidence=confidence
        ),
        balanced_accuracy=balanced_interval(
            correct_share, codes, groups, inflation=inflation, confidence=confidence
        ),
        majority=majority,
        majority_p=min(
            1.0, candidates * share_p(correct_share, majority, groups, inflation=inflation)
        ),
        classes=recalls,
        candidates=candidates,
        strict_lower=strict.lower,
    )


def _class_recall(
    code: int,
    codes: np.ndarray,
    predicted: np.ndarray,
    groups: np.ndarray | None,
    *,
    inflation: float,
    confidence: float,
) -> ClassRecall:
    """Return the recall of one class, and the class for which its samples are mistaken most often.

    The recall minus the false-positive rate is above 0 where the mean of recall and specificity is
    above one half. This mean is the balanced accuracy of the class against the rest, whose interval
    decides whether the class is recognised.
    """
    in_class = codes == code
    predicted_as_class = predicted[:, code]
    recall = share_interval(
        predicted_as_class[in_class],
        select_groups(groups, in_class),
        inflation=inflation,
        confidence=confidence,
    )
    n_predicted_as = predicted[in_class].sum(axis=0)
    n_predicted_as[code] = 0.0
    n_mistaken = float(n_predicted_as.max())

    # No label test supports this condition, so the lower limit has the full inflation, as
    # `Performance.strict_lower`.
    against_rest = _against_rest(
        code, codes, predicted, groups, inflation=inflation, confidence=confidence, below=inflation
    )
    return ClassRecall(
        code=code,
        n_samples=int(in_class.sum()),
        recall=recall,
        is_recognised=bool(recall.value > MISSED_RECALL and against_rest.lower > 0.5),
        mistaken_for=int(n_predicted_as.argmax()) if n_mistaken > 0 else -1,
        n_mistaken=n_mistaken,
    )


def select_groups(groups: np.ndarray | None, samples: np.ndarray) -> np.ndarray | None:
    """Return the groups of some samples, None where samples have no groups."""
    return None if groups is None else groups[samples]


def pooled_performance(
    predictions: pd.DataFrame,
    header: DataSet,
    inflation: float,
    candidates: int = 1,
) -> Performance:
    """Return the performance of one classifier, pooled over folds and repeats.

    Where samples have groups, intervals count groups. See `performance` for ``inflation`` and
    ``candidates``.
    """
    codes, votes, groups = _pooled_votes(predictions, header)
    return performance(codes, votes, groups, inflation=inflation, candidates=candidates)


def _pooled_votes(
    predictions: pd.DataFrame, header: DataSet
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return true classes, shares of predictions by class and groups of the tested samples."""
    positions = pd.Index(header.samples).get_indexer(predictions["sample"])
    codes = np.searchsorted(header.classes, header.labels.astype(str))
    predicted_codes = pd.Index(header.classes.astype(str)).get_indexer(
        predictions["predicted"].astype(str)
    )
    votes = np.zeros((len(header.samples), len(header.classes)))
    np.add.at(votes, (positions, predicted_codes), 1.0)
    n_tests = votes.sum(axis=1)
    is_tested = n_tests > 0
    shares = votes[is_tested] / n_tests[is_tested, None]
    return codes[is_tested], shares, select_groups(header.groups, is_tested)


def areas(
    predictions: pd.DataFrame, header: DataSet, inflation: float, candidates: int = 1
) -> dict[str, Estimate]:
    """Return the AUC of each class against the rest; with two classes, only that of the second.

    An AUC is the mean over repeats of `xnbflow.evaluation.metrics.class_areas`; there is none
    without probabilities. Intervals count groups where samples have them; see `performance` for
    ``inflation`` and ``candidates``.
    """
    areas_of_repeats = []
    for _, table in predictions.groupby("repeat"):
        true, _, log_posterior, classes = arrays(table, header)
        if log_posterior is None:
            return {}
        areas_of_repeats.append(class_areas(true, log_posterior, classes, table["fold"].to_numpy()))
    units = header.samples if header.groups is None else header.groups
    codes, votes, groups = _pooled_votes(predictions, header)
    confidence = corrected_confidence(candidates)
    intervals = {}
    for label, area in pd.DataFrame(areas_of_repeats).mean().items():
        members = header.labels.astype(str) == label
        code = int(np.searchsorted(header.classes.astype(str), str(label)))
        intervals[str(label)] = area_interval(
            area,
            len(np.unique(units[members])),
            len(np.unique(units[~members])),
            inflation=inflation,
            confidence=confidence,
            balanced=_against_rest(
                code, codes, votes, groups, inflation=inflation, confidence=confidence
            ),
        )
    return intervals


def _against_rest(
    code: int,
    codes: np.ndarray,
    predicted: np.ndarray,
    groups: np.ndarray | None,
    *,
    inflation: float,
    confidence: float,
    below: float = BELOW,
) -> Estimate:
    """Return the balanced accuracy of a class against the rest: the mean of recall and specificity.

    The parameters are those of `performance`; see `balanced_interval` for ``below``.
    """
    in_class = codes == code
    right = np.where(in_class, predicted[:, code], 1 - predicted[:, code])
    return balanced_interval(
        right, in_class, groups, inflation=inflation, confidence=confidence, below=below
    )


def estimates(
    performances: Mapping[Key, Performance],
    headers: Headers,
    n_failed: Mapping[Key, int],
    class_areas_of: Mapping[Key, Mapping[str, Estimate]] | None = None,
) -> pd.DataFrame:
    """Return the table ``estimates``: a row per classifier and metric; recall and AUC by class.

    ``n_failed`` are the numbers of folds that could not be fitted, ``class_areas_of`` the AUCs of
    each classifier's classes (`areas`).
    """
    rows = []
    for key, result in performances.items():
        common = {
            **key_fields(key),
            "class": "",
            "taken_for": "",
            "level": corrected_confidence(result.candidates),
            "candidates": result.candidates,
            "samples": sum(recall.n_samples for recall in result.classes),
            "priors_decide": False,
            "folds_failed": n_failed[key],
        }

        # The rows of accuracy and balanced accuracy.
        accuracy = {
            "metric": "accuracy",
            "method": "Jeffreys' prior",
            **result.accuracy._asdict(),
            "reference": result.majority,
            "p": result.majority_p,
            "above": result.accuracy.lower > result.majority,
        }
        balanced_accuracy = {
            "metric": "balanced_accuracy",
            "method": "Zou and Donner (2008), upper limit by simulation",
            **result.balanced_accuracy._asdict(),
            "reference": result.chance,
            "above": result.balanced_accuracy.lower > result.chance,
        }
        metric_rows = [accuracy, balanced_accuracy]

        # A row for the recall of each class.
        classes = headers[key[0]].classes
        for recall in result.classes:
            row = {
                "metric": "recall",
                "method": "Jeffreys' prior",
                **recall.recall._asdict(),
                "class": str(classes[recall.code]),
                "samples": recall.n_samples,
                "above": recall.is_recognised,
                "taken": recall.n_mistaken,
                "taken_for": str(classes[recall.mistaken_for]) if recall.mistaken_for >= 0 else "",
            }
            metric_rows.append(row)

        metric_rows += _area_rows((class_areas_of or {}).get(key, {}))
        rows += [common | row for row in metric_rows]
    table = pd.DataFrame(rows).rename(columns={"value": "estimate"})
    return table.reindex(columns=GROUPS["study"].tables["estimates"].fixed)


def _area_rows(areas_of_class: Mapping[str, Estimate]) -> list[dict[str, Any]]:
    """Return a row for each AUC that is not missing."""
    rows = []
    for label, area in areas_of_class.items():
        if np.isnan(area.value):
            continue
        row = {
            "metric": "roc_auc",
            "method": "Newcombe (2006), method 5, limits by accuracy and simulation",
            **area._asdict(),
            "class": label,
            "reference": 0.5,  # the AUC of a classifier without information
            "above": area.lower > 0.5,
        }
        rows.append(row)
    return rows
