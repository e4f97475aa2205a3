"""Markers of types of cells: found inside training folds, and judged by one common classifier."""

import time
import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds, folds_of_repeat
from xnbflow.papers.cells.entries import ANALYSIS
from xnbflow.papers.cells.markers import Finder, Training, finders
from xnbflow.tables.contract import analysis_tables
from xnbflow.tables.storage import table_of

TABLES = analysis_tables(ANALYSIS)

#: The analysis's parameters; `analyse` explains them.
DEFAULTS = {"splits": 5, "repeats": 1, "top": 5, "trees": 1000}


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Find markers in every fold's training cells, and predict the types of its others from them.

    Values are log counts, of which none may be missing. Where cells have groups (donors), none is
    on both sides of a fold. Folds, ``splits`` and ``repeats``, are those that a study with as many
    draws; rankings give ``top`` genes per type; ``trees`` are NS-Forest's.

    The common classifier is a logistic regression (l2, C = 1) on standardised genes, the union of
    all types' markers. NS-Forest is an extra: where it is not installed, its row has a note.
    Seconds are of finding the markers alone, in one process.
    """
    params = {**DEFAULTS, **params}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for data in series.values():
        if np.isnan(data.values).any():
            msg = f"{data.name}: the analysis 'cells' takes no missing values; leave it out"
            raise InputError(msg)
        draw_folds(data, params["splits"], 1)  # refuses what cannot be split
        for finder in finders(params["top"], params["trees"], max(1, threads)):
            for name, rows in _judge(data, finder, params).items():
                found[name] += rows
    return {name: table_of(found[name], table) for name, table in TABLES.items()}


def _judge(
    data: DataSet, finder: Finder, params: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a method, by table."""
    about = {
        "cells": data.n_samples,
        "types": len(data.classes),
        "donors": 0 if data.groups is None else len(np.unique(data.groups)),
        "folds": params["splits"],
        "repeats": params["repeats"],
    }
    key = {"dataset": data.name, "method": finder.name}
    status, found = {"status": "skipped", "reason": finder.missing}, {}
    if not finder.missing:
        try:
            found = _cross_validate(data, finder, params["splits"], params["repeats"])
            status = {"status": "ok", "reason": ""}
        except Exception as error:
            if not finder.package or isinstance(error, MemoryError):
                raise
            status = {"status": "failed", "reason": f"{type(error).__name__}: {error}"}
    (figures,) = found.pop("methods", [dict.fromkeys(TABLES["methods"].fixed, np.nan)])
    rows = {"methods": [figures | status | {"version": finder.version} | about], **found}
    return {table: [row | key for row in own] for table, own in rows.items()}


def _cross_validate(
    data: DataSet, finder: Finder, splits: int, repeats: int
) -> dict[str, list[dict[str, Any]]]:
    """Return the results of a method over all folds, by table."""
    codes = np.searchsorted(data.classes, data.labels)
    n_types = len(data.classes)
    recalls, accuracies, own_accuracies = [], [], []
    counts, genes, seconds = [], [], []
    chosen: Counter[tuple[int, int]] = Counter()
    for repeat in range(repeats):
        right = np.zeros(data.n_samples, dtype=bool)
        own = np.zeros(data.n_samples, dtype=bool)
        for _, rows in folds_of_repeat(data, splits, repeat).groupby("fold"):
            test = np.isin(data.samples, rows["sample"])
            start = time.perf_counter()
            present, columns, model = _found(data, finder, codes, ~test)
            seconds.append(time.perf_counter() - start)
            used = np.unique(np.concatenate(columns)).astype(int)
            right[test] = _predict(data.values[used].T, codes, ~test) == codes[test]
            if model is not None:
                predicted = model.predict(np.ascontiguousarray(data.values[:, test].T))
                own[test] = present[predicted] == codes[test]
            count = np.full(n_types, np.nan)
            count[present] = [len(each) for each in columns]
            counts.append(count)
            genes.append(len(used))
            pairs = zip(present, columns, strict=True)
            chosen.update((int(k), int(gene)) for k, mine in pairs for gene in mine)
        recalls.append(np.bincount(codes, right, n_types) / np.bincount(codes))
        accuracies.append(float(right.mean()))
        own_accuracies.append(float(own.mean()) if model is not None else np.nan)
    figures = {
        "accuracy": float(np.mean(accuracies)),
        "balanced_accuracy": float(np.mean(recalls)),
        "own_accuracy": float(np.mean(own_accuracies)),
        "genes": float(np.mean(genes)),
        "genes_per_type": float(np.nanmean(counts)),
        "types_without": float((np.array(counts) == 0).sum(axis=1).mean()),
        "seconds": float(np.mean(seconds)),
    }
    by_type = pd.DataFrame(
        {
            "type": data.classes,
            "cells": np.bincount(codes),
            "recall": np.mean(recalls, axis=0),
            "genes": np.nanmean(counts, axis=0),
        }
    )
    if min(genes) == data.n_features:  # of a method that takes every gene
        chosen.clear()
    markers = _markers(data, chosen, len(genes))
    return {"methods": [figures], "recalls": by_type.to_dict("records"), "markers": markers}


def _markers(data: DataSet, chosen: Counter[tuple[int, int]], n_fits: int) -> list[dict[str, Any]]:
    """Return the rows of the table ``markers``, the most frequent of each type first."""
    ordered = sorted(chosen.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    return [
        {
            "type": data.classes[label],
            "gene": data.features[gene],
            "folds": folds,
            "share": folds / n_fits,
        }
        for (label, gene), folds in ordered
    ]


def _found(
    data: DataSet, finder: Finder, codes: np.ndarray, train: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray], Any]:
    """Return the types that train, the columns of their markers, and the method's own model."""
    present, inner = np.unique(codes[train], return_inverse=True)
    types = data.classes[present].astype(str)
    training = Training(data.values[:, train], np.array(data.features, dtype=object), inner, types)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other packages; types without a marker are counted
        columns, model = finder.find(training)
    return present, columns, model


def _predict(X: np.ndarray, codes: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Return the common classifier's predictions for the test cells."""
    if not X.shape[1]:  # no markers at all: the most frequent type
        return np.full((~train).sum(), np.bincount(codes[train]).argmax())
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    with threadpool_limits(1):
        return model.fit(X[train], codes[train]).predict(X[~train])
