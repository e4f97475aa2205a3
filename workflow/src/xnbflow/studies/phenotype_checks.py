"""The class from all columns of the phenotype together: rows of the audit."""

import numpy as np
import pandas as pd

from xnbflow.data.canonical_order import numbered, order_of
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import phenotype_of
from xnbflow.diagnostics.audit_row import audit_row
from xnbflow.diagnostics.column_values import usable
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.estimates import performance
from xnbflow.sources.formats.cell_texts import is_missing
from xnbflow.tables.contract import AUDIT_TABLES
from xnbflow.tables.storage import table_of

#: Folds in which a column predicts the class; fewer for small classes.
_SPLITS = 5
#: Least balanced accuracy, and least number of samples, of a complete separation.
_COMPLETE = 0.95
_FEWEST = 10
#: Least share of known cells in each class; in other columns missing cells would identify a class.
_KNOWN = 0.9


def phenotype_checks(header: DataSet) -> pd.DataFrame:
    """Predict the class from all columns of the phenotype together.

    Return a row of the study's table ``audit``, by logistic regression in five stratified folds,
    which keep groups together; there is no row without columns. The row is a warning where the 95%
    interval of the balanced accuracy is above chance; from ten samples on it is severe where it
    also reaches 95%, as a complete separation does. Identifiers, running numbers and columns that
    name the class are left out.
    """
    # The columns of the model by the columns of the phenotype.
    phenotype = phenotype_of(header)
    cells = phenotype.apply(lambda column: column.str.strip().where(~column.map(is_missing)))
    labels = pd.Series(header.labels)
    design: dict[str, pd.DataFrame] = {}
    for name, column in cells.items():
        values = usable(labels[column.notna()], column.dropna())
        if values is None or column.notna().groupby(labels).mean().min() < _KNOWN:
            continue
        if not pd.api.types.is_numeric_dtype(values):
            values = values.reindex(cells.index, fill_value=values.mode()[0])
            design[str(name)] = pd.get_dummies(values, dtype=float)
        elif not values.is_unique or (values != values.round()).any():
            design[str(name)] = values.reindex(cells.index, fill_value=values.mean()).to_frame()

    order = order_of(header)
    labels = header.labels[order]
    groups = None if header.groups is None else numbered(header.groups[order])
    codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)[1:]
    if not design or sizes.min() < 2:
        return pd.DataFrame(columns=[*AUDIT_TABLES["audit"].fixed, "dataset"])
    # half a second; few series have a phenotype
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    values = pd.concat(design, axis=1).to_numpy()[order]
    votes = np.zeros((len(codes), len(sizes)))
    for train, test in stratified_splits(codes, groups, min(_SPLITS, sizes.max()), seed=0):
        model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
        if len(np.unique(codes[train])) > 1:
            votes[test, model.fit(values[train], codes[train]).predict(values[test])] = 1.0
    reached = performance(codes, votes, groups)
    value, lower, upper = reached.balanced_accuracy
    severity = "warning" if lower > reached.chance else "none"
    if severity == "warning" and value >= _COMPLETE and len(labels) >= _FEWEST:
        severity = "severe"
    names = ", ".join(f"“{name}”" for name in design)
    text = (
        f"the phenotype alone ({names}) predicts the class with a balanced accuracy of {value:.0%} "
        f"(95% interval {lower:.0%} to {upper:.0%}; chance {reached.chance:.0%})"
    )
    code = "phenotype alone" if severity == "none" else "phenotype predicts class"
    row = audit_row(code, ", ".join(design), severity, text, value=value)
    return table_of([row], AUDIT_TABLES["audit"]).assign(dataset=header.name)
