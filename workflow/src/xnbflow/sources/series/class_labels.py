"""Class labels from the texts in a file: a pattern, a mapping, and samples to leave out."""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import numpy as np

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, either, listed, noun
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.note import Note
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_missing, is_number, plain_text
from xnbflow.sources.series.label_spellings import alike_labels

#: Label of samples that are read for prediction.
UNLABELLED = "unlabelled"

#: The value of the key ``unlabelled`` for such samples.
IGNORE = "ignore"

#: Number of texts that a message lists.
_LISTED = 8
#: Least number of folds of a proposed study.
_FOLDS = 5
#: More distinct labels are not classes if most samples share their label with few others.
_MOST_CLASSES = 10
#: Fewer samples of one label are few.
_FEW_ALIKE = 5
#: Fewer samples of one label are few if all labels are numbers.
_FEW_NUMBERS_ALIKE = 20
#: A cut point of the key ``map``, as ``<60``.
_CUT = re.compile(r"([<>]=?)\s*([-+]?[\d.]+(e[-+]?\d+)?)")
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
#: What is no letter, with the sign of an exponent.
_NO_LETTERS = re.compile(r"[^a-z]|(?<=[\d.])e(?=[-+\d])")


class SampleLabels(NamedTuple):
    """The labels of samples by a `LabelRule`.

    Attributes
    ----------
    labels : ndarray of str, shape (n_labelled,)
        The labels of the samples that have one.
    has_label : ndarray of bool, shape (n_samples,)
        Whether each sample has a label; other samples are left out.
    notes : list of str
        Notes on samples without a label, and on doubtful labels.
    """

    labels: np.ndarray
    has_label: np.ndarray
    notes: list[str]


