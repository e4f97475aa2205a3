"""The association of a column of the samples with the class: strength, p-value, and findings.

=========== ======================================= ===================================
column      test                                    strength
=========== ======================================= ===================================
2 x 2       Fisher's exact test                     Cramer's V
categories  chi-squared, permuted for small counts  Cramer's V
numbers     Kruskal and Wallis                      epsilon squared, (H - k + 1)/(n - k)
=========== ======================================= ===================================

If each category has one class, the p-value is the probability of such a separation
(`_complete_separation_p`).

Findings depend on the data set alone, not on the design of a study. Every column is tested in the
same way, by its values: categories, numbers, and dates as days. Names decide nothing. A column
whose values are the class in other words is not a confounder.
"""

from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.findings import Finding
from xnbflow.core.joined_columns import join_columns
from xnbflow.core.nouns import listed
from xnbflow.core.significance import FDR_LEVEL, TEST_LEVEL
from xnbflow.core.study import Design
from xnbflow.core.terms import configured_term, is_batch_column
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import phenotype_of, with_known_covariates
from xnbflow.diagnostics.class_words import is_class_in_other_words
from xnbflow.diagnostics.columns import column_values, has_value
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.sources.series.plausibility import is_event_status, is_event_time, is_technical
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of

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


def associations(series: DataSet) -> tuple[pd.DataFrame, list[Finding]]:
    """Test the class against every column of the phenotype; the strongest association first.

    Return the table ``associations``, with a row for each tested column, and the findings.

    Two categories and two classes are tested by Fisher's exact test, more by the chi-squared test
    (permuted if expected counts are small; exact if each category has one class), numbers and dates
    by the test of Kruskal and Wallis. The p-values are adjusted by Holm over the columns.
    ``strength`` is Cramer's V, or the share of the variance of the ranks. A column is a warning if
    the adjusted p is at most .05, or if it separates the classes completely; whether it limits a
    verdict depends on the classifier (`xnbflow.studies.recognition`). Columns without variation,
    identifiers, and columns whose values are the class in other words are not tested. A column with
    values in one class alone is a notice, and a warning if it describes a batch. If samples
    have groups, the tests are of *units*: the samples of a group in one class are one unit for each
    category, or one unit with the mean of their numbers.

    For columns that are associated with the class, ``genes`` and ``genes_adjusted`` are the numbers
    of linear features at a false discovery rate below .05, without and with the column in the
    model, and no other column, both in the samples with a value in the column. The second number is
    missing if the column cannot be adjusted for.
    """
    tested, not_tested = _tested_columns(series)
    # Columns that cannot be confounders are not counted among the tests that Holm adjusts for.
    adjusted = holm(np.array([result.p for result in tested.values()]))
    rows = []
    findings = []
    for (name, result), p_holm in zip(tested.items(), adjusted.tolist(), strict=True):
        is_finding = p_holm <= TEST_LEVEL or result.complete
        genes = _genes(series, name) if is_finding else _Genes()
        row = {
            "column": name,
            "strength": result.strength,
            "p": result.p,
            "p_holm": p_holm,
            "genes": genes.different,
            "genes_adjusted": genes.different_adjusted,
        }
        rows.append(row)
        if is_finding:
            findings.append(_finding_of_association(series, name, result, p_holm, genes))
    rows.sort(key=lambda row: row["p"])
    findings.sort(key=lambda finding: finding.numbers["p"])
    table = table_of(rows, GROUPS["audit"].tables["associations"])
    return table.astype(dict.fromkeys(table.columns[1:], float)), findings + not_tested


def _finding_of_association(
    series: DataSet, name: str, result: Association, p_holm: float, genes: "_Genes"
) -> Finding:
    """Return the warning on a column that goes with the class."""
    return Finding(
        code="column",
        kind="separates classes" if result.complete else "associated",
        dataset=series.name,
        subject=name,
        other=genes.term,
        detail=result.levels,
        numbers={
            "estimate": result.strength,
            "p": result.p,
            "p_holm": p_holm,
            "count": genes.n_unknown,
            "genes": genes.different,
            "genes_adjusted": genes.different_adjusted,
        },
    )


