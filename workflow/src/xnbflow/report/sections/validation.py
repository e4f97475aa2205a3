"""A second cohort: how models of one do on another, and whether their signatures held."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.data.contract import Column
from xnbflow.data.counts import counted
from xnbflow.data.study import Validation
from xnbflow.report.drawings.densities import draw_cohorts
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.accuracy import calibration_figure, confusion_figure

__all__ = ["section", "verdicts_in_words"]

_PAIR = ["model", "train", "test", "match", "harmonise"]


def section(results: StudyResults) -> Section | None:
    """Return what models are worth in a second cohort; None where the study tests none."""
    if not results.study.validate:
        return None
    verdicts = results.validation["verdicts"]
    blocks: list[Block] = [
        Prose(verdicts_in_words(results), "headline"),
        _overview(results),
        Prose(f"What that means: {verdicts['rule'].iloc[0]}."),
        Prose(_HOW_TO_READ),
    ]
    for i, pair in enumerate(results.study.validate):
        number = f"cohorts-{i + 1:02d}"
        content = list(_pair(results, pair, number))
        blocks.append(Group(_title(results, pair), content, _note(results, pair), opened=i == 0))
    return Section(
        "validation",
        "A second cohort",
        "Models trained on one series and tested on another, of which they have seen nothing.",
        blocks,
    )


def verdicts_in_words(results: StudyResults) -> str:
    """Return how many models held in a second cohort; empty where the study tests none."""
    if not results.study.validate:
        return ""
    verdicts = results.validation["verdicts"]["verdict"]
    counts = verdicts.value_counts()
    parts = [f"{counts[key]} {words}" for key, words in _VERDICTS.items() if key in counts]
    return f"In a second cohort, of {counted(len(verdicts), 'model')}: {', '.join(parts)}."


_VERDICTS = {
    "held": "held",
    "held in part": "held in part",
    "did not hold": "did not hold",
    "cannot tell": "cannot be judged",
    "labels look exchanged": "seems to have exchanged labels",
    "shares samples": "shares samples with its training cohort, so that there is no verdict",
}


def _note(results: StudyResults, pair: Validation) -> str:
    verdict = _rows(results, pair, "verdicts")["verdict"].iloc[0]
    test = _rows(results, pair, "accuracy").set_index("cohort").loc["test"]
    return f"{_VERDICTS[verdict]}: {test['right']:.0f} of {test['n']:.0f} right"


_HOW_TO_READ = (
    "Intervals are 95 % (Jeffreys) and count samples, or groups where samples have them; with so "
    "few samples as many second cohorts have, they are wide. If several models, matches and "
    "harmonisations are tried on one test cohort, the best of them is flattered: choose before "
    "you look."
)


def _title(results: StudyResults, pair: Validation) -> str:
    how = [f"by {pair.match}"] * (pair.match != "feature")
    how += [pair.harmonise] * (pair.harmonise != "none")
    rest = f" ({', '.join(how)})" if how else ""
    return f"{results.labels[pair.model]}: {pair.train} → {pair.test}{rest}"


def _rows(results: StudyResults, pair: Validation, table: str) -> pd.DataFrame:
    key = {name: getattr(pair, name) for name in _PAIR}
    return results.validation.rows(table, **key).drop(columns=_PAIR)


def _overview(results: StudyResults) -> Table:
    rows = results.validation["accuracy"].merge(results.validation["verdicts"], on=_PAIR)
    own = rows[rows["cohort"] == "train"].set_index(_PAIR)["value"].rename("cross-validated")
    frame = rows[rows["cohort"] == "test"].join(own, on=_PAIR)
    ends = zip(frame["lower"], frame["upper"], strict=True)
    frame["interval"] = [f"{100 * lower:.0f} to {100 * upper:.0f}%" for lower, upper in ends]
    frame["match"] = frame["match"].where(frame["match"] != "feature")  # the default is not shown
    caption = (
        "Accuracy in the test cohort with its 95 % interval, the share of its largest class, the "
        "mean predicted probability of the classes that the model names (above the accuracy means "
        "overconfident), and the accuracy of the same model in cross-validation on its own cohort, "
        "with the features that both have and up to ten folds."
    )
    columns = ["model", "verdict", "train", "test", "match", "harmonise", "n", "value", "interval"]
    columns += ["majority", "claimed", "cross-validated"]
    return results.validation.show(
        ["accuracy", "verdicts"],
        caption,
        [name for name in columns if frame[name].notna().any()],
        frame,
        own={
            "interval": Column("text", "of the accuracy", "95 % interval"),
            "cross-validated": ".0%",
        },
    )


def _pair(results: StudyResults, pair: Validation, number: str) -> Iterator[Block]:
    verdict = _rows(results, pair, "verdicts").iloc[0]
    yield Prose(verdict["sentence"], "headline")
    if verdict["notes"]:
        yield Prose(verdict["notes"], "warning")
    yield _recall(results, pair)
    figures = [_confusion(_rows(results, pair, "confusion"), number)]
    calibration = _rows(results, pair, "calibration")
    if len(calibration):
        known = {results.labels[pair.model]: calibration[calibration["count"] > 0]}
        alt = "How often predicted probabilities came true in the test cohort."
        figures.append(calibration_figure(f"{number}-calibration", known, alt))
    caption = "How often a sample of one class was taken for another in the test cohort."
    tables = results.validation
    yield Gallery(figures, caption, tables.sources("confusion", "calibration"))
    densities = _rows(results, pair, "densities")
    if len(densities):
        figures = list(_densities(densities, number))
        yield Gallery(figures, _DENSITIES, tables.sources("densities"))
    signatures = _rows(results, pair, "signatures")
    if len(signatures):
        yield _agreement(results, signatures)
    predictions = _rows(results, pair, "predictions").dropna(axis=1, how="all")
    table = tables.show(
        "predictions",
        "What each sample of the test cohort was taken for, and the share of held-out training "
        "samples that are less typical than it; below 1 % it is unlike the training samples.",
        rows=predictions,
    )
    yield Group("Samples", [table])


_DENSITIES = (
    "The signature’s first features as the classifier sees them: filled in the training cohort, "
    "dashed in the test cohort, a colour per class. Where dashed and filled lie apart, the "
    "cohorts are not on one scale, or the feature does not separate the class there."
)


def _recall(results: StudyResults, pair: Validation) -> Table:
    rows = _rows(results, pair, "recall")
    cohorts = {"train": f"{pair.train}, cross-validated", "test": pair.test}
    rows = rows.assign(cohort=rows["cohort"].map(cohorts))
    caption = "How many samples of each class were recognised, with the 95 % interval."
    return results.validation.show("recall", caption, rows=rows)


def _confusion(rows: pd.DataFrame, number: str) -> Figure:
    classes = rows["true"].drop_duplicates().tolist()
    wide = rows.pivot(index="true", columns="predicted", values="count")
    counts = wide.loc[classes, classes].to_numpy()
    sums = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, sums, out=np.zeros(counts.shape), where=sums > 0)
    alt = f"Confusion of {len(classes)} classes in the test cohort."
    return confusion_figure(f"{number}-confusion", "Test cohort", classes, counts, shares, alt)


def _densities(densities: pd.DataFrame, number: str) -> Iterator[Figure]:
    for i, (feature, rows) in enumerate(densities.groupby("feature", sort=False), start=1):
        symbol = rows["symbol"].iloc[0]
        name = f"{symbol} ({feature})" if symbol and symbol != feature else feature
        curves = {}
        for label, group in rows.groupby("class", sort=True):
            own = dict(iter(group.groupby("cohort")["density"]))
            curves[label] = [own[c].to_numpy() if c in own else None for c in ("train", "test")]
        grid = np.unique(rows["x"])
        alt = f"Densities of {name} in {len(curves)} classes, in both cohorts."
        arguments = {"feature": name, "grid": grid, "curves": curves}
        yield Figure(f"{number}-density-{i:02d}", draw_cohorts, arguments, "", alt)


def _agreement(results: StudyResults, signatures: pd.DataFrame) -> Table:
    rho = signatures["rank_correlation"].iloc[0]
    caption = (
        "The signature beside the one that the test cohort itself would give: features in both, "
        "how many chance would give, and the p-value of at least so many (hypergeometric). Over "
        f"all features the distances of the classes in the two cohorts correlate with {rho:.2f} "
        "(Spearman)."
    )
    rows = signatures.drop(columns="rank_correlation")
    return results.validation.show("signatures", caption, rows=rows)
