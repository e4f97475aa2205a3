"""The sentences of verdicts: the results of a study and their support.

Tables hold the numbers and the conditions that fail; the page, the index and the manuscript take
the words from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from xnbflow.core.nouns import counted, either, listed
from xnbflow.inference.intervals import LEVEL
from xnbflow.inference.verdicts import CROSS, FEWEST_PAIRS, INSEPARABLE
from xnbflow.report.numbers import format_count, join_words, p_equals
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

#: The rules of the verdicts, what their intervals are for, and the verdicts of second cohorts.
RULE = texts_of("verdicts")["rule"]
COVERAGE = texts_of("verdicts")["coverage"]
COHORT_RULE = texts_of("verdicts")["cohort_rule"]
#: What a second cohort reports against a classifier, by its verdict; ``{}`` is the cohort.
_AGAINST = {
    "did not hold": "it did not hold in the second cohort {}",
    "ranking holds": "its threshold did not hold in the second cohort {}, where its ranking did",
    "labels look exchanged": "labels look exchanged in the second cohort {}",
}


def headline_sentence(results: StudyResults) -> str:
    """Return the main result of the study; empty for a study without classifiers."""
    chosen = results.tables["headline"]["classifier"].iloc[0]
    if not chosen:
        if not results.study.classifiers:
            return ""
        return "No classifier could be fitted in every fold; see the failures below."
    rows = results.rows("estimates", metric="accuracy", folds_failed=0)
    chosen_rows = rows[rows["classifier"] == chosen]
    clauses = [
        _accuracy_clause(results, chosen_rows, several_folds=rows["folds"].nunique() > 1),
        _choice_clause(results),
        _copies_clause(results, chosen_rows),
        _features_clause(results, chosen),
        _others_clause(results, rows, chosen_rows),
    ]
    return f"{'; '.join(filter(None, clauses))}."


def _accuracy_clause(
    results: StudyResults, chosen_rows: pd.DataFrame, *, several_folds: bool
) -> str:
    """Return the accuracies of the chosen classifier, beside the majority class."""
    summary = results.tables["headline"].iloc[0]
    row = chosen_rows.iloc[0]
    label = results.labels[summary["classifier"]]
    if len(chosen_rows) == 1:
        return (
            f"{label} has an accuracy of {row['estimate']:.1%} (95% interval {row['lower']:.1%} "
            f"to {row['upper']:.1%}), where the majority-class baseline has {row['reference']:.1%}"
        )
    places = "pairs of data set and folds" if several_folds else "data sets"
    return (
        f"{label} has an accuracy of {_range(chosen_rows, several_folds=several_folds)}; it is "
        f"above the majority-class rate on {summary['above']} of {len(chosen_rows)} {places} "
        f"(p at most {LEVEL}, corrected by Holm)"
    )


def _choice_clause(results: StudyResults) -> str:
    """Return out of how many the classifier was chosen by the results; empty if it was not."""
    candidates = results.tables["headline"]["candidates"].iloc[0]
    if candidates <= 1:
        return ""
    return (
        f"it was chosen after looking, as the most accurate of {candidates}, and its "
        "intervals and p-values are corrected for that"
    )


def _copies_clause(results: StudyResults, chosen_rows: pd.DataFrame) -> str:
    """Return the data sets whose verdict is limited by copies of samples; empty without."""
    chosen = chosen_rows["classifier"].iloc[0]
    verdicts = results.rows("verdicts", classifier=chosen).merge(chosen_rows[["dataset", "folds"]])
    copied = verdicts.loc[verdicts["reasons"].str.contains("copies"), "dataset"].unique().tolist()
    if not copied:
        return ""
    return f"samples of {join_words(copied)} are copies of others, known from training"


def _features_clause(results: StudyResults, chosen: str) -> str:
    """Return how many features the classifier uses; empty if it selects none."""
    summary = results.rows(
        "summary", metric="features_per_class", folds_failed=0, classifier=chosen
    )
    features = summary["mean"].dropna()
    if features.empty:
        return ""
    low, high = format_count(features.min()), format_count(features.max())
    number = low if low == high else f"{low} to {high}"
    return f"it uses {number} {results.noun()}s per class"


def _others_clause(results: StudyResults, rows: pd.DataFrame, chosen_rows: pd.DataFrame) -> str:
    """Return the accuracies of the other classifiers, or on how many data sets each is first."""
    if rows["classifier"].nunique() == 1:
        return ""
    chosen = chosen_rows["classifier"].iloc[0]
    if len(chosen_rows) > 1:
        return _wins(results, chosen)
    others = rows[rows["classifier"] != chosen].merge(chosen_rows[["dataset", "folds"]])
    accuracies = [
        f"{results.labels[row['classifier']]} {row['estimate']:.1%}"
        for row in others.to_dict("records")
    ]
    return join_words(accuracies)


def _range(rows: pd.DataFrame, *, several_folds: bool) -> str:
    """Return the least and greatest accuracy with their data sets, and folds if several."""
    texts = []
    places = []
    for position in (rows["estimate"].idxmin(), rows["estimate"].idxmax()):
        row = rows.loc[position]
        texts.append(f"{row['estimate']:.1%}")
        places.append(f"{row['dataset']}, {row['folds']}" if several_folds else row["dataset"])
    if texts[0] == texts[1]:
        return texts[0]
    return f"{texts[0]} ({places[0]}) to {texts[1]} ({places[1]})"


def _wins(results: StudyResults, chosen: str) -> str:
    """Return on how many data sets the chosen classifier, and the best others, come first."""
    wins = results.tables["averages"].set_index("classifier")["wins"]
    text = f"of {len(wins)} classifiers it is the most accurate on {wins[chosen]}"
    others = wins.drop(chosen)
    most = others.max()
    if not most > 0:
        return text
    ahead = [results.labels[name] for name in others.index if others[name] == most]
    return f"{text}, {join_words(ahead)} on {most}"


def contradictions(results: StudyResults, dataset: str, classifier: str) -> list[str]:
    """Return what second cohorts report against a classifier that was trained on a data set."""
    study = results.study
    tests = []
    if study.validate:
        tests.append(results.validation.rows("verdicts", model=classifier, train=dataset))
    if study.cohorts and study.cohorts.model == classifier:
        # models of one series; a merged one has further training samples
        tests.append(results.cohorts.rows("cohort_matrix", strategy="one series", train=dataset))
    sentences = []
    for table in tests:
        for row in table[["verdict", "test"]].to_dict("records"):
            sentence = _AGAINST.get(row["verdict"])
            if sentence is not None:
                sentences.append(sentence.format(row["test"]))
    return sentences


def cohort_verdict(row: Mapping[str, Any], name: str) -> str:
    """Return the verdict on a model of that name in a second cohort, by a row of its table."""
    if pd.isna(row["value"]):
        return f"Cannot tell: {row['reason']}."
    train, test = row["train"], row["test"]
    beside = ""
    if pd.notna(row["loss"]):
        beside = (
            f"; {100 * abs(row['loss']):.0f} points {'less' if row['loss'] < 0 else 'more'} than "
            f"cross-validation in {train}, 95% interval {100 * row['loss_lower']:+.0f} to "
            f"{100 * row['loss_upper']:+.0f}"
        )
    if pd.notna(row["auc"]):
        beside += f"; AUC {row['auc']:.2f}, {row['auc_lower']:.2f} to {row['auc_upper']:.2f}"
    return (
        f"{_start_of_verdict(row)}: {name}, trained on {train}, has a balanced accuracy of "
        f"{row['value']:.0%} in {test} (95% interval {row['lower']:.0%} to {row['upper']:.0%}, "
        f"chance {row['chance']:.0%}{beside}; permuted labels: {p_equals(row['p_value'])}); "
        f"{row['right']:.0f} of {row['n']} samples are right."
    )


def _start_of_verdict(row: Mapping[str, Any]) -> str:
    """Return the verdict in a second cohort with its reason, once."""
    if row["verdict"] == "ranking holds":
        return (
            "The ranking holds, the threshold does not: recalibrate with at least "
            f"{row['needed']:.0f} samples of each class of {row['test']}"
        )
    if row["verdict"] == "shares samples":
        return "No verdict, because the cohorts share samples"
    reason = f" ({row['reason']})" if row["reason"] else ""
    return f"{row['verdict'].capitalize()}{reason}"


def overlap(signatures: pd.DataFrame) -> str:
    """Return how many features both cohorts select for each class; empty without signatures."""
    if signatures.empty:
        return ""
    counts = ", ".join(
        f"{row['shared']} of {row['size_first']} for {row['class']}"
        for row in signatures.to_dict("records")
    )
    return f" The test cohort itself selects {counts} of the same features."


def reasons(results: StudyResults, place: dict[str, str]) -> list[str]:
    """Return why a result is not well supported; ``place`` is its data set, folds, classifier."""
    verdict_row = results.rows("verdicts", **place).iloc[0]
    balanced = results.rows("estimates", **place, metric="balanced_accuracy").iloc[0]
    noun = results.noun(place["dataset"])
    words = {
        "chance interval": (
            f"the 95% interval of its balanced accuracy, {balanced['lower']:.1%} to "
            f"{balanced['upper']:.1%}, is not above chance ({balanced['reference']:.1%})"
        ),
        "permutation test": _permutation_reason(results, place),
        "copies": (
            "samples are copies of others, or nearly, and known from training (leave copies out, "
            "or give them one group by group=)"
        ),
        "majority class": "the interval of its accuracy is not above the majority-class rate",
        "batch": _inseparable(results, place),
        "library size": _library_size(results, place["dataset"]),
        "classes": _missed_classes(results, place),
        "stability": _instability(results, place),
        "stability unknown": (
            f"the stability of its {noun}s cannot be judged because its interval is wide"
        ),
    }
    return [words[reason] for reason in verdict_row["reasons"].split("; ") if reason]


def _instability(results: StudyResults, place: dict[str, str]) -> str:
    """Return why the selection is not stable: it differs, or it has most of the features."""
    noun = results.noun(place["dataset"])
    if counts := most_are_selected(results, place):
        return (
            f"most {noun}s are selected ({counts}), so that halves of the samples cannot show "
            "which of them matter"
        )
    return f"disjoint halves of the samples give different lists of {noun}s"


def most_are_selected(results: StudyResults, place: dict[str, str]) -> str:
    """Return how many of the features are selected if they are more than half, else nothing.

    The stability index is corrected for chance: where most features are selected in each half, it
    is near 0 although the selections share most of their features.
    """
    sizes = results.rows("stability", **place, **{"class": ""})["mean_size"].dropna()
    n_features = results.rows("datasets", dataset=place["dataset"])["features"]
    if sizes.empty or n_features.empty or sizes.iloc[0] <= n_features.iloc[0] / 2:
        return ""
    return f"{sizes.iloc[0]:,.0f} of {n_features.iloc[0]:,.0f}"


def _permutation_reason(results: StudyResults, place: dict[str, str]) -> str:
    """Return how many permutations reached the score of the true labels."""
    text = "the permutation test does not exclude chance"
    tests = results.rows(
        "permutation_tests", dataset=place["dataset"], classifier=place["classifier"]
    )
    if tests.empty:
        return text
    test = tests.iloc[0]
    return f"{text}: {test['at_least']:.0f} of {test['permutations']:.0f} permutations were as good"


def _missed_classes(results: StudyResults, place: dict[str, str]) -> str:
    """Return the classes that are not recognised."""
    recall = results.rows("estimates", **place, metric="recall", above=False)
    names = [f"“{name}”" for name in recall["class"]]
    return f"{listed(names, 3)} {either(len(names), 'is', 'are')} not recognised"


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
    return names[0] if len(names) == 1 else f"{join_words(names)} together"


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
    # first columns within whose levels the class is not recognised, then those of the handling
    order = {"recognised": True, "handling": False, "auc_column": False}
    rows = rows.sort_values([*order], ascending=[*order.values()], kind="stable")
    if rows.empty:
        return ""
    row = rows.iloc[0]
    label = results.labels[place["classifier"]]
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
        f"{row['lower']:.2f} to {row['upper']:.2f}; {p_equals(row['p'])})."
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
    estimates = results.rows("estimates", **place, folds_failed=0).set_index("metric")
    if estimates.empty:
        level = "not supported"
        return Verdict(level, f"Not supported: {label} could not be fitted in every fold.", "")
    level = results.rows("verdicts", **place)["level"].iloc[0]
    against = contradictions(results, place["dataset"], place["classifier"])
    if against and level == "well supported":
        level = "partly supported"
    accuracy = estimates.loc["accuracy"]
    balanced = estimates.loc["balanced_accuracy"]
    limits = [*reasons(results, place), *against]
    but = f", but {' and '.join(limits)}" if limits else ""
    sentence = (
        f"{level.capitalize()}: {label} has a balanced accuracy of {balanced['estimate']:.1%} "
        f"(95% interval {balanced['lower']:.1%} to {balanced['upper']:.1%}; chance "
        f"{balanced['reference']:.1%}) and an accuracy of {accuracy['estimate']:.1%}, the "
        f"majority-class baseline {accuracy['reference']:.1%}{but}."
    )
    return Verdict(level, sentence, _tests(results, place, int(accuracy["candidates"])))


def _tests(results: StudyResults, place: dict[str, str], candidates: int) -> str:
    """Return sentences on the permutation test, the choice of the classifier, and batches."""
    label = results.labels[place["classifier"]]
    row = results.rows("verdicts", **place).iloc[0]
    tested = pd.notna(row["p_value"])
    name = f"Label test ({row['permuted']})" if row["permuted"] else f"Permutation test of {label}"
    sentences = ["No permutation test was run: the verdict rests on intervals alone."]
    if tested:
        sentences = [f"{name}: {p_equals(row['p_value'])}."]
    if candidates > 1:
        # the label test does not use the classifier, so that its p needs no correction
        corrected = "intervals and p are" if tested and not row["permuted"] else "intervals are"
        sentences.append(
            f"{label} was chosen after looking, out of {candidates}; {corrected} corrected."
        )
    if row["near"]:
        sentences.append(
            "The verdict is near its limit: other folds or permutations may decide otherwise. "
            "Repeated folds make it more certain."
        )
    sentences.append(within_levels(results, place))
    return " ".join(filter(None, sentences))
