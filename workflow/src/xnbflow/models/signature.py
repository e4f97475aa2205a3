"""A model's signature: features selected for a class, and their direction; table and gene sets."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.evaluation.selected import DISTANCE_TO, feature_use, last_estimator
from xnbflow.studies.description import direction
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of

#: Separator of the parts of a line of a GMT file, and of lines, which names must not contain.
_SEPARATORS = re.compile(r"[\t\r\n]+")
#: Descriptions of gene sets, by direction.
_DESCRIPTIONS = {
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
        Share of the folds that selected the feature, and of disjoint halves of the samples in which
        it was among the first ten of its class.
    symbols : mapping of str to str, optional
        Feature to gene symbol.

    Returns
    -------
    DataFrame
        The table ``signature`` of the group ``model``, a row per class and feature.

    Examples
    --------
    >>> from xnbflow.naive_bayes import ClassSpecificNB
    >>> values, labels = pd.DataFrame({"g1": [1.0, 2.0, 8.0, 9.0]}), np.array(list("aabb"))
    >>> table = signature_table(ClassSpecificNB().fit(values, labels), values, labels)
    >>> table[["class", "feature", "direction", "median_in"]].values.tolist()
    [['a', 'g1', 'low', 1.5], ['b', 'g1', 'high', 8.5]]
    """
    use = feature_use(estimator, values, explain=False)
    last = last_estimator(estimator)

    # What the classifier has of each class and feature: features that tie with it, whether it is in
    # the core set, and its weight.
    ties: dict[tuple[str, str], list[str]] = {}
    for label, groups in getattr(last, "tied_features_", {}).items():
        for group in groups:
            for feature in group:
                others = [str(other) for other in group if other != feature]
                ties[str(label), str(feature)] = others
    core: set[tuple[str, str]] = set()
    weights: dict[tuple[str, str], float] = {}
    for label, features in (getattr(last, "core_features_", None) or {}).items():
        core |= {(str(label), str(feature)) for feature in features}
        pairs = zip(last.selected_features_[label], last.weights_[label], strict=True)
        weights |= {(str(label), str(feature)): float(weight) for feature, weight in pairs}

    rows = []
    selected = [] if use.selected is None else use.selected.to_dict("records")
    for selection in selected:
        label = selection["class"]
        feature = selection["feature"]
        pair = (label, feature)
        row = {
            "class": label,
            "rank": selection["rank"],
            "feature": feature,
            "symbol": "" if symbols is None else symbols.get(feature, ""),
            "share_of_folds": np.nan if shares is None else shares.get(pair, 0.0),
            "share_of_halves": np.nan if halves is None else halves.get(pair, 0.0),
            "interchangeable": " ".join(ties.get(pair, [])),
            "weight": weights.get(pair, np.nan),
            "core": not weights or pair in core,
        }
        rows.append(row | class_spread(values[feature].to_numpy(), labels, label))
    table = table_of(rows, GROUPS["model"].tables["signature"])
    if use.selected is None:
        return table
    return table.join(use.selected.filter(regex=f"^{re.escape(DISTANCE_TO)}"))


def class_spread(values: np.ndarray, labels: np.ndarray, label: str) -> dict[str, Any]:
    """Return direction, medians and quartiles of one feature, of a class and of the rest."""
    present = ~np.isnan(values)
    classes = np.unique(labels)
    medians = np.full(len(classes), np.nan)
    means = np.full(len(classes), np.nan)
    for code, one_class in enumerate(classes):
        class_values = values[present & (labels == one_class)]
        if len(class_values):
            medians[code] = np.median(class_values)
            means[code] = np.mean(class_values)
    code = int(np.searchsorted(classes, label))
    inside = _quartiles(values[present & (labels == label)])
    outside = _quartiles(values[present & (labels != label)])
    return {
        "direction": direction(medians, means, code),
        "lower_in": inside[0],
        "median_in": inside[1],
        "upper_in": inside[2],
        "lower_out": outside[0],
        "median_out": outside[1],
        "upper_out": outside[2],
    }


def _quartiles(values: np.ndarray) -> np.ndarray:
    """Return the quartiles of values, missing without any."""
    return np.quantile(values, [0.25, 0.5, 0.75]) if len(values) else np.full(3, np.nan)


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
        set_name = "_".join(f"{name}_{label}_{way}".split())
        description = _DESCRIPTIONS[way].format(label)
        if digest:
            description += f"; series {digest[:12]}"
        genes = rows["symbol"].where(rows["symbol"] != "", rows["feature"])
        cells = [set_name, description, *dict.fromkeys(genes)]
        yield "\t".join(_SEPARATORS.sub(" ", cell) for cell in cells)
