"""Conditionally independent components: recovery, prediction, classification (CICA paper, 6)."""

import pandas as pd

from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.studies.cica import (
    ANALYSIS,
    AS_PAPER,
    CHOSEN_WIDTH,
    FAST_ICA,
    METHODS,
    PAPERS_WIDTH,
    RECOVERY_ERROR,
    SETTING,
    SQUARE_ERROR,
    SYMMETRIC,
    TRUE_SOURCES,
    UNTRANSFORMED,
    WHITENING,
)
from xnbflow.studies.cica.drawings import Band, draw_descent, draw_ratios

__all__ = ["section"]

#: The measures of the summary, with what a picture of them shows.
_MEASURES = {
    RECOVERY_ERROR: "How far the components are from the sources.",
    f"{SQUARE_ERROR}, paper's width": "Regression with the paper’s width.",
    f"{SQUARE_ERROR}, chosen width": "Regression with a width chosen from the data.",
}
_AT_PAPERS_WIDTH = f"{SQUARE_ERROR}, paper's width"
_WIDTHS = ("paper's", "chosen")


def section(results: StudyResults) -> Section | None:
    """Return how well CICA recovers sources, predicts and classifies; None without simulations.

    Parameters
    ----------
    results : StudyResults
        Has the tables of the analysis `xnbflow.studies.cica.compute`.
    """
    tables = results.analysis(ANALYSIS)
    summary = tables["summary"]
    if summary.empty:
        return None
    seeds = int(summary["seeds"].max())
    blocks: list[Block] = [
        Prose(_HOW_TO_READ),
        *_descents(tables, seeds),
        Group("At the end, beside other transformations", _ends(tables, seeds), opened=True),
        Group("Convergence and widths", _convergence(tables), "of every setting"),
    ]
    if len(tables["accuracies"]):
        blocks.append(Group("Classification", _classification(tables), "real data", opened=True))
    return Section(
        "cica",
        "Conditionally independent components",
        "Whether CICA finds the sources that were mixed, whether naive Bayes then predicts better, "
        "and what the width of its kernels has to do with it.",
        blocks,
    )


_HOW_TO_READ = (
    "Two sources, which depend on the target but not on each other given the target, are mixed. "
    "CICA looks for a transformation that undoes this, step by step. The recovery error (Eq. 12) "
    "is 0 if each component is one source, and about 2 for the mixture as it is. The mean square "
    "error is that of naive Bayes regression on new samples. The paper shows one run; here are "
    "medians, and bands that hold eight of ten runs."
)


def _descents(tables: StudyTables, seeds: int) -> list[Block]:
    """Return both measures by step, and what they say, per number of samples."""
    summary, descents = tables["summary"], tables["descents"]
    blocks: list[Block] = []
    for samples, rows in tables["iterations"].groupby("samples"):
        own = summary[(summary["samples"] == samples) & (summary["setting"] == AS_PAPER)]
        rivals = own.set_index(["measure", "method"])["median"]
        figures = [_descent(samples, each, rows, rivals) for each in (RECOVERY_ERROR, SQUARE_ERROR)]
        caption = (
            f"{samples} training samples, {seeds} runs: medians (lines) and the middle 80 % of "
            "runs (bands), from the mixture as it is. Blue: CICA with the paper’s width of the "
            "kernels; orange: with the width chosen from the data. Grey lines: medians of what has "
            "no steps. The lower, the better; the axis of the mean square error is logarithmic. "
            "The regression has the paper’s width throughout."
        )
        path = descents[descents["samples"] == samples].set_index(["measure", "width"])
        papers, chosen = (path.loc[RECOVERY_ERROR, width] for width in _WIDTHS)
        error, other = (path.loc[SQUARE_ERROR, width] for width in _WIDTHS)
        text = (
            f"{samples:,} samples: with the paper’s width the recovery error {_approach(papers)}; "
            f"with the width chosen from the data it {_approach(chosen)}. The mean square error "
            f"goes from {error['start']:.2f} to {error['end']:.2f} and {other['end']:.2f}; with "
            f"the true sources it is {rivals[_AT_PAPERS_WIDTH, TRUE_SOURCES]:.2f}."
        )
        blocks.append(Prose(text, "headline", tables.sources("descents", "summary")))
        blocks.append(Gallery(figures, caption, tables.sources("iterations", "summary")))
    return blocks


def _approach(path: pd.Series) -> str:
    """Return in words how a recovery error falls, and whether it rises again."""
    first, least, last = path[["start", "least", "end"]]
    if least == first:
        return f"never falls below its {first:.2f} at the start and ends at {last:.2f}"
    fall = f"falls from {first:.2f} to {least:.2f} at step {path['least_at']}"
    if path["leaves"]:
        return f"{fall}, then the descent leaves the sources again and ends at {last:.2f}"
    return f"{fall} and stays near it, at {last:.2f} in the end"


