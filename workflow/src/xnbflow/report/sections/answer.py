"""What was found: per class its features, how well it is recognised, how well that is supported."""

from typing import Literal

import pandas as pd

from xnbflow.core.counts import counted, listed
from xnbflow.report.page.blocks import Block, Card, Cards, Group, Item, Line, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.audit import findings
from xnbflow.report.sections.cohorts import cohorts_in_words
from xnbflow.report.sections.validation import COHORT_RULE, verdicts_in_words
from xnbflow.report.sentences import COVERAGE, RULE, headline, verdict
from xnbflow.studies.sample_errors import MARGIN

__all__ = ["section"]

#: How many are named: features of a class, features that could replace one, suspected label errors.
_MOST_NAMED, _MOST_ALTERNATIVES, _MOST_SUSPECTS = 6, 10, 4
_SIGNS = {
    "high": ("▲", "higher than in every other class"),
    "low": ("▼", "lower than in every other class"),
    "between": ("◆", "between the other classes"),
    "equal": ("=", "as in the other classes"),
}
_RECALL = "Per class: its recall on samples outside the training samples, with the 95 % interval"
_CAPTION = (
    f"{_RECALL}, and the features selected for it most often: ▲ higher, ▼ lower than in every "
    "other class, ◆ between them, by the medians (the means where all medians are equal). A small "
    "number is the share of folds that select the feature; without one all do."
)
_NO_FEATURES = f"{_RECALL}. No classifier of this study selects features."


def section(results: StudyResults) -> Section | None:
    """Return the study's answer; None for a study without classifiers."""
    if not results.study.classifiers:
        return None
    chosen, sources = results.tables["headline"]["classifier"].iloc[0], results.tables.sources
    rule, files = "rule" if chosen else "", sources("headline", "estimates")
    blocks: list[Block] = [Prose(headline(results), "headline", files, rule)]
    if elsewhere := verdicts_in_words(results):
        blocks.append(Prose(elsewhere, "headline", rule=COHORT_RULE))
    blocks += cohorts_in_words(results)
    blocks += [*findings(results), *_artefacts(results)]
    if failed := len(results.rows("problems", kind="error")):
        text = f"{counted(failed, 'fit')} failed: see what was run."
        blocks.append(Prose(text, "warning", sources("problems")))
    if chosen:
        cards = [_card(results, *place, chosen) for place in results.places]
        named = any(line.items for card in cards for line in card.lines)
        files = sources("estimates", "verdicts", "selection", "profiles", "stability")
        blocks.append(Cards(cards, _CAPTION if named else _NO_FEATURES, files))
        explained = Prose(f"{RULE} {COVERAGE}", sources=sources("verdicts"), id=rule)
        blocks.append(Group("The rule of these verdicts", [explained]))
        blocks += [*_suspects(results), *_as_good(results, chosen), *_ties(results, chosen)]
    label = results.labels.get(chosen, "")
    lead = f"By {label}; the other classifiers are shown below." if label else ""
    return Section("answer", "What was found", lead, blocks)


def _artefacts(results: StudyResults) -> list[Block]:
    """Return which lists of genes have more genes of a known artefact than by chance."""
    rows = results.tables["artefacts"]
    texts = [
        f"{row['dataset']}: {row['overlap']} of the {row['chosen']} {_list_name(results, row)} "
        f"{row['effect']}: {row['genes'].replace(' ', ', ')}."
        for row in rows[rows["marked"].astype(bool)].to_dict("records")
    ]
    sources = results.tables.sources("artefacts")
    return [Prose(" ".join(texts), "warning", sources)] if texts else []


def _list_name(results: StudyResults, row: dict[str, str]) -> str:
    if row["classifier"]:
        return f"core genes of {results.labels[row['classifier']]} for “{row['class']}”"
    return f"first genes of “{row['class']}” by rank"


