"""A job of *models*: a classifier fitted to all samples of a data set."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xnbflow.data.dataset import DataSet
from xnbflow.jobs.model_files import write_model_files
from xnbflow.models.final import final_model
from xnbflow.tables.contract import CHECK_TABLES, TRAINING_TABLES
from xnbflow.tables.storage import read_stacked


def fit_kept_model(
    classifier: str,
    entry: Mapping[str, Any],
    *,
    series: Path,
    origin: Mapping[str, Any],
    predictions: Path,
    selected: Path,
    trained_classifiers: Sequence[str],
    halves: Path | None,
    halves_classifiers: Sequence[str],
    folder: Path,
) -> None:
    """Fit a classifier to all samples of a data set, and write the model and its tables.

    Parameters
    ----------
    classifier, entry
        Its id and its configuration.
    series, origin
        The file of the series, and where it comes from, see `xnbflow.models.final.final_model`.
    predictions, selected, trained_classifiers
        Tables of the job of training, and the classifiers whose rows they have.
    halves, halves_classifiers
        The table of fits to halves of the samples, and the classifiers whose rows it has; None
        where this classifier is not fitted to halves.
    folder : Path
        The folder of the model.
    """
    data = DataSet.read(series)
    predicted = read_stacked(predictions, TRAINING_TABLES["predictions"], trained_classifiers)
    selections = read_stacked(selected, TRAINING_TABLES["selected"], trained_classifiers)
    in_halves = None
    if halves is not None:
        in_halves = read_stacked(halves, CHECK_TABLES["halves"], halves_classifiers)[classifier]
    model = final_model(
        data,
        entry,
        predictions=predicted[classifier],
        selected=selections[classifier],
        origin=origin,
        halves=in_halves,
    )
    write_model_files(model, data, folder, classifier)
