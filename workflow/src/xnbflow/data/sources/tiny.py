"""A tiny series of two classes with features of every kind, to compile kernels on."""

import numpy as np

from xnbflow.data.dataset import DataSet

__all__ = ["tiny_series"]


def tiny_series(n_per_class: int = 12) -> DataSet:
    """Return the series; it is always the same."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], n_per_class)
    shift = 2.0 * (labels == "b")
    values = np.vstack(
        [
            rng.normal(size=(6, len(labels))) + shift,
            rng.vonmises(0.0, 2.0, size=(2, len(labels))),
            rng.integers(0, 3, size=(2, len(labels))),
        ]
    )
    kinds = ["linear"] * 6 + ["angular"] * 2 + ["categorical"] * 2
    features = [f"feature{i}" for i in range(len(values))]
    samples = [f"sample{i}" for i in range(len(labels))]
    return DataSet("tiny", values, features, samples, labels, kinds)
