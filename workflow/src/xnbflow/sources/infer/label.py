"""The column of the samples that is the label, and sentences on the choice.

A label is a column of texts, the class in the names of the samples, or a column of few numbers.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry
from xnbflow.sources.formats.cell_texts import is_day, is_missing, is_number, is_text, plain_text
from xnbflow.sources.infer.class_keys import label_keys
from xnbflow.sources.infer.classes_in_names import find_classes_in_names
from xnbflow.sources.infer.layout import Layout
from xnbflow.sources.infer.variables import Kind, kind_of
from xnbflow.sources.series.column_meaning import (
    Meaning,
    binary_counts,
    is_follow_up,
    meaning_of,
)
from xnbflow.sources.series.label_spellings import common_spellings
from xnbflow.sources.series.sample_names import are_alignments, plain_sample_names

#: Distinct values of a column that are shown; a numeric column with more is described by numbers.
SHOWN_VALUES = 12

#: Names of fields that describe samples, or probes of NanoString, but are no question of a study.
_NO_CLASS = re.compile(
    r"^(sex|gender|age.*|race|ethnic.*|organism|.*batch.*|.*date.*|smok.*|.*individual.*|"
    r".*patient.*|.*subject.*|.*donor.*|.*survival.*|platform|.*\bid|code[ ._]?class)$",
    re.IGNORECASE,
)

#: Names of columns for how severe a disease is: a question after others.
_SEVERITY = re.compile(r"stage|grade", re.IGNORECASE)

#: Most characters of a value in a sentence.
_LONGEST_VALUE = 30

#: Most further columns that look like classes and are shown.
_SHOWN_LABELS = 5

#: Most classes of a proposed label.
MOST_CLASSES = 10

#: Largest share of the samples that are in classes of one sample.
_MOST_SINGLE = 0.2

#: The field is no class. This is the lowest of four scores of a field (`class_score`).
NO_CLASS = 0
#: The field is a description, or has numbers without the name of a class: a score, a code.
WEAK_CLASS = 1
#: The values look like classes, but the name is not that of a class: "source".
UNNAMED_CLASS = 2
#: The values look like classes, and the name is that of a class: "diagnosis".
NAMED_CLASS = 3


def class_score(name: str, texts: Iterable[str]) -> int:
    """Return how much a field looks like a class, by its name and its texts.

    The result is one of `NAMED_CLASS`, `UNNAMED_CLASS`, `WEAK_CLASS` and `NO_CLASS`. Dates are no
    class; nor is follow-up (an event that was seen or not), the outcome of a survival model.

    Examples
    --------
    >>> class_score("diagnosis", "aabb"), class_score("sex", "aabb"), class_score("note", "abcd")
    (3, 0, 0)
    >>> class_score("vital_status", ["dead", "alive"] * 4)
    0
    """
    # Texts without missing values; "none" may be a class (`label_keys`).
    plain = list(map(plain_text, texts))
    present = [text for text in plain if not is_missing(text)]
    if len(present) < len(plain):
        literal = label_keys(plain).get("literal", ())
        present = [text for text in plain if text in literal or not is_missing(text)]
    spellings = common_spellings(present)
    counts = Counter(spellings[text] for text in present)

    # Fields that are no class by their name, the number of their values or what these are.
    if not 2 <= len(counts) <= MOST_CLASSES or _NO_CLASS.match(name) or name == "title":
        return NO_CLASS
    if is_follow_up(name, counts):
        return NO_CLASS
    have_digits = any(map(str.isdecimal, next(iter(counts))))
    if have_digits and all(map(is_day, counts)):
        return NO_CLASS

    # Fields that are no class by the numbers of samples of their values.
    n_repeated = sum(count > 1 for count in counts.values())
    n_single = len(counts) - n_repeated
    has_many_single = n_single > _MOST_SINGLE * len(plain)
    is_rarely_known = sum(counts.values()) < len(plain) / 2
    if n_repeated < 2 or has_many_single or is_rarely_known:
        return NO_CLASS

    has_class_name = Meaning.CLASS in meaning_of(name)
    are_numbers = all(map(is_number, counts))
    if name == "description" or (are_numbers and not has_class_name):
        return WEAK_CLASS
    return NAMED_CLASS if has_class_name else UNNAMED_CLASS


def choose_label(layout: Layout) -> Layout:
    """Choose the label of a table: the user's label, or what looks most like a class.

    This is a column of texts, or else the class in the names of the samples. Without either the
    entry has no label. A user may name the samples as label without a class: then it is found in
    their names.
    """
    entry = layout.entry
    has_class = bool(entry.label_classes or entry.label_pattern or entry.map)
    is_in_names = entry.label == SAMPLE_NAMES and not has_class
    if is_in_names:
        entry = replace(entry, label=None)
    fields = layout.fields.loc[:, ~layout.fields.columns.duplicated()]
    texts = {str(name): list(map(str, cells)) for name, cells in fields.items()}
    remarks = []
    if follow_up := [name for name, cells in texts.items() if is_follow_up(name, cells)]:
        remarks.append(_remark_on_follow_up(follow_up, entry.label))
    if not entry.label:
        # Of the numbers outside the block of features only those are candidates whose name is that
        # of a class, such as a stage; 0 and 1 are classes where nothing else is
        # (`choose_number_label`).
        measurements = []
        for name in layout.outside:
            cells = texts[name]
            if binary_counts(cells) is not None or class_score(name, cells) < NAMED_CLASS:
                measurements.append(name)
        candidates = plausible_labels(fields.drop(columns=measurements))
        if is_in_names or not candidates:
            entry, remarks_on_names = _label_in_names(
                entry, layout.samples or _sample_names(fields)
            )
            remarks += remarks_on_names
        else:
            best, *others = candidates
            entry = replace(entry, label=best)
            if kind_of(texts[best]) is not Kind.TEXT:
                remarks += _remarks_on_binary(best, texts[best])
            number_labels = plausible_labels(layout.number_labels)
            others += [name for name in number_labels if name not in candidates]
            if others:
                every_field = pd.concat([fields, layout.number_labels], axis=1)
                remarks += remarks_on_others(every_field, others)
    return replace(layout, entry=entry, remarks=(*layout.remarks, *remarks))


def _label_in_names(entry: DatasetEntry, names: Sequence[str]) -> tuple[DatasetEntry, list[str]]:
    """Return the entry whose label is the class in the names of the samples, and a sentence.

    Names without a class leave the entry as it is.
    """
    if are_alignments(names):
        names = plain_sample_names(names)
    in_names = find_classes_in_names(names)
    if in_names is None:
        return entry, []
    entry = replace(entry, label=SAMPLE_NAMES).with_defaults(map=in_names.types)
    if not entry.label_classes and not entry.label_pattern:
        pattern = None if in_names.classes else in_names.pattern
        entry = replace(entry, label_classes=in_names.classes, label_pattern=pattern)
    matches = [re.search(in_names.pattern, name) for name in names]
    counts = Counter(match[1] for match in matches if match is not None)
    class_sizes = listed(f"{label} ({n_samples})" for label, n_samples in counts.items())
    return entry, [f"The names of the samples contain the class: {class_sizes}."]


def choose_number_label(layout: Layout) -> Layout:
    """Choose a column of 0 and 1, or of few numbers as doses, as the label, if one is plausible.

    It then describes samples, as a column of texts does.
    """
    label = best_number_label(layout)
    if not label:
        return layout
    others = [name for name in plausible_labels(layout.number_labels) if name != label]
    cells = layout.number_labels[label]
    fields = layout.fields.assign(**{label: list(cells)})
    remarks = [*remarks_on_others(layout.number_labels, others), *_remarks_on_binary(label, cells)]
    return replace(
        layout,
        fields=fields,
        entry=replace(layout.entry, label=label),
        remarks=(*layout.remarks, *remarks),
    )


def plausible_labels(fields: pd.DataFrame) -> list[str]:
    """Return the columns that look like classes, the best first.

    They are ordered by their `class_score`; among equal scores a stage or a grade comes last, and
    words come before numbers. Columns that are equal in all this keep their order in the table.

    Examples
    --------
    >>> table = pd.DataFrame({"stage": list("3344") * 2, "response": list("abab") * 2})
    >>> plausible_labels(table)
    ['response', 'stage']
    """
    ranks = {}
    for name, column in fields.loc[:, ~fields.columns.duplicated()].items():
        cells = list(map(str, column))
        score = class_score(str(name), cells)
        if score:
            is_severity = _SEVERITY.search(str(name)) is not None
            has_words = any(is_text(cell) for cell in cells)
            ranks[str(name)] = (score, not is_severity, has_words)
    return sorted(ranks, key=ranks.__getitem__, reverse=True)


def remarks_on_others(fields: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return a sentence on further columns that look like classes, with their values."""
    descriptions = []
    questions = [name for name in names if Meaning.TECHNICAL not in meaning_of(name)]
    unique = fields.loc[:, ~fields.columns.duplicated()]
    for name in questions[:_SHOWN_LABELS]:
        counts = Counter(plain_text(str(cell)) for cell in unique[name])
        values = []
        for value, count in counts.most_common():
            if len(value) > _LONGEST_VALUE:
                values.append(f"{value[: _LONGEST_VALUE - 3]}... {count}")
            elif value:
                values.append(f"{value} {count}")
        descriptions.append(f"{name} ({', '.join(values[:SHOWN_VALUES])})")
    if not descriptions:
        return []
    sentence = (
        f"Other columns that look like classes: {'; '.join(descriptions)}; --label chooses one as "
        "the class, and --set adjust=[NAME] adjusts the tests of single genes for one."
    )
    return [sentence]