def _card(results: StudyResults, dataset: str, folds: str, classifier: str) -> Card:
    """Return what was found on one data set."""
    where = {"dataset": dataset, "folds": folds, "classifier": classifier}
    stability = results.rows("stability", **where).set_index("class")
    found = results.rows("estimates", **where, folds_failed=0).set_index("metric")
    recalls, facts = results.rows("estimates", **where, metric="recall"), {}
    for metric, name, reference in _SHOWN if len(found) else ():
        row = found.loc[metric]
        facts[name] = f"{row['estimate']:.1%} ({row['lower']:.1%} to {row['upper']:.1%})"
        facts[reference] = f"{row['reference']:.1%}"
    facts |= _facts(results, where, stability) | _random(results, dataset, classifier)
    text, level = verdict(results, where)
    return Card(
        results.place(dataset, folds),
        _size(results.rows("datasets", dataset=dataset).iloc[0]),
        text,
        _LEVELS[level],
        facts,
        [_line(results, where, row, stability) for _, row in recalls.iterrows()],
        "rule",
    )


def _size(row: pd.Series) -> str:
    """Return a data set's size in words; with its groups, which weigh more than samples."""
    groups, filled = row["groups"], ", missing values filled in" if row["missing"] else ""
    of = f" of {counted(int(groups), 'group')} (patients, batches)" if pd.notna(groups) else ""
    sizes = f"{counted(row['features'], 'feature')}, {counted(row['classes'], 'class')}"
    return f"{counted(row['samples'], 'sample')}{of}, {sizes}{filled}"


def _facts(results: StudyResults, where: dict[str, str], stability: pd.DataFrame) -> dict[str, str]:
    """Return the number of features and how stable their selection is."""
    summary = results.rows("summary", **where, metric="features_per_class", folds_failed=0)
    means, facts = summary["mean"].dropna(), {}
    if len(means):
        facts["Features per class"] = f"{means.iloc[0]:,.1f}"
    if "" in stability.index and pd.notna(stability.loc["", "stability"]):
        facts["Agreement between folds"] = f"{stability.loc['', 'stability']:z.2f}"
    if "" in stability.index and pd.notna(stability.loc["", "halves"]):
        row = stability.loc[""]
        interval = f"[{row['halves_lower']:.2f}, {row['halves_upper']:.2f}]"
        facts["Stability (disjoint halves)"] = f"{row['halves']:z.2f} {interval}"
    return facts


def _random(results: StudyResults, dataset: str, classifier: str) -> dict[str, str]:
    """Return how many random signatures did as well, where that was counted."""
    rows = results.rows("random_genes", dataset=dataset, classifier=classifier)
    if rows.empty:
        return {}
    row = rows.iloc[0]
    found = f"{row['as_good_random']} of {row['signatures']} of equal size"
    return {"Random signatures as good": found}


#: The estimates of a card, what they are called, and what they are compared with.
_SHOWN = (
    ("balanced_accuracy", "Balanced accuracy", "Chance"),
    ("accuracy", "Accuracy", "Majority-class baseline"),
)
_LEVELS: dict[str, Literal["good", "fair", "poor"]] = {
    "well supported": "good",
    "partly supported": "fair",
    "not supported": "poor",
}


def _line(
    results: StudyResults, where: dict[str, str], recall: pd.Series, stability: pd.DataFrame
) -> Line:
    """Return a class with its recall and its features."""
    key = {**where, "class": recall["class"]}
    selection = results.rows("selection", **key)
    named = selection.head(_MOST_NAMED)
    named = named.merge(results.rows("profiles", **key)[["feature", "direction", "symbol"]])
    columns = named[["feature", "direction", "symbol", "frequency"]]
    items = [_item(*row) for row in columns.itertuples(index=False)]
    rest = len(selection) - len(items)
    return Line(
        recall["class"],
        f"{recall['samples']:,}",
        recall["estimate"],
        recall["lower"],
        recall["upper"],
        items,
        f"and {rest:,} more" if rest else "",
        _warning(recall, stability["note"].get(recall["class"], "")),
    )


def _item(feature: str, direction: str, symbol: str, frequency: float) -> Item:
    """Return a feature of a list; by its gene's symbol, with its own name, where it has one."""
    mark, meaning = _SIGNS[direction]
    share = "" if frequency >= 1 else f"{frequency:.0%}"
    name = f"{symbol} ({feature})" if symbol and symbol != feature else feature
    return Item(name, mark, share, f"{meaning}; selected in {frequency:.0%} of folds")


