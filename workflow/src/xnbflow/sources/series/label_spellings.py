"""Spellings of labels: which texts mean one class, and which labels look alike."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from xnbflow.data.controls import is_control_word
from xnbflow.sources.formats.cell_texts import is_number

#: Number of samples of a class with which no folds can be trained and tested.
RARE = 2
#: What may be between two words, as in non-responder.
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])[\s_.-]+(?=[a-z])")
#: British spellings that are American ones in other tables.
_BRITISH = re.compile("tumour|leukaemia|anaemia")
#: Signs of footnotes after a word: ``responder*``, ``case†``, ``control²``.
_FOOTNOTE = re.compile(r"(?<=[^\W_])\s*[*∗†‡§¶#¹²³⁴⁵⁶⁷⁸⁹]+$")


def common_spellings(texts: Iterable[str]) -> dict[str, str]:
    """Return the commonest spelling of each text.

    Spellings differ by capital letters, invisible characters, what is between words, the form of a
    number, or British and American English. A label with the sign of a footnote is a spelling of
    the same label without it; where there is none, the sign is part of the label. Words for a
    control are spellings of one class where they are rare: normal tissue and an untreated control
    may be two classes of one series.

    Examples
    --------
    >>> common_spellings(["Tumor", "tumour", "Tumor", "ctrl", "Control", "Control", "Control"])
    {'Tumor': 'Tumor', 'tumour': 'Tumor', 'ctrl': 'Control', 'Control': 'Control'}
    >>> common_spellings(["case", "case†", "p53*"])
    {'case': 'case', 'case†': 'case', 'p53*': 'p53*'}
    """
    # A label with a footnote is not the commonest spelling, if the same label without it occurs.
    sizes = Counter(texts)
    sizes_of_classes = []
    spellings = {}
    for alike in _group_by_form(sizes, _normal_spelling):
        counts = Counter({text: sizes[text] for text in alike})
        without_footnote = Counter({t: n for t, n in counts.items() if not _FOOTNOTE.search(t)})
        commonest = (without_footnote or counts).most_common(1)[0][0]
        spellings.update(dict.fromkeys(counts, commonest))
        sizes_of_classes.append(counts)

    # Rare words for a control are spellings of the commonest one.
    totals = list(map(Counter.total, sizes_of_classes))
    controls = []
    if totals and min(totals) <= RARE < max(totals):
        controls = [counts for counts in sizes_of_classes if is_control_word(next(iter(counts)))]
    if controls:
        largest = max(controls, key=Counter.total)
        for counts in controls:
            if counts is not largest and counts.total() <= RARE < largest.total():
                spellings.update(dict.fromkeys(counts, largest.most_common(1)[0][0]))
    return spellings


def spellings_of_classes(labels: Iterable[str], classes: Sequence[str]) -> dict[str, str]:
    """Return the class of each label that is another spelling of it, as in `common_spellings`.

    Labels that are classes, or spellings of none or of several classes, are left out; so are words
    for a control, since another word may name another class.

    Examples
    --------
    >>> spellings_of_classes(["NORMAL", "Tumor", "control"], ["normal", "tumour"])
    {'NORMAL': 'normal', 'Tumor': 'tumour'}
    """
    classes_of_spelling: dict[str, list[str]] = {}
    for name in classes:
        classes_of_spelling.setdefault(_normal_spelling(name), []).append(name)
    spellings = {}
    for label in dict.fromkeys(labels):
        spelling = _normal_spelling(label)
        plain_spelling = _normal_spelling(_FOOTNOTE.sub("", label))
        matches = classes_of_spelling.get(spelling) or classes_of_spelling.get(plain_spelling, [])
        if label not in classes and len(matches) == 1:
            spellings[label] = matches[0]
    return spellings


def alike_labels(labels: Sequence[str]) -> list[list[str]]:
    """Return each set of labels that a reader can hardly distinguish.

    They differ by capital letters, the form of a number, the sign of a footnote, or invisible
    characters.

    Examples
    --------
    >>> alike_labels(["case", "Case", "case†", "control"])
    [['case', 'Case', 'case†']]
    """
    return [alike for alike in _group_by_form(labels, _appearance) if len(alike) > 1]


def _group_by_form(texts: Iterable[str], form: Callable[[str], str]) -> list[list[str]]:
    """Return the distinct texts of each form, by a function that returns the form of a text.

    A text with the sign of a footnote has the form without it, if another text has that form.
    """
    form_of = {text: form(text) for text in texts}
    forms = set(form_of.values())
    groups: dict[str, list[str]] = {}
    for text, form_of_text in form_of.items():
        plain = _FOOTNOTE.sub("", text)
        plain_form = form_of_text if plain == text else form(plain)
        groups.setdefault(plain_form if plain_form in forms else form_of_text, []).append(text)
    return list(groups.values())


def _normal_spelling(text: str) -> str:
    """Return what the spellings of a text have in common."""
    return _BRITISH.sub(_american, _BETWEEN_WORDS.sub(" ", _appearance(text)))


def _american(match: re.Match[str]) -> str:
    return {"tumour": "tumor", "leukaemia": "leukemia", "anaemia": "anemia"}[match[0]]


def _appearance(label: str) -> str:
    """Return a label without capital letters, invisible characters and the form of a number.

    Examples
    --------
    >>> _appearance("Tumour\u200b"), _appearance("1.50")
    ('tumour', '1.5')
    """
    composed = unicodedata.normalize("NFKC", label)
    visible = [letter for letter in composed if unicodedata.category(letter) != "Cf"]
    text = "".join(visible).lower()
    return str(float(text)) if is_number(text) else text
