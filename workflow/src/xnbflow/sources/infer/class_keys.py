"""Keys of an entry for the classes of its label: missing labels, spellings, and rare classes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_missing, plain_text
from xnbflow.sources.series.class_labels import LabelRule, SampleLabels
from xnbflow.sources.series.label_spellings import RARE, common_spellings

#: The class to which rare ones are joined.
_OTHERS = "others"


def label_keys(texts: Iterable[str]) -> dict[str, Any]:
    """Return the keys for labels that are missing, or look so: ``none`` is a class of several.

    Examples
    --------
    >>> label_keys(["drug", "none", "drug", "none"]), label_keys(["a", "NA", "b"])
    ({'literal': ('none',)}, {'unlabelled': 'drop'})
    """
    missing = Counter(plain_text(text) for text in texts if is_missing(text))
    words = [text for text, count in missing.items() if text.lower() == "none" and count > 1]
    keys: dict[str, Any] = {}
    if words:
        keys["literal"] = tuple(words)
    if len(missing) > len(words):
        keys["unlabelled"] = "drop"
    return keys


def propose_classes(
    entry: DatasetEntry, where: str, samples: Sequence[Any], texts: Sequence[str]
) -> tuple[DatasetEntry, SampleLabels, list[str]]:
    """Return an entry with the ``map`` of its classes, the labels by it, and sentences on it.

    The ``samples`` have the ``texts``, in the place ``where`` of messages. A ``map`` that the entry
    has is kept.
    """
    labels = LabelRule.parse(entry).apply(where, samples, texts)
    proposed, remark = ({}, "") if entry.map else propose_map(labels.labels.tolist())
    if not proposed:
        return entry, labels, []
    entry = replace(entry, map=proposed)
    return entry, LabelRule.parse(entry).apply(where, samples, texts), [remark]


def propose_map(labels: Sequence[str]) -> tuple[dict[str, str], str]:
    """Return the ``map`` that joins spellings and leaves out rare classes, and sentences.

    No class of one or two samples can be in training and test of several folds. Two other classes
    at least remain. Where there are several rare classes, a sentence has the map that joins them.

    Examples
    --------
    >>> labels = ["serous"] * 4 + ["clear"] * 3 + ["mixed"]
    >>> propose_map(labels)[0]
    {'serous': 'serous', 'clear': 'clear'}
    >>> propose_map(["a"] * 3 + ["b"] * 2)
    ({}, '')
    """
    spellings = common_spellings(map(str, labels))
    joined_spellings = {text: label for text, label in spellings.items() if text != label}
    sizes = Counter(spellings[str(label)] for label in labels)
    rare = {label: size for label, size in sizes.items() if size <= RARE}
    others = [label for label in sizes if label not in rare]
    if len(others) < 2:  # all classes are rare: none is left out
        rare = {}
        others = list(sizes)
    if len(others) < 2 or not (rare or joined_spellings):
        return {}, ""
    # Small and capital letters are alike in a map.
    distinct = {text.lower(): text for text, label in spellings.items() if label in others}
    entries = {text: spellings[text] for text in distinct.values()}
    sentences = []
    if joined_spellings:
        pairs = listed(f"{text!r} to {label!r}" for text, label in joined_spellings.items())
        sentences.append(f"The proposed map joins spellings: {pairs}.")
    if rare:
        sentences.append(_about_rare(rare, entries))
    return entries, " ".join(sentences)


def _about_rare(rare: Mapping[str, int], entries: Mapping[str, str]) -> str:
    """Return a sentence on classes of one or two samples, which a proposed map leaves out."""
    rare_classes = listed(f"{label!r} ({size})" for label, size in rare.items())
    text = (
        f"{counted(len(rare), 'class', 'has', 'have')} one or two samples, too few to train and "
        f"to test: {rare_classes}. The proposed map leaves {either(len(rare), 'it', 'them')} out"
    )
    if sum(rare.values()) > RARE:
        joined = flow_yaml({**entries, **dict.fromkeys(rare, _OTHERS)})
        text += f"; to join them, write map: {joined}"
    return f"{text}."
