"""Conditionally independent components: recovery, prediction, classification (CICA paper, 6)."""

import numpy as np
import pandas as pd

from xnbflow.papers.cica import (
    AS_PAPER,
    CHOSEN_WIDTH,
    COMPARED_METHODS,
    FAST_ICA,
    PAPERS_WIDTH,
    RECOVERY_ERROR,
    SETTING,
    SQUARE_ERROR,
    TRUE_SOURCES,
    UNTRANSFORMED,
    WHITENING,
)
from xnbflow.papers.cica.entries import ANALYSIS
from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section
from xnbflow.report.results import PageTables, StudyResults
from xnbflow.tables.contract import Column

_AT_PAPERS_WIDTH = f"{SQUARE_ERROR}, paper's width"
_WIDTHS = ("paper's", "chosen")
_CICA = (PAPERS_WIDTH, CHOSEN_WIDTH)
#: Methods whose medians are grey lines beside the descents.
_RIVALS = (UNTRANSFORMED, WHITENING, FAST_ICA, TRUE_SOURCES)


def section(results: StudyResults) -> Section | None:
    """Return results on recovery, prediction and classification; None without simulations."""
    tables = results.analysis(ANALYSIS)
    summary = tables["summary"]
    if summary.empty:
        return None
    seeds = int(summary["seeds"].max())
    columns = ["method", *SETTING, "width", "steps", "runs", "converged"]
    convergence = tables.show("convergence", _CONVERGENCE, columns)
    blocks: list[Block] = [
        Prose(_HOW_TO_READ),
        *_descents(tables),
        *_recovery(tables),
        Group("At the end, beside other transformations", _ends(tables, seeds), opened=True),
        Group("Convergence and widths", [convergence], "of every setting"),
    ]
    if len(tables["regression_summary"]):
        blocks.append(Group("A real target", _regression(tables), "regression", opened=True))
    if len(tables["classification"]):
        blocks.append(Group("Classification", _classification(tables), "real data", opened=True))
    return Section(
        "cica",
        "Conditionally independent components",
        "Recovery of mixed sources by CICA, its effect on predictions of naive Bayes, and the "
        "effect of the width of its kernels.",
        blocks,
    )


_HOW_TO_READ = (
    "Two sources, which depend on the target but not on each other given the target, are mixed. "
    "CICA searches step by step for a transformation that inverts the mixing. The recovery error "
    "(Eq. 12) is 0 if each component is one source, and about 2 for the mixture. The mean square "
    "error is that of naive Bayes regression on new samples. The paper shows one run; here are "
    "medians, and bands that contain eight of ten runs."
)
_DESCENTS = (
    "Medians (lines) and bands of descents that start from the mixture. Blue: CICA with the "
    "paper’s width of the kernels; orange: with the width chosen from the data. Grey lines: "
    "medians of other transformations. The axis of the mean square error is logarithmic; the "
    "regression has the paper’s width throughout."
)
_LEAVES = (
    "Medians of a descent at its start, its least value (with the step) and its end; the descent "
    "leaves the sources again if the end is above one and a half times the least."
)
_ENDS = (
    "Medians over {seeds} runs, with the tenth and the ninetieth percentile, and the median as a "
    "share of that of no transformation. True sources are no bound for the mean square error: "
    "other components may predict better. The paper’s mixture is symmetric, which suits symmetric "
    "whitening. Whitening of any kind and FastICA need sources that are uncorrelated, as the "
    "paper’s are because its target is symmetric around 0; a target on [0, 3] makes the correlated "
    "sources. Ten inputs are the two sources and eight variables without information on the "
    "target, mixed: whitening and FastICA keep the directions of largest variance, which need not "
    "hold the sources."
)
_RECOVERY = (
    "Recovery error (Eq. 12) by number of samples, over runs: median, tenth and ninetieth "
    "percentile. It is 2 for the mixture itself; below .5 each component is mostly one source."
)
_REGRESSION = (
    "Naive Bayes regression on the inputs, on as many components and on fewer (section 5), and "
    "ridge regression. R² on samples that were not used for the fit; gain: R² less that of naive "
    "Bayes on the inputs, in the same folds. The intervals of 95% allow for overlapping training "
    "sets (Nadeau and Bengio)."
)
_CONVERGENCE = (
    "Median width of the kernels (1 is the paper’s, which shrinks with the samples as n to the "
    "power −1/6) and number of steps, and the share of runs that converged."
)
_DEPENDENCE = (
    "Features that depend on another given the class, in the samples to which CICA was fitted and "
    "in a held-out half. Less dependence does not imply a higher accuracy."
)
_DEPENDENCE_COLUMNS = ["dataset", "transformation", "ratio", "pairs", "largest_r",
                       "held_out_ratio", "held_out_pairs", "held_out_largest_r"]  # fmt: skip


