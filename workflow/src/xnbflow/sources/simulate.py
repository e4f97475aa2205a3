"""Simulated series with known truth: class-specific markers, correlated blocks, other shapes.

The truth is drawn first and alone, so that it can be had without the values; both depend on nothing
but the shape and the seed.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.contract import TRUTH_TABLE
from xnbflow.seeds import derive_seed
from xnbflow.series import Series
from xnbflow.sources.sheet import DataSet
from xnbflow.tables import write_parquet

__all__ = ["load", "simulate_series", "simulate_truth", "write_truth"]

#: Features of a block share a factor; about half of the blocks do, the others are independent.
BLOCK_SIZE = 20
#: A feature's correlation with its block's factor; two features of a block correlate by its square.
LOADINGS = (0.75, 0.98)
#: Each class but the last has this many markers of its own (fewer where features are few).
MARKERS_PER_CLASS = 20
#: How far markers move their class, in standard deviations, from the strongest to the weakest.
EFFECTS = (3.5, 0.5)

SHAPES = ("normal", "skewed", "bimodal")
_SHAPE_SHARES = (0.5, 0.3, 0.2)
_SKEW = 0.6  # the logarithm's standard deviation of a skewed (log-normal) feature
_BIMODAL_SD = 0.8957724757  # of the cube root of a standard normal: sqrt(2^(1/3) Γ(5/6) / √π)
_ROWS_PER_CHUNK = 50 * BLOCK_SIZE


def simulate_truth(n_features: int, n_classes: int, seed: int) -> pd.DataFrame:
    """Draw what is true of each feature.

    Parameters
    ----------
    n_features, n_classes : int
        Shape of the series.
    seed : int
        Fixes everything.

    Returns
    -------
    DataFrame
        One row per feature: ``feature`` (its name), ``class`` (the one whose marker it is; missing
        for none), ``effect`` (shift of that class in standard deviations, 0 for none), ``block``
        (number of its correlated block, -1 for none), ``loading`` (correlation with the block's
        factor) and ``shape`` (normal, skewed or bimodal within a class).

    Examples
    --------
    >>> truth = simulate_truth(n_features=100, n_classes=2, seed=1)
    >>> float(truth[truth["class"] == "class_0"]["effect"].abs().max())
    3.5
    """
    rng = np.random.default_rng(derive_seed("truth", n_features, n_classes, seed))
    block = np.arange(n_features) // BLOCK_SIZE
    correlated = rng.random(block[-1] + 1) < 0.5
    loading = rng.uniform(*LOADINGS, n_features) * correlated[block]
    markers, effects = np.full(n_features, None, dtype=object), np.zeros(n_features)
    n_marked = n_classes - 1
    per_class = min(MARKERS_PER_CLASS, n_features // max(1, n_marked))
    chosen = rng.choice(n_features, n_marked * per_class, replace=False)
    markers[chosen] = np.repeat([class_name(code) for code in range(n_marked)], per_class)
    effects[chosen] = np.tile(np.geomspace(*EFFECTS, per_class), n_marked)
    effects[chosen] *= rng.choice([-1.0, 1.0], len(chosen))
    return pd.DataFrame(
        {
            "feature": feature_names(n_features),
            "class": markers,
            "effect": effects,
            "block": np.where(correlated[block], block, -1),
            "loading": loading,
            "shape": rng.choice(SHAPES, n_features, p=_SHAPE_SHARES),
        }
    )


def simulate_series(
    name: str, n_samples: int, n_features: int, n_classes: int, seed: int
) -> tuple[Series, pd.DataFrame]:
    """Draw a series whose truth is known.

    Within a class a feature is a monotone transform of a normal variable with unit variance, times
    a scale, plus a level such as logarithmic expression has. Markers shift one class.

    Parameters
    ----------
    name : str
        The data set's id.
    n_samples, n_features, n_classes : int
        Shape of the series; at least two samples per class.
    seed : int
        Fixes everything; the number of threads does not matter.

    Returns
    -------
    series : Series
    truth : DataFrame
        See `simulate_truth`.

    Examples
    --------
    >>> series, truth = simulate_series("toy", 20, 100, 2, seed=1)
    >>> series.values.shape, int((truth["class"] == "class_0").sum())
    ((100, 20), 20)
    """
    truth = simulate_truth(n_features, n_classes, seed)
    rng = np.random.default_rng(derive_seed("values", n_samples, n_features, n_classes, seed))
    codes = _draw_codes(n_samples, n_classes, rng)
    values = np.empty((n_features, n_samples))
    for start in range(0, n_features, _ROWS_PER_CHUNK):
        rows = slice(start, start + _ROWS_PER_CHUNK)
        _fill(values[rows], truth[rows], rng)
    labels = np.array([class_name(code) for code in range(n_classes)])[codes]
    marked = truth["effect"].to_numpy() != 0
    own = truth["class"].to_numpy()[marked, None] == labels
    values[marked] += own * truth["effect"].to_numpy()[marked, None]
    values *= rng.uniform(0.2, 1.0, (n_features, 1))
    values += rng.uniform(4.0, 12.0, (n_features, 1))
    samples = [f"sample_{number:04d}" for number in range(1, n_samples + 1)]
    return Series(name, values, truth["feature"].to_numpy(), samples, labels), truth


def load(dataset: DataSet, *_: object) -> Series:
    """Simulate the series of a row of the sheet, whose shape and ``seed`` say all."""
    return simulate_series(dataset.id, dataset.samples, *_shape_and_seed(dataset))[0]


def write_truth(dataset: DataSet, path: str | Path) -> None:
    """Write the truth of a simulated data set as a Parquet file.

    Parameters
    ----------
    dataset : DataSet
        A row of the sheet with source ``simulate``.
    path : path
        Where to write.
    """
    write_parquet(simulate_truth(*_shape_and_seed(dataset)), path, TRUTH_TABLE)


def class_name(code: int) -> str:
    """Return the label of a simulated class."""
    return f"class_{code}"


def feature_names(n_features: int) -> np.ndarray:
    """Return the names of simulated features, shape (n_features,)."""
    return np.char.mod("probe_%06d", np.arange(1, n_features + 1))


def _shape_and_seed(dataset: DataSet) -> tuple[int, int, int]:
    seed = int(dataset.options.get("seed", derive_seed(dataset.id)))
    return dataset.features, dataset.classes, seed


def _draw_codes(n_samples: int, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    """Return class codes in random order; the first class is about twice as large as the last."""
    edges = np.cumsum(np.linspace(2.0, 1.0, n_classes))
    codes = np.searchsorted(edges / edges[-1], (np.arange(n_samples) + 0.5) / n_samples)
    return rng.permutation(codes)


def _fill(values: np.ndarray, truth: pd.DataFrame, rng: np.random.Generator) -> None:
    """Draw a chunk of whole blocks, unit variance within classes, shape (n_rows, n_samples)."""
    n_rows, n_samples = values.shape
    rng.standard_normal(out=values)
    factors = rng.standard_normal((-(-n_rows // BLOCK_SIZE), n_samples))
    loading = truth["loading"].to_numpy()[:, None]
    values *= np.sqrt(1.0 - loading**2)
    values += loading * np.repeat(factors, BLOCK_SIZE, axis=0)[:n_rows]
    shape = truth["shape"].to_numpy()
    skewed, bimodal = shape == "skewed", shape == "bimodal"
    variance = _SKEW**2
    center, sd = np.exp(variance / 2), np.sqrt(np.expm1(variance) * np.exp(variance))
    values[skewed] = (np.exp(_SKEW * values[skewed]) - center) / sd
    values[bimodal] = np.cbrt(values[bimodal]) / _BIMODAL_SD
