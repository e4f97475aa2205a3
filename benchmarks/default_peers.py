"""How right and how fast peers of `xnbflow study` are, on the development series of XNBFLOW_DATA.

`python -m benchmarks.default_peers` prints the means over the series, and the gain of shrunken
centroids over the forest by series: five stratified folds with each of two seeds.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifierCV
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.naive_bayes import ShrunkenCentroids

SEEDS = (0, 1)
PEERS = {
    "shrunken centroids": ShrunkenCentroids(),
    "ridge": make_pipeline(StandardScaler(), RidgeClassifierCV(np.logspace(-2, 6, 9))),
    "forest of 300": RandomForestClassifier(300, random_state=0),
}


def measured(X: np.ndarray, y: np.ndarray, seed: int) -> pd.DataFrame:
    """Return accuracy, balanced accuracy and processor seconds of each peer on one series."""
    rows = []
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
    for name, peer in PEERS.items():
        predicted = y.copy()
        start = time.process_time()
        for train, test in folds:
            predicted[test] = clone(peer).fit(X[train], y[train]).predict(X[test])
        rows.append(
            {
                "peer": name,
                "accuracy": np.mean(predicted == y),
                "balanced accuracy": balanced_accuracy_score(y, predicted),
                "processor seconds": time.process_time() - start,
            }
        )
    return pd.DataFrame(rows)


def main(_words: list[str]) -> None:
    """Measure all series, and print the means."""
    sys.path.insert(0, str(Path(__file__).parent))
    from accuracy_series import development_series  # noqa: PLC0415  found beside this file

    warnings.simplefilter("ignore", UserWarning)  # a threshold at which no feature is left
    tables = []
    for name, read in development_series().items():
        X, y = read()
        tables += [measured(X, y, seed).assign(series=name, seed=seed) for seed in SEEDS]
        print(name, X.shape, flush=True)
    table = pd.concat(tables)
    means = table.groupby("peer")[["accuracy", "balanced accuracy", "processor seconds"]].mean()
    print(means.round(3).to_string())
    by_series = table.groupby(["series", "peer"])["accuracy"].mean().unstack()
    gain = by_series["shrunken centroids"] - by_series["forest of 300"]
    print(gain.describe().round(3).to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
