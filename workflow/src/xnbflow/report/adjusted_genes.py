"""Columns that go with the class, and the differences that remain with one of them in the model.

The audit compares the features of a data set without and with each such column
(`xnbflow.diagnostics.column_associations`). The column that leaves the fewest is the one to adjust
for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xnbflow.report.results import StudyResults

#: Kinds of findings on a column that goes with the class.
ASSOCIATED_KINDS = ("separates classes", "associated")


@dataclass(frozen=True, kw_only=True)
class ExplainingColumn:
    """A column of the samples that explains differences between the classes.

    Attributes
    ----------
    name : str
    term : str
        The column in the design of a study, as in ``adjust: [term]``.
    before, after : int
        Features that differ at an FDR below .05, without and with the column in the model.
    """

    name: str
    term: str
    before: int
    after: int


def explaining_column(results: StudyResults, dataset: str) -> ExplainingColumn | None:
    """Return the column with which the fewest features differ; None if no column explains any.

    Columns that the design of the study declares as biology are none. The audit compares features
    without the columns of the design: where it adjusts for some, how many differ with a further
    column is unknown, and the result is None.
    """
    design = results.tables_of("genes", dataset=dataset)["design"]
    if design["adjusted"].fillna("").ne("").any():
        return None
    findings = results.rows("findings", dataset=dataset, classifier="")
    rows = findings[findings["kind"].isin(ASSOCIATED_KINDS) & (findings["other"] != "")]
    rows = rows[rows["genes_adjusted"] < rows["genes"]]
    candidates = [
        row
        for row in rows.sort_values("genes_adjusted", kind="stable").to_dict("records")
        if not is_biology(results, row)
    ]
    if not candidates:
        return None
    first = candidates[0]
    return ExplainingColumn(
        name=first["subject"],
        term=first["other"],
        before=int(first["genes"]),
        after=int(first["genes_adjusted"]),
    )


def is_adjusted_for(results: StudyResults, row: Mapping[str, Any]) -> bool:
    """Return whether the features of a data set were compared adjusted for the row's column.

    ``row`` is of the table ``findings``, of one of `ASSOCIATED_KINDS`.
    """
    if row["kind"] not in ASSOCIATED_KINDS:
        return False
    adjusted = results.tables_of("genes", dataset=row["dataset"])["design"]["adjusted"].dropna()
    # Names may contain commas, which separate them.
    return any(f", {row['subject']}, " in f", {columns}, " for columns in adjusted)


def is_biology(results: StudyResults, row: Mapping[str, Any]) -> bool:
    """Return whether a finding is that a column is associated which the design has as biology.

    ``row`` is of the table ``findings``.
    """
    biology = [name.lower() for name in results.study.design_of(row["dataset"]).biology]
    return row["kind"] in ASSOCIATED_KINDS and row["subject"].lower() in biology
