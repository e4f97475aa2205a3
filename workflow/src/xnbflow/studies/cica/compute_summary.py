"""What the page tells of the simulations and folds: ratios of errors, descents, convergence."""

from collections.abc import Mapping

import pandas as pd

from xnbflow.studies.cica.contract import (
    CHOSEN_WIDTH,
    FAST_ICA,
    PAPERS_WIDTH,
    TABLES,
    UNTRANSFORMED,
)

__all__ = ["summarise"]

_SETTING = ["setting", "samples"]
#: The sources are left again where the recovery error grows to this multiple of its least.
_LEAVES = 1.5
#: Methods that may fail to converge.
_ITERATED = (PAPERS_WIDTH, CHOSEN_WIDTH, FAST_ICA)


def summarise(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Complete the tables of `xnbflow.studies.cica.compute`, and add those made of them.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        ``summary``, ``iterations``, ``fits`` and ``classification``, and others.

    Returns
    -------
    dict of str to DataFrame
        The given tables with the column that `xnbflow.studies.cica.contract` declares beyond the
        given ones, and ``descents``, ``convergence``, ``converged`` and ``accuracies``.
    """
    fits = tables["fits"]
    iterated = fits[fits["method"].isin(_ITERATED)] if len(fits) else fits
    made = {
        "summary": _with_shares(tables["summary"]),
        "descents": _descents(tables["iterations"]),
        "convergence": _convergence(iterated),
        "converged": _counted(iterated, ["method"]),
        "accuracies": _accuracies(tables["classification"]),
    }
    return {
        name: rows if len(rows) else pd.DataFrame(columns=TABLES[name].fixed)
        for name, rows in {**tables, **made}.items()
    }


def _with_shares(summary: pd.DataFrame) -> pd.DataFrame:
    """Add medians as shares of those without a transformation."""
    if summary.empty:
        return summary
    keys = [*_SETTING, "measure"]
    without = summary[summary["method"] == UNTRANSFORMED].set_index(keys)["median"]
    without = without.reindex(pd.MultiIndex.from_frame(summary[keys]))
    return summary.assign(of_untransformed=summary["median"] / without.to_numpy())


def _descents(iterations: pd.DataFrame) -> pd.DataFrame:
    """Return where each median begins, is least and ends, and whether it rises again."""
    if iterations.empty:
        return iterations
    ordered = iterations.sort_values("step", kind="stable")
    rows = []
    for key, path in ordered.groupby(["samples", "width", "measure"], sort=False):
        median = path["median"]
        least, last = median.min(), median.iloc[-1]
        at = path.loc[median.idxmin(), "step"]
        rows.append((*key, median.iloc[0], least, at, last, last > _LEAVES * least))
    return pd.DataFrame(rows, columns=TABLES["descents"].fixed)


def _counted(fits: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return how many runs converged."""
    if fits.empty:
        return fits
    groups = fits.assign(converged=fits["converged"].astype(int)).groupby(keys, sort=False)
    return (
        groups["converged"].agg(runs="size", converged_runs="sum", converged="mean").reset_index()
    )


def _convergence(fits: pd.DataFrame) -> pd.DataFrame:
    """Return median widths and steps, and how many runs converged, by setting and method."""
    if fits.empty:
        return fits
    keys = [*_SETTING, "method"]
    medians = fits.groupby(keys, sort=False)[["width", "steps"]].median()
    return medians.join(_counted(fits, keys).set_index(keys)).reset_index()


def _accuracies(classification: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation over folds, with and without CICA."""
    if classification.empty:
        return classification
    groups = classification.groupby(["dataset", "transformation"], sort=False)["accuracy"]
    return groups.agg(mean="mean", sd="std", folds="size").reset_index()
