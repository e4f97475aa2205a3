"""A card for each data set: verdict, genes, the most serious finding, and what to do next."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.data.controls import shown_classes
from xnbflow.report.next_steps import next_steps
from xnbflow.report.page.blocks import Card, Figure, GeneRow, Item, Line, Tile
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.audit import most_serious
from xnbflow.report.sections.signature import core_boxes, heatmap_figure
from xnbflow.report.sentences import contradictions, reasons, verdict

#: Features on a card per class if a model has a core set, and if it has none.
_MOST_CORE, _MOST_NAMED = 16, 6
#: Least share of random signatures for a caution on a card.
_MANY_RANDOM = 0.05
_TWO = 2
#: Classes up to which the whole core set is named for each.
_FEW_CLASSES = 4
_SIGNS = {
    "high": ("▲", "higher than in every other class"),
    "low": ("▼", "lower than in every other class"),
    "between": ("◆", "between the other classes"),
    "equal": ("=", "as in the other classes"),
}
_RECALL = "Per class: its recall on samples outside the training samples, with the 95% interval"
CAPTION = (
    f"{_RECALL}. {{Noun}}s: in bold the core set of the model of all samples, the short list to "
    "measure; others by rank, or by how often they are selected. ▲ higher, ▼ lower than in every "
    "other class, ◆ between them; log2 fold change (LFC), area under the ROC curve of the {noun} "
    "alone (AUC), and the share of half-samples (or of folds) that select it."
)
NO_FEATURES = f"{_RECALL}. No classifier of this study selects features."
_CORE_HEATMAP = (
    "{Noun}s of the core set among the best of the signature, standardised; samples class by "
    "class. They were selected on these samples, so that the classes differ here in any case."
)


def card(results: StudyResults, dataset: str, folds: str, classifier: str) -> Card:
    """Return the card of one data set."""
    where = {"dataset": dataset, "folds": folds, "classifier": classifier}
    stability = results.rows("stability", **where).set_index("class")
    found = results.rows("estimates", **where, folds_failed=0).set_index("metric")
    recalls, facts = results.rows("estimates", **where, metric="recall"), {}
    for metric, (name, spec) in _SHOWN.items():
        if found.index.tolist().count(metric) == 1:  # several classes have several curves
            row = found.loc[metric]
            limits = f"({row['lower']:{spec}} to {row['upper']:{spec}})"
            facts[name] = f"{row['estimate']:{spec}} {limits}"
    facts |= _facts(results, where, stability)
    support = verdict(results, where)
    genes = _genes(results, where)
    classes, notes = recalls["class"].tolist(), stability["note"]
    mirrored = len(classes) == _TWO and len(genes) > 0
    few = len(classes) <= _FEW_CLASSES
    about = results.rows("datasets", dataset=dataset).iloc[0]
    side = classes[shown_classes(classes, about["control"])[-1]]
    common = _of_two(genes, side) if mirrored else genes[:0]
    named, rest = _items(common, 2 * _MOST_NAMED, few=few)
    lines = []
    for row in recalls.to_dict("records"):
        features = genes[:0] if mirrored else genes[genes["class"] == row["class"]]
        warning = _warning(row, notes.get(row["class"], ""))
        shown = _items(features, _MOST_NAMED, few=few)
        interval = (row["estimate"], row["lower"], row["upper"])
        lines.append(Line(row["class"], f"{row['samples']:,}", *interval, *shown, warning))
    noun = results.noun(dataset)
    rows = _rows(common if mirrored else genes, mirrored=mirrored)
    shares = set(genes["of"]) if len(genes) else set()
    return Card(
        results.place(dataset, folds),
        _size(about),
        support.sentence,
        LEVELS[support.level],
        facts,
        lines,
        "rule",
        dict(_details(results, where, support.tests, supported=support.level != "not supported")),
        _heading(common, side, noun) if mirrored else "",
        named,
        rest,
        _figure(results, where, genes),
        badge=support.level.capitalize(),
        short=_short_reason(results, where, support.level),
        tiles=[*_estimate_tiles(found), *_selection_tiles(results, where, genes, stability)],
        rows=rows,
        share_of=shares.pop() if len(shares) == 1 else "",
        noun=noun,
        warnings=_warnings(results, where, genes, supported=support.level != "not supported"),
        next_step=_next(results, where),
        anchor=f"card-{dataset}-{folds}",
    )


#: Rows of the table of a card, and those of each of several classes.
_MOST_ROWS, _MOST_OF_CLASS = 10, 4


def _rows(genes: pd.DataFrame, *, mirrored: bool) -> list[GeneRow]:
    """Return the first features of a card: of two classes together, else of each class."""
    if mirrored:
        shown = genes.head(_MOST_ROWS)
    else:
        each = max(1, min(_MOST_OF_CLASS, 2 * _MOST_ROWS // max(1, genes["class"].nunique())))
        # the core set is the same for every class: the features come first that tell this class
        order = genes.assign(apart=(genes["auc"] - 0.5).abs())
        columns = ["class", "core", "share", "apart"]
        order = order.sort_values(columns, ascending=[True, False, False, False], kind="stable")
        shown = order[order.groupby("class").cumcount() < each].head(2 * _MOST_ROWS)
    rows = []
    for row in shown.to_dict("records"):
        mark, meaning = _SIGNS.get(str(row["direction"]), ("", ""))
        named = bool(row["symbol"]) and row["symbol"] != row["feature"]
        rows.append(
            GeneRow(
                name=str(row["symbol"] if named else row["feature"]),
                beside=str(row["feature"]) if named else "",
                label="" if mirrored else str(row["class"]),
                mark=mark,
                meaning=meaning,
                change=float(row["log_fold_change"]),
                auc=float(row["auc"]),
                share=float(row["share"]),
                core=bool(row["core"]),
            )
        )
    return rows


def _short_reason(results: StudyResults, where: dict[str, str], level: str) -> str:
    """Return the main reason of a verdict in one short sentence."""
    if results.rows("estimates", **where, folds_failed=0).empty:
        return "A fold could not be fitted."
    against = reasons(results, where)
    against += contradictions(results, where["dataset"], where["classifier"])
    if not against:
        return _SUPPORTED if level == "well supported" else ""
    rest = f" (and {len(against) - 1} more)" if len(against) > 1 else ""
    return f"{against[0][:1].upper()}{against[0][1:]}{rest}."


_SUPPORTED = "The classes are recognised, and halves of the samples select similar features."


#: Estimates that are tiles: label, format and meaning.
_TILES = {
    "balanced_accuracy": ("Balanced accuracy", ".0%", "Mean recall of the classes in new samples."),
    "roc_auc": (
        "AUC",
        ".2f",
        "How often a sample of the second class gets a higher probability than one of the first.",
    ),
}
_STABILITY = "Nogueira’s index: 1 where all selections are the same, about 0 where they are random."
_CORE = "The short list to measure, chosen by the model of all samples."


def _estimate_tiles(found: pd.DataFrame) -> Iterator[Tile]:
    """Yield the balanced accuracy and the AUC with their intervals; several AUCs have no tile."""
    for metric, (label, spec, meaning) in _TILES.items():
        if found.index.tolist().count(metric) != 1:
            continue
        row = found.loc[metric]
        chance = row["reference"] if metric == "balanced_accuracy" else 0.5
        yield Tile(
            label=label,
            text=f"{row['estimate']:{spec}}",
            value=float(row["estimate"]),
            lower=float(row["lower"]),
            upper=float(row["upper"]),
            reference=float(chance),
            meaning=meaning,
            note=f"95% interval {row['lower']:{spec}} to {row['upper']:{spec}}; chance "
            f"{chance:{spec}}",
        )


def _selection_tiles(
    results: StudyResults, where: dict[str, str], genes: pd.DataFrame, stability: pd.DataFrame
) -> Iterator[Tile]:
    """Yield the number of features, and how far disjoint halves of the samples agree on them."""
    noun = results.noun(where["dataset"])
    summary = results.rows("summary", **where, metric="features_per_class", folds_failed=0)
    used = summary["mean"].dropna()
    core = genes.loc[genes["core"].astype(bool), "feature"].nunique()
    if len(used):
        size = f"{used.iloc[0]:,.0f}"
        if core:
            yield Tile(
                label=f"Core {noun}s",
                text=f"{core:,}",
                note=f"{size} used per class",
                meaning=_CORE,
            )
        else:
            yield Tile(label=f"{noun.capitalize()}s per class", text=size, note="mean over folds")
    if "" not in stability.index:
        return
    row = stability.loc[""]
    if pd.notna(row["halves"]):
        lower, upper = row["halves_lower"], row["halves_upper"]
        yield Tile(
            label="Stability",
            meaning=_STABILITY,
            text=f"{row['halves']:z.2f}",
            value=float(row["halves"]),
            lower=float(lower),
            upper=float(upper),
            reference=0.4,
            note=f"disjoint halves, 95% interval {lower:z.2f} to {upper:z.2f}; stable from .4",
        )
    elif pd.notna(row["stability"]):
        value = float(row["stability"])
        yield Tile(
            label="Stability",
            meaning=_STABILITY,
            text=f"{value:z.2f}",
            value=value,
            note="agreement of overlapping folds",
        )


#: Text in brackets, which may contain brackets.
_BRACKETS = re.compile(r" \((?:[^()]|\([^()]*\))*\)")
#: Letters from which on text in brackets is an enumeration that the table of the audit has.
_LONG = 40


def _first_sentence(finding: str) -> str:
    """Return the first sentence of a finding of the audit, without long enumerations."""
    short = _BRACKETS.sub(lambda found: "" if len(found[0]) >= _LONG else found[0], finding)
    first = short.partition(". ")[0].removesuffix(".")
    return f"{first[:1].upper()}{first[1:]}."


def _warnings(
    results: StudyResults, where: dict[str, str], genes: pd.DataFrame, *, supported: bool
) -> list[str]:
    """Return what makes the result or its features doubtful, the gravest first."""
    found = []
    if finding := most_serious(results, where["dataset"]):
        found.append(f"{_first_sentence(finding)} See the audit.")
    if len(genes) and (random := _random(results, where, supported=supported)):
        text, many = random
        if many:
            found.append(text)
    return found


def _random(
    results: StudyResults, where: dict[str, str], *, supported: bool
) -> tuple[str, bool] | None:
    """Return how many random signatures are as accurate, and whether these are many."""
    noun = results.noun(where["dataset"])
    own = {"dataset": where["dataset"], "classifier": where["classifier"]}
    for row in results.rows("random_genes", **own).head(1).to_dict("records"):
        found = f"{row['as_good_random']} of {row['signatures']} random signatures of equal size"
        many = supported and row["as_good_random"] > _MANY_RANDOM * row["signatures"]
        meaning = f": many {noun}s carry this signal, and this list is one of many" if many else ""
        return f"{found} are as accurate{meaning}.", many
    return None


def _next(results: StudyResults, where: dict[str, str]) -> str:
    """Return the next steps in a sentence."""
    steps = "; ".join(next_steps(results, where))
    return f"{steps[:1].upper()}{steps[1:]}." if steps else ""


def _heading(features: pd.DataFrame, last: str, noun: str) -> str:
    """Return the heading of the list of two classes, with the number of those in the core set."""
    core = len(features[features["core"]])
    of = f"{noun.capitalize()}s selected most often"
    if core:
        of = f"Core set of {counted(core, noun)} in bold"
    return f"{of} (▲ higher in “{last}”)"


def _items(genes: pd.DataFrame, least: int, *, few: bool) -> tuple[list[Item], str]:
    """Return the core features, or the first ones, and in words how many others have a weight."""
    most = max(least, min(len(genes[genes["core"]]), _MOST_CORE)) if few else least
    rest = len(genes) - most
    items = [_item(row) for row in genes.head(most).to_dict("records")]
    return items, f"and {rest:,} others" if rest > 0 else ""


def _genes(results: StudyResults, where: dict[str, str]) -> pd.DataFrame:
    """Return the features of each class: the core set, or the most frequent ones.

    Columns: class, feature, symbol, direction, core, share, of (what the share is of), and
    log_fold_change and auc of the table of genes.
    """
    dataset, classifier = where["dataset"], where["classifier"]
    if (dataset, classifier) in results.study.models:
        rows = results.model(dataset, classifier)["signature"]
        rows = rows.sort_values(["core", "rank"], ascending=[False, True], kind="stable")
        halved = rows["share_of_halves"].notna().any()
        share, of = rows["share_of_halves" if halved else "share_of_folds"], "half-samples"
        rows = rows.assign(share=share, of=of if halved else "folds")
    else:
        selection = results.rows("selection", **where)
        profiles = results.rows("profiles", **where)
        columns = ["class", "feature", "direction", "symbol"]
        rows = selection.merge(profiles[columns], on=["class", "feature"], how="left")
        rows = rows.assign(core=False, share=rows["frequency"], of="folds")
    rows = rows[["class", "feature", "symbol", "direction", "core", "share", "of"]]
    tested = results.genes(dataset, "class", "feature", "log_fold_change", "auc")
    tested = tested[tested["feature"].isin(rows["feature"])]
    return rows.merge(tested, on=["class", "feature"], how="left")


def _of_two(genes: pd.DataFrame, last: str) -> pd.DataFrame:
    """Return each feature of two classes once, its change and direction seen from the second."""
    mirror = {"high": "low", "low": "high"}
    other = genes["class"] != last
    seen = genes.assign(
        log_fold_change=genes["log_fold_change"].where(~other, -genes["log_fold_change"]),
        auc=genes["auc"].where(~other, 1 - genes["auc"]),
        direction=genes["direction"].where(~other, genes["direction"].replace(mirror)),
        place=genes.groupby("class").cumcount(),
    )
    seen = seen.sort_values(["core", "place"], ascending=[False, True], kind="stable")
    return seen.drop_duplicates("feature")


def _item(row: dict[str, object]) -> Item:
    """Return a feature of a list, with its gene symbol if it has one."""
    mark, meaning = _SIGNS.get(str(row["direction"]), ("", ""))
    feature, symbol = row["feature"], row["symbol"]
    numbers = [
        f"{name} {format(row[column], spec)}"
        for name, column, spec in (("LFC", "log_fold_change", "+.1f"), ("AUC", "auc", ".2f"))
        if pd.notna(row[column])
    ]
    if pd.notna(row["share"]):
        numbers.append(f"{row['share']:.0%} of {row['of']}")
    name = f"{symbol} ({feature})" if symbol and symbol != feature else str(feature)
    return Item(name, mark, ", ".join(numbers), meaning, bool(row["core"]))


def _figure(results: StudyResults, where: dict[str, str], genes: pd.DataFrame) -> Figure | None:
    """Return the heat map of the core set, or the points of its only gene."""
    dataset, classifier = where["dataset"], where["classifier"]
    if not genes["core"].any() or where["folds"] != results.study.folds[0]:
        return None
    tables = results.model(dataset, classifier)
    drawn = tables["heatmap"]
    drawn = drawn[drawn["feature"].isin(genes.loc[genes["core"], "feature"])]
    if drawn["row"].nunique() < _TWO:
        boxes = core_boxes(results, dataset, classifier, most=1)
        caption = f"The core {results.noun(dataset)}: samples, quartiles and median of each class."
        return replace(boxes[0], name=f"{boxes[0].name}-card", caption=caption) if boxes else None
    rows = np.unique(drawn["row"], return_inverse=True)[1]
    n_samples = int(results.rows("datasets", dataset=dataset)["samples"].iloc[0])
    name, files = f"core-{dataset}-{classifier}", tables.sources("heatmap")
    phenotype = results.rows("components", dataset=dataset)
    drawn = drawn.assign(row=rows)
    caption = results.worded(_CORE_HEATMAP, dataset)
    return heatmap_figure(name, drawn, caption, files, n_samples, phenotype)


def _details(
    results: StudyResults, where: dict[str, str], tests: str, *, supported: bool
) -> Iterator[tuple[str, str]]:
    """Yield the tests of the verdict, the gravest finding, a caution, and what to do next."""
    if tests:
        yield "Tests", tests
    if random := _random(results, where, supported=supported):
        yield f"Random {results.noun(where['dataset'])}s", random[0]
    if finding := most_serious(results, where["dataset"]):
        yield "Audit", finding
    if step := _next(results, where):
        yield "Next", step


def _size(row: pd.Series) -> str:
    """Return a data set's size in words, with its groups."""
    groups, filled = row["groups"], ", missing values filled in" if row["missing"] else ""
    of = f" of {counted(int(groups), 'group')} (patients, batches)" if pd.notna(groups) else ""
    sizes = f"{counted(row['features'], 'feature')}, {counted(row['classes'], 'class')}"
    return f"{counted(row['samples'], 'sample')}{of}, {sizes}{filled}"


