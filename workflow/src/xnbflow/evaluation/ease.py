"""How many features separate classes as well as those that a classifier selects.

Where thousands of features do, the few that a classifier names are only the first of many. The
count needs the values alone, so that it is the same for every classifier.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from xnbflow.data.contract import DESCRIPTION_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.seeds import derive_seed
from xnbflow.diagnostics.areas import doubled_wins, pair_areas, sample_order
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.permutation import permuted

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
    areas = _areas(order, codes, len(classes))
    rows = []
    for key, table in selected.items():
        for label, own in table.groupby("class", sort=True):
            chosen = names.get_indexer(own["feature"].unique())
            chosen, i = chosen[chosen >= 0], int(np.searchsorted(classes, label))
            for j in np.delete(np.arange(len(classes)), i) if len(chosen) else ():
                area = areas[:, i, j]
                best = area[chosen].max()
                as_good, perfect = int(_reach(area, best)), int((area == 1).sum())
                rows.append((*key, i, j, len(chosen), best, as_good, perfect))
    columns = ["dataset", "folds", "classifier", "class", "other_class", "selected", "area"]
    found = pd.DataFrame(rows, columns=[*columns, "as_good", "separating"])
    pairs = found[["class", "other_class", "area"]].drop_duplicates()
    chance = pairs.assign(by_chance=_by_chance(order, codes, series, pairs))
    found = found.merge(chance, how="left").assign(features=len(names))
    for column in ("class", "other_class"):
        found[column] = classes[found[column].to_numpy(dtype=int)]
    return found[DESCRIPTION_TABLES["as_good"].fixed]


def _areas(order: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the areas of `pair_areas`, whichever class is higher."""
    sizes = np.bincount(codes, minlength=n_classes)
    areas = pair_areas(doubled_wins(order, codes, n_classes), sizes)
    return np.maximum(areas, 1 - areas)


def _reach(areas: np.ndarray, least: float) -> np.integer:
    return np.count_nonzero(areas >= least - 1e-12)


def _by_chance(
    order: np.ndarray, codes: np.ndarray, series: DataSet, pairs: pd.DataFrame
) -> np.ndarray:
    """Return how many features reach the area of each pair of classes with permuted labels."""
    counts, n_classes = np.zeros(len(pairs)), len(series.classes)
    if not len(pairs):
        return counts
    n = int(np.clip(_ENOUGH // (order.size * n_classes), 1, _PERMUTATIONS))
    rng = np.random.default_rng(derive_seed(series.name, 0, "areas"))
    for _ in range(n):
        areas = _areas(order, permuted(codes, series.groups, rng), n_classes)
        counts += [_reach(areas[:, i, j], a) for i, j, a in pairs.itertuples(index=False)]
    return counts / n
