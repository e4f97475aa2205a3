"""A model's signature: features selected for a class, and their direction; table and gene sets."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.studies.description import direction
from xnbflow.tables.contract import MODEL_TABLES
from xnbflow.tables.storage import table_of

__all__ = ["class_spread", "gene_sets", "signature_table"]

_DISTANCE = "distance_to."
#: Descriptions of gene sets, by direction.
_WORDS = {
    "high": "high in {} against the other classes",
    "low": "low in {} against the other classes",
    "between": "in {} between the other classes",
    "equal": "in {} as in the other classes, by medians and means",
}


def signature_table(
    selected: Mapping[str, list[str]],
    values: pd.DataFrame,
    labels: np.ndarray,
    *,
    distances: pd.DataFrame | None = None,
    shares: Mapping[tuple[str, str], float] | None = None,
    halves: Mapping[tuple[str, str], float] | None = None,
    interchangeable: Mapping[tuple[str, str], list[str]] | None = None,
    weights: Mapping[tuple[str, str], float] | None = None,
    core: Collection[tuple[str, str]] | None = None,
    symbols: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the signature of a fitted classifier.

    Parameters
    ----------
    selected : mapping of str to list of str
        For each class its features, best first.
    values : DataFrame of shape (n_samples, n_features)
        Training samples; at least the selected features. Missing values do not count.
    labels : ndarray of shape (n_samples,)
        Their classes.
    distances : DataFrame, optional
        ``class``, ``feature``, ``other_class``, ``distance``.
    shares : mapping of (class, feature) to float, optional
        Share of folds that selected the feature.
    halves : mapping of (class, feature) to float, optional
        Share of disjoint halves of the samples that selected the feature.
    interchangeable : mapping of (class, feature) to list of str, optional
        Features that tie with it.
    weights : mapping of (class, feature) to float, optional
        Factor of the feature's evidence.
    core : collection of (class, feature), optional
        The short list; all features by default.
    symbols : mapping of str to str, optional
        Feature to gene symbol.

    Returns
    -------
    DataFrame
        The table ``signature`` of `MODEL_TABLES`, a row per class and feature.

    Examples
    --------
    >>> values = pd.DataFrame({"g1": [1.0, 2.0, 8.0, 9.0]})
    >>> table = signature_table({"a": ["g1"]}, values, np.array(["a", "a", "b", "b"]))
    >>> table[["class", "feature", "direction", "median_in"]].values.tolist()
    [['a', 'g1', 'low', 1.5]]
    """
    rows = [
        {
            "class": label,
            "rank": rank,
            "feature": feature,
            "symbol": (symbols or {}).get(feature, ""),
            "share_of_folds": np.nan if shares is None else shares.get((label, feature), 0.0),
            "share_of_halves": np.nan if halves is None else halves.get((label, feature), 0.0),
            "interchangeable": " ".join((interchangeable or {}).get((label, feature), [])),
            "weight": np.nan if weights is None else weights.get((label, feature), np.nan),
            "core": core is None or (label, feature) in core,
            **class_spread(values[feature].to_numpy(), labels, label),
        }
        for label, features in selected.items()
        for rank, feature in enumerate(features, start=1)
    ]
    table = table_of(rows, MODEL_TABLES["signature"])
    if distances is None or not rows:
        return table
    text = distances.astype({"class": str, "other_class": str})
    wide = text.pivot_table(index=["class", "feature"], columns="other_class", values="distance")
    wide = wide.rename(columns=lambda other: _DISTANCE + other).rename_axis(columns=None)
    return table.merge(wide.reset_index(), on=["class", "feature"], how="left")


def class_spread(values: np.ndarray, labels: np.ndarray, label: str) -> dict[str, Any]:
    """Return direction, medians and quartiles of one feature, of a class and of the rest."""
    known, classes = ~np.isnan(values), np.unique(labels)
    members = [values[known & (labels == each)] for each in classes]
    medians, means = (
        np.array([of(cells) if len(cells) else np.nan for cells in members])
        for of in (np.median, np.mean)
    )
    spread = {"direction": direction(medians, means, int(np.searchsorted(classes, label)))}
    for where, mine in (("in", labels == label), ("out", labels != label)):
        cells = values[mine & known]
        quartiles = np.quantile(cells, [0.25, 0.5, 0.75]) if len(cells) else np.full(3, np.nan)
        names = (f"lower_{where}", f"median_{where}", f"upper_{where}")
        spread |= dict(zip(names, quartiles, strict=True))
    return spread


def gene_sets(
    signature: pd.DataFrame, name: str, digest: str = "", top: int | None = None
) -> Iterator[str]:
    r"""Yield a signature as lines of a GMT file: a gene set per class and direction.

    Parameters
    ----------
    signature : DataFrame
        As `signature_table` makes it. Features without a symbol have their own name; a gene with
        several probes is listed once. A tab or line break in a name becomes a space.
    name : str
        The beginning of every set's name, for example the data set's name.
    digest : str, optional
        Of the series; its first twelve characters end every description.
    top : int, optional
        Most genes of each class, by rank; all by default.

    Yields
    ------
    str
        A line without its end.

    Examples
    --------
    >>> table = pd.DataFrame({"class": "AML", "direction": "high", "feature": ["p1", "p2"],
    ...                       "symbol": ["MPO", ""]})
    >>> [line.split("\t") for line in gene_sets(table, "leukaemia")]
    [['leukaemia_AML_high', 'high in AML against the other classes', 'MPO', 'p2']]
    """
    if top is not None:
        signature = signature[signature["rank"] <= top]
    for (label, way), rows in signature.groupby(["class", "direction"], sort=False):
        genes = rows["symbol"].where(rows["symbol"] != "", rows["feature"])
        cells = [
            "_".join(f"{name}_{label}_{way}".split()),
            _WORDS[way].format(label) + (f"; series {digest[:12]}" if digest else ""),
            *dict.fromkeys(genes),
        ]
        yield "\t".join(" ".join(re.split(r"[\t\r\n]+", cell)) for cell in cells)
