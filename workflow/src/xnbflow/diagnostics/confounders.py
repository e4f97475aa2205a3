"""Columns of the phenotype that are associated with the class, and the effect of adjustment.

Findings depend on the data set alone, not on the design of a study. Every column is tested in the
same way, by its values: categories, numbers, and dates as days. Names decide nothing. A column
whose values are the class in other words is not a confounder.
"""

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted
from xnbflow.core.significance import FDR_LEVEL, TEST_LEVEL
from xnbflow.core.study import Design
from xnbflow.core.terms import configured_term, is_batch_column
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import phenotype_of, with_known_covariates
from xnbflow.diagnostics.associations import (
    Association,
    association,
    category_association,
    values_by_class,
)
from xnbflow.diagnostics.audit_row import AuditRow, audit_row
from xnbflow.diagnostics.class_synonyms import is_class_in_other_words
from xnbflow.diagnostics.column_values import has_value, usable
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.sources.series.plausibility import is_event_status, is_event_time, is_technical

#: Largest adjusted p of a severe association.
SEVERE = 0.02
#: What differs between the classes in a column, by the code of the finding.
_DIFFERENCES = {
    "ranks differ": "has different ranks in the classes",
    "categories differ": "is distributed differently in the classes",
    "separates classes": "separates classes completely",
}
#: What a column on the follow-up of patients contains.
_FOLLOW_UP = (
    "the time to an event, or whether it was seen: an outcome, which needs a survival model, and "
    "no column to adjust for"
)


def confounders(series: DataSet) -> list[AuditRow]:
    """Test the class against every column of the phenotype; the strongest association first.

    Two categories and two classes are tested by Fisher's exact test, more by the chi-squared test
    (permuted if expected counts are small; exact if each category has one class), numbers and dates
    by the test of Kruskal and Wallis. The p-values are adjusted by Holm over the columns. ``value``
    is Cramer's V, or the share of the variance of the ranks. A column is severe if it separates
    classes completely and the adjusted p is at most .02. If the adjusted p is above .05, a complete
    separation is a warning. Findings about classifiers can make further columns severe
    (`xnbflow.studies.concordances`). Columns without variation, identifiers, and columns whose
    values are the class in other words are not tested. A column with values in one class alone is a
    notice, and severe if it describes a batch. If samples have groups, the tests are of
    *units*: the samples of a group in one class are one unit for each category, or one unit with
    the mean of their numbers.

    For columns that are associated with the class, ``genes`` and ``genes_adjusted`` are the numbers
    of linear features at a false discovery rate below .05, without and with the column in the
    model, and no other column, both in the samples with a value in the column. The second number is
    missing if the column cannot be adjusted for.
    """
    labels = pd.Series(series.labels)
    phenotype = phenotype_of(series)
    tested: dict[str, Association] = {}
    not_tested: list[AuditRow] = []
    for column, all_cells in phenotype.items():
        name = str(column)
        present = has_value(all_cells)
        cells = all_cells[present].str.strip()
        groups = None if series.groups is None else series.groups[present]
        if is_follow_up(name, cells):
            finding = f"“{name}” is follow-up by its name"
            not_tested.append(audit_row("follow-up", name, "notice", finding, detail=_FOLLOW_UP))
        if is_recorded_in_one_class(labels, present):
            not_tested.append(_row_of_one_class(name, labels[present].iloc[0]))
        elif is_class_in_other_words(labels[present], cells):
            values = values_by_class(labels[present], cells)
            finding = f"“{name}” is the class in other words, so it is not a confounder"
            not_tested.append(
                audit_row("class in other words", name, "notice", finding, detail=values)
            )
        elif result := association(labels[present], cells, groups):
            tested[name] = result
    # Columns that cannot be confounders are not counted among the tests that Holm adjusts for.
    adjusted = holm(np.array([result.p for result in tested.values()]))
    rows = []
    for (name, result), p_holm in zip(tested.items(), adjusted.tolist(), strict=True):
        severity = association_severity(result, p_holm)
        code = result.code
        finding = f"“{name}” {_DIFFERENCES[code]}"
        detail = result.levels
        if severity == "none":
            code = "no difference"
            finding = f"no difference of “{name}” between the classes was found"
            detail = ""
        row = audit_row(
            code, name, severity, finding, detail=detail, value=result.strength, p=result.p
        )
        row["p_holm"] = p_holm
        if severity != "none":
            row.update(_genes(series, name))
        rows.append(row)
    order = {"severe": 0, "warning": 1, "notice": 2, "none": 3}
    return sorted(rows, key=lambda row: (order[row["severity"]], row["p"])) + not_tested


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


def _row_of_one_class(name: str, label: str) -> AuditRow:
    """Return the row of a column with values in one class: severe if it describes a batch."""
    is_batch = is_batch_column(name) or is_technical(name)
    finding = f"“{name}” is recorded in “{label}” alone"
    detail = "its values in the other samples are unknown, so that it cannot be examined"
    if is_batch:
        detail = f"{detail}, and the samples of “{label}” were processed apart from the others"
    return audit_row(
        "technical in one class" if is_batch else "recorded in one class",
        name,
        "severe" if is_batch else "notice",
        finding,
        detail=detail,
        remedy="record it for all samples",
    )


def association_severity(result: Association, p_holm: float) -> str:
    """Return the severity of an association, as `confounders` documents it."""
    if result.complete and p_holm <= SEVERE:
        return "severe"
    return "warning" if p_holm <= TEST_LEVEL or result.complete else "none"


def _genes(series: DataSet, name: str) -> AuditRow:
    """Return the numbers of features that differ without and with a column, and a remedy."""
    cells = phenotype_of(series)[name].str.strip()
    present = has_value(cells)
    values = usable(pd.Series(series.labels)[present], cells[present])
    is_category = values is not None and not pd.api.types.is_numeric_dtype(values)
    is_code = is_category and pd.to_numeric(cells[present], errors="coerce").notna().all()
    term = f"factor({name})" if is_code else name
    adjustment = Design(adjust=(term,))
    try:
        complete = with_known_covariates(series, adjustment)
        genes = _count_different(complete, Design())
        genes_adjusted = _count_different(complete, adjustment)
    except InputError:
        remedy = "no comparison of features can be adjusted for it"
        return {"genes": _count_different(series, Design()), "remedy": remedy}
    term = configured_term(term)
    text = f"to adjust comparisons of features for it, a study has `adjust: [{term}]` in its design"
    if not present.all():
        n = counted(int((~present).sum()), "sample", "has", "have")
        text += f" ({n} no value and would be left out)"
    return {
        "genes": genes,
        "genes_adjusted": genes_adjusted,
        "remedy": text,
    }


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
