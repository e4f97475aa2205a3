"""Conditionally independent components: recovery, prediction, classification (CICA paper, 6)."""

import pandas as pd

from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.studies.cica import ANALYSIS
from xnbflow.studies.cica.contract import (
    AS_PAPER,
    CHOSEN_WIDTH,
    FAST_ICA,
    METHODS,
    PAPERS_WIDTH,
    RECOVERY_ERROR,
    SQUARE_ERROR,
    SYMMETRIC,
    TRUE_SOURCES,
    UNTRANSFORMED,
    WHITENING,
    square_error_at,
)
from xnbflow.studies.cica.drawings import Band, draw_descent, draw_ratios

__all__ = ["section"]

_SETTING = ["setting", "samples"]
_ERROR_AT_PAPERS, _ERROR_AT_CHOSEN = square_error_at("paper's"), square_error_at("chosen")


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
        Group("Convergence and widths", _fits(tables), "of every setting"),
    ]
    if len(tables["accuracies"]):
        frame = _classification(tables["accuracies"], tables["dependence"])
        sources = tables.sources("accuracies", "dependence")
        use: list[Block] = [
            *(Prose(text, "headline", sources) for text in _used(frame)),
            _classification_table(tables, frame),
        ]
        blocks.append(Group("Classification", use, "real data", opened=True))
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
    """Return both measures by step, as pictures and in words, per number of samples."""
    blocks: list[Block] = []
    descents, summary = tables["descents"], tables["summary"]
    for samples, rows in tables["iterations"].groupby("samples"):
        figures = [
            _descent(samples, measure, rows, summary) for measure in (RECOVERY_ERROR, SQUARE_ERROR)
        ]
        caption = (
            f"{samples} training samples, {seeds} runs: medians (lines) and the middle 80 % of "
            "runs (bands), from the mixture as it is. Blue: CICA with the paper’s width of the "
            "kernels; orange: with the width chosen from the data. Grey lines: medians of what has "
            "no steps. The lower, the better; the axis of the mean square error is logarithmic. "
            "The regression has the paper’s width throughout."
        )
        own = descents[descents["samples"] == samples].set_index(["measure", "width"])
        journey = _journey(samples, own, summary)
        blocks.append(Prose(journey, "headline", tables.sources("descents", "summary")))
        blocks.append(Gallery(figures, caption, tables.sources("iterations", "summary")))
    return blocks


def _descent(samples: int, measure: str, rows: pd.DataFrame, summary: pd.DataFrame) -> Figure:
    bands = [
        Band(
            f"{width} width",
            *_of(rows, width, measure)[["lower", "median", "upper"]].T.to_numpy(),
        )
        for width in ("paper's", "chosen")
    ]
    rivals = _medians(summary, samples, measure if measure == RECOVERY_ERROR else _ERROR_AT_PAPERS)
    names = [UNTRANSFORMED, WHITENING, FAST_ICA, TRUE_SOURCES]
    levels = [(name, float(rivals[name])) for name in names if name in rivals]
    ends = ", ".join(
        f"{band.label} {band.median[0]:.2f} to {band.median[-1]:.2f}" for band in bands
    )
    return Figure(
        f"{measure.replace(' ', '-')}-{samples}",
        draw_descent,
        {
            "title": f"{measure.capitalize()}, {samples} samples",
            "bands": bands,
            "levels": levels,
            "ylabel": measure,
            "ratios": measure == SQUARE_ERROR,
        },
        "",
        f"Median {measure} by step: {ends}.",
    )


def _of(rows: pd.DataFrame, width: str, measure: str) -> pd.DataFrame:
    chosen = rows[(rows["width"] == width) & (rows["measure"] == measure)]
    return chosen.sort_values("step").reset_index(drop=True)


def _journey(samples: int, descents: pd.DataFrame, summary: pd.DataFrame) -> str:
    """Return how near each width comes to the sources, whether it stays, and what that costs."""
    paper, chosen = (descents.loc[RECOVERY_ERROR, width] for width in ("paper's", "chosen"))
    error, other = (descents.loc[SQUARE_ERROR, width] for width in ("paper's", "chosen"))
    truth = _medians(summary, samples, _ERROR_AT_PAPERS)[TRUE_SOURCES]
    return (
        f"{samples:,} samples: with the paper’s width the recovery error {_approach(paper)}; with "
        f"the width chosen from the data it {_approach(chosen)}. The mean square error goes from "
        f"{error['start']:.2f} to {error['end']:.2f} and {other['end']:.2f}; with the true sources "
        f"it is {truth:.2f}."
    )


def _approach(descent: pd.Series) -> str:
    """Return in words how a recovery error falls, and whether it rises again."""
    first, least, last = descent[["start", "least", "end"]]
    if least == first:
        return f"never falls below its {first:.2f} at the start and ends at {last:.2f}"
    fall = f"falls from {first:.2f} to {least:.2f} at step {descent['least_at']}"
    if descent["leaves"]:
        return f"{fall}, then the descent leaves the sources again and ends at {last:.2f}"
    return f"{fall} and stays near it, at {last:.2f} in the end"


