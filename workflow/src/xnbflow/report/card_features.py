"""The features that a card lists: the core set of a model, or those selected most often.

With more than two classes each class has its list: the features that differ from the nearest other
class, most clearly first, because a feature that only separates all other classes from one of them
is no feature of this class. The lists of two classes are mirror images: one list is shown, with
directions in the class that is not the control.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from xnbflow.core.natural_order import natural_key
from xnbflow.core.nouns import counted, listed
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.data.controls import shown_classes
from xnbflow.report.numbers import join_words
from xnbflow.report.page.blocks import GeneRow, Item
from xnbflow.report.results import StudyResults

#: Number of features of each class that a card names.
_FEATURES_OF_CLASS = 6
#: Most features of a core set that a card names.
_MOST_CORE_FEATURES = 16
#: Most classes for each of which a card names the core set beyond `_FEATURES_OF_CLASS`.
_FEW_CLASSES = 4
#: Most rows of the table of a card of several classes.
_MOST_TABLE_ROWS = 20
#: Most rows of one class in that table.
_MOST_ROWS_OF_CLASS = 4
#: What a share is of where the classifier was fitted to disjoint halves of the samples.
FIRST_OF_HALVES = "first ten of halves"
#: Classes that a sentence names.
_MOST_NAMED = 4
#: Columns of the table of genes that are used.
_OF_GENES = (
    "class",
    "feature",
    "log_fold_change",
    "auc",
    "fdr",
    "least_t",
    "least_fdr",
    "explained_by",
)
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
    """The features of a card.

    Attributes
    ----------
    rows : list of GeneRow
        The features as a table.
    heading : str
        The heading of the table.
    items, rest : list of Item, str
        With two classes: the features as text, and how many more there are ("and 12 others").
    items_of_class, rest_of_class : dict
        With another number of classes: the same texts for each class.
    notes : list of str
        Sentences on classes without features of their own.
    """

    rows: list[GeneRow]
    heading: str
    items: list[Item] = field(default_factory=list)
    rest: str = ""
    items_of_class: dict[str, list[Item]] = field(default_factory=dict)
    rest_of_class: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def feature_lists(
    results: StudyResults, evaluation: dict[str, str], features: pd.DataFrame, classes: list[str]
) -> FeatureLists:
    """Return the features of a card (`card_features`), in one list or in one of each class."""
    if len(classes) == 2 and len(features):
        return _list_of_two_classes(results, evaluation, features, classes)
    features, without = _of_nearest_class(features, classes)
    items_of_class = {}
    rest_of_class = {}
    for label in classes:
        class_features = features[features["class"] == label]
        n_shown = _FEATURES_OF_CLASS
        if len(classes) <= _FEW_CLASSES:
            n_shown = max(n_shown, _n_core_shown(class_features))
        items_of_class[label] = _items(class_features, n_shown)
        rest_of_class[label] = _rest(class_features, n_shown)
    rows = _rows_by_class(features)
    return FeatureLists(
        rows=rows,
        heading=_heading_of_first({row.label for row in rows}, classes)
        or _heading_of_nearest(features, results.noun(evaluation["dataset"])),
        items_of_class=items_of_class,
        rest_of_class=rest_of_class,
        notes=_notes_on_classes(without, results.noun(evaluation["dataset"])),
    )


def _of_nearest_class(
    features: pd.DataFrame, classes: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return the features of several classes that differ from the nearest class, and no others.

    Those of a class are in the order of this difference. Also return the classes without such
    features. Where no difference was tested, all features remain in their order.

    Examples
    --------
    >>> rows = [("a", "g1", 2.0, 0.01), ("a", "g2", -5.0, 0.001), ("b", "g1", 0.0, 1.0)]
    >>> table = pd.DataFrame(rows, columns=["class", "feature", "least_t", "least_fdr"])
    >>> shown, without = _of_nearest_class(table, ["a", "b"])
    >>> shown["feature"].tolist(), without
    (['g2', 'g1'], ['b'])
    """
    if features["least_fdr"].isna().all():
        return features, []
    differ = features[features["least_fdr"] < FDR_LEVEL]
    shown = differ.sort_values("least_t", key=lambda t: -t.abs(), kind="stable")
    with_features = set(shown["class"])
    return shown, [label for label in classes if label not in with_features]


def _heading_of_nearest(features: pd.DataFrame, feature_noun: str) -> str:
    """Return the heading of features in the order of their difference from the nearest class."""
    if features["least_fdr"].isna().all():
        return ""
    return f"{feature_noun.capitalize()}s that differ most from the nearest class; core set in bold"


