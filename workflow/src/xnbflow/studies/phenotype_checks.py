"""The class from all columns of the phenotype together: rows of the audit."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.data.series_file import DataSetHeader
from xnbflow.diagnostics.confounders import audit_row, usable
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.estimates import performance
from xnbflow.sources.cell_texts import is_missing
from xnbflow.tables.contract import AUDIT_TABLES
from xnbflow.tables.storage import table_of

__all__ = ["phenotype_checks"]

_SPLITS = 5
#: Balanced accuracy from which on columns are as good as a complete separation of the classes,
#: and samples from which on.
_COMPLETE, _FEWEST = 0.95, 10
#: Columns that are known of a smaller share of a class are left out: what is missing names it.
_KNOWN = 0.9


def phenotype_checks(header: DataSetHeader) -> pd.DataFrame:
    """Predict the class from all columns of the phenotype together.

    Return rows of the study's table ``audit``, by logistic regression in five stratified folds,
    which keep groups together. A row is a warning where the 95 % interval of the balanced accuracy
    is above chance; from ten samples on it is severe where it also reaches 95 %, as a complete
    separation does. Columns that name the class are left out.
    """
    phenotype = pd.DataFrame() if header.sample_metadata is None else header.sample_metadata
    cells = phenotype.apply(lambda column: column.str.strip().where(~column.map(is_missing)))
    rows = _phenotype_only(cells, header)
    return table_of(rows, AUDIT_TABLES["audit"]).assign(dataset=header.name)


def _phenotype_only(cells: pd.DataFrame, header: DataSetHeader) -> list[dict[str, Any]]:
    """Predict the class from all columns but identifiers and running numbers."""
    labels, design = pd.Series(header.labels), {}
    for name, column in cells.items():
        values = usable(labels[column.notna()], column.dropna())
        if values is None or column.notna().groupby(labels).mean().min() < _KNOWN:
            continue
        if not pd.api.types.is_numeric_dtype(values):
            values = values.reindex(cells.index, fill_value=values.mode()[0])
            design[str(name)] = pd.get_dummies(values, dtype=float)
        elif not values.is_unique or (values != values.round()).any():
            design[str(name)] = values.reindex(cells.index, fill_value=values.mean()).to_frame()
    if not design or labels.value_counts().min() < 2:
        return []
    names = ", ".join(f"“{name}”" for name in design)
    text = f"the phenotype alone ({names}) predicts the class"
    found = _row("phenotype only", text, pd.concat(design, axis=1), labels, header.groups)
    if found["severity"] == "warning" and found["value"] >= _COMPLETE and len(labels) >= _FEWEST:
        found["severity"] = "severe"
    return [found | {"subject": ", ".join(design)}]


def _row(check: str, text: str, table: Any, target: pd.Series, groups: Any) -> dict[str, Any]:
    """Return what a logistic regression reaches in stratified folds."""
    design, codes = table.to_numpy(), pd.factorize(target.astype(str), sort=True)[0]
    votes = np.zeros((len(codes), codes.max() + 1))
    n_splits = min(_SPLITS, int(np.bincount(codes).max()))
    for train, test in stratified_splits(codes, groups, n_splits, seed=0):
        model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
        if len(np.unique(codes[train])) > 1:
            votes[test, model.fit(design[train], codes[train]).predict(design[test])] = 1.0
    found = performance(codes, votes, groups)
    value, lower, upper = found.balanced_accuracy
    text += f" with a balanced accuracy of {value:.0%} (95 % interval {lower:.0%} to {upper:.0%}; "
    text += f"chance {found.chance:.0%})"
    return audit_row(check, "", "warning" if lower > found.chance else "none", text, value)
