"""What was found: per class its features, how well it is recognised, how well that is supported."""

from collections.abc import Sequence
from typing import Literal

import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.report.page.blocks import Block, Card, Cards, Group, Item, Line, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.validation import verdicts_in_words

__all__ = ["section"]

#: Features of a class that the card names.
_MOST_NAMED = 6
#: Nogueira's stability below which the selection is poor (Nogueira et al. 2018, section 5).
_UNSTABLE = 0.4

_SIGNS = {
    "high": ("▲", "higher than in every other class"),
    "low": ("▼", "lower than in every other class"),
    "between": ("◆", "between the other classes"),
    "equal": ("=", "as in the other classes"),
}

_CAPTION = (
    "Per class: how many of its samples were recognised when they were not in the training "
    "samples (recall, with its 95 % interval), and the features selected for it most often. "
    "▲ higher, ▼ lower than in every other class, ◆ between them, by the medians, or by the means "
    "where all medians are equal. A small number is the share of folds that select the feature; "
    "without one all do. Of a class that is not recognised the features mean nothing."
)
_NO_FEATURES = (
    "Per class: how many of its samples were recognised when they were not in the training "
    "samples (recall, with its 95 % interval). No classifier of this study selects features."
)


def section(results: StudyResults) -> Section | None:
    """Return the study's answer; None for a study without classifiers."""
    if not results.study.classifiers:
        return None
    found = results.tables["headline"].iloc[0]
    sources = results.tables.sources
    blocks: list[Block] = [Prose(found["text"], "headline", sources("headline"))]
    if elsewhere := verdicts_in_words(results):
        blocks.append(Prose(elsewhere, "headline"))
    chosen = found["classifier"]
    failed = len(results.rows("problems", kind="error"))
    if failed:
        said = f"{counted(failed, 'fit')} failed: see what was run."
        blocks.append(Prose(said, "warning", sources("problems")))
    if chosen:
        cards = [_card(results, *place, chosen) for place in results.places]
        named = any(line.items for card in cards for line in card.lines)
        files = sources("recall", "summary", "selection", "profiles", "stability")
        caption = _CAPTION if named else _NO_FEATURES
        blocks.append(Cards(cards, "recognised:", caption, files))
        blocks += _ties(results, chosen)
    label = results.labels.get(chosen, "")
    return Section(
        "answer",
        "What was found",
        f"By {label}; the other classifiers are shown below." if label else "",
        blocks,
    )


def _card(results: StudyResults, dataset: str, folds: str, classifier: str) -> Card:
    """Return what was found on one data set."""
    where = {"dataset": dataset, "folds": folds, "classifier": classifier}
    size = results.rows("datasets", dataset=dataset).iloc[0]
    summary = results.rows("summary", **where, folds_failed=0).set_index("metric")
    recall = results.rows("recall", **where)
    stability = results.rows("stability", **where).set_index("class")
    verdict, level = _verdict(results.labels[classifier], summary, recall, stability)
    return Card(
        results.place(dataset, folds),
        _size(size),
        verdict,
        level,
        _facts(summary, stability),
        _lines(results, where, recall, stability),
    )


#: Features named that could stand for one.
_MOST_ALTERNATIVES = 10


def _ties(results: StudyResults, classifier: str) -> list[Block]:
    """Return which features of the lists could as well be others."""
    table = results.rows("ties", classifier=classifier)
    if table.empty:
        return []
    keys = ["dataset", "folds", "class", "feature"]
    table = table.sort_values("frequency", ascending=False, kind="stable")
    rows = [
        (*key, _alternatives(group), float(group["frequency"].max()))
        for key, group in table.groupby(keys, sort=False)
    ]
    block = results.tables.show(
        "ties",
        "Interchangeable features separate the classes exactly as well as a selected feature, and "
        "were left out by name or place alone. A list with one in place of the other is as good.",
        ["dataset", "class", "feature", "alternative", "frequency"],
        pd.DataFrame(rows, columns=[*keys, "alternative", "frequency"]),
    )
    return [Group("Interchangeable features", [block], f"{len(rows):,} that could be others")]


def _alternatives(group: pd.DataFrame) -> str:
    names = group["alternative"].drop_duplicates().tolist()
    more = len(names) - _MOST_ALTERNATIVES
    return ", ".join(names[:_MOST_ALTERNATIVES]) + (f" and {more:,} more" if more > 0 else "")


def _size(row: pd.Series) -> str:
    """Return a data set's size in words; with its groups, which weigh more than samples."""
    of = (
        f" of {counted(int(row['groups']), 'group')} (patients, batches)"
        if pd.notna(row["groups"])
        else ""
    )
    filled = ", missing values filled in" if row["missing"] else ""
    sizes = f"{counted(row['features'], 'feature')}, {counted(row['classes'], 'class')}"
    return f"{counted(row['samples'], 'sample')}{of}, {sizes}{filled}"