def _notes_on_classes(without: Sequence[str], feature_noun: str) -> list[str]:
    """Return a sentence on the classes that no feature distinguishes from all others."""
    if not without:
        return []
    names = listed([f"“{label}”" for label in without], _MOST_NAMED)
    each = "" if len(without) == 1 else "each of "
    return [f"No {feature_noun} of the signature distinguishes {each}{names} from all others."]


def _list_of_two_classes(
    results: StudyResults, evaluation: dict[str, str], features: pd.DataFrame, classes: list[str]
) -> FeatureLists:
    """Return the one list of two classes, with directions in the class that is not the control."""
    reference = results.study.design_of(evaluation["dataset"]).reference
    (shown_position,) = shown_classes(classes, reference)
    shown_class = classes[shown_position]

    # Each feature once. In the rows of the other class the AUC is one minus the AUC in the shown
    # class, and the fold change has the other sign.
    is_other = features["class"] != shown_class
    fold_change = features["log_fold_change"]
    directions = features["direction"]
    mirrored = features.assign(
        log_fold_change=fold_change.where(~is_other, -fold_change),
        auc=features["auc"].where(~is_other, 1 - features["auc"]),
        direction=directions.where(~is_other, directions.replace(_MIRRORED)),
        position=features.groupby("class").cumcount(),
    )
    mirrored = mirrored.sort_values(["core", "position"], ascending=[False, True], kind="stable")
    distinct = mirrored.drop_duplicates("feature")

    # The same features as text and as a table.
    n_shown = max(2 * _FEATURES_OF_CLASS, _n_core_shown(distinct))
    rows = []
    for row in distinct.head(n_shown).to_dict("records"):
        meaning = _meaning_of_two(row["direction"], shown_class)
        rows.append(replace(_gene_row(row, label=""), meaning=meaning))
    noun = results.noun(evaluation["dataset"])
    n_core = int(distinct["core"].sum())
    heading = f"{noun.capitalize()}s selected most often"
    if n_core:
        heading = f"Core set of {counted(n_core, noun)} in bold"
    return FeatureLists(
        rows=rows,
        heading=f"{heading} (▲ higher in “{shown_class}”)",
        items=_items(distinct, n_shown),
        rest=_rest(distinct, n_shown),
    )


def _meaning_of_two(direction: str, label: str) -> str:
    """Return the meaning of a mark of one of two classes.

    Examples
    --------
    >>> _meaning_of_two("high", "tumour"), _meaning_of_two("equal", "tumour")
    ('higher in “tumour”', 'as in the other classes')
    """
    word = {"high": "higher", "low": "lower"}.get(direction)
    return f"{word} in “{label}”" if word else _SIGNS.get(direction, ("", ""))[1]


def card_features(results: StudyResults, evaluation: dict[str, str]) -> pd.DataFrame:
    """Return the features of each class: the core set, or the most frequent ones.

    Returns
    -------
    DataFrame
        Columns: class, feature, symbol, direction, core, share (of disjoint halves in which it is
        among the first ten of the class, or of folds that select it), of (which of these), doubt
        (why its difference is doubtful), and log_fold_change, auc, least_t and least_fdr of the
        table of genes.
    """
    dataset = evaluation["dataset"]
    classifier = evaluation["classifier"]
    if (dataset, classifier) in results.study.models:
        rows = results.tables_of("model", dataset=dataset, classifier=classifier)["signature"]
        rows = rows.sort_values(["core", "rank"], ascending=[False, True], kind="stable")
        has_halves = rows["share_of_halves"].notna().any()
        rows = rows.assign(
            share=rows["share_of_halves" if has_halves else "share_of_folds"],
            of=FIRST_OF_HALVES if has_halves else "folds",
        )
    else:  # no model of all samples, hence no core set
        rows = results.rows("selection", **evaluation)
        rows = rows.assign(core=False, share=rows["frequency"], of="folds")
    rows = rows[["class", "feature", "symbol", "direction", "core", "share", "of"]]
    genes = results.genes(dataset, *_OF_GENES)
    genes = genes[genes["feature"].isin(rows["feature"])]
    has_counts = bool(results.rows("datasets", dataset=dataset)["counts"].any())
    design = results.tables_of("genes", dataset=dataset)["design"]
    adjusted = "".join(design["adjusted"].dropna().astype(str).head(1))
    rows = rows.merge(genes, on=["class", "feature"], how="left")
    doubts = [
        doubt_of(row, has_counts=has_counts, adjusted=adjusted) for row in rows.to_dict("records")
    ]
    return rows.assign(doubt=doubts)


