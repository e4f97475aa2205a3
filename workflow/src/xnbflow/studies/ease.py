"""How many features separate classes as well as those that a classifier selects.

Where thousands of features do, the few that a classifier names are only the first of many. The
count needs the values alone, so that it is the same for every classifier.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.areas import count_reaching, doubled_wins, pair_areas, sample_order
from xnbflow.evaluation.fitting import filled
from xnbflow.inference.permutation import permuted
from xnbflow.tables.contract import DESCRIPTION_TABLES
from xnbflow.tables.storage import table_of

__all__ = ["as_good_features"]

#: Permutations, and for how many numbers of features, samples and classes there are as many.
_PERMUTATIONS, _ENOUGH = 20, 4_000_000_000


def as_good_features(
    series: DataSet, selected: Mapping[tuple[str, str, str], pd.DataFrame]
) -> pd.DataFrame:
    """Return how many features separate classes as well as the best that was selected.

    Medians over all samples replace missing values; only linear features count. ``selected`` is the
    table ``selected`` of `TRAINING_TABLES` by data set, folds and classifier, the result the table
    ``as_good`` of `DESCRIPTION_TABLES`. Separation is measured by the area under the ROC curve over
    all samples, whichever class is higher.
    """
    linear = series.kinds == "linear"
    names, classes = pd.Index(series.features[linear]), series.classes
    codes = np.searchsorted(classes, series.labels)
    values = filled(series).values
    order = sample_order(values if linear.all() else values[linear])
    chosen = {}
    for key, table in selected.items():
        for label, own in table.groupby("class", sort=True):
            found = names.get_indexer(own["feature"].unique())
            if (found >= 0).any():
                chosen[key, int(np.searchsorted(classes, label))] = found[found >= 0]
    used = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *chosen.values()]))
    areas = _areas(order[used], codes, len(classes))
    rows = []
    for (key, i), features in chosen.items():
        best = areas[np.searchsorted(used, features), i].max(axis=0)
        others = np.delete(np.arange(len(classes)), i)
        place: dict[str, Any] = dict(zip(("dataset", "folds", "classifier"), key, strict=True))
        place |= {"class": i, "selected": len(features)}
        rows += [place | {"other_class": j, "area": best[j]} for j in others]
    counted = ("as_good", "by_chance", "separating", "features")
    found = table_of(rows, DESCRIPTION_TABLES["as_good"], without=counted)
    pairs = found[["class", "other_class", "area"]].drop_duplicates()
    counts = _reached(order, codes, series, pairs)
    found = found.merge(pairs.assign(**counts), how="left").assign(features=len(names))
    for column in ("class", "other_class"):
        found[column] = classes[found[column].to_numpy(dtype=int)]
    return found


def _areas(order: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the areas of `pair_areas`, whichever class is higher."""
    sizes = np.bincount(codes, minlength=n_classes)
    areas = pair_areas(doubled_wins(order, codes, n_classes), sizes)
    return np.maximum(areas, 1 - areas)


def _reached(
    order: np.ndarray, codes: np.ndarray, series: DataSet, pairs: pd.DataFrame
) -> dict[str, np.ndarray]:
    """Return how many features reach the area of each pair of classes, and how many reach 1.

    ``by_chance`` is the mean over permutations of the labels.
    """
    n = int(np.clip(_ENOUGH // max(1, order.size * len(series.classes)), 1, _PERMUTATIONS))
    rng = np.random.default_rng(derive_seed(series.name, 0, "areas"))
    labels = np.array([codes, *(permuted(codes, series.groups, rng) for _ in range(n))])
    asked = pd.concat([pairs, pairs.assign(area=1.0)])
    ends = asked[["class", "other_class"]].to_numpy(dtype=int)
    counts = count_reaching(order, labels, ends, asked["area"].to_numpy(dtype=float))
    reached, separating = np.split(counts, 2)
    by_chance = reached[:, 1:].sum(axis=1) / n
    return {"as_good": reached[:, 0], "separating": separating[:, 0], "by_chance": by_chance}
