"""What was found: per class its features, how well it is recognised, how well that is supported."""

from collections.abc import Sequence
from typing import Literal

import pandas as pd

from xnbflow.core.counts import counted, listed
from xnbflow.inference.verdicts import SURE
from xnbflow.report.page.blocks import Block, Card, Cards, Group, Item, Line, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.audit import findings
from xnbflow.report.sections.cohorts import cohorts_in_words
from xnbflow.report.sections.validation import COHORT_RULE, verdicts_in_words

__all__ = ["RULE", "section"]

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
RULE = (
    "Not supported: the 95 % interval of the balanced accuracy (the mean recall of the classes) "
    "is not above one over the number of classes, or the permutation test, if one was run, has a "
    "p above .025, or a tenth of the samples are equal to others, or half nearly, and nothing "
    "keeps these together in folds. Well supported: in addition the 95 % interval of the accuracy "
    "is above the majority-class rate, every class is recognised (recall above one half, and "
    "above the share of the other samples that are mistaken for it, by the 95 % interval of the "
    "difference), no samples are equal, fewer than a tenth nearly, and the features selected in "
    "disjoint halves of the samples, if these were fitted, agree (the 95 % interval of Nogueira’s "
    "index is not below .4; it is about 0 for random features; where the interval holds .4 the "
    "stability cannot be judged), and no second cohort says otherwise (did not hold, labels look "
    "exchanged). Partly supported: all else."
)
_COVERAGE = (
    "Intervals are for accuracy on new samples: a cross-validation of n samples counts as n / 2 "
    "(n / 2.5 where a classifier tunes itself), and where samples have groups, groups count. In "
    "simulated studies of 40 and 100 samples and of 20 patients, intervals of accuracies held the "
    "true value in 92 to 99 % of the studies and those of recalls in 95 to 99 % (documentation, "
    "“Verdicts”). The Bayesian interval behind them (Jeffreys’ prior) covers a "
    "share near 0 or 1 in 87 % at the least."
)


def section(results: StudyResults) -> Section | None:
    """Return the study's answer; None for a study without classifiers."""
    if not results.study.classifiers:
        return None
    found = results.tables["headline"].iloc[0]
    chosen, sources = found["classifier"], results.tables.sources
    rule = "rule" if chosen else ""
    blocks: list[Block] = [Prose(found["text"], "headline", sources("headline"), rule)]
    if elsewhere := verdicts_in_words(results):
        blocks.append(Prose(elsewhere, "headline", rule=COHORT_RULE))
    blocks += cohorts_in_words(results)
    blocks += findings(results)
    if failed := len(results.rows("problems", kind="error")):
        text = f"{counted(failed, 'fit')} failed: see what was run."
        blocks.append(Prose(text, "warning", sources("problems")))
    if chosen:
        cards = [_card(results, *place, chosen) for place in results.places]
        named = any(line.items for card in cards for line in card.lines)
        files = sources("recall", "summary", "selection", "profiles", "stability", "verdicts")
        blocks.append(Cards(cards, _CAPTION if named else _NO_FEATURES, files))
        explained = Prose(f"{RULE} {_COVERAGE}", sources=sources("verdicts"), id=rule)
        blocks.append(Group("The rule of these verdicts", [explained]))
        blocks += [*_suspects(results), *_as_good(results, chosen), *_ties(results, chosen)]
    label = results.labels.get(chosen, "")
    lead = f"By {label}; the other classifiers are shown below." if label else ""
    return Section("answer", "What was found", lead, blocks)


def _card(results: StudyResults, dataset: str, folds: str, classifier: str) -> Card:
    """Return what was found on one data set."""
    where = {"dataset": dataset, "folds": folds, "classifier": classifier}
    summary = results.rows("summary", **where, folds_failed=0).set_index("metric")
    recall = results.rows("recall", **where)
    stability = results.rows("stability", **where).set_index("class")
    tests = results.rows("permutation_tests", dataset=dataset, classifier=classifier)
    tests = tests[["dataset", "classifier", "metric", "at_least", "permutations"]]
    tests = tests[tests["metric"] == "balanced_accuracy"]
    found = results.rows("verdicts", **where).merge(tests, how="left")
    elsewhere = _contradicted(results, dataset, classifier)
    verdict, level = _verdict(results.labels[classifier], summary, found, recall, elsewhere)
    return Card(
        results.place(dataset, folds),
        _size(results.rows("datasets", dataset=dataset).iloc[0]),
        verdict,
        level,
        _facts(summary, stability) | _random(results, dataset, classifier),
        [_line(results, where, row, stability) for _, row in recall.iterrows()],
        "rule",
    )


