"""Second cohorts: performance of models in another cohort, and agreement of signatures."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.core.study import Validation
from xnbflow.report.drawings.densities import draw_cohorts
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.accuracy import calibration_figure, confusion_figure
from xnbflow.report.sentences import COHORT_RULE, cohort_verdict, overlap

#: The anchor of the rule of its verdicts.
COHORT_ANCHOR = "cohort-rule"

_PAIR = ["model", "train", "test", "match", "harmonise"]


def section(results: StudyResults) -> Section | None:
    """Return the results of models in second cohorts; None if the study tests none."""
    if not results.study.validate:
        return None
    blocks: list[Block] = [
        _overview(results),
        Prose(f"What that means: {COHORT_RULE}.", id=COHORT_ANCHOR),
        Prose(_HOW_TO_READ, "help"),
    ]
    for i, pair in enumerate(results.study.validate):
        how = [f"by {pair.match}"] * (pair.match != "feature")
        how += [pair.harmonise] * (pair.harmonise != "none")
        title = f"{results.labels[pair.model]}: {pair.train} → {pair.test}"
        title += f" ({', '.join(how)})" if how else ""
        verdict = _rows(results, pair, "verdicts")["verdict"].iloc[0]
        test = _rows(results, pair, "accuracy").set_index("cohort").loc["test"]
        note = f"{_VERDICTS[verdict]}: {test['right']:.0f} of {test['n']:.0f} right"
        content = list(_pair(results, pair, f"cohorts-{i + 1:02d}"))
        blocks.append(Group(title, content, note, opened=i == 0))
    return Section(
        "validation",
        "A second cohort",
        "Models trained on one series and tested on another.",
        blocks,
    )


def verdicts_in_words(results: StudyResults) -> str:
    """Return the number of models that held in a second cohort; empty without tests."""
    if not results.study.validate:
        return ""
    verdicts = results.validation["verdicts"]["verdict"]
    if len(verdicts) == 1:
        return f"In a second cohort the model {_VERDICTS[verdicts.iloc[0]]}."
    counts = verdicts.value_counts()
    parts = [f"{counts[key]} {words}" for key, words in _VERDICTS.items() if key in counts]
    return f"In a second cohort, of {counted(len(verdicts), 'model')}: {', '.join(parts)}."


_VERDICTS = {
    "held": "held",
    "held in part": "held in part",
    "ranking holds": "ranked samples rightly but would need recalibration",
    "did not hold": "did not hold",
    "cannot tell": "could not be judged",
    "labels look exchanged": "seemed to have exchanged labels",
    "shares samples": "shared samples with the training cohort, so that there is no verdict",
}

_HOW_TO_READ = (
    "Intervals are 95% (Jeffreys) and count samples, or groups where samples have them. If "
    "several models, matches and harmonisations are tried on one test cohort, the best of them is "
    "overestimated: choose before the test."
)


def _rows(results: StudyResults, pair: Validation, table: str) -> pd.DataFrame:
    key = {name: getattr(pair, name) for name in _PAIR}
    return results.validation.rows(table, **key).drop(columns=_PAIR)


def _overview(results: StudyResults) -> Table:
    verdicts = results.validation["verdicts"]
    verdicts = verdicts[[*_PAIR, "verdict", "auc", "auc_lower", "auc_upper", "needed"]]
    rows = results.validation["accuracy"].merge(verdicts, on=_PAIR)
    own = rows[rows["cohort"] == "train"].set_index(_PAIR)["value"].rename("cross-validated")
    frame = rows[rows["cohort"] == "test"].join(own, on=_PAIR)
    frame["match"] = frame["match"].where(frame["match"] != "feature")  # the default is not shown
    columns = ["model", "verdict", "train", "test", "match", "harmonise", "n", "value", "lower"]
    columns += ["upper", "auc", "auc_lower", "auc_upper", "needed", "majority"]
    columns += ["mean_probability", "cross-validated"]
    return results.validation.show(
        ["accuracy", "verdicts"],
        "Accuracy in the test cohort, beside that of cross-validation in the training cohort with "
        "the features that both have; a mean predicted probability above the accuracy means "
        "overconfident.",
        [name for name in columns if frame[name].notna().any()],
        frame,
        own={"cross-validated": ".0%"},
    )


def _pair(results: StudyResults, pair: Validation, number: str) -> Iterator[Block]:
    tables, verdict = results.validation, _rows(results, pair, "verdicts").iloc[0]
    signatures = _rows(results, pair, "signatures")
    sentence = cohort_verdict({**vars(pair), **verdict}, results.labels[pair.model])
    yield Prose(sentence + overlap(signatures), "headline", rule=COHORT_ANCHOR)
    if verdict["notes"]:
        yield Prose(verdict["notes"], "warning")
    cohorts = {"train": f"{pair.train}, cross-validated", "test": pair.test}
    recall = _rows(results, pair, "recall").replace({"cohort": cohorts})
    yield tables.show("recall", "Recall of each class in both cohorts.", rows=recall)
    confusion = _rows(results, pair, "confusion")
    classes = confusion["true"].drop_duplicates().tolist()
    figures = [confusion_figure(f"{number}-confusion", "Test cohort", confusion, classes)]
    calibration = _rows(results, pair, "calibration")
    if len(calibration):
        known = {results.labels[pair.model]: calibration[calibration["count"] > 0]}
        alt = "How often predicted probabilities came true in the test cohort."
        figures.append(calibration_figure(f"{number}-calibration", known, alt))
    caption = "Predictions in the test cohort: a row is a true class."
    yield Gallery(figures, caption, tables.sources("confusion", "calibration"))
    densities = _rows(results, pair, "densities")
    if len(densities):
        yield Gallery(list(_densities(densities, number)), _DENSITIES, tables.sources("densities"))
    if len(signatures):
        rho = signatures["rank_correlation"].iloc[0]
        caption = (
            "The signature, compared with that of the test cohort itself. Over all "
            f"features the distances of the classes correlate with {rho:.2f} (Spearman)."
        )
        yield tables.show("signatures", caption, rows=signatures.drop(columns="rank_correlation"))
    predictions = _rows(results, pair, "predictions").dropna(axis=1, how="all")
    caption = "Predictions for the samples of the test cohort; atypical ones are unreliable."
    yield Group("Samples", [tables.show("predictions", caption, rows=predictions)])


_DENSITIES = (
    "The signature’s first features: filled in the training cohort, dashed in the test cohort, a "
    "colour per class. Where they lie apart, the cohorts have different scales, or the feature "
    "does not separate the class there."
)


def _densities(densities: pd.DataFrame, number: str) -> Iterator[Figure]:
    for i, (feature, rows) in enumerate(densities.groupby("feature", sort=False), start=1):
        symbol = rows["symbol"].iloc[0]
        name = f"{symbol} ({feature})" if symbol and symbol != feature else feature
        curves = {}
        for label, group in rows.groupby("class", sort=True):
            own = dict(iter(group.groupby("cohort")["density"]))
            curves[label] = [own[c].to_numpy() if c in own else None for c in ("train", "test")]
        alt = f"Densities of {name} in {len(curves)} classes, in both cohorts."
        arguments = {"feature": name, "grid": np.unique(rows["x"]), "curves": curves}
        yield Figure(f"{number}-density-{i:02d}", draw_cohorts, arguments, "", alt)