def _descents(tables: PageTables) -> list[Block]:
    """Return both measures by step, and their interpretation, per number of samples."""
    summary = tables["summary"]
    blocks: list[Block] = []
    for samples, rows in tables["iterations"].groupby("samples"):
        as_paper = (summary["samples"] == samples) & (summary["setting"] == AS_PAPER)
        rivals = summary[as_paper].set_index(["measure", "method"])["median"]
        figures = [
            _descent(samples, measure, rows, rivals) for measure in (RECOVERY_ERROR, SQUARE_ERROR)
        ]
        blocks.append(Gallery(figures, _DESCENTS, tables.sources("iterations", "summary")))
    columns = ["samples", "measure", "width", "start", "least", "least_at", "end", "leaves"]
    return [*blocks, tables.show("descents", _LEAVES, columns)]


def _descent(samples: int, measure: str, rows: pd.DataFrame, rivals: pd.Series) -> Figure:
    """Return the figure of one measure by step; ``rivals`` are medians by measure and method."""
    steps = rows[rows["measure"] == measure].sort_values("step").set_index("width")
    lines = []
    bands = []
    for width in _WIDTHS:
        run = steps.loc[width]
        step = np.arange(len(run))
        lines.append(NamedLine(f"{width} width", step, run["median"].to_numpy()))
        bands.append((step, run["lower"].to_numpy(), run["upper"].to_numpy()))
    of_rivals = rivals[RECOVERY_ERROR if measure == RECOVERY_ERROR else _AT_PAPERS_WIDTH]
    levels = [(method, float(of_rivals[method])) for method in _RIVALS if method in of_rivals]
    ends = ", ".join(f"{line.label} {line.y[0]:.2f} to {line.y[-1]:.2f}" for line in lines)
    return Figure(
        f"{measure.replace(' ', '-')}-{samples}",
        draw_lines,
        arguments={
            "title": f"{measure.capitalize()}, {samples} samples",
            "lines": lines,
            "bands": bands,
            "levels": levels,
            "xlabel": "step of the descent",
            "ylabel": measure,
            "logarithmic": "y" if measure == SQUARE_ERROR else "",
        },
        caption="",
        alt=f"Median {measure} by step: {ends}.",
    )


def _recovery(tables: PageTables) -> list[Block]:
    """Return the recovery of the sources by number of samples, in the paper's setting."""
    summary = tables.rows("summary", setting=AS_PAPER, measure=RECOVERY_ERROR)
    # The recovery errors of the mixture and of the true sources are 2 and 0 by definition.
    recovery = summary[~summary["method"].isin([UNTRANSFORMED, TRUE_SOURCES])]
    sentences = []
    for method, rows in recovery[recovery["method"].isin(_CICA)].groupby("method", sort=False):
        errors = ", ".join(f"{row.median:.2f} with {row.samples}" for row in rows.itertuples())
        sentences.append(f"{method}: {errors}.")
    text = f"Median recovery error by number of samples. {' '.join(sentences)}"
    columns = ["samples", "method", "median", "lower", "upper"]
    return [
        Prose(text, "headline", tables.sources("summary")),
        tables.show("summary", _RECOVERY, columns, recovery),
    ]


