"""Figures of any feature of a study's series, for print, with its rows of the table of genes."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError, known_names
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.diagnostics.gene_values import gene_values
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.signature import gene_figure
from xnbflow.report.static.image_files import print_figure
from xnbflow.tables.contract import SERIES

#: Letters of a feature's name in the name of a file.
_MOST_LETTERS = 80


def print_genes(
    results: StudyResults, name: str, datasets: Sequence[str], folder: Path, width: float
) -> pd.DataFrame:
    """Draw every feature of a name, or of a gene symbol, in some data sets of a study.

    The figures are ``{dataset}-{name}-{number}`` with the endings ``.svg``, ``.pdf`` and ``.png``
    in the ``folder``, ``width`` millimetres wide, numbered by rank. A long name is cut and ends
    with a digest. The result has the features'
    rows of the tables of genes, with the data set and the figure.

    Raises
    ------
    InputError
        If no data set has the feature or symbol.
    """
    tables = []
    names = set()
    for dataset in datasets:
        genes = results.gene_tables(dataset)["genes"]
        rows = genes[_matches(genes, name.casefold())].sort_values("rank", kind="stable")
        names |= {*genes["feature"], *genes["symbol"]}
        if len(rows):
            figures = _print_features(results, dataset, name, rows, folder=folder, width=width)
            rows = rows.sort_values(["rank", "class"]).reset_index(drop=True)
            rows.insert(0, "dataset", dataset)
            rows.insert(1, "figure", rows["feature"].map(figures))
            tables.append(rows)
    if not tables:
        similar = known_names(name, sorted(names - {""}))
        msg = f"no feature of {', '.join(datasets)} has the name or symbol {name!r}; {similar}"
        raise InputError(msg)
    return pd.concat(tables, ignore_index=True)


def _matches(genes: pd.DataFrame, name: str) -> list[bool]:
    """Return a mask of the rows of a feature or a gene symbol, in small or capital letters."""
    features = genes["feature"].str.casefold()
    symbols = genes["symbol"].str.casefold()
    is_named = []
    for feature, symbol in zip(features, symbols, strict=True):
        alternatives = map(str.strip, symbol.split("///"))
        is_named.append(feature == name or name in alternatives)
    return is_named


def file_name_part(name: str) -> str:
    """Return a part of a file's name for a feature or a symbol; folders limit it to 255 bytes."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name)
    if len(plain) <= _MOST_LETTERS:
        return plain
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{plain[: _MOST_LETTERS - 9]}-{digest}"


def _print_features(
    results: StudyResults,
    dataset: str,
    name: str,
    rows: pd.DataFrame,
    *,
    folder: Path,
    width: float,
) -> dict[str, str]:
    """Draw the features of rows of the table of genes; return the names of the figures."""
    path = results.root / SERIES.of(dataset=dataset)
    features = rows["feature"].drop_duplicates().tolist()
    series = with_log_counts(DataSet.read(path))
    values = gene_values(series, features)
    unit = {"log2": "log2 value", "ln": "ln value"}.get(series.scale, "value")
    file_name = file_name_part(name)
    figures = {}
    for number, feature in enumerate(features, 1):
        symbol = rows.loc[rows["feature"] == feature, "symbol"].iloc[0]
        figures[feature] = f"{dataset}-{file_name}-{number}"
        figure = gene_figure(figures[feature], values[values["feature"] == feature], symbol, unit)
        print_figure(figure.chart(), folder / figure.name, width)
    return figures
