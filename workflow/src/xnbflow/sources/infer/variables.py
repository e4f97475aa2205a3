"""What each variable of a table probably is, by its name and its values.

The guess is the same with samples in rows and in columns. A proposal writes it as keys of an entry,
which `xnbflow.sources.roles` obeys.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_missing, is_text
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.infer.column_keys import columns_named
from xnbflow.sources.infer.feature_block import find_feature_block
from xnbflow.sources.series.plausibility import (
    Meaning,
    binary_counts,
    meaning_of,
)

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


@dataclass(frozen=True, kw_only=True)
class Variables:
    """Positions of the variables of a table by what they probably are.

    Attributes
    ----------
    texts : list of int
        Variables that describe samples: texts, and numbers outside the block of features.
    features : list of int
        All other variables, which are numbers.
    outside : list of int
        The numbers among ``texts``.
    are_few : bool
        Whether the features are too few to be recognised as a block
        (`xnbflow.sources.infer.feature_block`).
    empty : list of int
        Columns without any value that the entry does not name.
    cells : dict of int to list of str
        The texts of the variables in ``texts``, and of `binary`.
    binary : DataFrame
        Columns of 0 and 1 among the features that are plausible labels.
    """

    texts: list[int]
    features: list[int]
    outside: list[int]
    are_few: bool
    empty: list[int]
    cells: dict[int, list[str]]
    binary: pd.DataFrame


def guess_variables(table: TextTable, entry: DatasetEntry) -> Variables:
    """Return what the variables of a table probably are.

    The texts of the first samples decide which variables may be text; these are then read whole.
    """
    names = table.names
    first_texts = table.first_texts(FIRST_SAMPLES)
    # A column without a value describes nothing; a row without one is a feature.
    has_empty = table.samples_are_rows
    declared = {entry.label, *entry.phenotype_columns} - {None}

    # Variables that may be texts by their first cells; the others are numbers, of which the
    # features are a block. Of few numbers only names of samples, patients and follow-up are known.
    may_be_text = {
        i
        for i, texts in enumerate(first_texts)
        if is_text_column(texts) or (has_empty and _is_empty(texts))
    }
    named = {i for i, name in enumerate(names) if name in declared}
    numbers = sorted(set(range(len(names))) - may_be_text - named)
    block = find_feature_block(
        [names[i] for i in numbers], [first_texts[i] for i in numbers], table.decimal
    )
    outside = {numbers[i] for i in block.others}
    if block.is_small:
        outside = {i for i in numbers if _describes_samples(names[i])}
    features = sorted(set(numbers) - outside)

    # The columns that are read whole: descriptions, numbers that may be labels, and some features.
    label_candidates = _binary_candidates([*features, *outside], names, first_texts)
    compared = features[:: max(1, len(features) // _COMPARED)]
    positions = sorted({*may_be_text, *named, *outside, *compared, *label_candidates})
    cells = dict(zip(positions, table.texts(positions), strict=True))
    compared_values = _as_numbers([cells[i] for i in compared], table.decimal)

    # The descriptions of samples, without columns that are empty and that the entry does not name.
    empty = set()
    if has_empty:
        used = {entry.label, entry.id_column, *columns_named(entry)}
        empty = {i for i, column in cells.items() if _is_empty(column) and names[i] not in used}
    described = sorted((may_be_text | named | outside) - empty)
    texts = []
    for i in described:
        is_number = i in named or i in outside
        if is_number or is_text_column(cells[i]) or _is_empty(cells[i]):
            texts.append(i)
    binary = _plausible_labels(
        candidates={i: cells[i] for i in label_candidates},
        names=names,
        others=features,
        features=compared_values,
    )
    return Variables(
        texts=texts,
        features=features,
        outside=sorted(outside - empty),
        are_few=block.is_small,
        empty=sorted(empty),
        cells=cells,
        binary=binary,
    )


def _describes_samples(name: str) -> bool:
    """Return whether a number is no measurement by its name: samples, patients, or follow-up."""
    return bool(meaning_of(name) & (Meaning.SAMPLE | Meaning.PATIENT | Meaning.FOLLOW_UP))


def _binary_candidates(
    others: Sequence[int], names: Sequence[str], heads: Sequence[Sequence[str]]
) -> list[int]:
    """Return the features that have few distinct numbers in the first samples.

    Of many, as in a table of counts, only those with the name of a class are returned.
    """
    candidates = [i for i in others if _has_few_numbers(heads[i])]
    if len(candidates) > _MOST_BINARY:
        candidates = [i for i in candidates if meaning_of(names[i]) & _CLASS]
    return candidates


def _has_few_numbers(cells: Sequence[str]) -> bool:
    """Return whether a column with these first cells may have classes: 0 and 1, or doses."""
    distinct = {cell.strip() for cell in cells if not is_missing(cell)}
    return 0 < len(distinct) <= _MOST_LEVELS and 2 * len(distinct) <= max(len(cells), 4)


def _plausible_labels(
    *,
    candidates: Mapping[int, Sequence[str]],
    names: Sequence[str],
    others: Sequence[int],
    features: np.ndarray,
) -> pd.DataFrame:
    """Return the columns of few numbers that are probably labels, a row per sample.

    They are 0 and 1, or up to ten numbers as the doses of a drug; each value is frequent. The name
    means a class; or there is one such column, which is not a gene (it is not between the features,
    and not in capitals as they are) and not a count (most features, of which some have the values
    ``features``, are not whole numbers).

    ``candidates`` are columns by their position among all ``names``, ``others`` the positions of
    the features.
    """
    frequent = {}
    for i, cells in candidates.items():
        counts = Counter(cell.strip() for cell in cells if not is_missing(cell))
        is_binary = binary_counts(cells) is not None
        if not is_binary and not 2 < len(counts) <= _MOST_LEVELS:
            continue
        least = _LEAST_BINARY if is_binary else max(_LEAST_BINARY, _LEAST_OF_LEVEL)
        if min(counts.values()) >= max(least, _BINARY_SHARE * len(cells)):
            frequent[i] = list(cells)
    labels = {names[i]: cells for i, cells in frequent.items() if meaning_of(names[i]) & _CLASS}
    if not labels and len(frequent) == 1:
        ((i, cells),) = frequent.items()
        is_between = bool(others) and others[0] < i < others[-1]
        is_symbol = names[i].isupper() and _are_capitals([names[other] for other in others])
        with np.errstate(invalid="ignore"):
            is_whole = np.all((features == np.floor(features)) | np.isnan(features), axis=1)
        are_counts = 2 * int(is_whole.sum()) >= len(features)
        if not (is_between or is_symbol or are_counts):
            labels = {names[i]: cells}
    if len(labels) > _MOST_BINARY_LABELS:
        labels = {}
    return pd.DataFrame(labels, dtype=object)


def is_text_column(cells: Sequence[str]) -> bool:
    """Return whether more than a quarter of the cells are not numbers; single ones are mistakes."""
    n_texts = sum(map(is_text, cells))
    if not n_texts:
        return False
    return 4 * n_texts > sum(not is_missing(cell) for cell in cells)


def _is_empty(cells: Sequence[str]) -> bool:
    return all(map(is_missing, cells))


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
