"""Class labels from the texts in a file: a pattern, a mapping, and samples to leave out."""

import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, either, listed
from xnbflow.sources.cell_texts import complaint, is_missing
from xnbflow.sources.sheet import SheetRow

#: Label of samples that are read for prediction.
UNLABELLED = "unlabelled"

#: The value of the option ``unlabelled`` for such samples.
IGNORE = "ignore"

_NAMED = 8
#: Least number of folds of a proposed study.
_FOLDS = 5
#: Number of samples of a class with which no folds can be trained and tested.
_RARE = 2
#: The class to which rare ones are joined.
_OTHERS = "others"
#: More distinct labels are not classes if most samples share their label with few others.
_MOST_CLASSES, _FEW_ALIKE, _FEW_NUMBERS_ALIKE = 10, 5, 20
#: A cut point of the option ``map``, as ``<60``.
_CUT = re.compile(r"([<>]=?)\s*([-+]?[\d.]+(e[-+]?\d+)?)")
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
#: Time limit per text, in seconds; reasonable patterns take microseconds.
_SECONDS = 1.0
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " "})


@dataclass(frozen=True)
class LabelRule:
    """The rule by which a sample's text becomes its label.

    The ``pattern`` is searched in the text; its first group, else the whole match, replaces the
    text. (The package regex is used because a search by Python's re has no time limit: ``(a|aa)+$``
    takes years.) The ``mapping`` leads from a text, in small letters, to the label; other samples
    are left out. ``literal`` words are labels although they look like missing values. Samples
    without a label are refused or dropped, or (``ignore``) all samples are kept for prediction.
    """

    pattern: Any = None
    mapping: dict[str, str] = field(default_factory=dict)
    literal: frozenset[str] = frozenset()
    unlabelled: str = "refuse"

    @classmethod
    def parse(cls, dataset: SheetRow) -> "LabelRule":
        r"""Read the sheet's options ``regex``, ``map``, ``literal`` and ``unlabelled``.

        A comma, or a colon that is not the last, of a ``map`` is written ``\,`` and ``\:``. Numbers
        have classes by cut points, ``<60:young,>=60:old``: the first that holds.

        Examples
        --------
        >>> options = {"map": r"stage I\, II:early,stage III:late"}
        >>> LabelRule.parse(SheetRow("x", "table", options=options)).mapping
        {'stage i, ii': 'early', 'stage iii': 'late'}
        """
        where, options = f"data set {dataset.id}", dataset.options
        unlabelled = options.get("unlabelled", "refuse")
        pattern = None
        if "regex" in options:
            import regex  # noqa: PLC0415 - few sheets have one

            try:
                pattern = regex.compile(options["regex"], regex.IGNORECASE)
            except (regex.error, RecursionError, OverflowError) as error:
                msg = (
                    f"{where}: the sheet's option regex {quoted(options['regex'])} is not a valid "
                    f"regular expression ({quoted(str(error), 100)[1:-1]}); correct it"
                )
                raise InputError(msg, key="regex") from error
        mapping = _mapping(where, options.get("map", ""))
        return cls(pattern, mapping, frozenset(dataset.names("literal")), unlabelled)

    def apply(
        self, where: str, samples: Sequence[Any] | np.ndarray, texts: Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Return labels (n_kept,), a mask of the kept samples (n_samples,), and notes."""
        if self.unlabelled == IGNORE:
            return np.full(len(samples), UNLABELLED), np.ones(len(samples), dtype=bool), []
        # None is a text that the option ``regex`` does not match, and a sample without a label.
        matched_texts = [self._matched(where, plain_text(text)) for text in texts]
        matched = [text for text in matched_texts if text is not None]
        if unused := self.mapping.keys() - {self._key(text) for text in matched}:
            msg = (
                f"{where}: the sheet's option map has {quoted(min(unused))}, but no sample has "
                f"that text; they have "
                f"{_commonest(matched) or 'none that the option regex matches'}. Correct it"
            )
            raise InputError(msg, key="map")
        labels = [None if text is None else self._label(text) for text in matched_texts]
        missing = []
        for sample, text, label in zip(samples, matched_texts, labels, strict=True):
            if text is not None and label is None:
                missing.append(sample)
        if missing and self.unlabelled == "refuse" and not self.mapping:
            msg = (
                f"{where}: {len(missing)} of {counted(len(samples), 'sample')} "
                f"{either(len(missing), 'has', 'have')} no label: "
                f"{listed(missing)}. Label them, leave them out by the sheet's option "
                "unlabelled=drop, or name words that are labels by literal=NA"
            )
            raise InputError(msg, key="label")
        keep = np.array([label is not None for label in labels], dtype=bool)
        if not keep.any():
            msg = f"{where}: no sample has a label; their texts are {_commonest(texts)}"
            raise InputError(msg, key="label")
        notes = []
        if not keep.all():
            omitted = [f"{samples[i]} ({texts[i]})" for i in np.flatnonzero(~keep).tolist()]
            notes.append(
                f"{counted(len(omitted), 'sample', 'was', 'were')} left out, having no label: "
                f"{listed(omitted)}"
            )
        classes = np.array([label for label in labels if label is not None])
        _refuse_no_classes(where, classes)
        return classes, keep, notes + _doubtful(classes)

    def label_of(self, where: str, text: str) -> str | None:
        """Return the label of one text; None where it has none.

        Examples
        --------
        >>> LabelRule(mapping={"gbm": "tumour"}).label_of("x", "GBM")
        'tumour'
        """
        matched = self._matched(where, plain_text(text))
        return None if matched is None else self._label(matched)

    def _matched(self, where: str, text: str) -> str | None:
        if self.pattern is None:
            return text
        try:
            match = self.pattern.search(text, timeout=_SECONDS)
        except TimeoutError as error:
            msg = (
                f"{where}: the sheet's option regex takes more than {_SECONDS:g} s to search "
                f"{quoted(text)}; write it without repetitions of repetitions"
            )
            raise InputError(msg, key="regex") from error
        if match is None:
            return None
        return next(filter(None, match.groups()), match.group()).strip()

    def _label(self, text: str) -> str | None:
        if self.mapping:
            return self.mapping.get(self._key(text) or "")
        return None if is_missing(text) and text not in self.literal else text

    def _key(self, text: str) -> str | None:
        """Return the key of the mapping that a text has, or the first cut point that holds."""
        if (key := text.lower()) in self.mapping or complaint(text) is not None:
            return key
        cuts = ((cut, match) for cut in self.mapping if (match := _CUT.fullmatch(cut)))
        holds = (cut for cut, m in cuts if _COMPARED[m[1]](float(text), float(m[2])))
        return next(holds, None)


def label_options(texts: Iterable[str]) -> dict[str, str]:
    """Return the options for labels that are missing, or look so: ``none`` is a class of several.

    Examples
    --------
    >>> label_options(["drug", "none", "drug", "none"]), label_options(["a", "NA", "b"])
    ({'literal': 'none'}, {'unlabelled': 'drop'})
    """
    missing = Counter(plain_text(text) for text in texts if is_missing(text))
    words = [text for text, n in missing.items() if text.lower() == "none" and n > 1]
    options = {"literal": ",".join(words)} if words else {}
    return options | ({"unlabelled": "drop"} if len(missing) > len(words) else {})


def propose_map(labels: Sequence[str]) -> tuple[dict[str, str], str]:
    """Return the option ``map`` that leaves out classes of one or two samples, and a sentence.

    No such class can be in training and test of several folds. Two other classes at least remain.
    The sentence has the map that joins them instead, where there are several.

    Examples
    --------
    >>> labels = ["serous"] * 4 + ["clear"] * 3 + ["mixed"]
    >>> propose_map(labels)[0]
    {'map': 'serous:serous,clear:clear'}
    >>> propose_map(["a"] * 3 + ["b"] * 2)
    ({}, '')
    """
    sizes = Counter(map(str, labels))
    rare = {label: n for label, n in sizes.items() if n <= _RARE}
    others = [label for label in sizes if label not in rare]
    if not rare or len(others) < 2:
        return {}, ""
    named = listed(f"{label!r} ({n})" for label, n in rare.items())
    text = (
        f"{counted(len(rare), 'class', 'has', 'have')} one or two samples, too few to train and "
        f"to test: {named}."
    )
    if any(";" in label for label in sizes):
        return {}, f"{text} Leave them out, or join them, by map=."
    unchanged = ",".join(f"{_escaped(label)}:{_escaped(label)}" for label in others)
    text += f" The proposed map= leaves {either(len(rare), 'it', 'them')} out"
    if sum(rare.values()) > _RARE:
        joined = ",".join(f"{_escaped(label)}:{_OTHERS}" for label in rare)
        text += f"; to join them, write map={unchanged},{joined}"
    return {"map": unchanged}, f"{text}."


def _escaped(text: str) -> str:
    """Return a text as a part of the option ``map``."""
    return text.replace(",", "\\,").replace(":", "\\:")


def _commonest(texts: Sequence[str]) -> str:
    return ", ".join(f"{quoted(text)} ({n})" for text, n in Counter(texts).most_common(_NAMED))


def plain_text(text: str) -> str:
    r"""Return a text with straight quotes and single spaces.

    Examples
    --------
    >>> plain_text(" patient’s\u00a0 mucosa ")
    "patient's mucosa"
    """
    return " ".join(text.translate(_QUOTES).split())


def _refuse_no_classes(where: str, labels: np.ndarray) -> None:
    """Refuse a continuous trait, survival times and names, of which most samples have their own."""
    sizes = Counter(labels.tolist())
    numbers = all(complaint(label) is None for label in sizes)
    few = _FEW_NUMBERS_ALIKE if numbers else _FEW_ALIKE
    if len(sizes) > _MOST_CLASSES and 2 * sum(n for n in sizes.values() if n < few) > len(labels):
        ways = (
            "make classes by map= with cut points, as map=<60:young,>=60:old, or use a program "
            "for regression or survival analysis"
            if numbers
            else "join texts by map=text:label,text:label, or name another column"
        )
        msg = (
            f"{where}: {counted(len(sizes), 'distinct label')} of {counted(len(labels), 'sample')} "
            f"({listed(list(sizes), 3)}) are not classes; xnbflow finds which of a few classes a "
            f"sample belongs to: {ways}"
        )
        raise InputError(msg, key="label")


def _doubtful(labels: np.ndarray) -> list[str]:
    """Note classes of few samples, and those that differ by the way they are written alone."""
    spellings: dict[str, list[str]] = {}
    sizes = Counter(map(str, labels))
    for label in sorted(sizes):
        composed = unicodedata.normalize("NFKC", label)
        seen = "".join(c for c in composed if unicodedata.category(c) != "Cf").lower()
        spellings.setdefault(seen if complaint(seen) else str(float(seen)), []).append(label)
    notes = [
        f"the classes {' and '.join(map(ascii, alike))} look alike: they differ by capital "
        "letters, a number's form or invisible characters; make them one by map= in the sheet's "
        "options"
        for alike in spellings.values()
        if len(alike) > 1
    ]
    few = [f"{label!r} ({n})" for label, n in sizes.items() if n < _FOLDS]
    if 0 < len(few) < len(sizes):  # of small classes alone no folds can be drawn
        notes.append(
            f"fewer than {_FOLDS} samples in class {listed(few)}: of {_FOLDS} folds some test "
            "none; add samples, join or leave out classes by map= in the sheet's options"
        )
    return notes


def _mapping(where: str, text: str) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in re.split(r"(?<!\\),", text))):
        *keys, label = re.split(r"(?<!\\):", entry)
        key, label = (
            part.replace("\\,", ",").replace("\\:", ":") for part in (":".join(keys), label)
        )
        key = plain_text(key).lower()
        other = mapping.get(key, label.strip())  # both spellings of a text may be given
        if not keys or not key or not label.strip() or other != label.strip():
            wrong = f", but {quoted(key)} is {quoted(other)} before" * (other != label.strip())
            msg = (
                f"{where}: the sheet's option map has {quoted(entry)}{wrong}; write "
                "text:label,text:label (small and capital letters are alike)"
            )
            raise InputError(msg, key="map")
        mapping[key] = label.strip()
    return mapping