def _regression(tables: PageTables) -> list[Block]:
    """Return R² on a real target of every model."""
    blocks: list[Block] = []
    for dataset, rows in tables["regression_summary"].groupby("dataset", sort=False):
        r2 = rows.set_index("model")["r2"]
        scores = ", ".join(f"{model} {value:.3f}" for model, value in r2.items())
        text = f"R² on {dataset}, mean over {rows['folds'].iloc[0]} folds: {scores}."
        blocks.append(Prose(text, "headline", tables.sources("regression_summary")))
    columns = ["model", "r2", "r2_lower", "r2_upper", "gain", "gain_lower", "gain_upper"]
    return [*blocks, tables.show("regression_summary", _REGRESSION, columns)]


def _ends(tables: PageTables, seeds: int) -> list[Block]:
    """Return recovery and errors of every method in every setting."""
    summary = tables["summary"]
    # Seeds are 0 where the sources cannot be recovered because there are more components.
    measured = summary[summary["seeds"] > 0]
    order = measured.assign(method=pd.Categorical(measured["method"], COMPARED_METHODS))
    order = order.sort_values(["measure", *SETTING, "method"])
    columns = ["method", *SETTING, "measure", "median", "lower", "upper", "of_untransformed"]
    declarations = {"of_untransformed": Column("number", label="of that without", format=".0%")}
    return [
        Prose(_compare_errors(measured), "headline", tables.sources("summary")),
        tables.show(
            "summary", _ENDS.format(seeds=seeds), columns, order, declarations=declarations
        ),
    ]


def _compare_errors(measured: pd.DataFrame) -> str:
    """Compare the errors with CICA with those without it and with true sources."""
    rows = measured[measured["measure"] != RECOVERY_ERROR]
    wide = rows.pivot(index=[*SETTING, "measure"], columns="method")
    medians = wide["median"]
    shares = wide["of_untransformed"]
    truth = medians[TRUE_SOURCES]
    texts = []
    for method, width in ((PAPERS_WIDTH, "the paper’s"), (CHOSEN_WIDTH, "the chosen")):
        n_reached = np.count_nonzero(medians[method] <= truth)
        texts.append(
            f"{shares[method].min():.0%} to {shares[method].max():.0%} of that without at {width} "
            f"width of CICA, and no higher than with the true sources in {n_reached} of "
            f"{len(truth)} cases"
        )
    return f"The median mean square error with CICA is {'; '.join(texts)}."


def _classification(tables: PageTables) -> list[Block]:
    """Return accuracy and dependence with and without CICA."""
    blocks: list[Block] = []
    for dataset, rows in tables["classification"].groupby("dataset", sort=False):
        by_transformation = rows.set_index("transformation")
        before = by_transformation.loc["none"]
        after = by_transformation.loc["CICA"]
        text = (
            f"{dataset}: flexible naive Bayes is right in {before['accuracy']:.1%} of cases "
            f"without CICA and in {after['accuracy']:.1%} with it. The share of features that "
            f"depend on another given the class goes from {before['ratio']:.0%} to "
            f"{after['ratio']:.0%} (samples: those fitted) and from "
            f"{before['held_out_ratio']:.0%} to {after['held_out_ratio']:.0%} (samples: held-out "
            "half)."
        )
        blocks.append(Prose(text, "headline", tables.sources("classification")))
    columns = ["dataset", "transformation", "accuracy", "sd", "folds"]
    accuracy = tables.show(
        "classification", "Accuracy of flexible naive Bayes over folds.", columns
    )
    dependence = tables.show("classification", _DEPENDENCE, _DEPENDENCE_COLUMNS)
    return [*blocks, accuracy, dependence]
