"""What the phenotype says of the class, and the genes of a signature of batch and sex.

Both by five folds of a logistic regression, as rows of the audit.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.data.contract import AUDIT_TABLES
from xnbflow.data.counts import counted
from xnbflow.data.dataset import DataSetHeader, iterate_features
from xnbflow.data.seeds import derive_seed
from xnbflow.data.sources.cell_texts import is_missing
from xnbflow.diagnostics.audit import tested_values
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.evaluation.verdicts import Performance, performance

__all__ = ["phenotype_checks", "phenotype_only", "signature_checks"]

_SPLITS = 5
#: Balanced accuracy from which on columns are as good as a complete separation of the classes.
_COMPLETE = 0.95
#: Columns that are known of a smaller share of a class are left out: what is missing names it.
_KNOWN = 0.9
_MOST_GENES = 1000
_TECHNICAL = re.compile(
    r"(^|[\s_.:\-])(sex|gender|batch|plate|chip|array|scan|run|lane|site|cent(er|re)|hospital)",
    re.IGNORECASE,
)


def phenotype_checks(
    path: str | Path, header: DataSetHeader, signatures: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Return rows of the study's ``audit``: `phenotype_only` and `signature_checks`.

    Parameters
    ----------
    path : path
        The canonical series.
    header : DataSetHeader
        Of the same file.
    signatures : mapping of str to DataFrame
        The ``feature`` of each model of all samples, by the id of the classifier.
    """
    rows = [*phenotype_only(header)]
    columns = [name for name in _phenotype(header) if _TECHNICAL.search(str(name))]
    for classifier, signature in signatures.items() if columns else ():
        wanted = signature["feature"].unique()
        if 0 < len(wanted) <= _MOST_GENES:
            parts = [values[np.isin(names, wanted)] for names, values in iterate_features(path)]
            rows += signature_checks(header, np.concatenate(parts), classifier)
    table = pd.DataFrame(rows, columns=AUDIT_TABLES["audit"].fixed)
    return table.assign(dataset=header.name)


def phenotype_only(header: DataSetHeader) -> list[dict[str, object]]:
    """Predict the class from the columns of the phenotype alone.

    Left out are columns that are not tested as confounders, whole numbers that are all distinct,
    and columns that are missing in more than a tenth of a class: running numbers follow the order
    of a table, and what is measured of patients only would name them.

    Returns
    -------
    list of dict
        One row of the audit; none without columns, or with a class of fewer than two samples. It is
        a warning if the interval of the balanced accuracy is above chance, and severe if it also
        is at least 95 %, as good as a complete separation.
    """
    labels = pd.Series(header.labels)
    design = {}
    for name, cells in _phenotype(header).items():
        known = ~cells.map(is_missing)
        values = tested_values(labels[known], cells[known].str.strip())
        if values is None or _are_running_numbers(values):
            continue
        if known.groupby(labels).mean().min() >= _KNOWN:
            design[str(name)] = values.reindex(cells.index)
    if not design or labels.value_counts().min() < 2:
        return []
    columns = [
        pd.to_numeric(each).fillna(each.mean()).to_frame(name)
        if pd.api.types.is_numeric_dtype(each)
        else pd.get_dummies(each.fillna(each.mode()[0]), prefix=name, dtype=float)
        for name, each in design.items()
    ]
    found = _cross_validated(pd.concat(columns, axis=1).to_numpy(), labels, header)
    names = ", ".join(f"“{name}”" for name in design)
    text = f"the phenotype alone ({names}) predicts the class with {_reached(found)}"
    row = _row("phenotype only", ", ".join(design), text, found)
    if row["severity"] == "warning" and found.balanced_accuracy.value >= _COMPLETE:
        row["severity"] = "severe"
    return [row]


def _are_running_numbers(values: pd.Series) -> bool:
    numeric = pd.api.types.is_numeric_dtype(values)
    return bool(numeric and values.is_unique and (values == values.round()).all())


def signature_checks(
    header: DataSetHeader, values: np.ndarray, classifier: str
) -> list[dict[str, object]]:
    """Predict batch and sex from the genes of a signature, beyond what the class says of them.

    Parameters
    ----------
    header : DataSetHeader
    values : ndarray of shape (n_genes, n_samples)
        Of the signature's genes. The mean of each class is taken off, so that a column that goes
        with the class is not predicted by way of it.
    classifier : str
        Whose signature it is.

    Returns
    -------
    list of dict
        A row of the audit for each column whose name says sex, batch, plate, site or the like,
        with two to six values of at least five samples each.
    """
    values = values[~np.isnan(values).any(axis=1)]
    rows = []
    for name, column in _phenotype(header).items():
        cells = column.str.strip().where(~column.map(is_missing))
        sizes = cells.value_counts()
        known = cells.isin(sizes.index[sizes >= _SPLITS]).to_numpy()
        n_levels = cells[known].nunique()
        if not _TECHNICAL.search(str(name)) or not 2 <= n_levels <= 6 or not len(values):
            continue
        design = pd.DataFrame(values.T[known])
        design -= design.groupby(header.labels[known]).transform("mean")
        found = _cross_validated(design.to_numpy(), cells[known], header, known)
        genes = counted(len(values), "gene")
        text = f"the {genes} of {classifier} predict “{name}” with {_reached(found)}, classes apart"
        rows.append(_row("signature", str(name), text, found))
    return rows


def _phenotype(header: DataSetHeader) -> pd.DataFrame:
    known = header.sample_metadata
    return pd.DataFrame() if known is None else known


def _cross_validated(
    design: np.ndarray,
    target: pd.Series,
    header: DataSetHeader,
    own: np.ndarray | slice = slice(None),
) -> Performance:
    """Return what a logistic regression reaches in stratified folds of some samples."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  few series need it
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    codes = np.unique(target.to_numpy(dtype=str), return_inverse=True)[1]
    groups = None if header.groups is None else header.groups[own]
    seed = derive_seed(header.name, 0, "phenotype")
    votes = np.zeros((len(codes), codes.max() + 1))
    for train, test in stratified_splits(codes, groups, _SPLITS, seed):
        model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
        if len(np.unique(codes[train])) > 1:
            predicted = model.fit(design[train], codes[train]).predict(design[test])
            votes[test, predicted] = 1.0
    return performance(codes, votes, groups)


def _reached(found: Performance) -> str:
    value, lower, upper = found.balanced_accuracy
    return (
        f"a balanced accuracy of {value:.0%} (95 % interval {lower:.0%} to {upper:.0%}; "
        f"chance {found.chance:.0%})"
    )


def _row(check: str, subject: str, text: str, found: Performance) -> dict[str, object]:
    severity = "warning" if found.balanced_accuracy.lower > found.chance else "none"
    return {"check": check, "subject": subject, "value": found.balanced_accuracy.value,
            "p": np.nan, "fdr": np.nan, "finding": text, "severity": severity}  # fmt: skip
