"""How accurate classifiers are on the development series: five folds, two seeds.

`python -m benchmarks accuracy` measures what is not yet measured and writes the means over series
into docs/methods/class-specific.md, and the accuracy by series into benchmarks/tables. The
predictions of every series, seed and method are kept in results/benchmarks/accuracy: delete a file
to measure it again. The series are in the folder XNBFLOW_DATA, or ../shared/data.
"""

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.accuracy_page import BY_SERIES, PAGE, block, by_series
from benchmarks.accuracy_peers import peers
from benchmarks.accuracy_series import development_series
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_wine
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from xnbflow.naive_bayes import ClassSpecificNBCV

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "accuracy"
N_SPLITS = 5
SEEDS = (0, 1)
#: Methods that are measured; all if empty.
ONLY: tuple[str, ...] = ()
SERIES = development_series
FIGURES = ["accuracy", "balanced_accuracy", "log_loss"]
#: A probability of 0 costs as much as this one.
_LEAST_PROBABILITY = 1e-15


def bundled_series() -> dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]]:
    """Return a data set that scikit-learn contains in place of the development series."""
    X, y = load_wine(return_X_y=True)
    return {"wine": lambda: (X, y.astype(str))}


#: Settings of a run that shows that the benchmark computes something.
SMALL = {"SERIES": bundled_series, "SEEDS": (0,), "ONLY": ("ridge", "shrunken centroids")}


def methods() -> dict[str, BaseEstimator]:
    """Return what is compared, by name."""
    ours = {
        "ClassSpecificNBCV, average": ClassSpecificNBCV(rule="average"),
        "ClassSpecificNBCV, decorrelation": ClassSpecificNBCV(decorrelation=0.2),
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
    return RESULTS / (re.sub(r"\W+", "_", f"{name} {seed} {method}") + ".parquet")


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


def measured(*, stored: bool = False) -> pd.DataFrame:
    """Return the figures per series, seed and method; with ``stored`` of what is kept alone."""
    rows = []
    models = {name: model for name, model in methods().items() if name in ONLY or not ONLY}
    for name, read in SERIES().items():
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


def details() -> dict[str, pd.DataFrame]:
    """Measure what is not kept; return the means, and the figures by series, seed and method."""
    table = measured()
    return {"accuracy": means(table), "accuracy_by_series": table}


def pages() -> list[tuple[str, Path]]:
    """Return the table of what is kept, and the page that contains it; write that by series."""
    table = measured(stored=True)
    by_series(table).to_csv(BY_SERIES, sep="\t")
    return [(block(means(table), table), PAGE)]
