"""Recognition of the class within the levels of columns of the samples.

A column may explain a result by its values, whatever it is called. Each column is examined by
itself, and the associated columns together, for each pair of classes: a batch may explain one pair
only, and two columns together what neither explains alone. Columns that the study declares as
biology (``design: {biology: [age]}``) are examined as well, and limit no verdict.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.joined_columns import join_columns
from xnbflow.core.significance import TEST_LEVEL
from xnbflow.data.canonical_order import order_of
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.diagnostics.adjustment import phenotype_of
from xnbflow.diagnostics.association import association
from xnbflow.diagnostics.columns import column_levels, column_values, has_value
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables, arrays, key_fields
from xnbflow.inference.verdicts import FEWEST_PAIRS, INSEPARABLE
from xnbflow.inference.within_strata import (
    LEAST_SCORE,
    area_within,
    crossed_strata,
    level_area,
    p_within,
    score_of_pair,
)
from xnbflow.tables.contract import GROUPS

#: Largest p of the association of a column with two classes with which it may explain the result
#: (docs/methods/verdicts-evidence.md): in small studies associations are seldom detected, and weak
#: ones add up.
_SUSPICIOUS = 0.2
#: Statuses of a pair of classes, the most serious first.
_SERIOUS = ("cannot be separated", "cannot be examined", "recognised", "not associated")


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    """A column of the phenotype in the samples that have a value and a score.

    ``limits`` is whether the column limits the verdict if the class is not recognised within its
    levels. ``samples`` are their positions, in ascending order, ``values`` texts or numbers,
    ``levels`` categories or thirds of the numbers, for the area of the column alone. ``p`` is of
    its association with the class.
    """

    name: str
    limits: bool
    samples: np.ndarray
    values: np.ndarray
    levels: np.ndarray
    is_number: bool
    p: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _ExaminedPair:
    """A column and a pair of classes, with their ``row`` of the table ``recognition``."""

    column: _Column
    row: Mapping[str, Any]


class _Within(NamedTuple):
    """The areas of two classes over all pairs of samples, and within strata, with its p."""

    overall: float
    area: float
    pairs: int
    p: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _Scored:
    """The scores (n_samples, n_classes) of all samples of a data set, and codes of their classes.

    ``header`` is the data set, whose values are not needed; ``codes`` (n_samples,) are positions
    among its classes.
    """

    header: DataSet
    scores: np.ndarray
    codes: np.ndarray

    @property
    def classes(self) -> list[str]:
        """The labels of the codes."""
        return [str(label) for label in self.header.classes]

    def members(self, column: _Column, classes: tuple[int, int]) -> np.ndarray:
        """Return the positions in ``column.samples`` of the samples of two classes."""
        return np.flatnonzero(np.isin(self.codes[column.samples], classes))

    def compare(self, samples: np.ndarray, strata: np.ndarray, classes: tuple[int, int]) -> _Within:
        """Compare samples of two classes within strata, and over all pairs."""
        # Drawn orders of the labels do not depend on the order of the file: samples are sorted by
        # their ranks in canonical order.
        ranks = np.argsort(order_of(self.header))
        canonical = np.argsort(ranks[samples])
        samples = samples[canonical]
        strata = strata[canonical]
        first, second = classes
        is_first = self.codes[samples] == first
        score = score_of_pair(self.scores[samples], first, second)
        within = area_within(score, is_first, strata)
        groups = None if self.header.groups is None else self.header.groups[samples]
        return _Within(
            overall=area_within(score, is_first, np.zeros(len(samples))).area,
            area=within.area,
            pairs=within.pairs,
            p=p_within(
                score,
                is_first,
                strata,
                groups,
                seed=series_seed(self.header, 0, "recognition"),
            ),
        )


def recognition(
    predictions: Tables,
    headers: Headers,
    associations: pd.DataFrame,
    biology: Mapping[str, Collection[str]] | None = None,
) -> pd.DataFrame:
    """Return the study's table ``recognition``: of each column all classes, then their pairs.

    ``associations`` is the table of all data sets, ``biology`` the columns by data set that limit
    no verdict. The score of a sample is the mean of its log posteriors over the repeats, or the
    share of its predictions as each class where a classifier has no probabilities.
    """
    rows: list[dict[str, Any]] = []
    for key, table in predictions.items():
        header = headers[key[0]]
        tested = associations[associations["dataset"] == key[0]]
        if table.empty or tested.empty:
            continue
        declared = (biology or {}).get(key[0], ())
        codes = np.searchsorted(header.classes, header.labels)
        scored = _Scored(header=header, scores=_scores(table, header), codes=codes)
        for pairs in _rows_of_classifier(scored, tested.to_dict("records"), declared):
            rows += [key_fields(key) | row for row in (_over_pairs(pairs), *pairs)]
    return pd.DataFrame(rows, columns=GROUPS["study"].tables["recognition"].fixed)


def _scores(table: pd.DataFrame, header: DataSet) -> np.ndarray:
    """Return the mean score of each sample for each class; missing where it was never tested."""
    _, predicted, scores, classes = arrays(table, header)
    if scores is None:
        scores = (predicted[:, None] == classes).astype(float)
    by_sample = pd.DataFrame(np.maximum(scores, LEAST_SCORE)).groupby(table["sample"].to_numpy())
    return by_sample.mean().reindex(header.samples).to_numpy()


def _rows_of_classifier(
    scored: _Scored, tested: Sequence[Mapping[str, Any]], biology: Collection[str]
) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of the pairs of classes of each column, and of the columns together.

    ``tested`` are the rows of the table ``associations``, ``biology`` the columns that limit no
    verdict.
    """
    limiting: dict[tuple[int, int], list[_ExaminedPair]] = {}
    for association_row in tested:
        column = _column(association_row, scored, biology)
        if column is None:
            continue
        rows = []
        for classes, p in _associations_of_pairs(column, scored).items():
            row = _column_pair(column, classes, p, scored)
            rows.append(row)
            if column.limits:
                limiting.setdefault(classes, []).append(_ExaminedPair(column=column, row=row))
        yield rows
    # Several columns together may predict a class that none of them predicts alone.
    together = list(_together_pairs(limiting, scored))
    if together:
        yield together


