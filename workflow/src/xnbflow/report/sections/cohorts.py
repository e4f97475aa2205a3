"""Other cohorts: models in a second cohort, and several series of one question with their genes."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted, either
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.core.study import Validation
from xnbflow.data.controls import shown_classes
from xnbflow.report.drawings.densities import draw_cohorts
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.accuracy import (
    MOST_DRAWN_CLASSES,
    MOST_MISTAKES,
    calibration_figure,
    confusion_figure,
    frequent_mistakes,
)
from xnbflow.report.sentences import COHORT_WORDS, cohort_sentence, overlap
from xnbflow.report.texts import texts_of
from xnbflow.tables.contract import ALL_COHORTS, MODEL, Column

_TEXTS = texts_of("cohorts")
_SECOND = texts_of("validation")
#: Genes of a forest plot, rows of the table of genes, and the number of the mean's colour and mark.
_MOST_DRAWN = 12
_MOST_ROWS = 100
_MEAN_STYLE = 7
#: The anchor of the rule of verdicts in other cohorts, in the section `methods`.
COHORT_ANCHOR = "cohort-rule"
#: The strategy of the tests of a study's models in second cohorts.
_SECOND_COHORT = "second cohort"
#: The columns that identify a test in a second cohort: the fields of a `Validation`.
_KEY = ["model", "train", "test", "match", "harmonise"]
#: The columns of the table of recalls, which the contract declares as accuracies.
_RECALL_COLUMNS = ["cohort", "class", "right", "n", "value", "lower", "upper"]
_RECALL: dict[str, Column | str] = {"value": Column("number", label="recall", format=".0%")}
#: Label of models of all other series; with two series there is only the other one.
_STRATEGIES = {
    "one series": "the model of the other one",
    "merged": "one model of all others",
    "averaged": "the average of their models",
}
_UNITS = {
    "log2 fold change": "log2 fold changes",
    "standard deviations": _TEXTS["standard_deviations"],
}


def section(results: StudyResults) -> Section | None:
    """Return the results on second cohorts and on several series; None if the study has none."""
    second = list(_second_cohorts(results))
    several = list(_several_series(results))
    if not second and not several:
        return None
    lead = "Models of one series, or of several, tested on samples of another one."
    blocks = second or several
    if second and several:
        blocks = [Group("A second cohort", second, opened=True), Group("Several series", several)]
    return Section("cohorts", "Other cohorts", lead, blocks)


def _several_series(results: StudyResults) -> Iterator[Block]:
    """Yield the results on several series together; nothing if the study compares none."""
    if not results.study.cohort_series:
        return
    tables = results.tables_of("cohorts")
    series = tables["cohort_series"]
    noted = series[series["note"] != ""].to_dict("records")
    for row in noted:
        yield Prose(f"{row['dataset']}: {row['note']}.", "warning")
    columns = ["dataset", "samples", "groups", "classes", "features", "common", "agreement"]
    columns = [name for name in columns if series[name].notna().any()]
    yield tables.show("cohort_series", "The series.", columns)
    yield from _models(results)
    yield from _gene_blocks(results)

    # The model of all series.
    path = MODEL.of(study=results.study.id, **ALL_COHORTS)
    tables = results.tables_of("model", **ALL_COHORTS)
    columns = ["class", "rank", "feature", "symbol", "direction", "share_of_folds"]
    columns += ["median_in", "median_out"]
    caption = _TEXTS["signature"].format(noun=_noun(results))
    command = f"Predict new samples with the command: xnbflow predict {path} data/new.csv"
    table = tables.show("signature", f"{caption} {command}", columns)
    yield Group("A model of all series", [table])


def cohorts_in_words(results: StudyResults) -> list[Prose]:
    """Return two headlines on models and genes over the series; none if the study compares none."""
    if not results.study.cohort_series:
        return []
    return [
        Prose(_models_in_words(results), "headline", rule=COHORT_ANCHOR),
        Prose(_genes_in_words(results), "headline"),
    ]


def _models_in_words(results: StudyResults) -> str:
    """Return how models of the other series do in each series."""
    clauses = []
    for strategy, tests in _left_out(results).groupby("strategy", sort=False):
        counts = tests["verdict"].value_counts()
        verdicts = ", ".join(f"{COHORT_WORDS[verdict]} in {n}" for verdict, n in counts.items())
        accuracies = tests["value"].dropna()
        span = ""
        if len(accuracies):
            span = f" (balanced accuracy {accuracies.min():.0%} to {accuracies.max():.0%})"
        clauses.append(f"{_STRATEGIES[strategy]} {verdicts}{span}")
    n_series = len(results.study.cohort_series)
    return f"Of {n_series} series, each left out in turn and tested: {'; '.join(clauses)}."


def _genes_in_words(results: StudyResults) -> str:
    """Return how many genes differ in every series, and how many over all of them."""
    genes = results.tables_of("cohorts")["meta_genes"]
    noun = _noun(results)
    if genes["p"].isna().all():
        return f"{noun.capitalize()}s could not be compared over all series: see the warnings."
    n_series = len(results.study.cohort_series)
    every_series = "both series" if n_series == 2 else f"all {n_series} series"
    in_every_series = genes[genes["holds"] == n_series]
    n_compared = genes["feature"].nunique()
    n_every = in_every_series["feature"].nunique()
    n_over_all = genes.loc[genes["fdr"] < FDR_LEVEL, "feature"].nunique()
    by_chance = ""
    if n_every:
        # The chance is that of one class; of two classes each has the differences of the other.
        n_classes = genes["class"].nunique()
        bound = n_compared * in_every_series["chance"].max() * (n_classes if n_classes > 2 else 1)
        by_chance = f" (by chance at most {math.ceil(bound):,})"
    over_all = (
        f"{n_over_all:,} {either(n_over_all, 'has', 'have')} a mean effect over such series at an "
        "FDR below .05"
    )
    if n_series == 2 and not n_over_all:
        over_all = "two series are too few to test the mean effect over such series"
    return (
        f"Of {counted(n_compared, noun)} {n_every:,} {either(n_every, 'differs', 'differ')} in the "
        f"same direction in {every_series}{by_chance}, each p at most .05; {over_all}."
    )


def _noun(results: StudyResults) -> str:
    return results.noun(*results.study.cohort_series)


def _among_series(results: StudyResults) -> pd.DataFrame:
    """Return the tests of the series by models of one another, and their cross-validation."""
    tests = results.tables_of("cohorts")["cohort_tests"]
    return tests[tests["strategy"] != _SECOND_COHORT]


def _left_out(results: StudyResults) -> pd.DataFrame:
    """Return the tests of each series by models of all others."""
    matrix = _among_series(results)
    several = len(results.study.cohort_series) > 2
    strategies = ["merged", "averaged"] if several else ["one series"]
    return matrix[matrix["strategy"].isin(strategies)]


def _models(results: StudyResults) -> Iterator[Block]:
    tables = results.tables_of("cohorts")
    matrix = _among_series(results)
    columns = ["test", "verdict", "strategy", "n", "value", "lower", "upper", "p_value", "loss"]
    columns += [name for name in ("auc", "auc_lower", "auc_upper") if matrix[name].notna().any()]
    columns += [name for name in matrix if name.startswith("recall.")]
    left_out = _left_out(results)
    caption = "Each series left out in turn and tested by models of the others."
    yield tables.show("cohort_tests", caption, columns, left_out)
    yield _cohort_matrix_figure(results, matrix)
    all_pairs = tables.show("cohort_tests", _TEXTS["tests"], ["train", *columns], matrix)
    yield Group("All pairs", [all_pairs])
    sentences = []
    for row in left_out.to_dict("records"):
        averaged = ", averaged" if row["strategy"] == "averaged" else ""
        sentences.append(cohort_sentence(row, f"{results.labels[row['model']]}{averaged}"))
    yield Group("Verdicts in words", [Prose(sentence) for sentence in sentences])


def _cohort_matrix_figure(results: StudyResults, matrix: pd.DataFrame) -> Figure:
    """Return the balanced accuracies of models (rows) in series (columns)."""
    series = list(results.study.cohort_series)
    of_all_others = matrix["strategy"].isin(["merged", "averaged"])
    trained_on = matrix["train"].where(~of_all_others, matrix["strategy"])
    wide = matrix.assign(train=trained_on).pivot(index="train", columns="test", values="value")
    rows = [name for name in [*series, "merged", "averaged"] if name in wide.index]
    values = wide.reindex(index=rows, columns=series).to_numpy()
    texts = [list(map(_share_text, row)) for row in values]
    return Figure(
        name="cohorts-matrix",
        draw=draw_matrix,
        arguments={
            "values": values,
            "rows": rows,
            "columns": series,
            "title": "Balanced accuracy",
            "texts": texts,
            "outlined": [(i, i) for i in range(len(series))],
            "xlabel": "tested on",
            "ylabel": "trained on",
            "cell": (0.5, 0.26),
        },
        caption=_TEXTS["matrix"],
        alt=f"Matrix of {counted(len(rows), 'model')} by {len(series)} series.",
        sources=results.tables_of("cohorts").sources("cohort_tests"),
    )


def _share_text(share: float) -> str:
    return "" if pd.isna(share) else f"{share:.0%}"


def _gene_blocks(results: StudyResults) -> Iterator[Block]:
    """Yield the effects of the first genes in every series with their mean, and their table."""
    genes = results.tables_of("cohorts")["meta_genes"]
    series = list(results.study.cohort_series)
    classes = genes["class"].unique().tolist()
    # of two classes the control is the mirror image of the other one
    reference = results.study.design_of(series[0]).reference
    classes = [classes[i] for i in shown_classes(classes, reference)]
    if genes["p"].notna().any():
        for number, label in enumerate(classes):
            first = genes[genes["class"] == label].head(_MOST_DRAWN)

            # The effects of genes in every series, and their mean below them.
            groups = [
                _effects(first, name, f".{name}", style)
                for style, name in enumerate(results.study.cohort_series)
            ]
            groups.append(_effects(first, "random-effects mean", "", _MEAN_STYLE))
            forest = Figure(
                name=f"cohorts-forest-{number:02}",
                draw=draw_points,
                arguments={
                    "rows": first["symbol"].where(first["symbol"] != "", first["feature"]).tolist(),
                    "groups": groups,
                    "xlabel": f"{label} less the others ({first['unit'].iloc[0]})",
                    "levels": ("no difference", [0.0] * len(first)),
                },
                caption=_TEXTS["forest"].format(noun=_noun(results)),
                alt=(
                    f"Forest plot of {counted(len(first), _noun(results))}, {label} against the "
                    "others."
                ),
                sources=results.tables_of("cohorts").sources("meta_genes"),
            )
            yield forest
    n_of_class = max(1, _MOST_ROWS // len(classes))
    rows = genes[(genes["rank"] <= n_of_class) & genes["class"].isin(classes)]
    columns = ["class", "rank", "feature", "symbol", "holds", "series", "chance", "effect"]
    columns += ["lower", "upper", "prediction_lower", "prediction_upper"]
    columns += ["p", "fdr", "i2", "heterogeneity_p"]
    columns += [f"effect.{name}" for name in series] + [f"rank.{name}" for name in series]
    columns = [name for name in columns if rows[name].replace("", None).notna().any()]
    unit = _UNITS[genes["unit"].iloc[0]]
    caption = _TEXTS["genes"].format(unit=unit, noun=_noun(results))
    table = results.tables_of("cohorts").show("meta_genes", caption, columns, rows)
    yield Group(f"Table of {_noun(results)}s", [table], "the first by p over all series")


def _effects(genes: pd.DataFrame, label: str, ending: str, style: int) -> RowPoints:
    """Return effects with their intervals, from the columns with an ending."""
    return RowPoints(
        label=label,
        values=genes[f"effect{ending}"].tolist(),
        lower=genes[f"lower{ending}"].tolist(),
        upper=genes[f"upper{ending}"].tolist(),
        style=style,
    )


def _second_cohorts(results: StudyResults) -> Iterator[Block]:
    """Yield the results of models in second cohorts; nothing if the study tests none."""
    if not results.study.validate:
        return
    yield _validation_overview(results)
    yield Prose(_SECOND["how_to_read"], "help")
    for number, pair in enumerate(results.study.validate, start=1):
        verdict = _test_of_pair(results, pair)["verdict"]
        accuracies = _rows(results, pair, "accuracy").set_index(["cohort", "class"])
        n_right, n_samples = accuracies.loc[("test", ""), ["right", "n"]]
        note = f"{COHORT_WORDS[verdict]}: {n_right:.0f} of {n_samples:.0f} right"
        content = list(_blocks_of_pair(results, pair, figure_prefix=f"cohorts-{number:02d}"))
        yield Group(_pair_title(results, pair), content, note, opened=number == 1)


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
    verdicts = _in_second_cohorts(results)["verdict"]
    if len(verdicts) == 1:
        return f"In a second cohort the model {COHORT_WORDS[verdicts.iloc[0]]}."
    counts = verdicts.value_counts()
    parts = [f"{counts[key]} {words}" for key, words in COHORT_WORDS.items() if key in counts]
    return f"In a second cohort, of {counted(len(verdicts), 'model')}: {', '.join(parts)}."


def _rows(results: StudyResults, pair: Validation, table: str) -> pd.DataFrame:
    """Return the rows of a table about one pair of cohorts, without the columns of its key."""
    key = {name: getattr(pair, name) for name in _KEY}
    return results.tables_of("cohorts").rows(table, **key).drop(columns=_KEY)


def _in_second_cohorts(results: StudyResults) -> pd.DataFrame:
    """Return the tests of the study's models in second cohorts."""
    return results.tables_of("cohorts").rows("cohort_tests", strategy=_SECOND_COHORT)


