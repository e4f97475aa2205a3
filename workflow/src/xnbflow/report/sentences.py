"""The sentences of verdicts: the results of a study and their support.

Tables hold the numbers and the conditions that fail; the page, the index and the manuscript take
the words from here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from xnbflow.core.counts import counted, either, listed
from xnbflow.inference.intervals import LEVEL
from xnbflow.inference.verdicts import CROSS, FEWEST_PAIRS, INSEPARABLE
from xnbflow.report.results import StudyResults

RULE = (
    "Not supported: the 95% interval of the balanced accuracy (the mean recall of the classes) is"
    " not above one over the number of classes, or the permutation test, if one was run, has a p "
    "above .025, or a tenth of the samples are exact or half are near duplicates that folds do "
    "not keep together. Well supported: in addition the 95% interval of the accuracy is above the"
    " majority-class rate, every class is recognised (recall above one half, and above the share "
    "of the other samples that are mistaken for it, by the 95% interval of the difference), no "
    "column of the handling (batch) may explain the result (the classifier orders samples of the "
    "same batch by class better than chance, or the batch does not predict the class), no samples"
    " are exact and fewer than a tenth are near duplicates, and the features selected in disjoint"
    " halves of the samples, if these were fitted, agree (the 95% interval of Nogueira’s index is"
    " not below .4; it is about 0 for random features; where the interval holds .4 the stability "
    "cannot be judged), and no second cohort contradicts the result (did not hold, ranking holds "
    "without its threshold, labels look exchanged). Partly supported: all others."
)
COVERAGE = (
    "Intervals are for accuracy on new samples: a cross-validation of n samples counts as n / 2 "
    "(n / 2.5 where a classifier tunes itself), and where samples have groups, groups count. In "
    "simulated studies of two to four classes and 12 to 80 samples, intervals of balanced "
    "accuracies, whose upper limits are corrected for few samples, held the true value in 93 to "
    "100% of the studies, and in 89% with ten classes of ten samples; upper limits of AUCs are "
    "corrected likewise (documentation, “Verdicts”). The Bayesian interval behind them (Jeffreys’ "
    "prior) covers a share near 0 or 1 in 87% at the least."
)
#: What the verdicts of second cohorts mean.
COHORT_RULE = (
    "the measure is the balanced accuracy, the mean recall of the classes, so that other shares of "
    "the classes change no verdict. Held: p of permuted labels of the test cohort is at most .025 "
    "and the 95% interval lies above one over the number of classes, the difference from "
    "cross-validation may be 0 by its 95% interval, and every class is recognised in more than "
    "half of its samples; held in part: the difference or a class fails, or the samples are "
    "probably of the same patients (within the classes samples of both cohorts are each other's "
    "nearest more often than those of different patients, p at most .001). Ranking holds: of two "
    "classes the 95% interval of the AUC lies above one half, but the balanced accuracy is not "
    "above chance: the threshold does not hold, the model needs recalibration. Did not hold: the "
    "interval excludes half of the way from chance to cross-validation. Cannot tell: all others, "
    "mostly too few samples, or one class only. Labels look exchanged: with the classes renamed "
    "the balanced accuracy is that of cross-validation, by the same tests at .005. Where cohorts "
    "share samples there is no verdict"
)
_ELSEWHERE = {
    "did not hold": "it did not hold in the second cohort {}",
    "ranking holds": "its threshold did not hold in the second cohort {}, where its ranking did",
    "labels look exchanged": "labels look exchanged in the second cohort {}",
}


def headline(results: StudyResults) -> str:
    """Return the main result of the study; empty for a study without classifiers."""
    found = results.tables["headline"].iloc[0]
    chosen, label = found["classifier"], results.labels.get(found["classifier"], "")
    if not chosen:
        failed = "No classifier could be fitted in every fold; see the failures below."
        return failed * bool(results.study.classifiers)
    rows = results.rows("estimates", metric="accuracy", folds_failed=0)
    own = rows[rows["classifier"] == chosen]
    one = own.iloc[0]
    several = rows["folds"].nunique() > 1
    if len(own) == 1:
        text = (
            f"{label} has an accuracy of {one['estimate']:.1%} (95% interval {one['lower']:.1%} "
            f"to {one['upper']:.1%}), where the majority-class baseline has {one['reference']:.1%}"
        )
    else:
        sets = "pairs of data set and folds" if several else "data sets"
        text = (
            f"{label} has an accuracy of {_span(own, several=several)}; it is above the "
            f"majority-class rate on {found['above']} of {len(own)} {sets} (p at most {LEVEL}, "
            "corrected by Holm)"
        )
    parts = [text]
    if found["candidates"] > 1:
        parts.append(
            f"it was chosen after looking, as the most accurate of {found['candidates']}, and its "
            "intervals and p-values are corrected for that"
        )
    verdicts = results.rows("verdicts", classifier=chosen).merge(own[["dataset", "folds"]])
    if copied := verdicts.loc[verdicts["reasons"].str.contains("copies"), "dataset"].tolist():
        names = _joined(list(dict.fromkeys(copied)))
        parts.append(f"samples of {names} are copies of others, known from training")
    where = {"metric": "features_per_class", "folds_failed": 0, "classifier": chosen}
    features = results.rows("summary", **where)["mean"].dropna()
    if len(features):
        low, high = _count(features.min()), _count(features.max())
        number = low if low == high else f"{low} to {high}"
        parts.append(f"it uses {number} {results.noun()}s per class")
    if rows["classifier"].nunique() > 1:
        others = rows[rows["classifier"] != chosen].merge(own[["dataset", "folds"]])
        words = [
            f"{results.labels[name]} {value:.1%}"
            for name, value in zip(others["classifier"], others["estimate"], strict=True)
        ]
        parts.append(_joined(words) if len(own) == 1 else _wins(results, chosen))
    return f"{'; '.join(parts)}."


def _span(rows: pd.DataFrame, *, several: bool) -> str:
    """Return the least and greatest accuracy with their data sets, and folds if ``several``."""
    low, high = (rows.loc[place()] for place in (rows["estimate"].idxmin, rows["estimate"].idxmax))
    texts = [f"{row['estimate']:.1%}" for row in (low, high)]
    if texts[0] == texts[1]:
        return texts[0]
    names = [f"{r['dataset']}, {r['folds']}" if several else r["dataset"] for r in (low, high)]
    return f"{texts[0]} ({names[0]}) to {texts[1]} ({names[1]})"


def _wins(results: StudyResults, chosen: str) -> str:
    wins = results.tables["averages"].set_index("classifier")["wins"]
    others = wins.drop(chosen)
    ahead = [results.labels[name] for name in others.index if others[name] == others.max() > 0]
    rest = f", {_joined(ahead)} on {others.max()}" if ahead else ""
    return f"of {len(wins)} classifiers it is the most accurate on {wins[chosen]}{rest}"


def _count(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 or number == round(number) else f"{number:.1f}"


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""


def contradictions(results: StudyResults, dataset: str, classifier: str) -> list[str]:
    """Return what second cohorts report against a classifier that was trained on a data set."""
    study, found = results.study, []
    if study.validate:
        found.append(results.validation.rows("verdicts", model=classifier, train=dataset))
    if study.cohorts and study.cohorts.model == classifier:
        tests = results.cohorts.rows("cohort_matrix", strategy="one series", train=dataset)
        found.append(tests)
    rows = [row for table in found for row in table[["verdict", "test"]].to_dict("records")]
    return [
        _ELSEWHERE[row["verdict"]].format(row["test"])
        for row in rows
        if row["verdict"] in _ELSEWHERE
    ]


def cohort_verdict(row: Mapping[str, Any], name: str) -> str:
    """Return the verdict on a model of that name in a second cohort, by a row of its table."""
    if pd.isna(row["value"]):
        return f"Cannot tell: {row['reason']}."
    train, test, beside = row["train"], row["test"], ""
    start = row["verdict"].capitalize() + (f" ({row['reason']})" if row["reason"] else "")
    if row["verdict"] == "ranking holds":
        start = (
            "The ranking holds, the threshold does not: recalibrate with at least "
            f"{row['needed']:.0f} samples of each class of {test}"
        )
    if pd.notna(row["loss"]):
        beside = (
            f"; {100 * abs(row['loss']):.0f} points {'less' if row['loss'] < 0 else 'more'} than "
            f"cross-validation in {train}, 95% interval {100 * row['loss_lower']:+.0f} to "
            f"{100 * row['loss_upper']:+.0f}"
        )
    if pd.notna(row["auc"]):
        beside += f"; AUC {row['auc']:.2f}, {row['auc_lower']:.2f} to {row['auc_upper']:.2f}"
    return (
        f"{start}: {name}, trained on {train}, has a balanced accuracy of {row['value']:.0%} in "
        f"{test} (95% interval {row['lower']:.0%} to {row['upper']:.0%}, chance "
        f"{row['chance']:.0%}{beside}; permuted labels: p = {row['p_value']:.2g}); "
        f"{row['right']:.0f} of {row['n']} samples are right."
    )


def overlap(signatures: pd.DataFrame) -> str:
    """Return how many features both cohorts select for each class; empty without signatures."""
    parts = [
        f"{row['shared']} of {row['size_first']} for {row['class']}"
        for row in signatures.to_dict("records")
    ]
    return f" The test cohort itself selects {', '.join(parts)} of the same features." * bool(parts)


def reasons(results: StudyResults, place: dict[str, str]) -> list[str]:
    """Return why a result is not well supported; ``place`` is its data set, folds, classifier."""
    row = results.rows("verdicts", **place).iloc[0]
    balanced = results.rows("estimates", **place, metric="balanced_accuracy").iloc[0]
    recall = results.rows("estimates", **place, metric="recall", above=False)
    missed, noun = [f"“{name}”" for name in recall["class"]], results.noun(place["dataset"])
    own = {"dataset": place["dataset"], "classifier": place["classifier"]}
    reached = "".join(
        f"{test['at_least']:.0f} of {test['permutations']:.0f} permutations were as good"
        for test in results.rows("permutation_tests", **own).head(1).to_dict("records")
    )
    words = {
        "chance interval": (
            f"the 95% interval of its balanced accuracy, {balanced['lower']:.1%} to "
            f"{balanced['upper']:.1%}, is not above chance ({balanced['reference']:.1%})"
        ),
        "permutation test": f"the permutation test does not exclude chance: {reached}",
        "copies": (
            "samples are copies of others, or nearly, and known from training (leave copies out, "
            "or give them one group by group=)"
        ),
        "majority class": "the interval of its accuracy is not above the majority-class rate",
        "batch": _inseparable(results, place),
        "library size": _library_size(results, place["dataset"]),
        "classes": f"{listed(missed, 3)} {either(len(missed), 'is', 'are')} not recognised",
        "stability": f"disjoint halves of the samples give different {noun}s",
        "stability unknown": (
            f"the stability of its {noun}s cannot be judged because its interval is wide"
        ),
    }
    return [words[reason] for reason in row["reasons"].split("; ") if reason]


def _inseparable(results: StudyResults, place: dict[str, str]) -> str:
    """Return from which batches the class, or which pairs of classes, cannot be separated."""
    rows = results.rows("concordance", **place, handling=True)
    rows = rows[rows["status"].isin(INSEPARABLE)]
    clauses = []
    for (status, classes), columns in rows.groupby(["status", "inseparable"], sort=False):
        subject = f"the difference between {difference_of(classes)}" if classes else "the class"
        preposition = "from" if "separated" in status else "within"
        names = listed([quoted_columns(name) for name in columns["column"]], 3)
        clauses.append(f"{subject} {status} {preposition} {names}")
    return " and ".join(clauses)


def _library_size(results: StudyResults, dataset: str) -> str:
    """Return by how much the libraries of two classes differ."""
    rows = results.rows("audit", dataset=dataset, check="library size", severity="warning")
    unequal = "".join(finding.partition(":")[0] for finding in rows["finding"])
    return f"the class can be recognised by the library size: {unequal}"


def quoted_columns(name: str) -> str:
    """Return the name of a column in quotation marks, or those of several columns together.

    Examples
    --------
    >>> quoted_columns("plate"), quoted_columns("plate × site")
    ('“plate”', '“plate” and “site” together')
    """
    names = [f"“{column}”" for column in name.split(CROSS)]
    return names[0] if len(names) == 1 else f"{_joined(names)} together"


def difference_of(classes: str) -> str:
    """Return the pairs of classes of the column ``inseparable`` in words.

    Examples
    --------
    >>> difference_of("a and b; a and c")
    'a and b, and between a and c'
    """
    return ", and between ".join(classes.split("; "))


def within_levels(results: StudyResults, place: dict[str, str]) -> str:
    """Return a sentence on the recognition of the class within the levels of a column.

    It is the column that explains the result best; the sentence is empty if no column goes with the
    class. ``place`` is the data set, folds and classifier.
    """
    rows = results.rows("concordance", **place)
    rows = rows[rows["status"] != "not associated"].assign(
        recognised=lambda table: table["status"] == "recognised"
    )
    order = {"recognised": True, "handling": False, "auc_column": False}
    rows = rows.sort_values([*order], ascending=[*order.values()], kind="stable")
    if rows.empty:
        return ""
    row, label = rows.iloc[0], results.labels[place["classifier"]]
    columns = quoted_columns(row["column"])
    together = CROSS in row["column"]
    verb = "predict" if together else "alone predicts"
    alone = f"{columns} {verb} the class with an AUC of {row['auc_column']:.2f}"
    if not row["pairs"]:
        return f"{alone}, and no samples of different classes share a value of it."
    levels = "their combinations" if together else "its levels"
    if row["inseparable"]:
        return (
            f"{alone}; within {levels} {label} has an AUC of {row['auc_within']:.2f} over all "
            f"classes, but the difference between {difference_of(row['inseparable'])} "
            "cannot be separated from it."
        )
    if row["status"] == "cannot be examined":
        pairs = counted(row["pairs"], "pair")
        if row["pairs"] >= FEWEST_PAIRS:
            return (
                f"{alone}; the combinations of all of them leave too few pairs of samples of "
                "different classes for an examination."
            )
        return f"{alone}; only {pairs} of samples of different classes have the same value."
    does = "does, too" if row["recognised"] else "does not"
    return (
        f"{alone}; within {levels} {label} {does} (AUC {row['auc_within']:.2f}, "
        f"{row['lower']:.2f} to {row['upper']:.2f}; p = {row['p']:.2g})."
    )


@dataclass(frozen=True)
class Verdict:
    """The support of a result: the level, a sentence with the reasons, and the tests."""

    level: str
    sentence: str
    tests: str


def verdict(results: StudyResults, place: dict[str, str]) -> Verdict:
    """Return the verdict on a result; ``place`` is its data set, folds and classifier."""
    label = results.labels[place["classifier"]]
    found = results.rows("estimates", **place, folds_failed=0).set_index("metric")
    if found.empty:
        level = "not supported"
        return Verdict(level, f"Not supported: {label} could not be fitted in every fold.", "")
    row: dict[str, Any] = results.rows("verdicts", **place).iloc[0].to_dict()
    elsewhere = contradictions(results, place["dataset"], place["classifier"])
    level = row["level"]
    if elsewhere and level == "well supported":
        level = "partly supported"
    but = " and ".join([*reasons(results, place), *elsewhere])
    test = "No permutation test was run: the verdict rests on intervals alone."
    if pd.notna(row["p_value"]):
        of = (
            f"Label test ({row['permuted']})" if row["permuted"] else f"Permutation test of {label}"
        )
        test = f"{of}: p = {row['p_value']:.2g}."
    accuracy, balanced = found.loc["accuracy"], found.loc["balanced_accuracy"]
    if accuracy["candidates"] > 1:
        own_p = pd.notna(row["p_value"]) and not row["permuted"]
        corrected = "intervals and p are" if own_p else "intervals are"
        test += (
            f" {label} was chosen after looking, out of {accuracy['candidates']}; {corrected} "
            "corrected."
        )
    if row["near"]:
        test += (
            " The verdict is near its limit: other folds or permutations may decide otherwise. "
            "Repeated folds make it more certain."
        )
    sentence = (
        f"{level.capitalize()}: {label} has a balanced accuracy of {balanced['estimate']:.1%} "
        f"(95% interval {balanced['lower']:.1%} to {balanced['upper']:.1%}; chance "
        f"{balanced['reference']:.1%}) "
        f"and an accuracy of {accuracy['estimate']:.1%}, the majority-class baseline "
        f"{accuracy['reference']:.1%}{', but ' if but else ''}{but}."
    )
    return Verdict(level, sentence, f"{test} {within_levels(results, place)}".strip())
