"""Gains and losses of selection by separation score (Pavlenko and von Rosen)."""

import numpy as np
import pandas as pd

from xnbflow.papers.separation import (
    ALL,
    ALL_BLOCKS,
    AS_PRINTED,
    BY_TRUTH,
    EQ22,
    ESTIMATED_WEIGHTS,
    EXACT,
    FIGURE_1,
    REAL,
    TRUE_SCORES,
)
from xnbflow.papers.separation.drawings import draw_paper_figure, draw_weights
from xnbflow.papers.separation.entries import ANALYSIS
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import PageTables, StudyResults

#: Smaller risks are not drawn: they differ only in chance.
_LEAST_DRAWN_RISK = 1e-6
#: The paper's own distributions.
_PAPERS = ("uniform", "non-central chi-square")


def section(results: StudyResults) -> Section | None:
    """Return the gains of selection by separation score; None without errors to reduce."""
    tables = results.analysis(ANALYSIS)
    risk = tables["risk"]
    if risk.empty:
        return None
    by_size = {n: risk[risk["samples"] == n] for n in risk["samples"].unique()}
    sources = tables.sources("risk")
    numbers = [_score_table(tables, rows, n) for n, rows in by_size.items()]
    theorem1 = tables.show("theorem1", _THEOREM1)
    summary = tables["figure_summary"]
    exact = summary[summary["reading"] == EXACT].drop(columns="reading")
    figures = tables.show("figure_summary", _FIGURE_SUMMARY, rows=exact)
    readings = tables.show(
        "figure_summary",
        _READINGS,
        rows=summary.drop(columns=["helped", "harmed"]),
        declarations=dict.fromkeys(("least_gain", "mean_gain", "greatest_gain"), "+z.1%"),
    )
    of_paper: list[Block] = [
        Prose(_WHY_FORMULA_AND_RISK_DIFFER, sources=tables.sources("figure_summary")),
        readings,
        _paper_figures(tables, AS_PRINTED, "formula-figures", _FORMULA_FIGURES),
        _paper_figures(tables, EXACT, "figures", _FIGURES),
        figures,
    ]
    blocks: list[Block] = [
        Prose(_recommend_method(tables), "headline", tables.sources("verdicts", "risk")),
        Prose(_HOW_TO_READ),
        Gallery([_gain_figure(rows, n) for n, rows in by_size.items()], _GAINS, sources),
        Prose(_compare_with_claim(risk), sources=sources),
        _verdicts(tables),
        Group("The paper’s figures", of_paper, "Figures 1 and 2"),
        Group("All numbers", [Prose(_FORMULA), *numbers], "D, R, Eq. 9"),
        Group("Theorem 1", [theorem1], "printed, corrected, simulated"),
        Group("Weights", [_weights(tables)], "of a block by its score"),
    ]
    if len(tables["fitted"]):
        fitted = tables.show("fitted", _FITTED_TABLE, _FITTED_COLUMNS)
        note = "covariances estimated or known"
        means = tables.show("fitted_means", _SHRINKAGE)
        blocks.append(Group("BlockNB fitted", [means, fitted], note))
    if len(tables["blocks"]):
        blocks_of_series = tables.show("blocks", _BLOCKS)
        blocks.append(Group("Blocks found in data sets", [blocks_of_series], "shrinkage"))
    return Section(
        "separation",
        "Selection by separation score",
        "Effect on the error of a block classifier if blocks that separate the classes little are "
        "left out or get smaller weights. Gains above 0 are improvements.",
        blocks,
    )


