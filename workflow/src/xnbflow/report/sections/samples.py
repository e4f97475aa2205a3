"""Misclassified samples, and the evidence of features in each sample."""

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.report.page.blocks import Block, Evidence, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of
from xnbflow.tables.contract import Column

_TEXTS = texts_of("samples")
#: Rows of the table of a data set.
MOST_SAMPLES = 150
#: Most numbers of one classifier on one data set; beyond that correct samples are left out.
_MOST_NUMBERS = 60_000
#: Features of a class that are drawn, and those of each of many classes.
SHOWN_FEATURES = 12
SHOWN_OF_MANY = 6
MANY_CLASSES = 5
#: Numbers of a drawn feature, and further numbers of a class, in the evidence of a sample.
_NUMBERS_OF_FEATURE = 2
_NUMBERS_OF_CLASS = 7
_SAMPLE_AND_CLASS = ["sample", "class"]
_HARD_COLUMNS = {
    "classifiers": Column("integer", "wrong ones", label="wrong by"),
    "samples": Column("integer"),
    "share": Column("number", "of the samples tested"),
}
#: Declared for the table of misclassified samples.
_WRONG_BY = Column("integer", "classifiers wrong in most repeats")


def section(results: StudyResults) -> Section | None:
    """Return hard samples and their evidence; None if no classifier could be fitted."""
    if results.tables["samples"].empty:
        return None
    chosen = results.tables["headline"]["classifier"].iloc[0]
    chosen_first = sorted(results.study.classifiers, key=lambda name: name != chosen)
    explanations = [
        contributions(results, *evaluation, name)
        for evaluation in results.evaluations
        for name in chosen_first
    ]
    models = [model for model in explanations if model is not None]
    blocks: list[Block] = []
    if models:
        files = results.tables.sources("evidence", "scores")
        blocks.append(Evidence(models, _TEXTS["how_to_read"], files))
    table = results.tables.show(
        "samples",
        _TEXTS["hard"],
        ["dataset", "classifiers", "samples", "share"],
        hard_samples(results.tables["samples"]),
        declarations=_HARD_COLUMNS,
    )
    blocks.append(Group("Numbers of hard samples", [table], "by the classifiers that are wrong"))
    blocks += [_misclassified_block(results, *evaluation) for evaluation in results.evaluations]
    return Section("samples", "Samples", _TEXTS["lead"], blocks)


def _misclassified_block(results: StudyResults, dataset: str, folds: str) -> Block:
    """Return the samples of a data set that at least one classifier got wrong."""
    evaluation = {"dataset": dataset, "folds": folds}
    title = results.with_folds(dataset, folds)
    samples = results.rows("samples", **evaluation)
    if samples.empty:
        return Group(title, [Prose("No classifier could be fitted.")], "not tested")
    misclassified = misclassified_samples(samples)
    if misclassified.empty:
        return Group(title, [Prose("Every classifier is right on every sample.")], "no mistake")
    key = ["sample", "true"]
    samples = samples.assign(cell=list(map(_cell, samples["mistakes"], samples["tested"])))
    cells = samples.pivot(index=key, columns="classifier", values="cell")
    cells = cells.reindex(columns=list(results.study.classifiers))
    cells = cells.astype(object).fillna("not tested")
    rows = misclassified.head(MOST_SAMPLES)[[*key, "wrong_by"]].join(cells, on=key)
    n_others = len(misclassified) - len(rows)
    more = f" {n_others:,} more are in samples.tsv." if n_others else ""
    table = results.tables.show(
        "samples",
        f"{_TEXTS['misclassified']}{more}",
        rows=rows.rename(columns=results.labels),
        declarations={"wrong_by": _WRONG_BY},
    )
    n_samples = counted(len(misclassified), "sample")
    return Group(title, [table], f"{n_samples} that some classifier got wrong")


