"""A card for each data set: verdict, genes, the most serious finding, and what to do next."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.data.controls import shown_classes
from xnbflow.inference.verdicts import LEAST_REPLICATED
from xnbflow.report.levels import LEVELS, SUPPORTED
from xnbflow.report.next_steps import next_steps
from xnbflow.report.numbers import capitalized, format_count, format_number
from xnbflow.report.page.blocks import Card, ClassLine, Figure, GeneRow, Item, Tile
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.audit import most_serious
from xnbflow.report.sections.signature import core_boxes, heatmap_figure
from xnbflow.report.sentences import (
    level_of,
    limits,
    priors_sentence,
    tests_sentence,
    verdict_sentence,
)
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("cards")
#: Features of each class that a card names, and most of them if they are a core set.
_FEATURES_OF_CLASS = 6
_MOST_CORE_FEATURES = 16
#: Classes up to which the whole core set is named for each.
_FEW_CLASSES = 4
#: Most rows of the table of a card of several classes.
_MOST_ROWS = 20
#: Most rows of one class in that table.
_MOST_ROWS_OF_CLASS = 4
#: Share of random signatures as accurate as the selected features; above it a card has a caution.
_MANY_RANDOM = 0.05
#: Classes whose lists are the mirror image of each other.
_TWO = 2
#: Recall above which a class that is not recognised with certainty is not "by chance".
_HALF = 0.5
#: Marks of the direction of a feature in a class, with their meaning.
_SIGNS = {
    "high": ("▲", "higher than in every other class"),
    "low": ("▼", "lower than in every other class"),
    "between": ("◆", "between the other classes"),
    "equal": ("=", "as in the other classes"),
}
#: The estimates of a card, their labels and formats; chance and baseline are in the verdict.
_ESTIMATES = {
    "balanced_accuracy": ("Balanced accuracy", ".1%"),
    "accuracy": ("Accuracy", ".1%"),
    "roc_auc": ("AUC", ".2f"),
}
#: Estimates that are tiles: label and format.
_TILES = {"balanced_accuracy": ("Balanced accuracy", ".0%"), "roc_auc": ("AUC", ".2f")}
_TILE_MEANINGS = {"balanced_accuracy": _TEXTS["balanced_accuracy"], "roc_auc": _TEXTS["auc"]}
CAPTION = _TEXTS["caption"]
NO_FEATURES = _TEXTS["no_features"]


def card(results: StudyResults, dataset: str, folds: str, classifier: str) -> Card:
    """Return the card of one data set."""
    evaluation = {"dataset": dataset, "folds": folds, "classifier": classifier}
    estimates = results.rows("estimates", **evaluation, folds_failed=0).set_index("metric")
    stability = results.rows("stability", **evaluation).set_index("class")
    level = level_of(results, evaluation)
    supported = level in SUPPORTED
    finding = most_serious(results, dataset)
    about = results.rows("datasets", dataset=dataset).iloc[0]
    features = card_features(results, evaluation)
    lists = _lists_of_features(results, evaluation, features)
    shares = features["of"].unique().tolist()

    # The estimates with their intervals; several classes have several AUCs, of which none is shown.
    facts = {}
    for metric, (label, spec) in _ESTIMATES.items():
        if estimates.index.tolist().count(metric) == 1:
            row = estimates.loc[metric]
            names = ("estimate", "lower", "upper")
            estimate, lower, upper = (format_number(row[name], spec) for name in names)
            facts[label] = f"{estimate} ({lower} to {upper})"
    facts |= _selection_facts(results, evaluation, stability)

    # What makes the result or its features doubtful, the gravest first.
    warnings = []
    if finding is not None:
        warnings.append(f"{finding.short} See the audit.")
    comparison = _random_signatures(results, evaluation, supported=supported)
    if len(features) and comparison and comparison.many:
        warnings.append(comparison.sentence)

    # The tests of the verdict, a caution, the gravest finding, and what to do next.
    details = {}
    if tests := tests_sentence(results, evaluation):
        details["Tests"] = tests
    if comparison:
        details[f"Random {results.noun(dataset)}s"] = comparison.sentence
    if finding is not None:
        details["Audit"] = finding.sentence
    next_step = "; ".join(next_steps(results, evaluation))
    if next_step:
        next_step = f"{capitalized(next_step)}."
        details["Next"] = next_step

    return Card(
        title=results.with_folds(dataset, folds),
        note=size_in_words(about),
        verdict=verdict_sentence(results, evaluation),
        level=LEVELS[level],
        facts=facts,
        lines=lists.lines,
        rule="rule",
        details=details,
        of=lists.heading,
        genes=lists.items,
        rest=lists.rest,
        figure=card_figure(results, evaluation, features),
        badge=capitalized(level),
        short=_short_reason(results, evaluation, level),
        tiles=[
            *_estimate_tiles(estimates),
            *_selection_tiles(results, evaluation, features, stability),
        ],
        rows=lists.rows,
        share_of=shares[0] if len(shares) == 1 else "",
        noun=results.noun(dataset),
        warnings=warnings,
        next_step=next_step,
        anchor=f"card-{dataset}-{folds}",
    )


def _selection_facts(
    results: StudyResults, evaluation: dict[str, str], stability: pd.DataFrame
) -> dict[str, str]:
    """Return the number of features and the stability of their selection."""
    facts = {}
    number = _features_per_class(results, evaluation)
    if not np.isnan(number):
        facts[f"{results.noun(evaluation['dataset']).capitalize()}s per class"] = format_count(
            number
        )
    if "" not in stability.index:
        return facts
    of_any_class = stability.loc[""]
    index = _stability_of_verdict(of_any_class)
    if index is not None:
        facts["Stability"] = f"{index.value:z.2f} [{index.lower:z.2f}, {index.upper:z.2f}]"
    elif pd.notna(of_any_class["stability"]):
        facts["Agreement between folds"] = f"{of_any_class['stability']:z.2f}"
    return facts


def _features_per_class(results: StudyResults, evaluation: dict[str, str]) -> float:
    """Return how many features of a class the folds select on average; missing without any."""
    summary = results.rows("summary", **evaluation, metric="features_per_class", folds_failed=0)
    means = summary["mean"].dropna()
    return float(means.iloc[0]) if len(means) else np.nan


def size_in_words(about: pd.Series) -> str:
    """Return a data set's size in words, with its groups."""
    groups = ""
    if pd.notna(about["groups"]):
        groups = f" of {counted(int(about['groups']), 'group')} (patients, batches)"
    parts = [
        f"{counted(about['samples'], 'sample')}{groups}",
        counted(about["features"], "feature"),
        counted(about["classes"], "class"),
    ]
    if about["missing"]:
        parts.append("missing values filled in")
    return ", ".join(parts)


