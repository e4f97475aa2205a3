"""The association of a column of the samples with the class: its strength and p-value.

=========== ======================================= ===================================
column      test                                    strength
=========== ======================================= ===================================
2 x 2       Fisher's exact test                     Cramer's V
categories  chi-squared, permuted for small counts  Cramer's V
numbers     Kruskal and Wallis                      epsilon squared, (H - k + 1)/(n - k)
=========== ======================================= ===================================

If each category has one class, the p-value is the probability of such a separation
(`_complete_separation_p`). `xnbflow.diagnostics.column_associations` tests all columns of a series.
"""

from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.nouns import listed
from xnbflow.core.significance import TEST_LEVEL
from xnbflow.diagnostics.columns import column_values

#: Most samples for a permuted chi-squared test; its asymptotic form suffices for more.
_MOST_PERMUTED = 300


class Association(NamedTuple):
    """The association of a column with the class.

    Attributes
    ----------
    strength : float
        Cramer's V, or the share of the variance of the ranks.
    p : float
    code : str
        What differs: "ranks differ", "categories differ" or "separates classes".
    levels : str
        The values of each class in words, if each category has one class; else empty.
    """

    strength: float
    p: float
    code: str
    levels: str = ""

    @property
    def complete(self) -> bool:
        """Whether each category has one class."""
        return self.code == "separates classes"


def association(
    labels: pd.Series, cells: pd.Series, groups: np.ndarray | None
) -> Association | None:
    """Return the association of a column with the class; None if no test is possible.

    ``labels`` and ``cells`` are those of the samples with a value, ``groups`` their groups or None.
    """
    units = pd.DataFrame({"label": labels, "cell": cells, "group": groups})
    if groups is not None:
        units = units.drop_duplicates()
    values = column_values(units["label"], units["cell"].rename(cells.name))
    if values is None:
        return None
    labels = units["label"][values.index]
    if not pd.api.types.is_numeric_dtype(values):
        return category_association(labels, values)
    if groups is not None:
        values = values.groupby([units["group"], labels]).mean()
        labels = values.index.get_level_values("label").to_series(values.index)
    if min(values.nunique(), labels.nunique()) < 2:
        return None
    return _number_association(labels, values)


def category_association(labels: pd.Series, cells: pd.Series) -> Association:
    """Return the association of categories; the strength is Cramer's V."""
    from scipy.stats import (  # noqa: PLC0415  see above
        PermutationMethod,
        chi2_contingency,
        fisher_exact,
    )
    from scipy.stats.contingency import association as cramers_v  # noqa: PLC0415

    counts = pd.crosstab(labels, cells).to_numpy()
    n_classes, n_categories = counts.shape
    strength = float(cramers_v(counts))
    few = len(cells) <= _MOST_PERMUTED
    complete = strength > 1 - 1e-9 and (counts > 0).sum(axis=0).max() == 1
    if complete and few:
        p = _complete_separation_p(counts)
    elif counts.shape == (2, 2):
        p = float(fisher_exact(counts).pvalue)
    else:
        test = chi2_contingency(counts)
        p = float(test.pvalue)
        if test.expected_freq.min() < 5 and few:
            permuted = PermutationMethod(n_resamples=999, rng=np.random.default_rng(0))
            p = float(chi2_contingency(counts, correction=False, method=permuted).pvalue)
    # Many small categories separate classes by chance.
    if not complete or (p > TEST_LEVEL and n_classes != n_categories):
        return Association(strength, p, "categories differ")
    return Association(strength, p, "separates classes", levels=values_by_class(labels, cells))


def _complete_separation_p(counts: np.ndarray) -> float:
    """Return an upper bound of the probability that with random labels each category has one class.

    The bound is exact for two classes: the number of unions of categories that have as many samples
    as a class, over the number of ways to choose the samples of this class. ``counts`` (n_classes,
    n_categories) are numbers of samples.
    """
    n = int(counts.sum())
    unions = [1] + [0] * n  # by their number of samples
    for size in counts.sum(axis=0).tolist():
        for total in range(n, size - 1, -1):
            unions[total] += unions[total - size]
    return min(unions[size] / comb(n, size) for size in counts.sum(axis=1).tolist())


def _number_association(labels: pd.Series, numbers: pd.Series) -> Association:
    """Return the association of numbers; the strength is epsilon squared, ``(H - k + 1)/(n - k)``.

    With the H of Kruskal and Wallis, k classes and n samples it estimates the share of the variance
    of the ranks between the classes.
    """
    from scipy.stats import kruskal  # noqa: PLC0415  half a second; few series have a phenotype

    groups = [values.to_numpy() for _, values in numbers.groupby(labels)]
    h, p = kruskal(*groups)
    strength = max(0.0, (h - len(groups) + 1) / max(1, len(numbers) - len(groups)))
    return Association(strength, float(p), "ranks differ")


def share_of_variance(scores: np.ndarray, cells: pd.Series) -> tuple[float, float] | None:
    """Return the share of the variance of the ranks of scores that a column explains, and its p.

    Categories are tested by the test of Kruskal and Wallis (epsilon squared), numbers by Spearman's
    rank correlation (its square). The result is None for constants and identifiers. ``cells`` are
    those with a value, ``scores`` (n_cells,) those of the same samples.
    """
    from scipy.stats import spearmanr  # noqa: PLC0415  half a second; few series have a phenotype

    any_class = pd.Series(np.arange(len(cells)).astype(str), index=cells.index)
    values = column_values(any_class, cells)
    if values is None or values.nunique() < 2:
        return None
    of_values = pd.Series(scores, index=cells.index)[values.index]
    if of_values.nunique() < 2:
        return None
    if pd.api.types.is_numeric_dtype(values):
        correlation = spearmanr(values, of_values)
        return float(correlation.statistic**2), float(correlation.pvalue)
    tested = _number_association(values, of_values)
    return tested.strength, tested.p


def is_recorded_in_one_class(labels: pd.Series, present: pd.Series) -> bool:
    """Return whether a column has values in one class alone, more often than by chance.

    ``present`` is whether each sample has a value. Few values may be in one class by chance: p of
    Fisher's exact test, of several classes that of a permuted chi-squared test, is at most .05.

    Examples
    --------
    >>> labels = pd.Series(["case"] * 8 + ["control"] * 8)
    >>> biopsied = labels == "case"
    >>> is_recorded_in_one_class(labels, biopsied)
    True
    >>> is_recorded_in_one_class(labels, biopsied & (labels.index < 2))
    False
    """
    if present.all() or labels[present].nunique() != 1:
        return False
    recorded = present.map({True: "recorded", False: "not recorded"})
    return category_association(labels, recorded).p <= TEST_LEVEL


def values_by_class(labels: pd.Series, cells: pd.Series) -> str:
    """Return the values of each class with their numbers of samples, in words.

    For example ``normal: “north” (6); tumour: “south” (5), “west” (1)``.
    """
    counts = cells.groupby(labels).value_counts(sort=True)
    texts = []
    for label, counts_of_class in counts.groupby(level=0):
        levels = [f"“{short(level)}” ({n})" for (_, level), n in counts_of_class.items()]
        texts.append(f"{label}: {listed(levels, 3)}")
    return "; ".join(texts)


def short(text: str, length: int = 46) -> str:
    """Return a text, or its beginning and end."""
    return text if len(text) <= length else f"{text[: length - 13]}…{text[-12:]}"
