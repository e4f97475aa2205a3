"""Summaries: from the rows of single folds to the tables that a study shows."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from xnbflow.contract import STUDY_TABLES
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.evaluation.metrics import calibration_curve, fold_metrics
from xnbflow.evaluation.stability import stability_index
from xnbflow.evaluation.training import LOG_POSTERIOR
from xnbflow.series import SeriesHeader

__all__ = [
    "METRICS",
    "calibration",
    "confusion",
    "diagnostics",
    "metrics",
    "paper",
    "problems",
    "recovery",
    "repeats",
    "samples",
    "seconds",
    "selection",
    "stability",
    "summary",
]

_KEY = ["dataset", "folds", "classifier"]
_FOLD = ["repeat", "fold"]

#: Metrics of a fold, in the order in which they are shown.
METRICS = (
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "mcc",
    "roc_auc",
    "log_loss",
    "brier",
    "features_per_class",
    "features",
)

#: The paper's columns: our classifier and number to compare each with, and its printed decimals.
_PAPER = {
    "non_normal_ratio": ("", "non_normal_ratio", 2),
    "dependent_ratio": ("", "dependent_ratio", 2),
    "nb_accuracy": ("nb", "accuracy", 3),
    "xnb_accuracy": ("xnb", "accuracy", 3),
    "xnb_features_per_class": ("xnb", "features_per_class", 1),
}

Tables = Mapping[tuple[str, str, str], pd.DataFrame]


def metrics(predictions: Tables, fits: Tables, headers: Mapping[str, SeriesHeader]) -> pd.DataFrame:
    """Return one row per data set, folds, classifier, repeat and fold with every metric."""
    rows = []
    for key, table in predictions.items():
        classes = headers[key[0]].classes
        columns = [LOG_POSTERIOR + label for label in classes]
        for (repeat, fold), group in table.groupby(_FOLD, sort=True):
            log_posterior = group[columns].to_numpy(dtype=float)
            values = fold_metrics(
                group["true"].to_numpy(dtype=str),
                group["predicted"].to_numpy(dtype=str),
                None if np.isnan(log_posterior).all() else log_posterior,
                classes,
            )
            rows.append((*key, repeat, fold, len(group), *(values[m] for m in METRICS[:7])))
    table = pd.DataFrame(rows, columns=[*_KEY, *_FOLD, "test_samples", *METRICS[:7]])
    counts = _stack(fits, [*_FOLD, *METRICS[7:]])
    return table.merge(counts, on=[*_KEY, *_FOLD], how="left", validate="one_to_one")


def repeats(metrics: pd.DataFrame, fits: Tables) -> pd.DataFrame:
    """Return the mean over folds of each metric, one row per repeat and metric.

    Means are missing where a fold could not be fitted: over other folds they are no comparison.
    """
    key = [*_KEY, "repeat"]
    means = metrics.groupby(key, sort=False)[list(METRICS)].mean()
    failed = _stack(fits, ["repeat", "status"]).query("status != 'ok'")
    means[means.index.isin(pd.MultiIndex.from_frame(failed[key]))] = np.nan
    return means.reset_index().melt([*_KEY, "repeat"], var_name="metric", value_name="mean")


def summary(metrics: pd.DataFrame, fits: Tables) -> pd.DataFrame:
    """Return mean and spread of each metric over all folds and repeats.

    Columns ``mean``, ``sd`` (over folds), ``sd_repeats`` (of the repeats' means; missing with one
    repeat), ``folds_ok`` and ``folds_failed``.
    """
    long = metrics.melt([*_KEY, *_FOLD], list(METRICS), var_name="metric", value_name="value")
    group = [*_KEY, "metric"]
    folds = long.groupby(group, sort=False)["value"].agg(["mean", "std"])
    per_repeat = long.groupby([*group, "repeat"], sort=False)["value"].mean()
    folds["sd_repeats"] = per_repeat.groupby(group, sort=False).std()
    status = _stack(fits, ["status"])
    counts = status.groupby(_KEY, sort=False)["status"].agg(
        folds_ok=lambda s: int((s == "ok").sum()), folds_failed=lambda s: int((s != "ok").sum())
    )
    table = folds.rename(columns={"std": "sd"}).reset_index()
    return table.merge(counts.reset_index(), on=_KEY, how="outer", sort=False)


def paper(
    repeats: pd.DataFrame, diagnostics: pd.DataFrame, printed: Sequence[pd.DataFrame]
) -> pd.DataFrame:
    """Return the paper's numbers beside ours, for the data sets that the paper has.

    Columns ``dataset``, ``folds``, ``quantity``, ``paper``, ``ours`` (mean over repeats), ``sd``
    (over repeats), ``percentile`` (of the paper's value among our repeats, rounded as the paper
    prints them, a half for ties) and ``n_repeats``.
    """
    rows = []
    numbers = pd.concat(
        [t.melt(["type", "accession"], var_name="quantity", value_name="paper") for t in printed]
    )
    numbers = numbers[numbers["quantity"].isin(_PAPER)]
    for accession, quantity, value in numbers[["accession", "quantity", "paper"]].itertuples(
        index=False
    ):
        classifier, metric, decimals = _PAPER[quantity]
        for folds, ours in _ours(accession, classifier, metric, repeats, diagnostics):
            rounded = ours.round(decimals)
            below = (rounded < value).mean() + (rounded == value).mean() / 2
            sd = ours.std(ddof=1) if len(ours) > 1 else np.nan
            rows.append(
                (accession, folds, quantity, value, ours.mean(), sd, 100 * below, len(ours))
            )
    columns = ["dataset", "folds", "quantity", "paper", "ours", "sd", "percentile", "n_repeats"]
    return pd.DataFrame(rows, columns=columns)


def _ours(
    dataset: str, classifier: str, metric: str, repeats: pd.DataFrame, diagnostics: pd.DataFrame
) -> Iterator[tuple[str, np.ndarray]]:
    if not classifier:
        values = diagnostics.loc[diagnostics["dataset"] == dataset, metric].to_numpy()
        if len(values):
            yield "", values
        return
    chosen = repeats.query(
        "dataset == @dataset and classifier == @classifier and metric == @metric"
    )
    for folds, group in chosen.groupby("folds", sort=False):
        values = group["mean"].dropna().to_numpy()
        if len(values):
            yield folds, values


def confusion(predictions: Tables) -> pd.DataFrame:
    """Return counts of (true, predicted) class pairs over all folds and repeats."""
    table = _stack(predictions, ["true", "predicted"])
    counts = table.groupby([*_KEY, "true", "predicted"], sort=False).size()
    return counts.reset_index(name="count")


def calibration(predictions: Tables, headers: Mapping[str, SeriesHeader]) -> pd.DataFrame:
    """Return reliability: predicted probability against observed frequency, pooled over folds."""
    tables = []
    for key, table in predictions.items():
        if table.empty:
            continue  # no fold could be fitted: without predictions there are no columns of classes
        classes = headers[key[0]].classes
        log_posterior = table[[LOG_POSTERIOR + label for label in classes]].to_numpy(dtype=float)
        if not np.isnan(log_posterior).all():
            curve = calibration_curve(table["true"].to_numpy(dtype=str), log_posterior, classes)
            tables.append(curve.assign(**dict(zip(_KEY, key, strict=True))))
    if not tables:
        return pd.DataFrame(columns=STUDY_TABLES["calibration"].fixed)
    table = pd.concat(tables, ignore_index=True)
    return table[[*_KEY, *(c for c in table.columns if c not in _KEY)]]


def samples(predictions: Tables) -> pd.DataFrame:
    """Return how often each sample was tested and misclassified, and what it was taken for.

    Columns ``tested``, ``wrong`` (times), ``predicted`` (most often) and ``mistakes``: each wrong
    class with its number of times, the most frequent first, say ``AML 7, B-ALL 3``.
    """
    table = _stack(predictions, ["sample", "true", "predicted"])
    table["wrong"] = table["true"] != table["predicted"]
    group = [*_KEY, "sample", "true"]
    counts = table.groupby(group, sort=False)["wrong"].agg(tested="size", wrong="sum").reset_index()
    votes = table.groupby([*group, "predicted"], sort=False).size().reset_index(name="votes")
    votes = votes.sort_values("votes", ascending=False, kind="stable")
    wrong = votes[votes["true"] != votes["predicted"]]
    said = wrong["predicted"].astype(str) + " " + wrong["votes"].astype(str)
    mistakes = wrong.assign(mistakes=said).groupby(group, sort=False)["mistakes"].agg(", ".join)
    predicted = votes.drop_duplicates(group).drop(columns="votes")
    counts = counts.merge(predicted, on=group, how="left", validate="one_to_one")
    counts = counts.merge(mistakes.reset_index(), on=group, how="left", validate="one_to_one")
    return counts.fillna({"mistakes": ""})


def selection(selected: Tables, fits: Tables) -> pd.DataFrame:
    """Return how often a feature was selected for a class, its mean rank and mean distance."""
    table = _stack(selected, ["class", "feature", "rank", "distance"])
    group = table.groupby([*_KEY, "class", "feature"], sort=False)
    counts = group.agg(
        times=("rank", "size"), mean_rank=("rank", "mean"), mean_distance=("distance", "mean")
    ).reset_index()
    fitted = _stack(fits, ["status"]).query("status == 'ok'").groupby(_KEY).size()
    counts = counts.merge(fitted.reset_index(name="fits"), on=_KEY, how="left")
    counts["frequency"] = counts["times"] / counts["fits"]
    order = [*_KEY, "class", "frequency", "mean_rank", "feature"]
    ascending = [True, True, True, True, False, True, True]
    return counts.sort_values(order, ascending=ascending, ignore_index=True)


def stability(selected: Tables, fits: Tables, headers: Mapping[str, SeriesHeader]) -> pd.DataFrame:
    """Return Nogueira's stability of each class's set over folds, and of their union (class '')."""
    rows = []
    for key, table in selected.items():
        if table.empty:
            continue
        for label in ["", *headers[key[0]].classes]:
            chosen = table if label == "" else table[table["class"] == label]
            sets = _sets(chosen, fits[key])
            index = stability_index(sets, headers[key[0]].n_features)
            sizes = float(np.mean([len(s) for s in sets]))
            rows.append((*key, label, index.value, index.lower, index.upper, len(sets), sizes))
    columns = [*_KEY, "class", "stability", "lower", "upper", "sets", "mean_size"]
    return pd.DataFrame(rows, columns=columns)


def _sets(selected: pd.DataFrame, fits: pd.DataFrame) -> list[set[str]]:
    """Return the features selected in each fold that was fitted; the set may be empty."""
    places = pd.MultiIndex.from_frame(fits.query("status == 'ok'")[_FOLD])
    sets = selected.groupby(_FOLD)["feature"].agg(set).reindex(places)
    return [value if isinstance(value, set) else set() for value in sets]


def recovery(selected: Tables, fits: Tables, truth: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how many selected features were planted, and how many planted ones were selected.

    ``precision`` is the share of the features selected for any class that are planted markers,
    ``recall`` the share of planted markers that were selected, both as means over folds; a fold
    that selects nothing has a recall of 0 and no precision.
    """
    rows = []
    for key, table in selected.items():
        if key[0] not in truth or table.empty:
            continue
        planted = set(truth[key[0]].dropna(subset="class")["feature"])
        sets = pd.Series(_sets(table, fits[key]))
        hits = sets.map(lambda chosen, planted=planted: len(chosen & planted))
        sizes = sets.map(len).replace(0, np.nan)
        rows.append((*key, len(planted), (hits / sizes).mean(), (hits / len(planted)).mean()))
    return pd.DataFrame(rows, columns=[*_KEY, "planted", "precision", "recall"])


