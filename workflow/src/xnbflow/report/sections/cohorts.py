"""Several series of one question: whether models hold in the others, and which genes do."""

from collections.abc import Iterator

import pandas as pd

from xnbflow.data.contract import META, MODEL
from xnbflow.data.counts import counted
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Code, Figure, Group, Prose, Section
from xnbflow.report.results import StudyResults

__all__ = ["cohorts_in_words", "section"]

_DRAWN, _MOST_ROWS, _MEAN = 12, 100, 7
_STRATEGIES = {"merged": "one model of all others", "averaged": "average of their models"}
_LEFT_OUT = (
    "Each series left out in turn and tested by what was trained on the others: one model of their "
    "merged samples, and the average of a model of each."
)
_MATRIX = (
    "Balanced accuracy. Rows: trained on; columns: tested on; on the diagonal (framed) "
    "cross-validation in the series itself. The last rows are trained on all other series."
)
_PAIRS = (
    "Every verdict is at the level of .025 by itself: among 40 pairs without information one is "
    "expected above chance."
)
_GENES = (
    "The first genes by p over all series. Effects are Hedges’ g: differences from the rest in "
    "standard deviations, each series on its own scale. A gene holds in a series if it differs "
    "there in the direction of the mean effect, p at most .05; “by chance” is how often a gene "
    "without differences holds in so many series or more."
)
_FOREST = (
    "The first genes by p: the effect in every series with its 95 % interval, and the "
    "random-effects mean. {mean}The genes were chosen for these effects, which are therefore too "
    "great on average."
)
_INTERVAL = "The interval of the mean is for the mean of series like these (Hartung and Knapp). "
_TWO = "Two series do not show how much series vary, so that the mean has no interval. "
_SIGNATURE = (
    "The genes of the model of all series, beside what the series say of each one. Medians are of "
    "values as the model sees them, after harmonisation."
)
_USE = "Predict new samples; their features are to be named as those of the model."


def section(results: StudyResults) -> Section | None:
    """Return what several series say together; None where the study compares none."""
    if not results.study.combined:
        return None
    tables = results.cohorts
    blocks: list[Block] = [Prose(text, "headline") for text in cohorts_in_words(results)]
    series = tables["cohort_series"]
    notes = series.loc[series["note"] != "", ["dataset", "note"]].to_numpy()
    blocks += [Prose(f"{dataset}: {note}.", "warning") for dataset, note in notes]
    shown = ["dataset", "samples", "groups", "classes", "features", "common"]
    shown = [name for name in shown if series[name].notna().any()]
    blocks += [tables.show("cohort_series", "The series.", shown), *_models(results)]
    blocks += [*_genes(results), *_signature(results)]
    lead = "Models of some series tested on the others, and genes in all of them."
    return Section("cohorts", "Several series", lead, blocks)


def cohorts_in_words(results: StudyResults) -> list[str]:
    """Return in sentences what held over the series of a study; none where it compares none."""
    if not results.study.combined:
        return []
    matrix, k = results.cohorts["cohort_matrix"], len(results.study.combined)
    sentences = []
    strategies = {"one series": "one model of the other one"} if k < 3 else _STRATEGIES
    for strategy, words in strategies.items():
        rows = matrix[matrix["strategy"] == strategy]
        counts = rows["verdict"].value_counts()
        found = ", ".join(f"{name} in {n}" for name, n in counts.items())
        value = rows["value"]
        span = f" (balanced accuracy {value.min():.0%} to {value.max():.0%})"
        sentences.append(f"{words}: {found}{span if value.notna().any() else ''}")
    text = f"Of {counted(k, 'series', 'is', 'are')} each left out in turn, {'; '.join(sentences)}."
    return [text.replace("series are each", "series, each"), _genes_in_words(results)]


def _genes_in_words(results: StudyResults) -> str:
    genes = results.cohorts["meta_genes"]
    if genes["p"].isna().all():
        return "Nothing is said of genes over all series: see the warnings."
    full = genes[genes["series"] == genes["series"].max()]
    k, total = int(genes["series"].max()), genes["feature"].nunique()
    every = full[full["holds"] == k]
    held = every["feature"].nunique()
    chance = f"; of genes without differences {every['chance'].max():.2g} do" if held else ""
    found = genes.loc[genes["fdr"] < 0.05, "feature"].nunique()
    return (
        f"{held:,} of {counted(total, 'gene')} {'holds' if held == 1 else 'hold'} in all {k} "
        f"series{chance}. {found:,} differ over all series at an FDR below .05."
    )


