"""The work of the commands about models: thin functions over `xnbflow.models`."""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.fitting import frame_for, sample_columns
from xnbflow.evaluation.method_checks import check_estimator
from xnbflow.evaluation.methods import known_methods
from xnbflow.models.agreement import Agreement, agreement
from xnbflow.models.explanation import explain_sample
from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.panel import design_panel
from xnbflow.models.prediction import Prediction, fitted_log_posterior, predict_table
from xnbflow.models.reading import (
    SamplesToPredict,
    complete_training,
    described_entry,
    read_labelled_samples,
    read_training,
    recorded_entry,
    symbols_of,
)
from xnbflow.models.recalibration import RECALIBRATION, recalibrate_model
from xnbflow.models.trained import TrainedModel, cross_validate, fit_model, series_digest
from xnbflow.report.manuscript.references import in_words
from xnbflow.running.cli.assignments import dataset_settings, parse_assignments
from xnbflow.running.cli.model_texts import (
    model_summary,
    recalibration_in_words,
    score_sheet,
    signature_lines,
    signature_text,
    summary_text,
)
from xnbflow.running.cli.output_files import deliver
from xnbflow.running.project import default_configuration
from xnbflow.sources.dataset_entry import DatasetEntry, read_entry
from xnbflow.tables.storage import tsv

__all__ = [
    "RECALIBRATION",
    "classifier",
    "compare_with_labels",
    "complete_training",
    "cross_validate",
    "dataset_settings",
    "deliver",
    "described_entry",
    "design_panel",
    "explain_sample",
    "files_of_training",
    "fit_model",
    "least_certain",
    "methods_text",
    "model_summary",
    "parameters",
    "predict_table",
    "read_model",
    "read_samples_of",
    "read_training",
    "recalibrate_from_table",
    "recalibration_in_words",
    "score_sheet",
    "signature_lines",
    "signature_text",
    "summary_text",
    "symbols_of",
    "training_series",
    "tsv",
    "write_model",
]

#: Number of samples that are explained if none is named.
_EXPLAINED = 3
#: Width of the ids in the list of methods, and of a line.
_ID_WIDTH = 18
_LINE_WIDTH = 100


def parameters(assignments: Iterable[str]) -> dict[str, Any]:
    """Return the parameters of a method from ``key=value``, see `parse_assignments`."""
    return parse_assignments("--param", assignments)


def classifier(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return a classifier's entry, as a configuration has it, before any data are read.

    ``method`` is a method's name, with hyphens or underscores, or an import path. Raises an
    `InputError` for an unknown method or parameter.

    Examples
    --------
    >>> classifier("csnb-cv", {"cv": 3})
    {'method': 'csnb_cv', 'params': {'cv': 3}}
    """
    name = method if "." in method else method.replace("-", "_")
    entry = {"method": name, "params": params}
    try:
        check_estimator(entry, "fit", "classifier")
    except InputError as error:
        message = str(error).replace("configuration, fit.method", "--method")
        message = message.replace("configuration, fit.params", "--param")
        raise InputError(message) from error
    return entry


def methods_text() -> str:
    """Return the classifiers of the project's configuration, or of the library, for people.

    A line has the id, the label, the title of the method with its source, and the method's name.
    """
    methods = known_methods()
    entries = default_configuration().get("classifiers")
    if not entries:
        classifiers = [name for name, method in methods.items() if method.kind == "classifier"]
        entries = {name: {"method": name} for name in classifiers}
    lines = ["Ids for studies; `xnbflow fit --method` takes the names in brackets.", ""]
    for name, entry in entries.items():
        method = entry.get("steps", [entry])[-1]["method"]
        descriptions = [entry.get("label", name)]
        if method in methods:
            descriptions += [methods[method].title, in_words(methods[method].source)]
        text = f"{name:<{_ID_WIDTH}}{'; '.join(dict.fromkeys(descriptions))} [{method}]"
        lines += textwrap.wrap(
            text, _LINE_WIDTH, subsequent_indent=" " * _ID_WIDTH, break_long_words=False
        )
    return "\n".join(lines)


def read_samples_of(
    model: TrainedModel, location: str, settings: Mapping[str, Any]
) -> SamplesToPredict:
    """Read samples to predict, with their labels where the table has them.

    ``settings`` are keys of their data set.
    """
    return read_labelled_samples(
        described_entry(location, settings),
        recorded_entry(model.series),
        features=model.features,
        columns=list(sample_columns(model.estimator)),
        quartiles=model.quartiles,
    )


def compare_with_labels(
    model: TrainedModel, samples: SamplesToPredict, prediction: Prediction, table: str
) -> tuple[Agreement | None, str]:
    """Return how predictions agree with the table's labels, and a text; None without labels."""
    if samples.labels is None:
        return None, ""
    entry = recorded_entry(model.series)
    predicted = list(prediction.table["label"])
    result = agreement(model.classes, predicted, samples.labels, entry)
    if result is None:
        return None, ""
    text = result.as_text()
    location = entry.location if entry else ""
    if location and Path(location).resolve() == Path(table).resolve():
        text += (
            "\nThe model was fitted to this table: for its accuracy with new samples see "
            "`xnbflow show`."
        )
    return result, text


def least_certain(model: TrainedModel, samples: pd.DataFrame, missing: str) -> list[str]:
    """Return the names of the samples whose most probable class is least probable, least first."""
    table = predict_table(model, samples, missing).table
    probabilities = table.filter(regex=r"^probability\.").max(axis=1)
    order = probabilities.to_numpy().argsort(kind="stable")[:_EXPLAINED]
    return table["sample"].iloc[order].tolist()


def recalibrate_from_table(
    model: TrainedModel, dataset: DatasetEntry, missing: str
) -> tuple[TrainedModel, dict[str, dict[str, float]]]:
    """Recalibrate a model by the samples of another cohort; see `recalibrate_model`.

    The label is by default that of the model's training table.
    """
    training = recorded_entry(model.series)
    dataset = replace(dataset, label=dataset.label or (training.label if training else None))
    series = read_training(complete_training(dataset))
    log_posterior = fitted_log_posterior(model, frame_for(model.estimator, series), missing)
    return recalibrate_model(model, series, log_posterior)


def files_of_training(model: TrainedModel) -> list[str]:
    """Return what the entry of a model's training data names: files, addresses, accessions."""
    entry = recorded_entry(model.series)
    if entry is None:
        return []
    return [name for name in (entry.location, entry.phenotype, entry.annotation) if name]


def training_series(model: TrainedModel, table: str, settings: Mapping[str, Any]) -> DataSet:
    """Read the table that a model was fitted to; an `InputError` if it has changed.

    The ``table`` is where it is now, if it has moved; ``settings`` are keys that replace those of
    the model.
    """
    entry = recorded_entry(model.series)
    if entry is None:
        msg = "the model does not name the table that it was fitted to; fit it with `xnbflow fit`"
        raise InputError(msg)
    location = table or entry.location
    recorded = described_entry(location).settings() | entry.settings()
    recorded |= described_entry(location, settings).settings()
    dataset = read_entry("training", recorded, location, is_complete=False)
    series = read_training(complete_training(dataset))
    if series_digest(series) != model.series["digest"]:
        msg = (
            f"{location} is not the table that the model was fitted to, or is read "
            "otherwise; give the keys (--set, --samples) of `xnbflow fit`"
        )
        raise InputError(msg, file=str(location))
    return series