def seconds(fits: Tables) -> pd.DataFrame:
    """Return the median seconds of a fit and of a prediction."""
    table = _stack(fits, ["fit_seconds", "predict_seconds"])
    return table.groupby(_KEY, sort=False).median().reset_index()


def problems(fits: Tables) -> pd.DataFrame:
    """Return one row per failed fit and per fit with warnings: ``kind`` and ``text``."""
    table = _stack(fits, [*_FOLD, "error", "warnings"])
    long = table.melt([*_KEY, *_FOLD], var_name="kind", value_name="text")
    return long[long["text"] != ""].reset_index(drop=True)


def diagnostics(
    normality: pd.DataFrame, within: pd.DataFrame, dependence: pd.DataFrame, alpha: float
) -> dict[str, float]:
    """Return the ratios of Table 1 and what goes beyond it, for one data set.

    Parameters
    ----------
    normality : DataFrame
        ``feature``, ``W``, ``p`` over all samples.
    within : DataFrame
        ``class``, ``feature``, ``W``, ``p``.
    dependence : DataFrame
        ``feature``, ``partner``, ``r``, ``p``, ``dependent``.
    alpha : float
        Level of the normality test.
    """
    tested = within["p"].dropna()
    return {
        "non_normal_ratio": float((normality["p"] < alpha).mean()),
        "non_normal_ratio_fdr": _fdr_ratio(normality["p"], alpha),
        "non_normal_within_ratio": float((tested < alpha).mean()) if len(tested) else np.nan,
        "non_normal_within_ratio_fdr": _fdr_ratio(tested, alpha),
        "dependent_ratio": float(dependence["dependent"].mean()),
        "max_abs_r": float(dependence["r"].abs().max()),
    }


def _fdr_ratio(p: pd.Series, alpha: float) -> float:
    """Share of p-values below ``alpha`` after Benjamini and Hochberg's adjustment."""
    return float((benjamini_hochberg(p.to_numpy()) < alpha).mean()) if len(p) else np.nan


def _stack(tables: Tables, columns: list[str]) -> pd.DataFrame:
    """Put the given columns of all classifiers into one table, with their key."""
    parts = [
        table[columns].assign(**dict(zip(_KEY, key, strict=True))) for key, table in tables.items()
    ]
    if not parts:
        return pd.DataFrame(columns=[*_KEY, *columns])
    return pd.concat(parts, ignore_index=True)[[*_KEY, *columns]]