def _medians(summary: pd.DataFrame, samples: int, measure: str) -> pd.Series:
    """Return a measure's median by method, with the paper's two inputs and target."""
    rows = summary[(summary["samples"] == samples) & (summary["measure"] == measure)]
    return rows[rows["setting"] == AS_PAPER].set_index("method")["median"]


def _ends(tables: StudyTables, seeds: int) -> list[Block]:
    """Return recovery and errors of every method in every setting, as pictures and as a table."""
    summary = tables["summary"]
    captions = {
        RECOVERY_ERROR: "How far the components are from the sources.",
        _ERROR_AT_PAPERS: "Regression with the paper’s width.",
        _ERROR_AT_CHOSEN: "Regression with a width chosen from the data.",
    }
    figures = [_points(summary, measure, text) for measure, text in captions.items()]
    caption = (
        f"Marks are medians over {seeds} runs, lines the middle 80 % of them; the further left, "
        "the better. True sources are what CICA looks for, but no bound for the mean square error: "
        "other components may predict better. "
        f"{_of_whitening(summary)}Whitening of any kind and FastICA need sources that are "
        "uncorrelated, as the paper’s are because its target is symmetric around 0; a target on "
        "[0, 3] makes the correlated sources. Ten inputs are the two sources and eight variables "
        "that say nothing of the target, mixed: whitening and FastICA keep the directions of "
        "largest variance, which need not hold the sources."
    )
    return [
        Prose(_recovered(summary), "headline", tables.sources("summary")),
        *_predicted(tables),
        Gallery(figures, caption, tables.sources("summary")),
        Group("The same in numbers", [_summary_table(tables)]),
    ]


def _of_whitening(summary: pd.DataFrame) -> str:
    """Return how near symmetric whitening comes with the paper's mixture, which is symmetric."""
    rows = summary[(summary["measure"] == RECOVERY_ERROR) & (summary["setting"] == AS_PAPER)]
    whitened, mixed = (rows[rows["method"] == name] for name in (SYMMETRIC, UNTRANSFORMED))
    if whitened.empty or mixed.empty:
        return ""
    return (
        "The paper’s mixture is symmetric, which suits symmetric whitening: its recovery error "
        f"there is {_by_samples(whitened)}, where the mixture as it is has {_by_samples(mixed)}. "
    )


def _recovered(summary: pd.DataFrame) -> str:
    """Return the recovery error by number of samples of CICA, and of what ignores the target."""
    known = summary[(summary["measure"] == RECOVERY_ERROR) & (summary["seeds"] > 0)]
    names = {
        CHOSEN_WIDTH: "CICA with the width chosen from the data",
        PAPERS_WIDTH: "with the paper’s width",
        FAST_ICA: "FastICA, which ignores the target,",
    }
    texts = []
    for setting, rows in known.groupby("setting"):
        found = [
            f"{name} {_by_samples(rows[rows['method'] == method])}"
            for method, name in names.items()
            if (rows["method"] == method).any()
        ]
        texts.append(f"{setting.capitalize()}: {'; '.join(found)}.")
    return f"Median recovery error. {' '.join(texts)}"


def _by_samples(rows: pd.DataFrame) -> str:
    ordered = rows.sort_values("samples")
    pairs = zip(ordered["median"], ordered["samples"], strict=True)
    return ", ".join(f"{median:.2f} (n = {n:,})" for median, n in pairs)


def _predicted(tables: StudyTables) -> list[Block]:
    """Return how the errors with CICA compare with those without it and with true sources."""
    summary = tables["summary"]
    widths = {_ERROR_AT_PAPERS: "paper's", _ERROR_AT_CHOSEN: "chosen"}
    rows = summary[summary["measure"].isin(widths)]
    rows = rows.assign(regression=rows["measure"].map(widths))
    rows = rows.set_index([*_SETTING, "regression", "method"]).sort_index()
    medians, shares = rows["median"].unstack(), rows["of_untransformed"].unstack()
    without, truth = medians[UNTRANSFORMED], medians[TRUE_SOURCES]
    frame = pd.DataFrame({"without CICA": without})
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
    formats = {name: ".0%" if name.startswith("of that") else ".3f" for name in frame.columns}
    headline = f"The median mean square error with CICA is {'; '.join(texts)}."
    return [
        Prose(headline, "headline", tables.sources("summary")),
        tables.show("summary", caption, rows=frame.reset_index(), own=formats),
    ]


