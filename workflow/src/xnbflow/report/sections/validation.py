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
from xnbflow.report.sentences import COHORT_RULE, COHORT_WORDS, cohort_sentence, overlap
from xnbflow.report.texts import texts_of
from xnbflow.tables.contract import Column

#: The anchor on the page of the rule of verdicts in second cohorts.
COHORT_ANCHOR = "cohort-rule"

_TEXTS = texts_of("validation")
#: The columns that identify a test: the fields of a `Validation`.
_KEY = ["model", "train", "test", "match", "harmonise"]
#: The columns of the table of recalls, which the contract declares as accuracies.
_RECALL_COLUMNS = ["cohort", "class", "right", "n", "value", "lower", "upper"]
_RECALL: dict[str, Column | str] = {"value": Column("number", label="recall", format=".0%")}


def section(results: StudyResults) -> Section | None:
    """Return the results of models in second cohorts; None if the study tests none."""
    if not results.study.validate:
        return None
    blocks: list[Block] = [
        _validation_overview(results),
        Group("The rule of these verdicts", [Prose(COHORT_RULE, id=COHORT_ANCHOR)]),
        Prose(_TEXTS["how_to_read"], "help"),
    ]
    for number, pair in enumerate(results.study.validate, start=1):
        verdict = _rows(results, pair, "verdicts")["verdict"].iloc[0]
        accuracies = _rows(results, pair, "accuracy").set_index(["cohort", "class"])
        n_right, n_samples = accuracies.loc[("test", ""), ["right", "n"]]
        note = f"{COHORT_WORDS[verdict]}: {n_right:.0f} of {n_samples:.0f} right"
        content = list(_blocks_of_pair(results, pair, figure_prefix=f"cohorts-{number:02d}"))
        blocks.append(Group(_pair_title(results, pair), content, note, opened=number == 1))
    return Section(
        "validation",
        "A second cohort",
        "Models trained on one series and tested on another.",
        blocks,
    )


def _pair_title(results: StudyResults, pair: Validation) -> str:
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
    verdicts = results.tables_of("validation")["verdicts"]["verdict"]
    if len(verdicts) == 1:
        return f"In a second cohort the model {COHORT_WORDS[verdicts.iloc[0]]}."
    counts = verdicts.value_counts()
    parts = [f"{counts[key]} {words}" for key, words in COHORT_WORDS.items() if key in counts]
    return f"In a second cohort, of {counted(len(verdicts), 'model')}: {', '.join(parts)}."


def _rows(results: StudyResults, pair: Validation, table: str) -> pd.DataFrame:
    """Return the rows of a table about one pair of cohorts, without the columns of its key."""
    key = {name: getattr(pair, name) for name in _KEY}
    return results.tables_of("validation").rows(table, **key).drop(columns=_KEY)


def _validation_overview(results: StudyResults) -> Table:
    """Return a table of all tests: accuracy in the test cohort, and in cross-validation."""
    # The accuracies have two rows for each test: of the training and of the test cohort. The value
    # of the training cohort becomes a column beside the row of the test cohort.
    verdicts = results.tables_of("validation")["verdicts"]
    verdicts = verdicts[[*_KEY, "verdict", "auc", "auc_lower", "auc_upper", "needed"]]
    accuracies = results.tables_of("validation").rows("accuracy", **{"class": ""})
    accuracies = accuracies.merge(verdicts, on=_KEY)
    in_training = accuracies[accuracies["cohort"] == "train"].set_index(_KEY)["value"]
    in_test = accuracies[accuracies["cohort"] == "test"]
    rows = in_test.join(in_training.rename("cross-validated"), on=_KEY)
    rows["match"] = rows["match"].where(rows["match"] != "feature")  # the default is not shown
    columns = ["model", "verdict", "train", "test", "match", "harmonise", "n", "value", "lower"]
    columns += ["upper", "auc", "auc_lower", "auc_upper", "needed", "majority"]
    columns += ["mean_probability", "cross-validated"]
    return results.tables_of("validation").show(
        ["accuracy", "verdicts"],
        _TEXTS["overview"],
        [name for name in columns if rows[name].notna().any()],
        rows,
        declarations={"cross-validated": ".0%"},
    )


