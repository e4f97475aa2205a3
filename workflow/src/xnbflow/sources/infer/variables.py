"""What each variable of a table probably is, by its name and its cells.

The guess is the same with samples in rows and in columns. A proposal writes it as keys of an entry,
which `xnbflow.sources.roles` obeys.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pandas as pd

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_missing, is_text
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.infer.column_keys import columns_named
from xnbflow.sources.infer.feature_block import find_feature_block
from xnbflow.sources.series.column_meaning import (
    Meaning,
    binary_counts,
    meaning_of,
)

#: Meanings of the name of a number that is no measurement.
_DESCRIPTION = Meaning.SAMPLE | Meaning.PATIENT | Meaning.FOLLOW_UP
#: Meanings of a name by which a column of few numbers is one of classes.
_CLASS = Meaning.CLASS | Meaning.CASE_CONTROL
#: First samples by which variables of text are recognised.
FIRST_SAMPLES = 20
#: Most features with which a variable of few numbers is compared.
_COMPARED = 200
#: Columns of 0 and 1 that are read whole; of more, those with the name of a class.
_MOST_BINARY = 50
#: More columns of 0 and 1 with the name of a class are features, as mutations of tumours.
_MOST_BINARY_LABELS = 3
#: Least number of samples with each value of a label of 0 and 1.
_LEAST_BINARY = 3
#: Least share of the samples with each value of a label of 0 and 1.
_BINARY_SHARE = 0.1
#: Most distinct numbers of a column that may be classes, such as doses.
_MOST_LEVELS = 10
#: Least number of samples with each of these numbers.
_LEAST_OF_LEVEL = 4
#: Least share of names in capital letters in a table of gene symbols.
_CAPITALS = 0.8


class Kind(Enum):
    """What the cells of a variable are."""

    EMPTY = "no cell has a value"
    TEXT = "more than a quarter of the cells are no numbers; single ones are mistakes"
    FEW_NUMBERS = "few distinct numbers, as 0 and 1 or doses, each of several cells"
    NUMBER = "other numbers"


def kind_of(cells: Sequence[str]) -> Kind:
    """Return what the cells of a variable are.

    Examples
    --------
    >>> kind_of(["ill", "well", "NA"]).name, kind_of(["1.5", "NA", "low", "2", "7"]).name
    ('TEXT', 'NUMBER')
    >>> kind_of(["0", "1", "0", "1"]).name, kind_of(["", "NA"]).name
    ('FEW_NUMBERS', 'EMPTY')
    """
    present = [cell for cell in cells if not is_missing(cell)]
    if not present:
        return Kind.EMPTY
    if 4 * sum(map(is_text, present)) > len(present):
        return Kind.TEXT
    n_distinct = len(set(map(str.strip, present)))
    are_few = n_distinct <= _MOST_LEVELS and 2 * n_distinct <= max(len(cells), 4)
    return Kind.FEW_NUMBERS if are_few else Kind.NUMBER


@dataclass(frozen=True, kw_only=True)
class Variables:
    """Positions of the variables of a table by what they probably are.

    Attributes
    ----------
    descriptions : dict of int to list of str
        The cells of the variables that describe samples: texts, and numbers outside the block of
        features.
    features : list of int
        All other variables, which are numbers.
    outside : list of int
        The numbers among ``descriptions``.
    are_few : bool
        Whether the features are too few to be recognised as a block
        (`xnbflow.sources.infer.feature_block`).
    empty : list of int
        Columns without any value that the entry does not name.
    number_labels : DataFrame
        Variables of 0 and 1, or of few numbers as doses, that are plausible labels.
    """

    descriptions: dict[int, list[str]]
    features: list[int]
    outside: list[int]
    are_few: bool
    empty: list[int]
    number_labels: pd.DataFrame


def guess_variables(
    table: TextTable, entry: DatasetEntry, first_samples: Sequence[Sequence[str]]
) -> Variables:
    """Return what the variables of a table probably are.

    The texts of the first samples, a sequence for each, decide which variables may be text; these
    are then read whole.
    """
    names = table.names
    first_texts = [[cells[i] for cells in first_samples] for i in range(len(names))]
    kinds = list(map(kind_of, first_texts))
    declared = {entry.label, *entry.phenotype_columns} - {None}

    # Variables that may be texts by their first cells; the others are numbers, of which the
    # features are a block. Where these are too few for a block, those describe samples whose names
    # mean the samples, patients or follow-up.
    # A column without a value describes nothing; a row without one is a feature.
    kinds_of_texts = {Kind.TEXT, Kind.EMPTY} if table.samples_are_rows else {Kind.TEXT}
    may_be_text = {i for i, kind in enumerate(kinds) if kind in kinds_of_texts}
    named = {i for i, name in enumerate(names) if name in declared}
    numbers = sorted(set(range(len(names))) - may_be_text - named)
    block = find_feature_block(
        [names[i] for i in numbers], [first_texts[i] for i in numbers], table.decimal
    )
    outside = {numbers[i] for i in block.others}
    if block.is_small:
        outside = {i for i in numbers if meaning_of(names[i]) & _DESCRIPTION}
    features = sorted(set(numbers) - outside)

    # What describes samples is read whole: it may be no text, or have no value at all.
    positions = sorted(may_be_text | named | outside)
    descriptions = dict(zip(positions, table.texts(positions), strict=True))
    empty = []
    for i in sorted(may_be_text - named):
        kind = kind_of(descriptions[i])
        if kind is Kind.EMPTY and names[i] not in (entry.id_column, *columns_named(entry)):
            empty.append(i)
        if kind not in kinds_of_texts or i in empty:
            del descriptions[i]

    number_labels = pd.DataFrame()
    if candidates := [i for i in [*features, *sorted(outside)] if kinds[i] is Kind.FEW_NUMBERS]:
        number_labels = _labels_of_few_numbers(table, candidates, features)
    return Variables(
        descriptions=descriptions,
        features=features,
        outside=sorted(outside),
        are_few=block.is_small,
        empty=empty,
        number_labels=number_labels,
    )


def _labels_of_few_numbers(
    table: TextTable, candidates: Sequence[int], features: Sequence[int]
) -> pd.DataFrame:
    """Return the variables of few numbers that are probably labels, a row per sample.

    They are 0 and 1, or up to ten numbers as the doses of a drug; each value is frequent. The name
    means a class; or there is one such variable, which is not a gene (it is not between the
    features, and not in capitals as they are) and not a count (most features, of which some are
    read, are not whole numbers). Of many ``candidates``, as in a table of counts, only those with
    the name of a class are examined.
    """
    names = table.names
    if len(candidates) > _MOST_BINARY:
        candidates = [i for i in candidates if meaning_of(names[i]) & _CLASS]
    frequent = {}
    for i, cells in zip(candidates, table.texts(candidates), strict=True):
        counts = Counter(cell.strip() for cell in cells if not is_missing(cell))
        is_binary = binary_counts(cells) is not None
        if not is_binary and not 2 < len(counts) <= _MOST_LEVELS:
            continue
        least = _LEAST_BINARY if is_binary else max(_LEAST_BINARY, _LEAST_OF_LEVEL)
        if min(counts.values()) >= max(least, _BINARY_SHARE * len(cells)):
            frequent[i] = cells
    labels = {names[i]: cells for i, cells in frequent.items() if meaning_of(names[i]) & _CLASS}
    if not labels and len(frequent) == 1:
        ((i, cells),) = frequent.items()
        is_between = bool(features) and features[0] < i < features[-1]
        is_symbol = names[i].isupper() and _are_capitals([names[other] for other in features])
        if not (is_between or is_symbol or _are_whole(table, features)):
            labels = {names[i]: cells}
    if len(labels) > _MOST_BINARY_LABELS:
        labels = {}
    return pd.DataFrame(labels, dtype=object)


def _are_whole(table: TextTable, features: Sequence[int]) -> bool:
    """Return whether half of some features, or more, are whole numbers, as counts are."""
    compared = features[:: max(1, len(features) // _COMPARED)]
    values = _as_numbers(table.texts(compared), table.decimal)
    with np.errstate(invalid="ignore"):
        is_whole = np.all((values == np.floor(values)) | np.isnan(values), axis=1)
    return 2 * int(is_whole.sum()) >= len(values)


def _are_capitals(names: Sequence[str]) -> bool:
    """Return whether most names have no small letters, as human gene symbols."""
    return bool(names) and sum(name.isupper() for name in names) >= _CAPITALS * len(names)


def _as_numbers(rows: Sequence[Sequence[str]], decimal: str) -> np.ndarray:
    """Return cells as numbers, (n_rows, n_cells); NaN where a cell is none."""
    texts = np.array([list(row) for row in rows], dtype=object)
    if not texts.size:
        return np.empty((len(rows), 0))
    if decimal == ",":
        texts = np.array([[cell.replace(",", ".") for cell in row] for row in rows], dtype=object)
    numbers = pd.to_numeric(pd.Series(texts.ravel()), errors="coerce")
    return numbers.to_numpy(dtype=np.float64).reshape(texts.shape)
