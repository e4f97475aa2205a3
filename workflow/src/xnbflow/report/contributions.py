"""What each feature says for and against a class of each sample, packed small for the page."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.report.results import StudyResults

__all__ = ["contributions"]

#: Numbers of one classifier on one data set; beyond that samples that are right are left out.
MOST_NUMBERS = 60_000


def contributions(
    results: StudyResults, dataset: str, folds: str, classifier: str
) -> dict[str, Any] | None:
    """Return what the selected features said of each tested sample, from the table ``evidence``.

    Of repeated cross-validation the first repeat is taken.

    Returns
    -------
    dict or None
        None where the classifier does not explain, or has no densities of single features.
        Otherwise ``name``, ``classes`` and ``features`` (lists of str), ``fits`` (per fold
        ``prior``, per class its log prior with the calibration's intercept, and ``sets``, per class
        the numbers of its features), ``samples`` (per sample its name, the numbers of its true and
        predicted class and of its fit; the evidence, class after class in the order of ``sets``;
        and per class the sum of its features' log reference densities; null stands for minus
        infinity) and ``left_out`` (number
        of samples). The score of a class is its log prior, its evidence and its reference.
    """
    where = {"dataset": dataset, "folds": folds, "classifier": classifier}
    rows = results.rows("evidence", **where).dropna(subset=["evidence"])
    if rows.empty:
        return None
    predictions = results.training(dataset, folds, classifier, "predictions", repeat=0)
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    features = {name: i for i, name in enumerate(rows["feature"].unique())}
    numbers = dict(zip(classes, range(len(classes)), strict=True))
    kept = _most_telling(predictions, len(rows) / len(predictions))
    priors = results.rows("priors", **where)
    scores = results.rows("scores", **where).set_index(["sample", "class"])["log_reference"]
    references = scores.unstack().reindex(columns=classes).fillna(0.0)
    references = dict(zip(references.index, references.to_numpy().tolist(), strict=True))
    fits, samples = [], []
    per_fold = {fold: group for fold, group in rows.groupby("fold", sort=True)}  # noqa: C416
    for fold, tested in predictions.groupby("fold", sort=True):
        sets, words = _by_sample(per_fold.get(fold, rows.iloc[:0]), features, classes)
        said = {name: (told, references[name]) for name, told in words.items()}
        of_fold = priors[priors["fold"] == fold].set_index("class")["log_offset"]
        fits.append({"prior": [_short(p) for p in of_fold.reindex(classes)], "sets": sets})
        for sample, true, predicted in tested[["sample", "true", "predicted"]].itertuples(False):
            if sample in kept:
                codes = [numbers[true], numbers[predicted], len(fits) - 1]
                short = ([_short(n) for n in each] for each in said.get(sample, ([], [])))
                samples.append([sample, *codes, *short])
    return {
        "name": f"{results.place(dataset, folds)}: {results.labels[classifier]}",
        "classes": classes,
        "features": list(features),
        "fits": fits,
        "samples": samples,
        "left_out": len(predictions) - len(samples),
    }


def _most_telling(predictions: pd.DataFrame, numbers_per_sample: float) -> set[str]:
    """Return the samples that there is room for, misclassified ones first."""
    room = int(MOST_NUMBERS / max(1.0, numbers_per_sample))
    right = (predictions["true"] == predictions["predicted"]).to_numpy()
    order = np.argsort(right, kind="stable")[:room]
    return set(predictions["sample"].iloc[order])


def _by_sample(
    group: pd.DataFrame, features: Mapping[str, int], classes: list[str]
) -> tuple[list[list[int]], dict[str, list[float]]]:
    """Return each class's features in a fold, and each sample's evidence in their order."""
    codes = pd.Categorical(group["class"], categories=classes).codes
    group = group.assign(code=codes).sort_values("code", kind="stable")
    columns = [group[key].tolist() for key in ("sample", "code", "feature", "evidence")]
    sets: list[list[int]] = [[] for _ in classes]
    told: dict[str, list[float]] = {}
    for name, code, feature, evidence in zip(*columns, strict=True):
        told.setdefault(name, []).append(evidence)
        if name == columns[0][0]:  # every sample has the same features in a fold
            sets[code].append(features[feature])
    return sets, told


def _short(value: float) -> float | None:
    """Return a number with two decimals, four digits; None for what JSON does not have."""
    if not math.isfinite(value):
        return None
    return round(value, 2) if abs(value) < 100 else round(value, 1)