def _column(tested: Mapping[str, Any], scored: _Scored, biology: Collection[str]) -> _Column | None:
    """Return a column of the table ``associations``; None where it has no levels."""
    name = tested["column"]
    cells = phenotype_of(scored.header)[name].str.strip()
    present = has_value(cells) & ~np.isnan(scored.scores).any(axis=1)
    if not present.any():
        return None
    labels = pd.Series(scored.header.labels)[present]
    values = column_values(labels, cells[present])
    if values is None:
        return None
    levels = column_levels(labels, cells[present])
    if levels is None:
        return None
    return _Column(
        name=name,
        limits=name not in biology and batch_name(name) not in biology,
        samples=values.index.to_numpy(),
        values=values.to_numpy(),
        levels=pd.factorize(levels)[0],
        is_number=pd.api.types.is_numeric_dtype(values),
        p=tested["p"],
    )


def batch_name(column: str) -> str:
    """Return the name that a column of batches has in the configuration.

    Examples
    --------
    >>> batch_name("batch (day)"), batch_name("age")
    ('day', 'age')
    """
    is_batch = column.startswith("batch (") and column.endswith(")")
    return column[len("batch (") : -1] if is_batch else column


def _associations_of_pairs(column: _Column, scored: _Scored) -> dict[tuple[int, int], float]:
    """Return the p of a column's association with each pair of classes, by Holm over the pairs.

    The pairs are those of the classes with samples in the column.
    """
    classes = np.unique(scored.codes[column.samples]).tolist()
    pairs = list(combinations(classes, 2))
    if len(scored.classes) == 2:
        return dict.fromkeys(pairs, column.p)
    p_values = [_association_p(column, scored, pair) for pair in pairs]
    return dict(zip(pairs, holm(np.array(p_values)).tolist(), strict=True))


def _association_p(column: _Column, scored: _Scored, classes: tuple[int, int]) -> float:
    """Return the p of the association of a column with two classes; 1 where there is no test."""
    header = scored.header
    samples = column.samples[scored.members(column, classes)]
    labels = pd.Series(header.labels[samples])
    cells = phenotype_of(header)[column.name].str.strip()
    cells = cells.iloc[samples].reset_index(drop=True)
    groups = None if header.groups is None else header.groups[samples]
    tested = association(labels, cells, groups)
    return 1.0 if tested is None or np.isnan(tested.p) else tested.p


def _column_pair(
    column: _Column, classes: tuple[int, int], p: float, scored: _Scored
) -> dict[str, Any]:
    """Return the row of one column and two classes, with which it is associated with this p."""
    samples, strata = _crossed([column], classes, scored)
    within = scored.compare(samples, strata, classes)
    is_first = scored.codes[samples] == classes[0]
    alone = level_area(is_first, column.levels[scored.members(column, classes)])
    return _pair_row(within, classes, alone, p, scored) | {
        "column": column.name,
        "names": (column.name,),
        "together": False,
        "limits": column.limits,
        "status": _column_status(within, alone, p),
    }


def _pair_row(
    within: _Within,
    classes: tuple[int, int],
    alone: float,
    association_p: float,
    scored: _Scored,
) -> dict[str, Any]:
    """Return the fields of a pair of classes, except the columns and status."""
    first, second = classes
    return {
        "left_out": "",
        "inseparable": "",
        "class": scored.classes[first],
        "other": scored.classes[second],
        "auc": within.overall,
        "auc_column": alone,
        "association": association_p,
        "auc_within": within.area,
        "pairs": within.pairs,
        "p": within.p,
    }


