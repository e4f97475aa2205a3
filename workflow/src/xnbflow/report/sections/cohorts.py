"""Several series of one question: transfer of models, and genes over all series."""

from collections.abc import Iterator

import pandas as pd

from xnbflow.core.counts import counted, either
from xnbflow.data.controls import shown_classes
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import COHORT_RULE, cohort_verdict
from xnbflow.tables.contract import ALL_COHORTS, MODEL

_DRAWN, _MOST_ROWS, _MEAN = 12, 100, 7
#: Anchor of the rule of verdicts.
_RULE = "series-rule"
#: Label of models of all other series; with two series there is only the other one.
_STRATEGIES = {
    "one series": "the model of the other one",
    "merged": "one model of all others",
    "averaged": "the average of their models",
}
_MATRIX = (
    "Balanced accuracy. Rows: trained on; columns: tested on; framed: cross-validation in the "
    "series itself. The last rows are trained on all other series."
)
_TESTS = (
    "Every model and series. A verdict is at the level of .025 by itself: among 40 tests without "
    "information one is expected to be above chance."
)
_GENES = (
    "The first {noun}s by p over all series. Effects are {unit}, each class against the mean of "
    "the others. A {noun} holds in a series if it differs there in the direction of the mean "
    "effect, p at most .05; “by chance” is how often a {noun} without differences holds in so "
    "many series or more. p tests that a {noun} differs in no series; the interval is for the "
    "mean of series like these, the limits of the next series are for the effect in one further "
    "series."
)
_UNITS = {
    "log2 fold change": "log2 fold changes",
    "standard deviations": "differences in standard deviations, each series on its own scale, as "
    "not all series are known to be logarithms",
}
_FOREST = (
    "The first {noun}s by p: the effect in every series, and the random-effects mean, with 95% "
    "intervals. The {noun}s were chosen for these effects, so the effects are overestimated on "
    "average."
)
_SIGNATURE = (
    "The {noun}s of the model of all series. Medians are of values as the model sees them, after "
    "harmonisation; the share is of models with one series left out. "
)


def section(results: StudyResults) -> Section | None:
    """Return the results on several series together; None if the study compares none."""
    if not results.study.combined:
        return None
    tables = results.cohorts
    blocks: list[Block] = []
    series = tables["cohort_series"]
    noted = series[series["note"] != ""].itertuples()
    blocks += [Prose(f"{row.dataset}: {row.note}.", "warning") for row in noted]
    shown = ["dataset", "samples", "groups", "classes", "features", "common", "agreement"]
    shown = [name for name in shown if series[name].notna().any()]
    blocks += [tables.show("cohort_series", "The series.", shown), *_models(results)]
    blocks += [*_genes(results), _signature(results)]
    lead = f"Models of some series tested on the others, and {_noun(results)}s in all of them."
    return Section("cohorts", "Several series", lead, blocks)


def cohorts_in_words(results: StudyResults) -> list[Prose]:
    """Return two headlines on models and genes over the series; none if the study compares none."""
    if not results.study.combined:
        return []
    rows, parts, k = _left_out(results), [], len(results.study.combined)
    for strategy, tests in rows.groupby("strategy", sort=False):
        counts = tests["verdict"].value_counts()
        value = tests["value"]
        span = f" (balanced accuracy {value.min():.0%} to {value.max():.0%})"
        found = ", ".join(f"{verdict} in {n}" for verdict, n in counts.items())
        parts.append(f"{_STRATEGIES[strategy]} {found}{span if value.notna().any() else ''}")
    genes = results.cohorts["meta_genes"]
    every = genes[genes["holds"] == k]
    chance = f" (by chance {every['chance'].max():.2g} of all)" if len(every) else ""
    significant = genes.loc[genes["fdr"] < 0.05, "feature"].nunique()
    n, noun = every["feature"].nunique(), _noun(results)
    words = (
        f"Of {counted(genes['feature'].nunique(), noun)} {n:,} {either(n, 'differs', 'differ')} "
        f"in the same direction in all {k} series{chance}, each p at most .05; {significant:,} "
        "differ over all series at an FDR below .05."
    )
    if genes["p"].isna().all():
        words = f"{noun.capitalize()}s could not be compared over all series: see the warnings."
    models = f"Of {k} series, each left out in turn and tested: {'; '.join(parts)}."
    return [Prose(models, "headline", rule=_RULE), Prose(words, "headline")]


def _noun(results: StudyResults) -> str:
    return results.noun(*results.study.combined)


