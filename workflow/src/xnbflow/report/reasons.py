"""The sentences of reasons and findings: the only place where their codes become words.

A row of the table ``reasons`` has a code and the names and numbers of its sentence
(`xnbflow.inference.verdict_reasons`), a finding of the audit its parts
(`xnbflow.diagnostics.audit_row`). No program reads what this module writes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import pandas as pd

from xnbflow.core.joined_columns import joined_columns
from xnbflow.core.nouns import counted, either, listed
from xnbflow.diagnostics.audit_row import CHECKS
from xnbflow.inference.estimates import MISSED_RECALL
from xnbflow.inference.verdict_reasons import VERDICT_LEVELS
from xnbflow.inference.verdicts import FEWEST_PAIRS
from xnbflow.report.numbers import capitalized, format_p, join_words

ReasonRow = Mapping[str, Any]

#: Most classes, and columns, that a clause names.
_MOST_NAMED = 3
#: Clauses of reasons by their code, with the columns of the row and ``{noun}`` in braces.
_CLAUSES = {
    "not fitted": "it could not be fitted in {count:.0f} of {total:.0f} folds",
    "chance interval": (
        "the 95% interval of its balanced accuracy, {lower:.1%} to {upper:.1%}, is not above "
        "chance ({limit:.1%})"
    ),
    "many copies": (
        "samples are copies of others, or nearly, and known from training (leave copies out, or "
        "give them one group by group)"
    ),
    "some copies": (
        "samples are copies of others, or nearly, and known from training (leave copies out, or "
        "give them one group by group)"
    ),
    "many repeats": (
        "{count:.0f} of {total:.0f} samples are probably of the same patients as others, which "
        "training and test share (name the patients by group)"
    ),
    "some repeats": (
        "{count:.0f} of {total:.0f} samples are probably of the same patients as others, which "
        "training and test share (name the patients by group)"
    ),
    "missing values": (
        "the class can be recognised by missing values: their share in “{class}” and in “{other}” "
        "differs by {estimate:.1%} of the values"
    ),
    "detection limit": (
        "the class can be recognised by values at a detection limit: their share in “{class}” and "
        "in “{other}” differs by {estimate:.1%} of the values"
    ),
    "values": (
        "the values that were not measured recognise the class as well as the {noun}s do (balanced "
        "accuracy {estimate:.1%})"
    ),
    "units": (
        "{count:.0f} {subject} are too few to judge any classifier: p of the label test cannot be "
        "below {p:.2g}"
    ),
    "majority class": "the interval of its accuracy is not above the majority-class rate",
    "library size": (
        "the class can be recognised by the library size: libraries of “{class}” have "
        "{estimate:.1f} times the reads of “{other}”"
    ),
    "unstable": "disjoint halves of the samples give different lists of {noun}s",
    "most features selected": (
        "most {noun}s are in the short lists ({count:,.0f} of {total:,.0f}), so that halves of the "
        "samples cannot show which of them matter"
    ),
    "stability unclear": (
        "it is undecided whether its {noun}s are stable: the interval of the share of first "
        "{noun}s that other halves find again, {lower:.2f} to {upper:.2f}, includes the limit "
        "{limit:.2f}"
    ),
    "stability not tested": "the stability of its {noun}s was not tested",
    "cohort not held": "it did not hold in the second cohort {subject}",
    "cohort threshold": (
        "its threshold did not hold in the second cohort {subject}, where its ranking did"
    ),
    "cohort labels": "labels look exchanged in the second cohort {subject}",
}
#: What a finding means, after its sentence, by its code.
_MEANINGS = {
    "separates classes": (
        "Unless it is another name of the class, a classifier may recognise it instead of the "
        "class, and these samples cannot show which of the two."
    )
}
_NAMED_CHECKS = ("confounder", "follow-up", "class in other words", "global shift",
                 "library size", "phenotype only", "missing values", "detection limit", "component",
                 "likely repeats", "selection", "values", "units",
                 "recorded in one class")  # fmt: skip
#: Codes of findings whose clause names the subject.
_NAMED = {code for code, check in CHECKS.items() if check in _NAMED_CHECKS}


def _test_clause(rows: Sequence[ReasonRow]) -> str:
    """Return how many orders of the labels were as good as the true one, which is one of them."""
    row = rows[0]
    text = "the label test does not exclude chance"
    if pd.isna(row["count"]):
        return text
    return f"{text}: {row['count']:,.0f} of {row['total']:,.0f} orders of the labels were as good"


def _class_clause(rows: Sequence[ReasonRow]) -> str:
    """Return the classes that are not recognised, by their recalls or by their intervals alone."""
    names = [f"“{row['class']}”" for row in rows]
    is_by_interval = any(row["estimate"] > MISSED_RECALL for row in rows)
    recognised = "shown to be recognised" if is_by_interval else "recognised"
    return f"{listed(names, _MOST_NAMED)} {either(len(names), 'is', 'are')} not {recognised}"


def _selection_clause(row: ReasonRow, noun: str) -> str:
    """Return which step with the labels was before the cross-validation."""
    if row["subject"]:
        return f"the effect of “{row['subject']}” was removed with the class in the model"
    if pd.isna(row["estimate"]):
        return "the samples of each class were normalised by themselves"
    return (
        f"its {noun}s were probably chosen with the labels: {row['estimate']:.1%} of them have "
        "p > .5 between the classes, where half have without a difference"
    )


def _alike_clause(rows: Sequence[ReasonRow]) -> str:
    """Return the pairs of classes that are alike, or of which too few samples show a difference."""
    names = [f"“{row['class']}” and “{row['other']}”" for row in rows]
    return f"it is not shown to distinguish {listed(names, _MOST_NAMED)}"


def _column_clause(rows: Sequence[ReasonRow]) -> str:
    """Return from which columns the class, or which pairs of classes, cannot be separated."""
    pairs_of: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        pairs = pairs_of.setdefault(row["subject"], [])
        if row["class"]:
            pairs.append((row["class"], row["other"]))
    columns_of: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for column, pairs in pairs_of.items():
        columns_of.setdefault(tuple(pairs), []).append(quoted_columns(column))
    is_examined = rows[0]["code"].endswith("not separated")
    cannot = "cannot be separated from" if is_examined else "cannot be examined within"
    clauses = []
    for classes, columns in columns_of.items():
        subject = f"the difference between {difference_of(classes)}" if classes else "the class"
        clauses.append(f"{subject} {cannot} {listed(columns, _MOST_NAMED)}")
    return joined_clauses(clauses)


#: Clauses that several rows of a code share.
_JOINT_CLAUSES: dict[str, Callable[[Sequence[ReasonRow]], str]] = {
    "label test": _test_clause,
    "class not recognised": _class_clause,
    "classes not distinguished": _alike_clause,
    "column not separated": _column_clause,
    "column not examined": _column_clause,
    "pair not separated": _column_clause,
    "pair not examined": _column_clause,
}
#: The codes that have a sentence.
CODES = frozenset({*_CLAUSES, *_JOINT_CLAUSES, "selection"})


def reason_clauses(reasons: Iterable[ReasonRow], noun: str = "feature") -> list[str]:
    """Return clauses for a sentence (`joined_clauses`): why a verdict is not better.

    ``reasons`` are rows of the table, in which rows of one code are side by side. ``noun`` is
    "gene" or "feature".
    """
    clauses = []
    for code, rows_of_code in groupby(reasons, key=lambda row: row["code"]):
        rows = list(rows_of_code)
        if code in _JOINT_CLAUSES:
            clauses.append(_JOINT_CLAUSES[code](rows))
        elif code == "selection":
            clauses += [_selection_clause(row, noun) for row in rows]
        else:
            clauses += [_CLAUSES[code].format(**row, noun=noun) for row in rows]
    return clauses


def joined_clauses(clauses: Sequence[str]) -> str:
    """Return clauses in one sentence, with a comma before "and", which clauses also contain.

    Examples
    --------
    >>> joined_clauses(["a and b are not recognised", "the intervals are wide", "c is a copy"])
    'a and b are not recognised, the intervals are wide, and c is a copy'
    """
    *first, last = clauses
    return ", ".join([*first, f"and {last}"]) if first else last


def deciding(level: str, reasons: Iterable[ReasonRow]) -> list[ReasonRow]:
    """Return the reasons that decide a level: without them the verdict would be better."""
    if level == VERDICT_LEVELS[0]:
        return []
    return [row for row in reasons if row["level"] == level]


def verdict_in_words(level: str, reasons: Iterable[ReasonRow], noun: str = "feature") -> str:
    """Return a level with the reasons that decide it.

    Examples
    --------
    >>> reason = {"code": "unstable", "level": "partly supported"}
    >>> verdict_in_words("partly supported", [reason], "gene")
    'partly supported, because disjoint halves of the samples give different lists of genes'
    >>> verdict_in_words("well supported", [])
    'well supported'
    """
    clauses = reason_clauses(deciding(level, reasons), noun)
    return f"{level}, because {joined_clauses(clauses)}" if clauses else level


def quoted_columns(text: str) -> str:
    """Return the column of a cell in quotation marks, or several columns together.

    The cell has the form of `xnbflow.core.joined_columns.join_columns`.

    Examples
    --------
    >>> quoted_columns("plate"), quoted_columns("plate × site")
    ('“plate”', '“plate” and “site” together')
    """
    names = [f"“{column}”" for column in joined_columns(text)]
    return names[0] if len(names) == 1 else f"{join_words(names)} together"


def difference_of(pairs: Iterable[tuple[str, str]]) -> str:
    """Return pairs of classes in words, after "the difference between".

    Examples
    --------
    >>> difference_of([("a", "b"), ("a", "c")])
    'a and b, and between a and c'
    """
    return ", and between ".join(f"{one} and {other}" for one, other in pairs)


_NAMED |= {"sex agrees", "sex not shown"}


def subject_of(row: ReasonRow) -> str:
    """Return what a finding concerns: one sample, or a pair of them.

    Examples
    --------
    >>> subject_of({"code": "equal samples", "subject": "s1", "other": "s2"})
    's1 = s2'
    >>> subject_of({"code": "sex differs", "subject": "s1", "other": "gender"})
    's1'
    """
    signs = {
        "equal samples": "=",
        "sample in two series": "=",
        "nearly equal samples": "~",
        "similar samples": "~",
        "component follows column": "~",
    }
    sign = signs.get(row["code"])
    return f"{row['subject']} {sign} {row['other']}" if sign else row["subject"]


def finding_in_short(row: ReasonRow) -> str:
    """Return a finding in a sentence, without its enumerations and its remedy."""
    return f"{capitalized(_finding(row))}."


def finding_in_words(row: ReasonRow, within: str = "") -> str:
    """Return a finding in sentences, with its detail, p, meaning and remedy.

    ``within`` are the words on the recognition of the class within the levels of a column.
    """
    text = _finding(row)
    if row["detail"]:
        text += f" ({row['detail']})"
    if pd.notna(row["p_holm"]):
        text += f" (adjusted p = {format_p(row['p_holm'])})"
    text = "; ".join(filter(None, [text, within, row["remedy"]]))
    return " ".join(filter(None, [f"{text}.", _MEANINGS.get(row["code"], "")]))


def _finding(row: ReasonRow) -> str:
    """Return the clause of a finding, after its subject where it does not name it."""
    if row["code"] in _NAMED:
        return str(row["finding"])
    return f"{subject_of(row)}: {row['finding']}"


def within_levels_clause(row: ReasonRow, pairs: Iterable[tuple[str, str]], label: str) -> str:
    """Return the words on the pairs within the levels of a column that is not separated.

    ``row`` is of the table ``concordance``, ``pairs`` the classes that are not separated where
    there are more than two, ``label`` the name of the classifier.
    """
    if classes := ", ".join(f"{one} and {other}" for one, other in pairs):
        return f"within its levels {label} does not distinguish {classes} detectably"
    n_pairs = counted(row["pairs"], "pair")
    within = f"within its levels are {n_pairs} of samples of different classes"
    if row["pairs"] < FEWEST_PAIRS:
        return within
    return (
        f"{within}, which {label} orders not detectably better than chance (AUC "
        f"{row['auc_within']:.2f}, p = {row['p']:.2g})"
    )
