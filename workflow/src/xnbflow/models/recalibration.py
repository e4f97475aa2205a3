"""Slope and intercepts of a fitted model's log posteriors, from samples that it was not fitted to.

They are kept in a model's ``series`` under `RECALIBRATION`, and `xnbflow.models.prediction` applies
them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import log_softmax

__all__ = ["RECALIBRATION", "recalibrated"]

#: The key of slope and intercepts among what a model keeps of its series.
RECALIBRATION = "recalibration"


def recalibrated(series: Mapping[str, Any], log_posterior: np.ndarray) -> np.ndarray:
    """Return log posteriors (n_samples, n_classes) after a model's slope and intercepts, if any.

    Examples
    --------
    >>> known = {"recalibration": {"slope": 0.5, "intercept": [0.0, 1.0]}}
    >>> np.exp(recalibrated(known, np.log([[0.9, 0.1]]))).round(3).tolist()
    [[0.525, 0.475]]
    """
    found = series.get(RECALIBRATION)
    if found is None:
        return log_posterior
    joint = np.maximum(log_posterior, np.finfo(float).min / 2)
    return np.asarray(log_softmax(joint * found["slope"] + found["intercept"], axis=1))
