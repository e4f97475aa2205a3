"""How accurate classifiers are on the development series: five folds, two seeds.

`python -m benchmarks accuracy` measures what is not yet measured and writes the means over series
and the accuracy by series into docs/methods/class-specific.md; with --all the figures by series and
seed, too (results/benchmarks/accuracy_by_series.tsv);
`python benchmarks/bench_accuracy.py --methods A B --series C` measures some of it. The predictions
of every series, seed and method are kept in results/benchmarks/accuracy: delete a file to measure
it again. The series are looked for in the folder XNBFLOW_DATA, or ../shared/data.
"""

import argparse
import re
import sys
import warnings
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd
from accuracy_page import PAGE, block
from accuracy_peers import peers
from accuracy_series import development_series
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from xnbflow.naive_bayes import ClassSpecificNBCV

CACHE = Path(__file__).parents[1] / "results" / "benchmarks" / "accuracy"
N_SPLITS = 5
SEEDS = (0, 1)
FIGURES = ["accuracy", "balanced_accuracy", "log_loss"]
#: A probability of 0 costs as much as this one.
_LEAST_PROBABILITY = 1e-15


def methods() -> dict[str, BaseEstimator]:
    """Return what is compared, by name."""
    ours = {
        "ClassSpecificNBCV, average": ClassSpecificNBCV(rule="average"),
        "ClassSpecificNBCV, one standard error": ClassSpecificNBCV(rule="one_standard_error"),
    }
    return ours | peers()


def predictions(
    name: str, X: np.ndarray, y: np.ndarray, seed: int, method: str, model: BaseEstimator
) -> pd.DataFrame:
    """Return the prediction for each sample by the fold that tests it, from the cache if there."""
    path = _file(name, seed, method)
    if path.is_file():
        return pd.read_parquet(path)
    labels = np.unique(y)
    table = pd.DataFrame({"true": y, "predicted": y, "fold": -1})
    proba = np.full((len(y), len(labels)), np.nan)
    folds = StratifiedKFold(N_SPLITS, shuffle=True, random_state=seed).split(X, y)
    for fold, (train, test) in enumerate(folds):
        fitted = clone(model).fit(X[train], y[train])
        table.loc[test, "predicted"] = fitted.predict(X[test])
        table.loc[test, "fold"] = fold
        if hasattr(fitted, "predict_proba"):
            proba[test] = fitted.predict_proba(X[test])
    for label, column in zip(labels, proba.T, strict=True):
        table[f"p({label})"] = column
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path, index=False)
    return table


def _file(name: str, seed: int, method: str) -> Path:
    return CACHE / (re.sub(r"\W+", "_", f"{name} {seed} {method}") + ".parquet")


def figures(table: pd.DataFrame) -> dict[str, float]:
    """Return accuracy, balanced accuracy and log loss in nats of pooled predictions."""
    proba = table.filter(regex=r"^p\(").to_numpy()
    labels = [name[2:-1] for name in table if name.startswith("p(")]
    measures = {
        "accuracy": float((table["true"] == table["predicted"]).mean()),
        "balanced_accuracy": float(balanced_accuracy_score(table["true"], table["predicted"])),
        "log_loss": np.nan,
    }
    if not np.isnan(proba).any():
        bounded = np.clip(proba, _LEAST_PROBABILITY, 1.0)
        bounded /= bounded.sum(axis=1)[:, None]
        measures["log_loss"] = float(log_loss(table["true"], bounded, labels=labels))
    return measures


def measured(
    names: Collection[str] = (), only: Collection[str] = (), *, stored: bool = False
) -> pd.DataFrame:
    """Return the figures per series, seed and method.

    Parameters
    ----------
    names, only : collection of str
        Series and methods; by default all.
    stored : bool
        Measure nothing, return what is kept.
    """
    rows = []
    series = development_series()
    models = {name: model for name, model in methods().items() if name in only or not only}
    for name, read in series.items():
        if names and name not in names:
            continue
        X, y = (np.empty(0), np.empty(0)) if stored else read()
        for seed in SEEDS:
            for method, model in models.items():
                if stored and not _file(name, seed, method).is_file():
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    table = predictions(name, X, y=y, seed=seed, method=method, model=model)
                rows.append({"series": name, "seed": seed, "method": method, **figures(table)})
                if not stored:
                    print(rows[-1], file=sys.stderr, flush=True)
    return pd.DataFrame(rows)


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over series of each figure, by method: both seeds, and each of them.

    ``cells`` counts the series and seeds; methods that lack some are not compared with the others.
    """
    both = table.groupby("method").agg(
        cells=("accuracy", "size"), **{f: (f, "mean") for f in FIGURES}
    )
    by_seed = table.pivot_table(index="method", columns="seed", values=FIGURES)
    by_seed.columns = [f"{figure}, seed {seed}" for figure, seed in by_seed.columns]
    return both.join(by_seed).sort_values("accuracy", ascending=False).reset_index()


def beside(table: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return the means of each peer, and of one method, over the cells that both have."""
    cells = ["series", "seed"]
    of_method = table[table["method"] == method].set_index(cells)[FIGURES]
    rows = []
    for peer, other in table[table["method"] != method].groupby("method"):
        of_peer = other.set_index(cells)[FIGURES]
        shared = of_method.index.intersection(of_peer.index)
        row = {"peer": peer, "cells": len(shared)}
        for figure in FIGURES:
            row[f"{figure}, peer"] = of_peer.loc[shared, figure].mean()
            row[figure] = of_method.loc[shared, figure].mean()
        rows.append(row)
    return pd.DataFrame(rows)


def rows() -> list[dict]:
    """Measure what is not kept, and return no rows: none is a time."""
    measured()
    return []


def details() -> dict[str, pd.DataFrame]:
    """Return the means and the figures by series, seed and method."""
    table = measured(stored=True)
    return {"accuracy": means(table), "accuracy_by_series": table}


def page() -> tuple[str, Path]:
    """Return the table of what is kept, and the page that holds it."""
    table = measured(stored=True)
    return block(means(table), table), PAGE


def main(words: list[str]) -> None:
    """Measure some of it, and print the means."""
    parser = argparse.ArgumentParser(prog="bench_accuracy")
    parser.add_argument("--methods", nargs="*", default=[])
    parser.add_argument("--series", nargs="*", default=[])
    parser.add_argument("--kept", action="store_true", help="measure nothing")
    arguments = parser.parse_args(words)
    table = measured(arguments.series, arguments.methods, stored=arguments.kept)
    for shown in (means(table), beside(table, "ClassSpecificNBCV, average")):
        print(shown.to_string(index=False, float_format="{:.3f}".format), "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
