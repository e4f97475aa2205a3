"""The numbers of a card: as tiles, each with what it is compared with, and as text, the facts.

A number has one declaration for both. Tiles have fewer digits than facts, which open on demand.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.core.significance import FDR_LEVEL
from xnbflow.inference.verdicts import LEAST_REPLICATED
from xnbflow.report.adjusted_genes import explaining_column
from xnbflow.report.numbers import format_count, format_number
from xnbflow.report.page.blocks import Tile
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("cards")


@dataclass(frozen=True, kw_only=True)
class _ShownEstimate:
    """How a card shows an estimate.

    Attributes
    ----------
    label : str
        Its name.
    in_tile, in_fact : str
        The format of the number in a tile, and in a fact.
    compared_with : str
        What the reference is with which a tile compares it.
    """

    label: str
    in_tile: str
    in_fact: str
    compared_with: str


#: The estimates of a card by their metric, in the order of the facts.
_ESTIMATES = {
    "balanced_accuracy": _ShownEstimate(
        label="Balanced accuracy", in_tile=".0%", in_fact=".1%", compared_with="chance"
    ),
    "accuracy": _ShownEstimate(
        label="Accuracy", in_tile=".0%", in_fact=".1%", compared_with="largest class"
    ),
    "roc_auc": _ShownEstimate(label="AUC", in_tile=".2f", in_fact=".2f", compared_with="chance"),
}


def features_per_class(results: StudyResults, evaluation: dict[str, str]) -> float:
    """Return how many features of a class the folds select on average; missing without any."""
    summary = results.rows("summary", **evaluation, metric="features_per_class", folds_failed=0)
    means = summary["mean"].dropna()
    return float(means.iloc[0]) if len(means) else np.nan


def estimate_tiles(estimates: pd.DataFrame) -> list[Tile]:
    """Return the balanced accuracy and the AUC with their intervals.

    With more than two classes there is an AUC of each class, and none has a tile. Two classes
    without an AUC have the accuracy, whose explanation has the reason.
    """
    metrics = estimates.index.tolist()
    shown = [metric for metric in ("balanced_accuracy", "roc_auc") if metrics.count(metric) == 1]
    if "roc_auc" not in metrics and metrics.count("recall") == 2 and "accuracy" in metrics:
        shown.append("accuracy")
    tiles = []
    for metric in shown:
        shown_estimate = _ESTIMATES[metric]
        spec = shown_estimate.in_tile
        row = estimates.loc[metric]
        reference = f"{shown_estimate.compared_with} {row['reference']:{spec}}"
        tile = Tile(
            label=shown_estimate.label,
            text=format_number(row["estimate"], spec),
            value=float(row["estimate"]),
            lower=float(row["lower"]),
            upper=float(row["upper"]),
            reference=float(row["reference"]),
            meaning=_TEXTS[metric],
            note=f"95% interval {_interval_text(row, spec)}; {reference}",
        )
        tiles.append(tile)
    return tiles


def estimate_facts(estimates: pd.DataFrame) -> dict[str, str]:
    """Return the estimates with their intervals as text.

    With more than two classes there is an AUC of each class, and none is shown.
    """
    metrics = estimates.index.tolist()
    facts = {}
    for metric, shown_estimate in _ESTIMATES.items():
        if metrics.count(metric) == 1:
            row = estimates.loc[metric]
            estimate = format_number(row["estimate"], shown_estimate.in_fact)
            interval = _interval_text(row, shown_estimate.in_fact)
            facts[shown_estimate.label] = f"{estimate} ({interval})"
    return facts


def _interval_text(row: pd.Series, spec: str) -> str:
    """Return the interval of a row of the table ``estimates`` in a format.

    Examples
    --------
    >>> _interval_text(pd.Series({"lower": 0.5, "upper": 0.9}), ".0%")
    '50% to 90%'
    """
    return f"{format_number(row['lower'], spec)} to {format_number(row['upper'], spec)}"


def selection_tiles(
    results: StudyResults,
    evaluation: dict[str, str],
    features: pd.DataFrame,
    stability: pd.DataFrame,
) -> list[Tile]:
    """Return the number of features, and how far they hold in the other half of the samples."""
    tiles = []
    noun = results.noun(evaluation["dataset"])
    number = features_per_class(results, evaluation)
    core_size = features.loc[features["core"].astype(bool), "feature"].nunique()
    if not np.isnan(number) and core_size:
        # More than two classes have one core set, which may be larger than the list of one class.
        of_all = "of all classes; " if features["class"].nunique() > 2 else ""
        tile = Tile(
            label=f"Core {noun}s",
            text=f"{core_size:,}",
            note=f"{of_all}{number:,.0f} used per class",
            meaning=_TEXTS["core"],
        )
        tiles.append(tile)
    elif not np.isnan(number):
        tile = Tile(
            label=f"{noun.capitalize()}s per class", text=f"{number:,.0f}", note="mean over folds"
        )
        tiles.append(tile)
    if "" in stability.index:  # the row over all classes
        overall = _stability_tile(stability.loc[""])
        tiles += [] if overall is None else [overall]
    return tiles


def difference_tiles(results: StudyResults, dataset: str) -> list[Tile]:
    """Return the number of features that differ between the classes; none without linear features.

    They are tested one by one, so that many may differ where the classifier is not supported.
    """
    tables = results.tables_of("genes", dataset=dataset)
    genes = tables["genes"]
    if genes["fdr"].isna().all():
        return []
    n_differ = genes.loc[genes["fdr"] < FDR_LEVEL, "feature"].nunique()
    n_tested = genes.loc[genes["fdr"].notna(), "feature"].nunique()
    n_features = genes["feature"].nunique()
    noun = results.noun(dataset)
    notes = [f"of {n_features:,} {noun}s"]
    if n_tested < n_features:
        notes = [f"of {n_tested:,} tested ({n_features:,} in the table)"]
    if column := explaining_column(results, dataset):
        before = "" if column.before == n_differ else f" of {column.before:,}"
        notes.append(f"{column.after:,}{before} with “{column.name}” in the model")
    tile = Tile(
        label=f"{noun.capitalize()}s, FDR {FDR_LEVEL:.0%}",
        text=f"{n_differ:,}",
        note="; ".join(notes),
        meaning=_TEXTS["differ"],
    )
    return [tile]


def selection_facts(
    results: StudyResults, evaluation: dict[str, str], stability: pd.DataFrame
) -> dict[str, str]:
    """Return the number of features and the stability of their selection."""
    facts = {}
    number = features_per_class(results, evaluation)
    if not np.isnan(number):
        noun = results.noun(evaluation["dataset"])
        facts[f"{noun.capitalize()}s per class"] = format_count(number)
    if "" not in stability.index:  # the row over all classes
        return facts
    overall = stability.loc[""]
    index = stability_of_verdict(overall)
    if index is not None:
        facts["Stability"] = f"{index.value:z.2f} [{index.lower:z.2f}, {index.upper:z.2f}]"
    elif pd.notna(overall["stability"]):
        facts["Agreement between folds"] = f"{overall['stability']:z.2f}"
    return facts


@dataclass(frozen=True, kw_only=True)
class _Stability:
    """An index of stability.

    Attributes
    ----------
    value, lower, upper : float
        The index with its 95% interval.
    description : str
        What it measures, in a few words.
    text_key : str
        The key of its explanation in the texts of the cards.
    """

    value: float
    lower: float
    upper: float
    description: str
    text_key: str


def stability_of_verdict(stability: pd.Series) -> _Stability | None:
    """Return the index of stability that the verdict uses; None without disjoint halves.

    This is the share of first features that differ in the other half if it was computed, and
    otherwise the agreement of the short lists. ``stability`` is a row of the table of this name.
    """
    if pd.notna(stability.get("replicated")):
        return _Stability(
            value=float(stability["replicated"]),
            lower=float(stability["replicated_lower"]),
            upper=float(stability["replicated_upper"]),
            description=(
                "of the first ten of one half of the samples, the share that differs in the other, "
                "beyond chance"
            ),
            text_key="replicated_features",
        )
    if pd.notna(stability["short_list"]):
        return _Stability(
            value=float(stability["short_list"]),
            lower=float(stability["short_lower"]),
            upper=float(stability["short_upper"]),
            description="agreement of the first ten of two halves of the samples",
            text_key="short_list",
        )
    return None


def _stability_tile(stability: pd.Series) -> Tile | None:
    """Return the stability in disjoint halves, or else the agreement between folds.

    Folds share training samples and agree more, so that the number has another name. The result is
    None if neither was computed.
    """
    index = stability_of_verdict(stability)
    if index is not None:
        return Tile(
            label="Stability",
            meaning=_TEXTS[index.text_key],
            text=f"{index.value:z.2f}",
            value=index.value,
            lower=index.lower,
            upper=index.upper,
            reference=LEAST_REPLICATED,
            note=(
                f"{index.description}; {index.lower:z.2f} to {index.upper:z.2f} "
                f"in single divisions into halves; stable from {LEAST_REPLICATED:g}"
            ),
        )
    if pd.notna(stability["stability"]):
        return Tile(
            label="Agreement between folds",
            meaning=_TEXTS["stability"],
            text=f"{stability['stability']:z.2f}",
            value=float(stability["stability"]),
            note="folds share training samples",
        )
    return None
