"""Second cohorts: performance of models in another cohort, and agreement of signatures."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.core.study import Validation
from xnbflow.report.drawings.densities import draw_cohorts
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.accuracy import (
    MOST_DRAWN_CLASSES,
    MOST_MISTAKES,
    calibration_figure,
    confusion_figure,
    frequent_mistakes,
)
from xnbflow.report.sentences import COHORT_RULE, cohort_sentence, overlap
from xnbflow.report.texts import texts_of

#: The anchor of the rule of its verdicts.
COHORT_ANCHOR = "cohort-rule"

_TEXTS = texts_of("validation")
_PAIR = ["model", "train", "test", "match", "harmonise"]
#: Words for a verdict, after "the model".
_VERDICTS = {
    "held": "held",
    "held in part": "held in part",
    "ranking holds": "ranked samples rightly but would need recalibration",
    "did not hold": "did not hold",
    "cannot tell": "could not be judged",
    "labels look exchanged": "seemed to have exchanged labels",
    "shares samples": "shared samples with the training cohort, so that there is no verdict",
}


def section(results: StudyResults) -> Section | None:
    """Return the results of models in second cohorts; None if the study tests none."""
    if not results.study.validate:
        return None
    blocks: list[Block] = [
        validation_overview(results),
        Group("The rule of these verdicts", [Prose(COHORT_RULE, id=COHORT_ANCHOR)]),
        Prose(_TEXTS["how_to_read"], "help"),
    ]
    for i, pair in enumerate(results.study.validate):
        verdict = _rows(results, pair, "verdicts")["verdict"].iloc[0]
        test = _rows(results, pair, "accuracy").set_index("cohort").loc["test"]
        note = f"{_VERDICTS[verdict]}: {test['right']:.0f} of {test['n']:.0f} right"
        content = list(blocks_of_pair(results, pair, f"cohorts-{i + 1:02d}"))
        blocks.append(Group(pair_title(results, pair), content, note, opened=i == 0))
    return Section(
        "validation",
        "A second cohort",
        "Models trained on one series and tested on another.",
        blocks,
    )


def pair_title(results: StudyResults, pair: Validation) -> str:
    """Return the model and its cohorts, with options that are not the defaults."""
    options = []
    if pair.match != "feature":
        options.append(f"by {pair.match}")
    if pair.harmonise != "none":
        options.append(pair.harmonise)
    title = f"{results.labels[pair.model]}: {pair.train} → {pair.test}"
    return f"{title} ({', '.join(options)})" if options else title


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


def _rows(results: StudyResults, pair: Validation, table: str) -> pd.DataFrame:
    """Return the rows of a pair of cohorts, without the columns that name the pair."""
    key = {name: getattr(pair, name) for name in _PAIR}
    return results.validation.rows(table, **key).drop(columns=_PAIR)


def validation_overview(results: StudyResults) -> Table:
    """Return the accuracy in the test cohort beside that of cross-validation."""
    verdicts = results.validation["verdicts"]
    verdicts = verdicts[[*_PAIR, "verdict", "auc", "auc_lower", "auc_upper", "needed"]]
    accuracies = results.validation["accuracy"].merge(verdicts, on=_PAIR)
    in_training = accuracies[accuracies["cohort"] == "train"].set_index(_PAIR)["value"]
    in_test = accuracies[accuracies["cohort"] == "test"]
    rows = in_test.join(in_training.rename("cross-validated"), on=_PAIR)
    rows["match"] = rows["match"].where(rows["match"] != "feature")  # the default is not shown
    columns = ["model", "verdict", "train", "test", "match", "harmonise", "n", "value", "lower"]
    columns += ["upper", "auc", "auc_lower", "auc_upper", "needed", "majority"]
    columns += ["mean_probability", "cross-validated"]
    return results.validation.show(
        ["accuracy", "verdicts"],
        _TEXTS["overview"],
        [name for name in columns if rows[name].notna().any()],
        rows,
        declarations={"cross-validated": ".0%"},
    )


def blocks_of_pair(results: StudyResults, pair: Validation, name: str) -> Iterator[Block]:
    """Yield verdict, recalls, predictions, densities and signature of a model in a cohort."""
    tables = results.validation
    verdict = _rows(results, pair, "verdicts").iloc[0]
    signatures = _rows(results, pair, "signatures")
    sentence = cohort_sentence({**vars(pair), **verdict}, results.labels[pair.model])
    yield Prose(sentence + overlap(signatures), "headline", rule=COHORT_ANCHOR)
    if verdict["notes"]:
        yield Prose(verdict["notes"], "warning")
    cohorts = {"train": f"{pair.train}, cross-validated", "test": pair.test}
    recall = _rows(results, pair, "recall").replace({"cohort": cohorts})
    yield tables.show("recall", "Recall of each class in both cohorts.", rows=recall)
    yield from _predictions(results, pair, name)
    densities = _rows(results, pair, "densities")
    if len(densities):
        figures = list(cohort_densities(densities, name))
        yield Gallery(figures, _TEXTS["densities"], tables.sources("densities"))
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


def _predictions(results: StudyResults, pair: Validation, name: str) -> Iterator[Block]:
    """Yield the confusion matrix, or of many classes the mistakes, and the calibration."""
    confusion = _rows(results, pair, "confusion")
    classes = confusion["true"].drop_duplicates().tolist()
    figures = []
    if len(classes) <= MOST_DRAWN_CLASSES:
        figures.append(confusion_figure(f"{name}-confusion", "Test cohort", confusion, classes))
    else:
        caption = f"The {MOST_MISTAKES} most frequent mistakes in the test cohort."
        rows = frequent_mistakes(confusion)
        yield results.validation.show("confusion", caption, rows=rows)
    calibration = _rows(results, pair, "calibration")
    if len(calibration):
        bins = {results.labels[pair.model]: calibration[calibration["count"] > 0]}
        alt = "How often predicted probabilities came true in the test cohort."
        figures.append(calibration_figure(f"{name}-calibration", bins, alt))
    if figures:
        caption = "Predictions in the test cohort."
        if len(classes) <= MOST_DRAWN_CLASSES:
            caption = "Predictions in the test cohort: a row is a true class."
        sources = results.validation.sources("confusion", "calibration")
        yield Gallery(figures, caption, sources)


def cohort_densities(densities: pd.DataFrame, name: str) -> Iterator[Figure]:
    """Yield the densities of each feature by class, in the training and in the test cohort."""
    by_feature = densities.groupby("feature", sort=False)
    for number, (feature, rows) in enumerate(by_feature, start=1):
        symbol = rows["symbol"].iloc[0]
        title = f"{symbol} ({feature})" if symbol and symbol != feature else feature
        curves = {}
        for label, of_class in rows.groupby("class", sort=True):
            by_cohort = dict(iter(of_class.groupby("cohort")["density"]))
            train = by_cohort["train"].to_numpy() if "train" in by_cohort else None
            test = by_cohort["test"].to_numpy() if "test" in by_cohort else None
            curves[label] = [train, test]
        yield Figure(
            name=f"{name}-density-{number:02d}",
            draw=draw_cohorts,
            arguments={"feature": title, "grid": np.unique(rows["x"]), "curves": curves},
            caption="",
            alt=f"Densities of {title} in {len(curves)} classes, in both cohorts.",
        )
