"""The work of the commands about models: thin functions over `xnbflow.models`."""

import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.evaluation.method_checks import check_estimator
from xnbflow.evaluation.methods import entries_in, known_methods
from xnbflow.models.agreement import Agreement, agreement
from xnbflow.models.explanation import explain_sample
from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.new_samples import SamplesToPredict, read_samples
from xnbflow.models.prediction import Prediction, predict_table
from xnbflow.models.reading import described_entry, read_training, recorded_entry, symbols_of
from xnbflow.models.trained import TrainedModel, cross_validate, fit_model
from xnbflow.report.manuscript.references import in_words
from xnbflow.running.cli.assignments import dataset_settings, parse_assignments
from xnbflow.running.cli.model_texts import (
    model_summary,
    signature_lines,
    signature_text,
    summary_text,
)
from xnbflow.running.cli.output_files import deliver
from xnbflow.running.project import default_configuration
from xnbflow.tables.storage import tsv

__all__ = [
    "classifier",
    "compare_with_labels",
    "cross_validate",
    "dataset_settings",
    "deliver",
    "described_entry",
    "explain_sample",
    "fit_model",
    "least_certain",
    "methods_text",
    "model_summary",
    "parameters",
    "predict_table",
    "read_model",
    "read_samples_of",
    "read_training",
    "signature_lines",
    "signature_text",
    "summary_text",
    "symbols_of",
    "tsv",
    "write_model",
]

#: Number of samples that are explained if none is named.
_EXPLAINED = 3
#: Width of the ids in the list of methods, and of a line.
_ID_WIDTH = 23
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
    """Return the classifiers of the project's configuration, further classifiers, and transformers.

    A line has the id or name, the label, and the title of the method with its source.
    """
    entries = default_configuration().get("classifiers") or {}
    lines = []
    if entries:
        lines = ["Ids for studies; `xnbflow fit --method` takes the names in brackets.", ""]
    for name, entry in entries.items():
        method = entry.get("steps", [entry])[-1]["method"]
        lines += _method_lines(name, method, entry.get("label", name), f" [{method}]")

    # Methods of which no classifier is made there, for example those of other packages.
    used = {part["method"] for part in entries_in(dict(entries))}
    classifiers = [
        method.name
        for method in known_methods().values()
        if method.kind == "classifier" and method.name not in used
    ]
    if classifiers:
        lines += [
            "",
            "Methods without an id: `classifiers: {ID: {label: TEXT, method: NAME}}`.",
            "",
        ]
    for name in classifiers:
        lines += _method_lines(name, name)

    transformers = [
        method.name for method in known_methods().values() if method.kind == "transformer"
    ]
    if transformers:
        lines += ["", "Transformers, for `steps` of a classifier and `preprocessing`.", ""]
    for name in transformers:
        lines += _method_lines(name, name)
    return "\n".join(lines).lstrip("\n")


def _method_lines(name: str, method: str, label: str = "", ending: str = "") -> list[str]:
    """Return the lines on a method: its id or name, label, title and source, and the ending."""
    descriptions = [label] if label else []
    if known := known_methods().get(method):
        descriptions += [known.title, in_words(known.source)]
    text = f"{name:<{_ID_WIDTH - 1}} {'; '.join(dict.fromkeys(descriptions))}{ending}"
    return textwrap.wrap(
        text, _LINE_WIDTH, subsequent_indent=" " * _ID_WIDTH, break_long_words=False
    )


def read_samples_of(
    model: TrainedModel, location: str, settings: Mapping[str, Any]
) -> SamplesToPredict:
    """Read samples to predict, with their labels where the table has them.

    ``settings`` are keys of their data set.
    """
    return read_samples(
        described_entry(location, settings),
        recorded_entry(model.series),
        features=model.features,
        quartiles=model.quartiles,
        classes=model.classes,
    )


def compare_with_labels(
    model: TrainedModel, samples: SamplesToPredict, prediction: Prediction, table: str
) -> tuple[Agreement | None, str]:
    """Return how predictions agree with the table's labels, and a text; None without labels."""
    if samples.labels is None:
        return None, ""
    predicted = list(prediction.table["label"])
    result = agreement(model.classes, predicted, samples.labels)
    if result is None:
        return None, ""
    text = result.as_text()
    entry = recorded_entry(model.series)
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
