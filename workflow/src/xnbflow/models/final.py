"""A classifier fitted on all samples of a data set, with tables for drawings."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.heatmap import heatmap
from xnbflow.evaluation.fitting import filled
from xnbflow.inference.intervals import inflation_of
from xnbflow.models.reading import symbols_of
from xnbflow.models.trained import CrossValidation, TrainedModel, core_performance, fit_model


def final_model(
    series: DataSet,
    entry: Mapping[str, Any],
    predictions: pd.DataFrame,
    selected: pd.DataFrame,
    origin: Mapping[str, Any],
    halves: pd.DataFrame | None = None,
) -> TrainedModel:
    """Fit a classifier on all samples; a study's cross-validation has its performance.

    ``predictions`` and ``selected`` are what the training jobs of one scheme of folds wrote,
    ``halves`` the table of `xnbflow.inference.halves.halves_table`. The ``origin`` has the
    ``entry`` of the data set, so that another table of the same form is read the same way.
    """
    if predictions.empty:
        msg = (
            f"no fold of {series.name} could be fitted, so there are no figures for a model; "
            "see the table `fits`, or take the classifier out of `final:`"
        )
        raise InputError(msg)
    validation = CrossValidation(
        predictions=predictions,
        selected=selected,
        series=series,
        inflation=inflation_of(entry),
        halves=halves,
    )
    return fit_model(series, entry, validation, symbols=symbols_of(series), origin=origin)


def model_tables(model: TrainedModel, series: DataSet) -> dict[str, pd.DataFrame]:
    """Return the tables of the group ``model`` of `xnbflow.tables.contract`."""
    core = core_performance(model)
    scores = {}
    if core is not None:
        for metric in ("accuracy", "balanced_accuracy"):
            scores[f"core_score.{metric}"] = core[metric]
    return {
        "signature": model.signature.assign(**scores),
        "heatmap": heatmap(model.signature, filled(series)),
    }
