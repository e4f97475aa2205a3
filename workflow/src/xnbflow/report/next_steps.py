"""Next steps after a result, in the order in which a statistician would take them.

Each follows from a reason of the verdict, a finding of the audit, or a doubted label.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from xnbflow.core.joined_columns import joined_columns
from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.terms import is_batch_column
from xnbflow.report.levels import SUPPORTED
from xnbflow.report.numbers import join_words
from xnbflow.report.reasons import difference_of, quoted_columns, reason_clauses
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import level_of, reasons
from xnbflow.sources.series.plausibility import is_technical

Reasons = Sequence[Mapping[str, Any]]

#: Suspected labels, and columns, that are named.
_MOST_NAMED = 4
#: Codes of reasons that are columns of the samples.
_COLUMNS = (
    "column not separated",
    "column not examined",
    "pair not separated",
    "pair not examined",
)
#: Codes of reasons that are second cohorts.
_COHORTS = ("cohort not held", "cohort threshold", "cohort labels")
#: Steps after warnings of the audit, by its check.
_CORRECTIONS = {
    "repeated sample": "leave copies of samples out, or keep them together in folds (group)",
    "likely repeats": (
        "name the patients of the samples by group (the table `likely_repeats` proposes groups)"
    ),
    "missing values": (
        "compare the classes in features without missing values (missing=drop_features)"
    ),
    "detection limit": (
        "compare the classes in features that are above the detection limit in all samples"
    ),
    "selection": (
        "use the table before any step that knew the labels: all features, neither corrected nor "
        "normalised by class"
    ),
    "units": "add samples (the audit has their number); tests of single {noun}s need fewer",
    "scale": "correct the scale of the values (see the audit)",
    "sex": "check the samples whose recorded sex does not fit",
}
#: Steps after reasons on the stability of a selection, by their code; ``{noun}`` is a feature.
_STABILITY_STEPS = {
    "stability unclear": (
        "add samples: these do not suffice to decide whether the {noun}s are stable"
    ),
    "most features selected": "add samples: with these most {noun}s are selected",
    "unstable": "add samples: halves of these select different {noun}s",
}


def next_steps(results: StudyResults, evaluation: dict[str, str]) -> list[str]:
    """Return recommended steps, the most urgent first.

    ``evaluation`` is the data set, folds and classifier.
    A column that cannot be separated from the class comes first, since no analysis of these samples
    corrects the design, and adjustment does not, either; later samples, cohorts and assays of the
    same design are not recommended then. Where the column is a part of the disease and not of the
    measurement, as a marker in the serum, the study can declare so. Errors in the data come before
    more samples, and a second cohort comes before an assay.
    """
    dataset = evaluation["dataset"]
    limiting = reasons(results, evaluation)
    columns = [row for row in limiting if row["code"] in _COLUMNS]
    if design := _other_design(results, dataset, columns):
        return [design, *_declaration(columns), *_corrections(results, dataset)]

    # Steps to more samples, other cohorts and assays.
    confirmations = []
    classifier = evaluation["classifier"]
    is_supported = level_of(results, evaluation) in SUPPORTED
    if step := _more_samples(results, evaluation, limiting, is_supported=is_supported):
        confirmations.append(step)
    against = reason_clauses([row for row in limiting if row["code"] in _COHORTS])
    if against:
        confirmations.append(f"find out why {against[0]}")
    elif is_supported:
        if not (results.study.validate or results.study.cohorts):
            confirmations.append("test the model on a second cohort (option validate)")
        if _has_signature(results, dataset, classifier):
            confirmations.append(f"choose {results.noun(dataset)}s of the signature for an assay")

    return [*_corrections(results, dataset), *confirmations]


def _has_signature(results: StudyResults, dataset: str, classifier: str) -> bool:
    """Return whether the study keeps the model of a classifier, and the model selects features."""
    if (dataset, classifier) not in results.study.models:
        return False
    return len(results.model(dataset, classifier)["signature"]) > 0


def _other_design(results: StudyResults, dataset: str, columns: Reasons) -> str:
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


def _declaration(columns: Reasons) -> Iterator[str]:
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
        f"declare this in the design of the study: `{line}`"
    )


def _is_complete(rows: Reasons, n_classes: int) -> bool:
    """Return whether no samples of different classes share a level of a column.

    With two classes there is one row, which does not name them; with more classes there is a row
    for each pair of classes that is not separated.
    """
    no_pairs = all(row["count"] == 0 for row in rows)
    names_pairs = bool(rows[0]["class"])
    return no_pairs and (not names_pairs or len(rows) == n_classes * (n_classes - 1) // 2)


def _corrections(results: StudyResults, dataset: str) -> Iterator[str]:
    """Yield steps to correct values, samples and labels."""
    audit = results.rows("audit", dataset=dataset)
    checks = set(audit.loc[audit["severity"].isin(["severe", "warning"]), "check"])
    for check, step in _CORRECTIONS.items():
        if check in checks:
            yield step.format(noun=results.noun(dataset))
    suspects = results.rows("suspects", dataset=dataset)["sample"].tolist()
    if suspects:
        names = listed(suspects, _MOST_NAMED)
        yield f"check {counted(len(suspects), 'label')} that the classifiers doubt ({names})"


def _more_samples(
    results: StudyResults, evaluation: dict[str, str], limiting: Reasons, *, is_supported: bool
) -> str:
    """Return the step to more samples; empty for a supported result with a stable selection."""
    if any(row["code"] == "units" for row in limiting):
        return ""  # the correction of too few units is to add samples, with their number
    for row in limiting:
        if row["code"] in _STABILITY_STEPS:
            return _STABILITY_STEPS[row["code"]].format(noun=results.noun(evaluation["dataset"]))
    return "" if is_supported else "add samples"
