"""Scores: the metrics of folds, repeats and classifiers, and means over data sets."""

import numpy as np
import pandas as pd

from xnbflow.evaluation.keyed_tables import FOLD, KEY, Headers, Tables, arrays, key_fields, stack
from xnbflow.evaluation.metrics import CLASS_METRICS, FOLD_METRICS, class_metrics, fold_metrics
from xnbflow.tables.contract import GROUPS

#: Metrics in the order in which they are shown.
_METRICS = (*FOLD_METRICS, "features_per_class", "features")

#: Metrics of folds; those of a repeat are means over its folds. The `CLASS_METRICS` are computed
#: from the predictions of all of a repeat's folds instead.
_OVER_FOLDS = [metric for metric in _METRICS if metric not in CLASS_METRICS]


def metrics(predictions: Tables, fits: Tables, headers: Headers) -> pd.DataFrame:
    """Return the metrics of each fold; metrics that need every class are in `repeats`."""
    of_predictions = [metric for metric in _OVER_FOLDS if metric in FOLD_METRICS]
    of_fits = [metric for metric in _OVER_FOLDS if metric not in FOLD_METRICS]
    rows = []
    for key, table in predictions.items():
        for place, group in table.groupby(FOLD, sort=True):
            values = fold_metrics(*arrays(group, headers[key[0]]))
            where = key_fields(key) | dict(zip(FOLD, place, strict=True))
            rows.append({**where, "test_samples": len(group), **values})
    table = pd.DataFrame(rows, columns=[*KEY, *FOLD, "test_samples", *of_predictions])
    counts = stack(fits, [*FOLD, *of_fits])
    return table.merge(counts, on=[*KEY, *FOLD], how="left", validate="one_to_one")


def repeats(
    predictions: Tables, metrics: pd.DataFrame, fits: Tables, headers: Headers
) -> pd.DataFrame:
    """Return each metric of each repeat, missing where a fold could not be fitted.

    ``pooled`` is whether it is computed from the predictions of all folds together
    (`xnbflow.evaluation.metrics.class_metrics`); else it is the mean over folds.
    """
    key = [*KEY, "repeat"]
    rows = []
    for name, table in predictions.items():
        for repeat, group in table.groupby("repeat", sort=True):
            values = class_metrics(*arrays(group, headers[name[0]]), group["fold"].to_numpy())
            rows.append({**key_fields(name), "repeat": repeat, **values})
    pooled = pd.DataFrame(rows, columns=[*key, *CLASS_METRICS]).set_index(key)
    means = metrics.groupby(key, sort=False)[_OVER_FOLDS].mean().join(pooled)
    failed = stack(fits, ["repeat", "status"]).query("status != 'ok'")
    means[means.index.isin(pd.MultiIndex.from_frame(failed[key]))] = np.nan
    long = means[list(_METRICS)].reset_index().melt(key, var_name="metric", value_name="value")
    return long.assign(pooled=long["metric"].isin(CLASS_METRICS))


def summary(metrics: pd.DataFrame, repeats: pd.DataFrame, fits: Tables) -> pd.DataFrame:
    """Return mean and spread of each metric over its folds or repeats."""
    group = [*KEY, "metric"]
    folds = metrics.melt([*KEY, *FOLD], _OVER_FOLDS, var_name="metric", value_name="value")
    over_folds = folds.groupby(group, sort=False)["value"].agg(mean="mean", sd="std")
    pooled = repeats[repeats["pooled"]]
    over_repeats = pooled.groupby(group, sort=False)["value"].agg(mean="mean", sd="std")
    table = pd.concat([over_folds.assign(over="folds"), over_repeats.assign(over="repeats")])
    per_repeat = folds.groupby([*group, "repeat"], sort=False)["value"].mean()
    table["sd_repeats"] = per_repeat.groupby(group, sort=False).std()
    table["sd_repeats"] = table["sd_repeats"].where(table["over"] == "folds", table["sd"])
    status = stack(fits, ["status"])
    status["folds_ok"] = status["status"] == "ok"
    status["folds_failed"] = ~status["folds_ok"]
    counts = status.groupby(KEY, sort=False)[["folds_ok", "folds_failed"]].sum().astype(int)
    table = table.reset_index().merge(counts.reset_index(), on=KEY, how="outer", sort=False)
    return table[GROUPS["study"].tables["summary"].fixed]


def averages(summary: pd.DataFrame, confusion: pd.DataFrame) -> pd.DataFrame:
    """Return each classifier's means over the data sets where every classifier could be fitted.

    Accuracy is of all samples together, as in ``estimates``, not the mean over folds. A classifier
    that could not be fitted anywhere is ignored; if no data set is left, all are used.
    ``wins`` count ties, accuracies being compared to three decimals.
    """
    columns = GROUPS["study"].tables["averages"].fixed
    complete = summary[summary["folds_failed"] == 0]
    if complete.empty:
        return pd.DataFrame(columns=columns)
    wide = complete.pivot_table(
        index=["dataset", "folds"], columns=["metric", "classifier"], values="mean", dropna=False
    )
    right = confusion[confusion["true"] == confusion["predicted"]].groupby(KEY)["count"].sum()
    pooled = (right / confusion.groupby(KEY)["count"].sum()).fillna(0.0).unstack()
    accuracy = wide["accuracy"].dropna(axis="columns", how="all")
    accuracy = pooled.reindex_like(accuracy).where(accuracy.notna())
    shared = accuracy.dropna().index
    shared = shared if len(shared) else accuracy.index
    rounded = accuracy.round(3)
    table = pd.DataFrame(
        {
            "accuracy": accuracy.loc[shared].mean(),
            "balanced_accuracy": wide["balanced_accuracy"].loc[shared].mean(),
            "places": len(shared),
            "wins": rounded.eq(rounded.max(axis=1), axis=0).sum(),
        }
    )
    order = [name for name in summary["classifier"].unique() if name in accuracy]
    return table.loc[order].rename_axis("classifier").reset_index()[columns]
