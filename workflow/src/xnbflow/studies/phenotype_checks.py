"""The class from the phenotype alone, batch and sex from a signature: rows of the audit."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.core.counts import counted
from xnbflow.data.series_file import DataSetHeader, iterate_features
from xnbflow.diagnostics.series_audit import usable
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.estimates import performance
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.plausibility import is_technical
from xnbflow.tables.contract import AUDIT_TABLES
from xnbflow.tables.storage import table_of

__all__ = ["phenotype_checks"]

_SPLITS, _MOST_LEVELS, _MOST_GENES = 5, 6, 1000
#: Balanced accuracy from which on columns are as good as a complete separation of the classes.
_COMPLETE = 0.95
#: Columns that are known of a smaller share of a class are left out: what is missing names it.
_KNOWN = 0.9
_SEX = re.compile(r"(^|[\s_.:\-])(sex|gender)", re.IGNORECASE)


def phenotype_checks(
    path: str | Path, header: DataSetHeader, signatures: Mapping[tuple[str, str], pd.DataFrame]
) -> pd.DataFrame:
    """Predict the class from the phenotype, and batch and sex from the genes of signatures.

    Return rows of the study's table ``audit``, by logistic regression in five stratified folds,
    which keep groups together. A row is a warning where the 95 % interval of the balanced accuracy
    is above chance; the phenotype is severe where it also reaches 95 %, as a complete separation
    does. From the genes the mean of each class is taken off: a column that goes with the class is
    not predicted by way of it.

    Parameters
    ----------
    path : path
        A canonical series; its ``header`` is given, too.
    signatures : mapping of (str, str) to DataFrame
        The ``feature`` of each model of all samples, by data set and classifier.
    """
    phenotype = pd.DataFrame() if header.sample_metadata is None else header.sample_metadata
    cells = phenotype.apply(lambda column: column.str.strip().where(~column.map(is_missing)))
    rows = _phenotype_only(cells, header)
    technical = [str(name) for name in cells if is_technical(str(name)) or _SEX.search(str(name))]
    for (dataset, classifier), signature in signatures.items() if technical else ():
        genes = signature["feature"].unique()
        if dataset == header.name and 0 < len(genes) <= _MOST_GENES:
            parts = [values[np.isin(names, genes)] for names, values in iterate_features(path)]
            values = pd.DataFrame(np.concatenate(parts)).dropna().to_numpy()
            rows += [_signature(cells[name], values, classifier, header) for name in technical]
    return table_of(filter(None, rows), AUDIT_TABLES["audit"]).assign(dataset=header.name)


def _phenotype_only(cells: pd.DataFrame, header: DataSetHeader) -> list[dict[str, Any] | None]:
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
    if found["severity"] == "warning" and found["value"] >= _COMPLETE:
        found["severity"] = "severe"
    return [found | {"subject": ", ".join(design)}]


def _signature(
    cells: pd.Series, values: np.ndarray, classifier: str, header: DataSetHeader
) -> dict[str, Any] | None:
    """Predict a column of a few values, each of at least five samples; None for others."""
    sizes = cells.value_counts()
    known = cells.isin(sizes.index[sizes >= _SPLITS]).to_numpy()
    if not 2 <= cells[known].nunique() <= _MOST_LEVELS or not len(values):
        return None
    genes = pd.DataFrame(values.T[known])
    genes -= genes.groupby(header.labels[known]).transform("mean")
    text = f"{counted(len(values), 'gene')} of {classifier}, less the mean of each class, "
    text += f"predict “{cells.name}”"
    groups = None if header.groups is None else header.groups[known]
    return _row("signature", text, genes, cells[known], groups) | {"subject": cells.name}


def _row(check: str, text: str, table: Any, target: pd.Series, groups: Any) -> dict[str, Any]:
    """Return what a logistic regression reaches in stratified folds."""
    design, codes = table.to_numpy(), pd.factorize(target.astype(str), sort=True)[0]
    votes = np.zeros((len(codes), codes.max() + 1))
    for train, test in stratified_splits(codes, groups, _SPLITS, seed=0):
        model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
        if len(np.unique(codes[train])) > 1:
            votes[test, model.fit(design[train], codes[train]).predict(design[test])] = 1.0
    found = performance(codes, votes, groups)
    value, lower, upper = found.balanced_accuracy
    text += f" with a balanced accuracy of {value:.0%} (95 % interval {lower:.0%} to {upper:.0%}; "
    severity = "warning" if lower > found.chance else "none"
    return {"check": check, "value": value, "p": np.nan, "fdr": np.nan,
            "finding": f"{text}chance {found.chance:.0%})", "severity": severity}  # fmt: skip
