"""Conditionally independent components: recovery, prediction, classification (CICA paper, 6)."""

import pandas as pd

from xnbflow.report.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.drawings.descent import Band, draw_descent, draw_ratios
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.results import StudyResults

__all__ = ["section"]

_PAPER, _CHOSEN = "CICA, paper's width", "CICA, chosen width"
_METHODS = [
    "no transformation",
    "whitening",
    "symmetric whitening",
    "FastICA",
    _PAPER,
    _CHOSEN,
    "true sources",
]
_RECOVERY, _ERROR = "recovery error", "mean square error"
#: With which width of the regression the errors by step are computed.
_ERROR_AT_PAPERS, _ERROR_AT_CHOSEN = f"{_ERROR}, paper's width", f"{_ERROR}, chosen width"
_SETTING = ["inputs", "samples"]
_PAPER_INPUTS = 2
#: The sources are left again where the recovery error grows to this multiple of its least.
_LEAVES = 1.5


def section(results: StudyResults) -> Section | None:
    """Return how well CICA recovers sources, predicts and classifies; None without simulations.

    Parameters
    ----------
    results : StudyResults
        Has the tables of the analysis `xnbflow.studies.cica`.
    """
    tables = results.analysis("cica")
    summary, iterations = tables["summary"], tables["iterations"]
    if summary.empty:
        return None
    seeds = int(summary["seeds"].max())
    blocks: list[Block] = [
        Prose(_HOW_TO_READ),
        *_descents(iterations, summary, seeds),
        Group("At the end, beside other transformations", _ends(summary, seeds), opened=True),
        Group("Convergence and widths", [_fits_table(tables["fits"])], "of every setting"),
    ]
    if len(tables["classification"]):
        use = _classification(tables["classification"], tables["dependence"])
        blocks.append(Group("Classification", [use], "real data", opened=True))
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


def _descents(iterations: pd.DataFrame, summary: pd.DataFrame, seeds: int) -> list[Block]:
    """Return both measures by step, and what they say, per number of samples."""
    blocks: list[Block] = []
    for samples, rows in iterations.groupby("samples"):
        figures = [_descent(samples, measure, rows, summary) for measure in (_RECOVERY, _ERROR)]
        caption = (
            f"{samples} training samples, {seeds} runs: medians (lines) and the middle 80 % of "
            "runs (bands), from the mixture as it is. Blue: CICA with the paper’s width of the "
            "kernels; orange: with the width chosen from the data. Grey lines: medians of what has "
            "no steps. The lower, the better; the axis of the mean square error is logarithmic. "
            "The regression has the paper’s width throughout."
        )
        blocks += [Prose(_journey(samples, rows, summary), "headline"), Gallery(figures, caption)]
    return blocks


def _descent(samples: int, measure: str, rows: pd.DataFrame, summary: pd.DataFrame) -> Figure:
    bands = [
        Band(
            f"{width} width",
            *_of(rows, width, measure)[["lower", "median", "upper"]].T.to_numpy(),
        )
        for width in ("paper's", "chosen")
    ]
    rivals = _medians(summary, samples, measure if measure == _RECOVERY else _ERROR_AT_PAPERS)
    names = ["no transformation", "whitening", "FastICA", "true sources"]
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
            "ratios": measure == _ERROR,
        },
        "",
        f"Median {measure} by step: {ends}.",
    )


def _of(rows: pd.DataFrame, width: str, measure: str) -> pd.DataFrame:
    chosen = rows[(rows["width"] == width) & (rows["measure"] == measure)]
    return chosen.sort_values("step").reset_index(drop=True)


def _journey(samples: int, rows: pd.DataFrame, summary: pd.DataFrame) -> str:
    """Return how near each width comes to the sources, and where it ends."""
    paper, chosen = (_of(rows, width, _RECOVERY)["median"] for width in ("paper's", "chosen"))
    leaves = paper.iloc[-1] > _LEAVES * paper.min()
    text = (
        f"{samples} samples: with the paper’s width the recovery error falls from "
        f"{paper.iloc[0]:.2f} to {paper.min():.2f} at step {paper.idxmin()}, "
        f"{'then leaves the sources again and ends' if leaves else 'and ends'} at "
        f"{paper.iloc[-1]:.2f}; with the width chosen from the data it ends at "
        f"{chosen.iloc[-1]:.2f} (least: {chosen.min():.2f})."
    )
    first, last = _of(rows, "paper's", _ERROR)["median"].iloc[[0, -1]]
    other = _of(rows, "chosen", _ERROR)["median"].iloc[-1]
    truth = _medians(summary, samples, _ERROR_AT_PAPERS).get("true sources")
    return (
        f"{text} The mean square error falls from {first:.2f} to {last:.2f} and {other:.2f}; with "
        f"the true sources it is {truth:.2f}."
    )


