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
_SIGNS = {
    "high": ("▲", "higher than in every other class"),
    "low": ("▼", "lower than in every other class"),
    "between": ("◆", "between the other classes"),
    "equal": ("=", "as in the other classes"),
}

_RECALL = (
    "Per class: how many of its samples were recognised when they were not in the training "
    "samples (recall, with its 95 % interval)"
)
_CAPTION = (
    f"{_RECALL}, and the features selected for it most often. "
    "▲ higher, ▼ lower than in every other class, ◆ between them, by the medians, or by the means "
    "where all medians are equal. A small number is the share of folds that select the feature; "
    "without one all do. Of a class that is not recognised the features are unproven."
)
_RULE = (
    "Not supported: the 95 % interval of the balanced accuracy (the mean recall of the classes) "
    "does not lie above one over the number of classes, or the permutation test, if one was run, "
    "has a p above .025. Well supported: in addition the interval of the accuracy lies above the "
    "share of the largest class, every class is recognised (recall above one half, and above the "
    "share of the other samples that are taken for it, by the 95 % interval of the difference), "
    "and folds agree on the features (Nogueira's index of .4 or more; training sets of folds "
    "overlap, so that other samples would agree less). Partly supported: all else. Intervals are "
    "wide enough for accuracy on new samples: a cross-validation of n samples counts as n / 2 "
    "(n / 2.5 where a classifier tunes itself), and where samples have groups, groups count. In "
    "simulations they held it in 93 to 98 % of the studies; with 20 patients and a classifier that "
    "tunes itself, in 89 %."
)
_NO_FEATURES = f"{_RECALL}. No classifier of this study selects features."


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
        files = sources("recall", "summary", "selection", "profiles", "stability", "verdicts")
        caption = _CAPTION if named else _NO_FEATURES
        blocks.append(Cards(cards, "recognised:", caption, files))
        blocks.append(
            Group("The rule of these verdicts", [Prose(_RULE, sources=sources("verdicts"))])
        )
        blocks += _suspects(results)
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
    found = results.rows("verdicts", **where)
    verdict, level = _verdict(results.labels[classifier], summary, found, recall)
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
        (*key, _few(group["alternative"].unique().tolist()), float(group["frequency"].max()))
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


def _few(names: list[str]) -> str:
    more = len(names) - _MOST_ALTERNATIVES
    return ", ".join(names[:_MOST_ALTERNATIVES]) + (f" and {more:,} more" if more > 0 else "")


def _size(row: pd.Series) -> str:
    """Return a data set's size in words; with its groups, which weigh more than samples."""
    of = ""
    if pd.notna(row["groups"]):
        of = f" of {counted(int(row['groups']), 'group')} (patients, batches)"
    filled = ", missing values filled in" if row["missing"] else ""
    sizes = f"{counted(row['features'], 'feature')}, {counted(row['classes'], 'class')}"
    return f"{counted(row['samples'], 'sample')}{of}, {sizes}{filled}"


def _facts(summary: pd.DataFrame, stability: pd.DataFrame) -> dict[str, str]:
    facts = {}
    if "accuracy" in summary.index:
        row = summary.loc["accuracy"]
        interval = f" [{row['lower']:.0%}, {row['upper']:.0%}]" if pd.notna(row["lower"]) else ""
        facts["Accuracy"] = f"{row['pooled']:.1%}{interval}"
        if pd.notna(row["baseline"]):
            facts["Largest class"] = f"{row['baseline']:.1%}"
        features = summary["mean"].get("features_per_class")
        if pd.notna(features):
            facts["Features per class"] = f"{features:,.1f}"
    if "" in stability.index and pd.notna(stability.loc["", "stability"]):
        facts["Agreement between folds"] = f"{stability.loc['', 'stability']:z.2f}"
    return facts


_COLOURS: dict[str, Literal["good", "fair", "poor"]] = {
    "well supported": "good",
    "partly supported": "fair",
    "not supported": "poor",
}