_HOW_TO_READ = (
    "Features are in blocks, and each block has a score, which measures the separation of the two "
    "classes in the training samples. Its expectation is the true score plus the features in the "
    "block, so useless blocks have scores too. H is the distribution of the true scores over the "
    "blocks. D and R are the separation of the classes and the risk, the share misclassified, "
    "with all blocks; D~ and R~ those with selection. The gain 1 − R~/R is the share of the "
    "errors that selection saves. “Threshold at the true scores” and “weights, known H” need the "
    "truth: they are upper bounds."
)
_GAINS = (
    "Gain 1 − R~/R in per cent, with one standard error to either side. One panel per number of "
    "training samples in each class, each with its own scale; a row is a distribution of true "
    "scores. Hollow marks need the truth. Distributions with which all blocks leave fewer than one "
    "error in a million are not shown."
)
_FIGURES = (
    "The paper’s Figures 1 and 2: D and R with all blocks (solid), D~ and R~ with those that Eq. "
    "22 keeps (dashed), and the distribution of the gains of single training sets; 1,200 training "
    "samples per class and 100 blocks of 12 features. In Figure 1 true scores are uniform on [0, "
    "nb/2]. In Figure 2 they are non-central chi-square: as printed, with degrees of freedom and "
    "non-centrality drawn at random for each training set; beside it with the non-centrality 5 and "
    "degrees of freedom on a grid. Risks below one in a million are not drawn."
)
_FORMULA_FIGURES = (
    "The same figures by the paper’s own formula: D and R by Eq. 9, D~ = D + ε(D) by Eq. 19 at the "
    "mean score of the blocks that Eq. 22 leaves out, and R~ = Φ(−D~/2)."
)
_WHY_FORMULA_AND_RISK_DIFFER = (
    "The paper’s “up to 20%” are gains by its own formula, Eq. 19. It is no risk of a classifier, "
    "for two reasons. By its derivation Eq. 19 is the change of D², but it is added to D. And "
    "Theorem 1 omits the boundary term of Stein’s identity: blocks just below the threshold are "
    "left out because their observed scores are low by chance, while their true scores are higher. "
    "The exact risk given each training set has neither fault, and shows no gain on average."
)
_READINGS = "Gains 1 − R~/R of single training sets, by each reading."
_FIGURE_SUMMARY = "Gains 1 − R~/R of single training sets in the figures of the exact risk."
_VERDICTS = (
    "Numbers of distributions of a kind in which the gain is more than two standard errors above "
    "or below 0. Samples are per class, “all” means all sizes together; the best mean of each "
    "kind and size is marked."
)
_FORMULA = (
    "The gain by formula, Eq. 9 with Eqs. 15 and 16, is the limit of many blocks with H known. For "
    "methods that need no estimate of H it should equal the simulated gain within chance."
)
_THEOREM1 = (
    "Theorem 1 gives the mean signal of a classifier that keeps blocks from a threshold t on, as "
    "the sum of score − M over the kept blocks of M features. As printed it lacks the boundary "
    "term of Stein’s identity, −2 t b(t) per block, with b the density of the scores. The signal "
    "simulated with its relative standard error, and the error of the theorem: as printed, with "
    "the boundary term and H known, and with H estimated."
)
_WEIGHTS = (
    "The weight of a block by its score: solid with H known, dashed the median of the weights "
    "with H estimated, the band from their 5% to their 95% quantile over training sets. The "
    "dotted line is the threshold of Eq. 20, where weights step from 0 to 1. Only ratios of "
    "weights matter: where a curve is nearly level, selection gains nothing. Left of the "
    "threshold curves may leave the figure at the top; blocks with such scores are rare there."
)
_FITTED_TABLE = (
    "Exact risk of BlockNB given each training set; the risk that it estimates from the training "
    "samples alone; the risk with known covariances; and the gains over all blocks with "
    "covariances estimated and known. Means over fits; samples are per class."
)
_FITTED_COLUMNS = ["setting", "samples", "method", "risk", "risk_error", "expected_risk",
                   "known_covariance_risk", "gain", "gain_error", "known_gain", "kept",
                   "shrinkage"]  # fmt: skip
_SHRINKAGE = (
    "Covariances of blocks with few samples are shrunk: where a correlation matrix is singular or "
    "has fewer than ten degrees of freedom per feature, it is moved towards independence by the "
    "share that Ledoit and Wolf’s rule (2004) gives, 0 not at all, 1 all the way. The features of "
    "a block are independent in these simulated data, as shrinkage assumes; with dependent "
    "features the loss from few samples may be greater than here. Means and medians per sample "
    "size of the excess over the risk with known covariances, and of the estimated over the exact "
    "risk."
)
_BLOCKS = (
    "Blocks of the features whose residuals within classes correlate most. Mean |r|: the mean "
    "absolute correlation of features of one block. Blocks shrunk: the share whose covariance has "
    "too few samples; mean shrinkage: their intensity of shrinkage towards independence (Ledoit "
    "and Wolf), from 0 to 1. Kept and positive: the shares of blocks that Eq. 22 keeps, and of "
    "those whose score is above the mean of blocks that separate nothing, over pairs of classes."
)


