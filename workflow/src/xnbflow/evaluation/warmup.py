"""Compile ahead: one tiny fit per method, so that many first jobs do not all compile at once."""

import logging
from collections.abc import Mapping
from typing import Any

from xnbflow.data.dataset import DataSetHeader
from xnbflow.data.sources.tiny import tiny_series
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train

__all__ = ["compile_ahead"]

_LOG = logging.getLogger(__name__)


def compile_ahead(entry: Mapping[str, Any]) -> None:
    """Fit and predict a tiny series of two classes, with features of every kind.

    Parameters
    ----------
    entry : mapping
        The classifier's configuration. One that cannot be fitted on so little (it asks for more
        features than there are, say) is logged, and compiles in its first job.
    """
    series = tiny_series()
    header = DataSetHeader(series.name, series.samples, series.labels, series.n_features)
    outcome = train(series, draw_folds(header, 2, 1), entry, 0, [0])
    if outcome.fits["status"].iloc[0] != "ok":
        _LOG.warning("not compiled ahead: %s", outcome.fits["error"].iloc[0])
