"""What ClassSpecificNB reaches on real data, pooled over ten folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import StratifiedKFold
from unit.test_class_specific import REFERENCES

from xnbflow.naive_bayes import ClassSpecificNB
from xnbflow.sources.h5ad import read_h5ad
from xnbflow.sources.sheet import SheetRow


def figures(X, y):
    """Accuracy, balanced accuracy and log loss of the pooled predictions, mean of two repeats."""
    found = []
    for seed in range(2):
        predicted, losses = y.copy(), np.empty(len(y))
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y):
            model = ClassSpecificNB().fit(X[train], y[train])
            log_proba = model.predict_log_proba(X[test])
            predicted[test] = model.classes_[log_proba.argmax(axis=1)]
            true = np.searchsorted(model.classes_, y[test])
            losses[test] = -log_proba[np.arange(len(test)), true]
        recalls = [(predicted[y == c] == c).mean() for c in np.unique(y)]
        found.append([(predicted == y).mean(), np.mean(recalls), losses.mean()])
    return np.mean(found, axis=0)


@pytest.mark.parametrize(
    ("name", "accuracy"), [("khan", 0.97), ("chowdary", 0.95), ("alon", 0.86), ("golub", 0.93)]
)
def test_microarrays(shared_data, name, accuracy):
    frame = pd.read_csv(shared_data / "microarray" / f"{REFERENCES[name]}.csv.gz")
    X, y = frame.iloc[:, 2:].to_numpy(float), frame["type"].to_numpy(str)
    assert figures(X, y)[0] >= accuracy


def test_digits():
    assert figures(*load_digits(return_X_y=True))[0] >= 0.90


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_wine_at_any_scale(scale):
    X, y = load_wine(return_X_y=True)
    accuracy, _, loss = figures(X * scale, y)
    assert accuracy >= 0.97
    assert loss <= 0.07


@pytest.fixture
def cells(shared_data):
    pytest.importorskip("h5py", reason="needs the extra h5ad")
    row = SheetRow("pbmc", "table", label="bulk_labels", options={"matrix": "raw"})
    series = read_h5ad(shared_data / "singlecell" / "pbmc68k_reduced.h5ad", row)
    return series.values.T, series.labels


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
def test_single_cells(cells):
    accuracy, balanced, _ = figures(*cells)
    assert accuracy >= 0.78
    assert balanced >= 0.62