def _percent(share: float) -> str:
    """Return a gain with a true minus sign."""
    return f"{share:.1%}".replace("-", "−")


def _least_gain(rows: pd.DataFrame) -> str:
    """Return the least gain, and where it is."""
    return _located_gain(rows.loc[rows["gain"].idxmin()])


def _greatest_gain(rows: pd.DataFrame) -> str:
    """Return the greatest gain, and where it is."""
    return _located_gain(rows.loc[rows["gain"].idxmax()])


def _located_gain(row: pd.Series) -> str:
    return f"{_percent(row['gain'])} ({row['setting']}, {row['samples']:,} samples per class)"


def _recommend_method(tables: PageTables) -> str:
    """Recommend the method with the greatest mean gain that does not need the truth."""
    risk = tables["risk"]
    verdicts = tables.rows("verdicts", distribution=ALL, samples=ALL).set_index("method")
    best = str(verdicts.loc[[ALL_BLOCKS, *REAL], "mean_gain"].idxmax())
    gains_of_best = verdicts.loc[best]
    gains_of_eq22 = verdicts.loc[EQ22]
    if best == ALL_BLOCKS:
        n_cases = f"{gains_of_best['cases']:.0f}"
        return f"Use all blocks: over {n_cases} cases no kind of selection gains on average."
    name = f"“{best}”"
    if best == ESTIMATED_WEIGHTS:
        name = "weights with H estimated from the scores"
    return (
        f"Use {name}: over {gains_of_best['cases']:.0f} distributions and sample sizes it gains "
        f"{_percent(gains_of_best['mean_gain'])} on average, "
        f"{_percent(gains_of_best['greatest_gain'])} at best, and at worst "
        f"{_least_gain(risk[risk['method'] == best])}. The paper’s rule, Eq. 22 as printed, gains "
        f"{_percent(gains_of_eq22['mean_gain'])} on average and at worst "
        f"{_least_gain(risk[risk['method'] == EQ22])}. Gains below 0 are losses."
    )


def _gain_figure(rows: pd.DataFrame, n: int) -> Figure:
    """Return the gain of each method with its standard error, a row per distribution."""
    wide = rows.pivot(index="setting", columns="method").loc[rows["setting"].unique()]
    groups = []
    for style, method in enumerate((*REAL, *BY_TRUTH)):
        gain = 100 * wide["gain", method].to_numpy()
        error = 100 * wide["gain_error", method].to_numpy()
        needs_truth = method in BY_TRUTH
        groups.append(
            RowPoints(
                method,
                values=gain,
                lower=gain - error,
                upper=gain + error,
                style=style,
                hollow=needs_truth,
            )
        )
    title = f"{n:,} samples per class"
    return Figure(
        f"separation-gains-{n}",
        draw_points,
        arguments={
            "title": title,
            "rows": wide.index.tolist(),
            "groups": groups,
            "xlabel": "gain 1 − R~/R in per cent",
            "levels": ("no gain", [0.0] * len(wide)),
            "length": 40,
        },
        caption="",
        alt=f"Points with standard errors: the gain of each method on each distribution, {title}.",
    )


def _paper_figures(tables: PageTables, reading: str, name: str, caption: str) -> Gallery:
    """Return the paper's two figures by a reading, and ours beside the second.

    The names of the figures have ``name``.
    """
    figures = []
    curves_of_reading = tables.rows("figures", reading=reading)
    drawn = curves_of_reading[curves_of_reading["risk"] >= _LEAST_DRAWN_RISK]
    for i, (figure, curves) in enumerate(drawn.groupby("figure", sort=False)):
        gains = tables.rows("figure_gains", reading=reading, figure=figure)
        arguments = {
            "title": str(figure),
            "scale": curves["scale"].to_numpy(),
            "separation": curves[["separation", "separation_selected"]].to_numpy().T,
            "risk": curves[["risk", "risk_selected"]].to_numpy().T,
            "edges": np.append(gains["gain_from"], gains["gain_to"].iloc[-1]),
            "counts": gains["training_sets"].to_numpy(),
            "xlabel": "nb/2" if figure == FIGURE_1 else "mean true score",
        }
        alt = f"{figure}: curves of D, D~, R and R~, and a histogram of the gains 1 − R~/R."
        figures.append(
            Figure(
                f"separation-{name}-{i}",
                draw_paper_figure,
                arguments=arguments,
                caption="",
                alt=alt,
            )
        )
    return Gallery(figures, caption, tables.sources("figures", "figure_gains"))


