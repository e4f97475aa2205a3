"""The features of a series that linear models compare, and on which scale."""

from dataclasses import dataclass

import numpy as np

from xnbflow.core.study import Design
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import effective_sizes, expressed_features, with_log_counts


@dataclass(frozen=True, kw_only=True)
class ModelledFeatures:
    """Values for `xnbflow.diagnostics.linear_models.moderated_contrasts`.

    Attributes
    ----------
    rows : ndarray of int, shape (n_modelled,)
        The positions of the modelled features among the linear ones.
    values : ndarray of shape (n_modelled, n_samples)
        Counts if there are ``sizes``.
    sizes : ndarray of shape (n_samples,) or None
        Effective library sizes.
    trend : bool
        Whether the prior variance depends on the mean.
    """

    rows: np.ndarray
    values: np.ndarray
    sizes: np.ndarray | None
    trend: bool


def variance_model(series: DataSet, design: Design) -> str:
    """Return how the variance of a feature is modelled: ``voom``, ``trend`` or ``constant``.

    Counts are weighted by voom. With the ``trend`` of the design, or with samples of a group that
    have a common correlation, they become log2 counts per million whose prior variance depends on
    the mean (limma-trend).

    Examples
    --------
    >>> counts = DataSet("toy", [[1.0, 2.0]], ["g1"], ["s", "t"], ["a", "b"], scale="counts")
    >>> variance_model(counts, Design()), variance_model(counts, Design(trend=True))
    ('voom', 'trend')
    """
    correlated = design.repeated == "correlation" and series.groups is not None
    if series.scale == COUNTS and not design.trend and not correlated:
        return "voom"
    return "trend" if design.trend or series.scale == COUNTS else "constant"


def modelled_features(values: np.ndarray, series: DataSet, design: Design) -> ModelledFeatures:
    """Return the features that vary; for counts the features with enough reads, and library sizes.

    ``values`` (n_features, n_samples) are those of the linear features of the series. The variance
    is modelled by `variance_model`.

    Examples
    --------
    >>> series = DataSet("toy", [[1.0, 2.0], [5.0, 5.0]], ["g1", "g2"], ["s", "t"], ["a", "b"])
    >>> modelled_features(series.values, series, Design()).rows.tolist()
    [0]
    """
    if series.scale != COUNTS:
        varies = np.fmax.reduce(values, axis=1) > np.fmin.reduce(values, axis=1)
        rows = np.flatnonzero(varies)
        if not varies.all():
            values = values[rows]
        return ModelledFeatures(rows=rows, values=values, sizes=None, trend=bool(design.trend))
    rows = np.flatnonzero(expressed_features(series))
    if variance_model(series, design) == "trend":
        logarithms = with_log_counts(series).values[rows]
        return ModelledFeatures(rows=rows, values=logarithms, sizes=None, trend=True)
    counts = values[rows]
    return ModelledFeatures(rows=rows, values=counts, sizes=effective_sizes(counts), trend=False)
