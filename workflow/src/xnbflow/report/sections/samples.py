"""Samples: which are misclassified by whom, and which features decided."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.report.page.blocks import Block, Evidence, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.tables.contract import Column

__all__ = ["contributions", "section"]

#: Rows of the table of a data set.
MOST_SAMPLES = 150


def section(results: StudyResults) -> Section | None:
    """Return the samples that are hard, and why; None where no classifier could be fitted."""
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
    blocks.append(results.tables.show("hard_samples", _HARD, shown, own=own))
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
_HARD = "Samples by how many classifiers get them wrong in more than half of the repeats."


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
    """Return which wrong classes were predicted, of how many tests; empty where it was right.

    Examples
    --------
    >>> _cell("AML 7, B-ALL 3", 10), _cell("AML 1", 1)
    ('AML 7, B-ALL 3 of 10', 'AML')
    """
    if not mistakes or tested == 1:
        return mistakes.removesuffix(" 1")
    return f"{mistakes} of {tested}"


#: Numbers of one classifier on one data set; beyond that samples that are right are left out.
MOST_NUMBERS = 60_000


def contributions(
    results: StudyResults, dataset: str, folds: str, classifier: str
) -> dict[str, Any] | None:
    """Return the evidence of the selected features for each tested sample of the first repeat.

    It is None where the classifier does not explain, or has no densities of single features.
    Otherwise it has ``name``, ``classes`` and ``features`` (lists of str), ``fits`` (per fold
    ``prior``, per class its log prior with the calibration's intercept, and ``sets``, per class the
    numbers of its features), ``samples`` (per sample its name, the numbers of its true and
    predicted class and of its fit; the evidence, class after class in the order of ``sets``; and
    per class the sum of its features' log reference densities; null is minus infinity) and
    ``left_out`` (number of samples). The score of a class is the sum of the three.
    """
    where = {"dataset": dataset, "folds": folds, "classifier": classifier}
    rows = results.rows("evidence", **where).dropna(subset=["evidence"])
    if rows.empty:
        return None
    predictions = results.training(dataset, folds, classifier, "predictions", repeat=0)
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    features = {name: i for i, name in enumerate(rows["feature"].unique())}
    rows = rows.assign(code=pd.Categorical(rows["class"], categories=classes).codes)
    rows = rows.sort_values("code", kind="stable")
    # Where there is no room for all samples, the misclassified ones come first.
    right = (predictions["true"] == predictions["predicted"]).to_numpy()
    room = int(MOST_NUMBERS / max(1.0, len(rows) / len(predictions)))
    kept = set(predictions["sample"].iloc[np.argsort(right, kind="stable")[:room]])
    priors = results.rows("priors", **where)
    scores = results.rows("scores", **where).set_index(["sample", "class"])["log_reference"]
    wide = scores.unstack().reindex(columns=classes).fillna(0.0)
    references = dict(zip(wide.index, wide.to_numpy(), strict=True))
    fits, samples = [], []
    for fold, tested in predictions.groupby("fold", sort=True):
        mine = rows[rows["fold"] == fold]
        # Every sample has the same features in a fold.
        first = mine[mine["sample"].isin(mine["sample"].head(1))]
        numbers, codes = first["feature"].map(features).to_numpy(), first["code"].to_numpy()
        sets = [numbers[codes == i].tolist() for i in range(len(classes))]
        prior = priors[priors["fold"] == fold].set_index("class")["log_offset"].reindex(classes)
        fits.append({"prior": _short(prior), "sets": sets})
        values = mine["evidence"].to_numpy()
        evidence = {name: values[at] for name, at in mine.groupby("sample").indices.items()}
        for row in tested[tested["sample"].isin(kept)].itertuples():
            place = [classes.index(row.true), classes.index(row.predicted), len(fits) - 1]
            known = row.sample in evidence
            terms = (evidence[row.sample], references[row.sample]) if known else ([], [])
            samples.append([row.sample, *place, *map(_short, terms)])
    return {
        "name": f"{results.place(dataset, folds)}: {results.labels[classifier]}",
        "classes": classes,
        "features": list(features),
        "fits": fits,
        "samples": samples,
        "left_out": len(predictions) - len(samples),
    }


def _short(values: Iterable[float]) -> list[float | None]:
    """Return numbers with two decimals, from 100 on one; None for what JSON does not have."""
    return [
        round(value, 2 if abs(value) < 100 else 1) if math.isfinite(value) else None
        for value in map(float, values)
    ]
