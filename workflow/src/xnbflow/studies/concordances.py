"""Recognition of the class within the levels of each column of the samples.

A column may explain a result by its values, whatever it is called. Each column is examined by
itself, and the associated columns together, for each pair of classes: a batch may explain one pair
only, and two columns together what neither explains alone. Columns that the study declares as
biology (``design: {biology: [age]}``) are examined as well, and limit no verdict.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.joined_columns import join_columns
from xnbflow.core.significance import TEST_LEVEL
from xnbflow.data.canonical_order import order_of
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.diagnostics.adjustment import phenotype_of
from xnbflow.diagnostics.associations import association
from xnbflow.diagnostics.column_values import column_levels, has_value, usable
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables, arrays, key_fields
from xnbflow.inference.concordance import (
    LEAST_SCORE,
    Concordance,
    StratifiedPairs,
    concordance,
    level_area,
)
from xnbflow.inference.strata import crossed_strata, numeric_strata
from xnbflow.inference.verdicts import FEWEST_PAIRS, INSEPARABLE
from xnbflow.tables.contract import STUDY_TABLES

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
    levels. ``samples`` are their positions, ``values`` texts or numbers, ``levels`` categories or
    thirds of the numbers, for the area of the column alone. ``p`` is of its association with the
    class.
    """

    name: str
    limits: bool
    samples: np.ndarray
    values: np.ndarray
    levels: np.ndarray
    is_number: bool
    p: float

    def strata(self, samples: np.ndarray) -> np.ndarray:
        """Return the levels within which samples are compared; ``samples`` are positions."""
        values = self.values[samples]
        return numeric_strata(values) if self.is_number else pd.factorize(values)[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Scored:
    """The scores (n_samples, n_classes), classes and groups of all samples of a data set."""

    header: DataSet
    scores: np.ndarray
    codes: np.ndarray

    @property
    def seed(self) -> int:
        """Return the seed of permutations and resamples."""
        return series_seed(self.header, 0, "concordance")

    def concordance(self, samples: np.ndarray, levels: np.ndarray) -> Concordance:
        """Compare samples within levels; classes without samples are left out."""
        canonical = np.argsort(np.argsort(order_of(self.header))[samples])
        samples = samples[canonical]
        levels = levels[canonical]
        classes, codes = np.unique(self.codes[samples], return_inverse=True)
        groups = self.header.groups
        return concordance(
            self.scores[np.ix_(samples, classes)] if len(classes) < self.scores.shape[1]
            else self.scores[samples],
            codes,
            levels,
            None if groups is None else groups[samples],
            seed=self.seed,
        )  # fmt: skip


def concordances(
    predictions: Tables,
    headers: Headers,
    associations: pd.DataFrame,
    biology: Mapping[str, Collection[str]] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the study's tables ``concordance`` and ``concordance_pairs``.

    ``associations`` is the table of all data sets, ``biology`` the columns by data set that limit
    no verdict. The score of a sample is the mean of its log posteriors over the repeats, or the
    share of its predictions as each class where a classifier has no probabilities.
    """
    rows: list[dict[str, Any]] = []
    pair_rows: list[dict[str, Any]] = []
    for key, table in predictions.items():
        header = headers[key[0]]
        tested = associations[associations["dataset"] == key[0]]
        if table.empty or tested.empty:
            continue
        declared = (biology or {}).get(key[0], ())
        codes = np.searchsorted(header.classes, header.labels)
        scored = _Scored(header=header, scores=_scores(table, header), codes=codes)
        for column_row, pairs in _of_classifier(scored, tested.to_dict("records"), declared):
            rows.append(key_fields(key) | column_row)
            pair_rows += [key_fields(key) | pair for pair in pairs]
    return (
        pd.DataFrame(rows, columns=STUDY_TABLES["concordance"].fixed),
        pd.DataFrame(pair_rows, columns=STUDY_TABLES["concordance_pairs"].fixed),
    )


def _scores(table: pd.DataFrame, header: DataSet) -> np.ndarray:
    """Return the mean score of each sample for each class; missing where it was never tested."""
    _, predicted, scores, classes = arrays(table, header)
    if scores is None:
        scores = (predicted[:, None] == classes).astype(float)
    by_sample = pd.DataFrame(np.maximum(scores, LEAST_SCORE)).groupby(table["sample"].to_numpy())
    return by_sample.mean().reindex(header.samples).to_numpy()


def _of_classifier(
    scored: _Scored, tested: Sequence[Mapping[str, Any]], biology: Collection[str]
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield the row of each column, and of columns together, with those of its class pairs."""
    columns = {row["column"]: _column(row, scored, biology) for row in tested}
    pairs_of: dict[str, list[dict[str, Any]]] = {}
    for row in tested:
        column = columns[row["column"]]
        if column is None:
            continue
        pairs_of[column.name] = pairs = _class_pairs(column, scored)
        yield _column_row(column, row, pairs, scored), pairs
    # Several columns together may predict a class that none of them predicts alone.
    limiting = [column for column in columns.values() if column and column.limits]
    together = list(_crossed_pairs(limiting, pairs_of, scored))
    if together:
        yield _together_row(together), together


def _column(tested: Mapping[str, Any], scored: _Scored, biology: Collection[str]) -> _Column | None:
    """Return a column of the table ``associations``; None where it has no levels."""
    name = tested["column"]
    cells = phenotype_of(scored.header)[name].str.strip()
    present = has_value(cells) & ~np.isnan(scored.scores).any(axis=1)
    labels = pd.Series(scored.header.labels)[present]
    values = usable(labels, cells[present]) if present.any() else None
    levels = column_levels(labels, cells[present]) if values is not None else None
    if values is None or levels is None:
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


def _class_pairs(column: _Column, scored: _Scored) -> list[dict[str, Any]]:
    """Return a row for each pair of classes with samples in the column."""
    header = scored.header
    codes = scored.codes[column.samples]
    classes = np.unique(codes)
    members = {
        pair: np.flatnonzero(np.isin(codes, pair)) for pair in combinations(classes.tolist(), 2)
    }
    if len(header.classes) > 2:
        p_values = [_association_p(column, scored, positions) for positions in members.values()]
        associations = dict(zip(members, holm(np.array(p_values)).tolist(), strict=True))
    else:
        associations = dict.fromkeys(members, column.p)
    rows = []
    for pair, positions in members.items():
        within = scored.concordance(column.samples[positions], column.strata(positions))
        second = (codes[positions] == pair[1]).astype(int)
        alone = level_area(second, column.levels[positions])
        rows.append(
            _pair_row(within, header.classes[list(pair)], alone, associations[pair])
            | {"column": column.name, "limits": column.limits}
            | {"status": _column_status(within, alone, associations[pair])}
        )
    return rows


def _association_p(column: _Column, scored: _Scored, positions: np.ndarray) -> float:
    """Return the p of the association of a column with two classes; 1 where there is no test."""
    header = scored.header
    samples = column.samples[positions]
    labels = pd.Series(header.labels[samples])
    cells = phenotype_of(header)[column.name].str.strip()
    cells = cells.iloc[samples].reset_index(drop=True)
    groups = None if header.groups is None else header.groups[samples]
    tested = association(labels, cells, groups)
    return 1.0 if tested is None or np.isnan(tested[1]) else tested[1]


def _pair_row(
    within: Concordance, classes: np.ndarray, alone: float, association_p: float
) -> dict[str, Any]:
    """Return the fields of a pair of classes, except the column and status."""
    return {
        "together": False,
        "left_out": "",
        "class": str(classes[0]),
        "other": str(classes[1]),
        "auc": within.overall,
        "auc_column": alone,
        "association": association_p,
        "auc_within": within.within,
        "lower": within.lower,
        "upper": within.upper,
        "pairs": within.pairs,
        "permutations": within.permutations,
        "p": within.p,
    }


def _column_status(within: Concordance, alone: float, p: float) -> str:
    """Return the status of a column that is associated with two classes with this p."""
    if alone <= 0.5:
        return "not associated"
    if within.pairs >= FEWEST_PAIRS and within.p <= TEST_LEVEL:
        return "recognised"
    if within.pairs and p > _SUSPICIOUS:
        return "not associated"
    return "cannot be examined" if 0 < within.pairs < FEWEST_PAIRS else "cannot be separated"


def _column_row(
    column: _Column,
    tested: Mapping[str, Any],
    pairs: Sequence[Mapping[str, Any]],
    scored: _Scored,
) -> dict[str, Any]:
    """Return the row of one column: over all classes, with the most serious status of a pair."""
    positions = np.arange(len(column.samples))
    within = scored.concordance(column.samples, column.strata(positions))
    codes = np.unique(scored.codes[column.samples], return_inverse=True)[1]
    return {
        "column": column.name,
        "together": False,
        "limits": column.limits,
        "auc": within.overall,
        "auc_column": level_area(codes, column.levels),
        "auc_within": within.within,
        "lower": within.lower,
        "upper": within.upper,
        "pairs": within.pairs,
        "permutations": within.permutations,
        "p": within.p,
        "genes": tested["genes"],
        "genes_adjusted": tested["genes_adjusted"],
        **_most_serious(pairs),
    }


def _most_serious(pairs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the most serious status of several pairs of classes, and the pairs not separated."""
    status = min((pair["status"] for pair in pairs), key=_SERIOUS.index)
    inseparable_pairs = [
        f"{pair['class']} and {pair['other']}" for pair in pairs if pair["status"] in INSEPARABLE
    ]
    several = len(pairs) > 1
    return {"status": status, "inseparable": "; ".join(inseparable_pairs) if several else ""}


def _crossed_pairs(
    columns: Sequence[_Column],
    pairs_of: Mapping[str, Sequence[Mapping[str, Any]]],
    scored: _Scored,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each pair of classes that several columns predict.

    The columns are those with an association of at most `_SUSPICIOUS`. Where their combinations
    leave fewer than ten pairs of samples, columns are left out one at a time, the weakest first.
    Pairs of classes that a single column does not separate are not repeated.
    """
    rows_of: dict[tuple[str, str], list[tuple[_Column, Mapping[str, Any]]]] = {}
    for column in columns:
        for row in pairs_of[column.name]:
            rows_of.setdefault((row["class"], row["other"]), []).append((column, row))
    for classes, column_rows in rows_of.items():
        if any(row["status"] in INSEPARABLE for _, row in column_rows):
            continue
        predicting = []
        for column, row in column_rows:
            if row["association"] <= _SUSPICIOUS:
                predicting.append((column, row))
        predicting.sort(key=lambda pair: pair[1]["association"])
        if len(predicting) > 1:
            yield _crossed_pair(classes, predicting, scored)


def _crossed_pair(
    classes: tuple[str, str],
    predicting: Sequence[tuple[_Column, Mapping[str, Any]]],
    scored: _Scored,
) -> dict[str, Any]:
    """Return the row of a pair of classes; ``predicting`` are the columns, the strongest first.

    The result cannot be examined where a column is left out that goes with the classes by itself.
    """
    columns = [column for column, _ in predicting]
    codes = np.searchsorted(scored.header.classes, np.array(classes))
    # Samples are compared within the combinations of levels (plate 1 and site A, ...). Each further
    # column divides these strata, until too few pairs of one stratum are of both classes.
    n_crossed = len(columns)
    while True:
        samples, strata = _crossed(columns[:n_crossed], codes, scored)
        is_second = (scored.codes[samples] == codes[1]).astype(int)
        in_strata = StratifiedPairs(np.zeros((len(samples), 2)), strata).areas(is_second[None])[1]
        if in_strata[0] >= FEWEST_PAIRS or n_crossed == 1:
            break
        n_crossed -= 1
    within = scored.concordance(samples, strata)
    left_out = predicting[n_crossed:]
    largest = max(row["association"] for _, row in predicting[:n_crossed])
    status = _column_status(within, 1.0, 0.0)
    if status == "recognised" and any(row["association"] <= TEST_LEVEL for _, row in left_out):
        status = "cannot be examined"
    return _pair_row(within, np.array(classes), level_area(is_second, strata), largest) | {
        "column": join_columns(column.name for column in columns[:n_crossed]),
        "names": tuple(column.name for column in columns),  # for `_together_row` alone
        "together": True,
        "left_out": ", ".join(column.name for column, _ in left_out),
        "limits": True,
        "status": status,
    }


def _crossed(
    columns: Sequence[_Column], codes: np.ndarray, scored: _Scored
) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples of two classes that have a value in all columns, and their strata."""
    samples = np.flatnonzero(np.isin(scored.codes, codes))
    for column in columns:
        samples = np.intersect1d(samples, column.samples)
    categories: list[np.ndarray] = []
    numbers: list[np.ndarray] = []
    for column in columns:
        values = column.values[np.searchsorted(column.samples, samples)]
        (numbers if column.is_number else categories).append(values)
    return samples, crossed_strata(scored.codes[samples] == codes[0], categories, numbers)


def _together_row(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the row of several columns together, from those of pairs of classes."""
    names: dict[str, None] = {}
    for pair in pairs:
        names |= dict.fromkeys(pair["names"])
    table = pd.DataFrame(pairs)
    alone = len(pairs) == 1
    return {
        "column": join_columns(names),
        "together": True,
        "limits": True,
        **table[["auc", "auc_column", "auc_within"]].mean().to_dict(),
        "lower": table["lower"][0] if alone else np.nan,
        "upper": table["upper"][0] if alone else np.nan,
        "pairs": int(table["pairs"].sum()),
        "permutations": int(table["permutations"].max()),
        "p": table["p"].max(),
        "genes": np.nan,
        "genes_adjusted": np.nan,
        **_most_serious(pairs),
    }


def inseparable(table: pd.DataFrame) -> set[Key]:
    """Return the classifiers whose results a column may explain that is not declared as biology."""
    rows = table[table["limits"].astype(bool) & table["status"].isin(INSEPARABLE)]
    return set(rows[["dataset", "folds", "classifier"]].itertuples(index=False, name=None))
