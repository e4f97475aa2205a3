"""Predictions of all folds together: confusion, calibration, ROC curves, conformal sets."""

from collections.abc import Mapping

import pandas as pd

from xnbflow.evaluation.keyed_tables import (
    FOLD,
    KEY,
    Headers,
    Key,
    Tables,
    arrays,
    key_fields,
    stack,
)
from xnbflow.evaluation.metrics import roc_curves
from xnbflow.inference.calibration import calibration_curve
from xnbflow.inference.intervals import CROSS_VALIDATED, share_interval
from xnbflow.naive_bayes.conformal import ERROR_RATE
from xnbflow.tables.contract import GROUPS


def confusion(predictions: Tables) -> pd.DataFrame:
    """Return counts and shares of (true, predicted) class pairs over all folds and repeats."""
    table = stack(predictions, ["true", "predicted"])
    counts = table.groupby([*KEY, "true", "predicted"], sort=False).size()
    counts = counts.reset_index(name="count")
    tests = counts.groupby([*KEY, "true"], sort=False)["count"].transform("sum")
    return counts.assign(share=counts["count"] / tests)


def calibration(
    predictions: Tables, headers: Headers, inflations: Mapping[Key, float]
) -> pd.DataFrame:
    """Return the calibration curves of the classifiers with probabilities."""
    tables = {}
    for key, table in predictions.items():
        if table.empty:
            continue  # no fold could be fitted: without predictions there are no columns of classes
        header = headers[key[0]]
        true, _, log_posterior, classes = arrays(table, header)
        if log_posterior is None:
            continue
        groups = None
        if header.groups is not None:
            groups = header.groups[pd.Index(header.samples).get_indexer(table["sample"])]
        tables[key] = calibration_curve(
            true,
            log_posterior,
            classes,
            repeats=table["repeat"].nunique(),
            inflation=inflations.get(key, CROSS_VALIDATED),
            groups=groups,
        )
    return stack(tables, _columns_beside_key("calibration"))


def roc(predictions: Tables, fits: Tables, headers: Headers) -> pd.DataFrame:
    """Return the ROC curves of the classifiers that have probabilities and could be fitted."""
    tables = {}
    for key, table in predictions.items():
        if table.empty or (fits[key]["status"] != "ok").any():
            continue
        true, _, log_posterior, classes = arrays(table, headers[key[0]])
        if log_posterior is not None:
            folds = table.groupby(FOLD).ngroup().to_numpy()
            tables[key] = roc_curves(true, log_posterior, classes, folds)
    return stack(tables, _columns_beside_key("roc"))


def _columns_beside_key(name: str) -> list[str]:
    """Return the columns of a table of the study without data set, folds and classifier."""
    return [column for column in GROUPS["study"].tables[name].fixed if column not in KEY]


def sets(predictions: Tables, headers: Headers, inflations: Mapping[Key, float]) -> pd.DataFrame:
    """Return the coverage of the conformal sets, and their numbers of classes."""
    rows = []
    for key, table in predictions.items():
        header = headers[key[0]]
        groups = None if header.groups is None else pd.Series(header.groups, header.samples)
        for label, tests in table.dropna(subset="set_size").groupby("true"):
            covered = tests.groupby("sample")["covered"].mean()
            units = None if groups is None else groups[covered.index].to_numpy()
            inflation = inflations.get(key, CROSS_VALIDATED)
            coverage = share_interval(covered.to_numpy(), units, inflation=inflation)
            size = tests["set_size"]
            rows.append(
                {
                    **key_fields(key),
                    "class": label,
                    "level": 1.0 - ERROR_RATE,
                    "samples": len(covered),
                    "coverage": coverage.value,
                    "lower": coverage.lower,
                    "upper": coverage.upper,
                    "single": (size == 1).mean(),
                    "single_right": tests["covered"][size == 1].mean(),
                    "several": (size > 1).mean(),
                }
            )
    return pd.DataFrame(rows, columns=GROUPS["study"].tables["sets"].fixed)