def _descent(samples: int, measure: str, rows: pd.DataFrame, rivals: pd.Series) -> Figure:
    steps = rows[rows["measure"] == measure].sort_values("step").set_index("width")
    bands = [
        Band(f"{width} width", *steps.loc[width, ["lower", "median", "upper"]].T.to_numpy())
        for width in _WIDTHS
    ]
    levels = rivals[measure if measure == RECOVERY_ERROR else _AT_PAPERS_WIDTH]
    names = [each for each in (UNTRANSFORMED, WHITENING, FAST_ICA, TRUE_SOURCES) if each in levels]
    ends = ", ".join(f"{b.label} {b.median[0]:.2f} to {b.median[-1]:.2f}" for b in bands)
    return Figure(
        f"{measure.replace(' ', '-')}-{samples}",
        draw_descent,
        {
            "title": f"{measure.capitalize()}, {samples} samples",
            "bands": bands,
            "levels": [(name, float(levels[name])) for name in names],
            "ylabel": measure,
            "ratios": measure == SQUARE_ERROR,
        },
        "",
        f"Median {measure} by step: {ends}.",
    )


def _ends(tables: StudyTables, seeds: int) -> list[Block]:
    """Return recovery and errors of every method in every setting, as pictures and as a table."""
    summary = tables["summary"]
    known = summary[summary["seeds"] > 0]
    recovery = known[known["measure"] == RECOVERY_ERROR]
    papers = recovery[recovery["setting"] == AS_PAPER]
    symmetric, mixed = (papers[papers["method"] == each] for each in (SYMMETRIC, UNTRANSFORMED))
    whitening = ""
    if len(symmetric):
        whitening = (
            "The paper’s mixture is symmetric, which suits symmetric whitening: its recovery error "
            f"there is {_by_samples(symmetric)}, where the mixture as it is has "
            f"{_by_samples(mixed)}. "
        )
    caption = (
        f"Marks are medians over {seeds} runs, lines the middle 80 % of them; the further left, "
        "the better. True sources are what CICA looks for, but no bound for the mean square error: "
        f"other components may predict better. {whitening}"
        "Whitening of any kind and FastICA need sources that are uncorrelated, as the paper’s are "
        "because its target is symmetric around 0; a target on [0, 3] makes the correlated "
        "sources. Ten inputs are the two sources and eight variables without information on the "
        "target, mixed: whitening and FastICA keep the directions of largest variance, which need "
        "not hold the sources."
    )
    names = {
        CHOSEN_WIDTH: "CICA with the width chosen from the data",
        PAPERS_WIDTH: "with the paper’s width",
        FAST_ICA: "FastICA, which ignores the target,",
    }
    texts = ["Median recovery error."]
    for setting, rows in recovery.groupby("setting"):
        by_method = {method: rows[rows["method"] == method] for method in names}
        found = [f"{names[m]} {_by_samples(own)}" for m, own in by_method.items() if len(own)]
        texts.append(f"{setting.capitalize()}: {'; '.join(found)}.")
    order = known.assign(method=pd.Categorical(known["method"], METHODS))
    order = order.sort_values(["measure", *SETTING, "method"])
    shown = ["method", *SETTING, "measure", "median", "lower", "upper"]
    of_all = "Medians over runs, with the tenth and the ninetieth percentile."
    figures = [_points(known, measure) for measure in _MEASURES]
    return [
        Prose(" ".join(texts), "headline", tables.sources("summary")),
        *_predicted(tables),
        Gallery(figures, caption, tables.sources("summary")),
        Group("The same in numbers", [tables.show("summary", of_all, shown, order)]),
    ]


def _by_samples(rows: pd.DataFrame) -> str:
    ordered = rows.sort_values("samples")
    pairs = zip(ordered["median"], ordered["samples"], strict=True)
    return ", ".join(f"{median:.2f} (n = {n:,})" for median, n in pairs)