def remark_on_separating(fields: pd.DataFrame, names: Sequence[str], labels: np.ndarray) -> str:
    """Return a sentence on columns each of whose values is of one class; empty without any.

    Parameters
    ----------
    fields : DataFrame
        A column of texts for each field, a row per sample.
    names : sequence of str
        The fields that look like classes.
    labels : ndarray of str, shape (n_samples,)
        The class of each sample; empty without one.

    Examples
    --------
    >>> table = pd.DataFrame({"source": list("ssbb"), "sex": list("fmfm")})
    >>> remark_on_separating(table, ["source", "sex"], np.array(list("ttnn")))[:53]
    'Each value of source has samples of one class alone: '
    """
    separating = []
    unique = fields.loc[:, ~fields.columns.duplicated()]
    for name in names:
        texts = unique.loc[labels != "", name]
        pairs = pd.DataFrame({"text": texts.to_numpy(), "label": labels[labels != ""]})
        if pairs["text"].nunique() == len(pairs.drop_duplicates()) < len(pairs):
            separating.append(name)
    if not separating:
        return ""
    assignment = f"biology={flow_yaml(separating)}"
    return (
        f"Each value of {listed(separating)} has samples of one class alone: if that describes the "
        f"class in other words, use --set {shlex.quote(assignment)}; if it is how samples were "
        "taken or measured, the class cannot be judged."
    )


