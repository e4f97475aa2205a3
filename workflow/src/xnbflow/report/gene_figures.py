"""Figures of any feature of a study's series, for print, with its rows of the table of genes."""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError, known_names
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.diagnostics.gene_values import gene_values
from xnbflow.report.page.style import print_figure
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.signature import gene_figure
from xnbflow.tables.contract import DIAGNOSTIC, SERIES
from xnbflow.tables.storage import refuse_other_series


def print_genes(
    results: StudyResults, name: str, datasets: Sequence[str], folder: Path, width: float
) -> pd.DataFrame:
    """Draw every feature of a name, or of a gene symbol, in some data sets of a study.

    The figures are ``{dataset}-{name}-{number}`` with the endings ``.svg``, ``.pdf`` and ``.png``
    in the ``folder``, ``width`` millimetres wide, numbered by rank. The result has the features'
    rows of the tables of genes, with the data set and the figure.

    Raises
    ------
    InputError
        If no data set has the feature or symbol, or a series has changed since its table.
    """
    parts, names = [], set()
    for dataset in datasets:
        genes = results.diagnosed(dataset)["genes"]
        rows = genes[_matches(genes, name.casefold())].sort_values("rank", kind="stable")
        names |= {*genes["feature"], *genes["symbol"]}
        if len(rows):
            parts.append(_print(results.root, dataset, name, rows, folder, width))
    if not parts:
        where, near = ", ".join(datasets), known_names(name, sorted(names - {""}))
        raise InputError(f"no feature of {where} has the name or symbol {name!r}; {near}")
    return pd.concat(parts, ignore_index=True)


def _matches(genes: pd.DataFrame, name: str) -> list[bool]:
    """Return a mask of the rows of a feature or a gene symbol, in small or capital letters."""
    pairs = zip(genes["feature"].str.casefold(), genes["symbol"].str.casefold(), strict=True)
    return [
        feature == name or name in map(str.strip, symbol.split("///")) for feature, symbol in pairs
    ]


def _print(
    root: Path, dataset: str, name: str, rows: pd.DataFrame, folder: Path, width: float
) -> pd.DataFrame:
    path = root / SERIES.of(dataset=dataset)
    refuse_other_series([root / DIAGNOSTIC.of(dataset=dataset, table="genes")], path)
    features = rows["feature"].drop_duplicates().tolist()
    series = with_log_counts(DataSet.read(path))
    values = gene_values(series, features)
    unit = {"log2": "log2 value", "ln": "ln value"}.get(series.scale, "value")
    drawn = {}
    for number, feature in enumerate(features, 1):
        symbol = rows.loc[rows["feature"] == feature, "symbol"].iloc[0]
        drawn[feature] = f"{dataset}-{re.sub(r'[^A-Za-z0-9._-]+', '_', name)}-{number}"
        figure = gene_figure(drawn[feature], values[values["feature"] == feature], symbol, unit)
        print_figure(figure.draw, figure.arguments, folder / figure.name, width)
    found = rows.sort_values(["rank", "class"]).reset_index(drop=True)
    found.insert(0, "dataset", dataset)
    found.insert(1, "figure", found["feature"].map(drawn))
    return found
