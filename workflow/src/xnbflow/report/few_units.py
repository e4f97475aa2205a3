"""The card of a data set with too few samples, or patients, to judge any classifier.

No label test can reach its level there (`xnbflow.inference.units`). Tests of single features borrow
the variance of all features and need fewer samples, so that the card leads with these: their
numbers, the first of them by p, and their volcano plot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from xnbflow.core.nouns import counted, noun
from xnbflow.core.significance import FDR_LEVEL, ONE_SIDED_LEVEL
from xnbflow.data.controls import shown_classes
from xnbflow.report.card_features import doubt_of
from xnbflow.report.card_numbers import difference_tiles
from xnbflow.report.numbers import format_p
from xnbflow.report.page.blocks import Figure, GeneRow, Tile
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.volcano_figure import against_others, volcano_figure
from xnbflow.report.texts import texts_of

#: Features that the card names.
_MOST_ROWS = 12
_TEXTS = texts_of("cards")


@dataclass(frozen=True, kw_only=True)
class FewUnits:
    """Too few units of a data set.

    Attributes
    ----------
    count : int
    noun, feature_noun : str
        The words for one of them, such as "donor", and for a feature.
    sufficient : int
        The number of each class with which a classifier without error can be supported.
    least_p : float
        The smallest p that the label test can have.
    """

    count: int
    noun: str
    feature_noun: str
    sufficient: int
    least_p: float

    @property
    def badge(self) -> str:
        """The level in words."""
        return f"Too few to judge ({counted(self.count, self.noun)})"

    @property
    def reason(self) -> str:
        """Why no classifier is judged, and what the card has instead."""
        units = counted(self.count, self.noun)
        cause = "even without an error its interval is not above chance"
        if self.least_p > ONE_SIDED_LEVEL:
            least = format_p(self.least_p)
            cause = f"p of the label test is at least {least}, whatever the data are"
        return (
            f"With {units} no classifier can be judged: {cause}. Single {self.feature_noun}s can "
            "be tested."
        )

    def next_step(self) -> str:
        """Return what to do next."""
        return (
            f"add {noun(2, self.noun)}: with {self.sufficient:,} in each class a classifier "
            "without error can be supported"
        )


def few_units(results: StudyResults, dataset: str) -> FewUnits | None:
    """Return the too few units of a data set; None if they suffice."""
    rows = results.rows("findings", dataset=dataset, classifier="", code="units")
    if rows.empty:
        return None
    row = rows.iloc[0]
    return FewUnits(
        count=int(row["count"]),
        noun=results.unit_noun(dataset),
        feature_noun=results.noun(dataset),
        sufficient=int(row["total"]),
        least_p=float(row["p"]),
    )


def tested_tiles(results: StudyResults, dataset: str) -> list[Tile]:
    """Return how many features differ, and of two classes how many are higher and lower."""
    tiles = difference_tiles(results, dataset)
    tested, label = _shown_tests(results, dataset)
    if not tiles or not label:
        return tiles
    differ = tested[tested["fdr"] < FDR_LEVEL]
    for word, is_of_direction in (("Higher", differ["t"] > 0), ("Lower", differ["t"] < 0)):
        tile = Tile(
            label=f"{word} in {label}",
            text=f"{int(is_of_direction.sum()):,}",
            note=f"at an FDR below {FDR_LEVEL:.0%}",
        )
        tiles.append(tile)
    return tiles


def first_tested(results: StudyResults, dataset: str) -> list[GeneRow]:
    """Return the first features by p as rows of a card; of several classes over all of these."""
    tested, label = _shown_tests(results, dataset)
    first = tested.sort_values("p", kind="stable").drop_duplicates("feature").head(_MOST_ROWS)
    return [_gene_row(row, label) for row in first.to_dict("records")]


def _gene_row(row: Mapping[str, Any], label: str) -> GeneRow:
    """Return a row of the card from one of the table of genes; for ``label`` see `_shown_tests`."""
    has_symbol = bool(row["symbol"]) and row["symbol"] != row["feature"]
    is_higher = row["t"] > 0
    direction = "higher" if is_higher else "lower"
    return GeneRow(
        name=str(row["symbol"] if has_symbol else row["feature"]),
        feature_id=str(row["feature"]) if has_symbol else "",
        label="" if label else str(row["class"]),
        mark="▲" if is_higher else "▼",
        meaning=f"{direction} in “{label or row['class']}”",
        change=float(row["log_fold_change"]),
        fdr=float(row["fdr"]),
        auc=float(row["auc"]),
        note=doubt_of(row, has_counts=False),  # these have a test
    )


def heading(results: StudyResults, dataset: str) -> str:
    """Return the heading of these rows."""
    label = _shown_tests(results, dataset)[1]
    higher = f" (▲ higher in “{label}”)" if label else ""
    return f"{results.noun(dataset).capitalize()}s with the smallest p{higher}"


def volcano(results: StudyResults, dataset: str) -> Figure | None:
    """Return the volcano plot of two classes; None for several, which have one each below."""
    tested, label = _shown_tests(results, dataset)
    if not label or tested.empty:
        return None
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    has_changes = tested["log_fold_change"].notna().any()
    return volcano_figure(
        name=f"volcano-{dataset}-card",
        title=label,
        compared=against_others(label, classes),
        tested=tested,
        change=tested["log_fold_change"] if has_changes else tested["auc"] - 0.5,
        xlabel="log2 fold change" if has_changes else "AUC - 0.5",
        caption=_TEXTS["volcano"].format(level=FDR_LEVEL, label=label, noun=results.noun(dataset)),
        noun=results.noun(dataset),
        sources=results.tables_of("genes", dataset=dataset).sources("genes"),
    )


def _shown_tests(results: StudyResults, dataset: str) -> tuple[pd.DataFrame, str]:
    """Return the tests of features, and of two classes those of the one that is shown.

    This class is not the control; its name is empty for another number of classes.
    """
    genes = results.tables_of("genes", dataset=dataset)["genes"]
    genes = genes[genes["p"].notna()].reset_index(drop=True)
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    if len(classes) != 2:
        return genes, ""
    reference = results.study.design_of(dataset).reference
    (position,) = shown_classes(classes, reference)
    label = classes[position]
    return genes[genes["class"] == label].reset_index(drop=True), label