def _medians(summary: pd.DataFrame, samples: int, measure: str) -> pd.Series:
    """Return a measure's median by method, with the paper's two inputs."""
    rows = summary[(summary["samples"] == samples) & (summary["measure"] == measure)]
    return rows[rows["inputs"] == _PAPER_INPUTS].set_index("method")["median"]


def _ends(summary: pd.DataFrame, seeds: int) -> list[Block]:
    """Return recovery and errors of every method in every setting, as pictures and as a table."""
    captions = {
        _RECOVERY: "How far the components are from the sources.",
        _ERROR_AT_PAPERS: "Regression with the paper’s width.",
        _ERROR_AT_CHOSEN: "Regression with a width chosen from the data.",
    }
    figures = [_points(summary, measure, text) for measure, text in captions.items()]
    caption = (
        f"Marks are medians over {seeds} runs, lines the middle 80 % of them; the further left, "
        "the better. True sources are what CICA looks for, but no bound for the mean square error: "
        "other components may predict better."
    )
    return [Gallery(figures, caption), Group("The same in numbers", [_summary_table(summary)])]


def _points(summary: pd.DataFrame, measure: str, text: str) -> Figure:
    chosen = summary[(summary["measure"] == measure) & (summary["seeds"] > 0)]
    methods = [name for name in _METHODS if (chosen["method"] == name).any()]
    groups = []
    for style, ((inputs, samples), rows) in enumerate(chosen.groupby(_SETTING)):
        values = rows.set_index("method")[["median", "lower", "upper"]].reindex(methods)
        label = f"{inputs} inputs, {samples} samples"
        groups.append(Points(label, *values.T.to_numpy().tolist(), style))
    return Figure(
        f"ends-{measure.replace(' ', '-').replace(',', '').replace(chr(39), '')}",
        draw_points if measure == _RECOVERY else draw_ratios,
        {"rows": methods, "groups": groups, "xlabel": measure},
        text,
        f"Points with bands: {measure} by method and setting.",
    )


def _summary_table(summary: pd.DataFrame) -> Table:
    order = {name: place for place, name in enumerate(_METHODS)}
    rows = summary[summary["seeds"] > 0].sort_values(
        ["measure", *_SETTING, "method"],
        key=lambda column: column.map(order) if column.name == "method" else column,
    )
    frame = rows[["method", *_SETTING, "measure", "median", "lower", "upper"]]
    caption = "Medians over runs, with the tenth and the ninetieth percentile."
    return Table(frame, caption, dict.fromkeys(["median", "lower", "upper"], ".3f"))


def _fits_table(fits: pd.DataFrame) -> Table:
    groups = fits.assign(converged=fits["converged"].astype(float)).groupby(
        [*_SETTING, "method"], sort=False
    )
    frame = groups[["width", "steps"]].median().join(groups["converged"].mean()).reset_index()
    frame = frame[frame["method"].isin([_PAPER, _CHOSEN, "FastICA"])]
    frame = frame[["method", *_SETTING, "width", "steps", "converged"]]
    caption = (
        "Median width of the kernels (1 is the paper’s, which shrinks with the samples as n to the "
        "power −1/6) and number of steps, and the share of runs that converged; those that do not "
        "say so in a warning."
    )
    return Table(frame, caption, {"width": ".3f", "steps": ".0f", "converged": ".0%"})


def _classification(classification: pd.DataFrame, dependence: pd.DataFrame) -> Table:
    """Return accuracy and dependence with and without CICA, a row per data set."""
    accuracy = classification.groupby(["dataset", "transformation"], sort=False)["accuracy"]
    mean, spread = accuracy.mean().unstack(), accuracy.std().unstack()
    ratios = dependence.pivot_table("ratio", "dataset", ["samples", "transformation"])
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
    frame = frame.rename_axis("data set").reset_index()
    caption = (
        "Flexible naive Bayes without and with CICA before it: mean accuracy over folds with its "
        "standard deviation, and the share of features that depend on another given the class. On "
        "the samples that CICA has seen the share should fall; the held-out half says whether the "
        "dependence is gone in new samples too. Less dependence need not mean more accuracy."
    )
    formats = dict.fromkeys(frame.columns[1:5], ".3f") | dict.fromkeys(frame.columns[5:], ".0%")
    return Table(frame, caption, formats)
