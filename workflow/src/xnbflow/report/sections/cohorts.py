"""Several series of one question: transfer of models, and genes over all series."""

import math
from collections.abc import Iterator

import pandas as pd

from xnbflow.core.nouns import counted, either
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.data.controls import shown_classes
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.page.blocks import Block, Figure, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import COHORT_RULE, COHORT_WORDS, cohort_sentence
from xnbflow.report.texts import texts_of
from xnbflow.tables.contract import ALL_COHORTS, MODEL

_TEXTS = texts_of("cohorts")
#: Genes of a forest plot, rows of the table of genes, and the number of the mean's colour and mark.
_MOST_DRAWN = 12
_MOST_ROWS = 100
_MEAN_STYLE = 7
#: Anchor of the rule of verdicts.
_RULE = "series-rule"
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
    """Return the results on several series together; None if the study compares none."""
    if not results.study.cohort_series:
        return None
    tables = results.tables_of("cohorts")
    series = tables["cohort_series"]
    noted = series[series["note"] != ""].to_dict("records")
    blocks: list[Block] = [Prose(f"{row['dataset']}: {row['note']}.", "warning") for row in noted]
    columns = ["dataset", "samples", "groups", "classes", "features", "common", "agreement"]
    columns = [name for name in columns if series[name].notna().any()]
    blocks.append(tables.show("cohort_series", "The series.", columns))

    # The model of all series.
    path = MODEL.of(study=results.study.id, **ALL_COHORTS)
    tables = results.tables_of("model", **ALL_COHORTS)
    columns = ["class", "rank", "feature", "symbol", "direction", "share_of_folds"]
    columns += ["median_in", "median_out"]
    caption = _TEXTS["signature"].format(noun=_noun(results))
    command = f"Predict new samples with the command: xnbflow predict {path} data/new.csv"
    table = tables.show("signature", f"{caption} {command}", columns)
    signature = Group("A model of all series", [table])
    blocks += [*_models(results), *_gene_blocks(results), signature]
    lead = f"Models of some series tested on the others, and {_noun(results)}s in all of them."
    return Section("cohorts", "Several series", lead, blocks)


def cohorts_in_words(results: StudyResults) -> list[Prose]:
    """Return two headlines on models and genes over the series; none if the study compares none."""
    if not results.study.cohort_series:
        return []
    return [
        Prose(_models_in_words(results), "headline", rule=_RULE),
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


def _left_out(results: StudyResults) -> pd.DataFrame:
    """Return the tests of each series by models of all others."""
    matrix = results.tables_of("cohorts")["cohort_matrix"]
    several = len(results.study.cohort_series) > 2
    strategies = ["merged", "averaged"] if several else ["one series"]
    return matrix[matrix["strategy"].isin(strategies)]


def _models(results: StudyResults) -> Iterator[Block]:
    tables = results.tables_of("cohorts")
    matrix = results.tables_of("cohorts")["cohort_matrix"]
    columns = ["test", "verdict", "strategy", "n", "value", "lower", "upper", "p_value", "loss"]
    columns += [name for name in ("auc", "auc_lower", "auc_upper") if matrix[name].notna().any()]
    columns += [name for name in matrix if name.startswith("recall.")]
    left_out = _left_out(results)
    caption = "Each series left out in turn and tested by models of the others."
    yield tables.show("cohort_matrix", caption, columns, left_out)
    yield _cohort_matrix_figure(results, matrix)
    yield Group("The rule of these verdicts", [Prose(COHORT_RULE, id=_RULE)])
    all_pairs = tables.show("cohort_matrix", _TEXTS["tests"], ["train", *columns])
    yield Group("All pairs", [all_pairs])
    sentences = []
    for row in left_out.to_dict("records"):
        averaged = ", averaged" if row["strategy"] == "averaged" else ""
        sentences.append(cohort_sentence(row, f"{row['model']}{averaged}"))
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
        sources=results.tables_of("cohorts").sources("cohort_matrix"),
    )


def _share_text(share: float) -> str:
    return "" if pd.isna(share) else f"{share:.0%}"


def _gene_blocks(results: StudyResults) -> Iterator[Block]:
    """Yield the effects of the first genes in every series with their mean, and their table."""
    genes = results.tables_of("cohorts")["meta_genes"]
    series = list(results.study.cohort_series)
    classes = genes["class"].unique().tolist()
    # of two classes the control is the mirror image of the other one
    classes = [classes[i] for i in shown_classes(classes)]
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
