"""Audit: causes of unreliable accuracies, independent of the classifier."""

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.report.drawings.components import draw_components
from xnbflow.report.drawings.probabilities import draw_probabilities
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section
from xnbflow.report.results import StudyResults

_ORDER = {"severe": 0, "warning": 1, "notice": 2, "none": 3}
_FOUND = (
    "Findings, the most serious first. Severe: the class is not recognised within the levels of "
    "an associated column (adjusted p at most .02), or samples are equal. Warning: a column is "
    "associated with the class (adjusted p at most .05), or all columns together predict it above "
    "chance; sex does not fit, samples are nearly equal, or values are not logarithms. Notice: "
    "outliers, replicates, and columns that name the class."
)
_TESTED = (
    "Association of the class with every column of the phenotype. Value: Cramer’s V of "
    "categories, the share of the variance of ranks of numbers; 1 separates the classes "
    "completely. Differing features: at an FDR below .05, without and with the column in the model."
)
_WITHIN = (
    "Test for batches: a classifier that recognises the batch instead of the class orders samples "
    "of the same batch at random. AUC: of the scores outside the training samples, over all pairs "
    "of samples of different classes, and over those pairs that share the level of a column "
    "(numbers in strata of four samples), with the 95% interval and p of permutations within "
    "levels. Differing features: at an FDR below .05, without and with the column in the model. "
    "Columns: batches, those associated with the class, and batches that predict the class "
    "together, by the combinations of their levels."
)
_WITHIN_PAIRS = (
    "The same for each pair of classes: a batch may explain the difference between two classes "
    "only. Classes without a common level cannot be separated from the batch."
)
_UNKNOWN = (
    "There is no column of the phenotype to test, so confounders cannot be found. Name "
    "columns by phenotype_columns= or batch= in the sheet, or a file of them by phenotype=."
)
_PICTURE = (
    "Left: principal components of the standardised features; shares are of the variance. "
    "Outliers, "
    "than 6 robust standard deviations from their class, are named."
)


def section(results: StudyResults) -> Section | None:
    """Return the findings within and between data sets; None without data sets."""
    if results.tables["audit"].empty:
        return None
    found = _found(results)
    checks = {*results.tables["audit"]["check"]}
    nothing = Prose(
        f"{'No confounder, no' if 'confounder' in checks else 'No'} repeated sample, no "
        f"outlier{' and no wrong scale' if 'scale' in checks else ''} was found. Scales and "
        "similar samples are tested with at least a hundred features, equal ones with twenty, "
        "outliers with ten samples."
    )
    columns = ["dataset", "severity", "check", "subject", "finding", "value", "p", "p_holm"]
    table = results.tables.show("audit", _FOUND, columns, found)
    blocks: list[Block] = [nothing if found.empty else table]
    for i, dataset in enumerate(results.study.datasets):
        content = _of_dataset(results, dataset)
        if len(results.study.datasets) == 1:
            blocks += content
        else:
            note = counted(len(found[found["dataset"] == dataset]), "finding")
            blocks.append(Group(dataset, content, note, opened=i == 0))
    return Section(
        "audit",
        "Audit",
        "Possible causes of misleading accuracies of any classifier on these samples. The classes "
        "are compared with all other columns of the samples.",
        blocks,
    )


def _found(results: StudyResults) -> pd.DataFrame:
    """Return the rows of the audit with findings, the most serious first."""
    rows = results.tables["audit"]
    rows = rows[rows["severity"] != "none"]
    # what a single column predicts is its own test again
    alone = rows[rows["check"].isin(["confounder", "phenotype only"])]
    rows = rows.drop(index=alone.index[alone.duplicated(["dataset", "subject"])])
    return rows.sort_values("severity", key=lambda column: column.map(_ORDER), kind="stable")


def most_serious(results: StudyResults, dataset: str) -> str:
    """Return the most serious finding of a data set in a sentence; empty without a warning."""
    found = _found(results)
    found = found[(found["dataset"] == dataset) & found["severity"].isin(["severe", "warning"])]
    if found.empty:
        return ""
    row = found.iloc[0]
    finding, _, todo = row["finding"].partition("; to adjust")
    named = (
        ""
        if f"“{row['subject']}”" in finding or row["check"] == "phenotype only"
        else (f"{row['subject']}: ")
    )
    p = "" if pd.isna(row["p_holm"]) else f" (adjusted p = {row['p_holm']:.2g})"
    line = f"; to adjust{todo}" if todo else ""
    rest = f" {counted(len(found) - 1, 'other finding')} below." * (len(found) > 1)
    return f"{named}{finding}{p}{line}.{rest}"


