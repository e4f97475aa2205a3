"""Next steps after a result, in the order in which a statistician would take them.

Each is the advice of a finding, or follows from a column that explains the classes, a doubted
label, or a supported result.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from xnbflow.core.joined_columns import joined_columns
from xnbflow.core.nouns import either, listed
from xnbflow.core.terms import is_batch_column
from xnbflow.report.adjusted_genes import explaining_column
from xnbflow.report.few_units import few_units
from xnbflow.report.findings import (
    advice_of,
    difference_of,
    in_order,
    quoted_columns,
)
from xnbflow.report.levels import SUPPORTED
from xnbflow.report.numbers import join_words
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import level_of, limiting_findings
from xnbflow.sources.series.column_meaning import is_technical

Findings = Sequence[Mapping[str, Any]]

#: Suspected labels, and columns, that are named.
_MOST_NAMED = 4


def next_steps(results: StudyResults, evaluation: dict[str, str]) -> list[str]:
    """Return recommended steps, the most urgent first.

    ``evaluation`` is the data set, folds and classifier.
    A column that cannot be separated from the class comes first, since no analysis of these samples
    corrects the design, and adjustment does not, either; later samples, cohorts and assays of the
    same design are not recommended then. Where the column is a part of the disease and not of the
    measurement, as a marker in the serum, the study can declare so. Errors in the data come before
    more samples, and a second cohort comes before an assay, for which genes are chosen only if the
    list of them is stable.
    """
    dataset = evaluation["dataset"]
    limiting = limiting_findings(results, evaluation)
    columns = [row for row in limiting if row["code"] == "column"]
    if design := _other_design(results, dataset, columns):
        return [design, *_declaration(columns), *_corrections(results, dataset)]

    # Too few units need more of them, whatever the classifier reached.
    if few := few_units(results, dataset):
        return [
            *_corrections(results, dataset),
            few.next_step(),
            *_adjustment(results, dataset),
        ]

    # The first step after findings on the classifier, then other cohorts and assays.
    confirmations = []
    classifier = evaluation["classifier"]
    noun = results.noun(dataset)
    of_classifier = [row for row in limiting if row["classifier"]]
    steps = (advice_of(row, noun) for row in of_classifier if row["code"] != "cohort")
    if step := next(filter(None, steps), ""):
        confirmations.append(step)
    against = [advice_of(row, noun) for row in of_classifier if row["code"] == "cohort"]
    if against:
        confirmations.append(against[0])
    elif level_of(results, evaluation) in SUPPORTED:
        if not (results.study.validate or results.study.cohorts):
            line = f"validate: [{{model: {classifier}, train: {dataset}, test: NAME}}]"
            confirmations.append(
                "test the model on a second cohort: add its data set, and to the study "
                f"`{line}` with its name"
            )
        is_unstable = any(row["code"] == "unstable" for row in of_classifier)
        if not is_unstable and _has_signature(results, dataset, classifier):
            confirmations.append(f"choose {noun}s of the signature for an assay")

    return [
        *_corrections(results, dataset),
        *_adjustment(results, dataset),
        *confirmations,
    ]


def _has_signature(results: StudyResults, dataset: str, classifier: str) -> bool:
    """Return whether the study keeps the model of a classifier, and the model selects features."""
    if (dataset, classifier) not in results.study.models:
        return False
    return len(results.tables_of("model", dataset=dataset, classifier=classifier)["signature"]) > 0


def _other_design(results: StudyResults, dataset: str, columns: Findings) -> str:
    """Return the design in which columns do not separate the classes; empty if none does here."""
    n_classes = len(results.rows("class_sizes", dataset=dataset))
    rows_of: dict[str, list[Mapping[str, Any]]] = {}
    for row in columns:
        rows_of.setdefault(row["subject"], []).append(row)
    complete = [name for name, rows in rows_of.items() if _is_complete(rows, n_classes)]
    if complete:
        names = listed(map(quoted_columns, complete), _MOST_NAMED)
        classes = "both classes" if n_classes == 2 else "all classes"
        return (
            f"compare the classes in a cohort where {classes} have the same {names}: in these "
            f"samples effects of the class and of {names} cannot be separated"
        )
    for column, rows in rows_of.items():
        pairs = [(row["class"], row["other"]) for row in rows if row["class"]]
        if not pairs:
            continue
        name = quoted_columns(column)
        return (
            f"compare the classes in a cohort where they have the same {name}: in these samples "
            f"the difference between {difference_of(pairs)} cannot be separated from {name}"
        )
    if not rows_of:
        return ""
    names = listed(map(quoted_columns, rows_of), _MOST_NAMED)
    return (
        f"compare the classes in samples in which {names} does not go with the class: in these "
        f"samples {names} explains the classes as well as the features do, and no adjustment "
        "separates the two"
    )


def _declaration(columns: Findings) -> Iterator[str]:
    """Yield how to declare columns that are no batches by their names as part of the question."""
    names = dict.fromkeys(name for row in columns for name in joined_columns(row["subject"]))
    declarable = [name for name in names if not is_batch_column(name) and not is_technical(name)]
    if not declarable:
        return
    line = yaml.safe_dump(
        {"biology": declarable}, default_flow_style=None, allow_unicode=True
    ).strip()
    quoted = join_words([f"“{name}”" for name in declarable])
    yield (
        f"if {quoted} {either(len(declarable), 'is', 'are')} part or consequence of the disease, "
        "such as a marker or a stage, and no property of how the samples were taken or processed, "
        f"write `{line}` in the design of the study"
    )


def _is_complete(rows: Findings, n_classes: int) -> bool:
    """Return whether no samples of different classes share a level of a column.

    With two classes there is one row, which does not name them; with more classes there is a row
    for each pair of classes that is not separated.
    """
    no_pairs = all(row["count"] == 0 for row in rows)
    names_pairs = bool(rows[0]["class"])
    return no_pairs and (not names_pairs or len(rows) == n_classes * (n_classes - 1) // 2)


def _corrections(results: StudyResults, dataset: str) -> Iterator[str]:
    """Yield steps to correct values, samples and labels: the advice of warnings on the data.

    Adjustment for a column is none of them (`_adjustment`).
    """
    findings = results.rows("findings", dataset=dataset, classifier="", severity="warning")
    rows = in_order(findings[~findings["code"].isin(["column", "units"])].to_dict("records"))
    noun = results.noun(dataset)
    yield from dict.fromkeys(step for row in rows if (step := advice_of(row, noun)))
    suspects = results.rows("suspects", dataset=dataset)["sample"].tolist()
    if suspects:
        names = listed([f"“{name}”" for name in suspects], _MOST_NAMED)
        labels = either(len(suspects), "label of sample", "labels of samples")
        yield f"check the {labels} {names}: the classifiers predict another class"


def _adjustment(results: StudyResults, dataset: str) -> Iterator[str]:
    """Yield the line that adjusts comparisons of features for a column that explains some of them.

    It corrects these comparisons alone, and no classifier.
    """
    noun = results.noun(dataset)
    if column := explaining_column(results, dataset):
        yield (
            f"to compare {noun}s within “{column.name}”, write `adjust: [{column.term}]` in the "
            f"design of the study ({column.after:,} of {column.before:,} differ then)"
        )
