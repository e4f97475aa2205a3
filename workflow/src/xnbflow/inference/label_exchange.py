"""Labels that may be exchanged if they carry no information, by the groups of the samples.

A permutation test is exact if the labels are exchangeable under the null hypothesis. Samples of a
patient are not independent of each other, so that the *units* that exchange labels depend on the
design:

- a sample without a group is a unit;
- a group of one class (all samples of a patient have one diagnosis) is a unit, and exchanges its
  label with other such groups;
- a sample of a group of several classes (tumour and normal tissue of a patient) is a unit, and
  exchanges its label with the other samples of the group.

In a mixed design both kinds of groups occur, and labels are exchanged within the groups of several
classes and among the groups of one class in the same draw: the two exchanges are independent under
the null hypothesis, so that their product is a group of permutations that leaves the distribution
unchanged (E. S. Edgington and P. Onghena, *Randomization Tests*, 4th edition, 2007, chapter 3; for
exchangeability blocks A. M. Winkler and others, NeuroImage 123 (2015), 253-268).
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True, eq=False)
class LabelExchange:
    """Units that exchange their labels, and the strata within which they do.

    Attributes
    ----------
    unit : ndarray of int, shape (n_samples,)
        The unit of each sample; all samples of a unit have the same label.
    stratum : ndarray of int, shape (n_units,)
        Units of one stratum exchange labels with each other.

    Examples
    --------
    Patients a and b have one diagnosis each, c gave both tissues:

    >>> labels, patients = np.array([0, 0, 1, 0, 1]), np.array(list("aabcc"))
    >>> exchange = label_exchange(labels, patients)
    >>> exchange.unit.tolist(), exchange.stratum.tolist()
    ([0, 0, 1, 2, 3], [0, 0, 1, 1])
    >>> exchange.permute(labels, np.random.default_rng(3)).tolist()
    [0, 0, 1, 1, 0]
    """

    unit: np.ndarray
    stratum: np.ndarray

    @cached_property
    def first(self) -> np.ndarray:
        """Position of the first sample of each unit, (n_units,)."""
        return np.asarray(np.unique(self.unit, return_index=True)[1])

    def permute(self, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the labels (n_samples,) of one draw."""
        unit_labels = labels[self.first]
        if (self.stratum == self.stratum[0]).all():
            return np.asarray(rng.permutation(unit_labels)[self.unit])
        by_stratum = np.argsort(self.stratum, kind="stable")
        shuffled = np.lexsort((rng.random(len(self.stratum)), self.stratum))
        exchanged = np.empty_like(unit_labels)
        exchanged[by_stratum] = unit_labels[shuffled]
        return np.asarray(exchanged[self.unit])

    def draws(self, labels: np.ndarray, n_draws: int, rng: np.random.Generator) -> np.ndarray:
        """Return the labels of several draws, (n_draws, n_samples)."""
        unit_labels = labels[self.first]
        keys = rng.random((n_draws, len(self.stratum)))
        by_stratum = np.argsort(self.stratum, kind="stable")
        shuffled = np.lexsort((keys, np.broadcast_to(self.stratum, keys.shape)))
        exchanged = np.empty(keys.shape, dtype=labels.dtype)
        exchanged[:, by_stratum] = unit_labels[shuffled]
        return exchanged[:, self.unit]

    def n_orders(self, labels: np.ndarray) -> int:
        """Return the number of distinct orders of the labels (n_samples,).

        It is the product over strata of the multinomial coefficients of their units' labels.

        Examples
        --------
        >>> labels = np.array([0, 0, 0, 1, 1, 1])
        >>> label_exchange(labels).n_orders(labels)
        20
        """
        n_orders = 1
        for stratum_labels in self._labels_by_stratum(labels):
            n_orders *= math.factorial(len(stratum_labels))
            for label in set(stratum_labels):
                n_orders //= math.factorial(stratum_labels.count(label))
        return n_orders

    def distinct_orders(self, labels: np.ndarray) -> np.ndarray:
        """Return all distinct orders of the labels, (n_orders, n_samples), the present one first.

        Examples
        --------
        >>> labels = np.array([1, 0, 1])
        >>> label_exchange(labels).distinct_orders(labels).tolist()
        [[1, 0, 1], [0, 1, 1], [1, 1, 0]]
        """
        by_stratum = np.argsort(self.stratum, kind="stable")
        of_strata = [_distinct_sequences(part) for part in self._labels_by_stratum(labels)]
        orders = [labels]
        for parts in itertools.product(*of_strata):
            unit_labels = np.empty(len(self.stratum), dtype=labels.dtype)
            unit_labels[by_stratum] = np.concatenate(parts)
            order = unit_labels[self.unit]
            if not np.array_equal(order, labels):
                orders.append(order)
        return np.stack(orders)

    def _labels_by_stratum(self, labels: np.ndarray) -> list[list[Any]]:
        """Return the labels of the units of each stratum."""
        unit_labels = labels[self.first]
        return [
            unit_labels[self.stratum == stratum].tolist() for stratum in np.unique(self.stratum)
        ]


def _distinct_sequences(labels: list[Any]) -> Iterator[list[Any]]:
    """Yield the distinct orders of labels, sorted."""
    if not labels:
        yield []
    for label in sorted(set(labels)):
        others = labels.copy()
        others.remove(label)
        for sequence in _distinct_sequences(others):
            yield [label, *sequence]


def label_exchange(
    labels: np.ndarray, groups: np.ndarray | None = None, levels: np.ndarray | None = None
) -> LabelExchange:
    """Return the units and strata of a design; see the module's description.

    With the ``levels`` of a column labels are exchanged within levels only. A group of one class
    exchanges its label with groups whose samples have the same levels. If a group of several
    classes has one class within each level, its samples of a level are a unit, which exchanges its
    label with the other units of that level; otherwise its samples are exchanged within the group
    and level.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
    groups : ndarray of shape (n_samples,), optional
        For example the patients.
    levels : ndarray of shape (n_samples,), optional
        For example the batches.
    """
    n_samples = len(labels)
    level = np.zeros(n_samples, dtype=int) if levels is None else pd.factorize(levels)[0]
    if groups is None:
        return LabelExchange(np.arange(n_samples), level)
    samples = pd.DataFrame({"label": labels, "group": groups, "level": level})
    # A cell is the samples of a group in one level.
    samples["cell"] = samples.groupby(["group", "level"]).ngroup()
    has_one_class = samples.groupby("group")["label"].transform("nunique") == 1
    n_labels_of_cell = samples.groupby("cell")["label"].transform("nunique")
    has_mixed_cell = n_labels_of_cell.groupby(samples["group"]).transform("max") > 1

    # The key of a sample's unit, and that of the stratum of the unit. Keys of different kinds
    # begin with different words, so that they are never equal.
    levels_of_group = samples.groupby("group")["level"].agg(lambda level: tuple(sorted(set(level))))
    units: list[tuple[object, ...]] = []
    strata: list[tuple[object, ...]] = []
    for position, sample in enumerate(samples.itertuples()):
        if has_one_class[position]:
            units.append(("group", sample.group))
            strata.append(("levels", *levels_of_group[sample.group]))
        elif has_mixed_cell[position]:
            units.append(("sample", position))
            strata.append(("cell", sample.cell))
        else:
            units.append(("cell", sample.cell))
            strata.append(("levels", sample.level))
    unit = pd.factorize(pd.Series(units, dtype=object))[0]
    first = np.unique(unit, return_index=True)[1]
    return LabelExchange(unit, pd.factorize(pd.Series(strata, dtype=object))[0][first])