def _size(row: pd.Series) -> str:
    """Return a data set's size in words; with its groups, which weigh more than samples."""
    groups, filled = row["groups"], ", missing values filled in" if row["missing"] else ""
    of = f" of {counted(int(groups), 'group')} (patients, batches)" if pd.notna(groups) else ""
    sizes = f"{counted(row['features'], 'feature')}, {counted(row['classes'], 'class')}"
    return f"{counted(row['samples'], 'sample')}{of}, {sizes}{filled}"


def _facts(summary: pd.DataFrame, stability: pd.DataFrame) -> dict[str, str]:
    facts = {}
    if "accuracy" in summary.index:
        row = summary.loc["accuracy"]
        interval = f" [{row['lower']:.0%}, {row['upper']:.0%}]" if pd.notna(row["lower"]) else ""
        facts["Accuracy"] = f"{row['pooled']:.1%}{interval}"
        if pd.notna(row["baseline"]):
            facts["Majority-class baseline"] = f"{row['baseline']:.1%}"
        features = summary["mean"].get("features_per_class")
        if pd.notna(features):
            facts["Features per class"] = f"{features:,.1f}"
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


_LEVELS: dict[str, Literal["good", "fair", "poor"]] = {
    "well supported": "good",
    "partly supported": "fair",
    "not supported": "poor",
}


def _contradicted(results: StudyResults, dataset: str, classifier: str) -> list[str]:
    """Return what other cohorts say against a classifier that was trained on a data set."""
    study, found = results.study, []
    if study.validate:
        found.append(results.validation.rows("verdicts", model=classifier, train=dataset))
    if study.cohorts and study.cohorts.model == classifier:
        tests = results.cohorts.rows("cohort_matrix", strategy="one series", train=dataset)
        found.append(tests)
    words = {
        "did not hold": "it did not hold in the second cohort {}",
        "labels look exchanged": "labels look exchanged in the second cohort {}",
    }
    pairs = [pair for rows in found for pair in rows[["verdict", "test"]].to_numpy()]
    return [words[verdict].format(test) for verdict, test in pairs if verdict in words]


def _verdict(
    label: str,
    summary: pd.DataFrame,
    verdicts: pd.DataFrame,
    recall: pd.DataFrame,
    contradicted: Sequence[str] = (),
) -> tuple[str, Literal["good", "fair", "poor"]]:
    """Return in a sentence how well the finding is supported."""
    if "accuracy" not in summary.index or verdicts.empty:
        return f"Not supported: {label} could not be fitted in every fold.", "poor"
    row = verdicts.iloc[0]
    missed = [f"“{name}”" for name in recall.loc[~recall["recognised"].astype(bool), "class"]]
    reasons = {
        "chance interval": (
            f"the 95 % interval of its balanced accuracy, {row['balanced_lower']:.0%} to "
            f"{row['balanced_upper']:.0%}, is not above chance ({row['chance']:.0%})"
        ),
        "permutation test": (
            f"the permutation test does not exclude chance: {row['at_least']:.0f} of "
            f"{row['permutations']:.0f} permutations were as good"
        ),
        "copies": (
            "samples are copies of others, or nearly, and known from training (leave copies out, "
            "or give them one group by group=)"
        ),
        "majority class": "its 95 % interval is not above the majority-class rate",
        "classes": f"{listed(missed, 3)} {'is' if len(missed) == 1 else 'are'} not recognised",
        "stability": "disjoint halves of the samples give different features",
        "stability unknown": "the stability of its features cannot be judged, its interval is wide",
    }
    found = [reasons[reason] for reason in row["reasons"].split("; ") if reason]
    but = " and ".join([*found, *contradicted])
    level = row["level"]
    if contradicted and level == "well supported":
        level = "partly supported"
    test = "No permutation test was run: the verdict rests on intervals alone."
    if pd.notna(row["p_value"]):
        of = f" of {row['permuted']}, the faster relative" if row["permuted"] else ""
        test = f"Permutation test{of}: p = {row['p_value']:.3g}."
    if row["choices"] > 1:
        test += (
            f" It was chosen after looking, out of {row['choices']}; intervals and p are corrected."
        )
    text = (
        f"{level.capitalize()}: {label} has an accuracy of {row['accuracy']:.0%}, the "
        f"majority-class baseline {row['majority']:.0%}{', but ' if but else ''}{but}. {test}"
    )
    return text, _LEVELS[level]


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
        recall["recall"],
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
    if not recall["recognised"]:
        never = recall["recall"] == 0
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
        "Every classifier predicts the same other class, in all repeats and with a mean predicted "
        f"probability of {SURE:g} or more. {'; '.join(parts)}. Check these labels: they may be "
        "wrong, or the samples unlike their class."
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
    "all samples, 1 where the classes do not overlap. Permuted labels give the number that chance "
    "would. Of the other classes the one with the most such features is shown."
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
            f"selected (area under the ROC curve {row['area']:.2f}; with permuted labels "
            f"{row['by_chance']:,.3g} features would). So many would do as well; the selected ones "
            f"are only the first.{f' The same is true of {also}.' if also else ''}"
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