def _columns(samples: pd.DataFrame, coloured: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the columns by which samples can be coloured: the tested ones, then all others."""
    columns = dict(coloured)
    for name, cells in samples.filter(regex=r"^phenotype\.").items():
        texts = cells.fillna("").astype(str)
        if (texts != "").any():
            columns.setdefault(str(name).removeprefix("phenotype."), texts.tolist())
    return columns


def _place_of_evidence(results: StudyResults, dataset: str, classifier: str) -> str:
    """Return the name of the model whose evidence the second page explains; empty without."""
    if not classifier or not results.study.folds or "samples" in results.study.omit_sections:
        return ""
    where = {"dataset": dataset, "folds": results.study.folds[0], "classifier": classifier}
    if results.rows("evidence", **where).empty:
        return ""
    return f"{results.place(dataset, where['folds'])}: {results.labels[classifier]}"


def _probabilities(results: StudyResults, dataset: str, classifier: str) -> list[Figure]:
    """Return the probability of its class for each sample, outside the training samples."""
    if not classifier or not results.study.folds:
        return []
    folds = results.study.folds[0]
    where = {"dataset": dataset, "folds": folds, "classifier": classifier}
    if results.rows("estimates", **where, folds_failed=0).empty:
        return []
    rows = results.training(dataset, folds, classifier, "predictions", repeat=0)
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    if rows.empty or not {f"log_posterior.{label}" for label in classes} <= set(rows):
        return []
    own = np.array([row[f"log_posterior.{row['true']}"] for row in rows.to_dict("records")])
    label = results.labels[classifier]
    arguments = {
        "classes": classes,
        "true": rows["true"].tolist(),
        "predicted": rows["predicted"].tolist(),
        "probability": np.exp(own),
    }
    extra = {
        "samples": rows["sample"].tolist(),
        "place": _place_of_evidence(results, dataset, classifier),
    }
    alt = f"Probability that {label} gives the true class of each sample when it is tested."
    return [Figure(f"probabilities-{dataset}", draw_probabilities, arguments, "", alt, extra=extra)]


def _of_dataset(results: StudyResults, dataset: str) -> list[Block]:
    """Return the pictures of a data set, and how each column goes with the class."""
    rows = results.rows("audit", dataset=dataset)
    shares = rows[rows["check"] == "overview"]["value"].tolist()
    samples = results.rows("components", dataset=dataset)
    tested = rows[rows["check"] == "confounder"]
    coloured = {"class": samples["class"].tolist()}
    for name in tested["subject"]:  # the strongest first; the table has a few
        cells = samples.get(f"phenotype.{name}", pd.Series(dtype=object)).fillna("")
        if (cells != "").any():
            coloured[name] = [text or "unknown" for text in cells]
    labels = tuple(f"component {i} ({shares[i - 1]:.0%})" for i in (1, 2))
    names = samples["sample"].where(samples["outlying"].astype(bool), "").tolist()
    scores = samples[["component_1", "component_2"]].to_numpy()
    classifier = results.tables["headline"]["classifier"].iloc[0]
    figures = []
    for i, (name, groups) in enumerate(coloured.items()):
        arguments = {"scores": scores, "groups": groups, "names": names, "axes_labels": labels}
        alt = f"Samples by their first two principal components, coloured by {name}."
        number = f"-{i}" if i else ""
        extra = {}
        if not i:  # one chart has all columns
            extra = {"samples": samples["sample"].tolist(), "columns": _columns(samples, coloured)}
            extra["place"] = _place_of_evidence(results, dataset, classifier)
        figure = Figure(
            f"components-{dataset}{number}",
            draw_components,
            arguments,
            f"By {name}." if i else "",
            alt,
            extra=extra,
        )
        figures.append(figure)
    sources = results.tables.sources("components", "audit")
    first = [figures[0], *_probabilities(results, dataset, classifier)]
    blocks: list[Block] = [Gallery(first, _PICTURE, sources)]
    if len(figures) > 1:
        blocks.append(Group("Coloured by other columns", [Gallery(figures[1:], "", sources)]))
    if tested.empty:
        blocks.append(Prose(_UNKNOWN, "warning"))
    else:
        columns = ["subject", "value", "p", "p_holm", "genes", "genes_adjusted", "severity"]
        blocks.append(results.tables.show("audit", _TESTED, columns, tested))
    within = results.rows("concordance", dataset=dataset)
    if len(within):
        columns = [name for name in within if name not in ("dataset", "permutations")]
        blocks.append(results.tables.show("concordance", _WITHIN, columns, within))
    pairs = results.rows("concordance_pairs", dataset=dataset)
    if pairs[["class", "other"]].drop_duplicates().shape[0] > 1:
        columns = [name for name in pairs if name not in ("dataset", "permutations")]
        blocks.append(results.tables.show("concordance_pairs", _WITHIN_PAIRS, columns, pairs))
    return blocks