def _facts(summary: pd.DataFrame, stability: pd.DataFrame) -> dict[str, str]:
    facts = {}
    if "accuracy" in summary.index:
        row = summary.loc["accuracy"]
        interval = f" [{row['lower']:.0%}, {row['upper']:.0%}]" if pd.notna(row["lower"]) else ""
        facts["Accuracy"] = f"{row['mean']:.1%}{interval}"
        if pd.notna(row["baseline"]):
            facts["Largest class"] = f"{row['baseline']:.1%}"
        features = summary["mean"].get("features_per_class")
        if pd.notna(features):
            facts["Features per class"] = f"{features:,.1f}"
    if "" in stability.index and pd.notna(stability.loc["", "stability"]):
        facts["Stability"] = f"{stability.loc['', 'stability']:z.2f}"
    return facts


def _verdict(
    label: str, summary: pd.DataFrame, recall: pd.DataFrame, stability: pd.DataFrame
) -> tuple[str, Literal["good", "fair", "poor"]]:
    """Return in a sentence how well the finding is supported."""
    if "accuracy" not in summary.index or pd.isna(summary.loc["accuracy", "mean"]):
        return f"Not supported: {label} could not be fitted in every fold.", "poor"
    row = summary.loc["accuracy"]
    reached = f"{label} has an accuracy of {row['mean']:.0%}"
    if pd.notna(row["lower"]) and row["lower"] <= row["baseline"]:
        return (
            f"Not supported: {reached}; its 95 % interval is not above the majority-class rate of "
            f"{row['baseline']:.0%}."
        ), "poor"
    missed = recall.loc[~recall["recognised"].astype(bool), "class"].tolist()
    if 2 * len(missed) >= len(recall):
        return (
            f"Not supported: {reached}, but {len(missed)} of {len(recall)} "
            "classes are not recognised in more than half of their tests."
        ), "poor"
    doubts = []
    if missed:
        verb = "is" if len(missed) == 1 else "are"
        doubts.append(f"{_listed(missed)} {verb} not recognised")
    index = stability["stability"].get("")
    if pd.notna(index) and index < _UNSTABLE:
        doubts.append(
            f"folds disagree on the features (stability {index:z.2f}), so that other samples would "
            "give other lists"
        )
    if doubts:
        return f"Partly supported: {reached}, but {' and '.join(doubts)}.", "fair"
    agree = f", and folds agree on the features (stability {index:.2f})" if pd.notna(index) else ""
    return (
        f"Well supported: {reached}, the majority-class baseline has {row['baseline']:.0%}, every "
        f"class is recognised{agree}."
    ), "good"


def _lines(
    results: StudyResults, where: dict[str, str], recall: pd.DataFrame, stability: pd.DataFrame
) -> list[Line]:
    """Return the classes, each with its recall and its features."""
    selection = results.rows("selection", **where)
    profiles = results.rows("profiles", **where).set_index(["class", "feature"])
    lines = []
    for row in recall.itertuples(index=False):
        label = row[recall.columns.get_loc("class")]
        mine = selection[selection["class"] == label]
        named = mine.head(_MOST_NAMED)
        items = [
            _item(
                feature,
                profiles.loc[(label, feature), "direction"],
                profiles.loc[(label, feature), "symbol"],
                frequency,
            )
            for feature, frequency in zip(named["feature"], named["frequency"], strict=True)
        ]
        rest = len(mine) - len(items)
        note = stability["note"].get(label, "") if "note" in stability else ""
        lines.append(
            Line(
                label,
                f"{row.samples:,}",
                row.recall,
                row.lower,
                row.upper,
                items,
                f"and {rest:,} more" if rest else "",
                _warning(row.recall, recognised=bool(row.recognised), note=note),
            )
        )
    return lines


def _item(feature: str, direction: str, symbol: str, frequency: float) -> Item:
    """Return a feature of a list; by its gene's symbol, with its own name, where it has one."""
    mark, meaning = _SIGNS[direction]
    share = "" if frequency >= 1 else f"{frequency:.0%}"
    name = f"{symbol} ({feature})" if symbol and symbol != feature else feature
    return Item(name, mark, share, f"{meaning}; selected in {frequency:.0%} of folds")


def _warning(recall: float, *, recognised: bool, note: str) -> str:
    """Return why the features of a class are unreliable; empty where they are reliable."""
    if note == "one sample":
        return "A single sample: nothing can be learnt of this class."
    if recall == 0:
        return "Never recognised: its features mean nothing."
    if not recognised:
        return "Recognised in less than half of its tests: do not rely on its features."
    if note == "constant":
        return "Selected because a class hardly varies in them: see the densities."
    return ""


def _listed(names: Sequence[str]) -> str:
    """Return names in words, a few of many.

    Examples
    --------
    >>> _listed(["a", "b"]), _listed(list("abcdef"))
    ('“a” and “b”', '“a”, “b”, “c” and 3 others')
    """
    shown = [f"“{name}”" for name in names[:3]]
    shown += [counted(len(names) - 3, "other")] if len(names) > 3 else []
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
