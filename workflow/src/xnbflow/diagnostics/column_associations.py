"""The columns of the samples that are associated with the class: a table, and findings.

Findings depend on the data set alone, not on the design of a study. Every column is tested in the
same way, by its values: categories, numbers, and dates as days. Names decide nothing. A column
whose values are the class in other words is not a confounder.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.findings import Finding
from xnbflow.core.joined_columns import join_columns
from xnbflow.core.significance import FDR_LEVEL, TEST_LEVEL
from xnbflow.core.study import Design
from xnbflow.core.terms import configured_term, is_batch_column
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import phenotype_of, with_known_covariates
from xnbflow.diagnostics.association import (
    Association,
    association,
    is_recorded_in_one_class,
    values_by_class,
)
from xnbflow.diagnostics.class_words import is_class_in_other_words
from xnbflow.diagnostics.columns import column_values, has_value
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.sources.series.column_meaning import is_follow_up, is_technical
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of


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
        genes = _gene_counts(series, name) if is_finding else _GeneCounts()
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
            findings.append(_association_finding(series, name, result, p_holm, genes))
    rows.sort(key=lambda row: row["p"])
    findings.sort(key=lambda finding: finding.numbers["p"])
    table = table_of(rows, GROUPS["audit"].tables["associations"])
    return table.astype(dict.fromkeys(table.columns[1:], float)), findings + not_tested


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
        if is_follow_up(name, map(str, cells)):
            not_tested.append(_notice(series, "follow-up", name))
        if is_recorded_in_one_class(labels, present):
            not_tested.append(_one_class_finding(series, name, labels[present].iloc[0]))
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


def _association_finding(
    series: DataSet, name: str, result: Association, p_holm: float, genes: "_GeneCounts"
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


def _one_class_finding(series: DataSet, name: str, label: str) -> Finding:
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
class _GeneCounts:
    """Numbers of features that differ without and with a column in the model.

    ``term`` is the column in the design of a study, empty if nothing can be adjusted for it;
    ``n_unknown`` is the number of samples without a value.
    """

    different: float = np.nan
    different_adjusted: float = np.nan
    term: str = ""
    n_unknown: int = 0


def _gene_counts(series: DataSet, name: str) -> _GeneCounts:
    """Return the numbers of features that differ without and with a column."""
    term = _term(series, name)
    adjustment = Design(adjust=(term,))
    try:
        complete = with_known_covariates(series, adjustment)
        different = _count_different(complete, Design())
        different_adjusted = _count_different(complete, adjustment)
    except InputError:
        return _GeneCounts(different=_count_different(series, Design()))
    return _GeneCounts(
        different=different,
        different_adjusted=different_adjusted,
        term=configured_term(term),
        n_unknown=int((~has_value(phenotype_of(series)[name])).sum()),
    )


def _count_different(series: DataSet, design: Design) -> float:
    """Return the number of linear features that differ between a class and the others, or NaN."""
    values = series.values[series.kinds == "linear"]
    fdr = class_comparisons(values, series, design)["fdr"]
    tested = ~np.isnan(fdr)
    return float((fdr < FDR_LEVEL).any(axis=0).sum()) if tested.any() else np.nan


def _term(series: DataSet, name: str) -> str:
    """Return a column in the design of a study; numbers that are codes are categories."""
    cells = phenotype_of(series)[name].str.strip()
    present = has_value(cells)
    values = column_values(pd.Series(series.labels)[present], cells[present])
    is_category = values is not None and not pd.api.types.is_numeric_dtype(values)
    is_code = is_category and pd.to_numeric(cells[present], errors="coerce").notna().all()
    return f"factor({name})" if is_code else name