def associated_columns(series: DataSet) -> dict[str, str]:
    """Return the columns that go with the class (`associations`), with their terms in a design."""
    tested, _ = _tested_columns(series)
    adjusted = holm(np.array([result.p for result in tested.values()]))
    return {
        name: _term(series, name)
        for (name, result), p_holm in zip(tested.items(), adjusted.tolist(), strict=True)
        if p_holm <= TEST_LEVEL or result.complete
    }


def _tested_columns(series: DataSet) -> tuple[dict[str, Association], list[Finding]]:
    """Return the association of each tested column, and notices on columns that are not tested."""
    labels = pd.Series(series.labels)
    phenotype = phenotype_of(series)
    tested: dict[str, Association] = {}
    not_tested: list[Finding] = []
    for column, all_cells in phenotype.items():
        name = str(column)
        present = has_value(all_cells)
        cells = all_cells[present].str.strip()
        groups = None if series.groups is None else series.groups[present]
        if is_follow_up(name, cells):
            not_tested.append(_notice(series, "follow-up", name))
        if is_recorded_in_one_class(labels, present):
            not_tested.append(_finding_of_one_class(series, name, labels[present].iloc[0]))
            continue
        if is_class_in_other_words(labels[present], cells):
            levels = values_by_class(labels[present], cells)
            not_tested.append(_notice(series, "class in other words", name, levels))
            continue
        result = association(labels[present], cells, groups)
        if result is not None:
            tested[name] = result
    return tested, not_tested


def _notice(series: DataSet, kind: str, name: str, detail: str = "") -> Finding:
    """Return a notice on a column, which limits no verdict."""
    return Finding(
        code="column",
        kind=kind,
        dataset=series.name,
        severity="notice",
        subject=name,
        detail=detail,
    )


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


def _finding_of_one_class(series: DataSet, name: str, label: str) -> Finding:
    """Return the finding on a column with values in one class: a warning if it is of a batch."""
    is_batch = is_batch_column(name) or is_technical(name)
    return Finding(
        code="column",
        kind="batch of one class" if is_batch else "recorded in one class",
        dataset=series.name,
        severity="warning" if is_batch else "notice",
        subject=join_columns([name]),
        detail=label,
        numbers={"count": 0},
    )


@dataclass(frozen=True, kw_only=True)
class _Genes:
    """Numbers of features that differ without and with a column in the model.

    ``term`` is the column in the design of a study, empty if nothing can be adjusted for it;
    ``n_unknown`` is the number of samples without a value.
    """

    different: float = np.nan
    different_adjusted: float = np.nan
    term: str = ""
    n_unknown: int = 0


def _genes(series: DataSet, name: str) -> _Genes:
    """Return the numbers of features that differ without and with a column."""
    term = _term(series, name)
    adjustment = Design(adjust=(term,))
    try:
        complete = with_known_covariates(series, adjustment)
        different = _count_different(complete, Design())
        different_adjusted = _count_different(complete, adjustment)
    except InputError:
        return _Genes(different=_count_different(series, Design()))
    return _Genes(
        different=different,
        different_adjusted=different_adjusted,
        term=configured_term(term),
        n_unknown=int((~has_value(phenotype_of(series)[name])).sum()),
    )


def _term(series: DataSet, name: str) -> str:
    """Return a column in the design of a study; numbers that are codes are categories."""
    cells = phenotype_of(series)[name].str.strip()
    present = has_value(cells)
    values = column_values(pd.Series(series.labels)[present], cells[present])
    is_category = values is not None and not pd.api.types.is_numeric_dtype(values)
    is_code = is_category and pd.to_numeric(cells[present], errors="coerce").notna().all()
    return f"factor({name})" if is_code else name


def _count_different(series: DataSet, design: Design) -> float:
    """Return the number of linear features that differ between a class and the others, or NaN."""
    values = series.values[series.kinds == "linear"]
    fdr = class_comparisons(values, series, design)["fdr"]
    tested = ~np.isnan(fdr)
    return float((fdr < FDR_LEVEL).any(axis=0).sum()) if tested.any() else np.nan


def is_follow_up(name: str, cells: pd.Series) -> bool:
    """Return whether a column is the time to an event or whether it was seen: an outcome.

    Examples
    --------
    >>> cells = pd.Series(["40", "90"])
    >>> is_follow_up("days_to_death", cells), is_follow_up("age", cells)
    (True, False)
    """
    return is_event_time(name) or is_event_status(name, list(map(str, cells)))