def _facts(results: StudyResults, where: dict[str, str], stability: pd.DataFrame) -> dict[str, str]:
    """Return the number of features and the stability of their selection."""
    summary = results.rows("summary", **where, metric="features_per_class", folds_failed=0)
    means, facts = summary["mean"].dropna(), {}
    if len(means):
        mean = float(means.iloc[0])
        noun = results.noun(where["dataset"]).capitalize()
        facts[f"{noun}s per class"] = f"{mean:,.0f}" if mean.is_integer() else f"{mean:,.1f}"
    if "" not in stability.index:
        return facts
    row = stability.loc[""]
    if pd.notna(row["halves"]):
        interval = f"[{row['halves_lower']:.2f}, {row['halves_upper']:.2f}]"
        facts["Stability (disjoint halves)"] = f"{row['halves']:z.2f} {interval}"
    elif pd.notna(row["stability"]):
        facts["Agreement between folds"] = f"{row['stability']:z.2f}"
    return facts


#: The estimates of a card, their labels and formats; chance and baseline are in the verdict.
_SHOWN = {
    "balanced_accuracy": ("Balanced accuracy", ".1%"),
    "accuracy": ("Accuracy", ".1%"),
    "roc_auc": ("AUC", ".2f"),
}
#: Classes of the page's style by the level of a verdict, the best first.
LEVELS: dict[str, Literal["good", "fair", "poor"]] = {
    "well supported": "good",
    "partly supported": "fair",
    "not supported": "poor",
}


#: Recall above which a class that is not recognised with certainty is not "by chance".
_HALF = 0.5


def _warning(recall: pd.Series, note: str) -> str:
    """Return why the features of a class are unreliable; empty if they are reliable."""
    if note == "one sample":
        return "A single sample: this class cannot be learned."
    if not recall["above"]:
        if recall["estimate"] == 0:
            how = "Never recognised"
        elif recall["estimate"] > _HALF:
            how = "Its interval includes chance"
        else:
            how = "Not recognised more often than by chance"
        mistaken = ""
        if recall["taken_for"]:
            mistaken = f"; most often mistaken for “{recall['taken_for']}”"
        return f"{how}{mistaken}."
    if note == "constant":
        return "Selected because a class hardly varies in them: see the densities."
    return ""