def _verdict(
    label: str, summary: pd.DataFrame, verdicts: pd.DataFrame, recall: pd.DataFrame
) -> tuple[str, Literal["good", "fair", "poor"]]:
    """Return in a sentence how well the finding is supported."""
    if "accuracy" not in summary.index or verdicts.empty:
        return f"Not supported: {label} could not be fitted in every fold.", "poor"
    row = verdicts.iloc[0]
    missed = recall.loc[~recall["recognised"].astype(bool), "class"].tolist()
    reasons = {
        "chance interval": (
            f"the 95 % interval of its balanced accuracy, {row['balanced_lower']:.0%} to "
            f"{row['balanced_upper']:.0%}, is not above chance ({row['chance']:.0%})"
        ),
        "permutation test": "permuted labels are predicted as well",
        "majority class": "its 95 % interval is not above the majority-class rate",
        "classes": f"{_listed(missed)} {'is' if len(missed) == 1 else 'are'} not recognised"
        if missed
        else "",
        "stability": "folds disagree on the features, so that other samples would give other lists",
    }
    but = [reasons[reason] for reason in row["reasons"].split("; ") if reason]
    tested = (
        f"Permutation test: p = {row['p_value']:.3g}."
        if pd.notna(row["p_value"])
        else "No permutation test was run: the verdict rests on intervals alone."
    )
    chosen = (
        f" It was chosen after looking, out of {row['choices']}; intervals and p are corrected."
        if row["choices"] > 1
        else ""
    )
    text = (
        f"{row['level'].capitalize()}: {label} has an accuracy of {row['accuracy']:.0%}, the "
        f"majority-class baseline {row['majority']:.0%}"
        f"{', but ' + ' and '.join(but) if but else ''}. {tested}{chosen}"
    )
    return text, _COLOURS[row["level"]]


#: Suspected label errors that are named.
_MOST_SUSPECTS = 10


def _suspects(results: StudyResults) -> list[Block]:
    """Return samples that every classifier takes for the same other class: labels may be wrong."""
    key = ["dataset", "sample"]
    table = results.rows("samples")
    suspects = table[table["suspect"].astype(bool)]
    agreed = suspects.value_counts([*key, "true", "predicted"]).reset_index()
    tested = table.value_counts(key).reset_index()
    rows = agreed.merge(tested, on=[*key, "count"]).sort_values(key)
    if rows.empty:
        return []
    named = [
        f"{row.sample} ({row.dataset}: labelled “{row.true}”, predicted “{row.predicted}”)"
        for row in rows.head(_MOST_SUSPECTS).itertuples(index=False)
    ]
    more = len(rows) - len(named)
    rest = f" and {more:,} more" if more > 0 else ""
    reason = "every classifier predicts the same other class"
    text = f"Labels that may be wrong ({reason}): {', '.join(named)}{rest}."
    return [Prose(text, sources=results.tables.sources("samples"))]


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
        signs = profiles.loc[[(label, feature) for feature in named["feature"]]]
        columns = (named["feature"], signs["direction"], signs["symbol"], named["frequency"])
        items = [_item(*each) for each in zip(*columns, strict=True)]
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
                _warning(row.recall, row.taken_for, recognised=bool(row.recognised), note=note),
            )
        )
    return lines


def _item(feature: str, direction: str, symbol: str, frequency: float) -> Item:
    """Return a feature of a list; by its gene's symbol, with its own name, where it has one."""
    mark, meaning = _SIGNS[direction]
    share = "" if frequency >= 1 else f"{frequency:.0%}"
    name = f"{symbol} ({feature})" if symbol and symbol != feature else feature
    return Item(name, mark, share, f"{meaning}; selected in {frequency:.0%} of folds")


def _warning(recall: float, taken_for: str, *, recognised: bool, note: str) -> str:
    """Return why the features of a class are unreliable; empty where they are reliable."""
    if note == "one sample":
        return "A single sample: nothing can be learnt of this class."
    if not recognised:
        how = "Never recognised" if recall == 0 else "Not recognised more often than by chance"
        mistaken = f", most often taken for “{taken_for}”" if taken_for else ""
        return f"{how}{mistaken}: its features are unproven."
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
