"""The classifier that is kept after a study: fitted on all samples, with tables to draw it from."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage

from xnbflow.data.atomic import write_atomically
from xnbflow.data.contract import MODEL_TABLES, text_of
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.tables import write_parquet, write_tsv
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.intervals import inflation_of
from xnbflow.models.file import write_model
from xnbflow.models.reading import symbols_of
from xnbflow.models.signature import gene_sets
from xnbflow.models.trained import CrossValidation, TrainedModel, fit_model

__all__ = ["final_model", "heatmap", "model_tables", "write_final"]

#: Features of a heat map.
_MOST_FEATURES = 40
#: Samples of a heat map; of more each class shows its share, evenly spaced.
_MOST_SAMPLES = 150


def final_model(
    series: DataSet,
    entry: Mapping[str, Any],
    predictions: pd.DataFrame,
    selected: pd.DataFrame,
    origin: Mapping[str, str],
) -> TrainedModel:
    """Fit a classifier on all samples; the figures are those of a study's cross-validation.

    Parameters
    ----------
    series : DataSet
    entry : mapping
        The classifier's configuration.
    predictions, selected : DataFrame
        What the training jobs of one scheme of folds wrote, put together.
    origin : mapping of str to str
        ``location``, ``label`` and ``id_column`` of the sheet, so that another table of the same
        form is read the same way.

    Raises
    ------
    InputError
        If no fold of the cross-validation could be fitted.
    """
    if predictions.empty:
        msg = (
            f"no fold of {series.name} could be fitted, so there are no figures for a model; "
            "see the table `fits`, or take the classifier out of `final:`"
        )
        raise InputError(msg)
    validation = CrossValidation(predictions, selected, series, inflation_of(entry))
    return fit_model(series, entry, validation, symbols=symbols_of(series), origin=origin)


def model_tables(model: TrainedModel, series: DataSet) -> dict[str, pd.DataFrame]:
    """Return the tables of `MODEL_TABLES` of `xnbflow.data.contract`."""
    return {"signature": model.signature, "heatmap": heatmap(model.signature, filled(series))}


def heatmap(signature: pd.DataFrame, series: DataSet) -> pd.DataFrame:
    """Return the best features of a signature in each sample, standardised and ordered.

    Samples are in the order of classes. Features are in the order of the leaves of an
    average-linkage tree of Euclidean distances between standardised profiles (a function of their
    correlation), turned so that neighbours are as alike as possible.

    Parameters
    ----------
    signature : DataFrame
        See `xnbflow.models.signature.signature_table`. Its best features are taken, the first of
        every class, then the second, up to 40.
    series : DataSet
        Its samples; of more than 150 each class shows its share, evenly spaced.

    Returns
    -------
    DataFrame
        The table ``heatmap`` of `MODEL_TABLES`.
    """
    ordered = signature.sort_values("rank", kind="stable").drop_duplicates("feature")
    best = ordered.head(_MOST_FEATURES)
    if best.empty:
        return pd.DataFrame(columns=MODEL_TABLES["heatmap"].fixed)
    rows = pd.Index(series.features).get_indexer(best["feature"])
    centred = series.values[rows] - series.values[rows].mean(axis=1, keepdims=True)
    spread = series.values[rows].std(axis=1, keepdims=True)
    z = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    order: np.ndarray = np.arange(len(z))
    samples = _shown(series.labels)
    if len(z) > 2:
        order = leaves_list(linkage(z, "average", optimal_ordering=True))
    z, best = z[np.ix_(order, samples)], best.iloc[order]
    n, m = z.shape
    return pd.DataFrame(
        {
            "row": np.repeat(np.arange(n), m),
            "feature": np.repeat(best["feature"].to_numpy(), m),
            "symbol": np.repeat(best["symbol"].to_numpy(), m),
            "column": np.tile(np.arange(m), n),
            "sample": np.tile(series.samples[samples], n),
            "class": np.tile(series.labels[samples], n),
            "z": z.reshape(-1),
        }
    )


def _shown(labels: np.ndarray) -> np.ndarray:
    """Return positions of samples, class after class, evenly spaced where there are many."""
    shown, most = [], min(len(labels), _MOST_SAMPLES)
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        room = max(1, round(most * len(own) / len(labels)))
        shown.append(own[np.linspace(0, len(own) - 1, room).astype(int)])
    return np.concatenate(shown)


def write_final(
    model: TrainedModel, series: DataSet, paths: Mapping[str, str], digest: str = ""
) -> None:
    """Write a model, its gene sets and each of `MODEL_TABLES` as Parquet and as text.

    The ``digest`` is that of the series' file, see `xnbflow.data.tables.digest_of_file`.
    """
    write_model(model, paths["model"])
    lines = [
        f"{line}\n" for line in gene_sets(model.signature, series.name, model.series["digest"])
    ]
    write_atomically(
        paths["gene_sets"], lambda part: part.write_text("".join(lines), encoding="utf-8")
    )
    for name, table in model_tables(model, series).items():
        write_parquet(table, paths[name], MODEL_TABLES[name], digest)
        write_tsv(table, text_of(paths[name]))