def _points(summary: pd.DataFrame, measure: str, text: str) -> Figure:
    chosen = summary[(summary["measure"] == measure) & (summary["seeds"] > 0)]
    methods = [name for name in METHODS if (chosen["method"] == name).any()]
    settings = summary[_SETTING].drop_duplicates().sort_values(_SETTING)
    styles = {setting: i for i, setting in enumerate(settings.itertuples(index=False, name=None))}
    groups = []
    for (setting, samples), rows in chosen.groupby(_SETTING):
        values = rows.set_index("method")[["median", "lower", "upper"]].reindex(methods)
        label = f"{setting}, {samples:,} samples"
        style = styles[setting, samples]
        median, lower, upper = values.T.to_numpy().tolist()
        groups.append(Points(label, median, lower, upper, style))
    return Figure(
        f"ends-{measure.replace(' ', '-').replace(',', '').replace(chr(39), '')}",
        draw_points if measure == RECOVERY_ERROR else draw_ratios,
        {"rows": methods, "groups": groups, "xlabel": measure},
        text,
        f"Points with bands: {measure} by method and setting.",
    )


def _summary_table(tables: StudyTables) -> Table:
    summary = tables["summary"]
    order = {name: place for place, name in enumerate(METHODS)}
    rows = summary[summary["seeds"] > 0].sort_values(
        ["measure", *_SETTING, "method"],
        key=lambda column: column.map(order) if column.name == "method" else column,
    )
    columns = ["method", *_SETTING, "measure", "median", "lower", "upper"]
    caption = "Medians over runs, with the tenth and the ninetieth percentile."
    return tables.show("summary", caption, columns, rows)


def _fits(tables: StudyTables) -> list[Block]:
    """Return how many runs converged, in words, and per setting as a table."""
    counts = [
        f"{row.method}: {row.converged_runs:,} of {row.runs:,} ({row.converged:.0%})"
        for row in tables["converged"].sort_values("method", key=_place).itertuples()
    ]
    caption = (
        "Median width of the kernels (1 is the paper’s, which shrinks with the samples as n to the "
        "power −1/6) and number of steps, and the share of runs that converged; each of the others "
        "gives a warning."
    )
    columns = ["method", *_SETTING, "width", "steps", "runs", "converged"]
    return [
        Prose(f"Runs that converged. {'; '.join(counts)}.", sources=tables.sources("converged")),
        tables.show("convergence", caption, columns),
    ]


def _place(methods: pd.Series) -> pd.Series:
    """Return the places of methods in the order in which they are shown."""
    return methods.map({CHOSEN_WIDTH: 1, FAST_ICA: 2}).fillna(0)


def _classification(accuracies: pd.DataFrame, dependence: pd.DataFrame) -> pd.DataFrame:
    """Return accuracy and dependence with and without CICA, a row per data set."""
    accuracy = accuracies.set_index(["dataset", "transformation"]).unstack(sort=False)
    mean, spread = accuracy["mean"], accuracy["sd"]
    keys = ["dataset", "samples", "transformation"]
    ratios = dependence.set_index(keys)["ratio"].unstack(["samples", "transformation"], sort=False)
    frame = pd.DataFrame(
        {
            "accuracy without": mean["none"],
            "sd without": spread["none"],
            "accuracy with": mean["CICA"],
            "sd with": spread["CICA"],
            **{
                f"dependent, {samples}, {'before' if kind == 'none' else 'after'}": ratios[
                    samples, kind
                ]
                for samples in dependence["samples"].unique()
                for kind in ("none", "CICA")
            },
        }
    )
    return frame.rename_axis("dataset").reset_index()


def _used(frame: pd.DataFrame) -> list[str]:
    """Return per data set what CICA does to the accuracy and to the dependence."""
    befores = [name for name in frame.columns if name.endswith(", before")]
    texts = []
    for row in frame.to_dict("records"):
        parts = []
        for before in befores:
            samples = before.removeprefix("dependent, ").removesuffix(", before")
            after = row[f"dependent, {samples}, after"]
            parts.append(f"from {row[before]:.0%} to {after:.0%} (samples: {samples})")
        texts.append(
            f"{row['dataset']}: flexible naive Bayes is right in {row['accuracy without']:.1%} of "
            f"cases without CICA and in {row['accuracy with']:.1%} with it. The share of features "
            f"that depend on another given the class goes {' and '.join(parts)}."
        )
    return texts


def _classification_table(tables: StudyTables, frame: pd.DataFrame) -> Table:
    caption = (
        "Flexible naive Bayes without and with CICA before it: mean accuracy over folds with its "
        "standard deviation, and the share of features that depend on another given the class. On "
        "the samples that CICA has seen the share should fall; the held-out half says whether the "
        "dependence is gone in new samples too. Less dependence need not mean more accuracy."
    )
    formats = dict.fromkeys(frame.columns[1:5], ".3f") | dict.fromkeys(frame.columns[5:], ".0%")
    return tables.show(["accuracies", "dependence"], caption, rows=frame, own=formats)
