"""Simulated series with known truth: thousands of weakly differential genes in modules.

The few numbers of the generator were fitted to five published microarrays: how far a class differs
from the rest (variance and tails, over genes, of the standardised difference of means), how much of
the variance within classes the greatest principal components hold, what single genes look like
within classes, and how classifiers rank. The acceptance tests compare both where the data are.

The truth is drawn first, so that it is available without the values; both depend only on the shape
and the seed.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import write_parquet

#: Genes of a module share a factor.
MODULE_SIZE = 40
#: A gene's correlation with its module's factor; its sign is random.
LOADINGS = (0.1, 0.8)
#: Share of the variance within classes that factors of all genes hold, mean over genes.
FACTORS = (0.13, 0.08, 0.05, 0.03, 0.02)
#: Share of the modules that a class regulates; each is regulated by one class.
REGULATED = 0.75
#: Variance over genes of the difference of a class from the rest, in standard deviations; what
#: purity blurs brings it to about .25.
SEPARATION = 0.3
#: Share of the variance of effects that is common to the genes of a module (normal); the rest is
#: specific to a gene (Laplace, so that a few effects are strong).
SHARED_EFFECT = 0.5
#: Least and greatest purity of a sample, since samples are mixtures of tissues.
PURITY = (0.1, 1.0)
#: Standard deviation, over genes, of the shift of a batch, in standard deviations within classes. A
#: batch is then about as strong as the strongest factor of all genes.
BATCH_SHIFT = 0.75
#: Standard deviation, over genes, of the shift of a cohort, in standard deviations within classes.
COHORT_SHIFT = 0.25

SHAPES = ("normal", "skewed", "left-skewed", "bimodal")
#: Shares of the features with each of `SHAPES`.
_SHAPE_SHARES = (0.6, 0.15, 0.2, 0.05)
#: The logarithm's standard deviation of a skewed (log-normal) feature.
_SKEW = 0.4
#: Standard deviation of the cube root of a standard normal: sqrt(2^(1/3) Γ(5/6) / √π).
_BIMODAL_SD = 0.8957724757
#: Largest share of a gene's variance that factors explain.
_MOST_EXPLAINED = 0.9
#: Genes that are drawn at a time.
_ROWS_PER_CHUNK = 25 * MODULE_SIZE


def _simulate_truth(n_features: int, n_classes: int, seed: int) -> pd.DataFrame:
    """Draw the true properties of each feature, a row per feature.

    ``class`` is the one that regulates it (missing for none), ``effect`` the shift of that class in
    standard deviations (0 for none), ``block`` the number of its module, ``loading`` the
    correlation with the module's factor, ``factor_1`` to ``factor_5`` those with the factors of all
    features, and ``shape`` (normal, skewed, left-skewed or bimodal) that within a class.

    Examples
    --------
    >>> truth = _simulate_truth(n_features=4000, n_classes=2, seed=1)
    >>> round(float(truth["class"].notna().mean()), 2)  # of 100 modules
    0.7
    """
    rng = np.random.default_rng(derive_seed("truth", n_features, n_classes, seed))
    block = np.arange(n_features) // MODULE_SIZE
    n_blocks = block[-1] + 1
    loading = rng.uniform(*LOADINGS, n_features) * rng.choice([-1.0, 1.0], n_features)
    common = rng.standard_normal((n_features, len(FACTORS))) * np.sqrt(FACTORS)
    explained = np.sum(common**2, axis=1) + loading**2
    scale = np.sqrt(np.minimum(1.0, _MOST_EXPLAINED / explained))
    regulator = rng.integers(n_classes, size=n_blocks)[block]
    regulated = (rng.random(n_blocks) < REGULATED)[block]
    shared = np.sign(loading) * rng.standard_normal(n_blocks)[block]
    individual = rng.laplace(scale=np.sqrt(0.5), size=n_features)
    effects = np.sqrt(SHARED_EFFECT) * shared + np.sqrt(1 - SHARED_EFFECT) * individual
    # The contrast of a class contains its own regulated genes and, in part, those of the others.
    effects *= np.sqrt(SEPARATION * (n_classes - 1) / REGULATED)
    names = np.array([f"class_{code}" for code in range(n_classes)], dtype=object)
    factors = {f"factor_{k + 1}": scale * common[:, k] for k in range(len(FACTORS))}
    return pd.DataFrame(
        {
            "feature": np.char.mod("probe_%06d", np.arange(1, n_features + 1)),
            "class": np.where(regulated, names[regulator], None),
            "effect": np.where(regulated, effects, 0.0),
            "block": block,
            "loading": scale * loading,
            **factors,
            "shape": rng.choice(SHAPES, n_features, p=_SHAPE_SHARES),
        }
    )


def simulate_series(
    name: str,
    n_samples: int,
    n_features: int,
    n_classes: int,
    seed: int,
    *,
    n_batches: int = 1,
    cohort: int | None = None,
    scale: str = "",
) -> tuple[DataSet, pd.DataFrame]:
    """Draw a series whose truth (`_simulate_truth`) is known; return both.

    Within a class a feature is a monotone transform of a normal variable with unit variance, times
    a scale, plus a level such as logarithmic expression has. Regulated genes shift one class. The
    number of threads does not matter; a class needs at least two samples.

    Parameters
    ----------
    name : str
    n_samples, n_features, n_classes, seed : int
    n_batches : int, default=1
        With several, the phenotype has the column ``batch``, and each batch but the first shifts
        all genes (`BATCH_SHIFT`). A class has twice as many samples in the batch of its number as
        in each other one, so that batches and classes are associated.
    cohort : int, optional
        Series of one seed and shape with different cohorts measure the same genes: truth, scales
        and levels are common to them, and each cohort shifts all genes (`COHORT_SHIFT`). Without a
        cohort, scales and levels depend on the number of samples.
    scale : {"", "log2", "ln", "log10"}
        The scale of the values; see `DataSet`.

    Examples
    --------
    >>> series, truth = simulate_series("toy", 20, 100, 2, seed=1)
    >>> series.values.shape, series.classes.tolist(), len(truth)
    ((100, 20), ['class_0', 'class_1'], 100)
    """
    truth = _simulate_truth(n_features, n_classes, seed)
    of_cohort = () if cohort is None else ("cohort", cohort)
    parts = (n_samples, n_features, n_classes, seed, *of_cohort)
    rng = np.random.default_rng(derive_seed("values", *parts))
    edges = np.cumsum(np.linspace(2.0, 1.0, n_classes))  # the first class is twice the last
    codes = np.searchsorted(edges / edges[-1], (np.arange(n_samples) + 0.5) / n_samples)
    codes = rng.permutation(codes)
    values = np.empty((n_features, n_samples))
    factors = rng.standard_normal((len(FACTORS), n_samples))
    for start in range(0, n_features, _ROWS_PER_CHUNK):
        rows = slice(start, start + _ROWS_PER_CHUNK)
        _fill(values[rows], truth[rows], factors, rng)
    labels = np.char.mod("class_%d", codes)
    purity = rng.uniform(*PURITY, n_samples) / np.mean(PURITY)
    marked = truth["effect"].to_numpy() != 0
    in_class = truth["class"].to_numpy()[marked, None] == labels
    values[marked] += in_class * truth["effect"].to_numpy()[marked, None] * purity
    phenotype = None
    if n_batches > 1:
        batches = _batches(codes, n_batches)
        shifts = np.random.default_rng(derive_seed("batches", *parts))
        for batch in range(1, n_batches):
            values[:, batches == batch] += shifts.normal(0.0, BATCH_SHIFT, (n_features, 1))
        phenotype = pd.DataFrame({"batch": np.char.mod("batch_%d", batches)})
    if cohort is not None:
        values += rng.normal(0.0, COHORT_SHIFT, (n_features, 1))
        rng = np.random.default_rng(derive_seed("levels", n_features, n_classes, seed))
    values *= rng.uniform(0.2, 1.0, (n_features, 1))
    values += rng.uniform(4.0, 12.0, (n_features, 1))
    samples = [f"sample_{number:04d}" for number in range(1, n_samples + 1)]
    series = DataSet(
        name,
        values,
        truth["feature"].to_numpy(),
        samples,
        labels,
        sample_metadata=phenotype,
        scale=scale,
    )
    return series, truth


def _batches(codes: np.ndarray, n_batches: int) -> np.ndarray:
    """Return the batch of each sample, shape (n_samples,), 0 to ``n_batches`` - 1.

    In a class the batch ``code % n_batches`` has weight two, and each other batch weight one; the
    samples of a class are in the batches one after another, as in a laboratory.
    """
    batches = np.empty_like(codes)
    for code in np.unique(codes):
        samples = np.flatnonzero(codes == code)
        weights = np.ones(n_batches)
        weights[code % n_batches] = 2.0
        edges = np.cumsum(weights) / weights.sum()
        batches[samples] = np.searchsorted(edges, (np.arange(len(samples)) + 0.5) / len(samples))
    return batches


def load(dataset: DatasetEntry, *_: object) -> DataSet:
    """Simulate the series of an entry from its shape and other keys."""
    # The schema of the source requires each of these numbers.
    shape: Any = dataset.shape
    series, _ = simulate_series(
        dataset.id,
        shape.samples,
        shape.features,
        shape.classes,
        _seed(dataset),
        n_batches=dataset.options.get("batches", 1),
        cohort=dataset.options.get("cohort"),
        scale=dataset.scale or "",
    )
    return series


def write_truth(dataset: DatasetEntry, path: str | Path) -> None:
    """Write what was planted in a data set as a Parquet file.

    Parameters
    ----------
    dataset : DatasetEntry
    path : path
        To write. The table (see `_simulate_truth`) has no rows unless its source is
        ``simulate``.

    Examples
    --------
    >>> import tempfile
    >>> from xnbflow.sources.dataset_entry import Shape
    >>> shape = Shape(samples=20, features=400, classes=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "truth.parquet")
    ...     write_truth(DatasetEntry("toy", "simulate", shape=shape), path)
    ...     len(pd.read_parquet(path))
    400
    """
    truth = pd.DataFrame(columns=GROUPS["acquired"].tables["truth"].fixed)
    if dataset.source == "simulate":
        shape: Any = dataset.shape
        simulated = _simulate_truth(shape.features, shape.classes, _seed(dataset))
        truth = simulated[truth.columns]
    write_parquet(truth, path, GROUPS["acquired"].tables["truth"])


def _seed(dataset: DatasetEntry) -> int:
    """Return the seed of a simulated data set: the key ``seed``, or one of its id."""
    seed: int = dataset.options.get("seed", derive_seed(dataset.id))
    return seed


def _fill(
    values: np.ndarray, truth: pd.DataFrame, factors: np.ndarray, rng: np.random.Generator
) -> None:
    """Draw a chunk of whole modules, unit variance within classes, shape (n_rows, n_samples).

    ``factors`` (n_factors, n_samples) are shared by all features.
    """
    n_rows, n_samples = values.shape
    rng.standard_normal(out=values)
    n_modules = math.ceil(n_rows / MODULE_SIZE)
    module_factors = rng.standard_normal((n_modules, n_samples))
    loading = truth["loading"].to_numpy()[:, None]
    common = truth[[f"factor_{k + 1}" for k in range(len(factors))]].to_numpy()
    values *= np.sqrt(1.0 - loading**2 - np.sum(common**2, axis=1, keepdims=True))
    values += loading * np.repeat(module_factors, MODULE_SIZE, axis=0)[:n_rows]
    values += common @ factors
    shape = truth["shape"].to_numpy()
    right = shape == "skewed"
    values[right] = _skewed(values[right])
    left = shape == "left-skewed"
    values[left] = -_skewed(-values[left])
    bimodal = shape == "bimodal"
    values[bimodal] = np.cbrt(values[bimodal]) / _BIMODAL_SD


def _skewed(values: np.ndarray) -> np.ndarray:
    """Return log-normal values of normal ones, centred and of unit variance.

    A log-normal variable with the logarithm's variance ``v`` has the mean ``exp(v / 2)`` and the
    variance ``(exp(v) - 1) exp(v)``.
    """
    variance = _SKEW**2
    mean = np.exp(variance / 2)
    sd = np.sqrt(np.expm1(variance) * np.exp(variance))
    return np.asarray((np.exp(_SKEW * values) - mean) / sd)