def doubt_of(row: Mapping[str, Any], *, has_counts: bool, adjusted: str = "") -> str:
    """Return why the difference of a feature is doubtful, in a few words; empty if it is not.

    ``row`` is of the table of genes. Of counts, features with few reads are not tested.
    ``adjusted`` are the columns for which its comparison is adjusted, separated by commas.

    Examples
    --------
    >>> doubt_of({"explained_by": "plate", "fdr": 0.01}, has_counts=False)
    'no difference with “plate” in the model'
    >>> doubt_of({"explained_by": "", "fdr": float("nan")}, has_counts=True)
    'too few reads'
    >>> doubt_of({"explained_by": "", "fdr": 0.4}, has_counts=False, adjusted="plate, age")
    'no difference with “plate” and “age” in the model'
    """
    if row["explained_by"] and pd.notna(row["explained_by"]):
        return f"no difference with “{row['explained_by']}” in the model"
    if adjusted and row["fdr"] >= FDR_LEVEL:
        names = join_words([f"“{name}”" for name in adjusted.split(", ")])
        return f"no difference with {names} in the model"
    return "too few reads" if has_counts and pd.isna(row["fdr"]) else ""


def _rows_by_class(features: pd.DataFrame) -> list[GeneRow]:
    """Return the first features of each class, class after class: C1, C2, ..., C10.

    Of features that were not tested against the nearest class, those are first whose AUC is
    farthest from one half, because they separate this class from the others; the core set is the
    same for every class.
    """
    n_classes = max(1, features["class"].nunique())
    n_rows = max(1, min(_MOST_ROWS_OF_CLASS, _MOST_TABLE_ROWS // n_classes))
    ranked = features
    if features["least_fdr"].isna().all():
        ranked = features.assign(separation=(features["auc"] - 0.5).abs()).sort_values(
            ["core", "share", "separation"], ascending=False, kind="stable"
        )
    ranked = ranked.sort_values("class", key=lambda labels: labels.map(natural_key), kind="stable")
    first = ranked[ranked.groupby("class").cumcount() < n_rows].head(_MOST_TABLE_ROWS)
    return [_gene_row(row, label=str(row["class"])) for row in first.to_dict("records")]


def _gene_row(row: dict[str, object], label: str) -> GeneRow:
    """Return a row of the table of a card, from a row of `card_features`."""
    mark, meaning = _SIGNS.get(str(row["direction"]), ("", ""))
    has_symbol = bool(row["symbol"]) and row["symbol"] != row["feature"]
    return GeneRow(
        name=str(row["symbol"] if has_symbol else row["feature"]),
        feature_id=str(row["feature"]) if has_symbol else "",
        label=label,
        mark=mark,
        meaning=meaning,
        change=float(row["log_fold_change"]),  # type: ignore[arg-type]
        auc=float(row["auc"]),  # type: ignore[arg-type]
        share=float(row["share"]),  # type: ignore[arg-type]
        core=bool(row["core"]),
        note=str(row["doubt"]),
    )


def _n_core_shown(features: pd.DataFrame) -> int:
    """Return how many features of the core set a card names."""
    return min(int(features["core"].sum()), _MOST_CORE_FEATURES)


def _items(features: pd.DataFrame, n_shown: int) -> list[Item]:
    """Return the first features as items of a list."""
    return [_item(row) for row in features.head(n_shown).to_dict("records")]


def _rest(features: pd.DataFrame, n_shown: int) -> str:
    """Return how many features follow the first ones, in words; empty if there are none.

    Examples
    --------
    >>> _rest(pd.DataFrame({"feature": ["a", "b", "c"]}), n_shown=2)
    'and 1 other'
    """
    n_others = len(features) - n_shown
    return f"and {counted(n_others, 'other')}" if n_others > 0 else ""


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


def _heading_of_first(shown: Collection[str], classes: Sequence[str]) -> str:
    """Return the heading of a table without rows for all of many classes; empty for few.

    Examples
    --------
    >>> classes = [f"C{i}" for i in range(24)]
    >>> _heading_of_first(classes[:20], classes), _heading_of_first({"a"}, ["a"])
    ('First of each class, 20 of 24 classes; core set in bold', '')
    """
    if not shown or len(shown) == len(classes) or len(classes) <= _MOST_TABLE_ROWS:
        return ""
    return f"First of each class, {len(shown)} of {len(classes)} classes; core set in bold"
