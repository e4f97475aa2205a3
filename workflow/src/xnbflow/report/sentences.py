"""The sentences of a study: its main result, and its verdicts with their numbers.

Levels and findings are those of the tables ``verdicts`` and ``findings``; `xnbflow.report.findings`
makes the clauses of findings.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.inference.verdicts import FEWEST_PAIRS, INSEPARABLE
from xnbflow.report.findings import (
    clauses_of,
    deciding,
    difference_of,
    in_order,
    joined_clauses,
    quoted_columns,
    rule_in_words,
)
from xnbflow.report.numbers import format_count, join_words, p_equals
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

#: The rules of the verdicts, what their intervals are for, and the verdicts of second cohorts.
RULE = rule_in_words()
COVERAGE = texts_of("verdicts")["coverage"]
COHORT_RULE = texts_of("verdicts")["cohort_rule"]
#: The end of a sentence for each verdict, after "In a second cohort the model ...".
COHORT_WORDS = {
    "held": "held",
    "held in ranking": "ranked samples rightly but would need another threshold",
    "not held": "did not hold",
    "cannot be judged": "could not be judged",
}
#: Kinds of the findings that samples of a data set are copies.
_COPIES = ("many copies", "copies")


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
        f"(p at most {ONE_SIDED_LEVEL}, corrected by Holm)"
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
    repeats = results.rows("findings", code="repeats")
    repeats = repeats[repeats["dataset"].isin(chosen_rows["dataset"])]
    copied = repeats.loc[repeats["kind"].isin(_COPIES), "dataset"].unique().tolist()
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
        return _wins_clause(results, chosen)
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


def _wins_clause(results: StudyResults, chosen: str) -> str:
    """Return on how many data sets the chosen classifier, and the best others, come first."""
    wins = results.tables["averages"].set_index("classifier")["wins"]
    text = f"of {len(wins)} classifiers it is the most accurate on {wins[chosen]}"
    others = wins.drop(chosen)
    most = others.max()
    if not most > 0:
        return text
    ahead = [results.labels[name] for name in others.index if others[name] == most]
    each = " each" if len(ahead) > 1 else ""
    return f"{text}, {join_words(ahead)} on {most}{each}"


def cohort_sentence(row: Mapping[str, Any], name: str) -> str:
    """Return the verdict on a model of that name in a second cohort, by a row of its table."""
    if pd.isna(row["value"]):
        return f"Cannot be judged: {row['reason']}."
    train, test = row["train"], row["test"]

    # The verdict with its reason, once.
    verdict = str(row["verdict"]).capitalize()
    if row["verdict"] == "held in ranking":
        verdict = (
            "The ranking held, the threshold did not: choose another threshold by at least "
            f"{row['needed']:.0f} samples of each class of {test}"
        )
    elif row["reason"]:
        verdict += f" ({row['reason']})"

    # Beside the balanced accuracy, what the cross-validation in the other cohort had, and the AUC.
    beside = ""
    if pd.notna(row["loss"]):
        beside = (
            f"; {100 * abs(row['loss']):.0f} points {'less' if row['loss'] < 0 else 'more'} than "
            f"cross-validation of the common features in {train}, 95% interval "
            f"{100 * row['loss_lower']:+.0f} to {100 * row['loss_upper']:+.0f}"
        )
    if pd.notna(row["auc"]):
        beside += f"; AUC {row['auc']:.2f}, {row['auc_lower']:.2f} to {row['auc_upper']:.2f}"
    options = _options_of_test(row)
    return (
        f"{verdict}: {name}, trained on {train}{options}, has a balanced accuracy of "
        f"{row['value']:.0%} in {test} (95% interval {row['lower']:.0%} to {row['upper']:.0%}, "
        f"chance {row['chance']:.0%}{beside}; permuted labels: {p_equals(row['p_value'])}); "
        f"{row['right']:.0f} of {row['n']} samples are right."
    )


def _options_of_test(row: Mapping[str, Any]) -> str:
    """Return how a test in a second cohort matched features and values, where not by default.

    Several tests of a model in one cohort differ in these alone.

    Examples
    --------
    >>> _options_of_test({"match": "feature", "harmonise": "none"})
    ''
    >>> _options_of_test({"match": "symbol", "harmonise": "rank"})
    ' (features matched by symbol, values harmonised by rank)'
    """
    options = []
    if row.get("match", "feature") != "feature":
        options.append(f"features matched by {row['match']}")
    if row.get("harmonise", "none") != "none":
        options.append(f"values harmonised by {row['harmonise']}")
    return f" ({', '.join(options)})" if options else ""


def overlap(signatures: pd.DataFrame) -> str:
    """Return how many features both cohorts select for each class; empty without signatures."""
    if signatures.empty:
        return ""
    counts = ", ".join(
        f"{row['shared']} of {row['size_first']} for {row['class']}"
        for row in signatures.to_dict("records")
    )
    return f" The test cohort itself selects {counts} of the same features."


def limiting_findings(results: StudyResults, evaluation: dict[str, str]) -> list[Mapping[str, Any]]:
    """Return the findings that limit a verdict, on the classifier and on its data set.

    ``evaluation`` has data set, folds and classifier.
    """
    table = results.with_unit_nouns(results.rows("findings", dataset=evaluation["dataset"]))
    return limiting_rows(table, evaluation)


def limiting_rows(table: pd.DataFrame, evaluation: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """Return the rows of a table ``findings`` that limit a verdict, in the order of their kinds.

    Those on the data set have no classifier.
    """
    is_of_data = table["classifier"] == ""
    is_of_classifier = (table["classifier"] == evaluation["classifier"]) & (
        table["folds"] == evaluation["folds"]
    )
    limits = (table["dataset"] == evaluation["dataset"]) & (table["allows"] != "")
    return in_order(table[limits & (is_of_data | is_of_classifier)].to_dict("records"))


def level_of(results: StudyResults, evaluation: dict[str, str]) -> str:
    """Return the level of the verdict on a result."""
    return str(results.rows("verdicts", **evaluation)["level"].iloc[0])


def reasons_against(results: StudyResults, evaluation: dict[str, str]) -> list[str]:
    """Return clauses with the findings that decide the level of a verdict."""
    rows = deciding(level_of(results, evaluation), limiting_findings(results, evaluation))
    return clauses_of(rows, results.noun(evaluation["dataset"]))


def inseparable_pairs(
    results: StudyResults, evaluation: dict[str, str], row: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Return the pairs of classes that are not separated within the levels of a column.

    ``row`` is of the table ``recognition``; the list is empty with two classes.
    """
    n_classes = len(results.rows("class_sizes", dataset=evaluation["dataset"]))
    if n_classes <= 2:  # a sentence need not name the only pair
        return []
    pairs = results.rows("recognition", **evaluation, together=row["together"])
    pairs = pairs[pairs["class"] != ""]
    if not row["together"]:  # those of several columns together may have left columns out
        pairs = pairs[pairs["column"] == row["column"]]
    pairs = pairs[pairs["status"].isin(INSEPARABLE)]
    return list(pairs[["class", "other"]].itertuples(index=False, name=None))


