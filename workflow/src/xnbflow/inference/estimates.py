"""Estimates: accuracy, balanced accuracy, recalls and AUC of a classifier, with their intervals.

The verdict, the page, models and the manuscript all use these numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.keyed_tables import Headers, Key, arrays, key_fields
from xnbflow.evaluation.metrics import class_areas
from xnbflow.inference.intervals import (
    CROSS_VALIDATED,
    Estimate,
    accuracy_interval,
    area_interval,
    balanced_interval,
    share_interval,
    share_p,
)
from xnbflow.tables.contract import STUDY_TABLES

#: Recall up to which a class is not recognised, whatever its interval.
MISSED_RECALL = 0.5


@dataclass(frozen=True, kw_only=True)
class ClassRecall:
    """The recall of one class.

    ``code`` is the class, ``samples`` its number of samples; ``recall`` is the share of these that
    are predicted as the class. It is ``recognised`` if the recall is above one half, and the 95%
    interval of its difference from the share of all other samples that are predicted as it is above
    0. ``taken_for`` is the other class that is predicted most often for its samples, -1 if there is
    none, and ``taken`` the number of these samples, as mean over repeats.
    """

    code: int
    samples: int
    recall: Estimate
    recognised: bool
    taken_for: int
    taken: float


@dataclass(frozen=True, kw_only=True)
class Performance:
    """The performance of a classifier, pooled over folds and averaged over repeats.

    ``majority`` is the share of the largest class, ``majority_p`` the one-sided p of the accuracy
    against it; ``classes`` are those that have samples, in order. Intervals and p are corrected for
    the number of ``candidates``. ``strict_lower`` is the lower limit of the balanced accuracy
    with the inflation of the upper side, for a result without a label test.
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
    confidence = 1 - 2 * ONE_SIDED_LEVEL / candidates
    recalls = [
        _class_recall(code, codes, predicted, groups, inflation=inflation, confidence=confidence)
        for code in np.unique(codes).tolist()
    ]
    right = predicted[np.arange(len(codes)), codes]
    strict = balanced_interval(
        right, codes, groups, inflation=inflation, confidence=confidence, below=inflation
    )
    majority = max(recall.samples for recall in recalls) / len(codes)
    return Performance(
        accuracy=accuracy_interval(
            right, codes, groups, inflation=inflation, confidence=confidence
        ),
        balanced_accuracy=balanced_interval(
            right, codes, groups, inflation=inflation, confidence=confidence
        ),
        majority=majority,
        majority_p=min(1.0, candidates * share_p(right, majority, groups, inflation)),
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

    The class is recognised if recall less false alarms is above 0, which is where the mean of
    recall and specificity is above one half: the balanced accuracy of the class against the rest.
    """
    in_class = codes == code
    predicted_as_class = predicted[:, code]
    recall = share_interval(
        predicted_as_class[in_class], select_groups(groups, in_class), inflation, confidence
    )
    mistakes = predicted[in_class].sum(axis=0)
    mistakes[code] = 0.0
    most_mistakes = float(mistakes.max())
    right = np.where(in_class, predicted_as_class, 1 - predicted_as_class)
    # No label test supports this condition: the lower limit has the inflation of the upper side.
    against_rest = balanced_interval(
        right, in_class, groups, inflation=inflation, confidence=confidence, below=inflation
    )
    return ClassRecall(
        code=code,
        samples=int(in_class.sum()),
        recall=recall,
        recognised=bool(recall.value > MISSED_RECALL and against_rest.lower > 0.5),
        taken_for=int(mistakes.argmax()) if most_mistakes > 0 else -1,
        taken=most_mistakes,
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
    positions = pd.Index(header.samples).get_indexer(predictions["sample"])
    codes = np.searchsorted(header.classes, header.labels.astype(str))
    predicted_codes = pd.Index(header.classes.astype(str)).get_indexer(
        predictions["predicted"].astype(str)
    )
    votes = np.zeros((len(header.samples), len(header.classes)))
    np.add.at(votes, (positions, predicted_codes), 1.0)
    n_tests = votes.sum(axis=1)
    is_tested = n_tests > 0
    return performance(
        codes[is_tested],
        votes[is_tested] / n_tests[is_tested, None],
        select_groups(header.groups, is_tested),
        inflation=inflation,
        candidates=candidates,
    )


def areas(
    predictions: pd.DataFrame, header: DataSet, inflation: float, candidates: int = 1
) -> dict[str, Estimate]:
    """Return the AUC of each class against the rest; with two classes, only that of the second.

    It is the mean over repeats of `xnbflow.evaluation.metrics.class_areas`; empty without
    probabilities. Intervals count groups where samples have them; see `performance` for
    ``inflation`` and ``candidates``.
    """
    parts = []
    for _, table in predictions.groupby("repeat"):
        true, _, log_posterior, classes = arrays(table, header)
        if log_posterior is None:
            return {}
        parts.append(class_areas(true, log_posterior, classes, table["fold"].to_numpy()))
    units = header.samples if header.groups is None else header.groups
    intervals = {}
    for label, area in pd.DataFrame(parts).mean().items():
        members = header.labels.astype(str) == label
        n_class = len(np.unique(units[members]))
        n_others = len(np.unique(units[~members]))
        intervals[str(label)] = area_interval(
            area,
            n_class / inflation,
            n_others / inflation,
            1 - 2 * ONE_SIDED_LEVEL / candidates,
            smaller_class=min(n_class, n_others) if inflation > 1 else np.inf,
        )
    return intervals


def estimates(
    performances: Mapping[Key, Performance],
    headers: Headers,
    failed: Mapping[Key, int],
    curves: Mapping[Key, Mapping[str, Estimate]] | None = None,
) -> pd.DataFrame:
    """Return one row per classifier and metric, and for recalls and AUC per class.

    ``failed`` are the numbers of folds that could not be fitted, ``curves`` the `areas`.
    """
    rows = []
    for key, measured in performances.items():
        common = {
            **key_fields(key),
            "class": "",
            "taken_for": "",
            "level": 1 - 2 * ONE_SIDED_LEVEL / measured.candidates,
            "candidates": measured.candidates,
            "samples": sum(recall.samples for recall in measured.classes),
            "folds_failed": failed[key],
        }

        # The rows of accuracy and balanced accuracy.
        accuracy = {
            "metric": "accuracy",
            "method": "Jeffreys' prior",
            **measured.accuracy._asdict(),
            "reference": measured.majority,
            "p": measured.majority_p,
            "above": measured.accuracy.lower > measured.majority,
        }
        balanced_accuracy = {
            "metric": "balanced_accuracy",
            "method": "Zou and Donner (2008), upper limit by simulation",
            **measured.balanced_accuracy._asdict(),
            "reference": measured.chance,
            "above": measured.balanced_accuracy.lower > measured.chance,
        }
        rows_of_metrics = [accuracy, balanced_accuracy]

        # A row for the recall of each class.
        classes = headers[key[0]].classes
        for recall in measured.classes:
            row = {
                "metric": "recall",
                "method": "Jeffreys' prior",
                **recall.recall._asdict(),
                "class": str(classes[recall.code]),
                "samples": recall.samples,
                "above": recall.recognised,
                "taken": recall.taken,
                "taken_for": str(classes[recall.taken_for]) if recall.taken_for >= 0 else "",
            }
            rows_of_metrics.append(row)

        rows_of_metrics += _area_rows((curves or {}).get(key, {}))
        rows += [common | row for row in rows_of_metrics]
    table = pd.DataFrame(rows).rename(columns={"value": "estimate"})
    return table.reindex(columns=STUDY_TABLES["estimates"].fixed)


def _area_rows(curves: Mapping[str, Estimate]) -> list[dict[str, Any]]:
    """Return a row for each AUC that is not missing."""
    rows = []
    for label, area in curves.items():
        if np.isnan(area.value):
            continue
        row = {
            "metric": "roc_auc",
            "method": "Newcombe (2006), method 5, upper limit by simulation",
            **area._asdict(),
            "class": label,
            "reference": 0.5,
            "above": area.lower > 0.5,
        }
        rows.append(row)
    return rows