def _test_of_pair(results: StudyResults, pair: Validation) -> pd.Series:
    """Return the test of a model in a second cohort, without the columns of its key."""
    tests = _rows(results, pair, "cohort_tests")
    return tests[tests["strategy"] == _SECOND_COHORT].iloc[0]


def _validation_overview(results: StudyResults) -> Table:
    """Return a table of all tests: accuracy in the test cohort, and in cross-validation."""
    # The accuracies have two rows for each test: of the training and of the test cohort. The value
    # of the training cohort becomes a column beside the row of the test cohort.
    verdicts = _in_second_cohorts(results)
    verdicts = verdicts[[*_KEY, "verdict", "auc", "auc_lower", "auc_upper", "needed"]]
    accuracies = results.tables_of("cohorts").rows("accuracy", **{"class": ""})
    accuracies = accuracies.merge(verdicts, on=_KEY)
    in_training = accuracies[accuracies["cohort"] == "train"].set_index(_KEY)["value"]
    in_test = accuracies[accuracies["cohort"] == "test"]
    rows = in_test.join(in_training.rename("cross-validated"), on=_KEY)
    rows["match"] = rows["match"].where(rows["match"] != "feature")  # the default is not shown
    columns = ["model", "verdict", "train", "test", "match", "harmonise", "n", "value", "lower"]
    columns += ["upper", "auc", "auc_lower", "auc_upper", "needed", "majority"]
    columns += ["mean_probability", "cross-validated"]
    return results.tables_of("cohorts").show(
        ["accuracy", "cohort_tests"],
        _SECOND["overview"],
        [name for name in columns if rows[name].notna().any()],
        rows,
        declarations={"cross-validated": ".0%"},
    )