@dataclass(frozen=True)
class LabelRule:
    """The rule by which a sample's text becomes its label.

    One of the ``classes`` is searched in the text, as a word of its own, and replaces it. Or the
    ``pattern`` is searched; its first group replaces the text, or the whole match if it has no
    group. The ``mapping`` leads from a text, in small letters, to the label; other samples are left
    out. ``literal`` words are labels although they look like missing values. Samples without a
    label are refused or dropped, or (``ignore``) all samples are kept for prediction.
    """

    pattern: re.Pattern[str] | None = None
    classes: tuple[str, ...] = ()
    mapping: dict[str, str] = field(default_factory=dict)
    literal: frozenset[str] = frozenset()
    unlabelled: str = "refuse"

    @classmethod
    def parse(cls, dataset: DatasetEntry) -> "LabelRule":
        r"""Return the rule of an entry, by ``label``, ``map``, ``literal`` and ``unlabelled``.

        Numbers have classes by cut points, ``map: {"<60": young, ">=60": old}``: the first that
        holds.

        Examples
        --------
        >>> entry = DatasetEntry("x", "table", map={"Stage I, II": "early", "Stage III": "late"})
        >>> LabelRule.parse(entry).mapping
        {'stage i, ii': 'early', 'stage iii': 'late'}
        """
        where = f"data set {dataset.id}"
        expression = dataset.label_pattern
        if dataset.label_classes:
            expression = class_expression(dataset.label_classes)
        pattern = None
        if expression:
            try:
                pattern = re.compile(expression, re.IGNORECASE)
            except (re.error, RecursionError, OverflowError) as error:
                reason = quoted(str(error), 100)[1:-1]
                msg = (
                    f"{where}: label.pattern {quoted(expression)} is not a valid regular "
                    f"expression ({reason}); correct it"
                )
                raise InputError(msg, key="label.pattern") from error
        return cls(
            pattern=pattern,
            classes=dataset.label_classes,
            mapping=_small_letters(where, dataset.map) if dataset.map else {},
            literal=frozenset(dataset.literal),
            unlabelled=dataset.unlabelled or "refuse",
        )

    def apply(
        self,
        where: str,
        samples: Sequence[Any] | np.ndarray,
        texts: Sequence[str] | np.ndarray,
    ) -> SampleLabels:
        """Return the label of each sample, from its text."""
        if self.unlabelled == IGNORE:
            all_samples = np.ones(len(samples), dtype=bool)
            return SampleLabels(np.full(len(samples), UNLABELLED), all_samples, notes=[])
        if self.mapping:
            self._refuse_unused(where, texts)
        label_of_text = {text: self.label_of(text) for text in dict.fromkeys(texts)}
        labels = [label_of_text[text] for text in texts]
        has_label = np.array([label is not None for label in labels], dtype=bool)
        classes = np.array([label for label in labels if label is not None])
        notes: list[str] = []
        if not has_label.all():
            notes += self._leave_out(where, samples, texts, labels)
        sizes = Counter(classes.tolist())
        if len(sizes) > _MOST_CLASSES:
            _refuse_no_classes(where, sizes)
        # Classes of Latin letters alone look alike only if their letters are the same.
        letters = {_NO_LETTERS.sub("", label.lower()) for label in sizes}
        if len(letters) < len(sizes) or not "".join(sizes).isascii():
            notes += _about_alike(sorted(sizes))
        n_small = sum(size < _FOLDS for size in sizes.values())
        if 0 < n_small < len(sizes):  # of small classes alone no folds can be drawn
            notes.append(_about_small(sizes))
        return SampleLabels(classes, has_label, notes)

    def label_of(self, text: str) -> str | None:
        """Return the label of one text; None where it has none.

        Examples
        --------
        >>> LabelRule(mapping={"gbm": "tumour"}).label_of("GBM")
        'tumour'
        """
        label = self._search(plain_text(text))
        if label is None:
            return None
        if self.mapping:
            return self.mapping.get(self._key(label) or "")
        return None if is_missing(label) and label not in self.literal else label

    def _refuse_unused(self, where: str, texts: Sequence[str] | np.ndarray) -> None:
        """Refuse texts of the mapping that no sample has."""
        matched_texts = [self._search(plain_text(text)) for text in texts]
        matched = [text for text in matched_texts if text is not None]
        unused = self.mapping.keys() - {self._key(text) for text in matched}
        if unused:
            present = _commonest(matched) or "none that the label's pattern or classes match"
            msg = (
                f"{where}: map has {quoted(min(unused))}, but no sample has that text; they have "
                f"{present}. Correct it"
            )
            raise InputError(msg, key="map")

    def _leave_out(
        self,
        where: str,
        samples: Sequence[Any] | np.ndarray,
        texts: Sequence[str] | np.ndarray,
        labels: Sequence[str | None],
    ) -> list[str]:
        """Refuse samples without a label, or return notes on those that are left out.

        The mapping, and the pattern for texts that it does not match, decide what has no label.
        Other texts are words that are read as a missing label; an empty cell is no word.
        """
        positions = [i for i, label in enumerate(labels) if label is None]
        classes = {label for label in labels if label is not None}
        missing = []
        words: Counter[str] = Counter()
        for position in positions if not self.mapping else []:
            matched = self._search(plain_text(texts[position]))
            if matched is not None:
                missing.append(samples[position])
            if matched:
                words[matched] += 1
        if missing and self.unlabelled == "refuse":
            _refuse_unlabelled(where, missing, len(samples), words)
        if not classes:
            msg = f"{where}: no sample has a label; their texts are {_commonest(texts)}"
            raise InputError(msg, key="label")
        omitted = [f"{samples[position]} ({texts[position]})" for position in positions]
        reason = "having no label"
        if self.mapping:
            reason = "having a text that is not among the classes"
        samples_left_out = counted(len(omitted), "sample", "was", "were")
        note = f"{samples_left_out} left out, {reason}: {listed(omitted)}"
        return [note, *_note_words(where, classes, words)]

    def _search(self, text: str) -> str | None:
        """Return what the pattern finds in a text; None if it finds nothing."""
        if self.pattern is None:
            return text
        match = self.pattern.search(text)
        if match is None:
            return None
        if self.classes:
            spellings = {name.lower(): name for name in self.classes}
            return spellings[match.group(1).lower()]
        return next(filter(None, match.groups()), match.group()).strip()

    def _key(self, text: str) -> str | None:
        """Return the key of the mapping that a text has, or the first cut point that holds."""
        key = text.lower()
        if key in self.mapping or not is_number(text):
            return key
        for cut in self.mapping:
            match = _CUT.fullmatch(cut)
            if match is not None and _COMPARED[match[1]](float(text), float(match[2])):
                return cut
        return None


def class_expression(classes: Sequence[str]) -> str:
    """Return the regular expression that finds one of some classes in a text, as a word of its own.

    Letters beside the class would be another word. A class that contains another one precedes it.

    Examples
    --------
    >>> class_expression(["WT", "KO"]), class_expression([])
    ('(?<![A-Za-z])(KO|WT)(?![A-Za-z])', '')
    """
    if not classes:
        return ""
    ordered = sorted(classes, key=lambda name: (-len(name), name))
    return f"(?<![A-Za-z])({'|'.join(map(re.escape, ordered))})(?![A-Za-z])"


