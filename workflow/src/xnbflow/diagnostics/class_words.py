"""Whether a column of the samples is the class in other words: *RCC* and *renal cell carcinoma*.

Such a column separates the classes completely, and is no confounder.
"""

import re

import pandas as pd

#: Words of one meaning, in the singular, by the first of them.
_MEANINGS = {
    "normal": re.compile("normal|healthy|control|unaffected"),
    "tumour": re.compile("tumou?r|cancer|[a-z]*carcinoma|neoplasm|malignant"),
}
#: Words for where and when samples were processed: beside one, a word of the class names a batch.
_TECHNICAL = re.compile(
    "arrays?|batch|batches|cent(er|re)s?|chips?|dates?|hospitals?|lanes?|plates?|runs?|series|"
    "sites?|slides?"
)
#: Least letters of an abbreviation: a single one may be the initial of anything, as of a hospital.
_SHORTEST_ABBREVIATION = 2
#: Longest text that is an abbreviation.
_LONGEST_ABBREVIATION = 6
#: Least share of the words of a value that are those of its label, for it to be the class.
_LEAST_SHARED = 1 / 3


def is_class_in_other_words(labels: pd.Series, cells: pd.Series) -> bool:
    """Return whether a column is the class in other words, by its values.

    Each value occurs in one class only and is like its class: it has a word of the label (or one of
    the same meaning, such as healthy and normal), and no word of another class; or it abbreviates
    the label, or the label abbreviates it by two letters or more. At least a third of the words of
    a value are those of its label: a long description with the name of the tissue describes how
    samples were taken. No value has a word for a batch: *tumour batch* and *control batch* are
    batches. The name of the column decides nothing, and neither does a complete separation: statin
    and untreated are not the words of a disease.

    Examples
    --------
    >>> labels = pd.Series(["normal", "renal cell carcinoma"] * 3)
    >>> is_class_in_other_words(labels, pd.Series(["normal kidney", "RCC"] * 3))
    True
    >>> is_class_in_other_words(labels, pd.Series(["untreated", "statin"] * 3))
    False
    >>> is_class_in_other_words(labels, pd.Series(["normal_batch", "RCC_batch"] * 3))
    False
    >>> taken = ["normal biopsies frozen at once", "carcinoma archived days after surgery"]
    >>> is_class_in_other_words(labels, pd.Series(taken * 3))
    False
    """
    n_classes = labels.nunique()
    n_levels = cells.nunique()
    most_levels = max(n_classes, len(cells) / 3)
    if n_classes < 2 or not n_classes <= n_levels <= most_levels:
        return False
    if any(map(_is_technical, cells.unique())):
        return False
    pairs = pd.DataFrame({"label": labels, "level": cells}).drop_duplicates()
    if len(pairs) > n_levels:  # a value occurs in several classes
        return False

    # The words of each label, without those that all labels have.
    names = pairs["label"].unique().tolist()
    common = set.intersection(*map(_words, names))
    words_of = {name: _words(name) - common for name in names}
    for label, level in pairs.itertuples(index=False):
        words_of_others = set.union(*(words_of[name] for name in names if name != label))
        words = _words(level)
        n_shared = len(words_of[label] & words)
        has_words_of_label = n_shared >= max(1, _LEAST_SHARED * len(words))
        has_words_of_others = bool((words_of_others - words_of[label]) & words)
        is_alike = has_words_of_label and not has_words_of_others
        if not (is_alike or _abbreviates(level, label) or _abbreviates(label, level)):
            return False
    return True


def _is_technical(level: str) -> bool:
    """Return whether a value has a word for where or when samples were processed.

    Examples
    --------
    >>> _is_technical("tumour batch"), _is_technical("tumour")
    (True, False)
    """
    return any(map(_TECHNICAL.fullmatch, re.findall(r"[^\W\d_]+", level.lower())))


def _words(text: str) -> set[str]:
    """Return the words of a text in one spelling, without plural endings.

    Words of the same meaning become one: those for normal samples, and those for tumours.

    Examples
    --------
    >>> sorted(_words("Healthy controls, adenocarcinomas of 2 colons"))
    ['colon', 'normal', 'tumour']
    """
    words = {word.removesuffix("s") for word in re.findall(r"[^\W\d_]{3,}", text.lower())}
    canonical = set()
    for word in words:
        meaning = next((name for name, stem in _MEANINGS.items() if stem.fullmatch(word)), word)
        canonical.add(meaning)
    return canonical


def _abbreviates(short_text: str, text: str) -> bool:
    """Return whether a text of letters abbreviates another: its initials, or letters of its word.

    The letters are in the order of the initials, or of the letters of the only word, with the same
    first letter. A single letter abbreviates nothing.

    Examples
    --------
    >>> _abbreviates("RCC", "Renal Cell Carcinoma"), _abbreviates("ccRCC", "clear cell RCC")
    (True, False)
    >>> _abbreviates("WT", "wild type"), _abbreviates("ctrl", "control")
    (True, True)
    >>> _abbreviates("Ulm", "tumour"), _abbreviates("2", "2 mg"), _abbreviates("N", "north")
    (False, False, False)
    """
    letters = short_text.strip().lower()
    words = re.findall(r"[^\W\d_]+", text.lower())
    is_short = _SHORTEST_ABBREVIATION <= len(letters) <= _LONGEST_ABBREVIATION
    if not letters.isalpha() or not is_short or not words:
        return False
    source = words[0] if len(words) == 1 else "".join(word[0] for word in words)
    if len(letters) >= len(source) + (len(words) > 1) or letters[0] != source[0]:
        return False
    place = 0
    for letter in letters:
        place = source.find(letter, place) + 1
        if not place:
            return False
    return True
