"""Portability: how accurate a classifier remains where only some features are measured."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.fitting import fit_grouped
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved, unlabelled
from xnbflow.inference.intervals import inflation_of
from xnbflow.models.prediction import can_drop, log_posterior_without
from xnbflow.models.trained import CrossValidation, unfitted

__all__ = ["portability"]


def portability(
    series: DataSet, entry: Mapping[str, Any], features: Collection[str], splits: int = 10
) -> dict[str, Any]:
    """Cross-validate a classifier that is fitted to all features and predicts with some.

    The evidence of the other features is left out, as in prediction for samples of another platform
    or a panel of genes.

    Parameters
    ----------
    series : DataSet
        Without missing values.
    entry : mapping
        The classifier's configuration.
    features : collection of str
        Those of the platform or list; names that the series lacks do not count.
    splits : int
        Stratified folds, those of `xnbflow.models.trained.cross_validate`.

    Returns
    -------
    dict
        ``features``, how many of them the series has, and ``accuracy``, ``recall``, ``majority``
        and so on, see `xnbflow.models.trained.CrossValidation.figures`.

    Raises
    ------
    InputError
        If the series has none of the features or has missing values, or the classifier cannot leave
        features out.

    Examples
    --------
    >>> from xnbflow.sources.acquisition import acquire
    >>> from xnbflow.sources.sheet import SheetRow
    >>> wine = acquire(SheetRow("wine", "bundled", "wine"))
    >>> found = portability(wine, {"method": "csnb"}, ["proline", "hue", "unknown"], 5)
    >>> found["features"], round(found["accuracy"]["value"], 1)
    (2, 0.9)
    """
    measured = np.isin(series.features, list(features))
    if not measured.any() or series.missing:
        what = "missing values; fill them in" if series.missing else "none of the listed features"
        raise InputError(f"{series.name} has {what}")
    entry, gone = resolved(unlabelled(entry)), series.features[~measured]
    rows, frame = [], series.frame()
    for fold, own in draw_folds(series, splits, 1).groupby("fold"):
        test = np.isin(series.samples, own["sample"])
        groups = None if series.groups is None else series.groups[~test]
        model = unfitted(series, entry, "portability", fold)
        fit_grouped(model, frame[~test], series.labels[~test], groups)
        if not can_drop(model):
            msg = f"{type(model).__name__} cannot leave features out; use a naive Bayes classifier"
            raise InputError(msg)
        posterior = log_posterior_without(model, frame[test], gone.tolist())
        predicted = np.asarray(model.classes_)[posterior.argmax(axis=1)]
        cells = {"sample": series.samples[test], "true": series.labels[test]}
        rows.append(pd.DataFrame({"repeat": 0, "fold": fold, **cells, "predicted": predicted}))
    nothing = pd.DataFrame(columns=["repeat", "fold", "class", "feature"])
    found = CrossValidation(pd.concat(rows), nothing, series, inflation_of(entry))
    return {"features": int(measured.sum()), **found.figures()}
