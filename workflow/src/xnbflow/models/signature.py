"""A model's signature: features selected for a class, and their direction; table and gene sets."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.evaluation.selected import feature_use, last_step
from xnbflow.studies.description import direction
from xnbflow.tables.contract import MODEL_TABLES
from xnbflow.tables.storage import table_of

_DISTANCE = "distance_to."
#: Descriptions of gene sets, by direction.
_WORDS = {
    "high": "high in {} against the other classes",
    "low": "low in {} against the other classes",
    "between": "in {} between the other classes",
    "equal": "in {} as in the other classes, by medians and means",
}


def signature_table(
    estimator: BaseEstimator,
    values: pd.DataFrame,
    labels: np.ndarray,
    *,
    shares: Mapping[tuple[str, str], float] | None = None,
    halves: Mapping[tuple[str, str], float] | None = None,
    symbols: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the signature of a fitted classifier; empty if it uses all features for every class.

    Parameters
    ----------
    estimator : estimator
        It, or the last step of a pipeline, has the features that tie. Weights and the core set are
        those of `xnbflow.naive_bayes.ClassSpecificNBCV`; of others all features are in the core.
    values : DataFrame of shape (n_samples, n_features)
        Its training samples. Missing values do not count.
    labels : ndarray of shape (n_samples,)
        Their classes.
    shares, halves : mapping of (class, feature) to float, optional
        Share of the folds, and of disjoint halves of the samples, that selected the feature.
    symbols : mapping of str to str, optional
        Feature to gene symbol.

    Returns
    -------
    DataFrame
        The table ``signature`` of `MODEL_TABLES`, a row per class and feature.

    Examples
    --------
    >>> from xnbflow.naive_bayes import ClassSpecificNB
    >>> values, labels = pd.DataFrame({"g1": [1.0, 2.0, 8.0, 9.0]}), np.array(list("aabb"))
    >>> table = signature_table(ClassSpecificNB().fit(values, labels), values, labels)
    >>> table[["class", "feature", "direction", "median_in"]].values.tolist()
    [['a', 'g1', 'low', 1.5], ['b', 'g1', 'high', 8.5]]
    """
    use, last = feature_use(estimator, values, explain=False), last_step(estimator)[0]
    ties = {
        (str(label), str(feature)): [str(other) for other in group if other != feature]
        for label, groups in getattr(last, "tied_features_", {}).items()
        for group in groups
        for feature in group
    }
    weights: dict[tuple[str, str], float] = {}
    if core := getattr(last, "core_features_", {}):
        for label, features in last.selected_features_.items():
            own = zip(features, last.weights_[label], strict=True)
            weights |= {(str(label), str(feature)): float(weight) for feature, weight in own}
    core = {(str(label), str(feature)) for label, own in core.items() for feature in own}
    rows = []
    for found in [] if use.selected is None else use.selected.to_dict("records"):
        label, feature = place = found["class"], found["feature"]
        row = {"class": label, "rank": found["rank"], "feature": feature}
        row["symbol"] = (symbols or {}).get(feature, "")
        row["share_of_folds"] = np.nan if shares is None else shares.get(place, 0.0)
        row["share_of_halves"] = np.nan if halves is None else halves.get(place, 0.0)
        row["interchangeable"] = " ".join(ties.get(place, []))
        row["weight"] = weights.get(place, np.nan)
        row["core"] = not weights or place in core
        rows.append(row | class_spread(values[feature].to_numpy(), labels, label))
    table = table_of(rows, MODEL_TABLES["signature"])
    if use.distances is None or not rows:
        return table
    text = use.distances.astype({"class": str, "other_class": str})
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
