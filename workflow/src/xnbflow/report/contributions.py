"""What each feature says of each sample, packed small for the page: the data of a waterfall."""

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
    """Return what the selected features contributed to the decision on each tested sample.

    Of repeated cross-validation the first repeat is taken.

    Returns
    -------
    dict or None
        None where the classifier does not explain. Otherwise ``name``, ``classes`` and ``features``
        (lists of str), ``fits`` (per fold ``prior``, a log prior per class, and ``sets``, per class
        the numbers of its features), ``samples`` (per sample its name, the numbers of its true and
        predicted class and of its fit, and the contributions, class after class in the order of
        ``sets``; null stands for minus infinity) and ``left_out`` (number of samples).
    """
    rows = results.training(dataset, folds, classifier, "explanations", repeat=0)
    if rows.empty:
        return None
    predictions = results.training(dataset, folds, classifier, "predictions", repeat=0)
    sizes = results.rows("class_sizes", dataset=dataset)
    sizes = sizes.set_index("class")["samples"]
    features = {name: i for i, name in enumerate(rows["feature"].unique())}
    numbers = dict(zip(sizes.index, range(len(sizes)), strict=True))
    kept = _most_telling(predictions, len(rows) / len(predictions))
    fits, samples = [], []
    per_fold = {fold: group for fold, group in rows.groupby("fold", sort=True)}  # noqa: C416
    for fold, tested in predictions.groupby("fold", sort=True):
        group = per_fold.get(fold, rows.iloc[:0])
        sets, values = _by_sample(group, features, sizes.index)
        fits.append({"prior": _log_prior(sizes, tested["true"]), "sets": sets})
        for sample, true, predicted in tested[["sample", "true", "predicted"]].itertuples(False):
            if sample in kept:
                codes = [numbers[true], numbers[predicted], len(fits) - 1]
                samples.append([sample, *codes, values.get(sample, [])])
    return {
        "name": f"{results.place(dataset, folds)}: {results.labels[classifier]}",
        "classes": sizes.index.tolist(),
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
    group: pd.DataFrame, features: Mapping[str, int], classes: pd.Index
) -> tuple[list[list[int]], dict[str, list[float | None]]]:
    """Return each class's features in a fold, and each sample's contributions in that order."""
    codes = pd.Categorical(group["class"], categories=classes).codes
    group = group.assign(code=codes).sort_values("code", kind="stable")
    first = group[group["sample"] == group["sample"].iloc[0]] if len(group) else group
    sets = [
        [features[name] for name in first.loc[first["code"] == code, "feature"]]
        for code in range(len(classes))
    ]
    values = {
        sample: [_short(value) for value in terms]
        for sample, terms in group.groupby("sample", sort=False)["log_likelihood"]
    }
    return sets, values


def _short(value: float) -> float | None:
    """Return a number with two decimals, four digits; None for what JSON does not have."""
    if not np.isfinite(value):
        return None
    return round(value, 2) if abs(value) < 100 else round(value, 1)


def _log_prior(sizes: pd.Series, tested: pd.Series) -> list[float | None]:
    """Return the log prior of each class in the training samples of a fold."""
    training = sizes - tested.value_counts().reindex(sizes.index, fill_value=0)
    with np.errstate(divide="ignore"):
        return [_short(value) for value in np.log(training / training.sum())]