def _column_status(within: _Within, alone: float, p: float) -> str:
    """Return the status of a column that is associated with two classes with this p.

    ``alone`` is the area of the column without the classifier. The first of these applies:

    1. *not associated*: the column does not predict the class.
    2. *recognised*: the classifier recognises the class within the levels of the column.
    3. *not associated*: pairs of samples share a level, and p of the association is above
       `_SUSPICIOUS`.
    4. *cannot be examined*: one to nine pairs of samples share a level.
    5. *cannot be separated*: all others, also where no pair shares a level.
    """
    if alone <= 0.5:
        return "not associated"
    if within.pairs >= FEWEST_PAIRS and within.p <= TEST_LEVEL:
        return "recognised"
    if within.pairs and p > _SUSPICIOUS:
        return "not associated"
    if 0 < within.pairs < FEWEST_PAIRS:
        return "cannot be examined"
    return "cannot be separated"


def _together_pairs(
    limiting: Mapping[tuple[int, int], Sequence[_ExaminedPair]], scored: _Scored
) -> Iterator[dict[str, Any]]:
    """Yield a row for each pair of classes that several columns predict.

    ``limiting`` are the columns that limit the verdict, by pair of classes. The columns that are
    examined together are those with an association of at most `_SUSPICIOUS`. Pairs of classes that
    a single column does not separate are not repeated.
    """
    for classes, examined in limiting.items():
        if any(pair.row["status"] in INSEPARABLE for pair in examined):
            continue
        predicting = [pair for pair in examined if pair.row["association"] <= _SUSPICIOUS]
        predicting.sort(key=lambda pair: pair.row["association"])
        if len(predicting) > 1:
            yield _together_pair(classes, predicting, scored)


def _together_pair(
    classes: tuple[int, int], predicting: Sequence[_ExaminedPair], scored: _Scored
) -> dict[str, Any]:
    """Return the row of a pair of classes and several columns, the strongest first.

    Where the combinations of the columns leave fewer than ten pairs of samples, columns are left
    out one at a time, the weakest first. The result cannot be examined where a column is left out
    that goes with the classes by itself.
    """
    columns = [pair.column for pair in predicting]
    # Samples are compared within the combinations of levels (plate 1 and site A, ...). Each further
    # column divides these strata, until too few pairs of one stratum are of both classes.
    for n_crossed in range(len(columns), 0, -1):
        samples, strata = _crossed(columns[:n_crossed], classes, scored)
        is_first = scored.codes[samples] == classes[0]
        n_pairs = area_within(np.zeros(len(samples)), is_first, strata).pairs
        if n_pairs >= FEWEST_PAIRS:
            break
    within = scored.compare(samples, strata, classes)

    # The status of columns that are certainly associated and predict the class completely.
    status = _column_status(within, alone=1.0, p=0.0)
    left_out = predicting[n_crossed:]
    if status == "recognised" and any(pair.row["association"] <= TEST_LEVEL for pair in left_out):
        status = "cannot be examined"
    largest = max(pair.row["association"] for pair in predicting[:n_crossed])
    row = _pair_row(within, classes, level_area(is_first, strata), largest, scored)
    return row | {
        "column": join_columns(column.name for column in columns[:n_crossed]),
        "names": tuple(column.name for column in columns),
        "together": True,
        "left_out": ", ".join(pair.column.name for pair in left_out),
        "limits": True,
        "status": status,
    }


def _crossed(
    columns: Sequence[_Column], classes: tuple[int, int], scored: _Scored
) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples of two classes that have a value in all columns, and their strata.

    Both have shape (n_samples_of_pair,); samples are positions, in ascending order.
    """
    samples = np.flatnonzero(np.isin(scored.codes, classes))
    for column in columns:
        samples = np.intersect1d(samples, column.samples)
    categories: list[np.ndarray] = []
    numbers: list[np.ndarray] = []
    for column in columns:
        values = column.values[np.searchsorted(column.samples, samples)]
        if column.is_number:
            numbers.append(values)
        else:
            categories.append(values)
    return samples, crossed_strata(scored.codes[samples] == classes[0], categories, numbers)


def _over_pairs(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the row of a column, or of several together, from those of pairs of classes.

    Areas are means over pairs of classes, p the largest one, and the status the most serious one.
    """
    names: dict[str, None] = {}
    for pair in pairs:
        names |= dict.fromkeys(pair["names"])
    table = pd.DataFrame(pairs)
    first = pairs[0]
    inseparable_pairs = [
        f"{pair['class']} and {pair['other']}" for pair in pairs if pair["status"] in INSEPARABLE
    ]
    return {
        "column": join_columns(names) if first["together"] else first["column"],
        "together": first["together"],
        "limits": first["limits"],
        **dict.fromkeys(("left_out", "class", "other"), ""),
        **table[["auc", "auc_column", "auc_within"]].mean().to_dict(),
        "pairs": int(table["pairs"].sum()),
        "p": table["p"].max(),
        "status": min((pair["status"] for pair in pairs), key=_SERIOUS.index),
        "inseparable": "; ".join(inseparable_pairs) if len(pairs) > 1 else "",
    }


def inseparable(table: pd.DataFrame) -> set[Key]:
    """Return the classifiers whose results a column may explain that is not declared as biology."""
    rows = table[table["class"] == ""]
    rows = rows[rows["limits"].astype(bool) & rows["status"].isin(INSEPARABLE)]
    return set(rows[["dataset", "folds", "classifier"]].itertuples(index=False, name=None))