def _models(results: StudyResults) -> Iterator[Block]:
    tables, matrix = results.cohorts, results.cohorts["cohort_matrix"]
    recalls = [name for name in matrix if name.startswith("recall.")]
    columns = ["test", "train", "n", "value", "lower", "upper", "p_value", "loss", *recalls]
    left_out = matrix[matrix["strategy"].isin(_STRATEGIES)]
    if len(left_out):
        shown = ["verdict", "strategy", *columns]
        yield tables.show("cohort_matrix", _LEFT_OUT, shown, left_out)
    yield _matrix_figure(results, matrix)
    pairs = matrix[matrix["strategy"] == "one series"]
    own = matrix[matrix["strategy"] == "cross-validated"]
    rule = matrix.loc[matrix["rule"] != "", "rule"]
    caption = f"One series trains, another is tested. {_PAIRS}"
    blocks: list[Block] = [
        tables.show("cohort_matrix", caption, ["verdict", *columns], pairs),
        tables.show("cohort_matrix", "Each series by itself.", columns, own),
        *(Prose(f"What verdicts mean: {text}.") for text in rule.head(1)),
        *(Prose(text) for text in matrix.loc[matrix["sentence"] != "", "sentence"]),
    ]
    yield Group("All pairs, and every verdict in words", blocks)


def _matrix_figure(results: StudyResults, matrix: pd.DataFrame) -> Figure:
    series = list(results.study.combined)
    kept = matrix["train"].where(~matrix["strategy"].isin(_STRATEGIES), matrix["strategy"])
    wide = matrix.assign(train=kept).pivot(index="train", columns="test", values="value")
    rows = [name for name in [*series, *_STRATEGIES] if name in wide.index]
    values = wide.reindex(index=rows, columns=series).to_numpy()
    return Figure(
        "cohorts-matrix",
        draw_matrix,
        {
            "values": values,
            "rows": rows,
            "columns": series,
            "title": "Balanced accuracy",
            "texts": [["" if pd.isna(v) else f"{v:.0%}" for v in row] for row in values],
            "outlined": [(i, i) for i in range(len(series))],
            "xlabel": "tested on",
            "ylabel": "trained on",
            "cell": (0.5, 0.26),
        },
        _MATRIX,
        f"Matrix of {counted(len(rows), 'model')} by {len(series)} series.",
        results.cohorts.sources("cohort_matrix"),
    )


def _genes(results: StudyResults) -> Iterator[Block]:
    genes, series = results.cohorts["meta_genes"], list(results.study.combined)
    classes = genes["class"].unique().tolist()
    # of two classes the first is the mirror image of the second
    classes = classes[1:] if len(classes) == 2 else classes
    if genes["p"].notna().any():
        for i, label in enumerate(classes):
            yield _forest(results, genes[genes["class"] == label].head(_DRAWN), label, i)
    each = max(1, _MOST_ROWS // len(classes))
    rows = genes[(genes["rank"] <= each) & genes["class"].isin(classes)]
    columns = ["class", "rank", "feature", "symbol", "holds", "series", "chance", "effect"]
    columns += ["lower", "upper", "p", "fdr", "i2", "heterogeneity_p"]
    columns += [f"effect.{name}" for name in series] + [f"rank.{name}" for name in series]
    same = (rows["symbol"] == rows["feature"]) | (rows["symbol"] == "")
    columns = [name for name in columns if name != "symbol" or not same.all()]
    columns = [name for name in columns if rows[name].notna().any()]
    yield results.cohorts.show("meta_genes", _GENES, columns, rows)


def _forest(results: StudyResults, genes: pd.DataFrame, label: str, number: int) -> Figure:
    names = genes["symbol"].where(genes["symbol"] != "", genes["feature"]).tolist()
    series = list(results.study.combined)
    groups = []
    for i, name in enumerate([*series, ""]):
        end = f".{name}" if name else ""
        effect, lower, upper = (genes[key + end].tolist() for key in ("effect", "lower", "upper"))
        label, style = (name, i) if name else ("random-effects mean", _MEAN)
        groups.append(Points(label, effect, lower, upper, style))
    return Figure(
        f"cohorts-forest-{number:02}",
        draw_points,
        {
            "rows": names,
            "groups": groups,
            "xlabel": f"{label} less the rest (Hedges’ g)",
            "levels": ("no difference", [0.0] * len(names)),
        },
        _FOREST.format(mean=_INTERVAL if genes["lower"].notna().any() else _TWO),
        f"Forest plot of {counted(len(names), 'gene')} in {len(series)} series.",
        results.cohorts.sources("meta_genes"),
    )


def _signature(results: StudyResults) -> Iterator[Block]:
    study = results.study.id
    folder = META["dataset"].format(study=study)
    tables = results.model(folder, META["classifier"])
    path = MODEL.of(dataset=folder, classifier=META["classifier"])
    genes = results.cohorts["meta_genes"]
    blocks: list[Block] = []
    if len(tables["signature"]):
        known = genes[["class", "feature", "effect", "holds", "series"]]
        rows = tables["signature"].merge(known, on=["class", "feature"], how="left")
        columns = ["class", "rank", "feature", "symbol", "direction", "share_of_folds"]
        columns += ["effect", "holds", "series", "median_in", "median_out"]
        columns = [name for name in columns if rows[name].notna().any()]
        declared = results.cohorts.show("meta_genes", "", ["effect", "holds", "series"]).columns
        blocks.append(tables.show("signature", _SIGNATURE, columns, rows, own=declared))
    blocks.append(Code(f"xnbflow predict {path} data/new.csv --id patient", _USE))
    yield Group("A model of all series", blocks, f"{len(tables['signature'])} rows")
