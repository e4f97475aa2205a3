"""Samples: which are misclassified by whom, and which features decided."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.report.drawings.rows import draw_shares
from xnbflow.report.page.blocks import Block, Evidence, Figure, Group, Prose, Section
from xnbflow.report.results import StudyResults

__all__ = ["contributions", "section"]

#: Rows of the table of a data set.
MOST_SAMPLES = 150

_UNTESTED = "not tested"
#: What the explanation of single samples shows.
_EVIDENCE = ("evidence", "scores", "priors")


def section(results: StudyResults) -> Section | None:
    """Return the samples that are hard, and why; None where no classifier could be fitted."""
    samples = results.tables["samples"]
    if samples.empty:
        return None
    places = list(results.places)
    models = [
        model
        for place in places
        for name in results.study.classifiers
        if (model := contributions(results, *place, name)) is not None
    ]
    blocks: list[Block] = []
    if models:
        blocks.append(Evidence(models, _HOW_TO_READ, results.tables.sources(*_EVIDENCE)))
    blocks.append(_hard_samples(results))
    for place in places:
        mine = samples[(samples["dataset"] == place[0]) & (samples["folds"] == place[1])]
        blocks.append(_misclassified(results, place, mine))
    return Section(
        "samples",
        "Samples",
        "Samples that a classifier gets wrong although it recognises their class may be "
        "mislabelled or unlike their class; look at what their features say.",
        blocks,
    )


_HOW_TO_READ = (
    "Choose a sample. A bar to the right is evidence for the class, to the left against it, in "
    "nats: 0 says nothing, 0.7 doubles the odds, 2.3 makes them ten times as high. It compares how "
    "probable the value is in this class with the reference, how probable it is in the training "
    "samples of all classes together. The axis is the same for all classes; arrows mark bars that "
    "are cut. The class with the greatest score is predicted: its log prior (with the intercept, "
    "where the classifier is calibrated class by class) and the evidence of its features; where a "
    "classifier compares densities, as XNB does, their reference density counts too, although it "
    "says nothing of the class and depends on the units of measurement. "
    "The sample was not in the training samples; of repeated cross-validation the first repeat is "
    "shown."
)


def _hard_samples(results: StudyResults) -> Figure:
    """Return how many classifiers get a sample wrong more often than right."""
    table = results.tables["hard_samples"]
    n_classifiers = len(results.study.classifiers)
    wide = table.set_index(["dataset", "folds", "classifiers"])["share"].unstack()
    wide = wide.reindex(columns=range(n_classifiers + 1)).fillna(0.0)
    rows = [place for place in results.places if place in wide.index]
    shares = wide.loc[rows].to_numpy()
    parts = ["by none", *(f"by {n}" for n in range(1, n_classifiers)), "by all"]
    return Figure(
        "hard-samples",
        draw_shares,
        {
            "rows": [results.places[row] for row in rows],
            "parts": parts[: n_classifiers + 1] if n_classifiers > 1 else ["right", "wrong"],
            "shares": shares,
            "xlabel": "per cent of samples, wrong by so many",
        },
        "Samples by the number of classifiers that get them wrong (in more than half of the "
        "repeats). The darkest part is what every classifier of this study gets wrong.",
        "Stacked bars per data set: share of samples that none, some or all classifiers get wrong.",
        results.tables.sources("hard_samples"),
    )


def _misclassified(results: StudyResults, place: tuple[str, str], samples: pd.DataFrame) -> Block:
    """Return the samples of a data set that at least one classifier got wrong."""
    title = results.places[place]
    bad = results.rows("misclassified", dataset=place[0], folds=place[1])
    if samples.empty:
        return Group(title, [Prose("No classifier could be fitted.")], "not tested")
    if bad.empty:
        return Group(title, [Prose("Every classifier is right on every sample.")], "no mistake")
    cells = samples.assign(cell=[_cell(*row) for row in samples[["mistakes", "tested"]].values])
    wide = cells.pivot(index=["sample", "true"], columns="classifier", values="cell")
    first = bad.head(MOST_SAMPLES)
    wide = wide.loc[pd.MultiIndex.from_frame(first[["sample", "true"]])]
    wide = wide.reindex(columns=list(results.study.classifiers)).astype(object).fillna(_UNTESTED)
    wide.insert(0, "wrong_by", first["wrong_by"].to_numpy())
    frame = wide.rename(columns=results.labels).reset_index()
    rest = len(bad) - len(frame)
    left_out = f" {rest:,} more are in misclassified.tsv." if rest else ""
    caption = (
        "Samples that at least one classifier got wrong, those wrong by most first, with what each "
        "of them took the sample for; empty where it was right, not tested where it could not be "
        "fitted. With repeats: in how many of them; “wrong by” counts the classifiers that are "
        "wrong in more than half of them."
        f"{left_out}"
    )
    table = results.tables.show(["misclassified", "samples"], caption, rows=frame)
    return Group(title, [table], f"{counted(len(bad), 'sample')} that some classifier got wrong")


def _cell(mistakes: str, tested: int) -> str:
    """Return what a sample was taken for: its wrong classes and how often, of how many tests.

    Nothing where it was always right.

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
    """Return what the selected features said of each tested sample, from the table ``evidence``.

    Of repeated cross-validation the first repeat is taken.

    Returns
    -------
    dict or None
        None where the classifier does not explain, or has no densities of single features.
        Otherwise ``name``, ``classes`` and ``features`` (lists of str), ``fits`` (per fold
        ``prior``, per class its log prior with the calibration's intercept, and ``sets``, per class
        the numbers of its features), ``samples`` (per sample its name, the numbers of its true and
        predicted class and of its fit; the evidence, class after class in the order of ``sets``;
        and per class the sum of its features' log reference densities; null stands for minus
        infinity) and ``left_out`` (number
        of samples). The score of a class is its log prior, its evidence and its reference.
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
    kept = _most_telling(predictions, len(rows) / len(predictions))
    priors = results.rows("priors", **where)
    scores = results.rows("scores", **where).set_index(["sample", "class"])["log_reference"]
    references = scores.unstack().reindex(columns=classes).fillna(0.0)
    fits, samples = [], []
    for fold, tested in predictions.groupby("fold", sort=True):
        mine = rows[rows["fold"] == fold]
        # Every sample has the same features in a fold.
        first = mine[mine["sample"].isin(mine["sample"].head(1))]
        named = [first.loc[first["code"] == code, "feature"] for code in range(len(classes))]
        prior = priors[priors["fold"] == fold].set_index("class")["log_offset"].reindex(classes)
        sets = [names.map(features).tolist() for names in named]
        fits.append({"prior": _short(prior), "sets": sets})
        evidence = dict(iter(mine.groupby("sample")["evidence"]))
        for sample, true, predicted in tested[["sample", "true", "predicted"]].itertuples(False):
            if sample in kept:
                codes = [classes.index(true), classes.index(predicted), len(fits) - 1]
                reference = references.loc[sample] if sample in evidence else []
                numbers = [_short(evidence.get(sample, [])), _short(reference)]
                samples.append([sample, *codes, *numbers])
    return {
        "name": f"{results.place(dataset, folds)}: {results.labels[classifier]}",
        "classes": classes,
        "features": list(features),
        "fits": fits,
        "samples": samples,
        "left_out": len(predictions) - len(samples),
    }


def _most_telling(predictions: pd.DataFrame, numbers_per_sample: float) -> set[str]:
    """Return the samples that there is room for, misclassified ones first."""
    room = int(MOST_NUMBERS / max(1.0, numbers_per_sample))
    right = (predictions["true"] == predictions["predicted"]).to_numpy()
    order = np.argsort(right, kind="stable")[:room]
    return set(predictions["sample"].iloc[order])


def _short(values: Iterable[float]) -> list[float | None]:
    """Return numbers with two decimals, four digits; None for what JSON does not have."""
    return [
        round(float(value), 2 if abs(value) < 100 else 1) if math.isfinite(value) else None
        for value in values
    ]
