"""Misclassified samples, and the evidence of features in each sample."""

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.report.page.blocks import Block, Evidence, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.tables.contract import Column

#: Rows of the table of a data set.
MOST_SAMPLES = 150


def section(results: StudyResults) -> Section | None:
    """Return hard samples and their evidence; None if no classifier could be fitted."""
    if results.tables["samples"].empty:
        return None
    chosen = results.tables["headline"]["classifier"].iloc[0]
    models = [
        model
        for place in results.places
        for name in sorted(results.study.classifiers, key=chosen.__ne__)
        if (model := contributions(results, *place, name)) is not None
    ]
    blocks: list[Block] = []
    if models:
        files = results.tables.sources("evidence", "scores", "priors")
        blocks.append(Evidence(models, _HOW_TO_READ, files))
    shown, own = ["dataset", "classifiers", "samples", "share"], {"classifiers": _WRONG_BY}
    table = results.tables.show("hard_samples", _HARD, shown, own=own)
    blocks.append(Group("Numbers of hard samples", [table], "by the classifiers that are wrong"))
    blocks += [_misclassified(results, *place) for place in results.places]
    return Section(
        "samples",
        "Samples",
        "Samples that a classifier gets wrong although it recognises their class may be "
        "mislabelled or unlike their class.",
        blocks,
    )


_HOW_TO_READ = (
    "A bar to the right is evidence for the class, to the left against it, in nats: 0.7 doubles "
    "the odds, 2.3 makes them ten times as high. Evidence compares the density of the value in the "
    "class with the reference, that in all training samples; arrows mark bars that are cut. The "
    "class with the greatest score is predicted: log prior (with the calibration intercept) plus "
    "evidence plus, where a classifier compares densities, their reference. Each sample was "
    "outside the training samples; of repeated cross-validation the first repeat is shown."
)


_WRONG_BY = Column("integer", "classifiers", "wrong by")
_HARD = "How many samples 0, 1, ... classifiers get wrong in more than half of the repeats."


def _misclassified(results: StudyResults, dataset: str, folds: str) -> Block:
    """Return the samples of a data set that at least one classifier got wrong."""
    where, title = {"dataset": dataset, "folds": folds}, results.place(dataset, folds)
    samples, bad = results.rows("samples", **where), results.rows("misclassified", **where)
    if samples.empty:
        return Group(title, [Prose("No classifier could be fitted.")], "not tested")
    if bad.empty:
        return Group(title, [Prose("Every classifier is right on every sample.")], "no mistake")
    key = ["sample", "true"]
    wrong = zip(samples["mistakes"], samples["tested"], strict=True)
    cells = samples.assign(cell=[_cell(mistakes, tested) for mistakes, tested in wrong])
    wide = cells.pivot(index=key, columns="classifier", values="cell")
    wide = wide.reindex(columns=list(results.study.classifiers)).astype(object).fillna("not tested")
    frame = bad.head(MOST_SAMPLES)[[*key, "wrong_by"]].join(wide, on=key)
    rest = len(bad) - len(frame)
    left_out = f" {rest:,} more are in misclassified.tsv." if rest else ""
    caption = (
        "Samples that a classifier got wrong, with the class that each predicted (of repeats: in "
        f"how many); empty where it was right.{left_out}"
    )
    frame = frame.rename(columns=results.labels)
    table = results.tables.show(["misclassified", "samples"], caption, rows=frame)
    return Group(title, [table], f"{counted(len(bad), 'sample')} that some classifier got wrong")


def _cell(mistakes: str, tested: int) -> str:
    """Return the wrong predicted classes with the number of tests; empty if all were right.

    Examples
    --------
    >>> _cell("AML 7, B-ALL 3", 10), _cell("AML 1", 1)
    ('AML 7, B-ALL 3 of 10', 'AML')
    """
    if not mistakes or tested == 1:
        return mistakes.removesuffix(" 1")
    return f"{mistakes} of {tested}"