def _warning(recall: pd.Series, note: str) -> str:
    """Return why the features of a class are unreliable; empty where they are reliable."""
    if note == "one sample":
        return "A single sample: this class cannot be learnt."
    if not recall["above"]:
        never = recall["estimate"] == 0
        how = "Never recognised" if never else "Not recognised more often than by chance"
        mistaken = f", most often mistaken for “{recall['taken_for']}”" * bool(recall["taken_for"])
        return f"{how}{mistaken}: its features are unproven."
    if note == "constant":
        return "Selected because a class hardly varies in them: see the densities."
    return ""


def _suspects(results: StudyResults) -> list[Block]:
    """Return samples that all of several classifiers predict as the same other class."""
    rows = results.tables["suspects"]
    if rows.empty:
        return []
    parts = [
        f"{dataset}: {counted(len(own), 'sample')} "
        f"({listed(own['sample'].tolist(), _MOST_SUSPECTS)})"
        for dataset, own in rows.groupby("dataset", sort=False)
    ]
    text = (
        "Every classifier predicts the same other class, and the probability of that class exceeds "
        f"that of the label by {MARGIN:g} or more on average. {'; '.join(parts)}. Check these "
        "labels: they may be wrong, or the samples unlike their class."
    )
    caption = (
        "Samples whose label may be wrong; the probability is the least of the classifiers’. "
        "Others that classifiers get wrong are among the samples below."
    )
    shown = results.tables.show("suspects", caption)
    group = Group("Labels to check", [shown], counted(len(rows), "sample"))
    return [Prose(text, sources=results.tables.sources("suspects")), group]


_AS_GOOD = (
    "How many features separate a class from another one at least as well as the best of the "
    "features that a classifier selected for it in any fold: by the area under the ROC curve over "
    "all samples, 1 where the classes do not overlap. “By chance” is the number of features that "
    "would, if the classes did not differ. Of the other classes the one with the most such "
    "features is shown."
)


def _as_good(results: StudyResults, classifier: str) -> list[Block]:
    """Return how many features separate the classes as well as the selected ones."""
    table = results.tables["as_good"]
    if table.empty:
        return []
    table = table.sort_values("as_good", ascending=False, kind="stable")
    files = results.tables.sources("as_good")
    blocks: list[Block] = []
    many = table[(table["classifier"] == classifier) & (table["as_good"] > table["selected"])]
    many = many.drop_duplicates("dataset")
    for row in many.head(1).to_dict("records"):
        also = listed(many["dataset"].tolist()[1:], _MOST_NAMED)
        text = (
            f"{results.place(row['dataset'], row['folds'])}: {row['as_good']:,} of "
            f"{row['features']:,} features separate “{row['class']}” from “{row['other_class']}” "
            f"as well as the best of the {row['selected']:,} that {results.labels[classifier]} "
            f"selected (area under the ROC curve {row['area']:.2f}; by chance "
            f"{row['by_chance']:,.3g} features would). The selected ones are only the first."
            f"{f' The same is true of {also}.' if also else ''}"
        )
        blocks.append(Prose(text, sources=files))
    key = ["dataset", "folds", "classifier", "class"]
    order = table["classifier"].ne(classifier).sort_values(kind="stable").index
    rows = table.loc[order].drop_duplicates(key)
    shown = [name for name in rows if name != "folds"]
    note = f"up to {table['as_good'].max():,}"
    drawn = results.tables.show("as_good", _AS_GOOD, shown, rows)
    return [*blocks, Group("Features that separate classes as well", [drawn], note)]


def _ties(results: StudyResults, classifier: str) -> list[Block]:
    """Return which features of the lists could as well be others, the first classifier first."""
    table = results.tables["ties"]
    if table.empty:
        return []
    keys = ["dataset", "folds", "classifier", "class", "feature"]
    table = table.sort_values("frequency", ascending=False, kind="stable")
    first = table["classifier"].ne(classifier).sort_values(kind="stable").index
    rows = [
        (*key, listed(group["alternative"].unique(), _MOST_ALTERNATIVES), group["frequency"].max())
        for key, group in table.loc[first].groupby(keys, sort=False)
    ]
    block = results.tables.show(
        "ties",
        "Interchangeable features separate the classes exactly as well as a selected feature, and "
        "were left out by name or place alone: a list with one in place of the other is as good.",
        ["dataset", "classifier", "class", "feature", "alternative", "frequency"],
        pd.DataFrame(rows, columns=[*keys, "alternative", "frequency"]),
    )
    return [Group("Interchangeable features", [block], f"{len(rows):,} that could be others")]