def hard_samples(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of samples by the number of classifiers that are mostly wrong on them.

    ``samples`` is the table of the study.
    """
    place = ["dataset", "folds"]
    wrong = _mostly_wrong(samples).groupby([*place, "sample"], sort=False)["mostly"].sum()
    counts = wrong.rename("classifiers").reset_index().groupby([*place, "classifiers"]).size()
    table = counts.reset_index(name="samples")
    share = table["samples"] / table.groupby(place)["samples"].transform("sum")
    return table.assign(share=share.astype(float))


def _mostly_wrong(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``mostly``: whether a classifier is wrong in more than half of the repeats."""
    return samples.assign(mostly=2 * samples["wrong"] > samples["tested"])


def misclassified_samples(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that at least one classifier gets wrong at least once.

    ``samples`` are rows of the table of one data set and scheme of folds. Those wrong by most
    classifiers come first, then those that are wrong most often.
    """
    groups = _mostly_wrong(samples).groupby(["sample", "true"], sort=False)
    sums = groups[["mostly", "wrong", "tested"]].sum().astype(int).reset_index()
    sums = sums[sums["wrong"] > 0].rename(columns={"mostly": "wrong_by"})
    return sums.sort_values(
        ["wrong_by", "wrong"], ascending=False, kind="stable", ignore_index=True
    )


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
    # The evidence of each feature, the strongest first, of samples without missing evidence.
    evaluation = {"dataset": dataset, "folds": folds, "classifier": classifier}
    evidence = results.rows("evidence", **evaluation)[[*_SAMPLE_AND_CLASS, "feature", "evidence"]]
    unexplained = evidence.loc[evidence["evidence"].isna(), "sample"]
    if len(unexplained):
        evidence = evidence[~evidence["sample"].isin(unexplained)]
    if evidence.empty:
        return None
    evidence = evidence.iloc[(-evidence["evidence"].abs()).argsort(kind="stable")]

    # The first features of each sample and class are drawn; the others are summed.
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    most = SHOWN_OF_MANY if len(classes) > MANY_CLASSES else SHOWN_FEATURES
    is_drawn = evidence.groupby(_SAMPLE_AND_CLASS, sort=False).cumcount() < most

    # The samples that there is room for, in their order; misclassified ones come first.
    predictions = results.training(**evaluation, table="predictions", repeat=0)
    explained = predictions[~predictions["sample"].isin(unexplained)]
    terms_of_sample = _NUMBERS_OF_FEATURE * int(is_drawn.sum()) / len(explained)
    numbers_of_sample = max(1.0, terms_of_sample + _NUMBERS_OF_CLASS * len(classes))
    room = int(_MOST_NUMBERS / numbers_of_sample)
    is_right = (explained["true"] == explained["predicted"]).to_numpy()
    first = np.argsort(is_right, kind="stable")[:room]
    shown = explained.iloc[np.sort(first)]

    # The numbers of features and their evidence, by sample and class.
    drawn = evidence[is_drawn & evidence["sample"].isin(shown["sample"])]
    number_of_feature = {name: number for number, name in enumerate(drawn["feature"].unique())}
    terms: dict[tuple[str, str], list[list[Any]]] = defaultdict(list)
    for sample, label, feature, number in drawn.itertuples(index=False):
        terms[sample, label].append([number_of_feature[feature], _round(number)])
    sums = _sums(results, evaluation, shown, classes, others=evidence[~is_drawn])
    terms_by_sample = _terms_by_sample(sums, terms)

    samples = []
    for row in shown.itertuples():
        true = classes.index(row.true)
        predicted = classes.index(row.predicted)
        samples.append([row.sample, true, predicted, terms_by_sample[row.sample]])
    return {
        "name": f"{results.with_folds(dataset, folds)}: {results.labels[classifier]}",
        "classes": classes,
        "features": list(number_of_feature),
        "samples": samples,
        "left_out": len(predictions) - len(samples),
    }


def _sums(
    results: StudyResults,
    evaluation: dict[str, str],
    predictions: pd.DataFrame,
    classes: list[str],
    *,
    others: pd.DataFrame,
) -> pd.DataFrame:
    """Return the sums of each sample and class: offset, evidence, reference, and ``others``.

    ``others`` are the rows of evidence that are not drawn: ``size`` is their number, ``sum`` their
    evidence. Where nothing was selected for a class the sums are 0.
    """
    columns = [*_SAMPLE_AND_CLASS, "log_offset", "evidence", "log_reference"]
    scores = results.rows("scores", **evaluation)[columns]
    rest = others.groupby(_SAMPLE_AND_CLASS)["evidence"].agg(["size", "sum"]).reset_index()
    sums = predictions.merge(pd.DataFrame({"class": classes}), how="cross")
    return sums.merge(scores, how="left").merge(rest, how="left").fillna(0.0)


def _terms_by_sample(
    sums: pd.DataFrame, terms: dict[tuple[str, str], list[list[Any]]]
) -> dict[str, list[list[Any]]]:
    """Return the list of each class by sample, as `contributions` describes it."""
    lists: dict[str, list[list[Any]]] = defaultdict(list)
    for row in sums.to_dict("records"):
        sample = row["sample"]
        label = row["class"]
        # Log offset (prior and calibration), evidence of the features and log reference add up to
        # the log posterior, from which the probability is shown with six digits.
        parts = [row["log_offset"], row["evidence"], row["log_reference"]]
        probability = float(f"{np.exp(row[f'log_posterior.{label}']):.6g}")
        lists[sample].append(
            [
                *map(_round, parts),
                _round(sum(parts)),
                probability,
                int(row["size"]),
                _round(row["sum"]),
                terms.get((sample, label), []),
            ]
        )
    return lists


def _round(value: float) -> float | None:
    """Return a number with two decimals; None for minus infinity, which JSON does not have."""
    return round(float(value), 2) if math.isfinite(value) else None
