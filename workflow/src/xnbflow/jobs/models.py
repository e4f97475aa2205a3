"""A job of *models*: a classifier fitted to all samples of a data set."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xnbflow.data.dataset import DataSet
from xnbflow.jobs.model_files import write_model_files
from xnbflow.models.final import final_model
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import read_stacked


def fit_kept_model(
    classifier: str,
    entry: Mapping[str, Any],
    *,
    series: Path,
    origin: Mapping[str, Any],
    training: Path,
    trained_classifiers: Sequence[str],
    checks: Path | None,
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
    training, trained_classifiers
        The folder of the job of training, and the classifiers whose rows its tables have.
    checks, halves_classifiers
        The folder of the job of *check* with the fits to halves of the samples, and the classifiers
        whose rows they have; None where this classifier is not fitted to halves.
    folder : Path
        The folder of the model.
    """
    data = DataSet.read(series)
    of_training = {}
    for name in ("predictions", "selected"):
        path = training / f"{name}.parquet"
        stacked = read_stacked(path, GROUPS["training"].tables[name], trained_classifiers)
        of_training[name] = stacked[classifier]
    in_halves = None
    if checks is not None:
        path = checks / "halves.parquet"
        in_halves = read_stacked(path, GROUPS["check"].tables["halves"], halves_classifiers)[
            classifier
        ]
    model = final_model(
        data,
        entry,
        predictions=of_training["predictions"],
        selected=of_training["selected"],
        origin=origin,
        halves=in_halves,
    )
    write_model_files(model, data, folder, classifier)
