"""Counts that a page shows and no other table holds: p-values by bin, hard samples, averages."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

__all__ = ["averages", "hard_samples", "misclassified", "p_values"]

_BINS = 20


def p_values(normality: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how the p-values of the normality test are distributed.

    Parameters
    ----------
    normality : mapping of data set to DataFrame
        ``p`` of every feature; missing where it could not be tested.

    Returns
    -------
    DataFrame
        ``dataset``, ``lower``, ``upper``, ``features``, ``share`` per bin.
    """
    edges = np.linspace(0, 1, _BINS + 1)
    parts = [
        pd.DataFrame({"dataset": name, "lower": edges[:-1], "upper": edges[1:], "features": counts})
        for name, table in normality.items()
        for counts in [np.histogram(table["p"].dropna(), edges)[0]]
    ]
    columns = ["dataset", "lower", "upper", "features", "share"]
    if not parts:
        return pd.DataFrame(columns=columns)
    table = pd.concat(parts, ignore_index=True)
    sums = table.groupby("dataset")["features"].transform("sum").clip(lower=1)
    return table.assign(share=table["features"] / sums)[columns]


def hard_samples(samples: pd.DataFrame) -> pd.DataFrame:
    """Return how many samples so many classifiers get wrong, in more than half of the repeats.

    Parameters
    ----------
    samples : DataFrame
        The study's table, with ``dataset``, ``folds``, ``sample``, ``tested`` and ``wrong``.

    Returns
    -------
    DataFrame
        ``dataset``, ``folds``, ``classifiers`` (how many are wrong), ``samples``, ``share``.
    """
    place = ["dataset", "folds"]
    wrong = _mostly_wrong(samples).groupby([*place, "sample"], sort=False)["mostly"].sum()
    counts = wrong.rename("classifiers").reset_index().groupby([*place, "classifiers"]).size()
    table = counts.reset_index(name="samples")
    share = table["samples"] / table.groupby(place)["samples"].transform("sum")
    return table.assign(share=share.astype(float))


def _mostly_wrong(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``mostly``: whether a classifier is wrong in more than half of the repeats."""
    return samples.assign(mostly=2 * samples["wrong"] > samples["tested"])


def misclassified(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that at least one classifier gets wrong at least once.

    Parameters
    ----------
    samples : DataFrame
        The study's table.

    Returns
    -------
    DataFrame
        ``dataset``, ``folds``, ``sample``, ``true``, ``wrong_by`` (classifiers that are wrong in
        more than half of the repeats), ``wrong`` and ``tested`` (times, of all classifiers); of
        each data set those wrong by most come first, then those that are wrong most often.
    """
    groups = _mostly_wrong(samples).groupby(["dataset", "folds", "sample", "true"], sort=False)
    sums = groups[["mostly", "wrong", "tested"]].sum().astype(int).reset_index()
    sums = sums[sums["wrong"] > 0].rename(columns={"mostly": "wrong_by"})
    order = ["dataset", "folds", "wrong_by", "wrong"]
    ascending = [True, True, False, False]
    return sums.sort_values(order, ascending=ascending, kind="stable", ignore_index=True)


def averages(summary: pd.DataFrame, seconds: pd.DataFrame) -> pd.DataFrame:
    """Return each classifier's means over the data sets where every classifier could be fitted.

    A classifier that could be fitted nowhere does not count; where no data set is left, all do.

    Parameters
    ----------
    summary, seconds : DataFrame
        The study's tables.

    Returns
    -------
    DataFrame
        ``classifier``, ``accuracy``, ``balanced_accuracy``, ``places`` (pairs of data set and folds
        in the means), ``wins`` (in how many of all its accuracy to three decimals is the greatest,
        ties counted for all) and ``fit_seconds`` (median over data sets).
    """
    columns = ["classifier", "accuracy", "balanced_accuracy", "places", "wins", "fit_seconds"]
    complete = summary[summary["folds_failed"] == 0]
    if complete.empty:
        return pd.DataFrame(columns=columns)
    wide = complete.pivot_table(
        index=["dataset", "folds"], columns=["metric", "classifier"], values="mean", dropna=False
    )
    accuracy = wide["accuracy"].dropna(axis="columns", how="all")
    shared = accuracy.dropna().index
    shared = shared if len(shared) else accuracy.index
    rounded = accuracy.round(3)
    table = pd.DataFrame(
        {
            "accuracy": accuracy.loc[shared].mean(),
            "balanced_accuracy": wide["balanced_accuracy"].loc[shared].mean(),
            "places": len(shared),
            "wins": rounded.eq(rounded.max(axis=1), axis=0).sum(),
            "fit_seconds": seconds.groupby("classifier")["fit_seconds"]
            .median()
            .reindex(accuracy.columns),
        }
    )
    order = [name for name in summary["classifier"].unique() if name in accuracy]
    return table.loc[order].rename_axis("classifier").reset_index()[columns]
