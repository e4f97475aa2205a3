"""Overview of a study: data sets, classes, diagnostics and failures of fits."""

from collections.abc import Mapping
from math import comb

import numpy as np
import pandas as pd

from xnbflow.core.natural_order import natural_key
from xnbflow.data.dataset import COUNTS
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.evaluation.keyed_tables import FOLD, KEY, Headers, Tables, stack
from xnbflow.tables.contract import GROUPS


def problems(fits: Tables) -> pd.DataFrame:
    """Return one row per failed fit and per fit with warnings."""
    table = stack(fits, [*FOLD, "error", "warnings"])
    long = table.melt([*KEY, *FOLD], var_name="kind", value_name="text")
    return long[long["text"] != ""].reset_index(drop=True)


def _ratios(normality: pd.DataFrame, dependence: pd.DataFrame, alpha: float) -> dict[str, float]:
    """Return the ratios of the paper's Table 1 and what goes beyond it, for one data set.

    ``normality`` and ``dependence`` are its tables; ``alpha`` is the level of the normality test.
    """
    within_classes = normality["class"] != ""
    overall = normality.loc[~within_classes, "p"]
    tested = normality.loc[within_classes, "p"].dropna()
    return {
        "non_normal_ratio": float((overall < alpha).mean()),
        "non_normal_ratio_fdr": _fdr_ratio(overall, alpha),
        "non_normal_within_ratio": float((tested < alpha).mean()) if len(tested) else np.nan,
        "non_normal_within_ratio_fdr": _fdr_ratio(tested, alpha),
        "dependent_ratio": float(dependence["dependent"].mean()),
        "max_abs_r": float(dependence["r"].abs().max()),
    }


def _fdr_ratio(p: pd.Series, alpha: float) -> float:
    return float((benjamini_hochberg(p.to_numpy()) < alpha).mean()) if len(p) else np.nan


def diagnostics(
    tables: Mapping[str, Mapping[str, pd.DataFrame]], alpha: float
) -> dict[str, dict[str, float]]:
    """Return the `_ratios` and the test of dependence of each diagnosed data set.

    These data sets have at least two features without missing values. ``tables`` are those of the
    group ``diagnostic`` of `xnbflow.tables.contract`, one for each data set.
    """
    diagnosed = {}
    for dataset, test in tables["dependence_test"].items():
        if test.empty:
            continue
        of_dataset = _ratios(tables["normality"][dataset], tables["dependence"][dataset], alpha)
        diagnosed[dataset] = test.iloc[0].to_dict() | of_dataset
    return diagnosed


def datasets(
    headers: Headers, fits: Tables, diagnosed: Mapping[str, Mapping[str, float]]
) -> pd.DataFrame:
    """Return the size of each data set, and the number of missing values that folds filled in.

    ``diagnosed`` are the results of `diagnostics`, which are missing for other data sets.
    """
    imputed = dict.fromkeys(headers, 0)
    for (dataset, *_), table in fits.items():
        imputed[dataset] = max(imputed[dataset], int(table["imputed"].max()))
    rows = []
    for name, header in headers.items():
        rows.append(
            {
                "dataset": name,
                "samples": len(header.samples),
                "features": header.n_features,
                "classes": len(header.classes),
                "missing": header.missing,
                "imputed": imputed[name],
                "groups": np.nan if header.groups is None else len(np.unique(header.groups)),
                "counts": header.scale == COUNTS,
                **diagnosed.get(name, {}),
            }
        )
    return pd.DataFrame(rows, columns=GROUPS["study"].tables["datasets"].fixed)


def class_sizes(headers: Headers) -> pd.DataFrame:
    """Return how many samples each class of each data set has, classes in natural order.

    ``perfect_by_chance`` is the expected number of features with all values of the class above, or
    below, all other values if the labels carry no information: ``2 / C(n, m)`` of the features for
    m of n independent samples. It is missing if samples have groups.
    """
    rows = []
    for name, header in headers.items():
        classes, sizes = np.unique(header.labels, return_counts=True)
        n_samples = len(header.labels)
        size_of_class = dict(zip(classes.tolist(), sizes.tolist(), strict=True))
        for label in sorted(size_of_class, key=natural_key):
            size = size_of_class[label]
            by_chance = np.nan
            if header.groups is None and len(classes) > 1:
                by_chance = header.n_features * 2 / comb(n_samples, size)
            row = {"dataset": name, "class": label, "samples": size}
            rows.append(row | {"perfect_by_chance": by_chance})
    return pd.DataFrame(rows, columns=GROUPS["study"].tables["class_sizes"].fixed)
