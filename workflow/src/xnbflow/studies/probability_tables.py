"""Predictions of all folds together: confusion, calibration, ROC curves, conformal sets."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from xnbflow.evaluation.keyed_tables import FOLD, KEY, Headers, Key, Tables, arrays, named, stack
from xnbflow.evaluation.metrics import roc_curves
from xnbflow.inference.calibration import calibration_curve, confidence_table
from xnbflow.inference.intervals import CROSS_VALIDATED, share_interval
from xnbflow.naive_bayes.conformal import ERROR_RATE
from xnbflow.tables.contract import STUDY_TABLES


def confusion(predictions: Tables) -> pd.DataFrame:
    """Return counts and shares of (true, predicted) class pairs over all folds and repeats."""
    table = stack(predictions, ["true", "predicted"])
    counts = table.groupby([*KEY, "true", "predicted"], sort=False).size()
    counts = counts.reset_index(name="count")
    tests = counts.groupby([*KEY, "true"], sort=False)["count"].transform("sum")
    return counts.assign(share=counts["count"] / tests)


def probabilities(
    name: str, predictions: Tables, headers: Headers, inflations: Mapping[Key, float]
) -> pd.DataFrame:
    """Return the table ``calibration`` or ``confidence`` of the classifiers with probabilities."""
    make: Callable[..., pd.DataFrame]
    make = calibration_curve if name == "calibration" else confidence_table
    tables = {}
    for key, table in predictions.items():
        if table.empty:
            continue  # no fold could be fitted: without predictions there are no columns of classes
        header = headers[key[0]]
        true, _, log_posterior, classes = arrays(table, header)
        if log_posterior is None:
            continue
        given: dict[str, Any] = {"inflation": inflations.get(key, CROSS_VALIDATED)}
        if header.groups is not None:
            places = pd.Index(header.samples).get_indexer(table["sample"])
            given["groups"] = header.groups[places]
        tables[key] = make(true, log_posterior, classes, repeats=table["repeat"].nunique(), **given)
    return stack(tables, [each for each in STUDY_TABLES[name].fixed if each not in KEY])


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
    return stack(tables, [each for each in STUDY_TABLES["roc"].fixed if each not in KEY])


def sets(predictions: Tables, headers: Headers, inflations: Mapping[Key, float]) -> pd.DataFrame:
    """Return the coverage of the conformal sets, and their numbers of classes."""
    rows = []
    for key, table in predictions.items():
        header = headers[key[0]]
        groups = None if header.groups is None else pd.Series(header.groups, header.samples)
        for label, own in table.dropna(subset="set_size").groupby("true"):
            covered = own.groupby("sample")["covered"].mean()
            units = None if groups is None else groups[covered.index].to_numpy()
            found = share_interval(covered.to_numpy(), units, inflations.get(key, CROSS_VALIDATED))
            size = own["set_size"]
            rows.append(
                named(key)
                | {"class": label, "level": 1.0 - ERROR_RATE, "samples": len(covered)}
                | {"coverage": found.value, "lower": found.lower, "upper": found.upper}
                | {"single": (size == 1).mean(), "single_right": own["covered"][size == 1].mean()}
                | {"several": (size > 1).mean()}
            )
    return pd.DataFrame(rows, columns=STUDY_TABLES["sets"].fixed)