def _left_out(results: StudyResults) -> pd.DataFrame:
    """Return the tests of each series by models of all others."""
    matrix = results.cohorts["cohort_matrix"]
    several = len(results.study.combined) > 2
    names = ["merged", "averaged"] if several else ["one series"]
    return matrix[matrix["strategy"].isin(names)]


def _models(results: StudyResults) -> Iterator[Block]:
    tables, matrix = results.cohorts, results.cohorts["cohort_matrix"]
    recalls = [name for name in matrix if name.startswith("recall.")]
    columns = ["test", "verdict", "strategy", "n", "value", "lower", "upper", "p_value", "loss"]
    columns += [name for name in ("auc", "auc_lower", "auc_upper") if matrix[name].notna().any()]
    columns += recalls
    left_out = _left_out(results)
    caption = "Each series left out in turn and tested by models of the others."
    yield tables.show("cohort_matrix", caption, columns, left_out)
    yield _matrix_figure(results, matrix)
    yield Prose(f"What that means: {COHORT_RULE}.", id=_RULE)
    every = tables.show("cohort_matrix", _TESTS, ["train", *columns])
    yield Group("All pairs", [every])
    texts = [
        cohort_verdict(row, row["model"] + ", averaged" * (row["strategy"] == "averaged"))
        for row in left_out.to_dict("records")
    ]
    yield Group("Verdicts in words", [Prose(text) for text in texts])


def _matrix_figure(results: StudyResults, matrix: pd.DataFrame) -> Figure:
    series = list(results.study.combined)
    names = matrix["train"].where(~matrix["strategy"].isin(["merged", "averaged"]), matrix.strategy)
    wide = matrix.assign(train=names).pivot(index="train", columns="test", values="value")
    rows = [name for name in [*series, "merged", "averaged"] if name in wide.index]
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
    # of two classes the control is the mirror image of the other one
    classes = [classes[i] for i in shown_classes(classes)]
    for i, label in enumerate(classes if genes["p"].notna().any() else ()):
        yield _forest(results, genes[genes["class"] == label].head(_DRAWN), label, i)
    each = max(1, _MOST_ROWS // len(classes))
    rows = genes[(genes["rank"] <= each) & genes["class"].isin(classes)]
    columns = ["class", "rank", "feature", "symbol", "holds", "series", "chance", "effect"]
    columns += ["lower", "upper", "prediction_lower", "prediction_upper"]
    columns += ["p", "fdr", "i2", "heterogeneity_p"]
    columns += [f"{key}.{name}" for key in ("effect", "rank") for name in series]
    columns = [name for name in columns if rows[name].replace("", None).notna().any()]
    caption = _GENES.format(unit=_UNITS[genes["unit"].iloc[0]], noun=_noun(results))
    yield results.cohorts.show("meta_genes", caption, columns, rows)


def _forest(results: StudyResults, genes: pd.DataFrame, label: str, number: int) -> Figure:
    groups = []
    for i, name in enumerate([*results.study.combined, ""]):
        end = f".{name}" if name else ""
        effect, lower, upper = (genes[key + end].tolist() for key in ("effect", "lower", "upper"))
        label_of, style = (name, i) if name else ("random-effects mean", _MEAN)
        groups.append(Points(label_of, effect, lower, upper, style))
    arguments = {
        "rows": genes["symbol"].where(genes["symbol"] != "", genes["feature"]).tolist(),
        "groups": groups,
        "xlabel": f"{label} less the others ({genes['unit'].iloc[0]})",
        "levels": ("no difference", [0.0] * len(genes)),
    }
    alt = f"Forest plot of {counted(len(genes), _noun(results))}, {label} against the others."
    name = f"cohorts-forest-{number:02}"
    caption = _FOREST.format(noun=_noun(results))
    return Figure(name, draw_points, arguments, caption, alt, results.cohorts.sources("meta_genes"))


def _signature(results: StudyResults) -> Block:
    path = MODEL.of(study=results.study.id, **ALL_COHORTS)
    tables = results.model(**ALL_COHORTS)
    columns = ["class", "rank", "feature", "symbol", "direction", "share_of_folds"]
    columns += ["median_in", "median_out"]
    use = f"Predict new samples with the command: xnbflow predict {path} data/new.csv"
    caption = f"{_SIGNATURE.format(noun=_noun(results))}{use}"
    return Group("A model of all series", [tables.show("signature", caption, columns)])