def _commonest(texts: Iterable[str]) -> str:
    """Return the commonest texts with the number of their samples, for messages."""
    counts = Counter(texts).most_common(_LISTED)
    return ", ".join(f"{quoted(text)} ({count})" for text, count in counts)


def _refuse_unlabelled(
    where: str, samples: Sequence[Any], n_samples: int, words: Mapping[str, int]
) -> NoReturn:
    """Refuse samples without a label; ``words`` are those that are read as a missing label."""
    hint = f"; if {_about_words(words)}" if words else ""
    msg = (
        f"{where}: {len(samples)} of {counted(n_samples, 'sample')} "
        f"{either(len(samples), 'has', 'have')} no label: {listed(samples)}. Label them, or "
        f"leave them out by unlabelled: drop{hint}"
    )
    raise InputError(msg, key="unlabelled")


def _note_words(where: str, classes: set[str], words: Mapping[str, int]) -> list[str]:
    """Return a note on words of several samples that are read as a missing label.

    A single class is refused: the word is probably the second one.
    """
    repeated_words = {word: count for word, count in words.items() if count > 1}
    if not repeated_words:
        return []
    hint = f"if {_about_words(repeated_words)}"
    if len(classes) == 1:
        msg = (
            f"{where}: all samples with a label have the label {quoted(min(classes))}, and a "
            f"classifier needs two; {hint}"
        )
        raise InputError(msg, key="literal")
    return [hint]


def _about_words(words: Mapping[str, int]) -> str:
    """Return how to keep words that are read as a missing label, by number of samples.

    Examples
    --------
    >>> _about_words({"NA": 8}).partition(", keep")[0]
    "the text 'NA' (8 samples), which is read as missing, is a class"
    """
    texts = listed(f"{quoted(word)} ({counted(count, 'sample')})" for word, count in words.items())
    number = len(words)
    return (
        f"the {noun(number, 'text')} {texts}, which {either(number, 'is', 'are')} read as missing, "
        f"{either(number, 'is a class', 'are classes')}, keep {either(number, 'it', 'them')} by "
        f"literal: {flow_yaml(list(words))}"
    )


def _refuse_no_classes(where: str, sizes: Counter[str]) -> None:
    """Refuse a continuous trait, survival times and names, of which most samples have their own.

    The ``sizes`` are the numbers of samples of more than a few labels.
    """
    are_numbers = all(map(is_number, sizes))
    least_size = _FEW_NUMBERS_ALIKE if are_numbers else _FEW_ALIKE
    n_in_small_classes = sum(size for size in sizes.values() if size < least_size)
    if 2 * n_in_small_classes <= sizes.total():
        return
    remedy = "join texts by map: {text: label, text: label}, or name another column"
    if are_numbers:
        remedy = (
            'make classes by map with cut points, as map: {"<60": young, ">=60": old}, or use a '
            "program for regression or survival analysis"
        )
    msg = (
        f"{where}: {counted(len(sizes), 'distinct label')} of {counted(sizes.total(), 'sample')} "
        f"({listed(sizes, 3)}) are not classes; xnbflow finds which of a few classes a sample "
        f"belongs to: {remedy}"
    )
    raise InputError(msg, key="map")


def _about_alike(labels: Sequence[str]) -> list[str]:
    """Return a note on each set of classes that look alike."""
    notes: list[str] = []
    for alike in alike_labels(labels):
        note = Note(
            f"the classes {' and '.join(map(ascii, alike))} look alike: they differ by "
            "capital letters, a number's form, the sign of a footnote or invisible characters",
            advice="make them one by map",
        )
        notes.append(note)
    return notes


def _about_small(sizes: Mapping[str, int]) -> Note:
    """Return a note on classes of few samples; ``sizes`` are the numbers of samples of classes."""
    small_classes = [f"{label!r} ({size})" for label, size in sizes.items() if size < _FOLDS]
    return Note(
        f"fewer than {_FOLDS} samples in class {listed(small_classes)}: with more folds than "
        "samples, some folds test none",
        advice="add samples, or join or leave out classes by map",
    )


def _small_letters(where: str, labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of the key ``map`` by their texts in small letters."""
    mapping: dict[str, str] = {}
    for text, label in labels.items():
        key = plain_text(text).lower()
        other = mapping.setdefault(key, label.strip())  # both spellings of a text may be in it
        if other != label.strip():
            msg = (
                f"{where}: map has {quoted(text)}, but {quoted(key)} is {quoted(other)} before; "
                "small and capital letters are alike"
            )
            raise InputError(msg, key="map")
    return mapping