@dataclass(frozen=True, kw_only=True)
class _Lists:
    """The features of a card, as a table (``rows``) and as text.

    Of two classes one list has the features of both, with a ``heading``, its ``items`` and, in
    words, the ``rest``; of several classes each of the ``lines`` has its own.
    """

    lines: list[ClassLine]
    rows: list[GeneRow]
    heading: str
    items: list[Item]
    rest: str


def _lists_of_features(
    results: StudyResults, evaluation: dict[str, str], features: pd.DataFrame
) -> _Lists:
    """Return the features of a card; two classes are seen from the one that is not the control."""
    recalls = results.rows("estimates", **evaluation, metric="recall")
    by_priors = results.rows("equal_priors", **evaluation).set_index("class").to_dict("index")
    notes = results.rows("stability", **evaluation).set_index("class")["note"]
    classes = recalls["class"].tolist()
    mirrored = len(classes) == _TWO and len(features) > 0
    few = len(classes) <= _FEW_CLASSES
    lines = []
    for recall in recalls.to_dict("records"):
        of_class = features[features["class"] == recall["class"]]
        items, rest = _items(of_class[:0] if mirrored else of_class, _FEATURES_OF_CLASS, few=few)
        line = ClassLine(
            name=recall["class"],
            note=f"n = {recall['samples']:,}",
            share=recall["estimate"],
            lower=recall["lower"],
            upper=recall["upper"],
            items=items,
            rest=rest,
            warning=class_warning(
                recall, notes.get(recall["class"], ""), by_priors.get(recall["class"])
            ),
        )
        lines.append(line)

    # Several classes: each has its list.
    if not mirrored:
        rows = rows_by_class(features)
        heading = heading_of_first({row.label for row in rows}, classes)
        return _Lists(lines=lines, rows=rows, heading=heading, items=[], rest="")

    # Two classes: one list, seen from the class that is not the control.
    reference = results.study.design_of(evaluation["dataset"]).reference
    side = classes[shown_classes(classes, reference)[-1]]

    # Each feature once, its change and direction seen from this side: the AUC of the other class is
    # one minus that of the side, and its fold change has the other sign.
    other = features["class"] != side
    mirror = {"high": "low", "low": "high"}
    seen = features.assign(
        log_fold_change=features["log_fold_change"].where(~other, -features["log_fold_change"]),
        auc=features["auc"].where(~other, 1 - features["auc"]),
        direction=features["direction"].where(~other, features["direction"].replace(mirror)),
        position=features.groupby("class").cumcount(),
    )
    seen = seen.sort_values(["core", "position"], ascending=[False, True], kind="stable")
    common = seen.drop_duplicates("feature")

    items, rest = _items(common, 2 * _FEATURES_OF_CLASS, few=few)
    noun = results.noun(evaluation["dataset"])
    n_core = int(common["core"].sum())
    heading = f"{noun.capitalize()}s selected most often"
    if n_core:
        heading = f"Core set of {counted(n_core, noun)} in bold"
    return _Lists(
        lines=lines,
        rows=[_row(row, label="") for row in common.head(len(items)).to_dict("records")],
        heading=f"{heading} (▲ higher in “{side}”)",
        items=items,
        rest=rest,
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
    n_rows = max(1, min(_MOST_ROWS_OF_CLASS, _MOST_ROWS // n_classes))
    ranked = features.assign(separation=(features["auc"] - 0.5).abs())
    ranked = ranked.sort_values(
        ["class", "core", "share", "separation"],
        ascending=[True, False, False, False],
        kind="stable",
    )
    first = ranked[ranked.groupby("class").cumcount() < n_rows].head(_MOST_ROWS)
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


def _short_reason(results: StudyResults, evaluation: dict[str, str], level: str) -> str:
    """Return the main reason of a verdict in one short sentence."""
    against = limits(results, evaluation)
    if not against:
        return _TEXTS["supported"] if level == "well supported" else ""
    n_others = len(against) - 1
    rest = f" ({counted(n_others, 'further reason')} below)" if n_others else ""
    return f"{capitalized(against[0])}{rest}."


def _estimate_tiles(estimates: pd.DataFrame) -> Iterator[Tile]:
    """Yield the balanced accuracy and the AUC with their intervals; several AUCs have no tile."""
    for metric, (label, spec) in _TILES.items():
        if estimates.index.tolist().count(metric) != 1:
            continue
        row = estimates.loc[metric]
        chance = row["reference"] if metric == "balanced_accuracy" else 0.5
        interval = f"{format_number(row['lower'], spec)} to {format_number(row['upper'], spec)}"
        yield Tile(
            label=label,
            text=format_number(row["estimate"], spec),
            value=float(row["estimate"]),
            lower=float(row["lower"]),
            upper=float(row["upper"]),
            reference=float(chance),
            meaning=_TILE_MEANINGS[metric],
            note=f"95% interval {interval}; chance {chance:{spec}}",
        )


def _selection_tiles(
    results: StudyResults,
    evaluation: dict[str, str],
    features: pd.DataFrame,
    stability: pd.DataFrame,
) -> Iterator[Tile]:
    """Yield the number of features, and how far disjoint halves of the samples agree on them."""
    noun = results.noun(evaluation["dataset"])
    number = _features_per_class(results, evaluation)
    core_size = features.loc[features["core"].astype(bool), "feature"].nunique()
    if not np.isnan(number) and core_size:
        # Of more than two classes the core is of all, and may be larger than the list of one.
        of_all = "of all classes; " if features["class"].nunique() > _TWO else ""
        yield Tile(
            label=f"Core {noun}s",
            text=f"{core_size:,}",
            note=f"{of_all}{number:,.0f} used per class",
            meaning=_TEXTS["core"],
        )
    elif not np.isnan(number):
        yield Tile(
            label=f"{noun.capitalize()}s per class", text=f"{number:,.0f}", note="mean over folds"
        )
    if "" in stability.index:
        yield from stability_tile(stability.loc[""])


@dataclass(frozen=True, kw_only=True)
class _Stability:
    """An index of stability with its 95% interval, of what it is, and the text that explains it."""

    value: float
    lower: float
    upper: float
    of: str
    meaning: str


def _stability_of_verdict(stability: pd.Series) -> _Stability | None:
    """Return the index that the verdict uses: replicated features, else the agreement of all.

    ``stability`` is a row of the table of this name. The result is None without disjoint halves.
    """
    if pd.notna(stability.get("replicated")):
        return _Stability(
            value=float(stability["replicated"]),
            lower=float(stability["replicated_lower"]),
            upper=float(stability["replicated_upper"]),
            of="first features that disjoint halves find again",
            meaning="replicated_features",
        )
    if pd.notna(stability["halves"]):
        return _Stability(
            value=float(stability["halves"]),
            lower=float(stability["halves_lower"]),
            upper=float(stability["halves_upper"]),
            of="disjoint halves",
            meaning="stability",
        )
    return None


def stability_tile(stability: pd.Series) -> Iterator[Tile]:
    """Yield the stability (of disjoint halves), else the agreement between folds.

    Folds share training samples and agree more, so that the number has another name.
    """
    index = _stability_of_verdict(stability)
    if index is not None:
        yield Tile(
            label="Stability",
            meaning=_TEXTS[index.meaning],
            text=f"{index.value:z.2f}",
            value=index.value,
            lower=index.lower,
            upper=index.upper,
            reference=LEAST_REPLICATED,
            note=(
                f"{index.of}, 95% interval {index.lower:z.2f} to {index.upper:z.2f}; "
                f"stable from {LEAST_REPLICATED:g}"
            ),
        )
    elif pd.notna(stability["stability"]):
        yield Tile(
            label="Agreement between folds",
            meaning=_TEXTS["stability"],
            text=f"{stability['stability']:z.2f}",
            value=float(stability["stability"]),
            note="folds share training samples",
        )


@dataclass(frozen=True)
class _RandomSignatures:
    """How many random signatures are as accurate in a sentence, and whether these are many."""

    sentence: str
    many: bool


def _random_signatures(
    results: StudyResults, evaluation: dict[str, str], *, supported: bool
) -> _RandomSignatures | None:
    """Return the comparison with random signatures; None where none was made.

    Without a signal random signatures are as accurate as any others, which means nothing: there is
    no caution then.
    """
    rows = results.rows(
        "random_genes", dataset=evaluation["dataset"], classifier=evaluation["classifier"]
    )
    if rows.empty:
        return None
    row = rows.iloc[0]
    noun = results.noun(evaluation["dataset"])
    sentence = (
        f"In Gaussian naive Bayes {row['as_good_random']} of {row['signatures']} random signatures "
        f"of equal size reach the {row['selected_score']:.1%} of the selected {noun}s"
    )
    many = bool(supported and row["as_good_random"] > _MANY_RANDOM * row["signatures"])
    if many:
        sentence += f": many {noun}s carry this signal, and this list is one of many"
    return _RandomSignatures(f"{sentence}.", many)


def card_figure(
    results: StudyResults, evaluation: dict[str, str], features: pd.DataFrame
) -> Figure | None:
    """Return the heat map of the core set, or the points of its only gene."""
    dataset = evaluation["dataset"]
    classifier = evaluation["classifier"]
    if not features["core"].any() or evaluation["folds"] != results.study.folds[0]:
        return None
    tables = results.model(dataset, classifier)
    core = features.loc[features["core"].astype(bool), "feature"]
    cells = tables["heatmap"]
    cells = cells[cells["feature"].isin(core)]
    if cells["row"].nunique() < _TWO:
        boxes = core_boxes(results, dataset, classifier, most=1)
        caption = f"The core {results.noun(dataset)}: samples, quartiles and median of each class."
        return replace(boxes[0], name=f"{boxes[0].name}-card", caption=caption) if boxes else None
    row_numbers = np.unique(cells["row"], return_inverse=True)[1]
    return heatmap_figure(
        name=f"core-{dataset}-{classifier}",
        cells=cells.assign(row=row_numbers),
        caption=results.worded(_TEXTS["core_heatmap"], dataset),
        sources=tables.sources("heatmap"),
        n_samples=int(results.rows("datasets", dataset=dataset)["samples"].iloc[0]),
        phenotype=results.rows("components", dataset=dataset),
    )


def class_warning(
    recall: dict[str, object], note: str, by_priors: Mapping[str, float] | None = None
) -> str:
    """Return why the features of a class are unreliable; empty if they are reliable.

    ``by_priors`` is the row of the class in the table ``equal_priors``, None without one.
    """
    if note == "one sample":
        return "A single sample: this class cannot be learned."
    if not recall["above"]:
        estimate = float(recall["estimate"])  # type: ignore[arg-type]
        reason = "Not recognised more often than by chance"
        if estimate == 0:
            reason = "Never recognised"
        elif estimate > _HALF:
            reason = "Its interval includes chance"
        if recall["taken_for"]:
            reason += f"; most often mistaken for “{recall['taken_for']}”"
        return " ".join(filter(None, [f"{reason}.", priors_sentence(by_priors)]))
    if note == "constant":
        return "Selected because a class hardly varies in them: see the densities."
    return ""
