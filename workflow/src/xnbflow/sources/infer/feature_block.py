"""Which numeric columns of a table are features: one block of names and values that are alike.

*Idea.* The features of a table have names of one kind (``1007_s_at``, ``TP53``, ``gene12``), values
of one scale, and numbers that are written in one way. Columns that describe samples, such as an
age, a quality or a position in a run, differ from them in at least one of these, and are before or
after them more often than among them. A list of clinical words would always lack the next one; only
abbreviations with the form of symbols of genes (RIN, BMI) are listed.

*Names.* The names of the block are of a few families (`xnbflow.sources.infer.name_families`).

*Values.* A column is unlike the block if its median or its standard deviation is outside the range
of the block's, or if its numbers are written with fewer decimals than those of the block: a quality
of 7.9 beside logarithms such as 7.117; a column of the block hardly has fewer by chance. The first
samples suffice for this.

*Decision.* If nearly all names have one form that is no symbol, such as ``gene9`` or ``9_at``, this
form decides. Otherwise a column at the edges of the table is outside the block if its name or its
decimals are unlike the block. Among the block it is outside if its name has words and those of the
block have none, or if it is unlike by its name and its values, or by its decimals. Where most names
are identifiers, five symbols or more are features as well if most have values of the block.
A gene without reads, with few values, or with the largest difference between the classes thus
remains a feature.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xnbflow.sources.formats.cell_texts import is_missing, numbers_of
from xnbflow.sources.infer.name_families import BlockNames, families_of
from xnbflow.sources.series.feature_names import CONTROL, TALLY, TOTAL

#: Least number of columns of a block; which of fewer columns are features is asked.
_LEAST_FEATURES = 20
#: Most samples by which columns are compared.
_COMPARED_SAMPLES = 20
#: Columns at each end of a table, and their share, that do not define the values of the block.
_LEAST_END = 25
_SHARE_OF_END = 0.05
#: Quantiles of the medians and deviations of the block between which a feature is.
_USUAL = (0.001, 0.999)
#: Share of this range that is added to both sides.
_MARGIN = 0.25
#: Least number of distinct values of a column whose decimals are compared.
_LEAST_DISTINCT = 8
#: Largest share of the block's columns that have as few decimals as a column outside it.
_FEW = 0.05
#: Largest expected number of columns of the block that have as few decimals by chance.
_BY_CHANCE = 0.05
#: Least share of symbols with values of the block, so that all of them are features.
_MOSTLY = 0.8
#: Columns that follow each other and are like the block: there it begins, or ends.
_AT_ONCE = 3
#: Most columns of the block that are compared with others.
_COMPARED_FEATURES = 2000


@dataclass(frozen=True, kw_only=True)
class FeatureBlock:
    """Positions of the numeric columns of a table.

    Attributes
    ----------
    features : list of int
        The columns of the block, in their order.
    others : list of int
        The columns outside the block, in their order.
    is_small : bool
        Whether there are fewer than `_LEAST_FEATURES` columns, so that none can be compared with
        the others; all are then in ``features``.
    """

    features: list[int]
    others: list[int]
    is_small: bool


def find_feature_block(
    names: Sequence[str], cells: Sequence[Sequence[str]], decimal: str = "."
) -> FeatureBlock:
    """Return which numeric columns of a table are features.

    Parameters
    ----------
    names : sequence of str, length n_columns
        The names of the columns in their order in the table.
    cells : sequence of sequence of str, length n_columns
        The first cells of each column as text, of at least a few samples.
    decimal : {".", ","}
        The decimal sign of the numbers.

    Returns
    -------
    FeatureBlock
        Positions in ``names``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> genes = [[f"{value:.3f}" for value in rng.normal(8, 1, 12)] for _ in range(100)]
    >>> quality = [f"{value:.1f}" for value in rng.normal(8, 1, 12)]
    >>> order = [str(position) for position in rng.permutation(12)]
    >>> names = ["RIN", "run_order", *(f"gene{i}" for i in range(100))]
    >>> find_feature_block(names, [quality, order, *genes]).others
    [0, 1]
    """
    # Controls of an array, sums, reads of no gene and columns without a name are no features
    # either, but are left out or refused elsewhere.
    left_out = set()
    for position, name in enumerate(names):
        if not name or any(form.fullmatch(name) for form in (CONTROL, TALLY, TOTAL)):
            left_out.add(position)
    if left_out:
        kept = sorted(set(range(len(names))) - left_out)
        block = find_feature_block([names[i] for i in kept], [cells[i] for i in kept], decimal)
        return FeatureBlock(
            features=sorted([*left_out, *(kept[i] for i in block.features)]),
            others=[kept[i] for i in block.others],
            is_small=block.is_small,
        )

    every_column = list(range(len(names)))
    if len(names) < _LEAST_FEATURES:
        return FeatureBlock(features=every_column, others=[], is_small=True)
    families = families_of(names)
    if families[0] != "SYM" and len(set(families)) == 1:  # identifiers of one form
        return FeatureBlock(features=every_column, others=[], is_small=False)
    is_other = _are_outside(cells, BlockNames.of(names, families), decimal)
    features = np.flatnonzero(~is_other).tolist()
    if len(features) < _LEAST_FEATURES:
        return FeatureBlock(features=every_column, others=[], is_small=True)
    return FeatureBlock(features=features, others=np.flatnonzero(is_other).tolist(), is_small=False)


def _are_outside(
    cells: Sequence[Sequence[str]], block_names: BlockNames, decimal: str
) -> np.ndarray:
    """Return which columns are outside the block (n_columns,), by their names and their cells."""
    # What the values of each column have in common with those of the block.
    n_columns = len(cells)
    has_block_name = block_names.are_common
    n_end = max(_LEAST_END, round(_SHARE_OF_END * n_columns))
    inner = [i for i in range(n_end, n_columns - n_end) if has_block_name[i]]
    if len(inner) < _LEAST_FEATURES:
        inner = [i for i in range(n_columns) if has_block_name[i]]
    inner = inner[:: max(1, len(inner) // _COMPARED_FEATURES)]
    block_cells = _CellStatistics.of([cells[i] for i in inner], decimal)
    compared = _columns_to_compare(cells, block_names, block_cells, n_end, decimal)
    has_other_values = np.zeros(n_columns, dtype=bool)
    has_other_decimals = np.zeros(n_columns, dtype=bool)
    if compared:
        statistics = _CellStatistics.of([cells[i] for i in compared], decimal)
        has_other_values[compared] = statistics.are_outside(block_cells)
        has_other_decimals[compared] = statistics.have_other_decimals(block_cells)

    # Many symbols beside identifiers are of the block, too, if most have values as the block.
    is_symbol = block_names.are_symbols
    is_alike = ~has_other_values & ~has_other_decimals
    if is_symbol.any() and is_alike[is_symbol].mean() >= _MOSTLY:
        has_block_name = has_block_name | is_symbol

    # Columns among the block, and at the edges of the table: before it begins and after it ends.
    # Values are no reason against a name of the block, as tables may be sorted by their genes'
    # means or by their differences between the classes.
    is_word = block_names.are_words & ~has_block_name
    is_other = is_word | has_other_decimals | (~has_block_name & has_other_values)
    is_other_at_edge = ~has_block_name | has_other_decimals
    start, end = _ends_of_block(is_other_at_edge & ~block_names.are_strict)
    is_other[:start] = True
    is_other[end:] = True
    is_other &= ~block_names.are_strict
    return is_other


def _columns_to_compare(
    cells: Sequence[Sequence[str]],
    names: BlockNames,
    block: "_CellStatistics",
    n_end: int,
    decimal: str,
) -> list[int]:
    """Return the columns whose values are compared with those of the block.

    These are the columns at the ends of the table, those of other names, and those whose first
    cells have another number of decimals than most columns of the block.
    """
    n_columns = len(cells)
    is_compared = ~names.are_common
    is_compared[:n_end] = True
    is_compared[max(0, n_columns - n_end) :] = True
    is_compared &= ~names.are_strict
    usual = block.usual_decimals
    for i in np.flatnonzero(~is_compared & ~names.are_strict).tolist():
        decimals = [_n_decimals(cell, decimal) for cell in cells[i][:2] if not is_missing(cell)]
        if decimals and (max(decimals) < usual if usual else max(decimals) > 0):
            is_compared[i] = True
    return [int(i) for i in np.flatnonzero(is_compared)]


def _ends_of_block(is_other: np.ndarray) -> tuple[int, int]:
    """Return where the block begins and ends (n_columns,), at columns that follow each other.

    Columns before the first three that are like the block are outside it, as are those after the
    last three.

    Examples
    --------
    >>> _ends_of_block(np.array([1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], dtype=bool))
    (3, 10)
    """
    is_like = np.convolve(~is_other, np.ones(_AT_ONCE), "valid") == _AT_ONCE
    starts = np.flatnonzero(is_like)
    if not len(starts):
        return 0, len(is_other)
    return int(starts[0]), int(starts[-1]) + _AT_ONCE


@dataclass(frozen=True, kw_only=True)
class _CellStatistics:
    """Statistics of columns, each of shape (n_columns,).

    Attributes
    ----------
    medians, deviations, relative : ndarray of float64
        Median and standard deviation of the present values, and the logarithm of the standard
        deviation relative to the median; NaN where one of them is 0.
    decimals : ndarray of int
        The most decimals of a cell.
    decimals_of_cells : ndarray of int, shape (n_columns, n_samples)
        The decimals of each cell.
    n_present : ndarray of int
        The number of present values.
    are_varied : ndarray of bool
        Whether a column has enough distinct values that its decimals show how it is written.
    """

    medians: np.ndarray
    deviations: np.ndarray
    relative: np.ndarray
    decimals: np.ndarray
    decimals_of_cells: np.ndarray
    n_present: np.ndarray
    are_varied: np.ndarray

    @classmethod
    def of(cls, columns: Sequence[Sequence[str]], decimal: str) -> "_CellStatistics":
        """Return the statistics of columns, given as texts of their first samples."""
        columns = [column[:_COMPARED_SAMPLES] for column in columns]
        n_samples = min(map(len, columns), default=0)
        columns = [column[:n_samples] for column in columns]
        text = "\n".join("\n".join(column) for column in columns)
        values = numbers_of(text, len(columns) * n_samples, decimal)
        if values is None:  # a cell that is no number is a mistake, which the reader refuses
            cells = [_number(cell, decimal) for column in columns for cell in column]
            values = np.array(cells)
        values = values.reshape(len(columns), n_samples)
        present = ~np.isnan(values)
        n_present = np.maximum(present.sum(axis=1), 1)
        means = np.where(present, values, 0.0).sum(axis=1) / n_present
        with np.errstate(invalid="ignore"):  # of infinite values, which the reader refuses
            squares = np.where(present, (values - means[:, None]) ** 2, 0.0).sum(axis=1)
        decimals = np.array(
            [[_n_decimals(cell, decimal) for cell in column] for column in columns], dtype=np.intp
        )
        ordered = np.sort(values, axis=1)
        with np.errstate(invalid="ignore"):
            n_distinct = 1 + (np.diff(ordered, axis=1) > 0).sum(axis=1)
        medians = np.full(len(values), np.nan)
        has_values = present.any(axis=1)
        medians[has_values] = np.nanmedian(values[has_values], axis=1)
        deviations = np.sqrt(squares / n_present)
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.log(deviations / np.abs(medians))
        relative[~np.isfinite(relative)] = np.nan
        return cls(
            medians=medians,
            deviations=deviations,
            relative=relative,
            decimals=decimals.max(axis=1, initial=0),
            decimals_of_cells=decimals,
            n_present=n_present,
            are_varied=n_distinct >= min(_LEAST_DISTINCT, max(3, n_samples // 2)),
        )

    @property
    def usual_decimals(self) -> int:
        """The median number of decimals."""
        return int(np.median(self.decimals))

    def are_outside(self, block: "_CellStatistics") -> np.ndarray:
        """Return which columns have a median or a deviation outside the range of a block's.

        Deviations are compared as they are and relative to the median: those of intensities and
        counts are proportional to it.
        """
        are_outside = np.zeros(len(self.medians), dtype=bool)
        for statistic in ("medians", "deviations", "relative"):
            values = getattr(self, statistic)
            block_values = getattr(block, statistic)
            present = block_values[~np.isnan(block_values)]
            if not len(present):
                continue
            low, high = np.quantile(present, _USUAL)
            margin = _MARGIN * (high - low)
            with np.errstate(invalid="ignore"):
                are_outside |= (values < low - margin) | (values > high + margin)
        return are_outside

    def have_other_decimals(self, block: "_CellStatistics") -> np.ndarray:
        """Return which columns are written with fewer decimals than a block, or it with none.

        Nearly all columns of the block have more decimals. They have one number of them, or at
        least twice as many: the last digits of long decimals may be zeros by chance. In all cells
        of a column they are zeros with a probability that follows from the cells of the block; by
        chance alone no column of the block is expected to be written so.
        """
        block_decimals = block.decimals[block.are_varied]
        if not len(block_decimals):
            return np.zeros(len(self.decimals), dtype=bool)
        usual = int(np.median(block_decimals))
        if usual == 0:
            share_of_fractions = float(np.mean(block_decimals > 0))
            return self.are_varied & (self.decimals > 0) & (share_of_fractions < _FEW)
        is_uniform = float(np.mean(block_decimals == usual)) > 1 - _FEW
        limit = usual - 1 if is_uniform else usual // 2
        shares = np.array([np.mean(block_decimals <= decimals) for decimals in self.decimals])
        shares_of_cells = np.array(
            [np.mean(block.decimals_of_cells <= decimals) for decimals in self.decimals]
        )
        n_by_chance = len(block.decimals) * shares_of_cells**self.n_present
        is_no_chance = n_by_chance < _BY_CHANCE
        return self.are_varied & (self.decimals <= limit) & (shares < _FEW) & is_no_chance


def _n_decimals(cell: str, decimal: str) -> int:
    """Return the number of decimals of a number as it is written; at least 17 with an exponent.

    Examples
    --------
    >>> [_n_decimals(cell, ".") for cell in ("7.117", "7", "7.0", "1e-5")]
    [3, 0, 0, 17]
    """
    text = cell.strip()
    if "e" in text or "E" in text:
        return 0 if is_missing(text) else 17
    decimals = text.partition(decimal)[2]
    return len(decimals) if decimals.strip("0") else 0


def _number(cell: str, decimal: str) -> float:
    """Return the number in a cell, NaN without one."""
    text = cell.strip().replace(decimal, ".", 1)
    try:
        return float("nan") if is_missing(text) else float(text)
    except ValueError:
        return float("nan")