def _blocks_of_pair(results: StudyResults, pair: Validation, figure_prefix: str) -> Iterator[Block]:
    """Yield verdict, recalls, predictions, densities and signature of a model in a cohort.

    The names of the figures begin with ``figure_prefix``.
    """
    tables = results.tables_of("cohorts")
    verdict = _test_of_pair(results, pair)
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
        yield Gallery(figures, _SECOND["densities"], tables.sources("densities"))
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
    predictions = _rows(results, pair, "predictions")
    confusion = predictions.groupby(["true", "predicted"]).size().reset_index(name="count")
    classes = results.rows("class_sizes", dataset=pair.train)["class"].tolist()
    figures = []
    if len(classes) <= MOST_DRAWN_CLASSES:
        figures.append(
            confusion_figure(f"{figure_prefix}-confusion", "Test cohort", confusion, classes)
        )
    else:
        caption = f"The {MOST_MISTAKES} most frequent mistakes in the test cohort."
        rows = frequent_mistakes(confusion)
        counts = {"count": Column("integer")}
        yield results.tables_of("cohorts").show(
            "predictions", caption, rows=rows, declarations=counts
        )
    calibration = _rows(results, pair, "calibration")
    if len(calibration):
        bins = {results.labels[pair.model]: calibration[calibration["count"] > 0]}
        alt = "How often predicted probabilities came true in the test cohort."
        figures.append(calibration_figure(f"{figure_prefix}-calibration", bins, alt))
    if figures:
        caption = "Predictions in the test cohort."
        if len(classes) <= MOST_DRAWN_CLASSES:
            caption = "Predictions in the test cohort: a row is a true class."
        sources = results.tables_of("cohorts").sources("predictions", "calibration")
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
