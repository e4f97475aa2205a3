"""Pairs of classes: which of several classes a classifier does not separate from each other.

With six classes, two of which come from one distribution, the recall of either can be above one
half and above the share of other samples that are mistaken for it: its samples are confused with
one class of five. A result recognises every class if *each pair* of classes is separated. For a
pair the scores of the samples of both are the differences of their log posteriors, whatever the
other classes; the area under the ROC curve, by pairs of samples of the same fold, has the interval
of `xnbflow.inference.intervals.area_interval`.

The claim that all pairs are separated is true only if each is, so that every pair is tested at the
level itself: the largest p is that of the claim, and no correction for the number of pairs is
needed (R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24
(1982), 295-300).
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.significance import corrected_confidence
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables, arrays, key_fields
from xnbflow.inference.intervals import (
    CROSS_VALIDATED,
    UNKNOWN,
    Estimate,
    area_interval,
)
from xnbflow.inference.within_strata import area_within, score_of_pair
from xnbflow.tables.contract import GROUPS


def class_pairs(
    predictions: Tables,
    headers: Headers,
    inflations: Mapping[Key, float],
    candidates: Mapping[Key, int] | None = None,
) -> pd.DataFrame:
    """Return the study's table ``class_pairs``: each pair of classes of each classifier.

    ``inflations`` and ``candidates`` (1 by default) are as in
    `xnbflow.inference.estimates.performance`.
    """
    rows: list[dict[str, Any]] = []
    for key, table in predictions.items():
        header = headers[key[0]]
        if len(table):
            n_candidates = (candidates or {}).get(key, 1)
            pairs = _pair_areas(table, header, inflations[key], n_candidates)
            rows += [key_fields(key) | pair for pair in pairs]
    return pd.DataFrame(rows, columns=GROUPS["study"].tables["class_pairs"].fixed)


def _pair_areas(
    predictions: pd.DataFrame,
    header: DataSet,
    inflation: float,
    candidates: int = 1,
) -> list[dict[str, Any]]:
    """Return a row for each pair of classes of one classifier, the least separated first.

    The area is the mean over repeats. A classifier without probabilities has predictions as scores.
    Intervals count groups where samples have them. A pair is ``separated`` if the lower limit is
    above one half, and ``judged`` if its classes are large enough (`can_be_judged`).
    """
    areas: dict[tuple[int, int], list[float]] = {}
    for _, table in predictions.groupby("repeat"):
        true, predicted, scores, classes = arrays(table, header)
        if scores is None:
            scores = (predicted[:, None] == classes).astype(float)
        codes = np.searchsorted(classes, true)
        for pair in combinations(range(len(classes)), 2):
            area = _area_of_pair(pair, codes, scores, table["fold"].to_numpy())
            areas.setdefault(pair, []).append(area)
    units = header.samples if header.groups is None else header.groups
    labels = [str(label) for label in header.classes]
    sizes = [len(np.unique(units[header.labels == label])) for label in header.classes]
    rows = []
    for (first, second), of_repeats in areas.items():
        interval = _interval(of_repeats, sizes[first], sizes[second], inflation, candidates)
        rows.append(
            {
                "class": labels[first],
                "other": labels[second],
                "samples": sizes[first],
                "other_samples": sizes[second],
                "auc": interval.value,
                "lower": interval.lower,
                "upper": interval.upper,
                "separated": bool(interval.lower > 0.5),
                "judged": can_be_judged(sizes[first], sizes[second], inflation),
            }
        )
    return sorted(rows, key=lambda row: np.nan_to_num(row["lower"], nan=-1.0))


def can_be_judged(n_first: int, n_second: int, inflation: float = CROSS_VALIDATED) -> bool:
    """Return whether a pair of classes of these sizes would be separated with one sample wrong.

    Its score is on the side of the other class, beyond all samples of that class: the area is 1 - 1
    / n, n the samples (or groups) of the smaller class. In smaller classes a single sample decides
    whether a pair is separated, which is no evidence that two classes are alike.

    Examples
    --------
    >>> can_be_judged(9, 9), can_be_judged(10, 10), can_be_judged(10, 10, 2.5)
    (False, True, False)
    """
    area = 1 - 1 / min(n_first, n_second)
    interval = area_interval(area, n_first, n_second, inflation=inflation)
    return bool(interval.lower > 0.5)


def _area_of_pair(
    pair: tuple[int, int], codes: np.ndarray, scores: np.ndarray, folds: np.ndarray
) -> float:
    """Return the share of pairs of samples of two classes in a fold that are in the right order.

    ``scores`` (n_samples, n_classes) are log posteriors. Missing if no fold has both classes.
    """
    members = np.flatnonzero(np.isin(codes, pair))
    score = score_of_pair(scores[members], *pair)
    return area_within(score, codes[members] == pair[0], folds[members]).area


def _interval(
    areas: list[float], n_first: int, n_second: int, inflation: float, candidates: int
) -> Estimate:
    """Return the mean area of the repeats that have one, with its interval."""
    measured = [area for area in areas if not np.isnan(area)]
    if not measured:
        return UNKNOWN
    return area_interval(
        float(np.mean(measured)),
        n_first,
        n_second,
        inflation=inflation,
        confidence=corrected_confidence(candidates),
    )