def _compare_with_claim(risk: pd.DataFrame) -> str:
    """Return the cases in which the paper's claim of up to 20% holds."""
    in_paper = risk["distribution"].isin(_PAPERS)
    method = risk["method"]
    cases = {
        "Eq. 22 there": risk[in_paper & (method == EQ22)],
        "a threshold at the true scores there": risk[in_paper & (method == TRUE_SCORES)],
        "Eq. 22 where a share of the blocks is useless": risk[~in_paper & (method == EQ22)],
        "weights with estimated H in that case": risk[~in_paper & (method == ESTIMATED_WEIGHTS)],
    }
    gains = [f"{name} {_greatest_gain(rows)}" for name, rows in cases.items() if len(rows)]
    return (
        "The paper finds “up to 20%” lower risk for uniform and non-central chi-square scores, by "
        "its Eq. 19 (see its figures below). "
        f"The greatest gains here: {'; '.join(gains)}."
    )


def _verdicts(tables: PageTables) -> Table:
    """Return the numbers of distributions of each kind with gains and losses of a method."""
    verdicts = tables["verdicts"]
    rows = verdicts[(verdicts["distribution"] != ALL) & verdicts["method"].isin(REAL)]
    rows = rows.reset_index(drop=True)
    best = rows.groupby(["distribution", "samples"])["mean_gain"].idxmax()
    columns = ["method", "distribution", "samples", "cases", "helps", "harms"]
    columns += ["least_gain", "mean_gain", "greatest_gain"]
    marked = frozenset((int(i), "mean_gain") for i in best)
    return tables.show("verdicts", _VERDICTS, columns, rows, best=marked)


def _score_table(tables: PageTables, rows: pd.DataFrame, n: int) -> Table:
    """Return D, D~, R, R~ and the gain of every method on every distribution."""
    all_blocks = rows[rows["method"] == ALL_BLOCKS].set_index("setting")
    rows = rows[rows["method"] != ALL_BLOCKS].reset_index(drop=True)
    rows["D"] = rows["setting"].map(all_blocks["separation"])
    rows["R"] = rows["setting"].map(all_blocks["risk"])
    best = rows[rows["method"].isin(REAL)].groupby("setting")["gain"].idxmax()
    caption = (
        f"{n:,} samples per class. R is the mean over training sets of a risk that is exact given "
        "each; sets harmed are training sets in which the method errs more often than all blocks "
        "do. The greatest gain that needs no truth is marked."
    )
    columns = ["setting", "method", "kept", "D", "separation", "R", "risk", "gain", "gain_error"]
    columns += ["asymptotic_gain", "sets_harmed"]
    marked = frozenset((int(i), "gain") for i in best)
    return tables.show(
        "risk", caption, columns, rows, declarations={"D": ".3f", "R": "#.3g"}, best=marked
    )


def _weights(tables: PageTables) -> Gallery:
    """Return a small figure of the weights per distribution."""
    figures = []
    quantiles = ["estimated_5_percent", "estimated_median", "estimated_95_percent"]
    for i, (setting, rows) in enumerate(tables["weights"].groupby("setting", sort=False)):
        arguments = {
            "title": str(setting),
            "scores": rows["score"].to_numpy(),
            "known": rows["known"].to_numpy(),
            "estimated": rows[quantiles].to_numpy().T,
            "threshold": float(rows["threshold"].iloc[0]),
        }
        alt = f"Curves: the weight of a score, {setting}."
        figures.append(
            Figure(
                f"separation-weights-{i}", draw_weights, arguments=arguments, caption="", alt=alt
            )
        )
    return Gallery(figures, _WEIGHTS, tables.sources("weights"))