def best_number_label(layout: Layout) -> str:
    """Return the column of few numbers that looks most like a class; empty if none does."""
    return next(iter(plausible_labels(layout.number_labels)), "")


def _remarks_on_binary(label: str, cells: Sequence[str] | pd.Series) -> list[str]:
    """Return a sentence on a proposed label of 0 and 1; none on other labels."""
    counts = binary_counts(list(map(str, cells)))
    if counts is None:
        return []
    n_zeros, n_ones = counts
    sentence = (
        f"{label!r} has the values 0 ({counted(n_zeros, 'sample')}) and 1 "
        f"({counted(n_ones, 'sample')}), which are proposed as classes; if it is a measurement, "
        "name another column by --label."
    )
    return [sentence]


def _sample_names(fields: pd.DataFrame) -> list[str]:
    """Return the names of the samples, from the first column whose name means these.

    A column without a name counts as well. The list is empty if there is no such column.
    """
    for name, cells in fields.items():
        is_name_of_samples = not name or Meaning.SAMPLE in meaning_of(str(name))
        if is_name_of_samples and cells.nunique() == len(cells):
            return list(map(str, cells))
    return []


def _remark_on_follow_up(names: Sequence[str], label: str | None) -> str:
    """Return sentences on columns of follow-up: the time to an event and its status."""
    text = (
        f"{listed(names)} {either(len(names), 'is', 'are')} follow-up (the time to an event, or "
        "whether it was seen): an outcome, neither a class nor a confounder. A question about "
        "survival needs a survival model, such as Cox regression, which xnbflow does not have."
    )
    if label in names:
        text += (
            f" The label {label!r} ignores the time and samples that were followed for a short "
            "time; valid is a class that is known for every sample, such as an event within two "
            "years, without the samples that were followed for less."
        )
    return text
