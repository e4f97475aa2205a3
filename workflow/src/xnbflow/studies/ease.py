"""Number of features that separate classes as well as those that a classifier selects.

If thousands of features do, those that a classifier selects are only some of many. The count
depends only on the values and is the same for every classifier.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.areas import doubled_wins, pair_areas, sample_order
from xnbflow.evaluation.fitting import filled
from xnbflow.tables.contract import DESCRIPTION_TABLES
from xnbflow.tables.storage import table_of

__all__ = ["as_good_features"]

#: Features whose areas are in memory at once, and the difference of areas that is rounding.
_FEATURES, _ROUNDING = 4096, 1e-12


def as_good_features(
    series: DataSet, selected: Mapping[tuple[str, str, str], pd.DataFrame]
) -> pd.DataFrame:
    """Return how many features separate classes as well as the best that was selected.

    Medians over all samples replace missing values; only linear features count. ``selected`` is the
    table ``selected`` of `TRAINING_TABLES` by data set, folds and classifier, the result the table
    ``as_good`` of `DESCRIPTION_TABLES`. Separation is measured by the area under the ROC curve over
    all samples, whichever class is higher.
    """
    counts = series.kinds == "linear"
    names, classes = pd.Index(series.features[counts]), series.classes
    codes = np.searchsorted(classes, series.labels)
    linear = filled(series).values
    linear = linear if counts.all() else linear[counts]
    order = sample_order(linear)
    chosen = {}
    for key, table in selected.items():
        for label, own in table.groupby("class", sort=True):
            found = names.get_indexer(own["feature"].unique())
            if (found >= 0).any():
                chosen[key, int(np.searchsorted(classes, label))] = found[found >= 0]
    used = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *chosen.values()]))
    areas = _areas(order[used], codes, len(classes))
    rows, best = [], []
    for (key, i), features in chosen.items():
        mine = areas[np.searchsorted(used, features), i]
        others = np.delete(np.arange(len(classes)), i)
        place: dict[str, Any] = dict(zip(("dataset", "folds", "classifier"), key, strict=True))
        place |= {"class": i, "selected": len(features)}
        rows += [place | {"other_class": j, "area": mine[:, j].max()} for j in others]
        best += features[mine[:, others].argmax(axis=0)].tolist()
    counted = ("as_good", "separating", "by_chance", "features")
    found = table_of(rows, DESCRIPTION_TABLES["as_good"], without=counted)
    tested = zip(best, found["class"], found["other_class"], strict=True)
    p = [mannwhitneyu(linear[f, codes == i], linear[f, codes == j]).pvalue for f, i, j in tested]
    pairs = found[["class", "other_class", "area"]].drop_duplicates()
    reached = _reached(order, codes, len(classes), pairs)
    found = found.merge(pairs.assign(**reached), how="left")
    found = found.assign(features=len(names), by_chance=len(names) * np.array(p))
    found = found[DESCRIPTION_TABLES["as_good"].fixed]
    for column in ("class", "other_class"):
        found[column] = classes[found[column].to_numpy(dtype=int)]
    return found


def _areas(order: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the areas of `pair_areas`, whichever class is higher."""
    sizes = np.bincount(codes, minlength=n_classes)
    areas = pair_areas(doubled_wins(order, codes, n_classes), sizes)
    return np.maximum(areas, 1 - areas)


def _reached(
    order: np.ndarray, codes: np.ndarray, n_classes: int, pairs: pd.DataFrame
) -> dict[str, np.ndarray]:
    """Return how many features reach the area of each pair of classes, and how many reach 1."""
    asked = pairs["area"].to_numpy(dtype=float)
    first, second = pairs[["class", "other_class"]].to_numpy(dtype=int).T
    reached, separating = np.zeros((2, len(pairs)), dtype=np.int64)
    for start in range(0, len(order), _FEATURES):
        areas = _areas(order[start : start + _FEATURES], codes, n_classes)[:, first, second]
        reached += (areas >= asked - _ROUNDING).sum(axis=0)
        separating += (areas == 1.0).sum(axis=0)
    return {"as_good": reached, "separating": separating}
