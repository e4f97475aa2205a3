"""The features that a card lists: the core set of a model, or those selected most often.

Of several classes each has its features. Of two classes the lists are mirror images of each other,
and one list is seen from the class that is not the control.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.data.controls import shown_classes
from xnbflow.report.page.blocks import GeneRow, Item
from xnbflow.report.results import StudyResults

#: Features of each class that a card names, and most of them if they are a core set.
_FEATURES_OF_CLASS = 6
_MOST_CORE_FEATURES = 16
#: Classes up to which the whole core set is named for each.
_FEW_CLASSES = 4
#: Most rows of the table of a card of several classes.
_MOST_TABLE_ROWS = 20
#: Most rows of one class in that table.
_MOST_ROWS_OF_CLASS = 4
#: Marks of the direction of a feature in a class, with their meaning.
_SIGNS = {
    "high": ("▲", "higher than in every other class"),
    "low": ("▼", "lower than in every other class"),
    "between": ("◆", "between the other classes"),
    "equal": ("=", "as in the other classes"),
}
#: The direction of a feature seen from the other of two classes.
_MIRRORED = {"high": "low", "low": "high"}


@dataclass(frozen=True, kw_only=True)
class FeatureLists:
    """The features of a card, as a table (``rows``) and as text.

    ``rest`` is in words how many features follow. Of two classes ``heading``, ``items`` and
    ``rest`` are the one list; of several classes ``items_of_class`` and ``rest_of_class`` are those
    of each.
    """

    rows: list[GeneRow]
    heading: str
    items: list[Item]
    rest: str
    items_of_class: dict[str, list[Item]]
    rest_of_class: dict[str, str]


def feature_lists(
    results: StudyResults, evaluation: dict[str, str], features: pd.DataFrame, classes: list[str]
) -> FeatureLists:
    """Return the features of a card (`card_features`), in one list or in one of each class."""
    few = len(classes) <= _FEW_CLASSES
    if len(classes) == 2 and len(features):
        return _mirrored_list(results, evaluation, features, classes)
    items_of_class = {}
    rest_of_class = {}
    for label in classes:
        class_features = features[features["class"] == label]
        items, rest = _items(class_features, _FEATURES_OF_CLASS, few=few)
        items_of_class[label] = items
        rest_of_class[label] = rest
    rows = rows_by_class(features)
    return FeatureLists(
        rows=rows,
        heading=heading_of_first({row.label for row in rows}, classes),
        items=[],
        rest="",
        items_of_class=items_of_class,
        rest_of_class=rest_of_class,
    )


def _mirrored_list(
    results: StudyResults, evaluation: dict[str, str], features: pd.DataFrame, classes: list[str]
) -> FeatureLists:
    """Return the one list of two classes, seen from the one that is not the control."""
    reference = results.study.design_of(evaluation["dataset"]).reference
    side = classes[shown_classes(classes, reference)[-1]]

    # Each feature once, its change and direction seen from this side: the AUC of the other class is
    # one minus that of the side, and its fold change has the other sign.
    other = features["class"] != side
    seen = features.assign(
        log_fold_change=features["log_fold_change"].where(~other, -features["log_fold_change"]),
        auc=features["auc"].where(~other, 1 - features["auc"]),
        direction=features["direction"].where(~other, features["direction"].replace(_MIRRORED)),
        position=features.groupby("class").cumcount(),
    )
    seen = seen.sort_values(["core", "position"], ascending=[False, True], kind="stable")
    distinct = seen.drop_duplicates("feature")

    # As text and as a table of the same features.
    items, rest = _items(distinct, 2 * _FEATURES_OF_CLASS, few=True)
    noun = results.noun(evaluation["dataset"])
    n_core = int(distinct["core"].sum())
    heading = f"{noun.capitalize()}s selected most often"
    if n_core:
        heading = f"Core set of {counted(n_core, noun)} in bold"
    return FeatureLists(
        rows=[_row(row, label="") for row in distinct.head(len(items)).to_dict("records")],
        heading=f"{heading} (▲ higher in “{side}”)",
        items=items,
        rest=rest,
        items_of_class={},
        rest_of_class={},
    )


def card_features(results: StudyResults, evaluation: dict[str, str]) -> pd.DataFrame:
    """Return the features of each class: the core set, or the most frequent ones.

    Columns: class, feature, symbol, direction, core, share, of (what the share is of), and
    log_fold_change and auc of the table of genes.
    """
    dataset = evaluation["dataset"]
    classifier = evaluation["classifier"]
    if (dataset, classifier) in results.study.models:
        rows = results.model(dataset, classifier)["signature"]
        rows = rows.sort_values(["core", "rank"], ascending=[False, True], kind="stable")
        halved = rows["share_of_halves"].notna().any()
        rows = rows.assign(
            share=rows["share_of_halves" if halved else "share_of_folds"],
            of="disjoint halves" if halved else "folds",
        )
    else:
        profiles = results.rows("profiles", **evaluation)[
            ["class", "feature", "direction", "symbol"]
        ]
        rows = results.rows("selection", **evaluation)
        rows = rows.merge(profiles, on=["class", "feature"], how="left")
        rows = rows.assign(core=False, share=rows["frequency"], of="folds")
    rows = rows[["class", "feature", "symbol", "direction", "core", "share", "of"]]
    tested = results.genes(dataset, "class", "feature", "log_fold_change", "auc")
    tested = tested[tested["feature"].isin(rows["feature"])]
    return rows.merge(tested, on=["class", "feature"], how="left")


def rows_by_class(features: pd.DataFrame) -> list[GeneRow]:
    """Return the first features of each class, class after class.

    The core set is the same for every class: of equal shares those features come first whose AUC
    is farthest from one half, because they separate this class from the others.
    """
    n_classes = max(1, features["class"].nunique())
    n_rows = max(1, min(_MOST_ROWS_OF_CLASS, _MOST_TABLE_ROWS // n_classes))
    ranked = features.assign(separation=(features["auc"] - 0.5).abs())
    ranked = ranked.sort_values(
        ["class", "core", "share", "separation"],
        ascending=[True, False, False, False],
        kind="stable",
    )
    first = ranked[ranked.groupby("class").cumcount() < n_rows].head(_MOST_TABLE_ROWS)
    return [_row(row, label=str(row["class"])) for row in first.to_dict("records")]


def _row(row: dict[str, object], label: str) -> GeneRow:
    """Return a row of the table of a card."""
    mark, meaning = _SIGNS.get(str(row["direction"]), ("", ""))
    has_symbol = bool(row["symbol"]) and row["symbol"] != row["feature"]
    return GeneRow(
        name=str(row["symbol"] if has_symbol else row["feature"]),
        beside=str(row["feature"]) if has_symbol else "",
        label=label,
        mark=mark,
        meaning=meaning,
        change=float(row["log_fold_change"]),  # type: ignore[arg-type]
        auc=float(row["auc"]),  # type: ignore[arg-type]
        share=float(row["share"]),  # type: ignore[arg-type]
        core=bool(row["core"]),
    )


def _items(features: pd.DataFrame, least: int, *, few: bool) -> tuple[list[Item], str]:
    """Return the core features, or the first ones, and in words how many others have a weight.

    A longer core set is named as a whole only if the classes are ``few``.
    """
    n_core = int(features["core"].sum())
    most = max(least, min(n_core, _MOST_CORE_FEATURES)) if few else least
    rest = len(features) - most
    items = [_item(row) for row in features.head(most).to_dict("records")]
    return items, f"and {counted(rest, 'other')}" if rest > 0 else ""


def _item(row: dict[str, object]) -> Item:
    """Return a feature of a list, with its gene symbol if it has one."""
    mark, meaning = _SIGNS.get(str(row["direction"]), ("", ""))
    feature = row["feature"]
    symbol = row["symbol"]
    numbers = []
    if pd.notna(row["log_fold_change"]):
        numbers.append(f"LFC {row['log_fold_change']:+.1f}")
    if pd.notna(row["auc"]):
        numbers.append(f"AUC {row['auc']:.2f}")
    if pd.notna(row["share"]):
        numbers.append(f"{row['share']:.0%} of {row['of']}")
    return Item(
        text=f"{symbol} ({feature})" if symbol and symbol != feature else str(feature),
        mark=mark,
        note=", ".join(numbers),
        title=meaning,
        bold=bool(row["core"]),
    )


def heading_of_first(shown: Collection[str], classes: Sequence[str]) -> str:
    """Return the heading of a table without rows of some classes; empty where it has all.

    Examples
    --------
    >>> heading_of_first({"a", "b"}, ["a", "b", "c"]), heading_of_first({"a"}, ["a"])
    ('First of each class, 2 of 3 classes; core set in bold', '')
    """
    if not shown or len(shown) == len(classes):
        return ""
    return f"First of each class, {len(shown)} of {len(classes)} classes; core set in bold"