#: Most numbers of one classifier on one data set; beyond that correct samples are left out.
MOST_NUMBERS = 60_000
#: Features of a class that are drawn, and those of each of many classes.
SHOWN_FEATURES, SHOWN_OF_MANY, MANY_CLASSES = 12, 6, 5


def contributions(
    results: StudyResults, dataset: str, folds: str, classifier: str
) -> dict[str, Any] | None:
    """Return the strongest evidence for each tested sample of the first repeat.

    It is None where the classifier does not explain, or has no densities of single features.
    Otherwise it has ``name``, ``classes`` and ``features`` (lists of str), ``left_out`` (number of
    samples) and ``samples``: for each its name, the numbers of its true and predicted class, and a
    list per class. That has the log prior with the calibration's intercept, the evidence, the log
    reference density and the sum of the three, the probability (of ``predictions.parquet``), the
    number of features that are not drawn and their evidence, and the drawn features: each one's
    number and evidence, the strongest first. Sums are of the values of the tables and are rounded
    afterwards; null is minus infinity.
    """
    where = {"dataset": dataset, "folds": folds, "classifier": classifier}
    rows = results.rows("evidence", **where)
    unknown = rows.loc[rows["evidence"].isna(), "sample"]
    rows = rows[~rows["sample"].isin(unknown)]
    if rows.empty:
        return None
    predictions = results.training(dataset, folds, classifier, "predictions", repeat=0)
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    key = ["sample", "class"]
    rows = rows.iloc[(-rows["evidence"].abs()).argsort(kind="stable")]
    most = SHOWN_OF_MANY if len(classes) > MANY_CLASSES else SHOWN_FEATURES
    drawn = rows.groupby(key, sort=False).cumcount() < most
    others = rows[~drawn].groupby(key)["evidence"].agg(["size", "sum"])
    # Where there is no room for all samples, the misclassified ones come first.
    known = predictions[~predictions["sample"].isin(unknown)]
    right = (known["true"] == known["predicted"]).to_numpy()
    room = int(MOST_NUMBERS / max(1.0, 2 * drawn.sum() / len(known) + 7 * len(classes)))
    kept = known.iloc[np.sort(np.argsort(right, kind="stable")[:room])]
    shown = rows[drawn & rows["sample"].isin(kept["sample"])]
    features = {name: i for i, name in enumerate(shown["feature"].unique())}
    terms: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for sample, label, name, value in shown[[*key, "feature", "evidence"]].itertuples(index=False):
        terms[sample, label].append([features[name], _short(value)])
    sums = kept.merge(pd.DataFrame({"class": classes}), how="cross")
    sums = sums.merge(results.rows("priors", **where)[["fold", "class", "log_offset"]], how="left")
    scores = results.rows("scores", **where)[[*key, "evidence", "log_reference"]]
    # Where nothing was selected for a class the sums are 0.
    sums = sums.merge(scores, how="left").merge(others.reset_index(), how="left").fillna(0.0)
    lists: dict[str, list[list[Any]]] = {}
    for row in sums.to_dict("records"):
        name, label = row["sample"], row["class"]
        parts = [row["log_offset"], row["evidence"], row["log_reference"]]
        probability = float(f"{np.exp(row[f'log_posterior.{label}']):.6g}")
        rest = [int(row["size"]), _short(row["sum"]), terms.get((name, label), [])]
        own = [*map(_short, [*parts, sum(parts)]), probability, *rest]
        lists.setdefault(name, []).append(own)
    samples = [
        [row.sample, classes.index(row.true), classes.index(row.predicted), lists[row.sample]]
        for row in kept.itertuples()
    ]
    return {
        "name": f"{results.place(dataset, folds)}: {results.labels[classifier]}",
        "classes": classes,
        "features": list(features),
        "samples": samples,
        "left_out": len(predictions) - len(samples),
    }


def _short(value: float) -> float | None:
    """Return a number with two decimals; None for minus infinity, which JSON does not have."""
    return round(float(value), 2) if math.isfinite(value) else None
