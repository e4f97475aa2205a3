"""Estimates: accuracy, balanced accuracy, recalls and AUC of a classifier, with their intervals.

The verdict, the page, models and the manuscript all use these numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.data.series_file import DataSetHeader
from xnbflow.evaluation.keyed_tables import Headers, Key, arrays, named
from xnbflow.evaluation.metrics import class_areas
from xnbflow.inference.intervals import (
    CROSS_VALIDATED,
    LEVEL,
    Estimate,
    area_interval,
    balanced_interval,
    share_interval,
    share_p,
)
from xnbflow.tables.contract import STUDY_TABLES


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Performance:
    """The performance of a classifier, pooled over folds and averaged over repeats.

    ``majority`` is the share of the largest class, ``majority_p`` the one-sided p of the accuracy
    against it; ``classes`` are those that have samples, in order. Intervals and p are corrected for
    the number of ``candidates``.
    """

    accuracy: Estimate
    balanced_accuracy: Estimate
    majority: float
    majority_p: float
    classes: list[ClassRecall]
    candidates: int = 1

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
    confidence = 1 - 2 * LEVEL / candidates
    rows = []
    for code in np.unique(codes).tolist():
        own, named_it = codes == code, predicted[:, code]
        recall = share_interval(named_it[own], _of(groups, own), inflation, confidence)
        others = predicted[own].sum(axis=0)
        others[code] = 0.0
        most = float(others.max())
        taken_for = int(others.argmax()) if most > 0 else -1
        right = np.where(own, named_it, 1 - named_it)
        # recall less false alarms is above 0 where the mean of recall and specificity is above 1/2
        mean = balanced_interval(right, own, groups, inflation, confidence)
        recognised = bool(recall.value > 0.5 and mean.lower > 0.5)
        size = int(own.sum())
        rows.append(ClassRecall(code, size, recall, recognised, taken_for, most))
    right = predicted[np.arange(len(codes)), codes]
    accuracy = share_interval(right, groups, inflation, confidence)
    if inflation > 1:  # no recall's upper limit is left out
        by_size = balanced_interval(right, codes, groups, inflation, confidence, by_size=True)
        accuracy = accuracy._replace(upper=max(accuracy.upper, by_size.upper))
    majority = max(row.samples for row in rows) / len(codes)
    return Performance(
        accuracy=accuracy,
        balanced_accuracy=balanced_interval(right, codes, groups, inflation, confidence),
        majority=majority,
        majority_p=min(1.0, candidates * share_p(right, majority, groups, inflation)),
        classes=rows,
        candidates=candidates,
    )


def _of(groups: np.ndarray | None, part: np.ndarray) -> np.ndarray | None:
    return None if groups is None else groups[part]


def pooled_performance(
    predictions: pd.DataFrame,
    header: DataSetHeader | DataSet,
    inflation: float,
    candidates: int = 1,
) -> Performance:
    """Return the performance of one classifier, pooled over folds and repeats.

    Where samples have groups, intervals count groups. See `performance` for ``inflation`` and
    ``candidates``.
    """
    places = pd.Index(header.samples).get_indexer(predictions["sample"])
    codes = np.searchsorted(header.classes, header.labels.astype(str))
    named_as = pd.Index(header.classes.astype(str)).get_indexer(
        predictions["predicted"].astype(str)
    )
    votes = np.zeros((len(header.samples), len(header.classes)))
    np.add.at(votes, (places, named_as), 1.0)
    times = votes.sum(axis=1)
    tested = times > 0
    shares = votes[tested] / times[tested, None]
    groups = _of(header.groups, tested)
    return performance(codes[tested], shares, groups, inflation=inflation, candidates=candidates)


def areas(
    predictions: pd.DataFrame, header: DataSetHeader, inflation: float, candidates: int = 1
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
        n_class, n_others = len(np.unique(units[members])), len(np.unique(units[~members]))
        intervals[str(label)] = area_interval(
            area,
            n_class / inflation,
            n_others / inflation,
            1 - 2 * LEVEL / candidates,
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
    rows: list[dict[str, Any]] = []
    for key, found in performances.items():
        common: dict[str, Any] = {**named(key), "class": "", "taken_for": ""}
        common |= {"level": 1 - 2 * LEVEL / found.candidates, "candidates": found.candidates}
        common |= {"samples": sum(each.samples for each in found.classes)}
        common["folds_failed"] = failed[key]
        rows.append(
            common
            | {"metric": "accuracy", "method": "Jeffreys' prior", **found.accuracy._asdict()}
            | {"reference": found.majority, "p": found.majority_p}
            | {"above": found.accuracy.lower > found.majority}
        )
        rows.append(
            common
            | {
                "metric": "balanced_accuracy",
                "method": "Zou and Donner (2008), upper limit by simulation",
            }
            | found.balanced_accuracy._asdict()
            | {"reference": found.chance, "above": found.balanced_accuracy.lower > found.chance}
        )
        classes = headers[key[0]].classes
        rows += [
            common
            | {"metric": "recall", "method": "Jeffreys' prior", **each.recall._asdict()}
            | {"class": str(classes[each.code]), "samples": each.samples}
            | {"above": each.recognised, "taken": each.taken}
            | {"taken_for": str(classes[each.taken_for]) if each.taken_for >= 0 else ""}
            for each in found.classes
        ]
        rows += [
            common
            | {
                "metric": "roc_auc",
                "method": "Newcombe (2006), method 5, upper limit by simulation",
                **area._asdict(),
            }
            | {"class": label, "reference": 0.5, "above": area.lower > 0.5}
            for label, area in (curves or {}).get(key, {}).items()
            if not np.isnan(area.value)
        ]
    table = pd.DataFrame(rows).rename(columns={"value": "estimate"})
    return table.reindex(columns=STUDY_TABLES["estimates"].fixed)
