"""Findings in words: sentences of one finding, and of several of one kind together.

`xnbflow.core.findings` has the sentence, advice and level of each kind; this module fills in the
names and numbers of rows of the table ``findings``. No program reads what it writes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.findings import KINDS, VERDICT_LEVELS, place_in_order
from xnbflow.core.joined_columns import joined_columns
from xnbflow.core.nouns import counted, either, listed
from xnbflow.inference.estimates import MISSED_RECALL
from xnbflow.inference.verdicts import FEWEST_PAIRS
from xnbflow.report.numbers import capitalized, format_p, join_words

FindingRow = Mapping[str, Any]

#: Most classes, and columns, that a clause names.
_MOST_NAMED = 3
#: Kinds of columns for which comparisons of features can be adjusted; ``other`` is the term.
_ADJUSTABLE = (("column", "separates classes"), ("column", "associated"))


def name_of(row: FindingRow) -> tuple[str, str]:
    """Return the code and kind of a row of the table ``findings``, a key of `KINDS`.

    Raises
    ------
    InputError
        If there is no such kind: another version of xnbflow wrote the row.

    Examples
    --------
    >>> name_of({"code": "samples", "kind": "tired"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: the finding 'samples: tired' is of another version ...
    """
    name = str(row["code"]), str(row["kind"])
    if name not in KINDS:
        finding = quoted(": ".join(filter(None, name)))
        msg = f"the finding {finding} is of another version of xnbflow; run the study again"
        raise InputError(msg)
    return name


def in_order(rows: Iterable[FindingRow]) -> list[FindingRow]:
    """Return findings in the order of `KINDS`; those of one kind keep their order."""
    return sorted(rows, key=lambda row: place_in_order(*name_of(row)))


def clauses_of(rows: Iterable[FindingRow], noun: str = "feature") -> list[str]:
    """Return clauses for a sentence (`joined_clauses`): why a verdict is not better.

    ``rows`` are of the table ``findings``, those of one kind side by side. ``noun`` is "gene" or
    "feature".

    Examples
    --------
    >>> clauses_of([{"code": "unstable", "kind": "not tested"}], "gene")
    ['the stability of its genes was not tested']
    """
    clauses = []
    for name, rows_of_kind in groupby(rows, key=name_of):
        if name in _JOINT_CLAUSES:
            clauses.append(_JOINT_CLAUSES[name](list(rows_of_kind)))
        else:
            clauses += [_sentence(row, noun) for row in rows_of_kind]
    return clauses


def _sentence(row: FindingRow, noun: str = "feature") -> str:
    """Return the sentence of one finding, without its detail, as a clause."""
    return KINDS[name_of(row)].sentence.format(**row, noun=noun)


def advice_of(row: FindingRow, noun: str = "feature") -> str:
    """Return the next step after a finding; empty if it has none.

    Examples
    --------
    >>> advice_of({"code": "samples", "kind": "sex not shown", "subject": "gender"})
    'check the values of “gender”'
    """
    if name_of(row) in _ADJUSTABLE and not row["other"]:
        return "no comparison of features can be adjusted for it"
    advice = KINDS[name_of(row)].advice.format(**row, noun=noun)
    if name_of(row) in _ADJUSTABLE and row["count"] > 0:
        n = counted(int(row["count"]), "sample", "has", "have")
        advice += f" ({n} no value and would be left out)"
    return advice


def joined_clauses(clauses: Sequence[str]) -> str:
    """Return clauses in one sentence, with a comma before "and", which clauses also contain.

    Examples
    --------
    >>> joined_clauses(["a and b are not recognised", "the intervals are wide", "c is a copy"])
    'a and b are not recognised, the intervals are wide, and c is a copy'
    """
    *first, last = clauses
    return ", ".join([*first, f"and {last}"]) if first else last


def deciding(level: str, rows: Iterable[FindingRow]) -> list[FindingRow]:
    """Return the findings that decide a level: without them the verdict would be better."""
    if level == VERDICT_LEVELS[0]:
        return []
    return [row for row in rows if row["allows"] == level]


def verdict_in_words(level: str, rows: Iterable[FindingRow], noun: str = "feature") -> str:
    """Return a level with the findings that decide it.

    Examples
    --------
    >>> row = {"code": "unstable", "kind": "not tested", "allows": "partly supported"}
    >>> verdict_in_words("partly supported", [row], "gene")
    'partly supported, because the stability of its genes was not tested'
    >>> verdict_in_words("well supported", [])
    'well supported'
    """
    clauses = clauses_of(deciding(level, rows), noun)
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


def finding_in_short(row: FindingRow, noun: str = "feature") -> str:
    """Return a finding in a sentence, without its enumerations and its advice."""
    return f"{capitalized(_sentence(row, noun))}."


def finding_in_words(
    row: FindingRow, within: str = "", *, advice: str | None = None, noun: str = "feature"
) -> str:
    """Return a finding in a sentence, with its detail, p and advice.

    ``within`` are the words on the recognition of the class within the levels of a column;
    ``advice`` replaces that of the finding.
    """
    text = _sentence(row, noun)
    if row["detail"] and "{detail}" not in KINDS[name_of(row)].sentence:
        text += f" ({row['detail']})"
    if pd.notna(row["p_holm"]):
        text += f" (adjusted p = {format_p(row['p_holm'])})"
    advice = advice_of(row, noun) if advice is None else advice
    return "; ".join(filter(None, [text, within, advice])) + "."


def within_levels_clause(row: FindingRow, pairs: Iterable[tuple[str, str]], label: str) -> str:
    """Return the words on the pairs within the levels of a column that is not separated.

    ``row`` is of the table ``recognition``, ``pairs`` the classes that are not separated where
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


def rule_in_words() -> str:
    """Return the rule of verdicts: each level with the conditions of the findings that allow it.

    Examples
    --------
    >>> rule_in_words().split("; ")[0]
    'Not supported: a fold failed'
    """
    sentences = []
    for level in reversed(VERDICT_LEVELS[1:]):
        conditions = [row.condition for row in KINDS.values() if row.allows == level]
        sentences.append(f"{level.capitalize()}: {'; '.join(conditions)}.")
    return " ".join([*sentences, f"{VERDICT_LEVELS[0].capitalize()}: all others."])


def verdict_table() -> Iterator[str]:
    """Yield the lines of the table of the page on verdicts: each kind that limits one.

    Examples
    --------
    >>> next(line for line in verdict_table() if "not fitted" in line)
    '| `not fitted` | not supported | a fold failed |'
    """
    yield "| finding | allows | condition |"
    yield "|---|---|---|"
    for (code, kind), row in KINDS.items():
        if row.allows:
            yield f"| {_name_in_code(code, kind)} | {row.allows} | {row.condition} |"


def notice_table() -> Iterator[str]:
    """Yield the lines of the table of the kinds that limit no verdict."""
    yield "| finding | condition |"
    yield "|---|---|"
    for (code, kind), row in KINDS.items():
        if not row.allows:
            yield f"| {_name_in_code(code, kind)} | {row.condition} |"


def _name_in_code(code: str, kind: str) -> str:
    """Return a code and kind as code of Markdown."""
    return f"`{code}`: {kind}" if kind else f"`{code}`"


def _test_clause(rows: Sequence[FindingRow]) -> str:
    """Return how many orders of the labels were as good as the true one, which is one of them."""
    row = rows[0]
    text = _sentence(row)
    if pd.isna(row["count"]):
        return text
    return f"{text}: {row['count']:,.0f} of {row['total']:,.0f} orders of the labels were as good"


def _class_clause(rows: Sequence[FindingRow]) -> str:
    """Return the classes that are not recognised, by their recalls or by their intervals alone."""
    names = [f"“{row['class']}”" for row in rows]
    is_by_interval = any(row["estimate"] > MISSED_RECALL for row in rows)
    recognised = "shown to be recognised" if is_by_interval else "recognised"
    return f"{listed(names, _MOST_NAMED)} {either(len(names), 'is', 'are')} not {recognised}"


def _pair_clause(rows: Sequence[FindingRow]) -> str:
    """Return the pairs of classes that are alike, or of which too few samples show a difference."""
    names = [f"“{row['class']}” and “{row['other']}”" for row in rows]
    return f"it is not shown to distinguish {listed(names, _MOST_NAMED)}"


def _column_clause(rows: Sequence[FindingRow]) -> str:
    """Return from which columns the class, or which pairs of classes, cannot be separated."""
    # The pairs of classes of each column; none for two classes, which a finding does not name.
    pairs_of_column: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        pairs = pairs_of_column.setdefault(row["subject"], [])
        if row["class"]:
            pairs.append((row["class"], row["other"]))

    # Columns with the same pairs share a clause.
    columns_of_pairs: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for column, pairs in pairs_of_column.items():
        columns_of_pairs.setdefault(tuple(pairs), []).append(quoted_columns(column))
    is_examined = rows[0]["kind"].endswith("not separated")
    cannot = "cannot be separated from" if is_examined else "cannot be examined within"
    clauses = []
    for classes, columns in columns_of_pairs.items():
        subject = f"the difference between {difference_of(classes)}" if classes else "the class"
        clauses.append(f"{subject} {cannot} {listed(columns, _MOST_NAMED)}")
    return joined_clauses(clauses)


#: Clauses that several rows of a kind share.
_JOINT_CLAUSES: dict[tuple[str, str], Callable[[Sequence[FindingRow]], str]] = {
    ("chance", "label test"): _test_clause,
    ("class not recognised", "class"): _class_clause,
    ("class not recognised", "pair"): _pair_clause,
    ("column", "not separated"): _column_clause,
    ("column", "not examined"): _column_clause,
    ("column", "pair not separated"): _column_clause,
    ("column", "pair not examined"): _column_clause,
}
