"""The class from all columns of the phenotype together: a finding."""

import numpy as np
import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.data.canonical_order import numbered, order_of
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import phenotype_of
from xnbflow.diagnostics.column_values import usable
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.estimates import performance
from xnbflow.sources.formats.cell_texts import is_missing

#: Folds in which a column predicts the class; fewer for small classes.
_SPLITS = 5
#: Least share of known cells in each class; in other columns missing cells would identify a class.
_KNOWN = 0.9


def phenotype_checks(header: DataSet) -> list[Finding]:
    """Return the finding that all columns of the phenotype together predict the class, if they do.

    The prediction is by logistic regression in five stratified folds, which keep groups together.
    There is a finding where the 95% interval of the balanced accuracy is above chance. Identifiers,
    running numbers and columns that name the class are left out.
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
        return []
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
    if lower <= reached.chance:
        return []
    finding = Finding(
        code="column",
        kind="phenotype",
        subject=", ".join(design),
        estimate=value,
        lower=lower,
        upper=upper,
        limit=reached.chance,
        detail=", ".join(f"“{name}”" for name in design),
    )
    return [finding]