def _predicted(tables: StudyTables) -> list[Block]:
    """Return how the errors with CICA compare with those without it and with true sources."""
    rows = tables["summary"]
    rows = rows[rows["measure"] != RECOVERY_ERROR]
    width = rows["measure"].str.extract(r", (.*) width")[0]
    rows = rows.assign(regression=width).set_index([*SETTING, "regression", "method"]).sort_index()
    medians, shares = rows["median"].unstack(), rows["of_untransformed"].unstack()
    truth = medians[TRUE_SOURCES]
    frame = pd.DataFrame({"without CICA": medians[UNTRANSFORMED]})
    texts = []
    for method, name in ((PAPERS_WIDTH, "the paper’s"), (CHOSEN_WIDTH, "the chosen")):
        frame[method] = medians[method]
        frame[f"of that without, {method.removeprefix('CICA, ')}"] = share = shares[method]
        good = len(truth[medians[method] <= truth])
        texts.append(
            f"{share.min():.0%} to {share.max():.0%} of that without at {name} width of CICA, "
            f"and no higher than with the true sources in {good} of {len(truth)} cases"
        )
    frame["true sources"] = truth
    caption = (
        "Median mean square errors by setting and samples, and by the width of the "
        "regression that predicts from the components; shares are of the error without CICA."
    )
    formats = {name: ".0%" if name.startswith("of that") else ".3f" for name in frame}
    headline = f"The median mean square error with CICA is {'; '.join(texts)}."
    return [
        Prose(headline, "headline", tables.sources("summary")),
        tables.show("summary", caption, rows=frame.reset_index(), own=formats),
    ]


def _points(known: pd.DataFrame, measure: str) -> Figure:
    chosen = known[known["measure"] == measure]
    methods = [name for name in METHODS if (chosen["method"] == name).any()]
    settings = sorted(known.groupby(SETTING).groups)
    groups = []
    for key, rows in chosen.groupby(SETTING):
        values = rows.set_index("method")[["median", "lower", "upper"]].reindex(methods)
        median, lower, upper = values.T.to_numpy().tolist()
        label = f"{key[0]}, {key[1]:,} samples"
        groups.append(Points(label, median, lower, upper, settings.index(key)))
    return Figure(
        f"ends-{measure.replace(' ', '-').replace(',', '').replace(chr(39), '')}",
        draw_points if measure == RECOVERY_ERROR else draw_ratios,
        {"rows": methods, "groups": groups, "xlabel": measure},
        _MEASURES[measure],
        f"Points with bands: {measure} by method and setting.",
    )


def _convergence(tables: StudyTables) -> list[Block]:
    """Return how many runs converged, over all settings and in each."""
    caption = (
        "Median width of the kernels (1 is the paper’s, which shrinks with the samples as n to the "
        "power −1/6) and number of steps, and the share of runs that converged; those that do not "
        "say so in a warning."
    )
    shown = ["method", *SETTING, "width", "steps", "runs", "converged"]
    return [
        tables.show("converged", "Runs that converged, over all settings."),
        tables.show("convergence", caption, shown),
    ]


def _classification(tables: StudyTables) -> list[Block]:
    """Return accuracy and dependence with and without CICA, a row per data set."""
    accuracies, dependence = tables["accuracies"], tables["dependence"]
    by_kind = accuracies.set_index(["dataset", "transformation"])[["mean", "sd"]].unstack()
    keys = ["dataset", "samples", "transformation"]
    ratios = dependence.set_index(keys)["ratio"].unstack(["samples", "transformation"])
    frame = pd.DataFrame(index=accuracies["dataset"].unique())
    for kind, word in (("none", "without"), ("CICA", "with")):
        frame[f"accuracy {word}"] = by_kind["mean", kind]
        frame[f"sd {word}"] = by_kind["sd", kind]
    parts = list(dependence["samples"].unique())
    for part in parts:
        for kind, word in (("none", "before"), ("CICA", "after")):
            frame[f"dependent, {part}, {word}"] = ratios[part, kind]
    blocks: list[Block] = []
    for dataset, row in frame.iterrows():
        shares = " and ".join(
            f"from {row[f'dependent, {part}, before']:.0%} to "
            f"{row[f'dependent, {part}, after']:.0%} (samples: {part})"
            for part in parts
        )
        text = (
            f"{dataset}: flexible naive Bayes is right in {row['accuracy without']:.1%} of cases "
            f"without CICA and in {row['accuracy with']:.1%} with it. The share of features that "
            f"depend on another given the class goes {shares}."
        )
        blocks.append(Prose(text, "headline", tables.sources("accuracies", "dependence")))
    caption = (
        "Flexible naive Bayes without and with CICA before it: mean accuracy over folds with its "
        "standard deviation, and the share of features that depend on another given the class. On "
        "the samples that CICA has seen the share should fall; the held-out half shows whether the "
        "dependence is gone in new samples too. Less dependence need not mean more accuracy."
    )
    formats = {name: ".0%" if name.startswith("dependent") else ".3f" for name in frame}
    shown = frame.rename_axis("dataset").reset_index()
    table = tables.show(["accuracies", "dependence"], caption, rows=shown, own=formats)
    return [*blocks, table]
