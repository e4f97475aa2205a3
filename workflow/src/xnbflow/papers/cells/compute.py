"""Markers of types of cells: found inside training folds, and judged by one common classifier."""

import time
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import folds_of_repeat
from xnbflow.papers.cells.entries import ANALYSIS
from xnbflow.papers.cells.markers import Finder, Training, finders
from xnbflow.papers.common.repeats import check_complete
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
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for data in series.values():
        check_complete(data, "cells", params["splits"])
        for finder in finders(params["top"], params["trees"], max(1, threads)):
            for name, rows_of_method in _judge(data, finder, params).items():
                rows[name] += rows_of_method
    return {name: table_of(rows[name], table) for name, table in TABLES.items()}


def _judge(
    data: DataSet, finder: Finder, params: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a method, by table.

    A method of another package that is missing or fails has a row without figures, with the reason.
    """
    status = "ok"
    reason = ""
    tables: dict[str, list[dict[str, Any]]] = {
        "methods": [dict.fromkeys(TABLES["methods"].fixed, np.nan)]
    }
    if finder.missing:
        status = "skipped"
        reason = finder.missing
    else:
        try:
            tables = _cross_validate(data, finder, params["splits"], params["repeats"])
        except Exception as error:
            # a failure of our own methods is a defect, that of another package is a result
            if not finder.package or isinstance(error, MemoryError):
                raise
            status = "failed"
            reason = f"{type(error).__name__}: {error}"
    tables["methods"][0] |= {
        "status": status,
        "reason": reason,
        "version": finder.version,
        "cells": data.n_samples,
        "types": len(data.classes),
        "donors": 0 if data.groups is None else len(np.unique(data.groups)),
        "folds": params["splits"],
        "repeats": params["repeats"],
    }
    key = {"dataset": data.name, "method": finder.name}
    for rows in tables.values():
        for row in rows:
            row.update(key)
    return tables


@dataclass(frozen=True, kw_only=True)
class _Fold:
    """The markers of one fold's training cells, and which of its test cells are right.

    Attributes
    ----------
    test : ndarray of bool, shape (n_cells,)
        The test cells.
    correct, correct_by_method : ndarray of bool, shape (n_tested,)
        Whether the common classifier, and the method itself, predict a test cell's type; None where
        the method is no classifier.
    counts : ndarray of shape (n_types,)
        Markers of each type; NaN for a type without training cells.
    n_genes : int
        Number of markers of all types together.
    markers : list of tuple
        Type and gene of each marker, as positions.
    seconds : float
        Time of finding the markers.
    """

    test: np.ndarray
    correct: np.ndarray
    correct_by_method: np.ndarray | None
    counts: np.ndarray
    n_genes: int
    markers: list[tuple[int, int]]
    seconds: float


def _cross_validate(
    data: DataSet, finder: Finder, n_splits: int, n_repeats: int
) -> dict[str, list[dict[str, Any]]]:
    """Return the results of a method over all folds, by table."""
    codes = np.searchsorted(data.classes, data.labels)
    n_cells_of_type = np.bincount(codes)
    recalls = []
    accuracies = []
    method_accuracies = []
    folds: list[_Fold] = []
    for repeat in range(n_repeats):
        correct = np.zeros(data.n_samples, dtype=bool)
        correct_by_method = np.zeros(data.n_samples, dtype=bool)
        for _, rows in folds_of_repeat(data, n_splits, repeat).groupby("fold"):
            fold = _fold(data, finder, codes, np.isin(data.samples, rows["sample"]))
            correct[fold.test] = fold.correct
            if fold.correct_by_method is not None:
                correct_by_method[fold.test] = fold.correct_by_method
            folds.append(fold)
        # In a repeat each cell is tested once: right cells of a type over all cells of the type.
        recalls.append(np.bincount(codes, correct, len(data.classes)) / n_cells_of_type)
        accuracies.append(float(correct.mean()))
        is_classifier = folds[-1].correct_by_method is not None
        method_accuracies.append(float(correct_by_method.mean()) if is_classifier else np.nan)
    counts = np.array([fold.counts for fold in folds])
    figures = {
        "accuracy": float(np.mean(accuracies)),
        "balanced_accuracy": float(np.mean(recalls)),
        "own_accuracy": float(np.mean(method_accuracies)),
        "genes": float(np.mean([fold.n_genes for fold in folds])),
        "genes_per_type": float(np.nanmean(counts)),
        "types_without": float((counts == 0).sum(axis=1).mean()),
        "seconds": float(np.mean([fold.seconds for fold in folds])),
    }
    by_type = pd.DataFrame(
        {
            "type": data.classes,
            "cells": n_cells_of_type,
            "recall": np.mean(recalls, axis=0),
            "genes": np.nanmean(counts, axis=0),
        }
    )
    return {
        "methods": [figures],
        "recalls": by_type.to_dict("records"),
        "markers": _markers(data, folds),
    }


def _fold(data: DataSet, finder: Finder, codes: np.ndarray, test: np.ndarray) -> _Fold:
    """Find markers in the training cells of a fold, and predict its test cells from them."""
    train = ~test
    start = time.perf_counter()
    selection = _find_markers(data, finder, codes, train)
    seconds = time.perf_counter() - start
    used = np.unique(np.concatenate(selection.columns)).astype(int)
    correct_by_method = None
    if selection.model is not None:
        predicted = selection.model.predict(np.ascontiguousarray(data.values[:, test].T))
        correct_by_method = selection.present[predicted] == codes[test]
    counts = np.full(len(data.classes), np.nan)
    counts[selection.present] = [len(columns) for columns in selection.columns]
    markers = []
    for label, columns in zip(selection.present, selection.columns, strict=True):
        markers += [(int(label), int(gene)) for gene in columns]
    return _Fold(
        test=test,
        correct=_predict(data.values[used].T, codes, train) == codes[test],
        correct_by_method=correct_by_method,
        counts=counts,
        n_genes=len(used),
        markers=markers,
        seconds=seconds,
    )


def _markers(data: DataSet, folds: list[_Fold]) -> list[dict[str, Any]]:
    """Return the rows of the table ``markers``, the most frequent of each type first.

    A method that takes every gene in every fold has none.
    """
    if min(fold.n_genes for fold in folds) == data.n_features:
        return []
    n_folds_with: Counter[tuple[int, int]] = Counter()
    for fold in folds:
        n_folds_with.update(fold.markers)
    ordered = sorted(n_folds_with.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    rows = []
    for (label, gene), n_folds in ordered:
        rows.append(
            {
                "type": data.classes[label],
                "gene": data.features[gene],
                "folds": n_folds,
                "share": n_folds / len(folds),
            }
        )
    return rows


class _FoundMarkers(NamedTuple):
    """The types that train, the columns of the markers of each, and the method's own model."""

    present: np.ndarray
    columns: list[np.ndarray]
    model: Any


def _find_markers(
    data: DataSet, finder: Finder, codes: np.ndarray, train: np.ndarray
) -> _FoundMarkers:
    """Return the markers that a method finds in the training cells."""
    present, codes_of_present = np.unique(codes[train], return_inverse=True)
    training = Training(
        features=data.values[:, train],
        genes=np.array(data.features, dtype=object),
        codes=codes_of_present,
        types=data.classes[present].astype(str),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other packages; types without a marker are counted
        columns, model = finder.find(training)
    return _FoundMarkers(present, columns, model)


def _predict(X: np.ndarray, codes: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Return the common classifier's predictions for the test cells."""
    if not X.shape[1]:  # no markers at all: the most frequent type
        return np.full((~train).sum(), np.bincount(codes[train]).argmax())
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    with threadpool_limits(1):
        return model.fit(X[train], codes[train]).predict(X[~train])
