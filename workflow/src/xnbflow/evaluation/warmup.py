"""Compile ahead: one tiny fit per method, so that many first jobs do not all compile at once."""

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np

from xnbflow.diagnostics.tables import diagnose
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train
from xnbflow.series import Series, SeriesHeader

__all__ = ["compile_classifier", "compile_diagnostics"]

_LOG = logging.getLogger(__name__)


def compile_classifier(entry: Mapping[str, Any]) -> None:
    """Fit and predict a tiny series of two classes, with features of every kind.

    Parameters
    ----------
    entry : mapping
        The classifier's configuration. One that cannot be fitted on so little (it asks for more
        features than there are, say) is logged, and compiles in its first job.
    """
    series = _tiny_series()
    header = SeriesHeader(series.name, series.samples, series.labels, series.n_features)
    entry = {key: value for key, value in entry.items() if key != "label"}
    outcome = train(series, draw_folds(header, 2, 1), entry, 0, [0])
    if outcome.fits["status"].iloc[0] != "ok":
        _LOG.warning("not compiled ahead: %s", outcome.fits["error"].iloc[0])


def compile_diagnostics() -> None:
    """Test a tiny series for normality and dependence."""
    diagnose(_tiny_series(), min_abs_r=0.7, dependence_alpha=1e-6, dof="paper")


def _tiny_series(n_per_class: int = 12) -> Series:
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
    return Series("tiny", values, features, samples, labels, kinds)
