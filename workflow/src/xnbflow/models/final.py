"""A job of the stage *models*: a classifier fitted on all samples, with tables for drawings."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.heatmap import heatmap
from xnbflow.evaluation.fitting import filled
from xnbflow.inference.intervals import inflation_of
from xnbflow.models.model_file import write_model
from xnbflow.models.reading import symbols_of
from xnbflow.models.signature import gene_sets
from xnbflow.models.trained import CrossValidation, TrainedModel, core_figures, fit_model
from xnbflow.tables.contract import CHECK_TABLES, MODEL_TABLES, TRAINING_TABLES, text_of
from xnbflow.tables.earlier import remove_earlier_model
from xnbflow.tables.storage import (
    digest_of_file,
    read_stacked,
    refuse_other_series,
    table_of,
    write_parquet,
    write_tsv,
)


def fit_final(
    classifier: str, files: Any, params: Any, outputs: Any, check_code: Callable[[], None]
) -> None:
    """Fit a classifier to all samples of a data set, and write the model and its tables.

    Parameters
    ----------
    classifier
        Its id.
    files
        The rule's inputs: the ``series``, the tables ``predictions`` and ``selected`` of its job of
        training, and ``halves`` where it is fitted to halves of the samples.
    params
        The ``entry`` of the classifier; the ``origin`` of the series, see `final_model`; the
        ``classifiers`` whose rows are in the tables of ``training`` and of ``halves``.
    outputs
        The paths of the model, its gene sets and its tables.
    check_code
        Called before files are written.
    """
    series = DataSet.read(files.series)
    tables = {name: path for name, path in files.items() if name != "series"}
    refuse_other_series(tables.values(), files.series)
    training = {
        name: read_stacked(tables[name], TRAINING_TABLES[name], params.classifiers["training"])
        for name in ("predictions", "selected")
    }
    halves = None
    if "halves" in tables:
        stacked = read_stacked(
            tables["halves"], CHECK_TABLES["halves"], params.classifiers["halves"]
        )
        halves = stacked[classifier]
    model = final_model(
        series,
        params.entry,
        predictions=training["predictions"][classifier],
        selected=training["selected"][classifier],
        origin=params.origin,
        halves=halves,
    )
    check_code()
    paths = {key: outputs[key] for key in ("model", "gene_sets", *MODEL_TABLES)}
    write_final(model, series, paths, digest_of_file(files.series))
    remove_earlier_model(classifier, Path(paths["model"]).parents[1])


def final_model(
    series: DataSet,
    entry: Mapping[str, Any],
    predictions: pd.DataFrame,
    selected: pd.DataFrame,
    origin: Mapping[str, Any],
    halves: pd.DataFrame | None = None,
) -> TrainedModel:
    """Fit a classifier on all samples; the figures are those of a study's cross-validation.

    ``predictions`` and ``selected`` are what the training jobs of one scheme of folds wrote,
    ``halves`` the table of `xnbflow.inference.halves.halves_table`. The ``origin`` has
    location, label, column of names, orientation and options of the sheet (`SheetRow.origin`), so
    that another table of the same form is read the same way.
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
    """Return the tables of `MODEL_TABLES` of `xnbflow.tables.contract`."""
    core = core_figures(model)
    rows = [] if core is None else [{**core, "features_used": len(model.used)}]
    return {
        "signature": model.signature,
        "core": table_of(rows, MODEL_TABLES["core"]),
        "heatmap": heatmap(model.signature, filled(series)),
    }


def write_final(
    model: TrainedModel, series: DataSet, paths: Mapping[str, str], digest: str = ""
) -> None:
    """Write a model, its gene sets and each of `MODEL_TABLES` as Parquet and as text.

    The ``digest`` is that of the series' file, see `xnbflow.tables.storage.digest_of_file`. The
    signature has the digest of its gene sets, since these files have none.
    """
    write_model(model, paths["model"])
    lines = [
        f"{line}\n" for line in gene_sets(model.signature, series.name, model.series["digest"])
    ]
    write_atomically(
        paths["gene_sets"], lambda part: part.write_text("".join(lines), encoding="utf-8")
    )
    gene_sets_digests = {"signature": digest_of_file(paths["gene_sets"])}
    for name, table in model_tables(model, series).items():
        write_parquet(
            table,
            paths[name],
            MODEL_TABLES[name],
            series=digest,
            gene_sets=gene_sets_digests.get(name, ""),
        )
        write_tsv(table, text_of(paths[name]), MODEL_TABLES[name])
