"""Recognition of the class within the levels of batches and associated columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.core.seeds import derive_seed
from xnbflow.data.series_file import DataSetHeader
from xnbflow.diagnostics.confounders import LEVEL, SEVERE, column_levels
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables, arrays, named
from xnbflow.inference.concordance import (
    LEAST_SCORE,
    Concordance,
    concordance,
    level_area,
)
from xnbflow.inference.verdicts import INSEPARABLE
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.plausibility import is_technical
from xnbflow.tables.contract import STUDY_TABLES

#: Least pairs for the examination of a column.
_FEWEST_PAIRS = 10
#: With fewer samples only a column that separates the classes completely is severe.
_FEWEST_SAMPLES = 10


def concordances(predictions: Tables, headers: Headers, audit: pd.DataFrame) -> pd.DataFrame:
    """Return the study's table ``concordance``; ``audit`` is that of all data sets.

    The score of a sample is the mean of its log posteriors over the repeats, or the share of its
    predictions as each class where a classifier has no probabilities.
    """
    tested, rows = audit[audit["check"] == "confounder"], []
    for key, table in predictions.items():
        header, own = headers[key[0]], tested[tested["dataset"] == key[0]]
        handling = np.array([is_technical(name) for name in own["subject"]], dtype=bool)
        own = own[handling | (own["p_holm"] <= LEVEL)]
        if table.empty or own.empty:
            continue
        scores = _scores(table, header)
        for column in own.to_dict("records"):
            found = _of_column(column, scores, header)
            rows += [named(key) | found] if found else []
    return pd.DataFrame(rows, columns=STUDY_TABLES["concordance"].fixed)


def _scores(table: pd.DataFrame, header: DataSetHeader) -> np.ndarray:
    """Return the mean score of each sample for each class; missing where it was never tested."""
    _, predicted, scores, classes = arrays(table, header)
    if scores is None:
        scores = (predicted[:, None] == classes).astype(float)
    of_class = pd.DataFrame(np.maximum(scores, LEAST_SCORE)).groupby(table["sample"].to_numpy())
    return of_class.mean().reindex(header.samples).to_numpy()


def _of_column(
    column: Mapping[str, Any], scores: np.ndarray, header: DataSetHeader
) -> dict[str, Any] | None:
    """Return the fields of a row but for its key; None where the column has no levels."""
    name = column["subject"]
    cells = pd.DataFrame(header.sample_metadata)[name].str.strip()
    known = ~cells.map(is_missing) & ~np.isnan(scores).any(axis=1)
    labels = pd.Series(header.labels)[known]
    levels = column_levels(labels, cells[known]) if known.any() else None
    if levels is None:
        return None
    at = levels.index.to_numpy()
    codes, level = np.searchsorted(header.classes, header.labels[at]), pd.factorize(levels)[0]
    groups = None if header.groups is None else header.groups[at]
    seed = derive_seed(header.name, 0, "concordance")
    found = concordance(scores[at], codes, level, groups, seed=seed)
    alone = level_area(codes, level)
    return {
        "column": name,
        "handling": is_technical(name),
        "auc": found.overall,
        "auc_column": alone,
        "auc_within": found.within,
        **{key: getattr(found, key) for key in ("lower", "upper", "pairs", "permutations", "p")},
        "genes": column["genes"],
        "genes_adjusted": column["genes_adjusted"],
        "status": _status(found, alone, column["p"]),
    }


def _status(found: Concordance, alone: float, p: float) -> str:
    if alone <= 0.5:
        return "not associated"
    if 0 < found.pairs < _FEWEST_PAIRS:
        return "cannot be examined"
    if found.p <= LEVEL:
        return "recognised"
    return "not associated" if found.pairs and p > LEVEL else "cannot be separated"


def inseparable(table: pd.DataFrame) -> set[Key]:
    """Return the classifiers whose results a technical column may explain."""
    rows = table[table["handling"].astype(bool) & table["status"].isin(INSEPARABLE)]
    return set(rows[["dataset", "folds", "classifier"]].itertuples(index=False, name=None))


def graded_audit(
    audit: pd.DataFrame, table: pd.DataFrame, classifier: str, label: str, headers: Headers
) -> pd.DataFrame:
    """Return the audit, with the severity of columns by the recognition within their levels.

    A column is severe if the classifier does not recognise the class within its levels and the
    adjusted p of its association is at most .02, so that at most 2% of studies have such a column
    by chance. Below ten samples it must separate the classes completely. Columns that together
    predict the class are not severe where it is recognised within the levels of each.
    """
    rows = table[table["classifier"] == classifier]
    graded = audit.copy()
    recognised = rows.groupby("dataset")["status"].agg(lambda own: (own == "recognised").all())
    together = (audit["check"] == "phenotype only") & (audit["severity"] == "severe")
    together &= audit["dataset"].isin(recognised.index[recognised])
    graded.loc[together, "severity"] = "warning"
    rows = rows[rows["status"].isin(INSEPARABLE)]
    for row in rows.drop_duplicates(["dataset", "column"]).to_dict("records"):
        own = (audit["dataset"] == row["dataset"]) & (audit["subject"] == row["column"])
        own &= (audit["check"] == "confounder") & (audit["severity"] == "warning")
        pairs = counted(row["pairs"], "pair")
        within = f"within its levels are {pairs} of samples of different classes"
        if row["pairs"] >= _FEWEST_PAIRS:
            within += (
                f", which {label} orders not detectably better than chance (AUC "
                f"{row['auc_within']:.2f}, p = {row['p']:.2g})"
            )
        graded.loc[own, "finding"] += f"; {within}"
        few = len(headers[row["dataset"]].samples) < _FEWEST_SAMPLES
        own &= (audit["p_holm"] <= SEVERE) & ((audit["value"] > 1 - 1e-9) | (not few))
        graded.loc[own, "severity"] = "severe"
    return graded