def _within_levels(results: StudyResults, evaluation: dict[str, str]) -> str:
    """Return a sentence on the recognition of the class within the levels of a column.

    It is the column that explains the result best; the sentence is empty if no column goes with the
    class. ``evaluation`` is the data set, folds and classifier.
    """
    rows = results.rows("recognition", **evaluation, **{"class": ""})
    rows = rows[rows["status"] != "not associated"].assign(
        recognised=lambda table: table["status"] == "recognised"
    )
    # first columns within whose levels the class is not recognised, then those that limit
    order = {"recognised": True, "limits": False, "auc_column": False}
    rows = rows.sort_values([*order], ascending=[*order.values()], kind="stable")
    if rows.empty:
        return ""
    row = rows.iloc[0]
    label = results.labels[evaluation["classifier"]]
    together = bool(row["together"])
    columns = quoted_columns(row["column"]) if together else f"“{row['column']}”"
    verb = "predict" if together else "alone predicts"
    alone = f"{columns} {verb} the class with an AUC of {row['auc_column']:.2f}"
    if not row["pairs"]:
        return f"{alone}, and no samples of different classes share a value of it."
    levels = "their combinations" if together else "its levels"
    if pairs := inseparable_pairs(results, evaluation, row):
        return (
            f"{alone}; within {levels} {label} has an AUC of {row['auc_within']:.2f} over all "
            f"classes, but the difference between {difference_of(pairs)} "
            "cannot be separated from it."
        )
    if row["status"] == "cannot be examined":
        n_pairs = counted(row["pairs"], "pair")
        if row["pairs"] >= FEWEST_PAIRS:
            return (
                f"{alone}; the combinations of all of them leave too few pairs of samples of "
                "different classes for an examination."
            )
        return f"{alone}; only {n_pairs} of samples of different classes have the same value."
    does = "does, too" if row["recognised"] else "does not"
    return (
        f"{alone}; within {levels} {label} {does} (AUC {row['auc_within']:.2f}; "
        f"{p_equals(row['p'])})."
    )