def _blocks_of_pair(results: StudyResults, pair: Validation, figure_prefix: str) -> Iterator[Block]:
    """Yield verdict, recalls, predictions, densities and signature of a model in a cohort.

    The names of the figures begin with ``figure_prefix``.
    """
    tables = results.tables_of("validation")
    verdict = _rows(results, pair, "verdicts").iloc[0]
    signatures = _rows(results, pair, "signatures")
    row = {**vars(pair), **verdict}  # of the table of verdicts, with its key
    sentence = cohort_sentence(row, results.labels[pair.model])
    yield Prose(sentence + overlap(signatures), "headline", rule=COHORT_ANCHOR)
    if verdict["notes"]:
        yield Prose(verdict["notes"], "warning")
    cohorts = {"train": f"{pair.train}, cross-validated", "test": pair.test}
    accuracies = _rows(results, pair, "accuracy").replace({"cohort": cohorts})
    recalls = accuracies[accuracies["class"] != ""]
    caption = "Recall of each class in both cohorts."
    yield tables.show("accuracy", caption, _RECALL_COLUMNS, recalls, declarations=_RECALL)
    yield from _predictions(results, pair, figure_prefix)
    densities = _rows(results, pair, "densities")
    if len(densities):
        figures = list(_cohort_densities(densities, figure_prefix))
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


def _predictions(results: StudyResults, pair: Validation, figure_prefix: str) -> Iterator[Block]:
    """Yield the confusion matrix (or a table of mistakes between many classes), and calibration."""
    confusion = _rows(results, pair, "confusion")
    classes = confusion["true"].drop_duplicates().tolist()
    figures = []
    if len(classes) <= MOST_DRAWN_CLASSES:
        figures.append(
            confusion_figure(f"{figure_prefix}-confusion", "Test cohort", confusion, classes)
        )
    else:
        caption = f"The {MOST_MISTAKES} most frequent mistakes in the test cohort."
        rows = frequent_mistakes(confusion)
        yield results.tables_of("validation").show("confusion", caption, rows=rows)
    calibration = _rows(results, pair, "calibration")
    if len(calibration):
        bins = {results.labels[pair.model]: calibration[calibration["count"] > 0]}
        alt = "How often predicted probabilities came true in the test cohort."
        figures.append(calibration_figure(f"{figure_prefix}-calibration", bins, alt))
    if figures:
        caption = "Predictions in the test cohort."
        if len(classes) <= MOST_DRAWN_CLASSES:
            caption = "Predictions in the test cohort: a row is a true class."
        sources = results.tables_of("validation").sources("confusion", "calibration")
        yield Gallery(figures, caption, sources)


def _cohort_densities(densities: pd.DataFrame, figure_prefix: str) -> Iterator[Figure]:
    """Yield the densities of each feature by class, in the training and in the test cohort."""
    by_feature = densities.groupby("feature", sort=False)
    for number, (feature, rows) in enumerate(by_feature, start=1):
        symbol = rows["symbol"].iloc[0]
        title = f"{symbol} ({feature})" if symbol and symbol != feature else feature
        curves = {}
        for label, class_rows in rows.groupby("class", sort=True):
            train = class_rows.loc[class_rows["cohort"] == "train", "density"].to_numpy()
            test = class_rows.loc[class_rows["cohort"] == "test", "density"].to_numpy()
            # A cohort with fewer than two samples of the class has no density.
            curves[label] = [train if len(train) else None, test if len(test) else None]
        yield Figure(
            name=f"{figure_prefix}-density-{number:02d}",
            draw=draw_cohorts,
            arguments={"feature": title, "grid": np.unique(rows["x"]), "curves": curves},
            caption="",
            alt=f"Densities of {title} in {len(curves)} classes, in both cohorts.",
        )
