"""The simulated microarray beside published ones: separation, correlation, and who is right."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from xnbflow.data.sources.simulate import simulate_series

FILES = [
    *("SRBCT_Khan2001", "Leukemia_Golub1999", "Colorectal_Alon1999"),
    *("BreastColon_Chowdary2006", "Ovary_GSE38666"),
]


@pytest.fixture(scope="module")
def real(shared_data):
    tables = {}
    for name in FILES:
        frame = pd.read_csv(shared_data / "microarray" / f"{name}.csv.gz")
        values = frame.drop(columns=["samples", "type"]).to_numpy(dtype=float)
        if values.max() > 100:  # not logarithms
            values = np.log2(np.maximum(values, 20))
        tables[name] = values[:, values.std(axis=0) > 0], frame["type"].to_numpy(dtype=str)
    return tables


@pytest.fixture(scope="module")
def simulated():
    shapes = [(83, 2300, 4), (72, 7000, 2), (62, 2000, 2), (104, 7000, 2), (130, 7000, 5)]
    tables = {}
    for seed, (n_samples, n_features, n_classes) in enumerate(shapes):
        series, _ = simulate_series("sim", n_samples, n_features, n_classes, seed)
        tables[seed] = series.values.T.copy(), series.labels
    return tables


def described(X, y):
    """What the generator was fitted to."""
    classes = np.unique(y)
    dof = len(y) - len(classes)
    residuals = X - np.stack([X[y == label].mean(axis=0) for label in y])
    residuals /= np.sqrt(np.sum(residuals**2, axis=0) / dof)
    variances, tails = [], []
    sd = np.sqrt(np.mean((X - np.stack([X[y == c].mean(axis=0) for c in y])) ** 2, axis=0))
    for label in classes:
        own = y == label
        d = (X[own].mean(axis=0) - X[~own].mean(axis=0)) / sd
        variances.append(np.mean(d**2) - 1 / own.sum() - 1 / (~own).sum())
        tails.append(np.mean(np.abs(d) > 2))
    shares = np.linalg.svd(residuals, compute_uv=False) ** 2
    shares /= shares.sum()
    return {
        "separation": np.mean(variances),
        "far genes": np.mean(tails),
        "first component": shares[0],
        "second component": shares[1],
        "kurtosis": np.median(stats.kurtosis(residuals, axis=0)),
    }


def test_the_simulation_lies_among_published_series(real, simulated):
    published = pd.DataFrame([described(*table) for table in real.values()])
    ours = pd.DataFrame([described(*table) for table in simulated.values()]).mean()
    for name in published:
        assert published[name].min() <= ours[name] <= published[name].max(), name