def priors_sentence(recall: Mapping[str, Any], balanced: Mapping[str, Any], share: float) -> str:
    """Return that priors decide the recall of a class, and what equal priors give; else nothing.

    ``recall`` and ``balanced`` are the rows of the table ``estimates`` of the class, and of the
    balanced accuracy; ``share`` is that of the class of all samples.

    Examples
    --------
    >>> recall = {"priors_decide": True, "equal_priors": 0.62}
    >>> balanced = {"estimate": 0.52, "equal_priors": 0.7}
    >>> priors_sentence(recall, balanced, share=0.2).partition(" samples, ")[2]
    'as with equal priors, its recall is 62% (balanced accuracy 70% instead of 52%).'
    """
    if not recall["priors_decide"]:
        return ""
    return (
        f"The priors decide: with the probability of each class divided by its share "
        f"({share:.0%} here) of the samples, as with equal priors, its recall is "
        f"{recall['equal_priors']:.0%} (balanced accuracy {balanced['equal_priors']:.0%} "
        f"instead of {balanced['estimate']:.0%})."
    )


def verdict_sentence(results: StudyResults, evaluation: dict[str, str]) -> str:
    """Return the verdict on a result with its numbers and the findings that decide its level."""
    level = level_of(results, evaluation)
    label = results.labels[evaluation["classifier"]]
    estimates = results.rows("estimates", **evaluation, folds_failed=0).set_index("metric")
    clauses = reasons_against(results, evaluation)
    if estimates.empty:
        return f"{level.capitalize()}: {label} has no result, because {joined_clauses(clauses)}."
    accuracy = estimates.loc["accuracy"]
    balanced = estimates.loc["balanced_accuracy"]
    but = f", but {joined_clauses(clauses)}" if clauses else ""
    return (
        f"{level.capitalize()}: {label} has a balanced accuracy of {balanced['estimate']:.1%} "
        f"(95% interval {balanced['lower']:.1%} to {balanced['upper']:.1%}; chance "
        f"{balanced['reference']:.1%}) and an accuracy of {accuracy['estimate']:.1%}, the "
        f"majority-class baseline {accuracy['reference']:.1%}{but}."
    )


def tests_sentence(results: StudyResults, evaluation: dict[str, str]) -> str:
    """Return sentences on the label test, the choice of the classifier, and batches.

    The text is empty for a classifier that could not be fitted in every fold.
    """
    estimates = results.rows("estimates", **evaluation, metric="accuracy", folds_failed=0)
    if estimates.empty:
        return ""
    candidates = int(estimates["candidates"].iloc[0])
    label = results.labels[evaluation["classifier"]]
    row = results.rows("verdicts", **evaluation).iloc[0]
    tested = pd.notna(row["p_value"])
    sentences = ["No label test was run: the verdict rests on intervals alone."]
    if tested:
        sentences = [f"Label test: {p_equals(row['p_value'])}."]
    if candidates > 1:
        # the label test does not use the classifier, so that its p needs no correction
        sentences.append(
            f"{label} was chosen after looking, out of {candidates}; intervals are corrected."
        )
    if not row["selects"]:
        sentences.append("It selects no features, so that it has no stability.")
    if row["near_test"] or row["near_interval"]:
        sentences.append(
            "The verdict is near its limit: other folds or permutations may decide otherwise. "
            "Repeated folds make it more certain."
        )
    sentences.append(_within_levels(results, evaluation))
    return " ".join(filter(None, sentences))
