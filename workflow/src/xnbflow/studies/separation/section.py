"""Selection by separation score: where it helps, where it harms (Pavlenko and von Rosen)."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.studies.separation import (
    ALL,
    ALL_BLOCKS,
    ANALYSIS,
    BY_TRUTH,
    EQ22,
    ESTIMATED_WEIGHTS,
    REAL,
    STYLES,
    TRUE_SCORES,
)
from xnbflow.studies.separation.drawings import Marks, draw_differences, draw_marks, draw_weights

__all__ = ["section"]

#: The paper's own distributions, and the gain it claims on them.
_PAPERS, _CLAIM = ("uniform", "non-central chi-square"), 0.2
#: How near to Eq. 9 the simulated risk ought to be, by samples per class; of others, the last.
_TOLERANCES, _TOLERANCE = {1200: 0.001}, 0.002


def section(results: StudyResults) -> Section | None:
    """Return what selection by separation score gains; None where there is no risk to reduce.

    Parameters
    ----------
    results : StudyResults
        Has the tables of the analysis `xnbflow.studies.separation.compute`.
    """
    tables = results.analysis(ANALYSIS)
    risk = tables["risk"]
    if risk.empty:
        return None
    by_size = {n: risk[risk["samples"] == n] for n in risk["samples"].unique()}
    gains = [_gains(rows, n) for n, rows in by_size.items()]
    numbers = [_numbers(tables, rows, n) for n, rows in by_size.items()]
    blocks: list[Block] = [
        Prose(_advice(tables), "headline", tables.sources("verdicts", "risk")),
        Prose(_HOW_TO_READ),
        Gallery(gains, _GAINS_CAPTION, tables.sources("risk")),
        Prose(_of_the_claim(risk), sources=tables.sources("risk")),
        _verdicts(tables),
        Group("All numbers", numbers, "D, D~, R, R~"),
        Group("Simulated risk beside the formula", _formula(tables, by_size), "Eq. 9"),
        Group("Theorem 1", _theorem1(tables), "printed, corrected, simulated"),
        Group("Weights", [_weights(tables)], "what a score is worth"),
    ]
    if len(tables["fitted"]):
        blocks.append(Group("BlockNB fitted", _fitted(tables), "covariances estimated or known"))
    if len(tables["blocks"]):
        found = tables.show("blocks", _OF_BLOCKS)
        blocks.append(Group("Blocks found in data sets", [found], "shrinkage"))
    return Section(
        "separation",
        "Selection by separation score",
        "Whether a classifier made of blocks of features errs less when blocks that separate the "
        "classes little are dropped, or weighted down: gains above 0 help, below 0 harm.",
        blocks,
    )


_HOW_TO_READ = (
    "Features are in blocks, and each block has a score: how far apart it puts the two classes, "
    "in the training samples. Its expectation is the true score plus the features in the block, "
    "so useless blocks have scores too. H is the distribution of the true scores over the blocks. "
    "D and R are the separation of the classes and the risk, the share misclassified, with all "
    "blocks; D~ and R~ those with selection. The gain 1 − R~/R is the share of the errors that "
    "selection saves. “Threshold at the true scores” and “weights, known H” need the truth and "
    "are no methods to use: they show what could be had."
)
_GAINS_CAPTION = (
    "Gain 1 − R~/R in per cent, with one standard error to either side: right of the line "
    "selection saves errors, left of it selection makes more of them. One panel per number of "
    "training samples in each class, each with its own scale; a row is a distribution of true "
    "scores. Hollow marks are what could be had if the truth were known. Distributions with which "
    "all blocks leave fewer than one error in a million are not shown."
)


_OF_BLOCKS = (
    "Blocks of the features whose residuals within classes correlate most. Mean |r|: how "
    "strongly, between features of one block. Blocks shrunk: the share whose covariance has "
    "too few samples; mean shrinkage: how far these are moved towards independence (Ledoit "
    "and Wolf), 1 being all the way, where blocks are as good as none."
)


def _advice(tables: StudyTables) -> str:
    """Return which method to use: that of the greatest mean gain among those that can be had."""
    risk, whole = tables["risk"], tables.rows("verdicts", distribution=ALL, samples=ALL)
    whole = whole.set_index("method").loc[[ALL_BLOCKS, *REAL]]
    best = str(whole["mean_gain"].idxmax())
    own, printed = whole.loc[best], whole.loc[EQ22]
    if best == ALL_BLOCKS:
        return (
            f"Use all blocks: over {own['cases']:.0f} cases no kind of selection gains on average."
        )
    name = {ESTIMATED_WEIGHTS: "weights with H estimated from the scores"}.get(best, f"“{best}”")
    worst = {method: risk[risk["method"] == method] for method in (best, EQ22)}
    case = {method: _case(rows.loc[rows["gain"].idxmin()]) for method, rows in worst.items()}
    return (
        f"Use {name}: over {own['cases']:.0f} distributions and sample sizes it gains "
        f"{_percent(own['mean_gain'])} on average, {_percent(own['greatest_gain'])} at best, and "
        f"at worst {_percent(own['least_gain'])} ({case[best]}). The paper’s rule, Eq. 22 "
        f"as printed, gains {_percent(printed['mean_gain'])} on average and "
        f"{_percent(printed['least_gain'])} at worst ({case[EQ22]}). Gains below 0 are losses."
    )


def _percent(share: float) -> str:
    """Return a gain with a true minus sign."""
    return f"{share:.1%}".replace("-", "−")


def _case(row: pd.Series) -> str:
    return f"{row['setting']}, {row['samples']:,} samples per class"


def _gains(rows: pd.DataFrame, n: int) -> Figure:
    settings = rows["setting"].unique()
    series = [
        _marks(rows, settings, method, "gain", "gain_error", hollow=method in BY_TRUTH)
        for method in (*REAL, *BY_TRUTH)
    ]
    alt = f"Points with standard errors: the gain of each method on each distribution, {n} samples "
    return Figure(
        f"separation-gains-{n}",
        draw_marks,
        {
            "title": f"{n:,} samples per class",
            "rows": settings.tolist(),
            "series": series,
            "xlabel": "gain 1 − R~/R in per cent",
        },
        "",
        alt + "per class.",
    )


def _marks(
    rows: pd.DataFrame,
    settings: Iterable[str],
    method: str,
    value: str,
    error: str,
    *,
    hollow: bool = False,
    label: str | None = None,
) -> Marks:
    """Return a column of a method in per cent by setting; an empty ``error`` means none."""
    own = rows[rows["method"] == method].set_index("setting").loc[list(settings)]
    errors = 100 * own[error].to_numpy() if error else np.zeros(len(own))
    name = method if label is None else label
    return Marks(name, 100 * own[value].to_numpy(), errors, STYLES[method], hollow)


def _verdicts(tables: StudyTables) -> Table:
    """Return in how many distributions of each kind a method helps and harms."""
    verdicts = tables["verdicts"]
    rows = verdicts[(verdicts["distribution"] != ALL) & verdicts["method"].isin(REAL)]
    rows = rows.reset_index(drop=True)
    best = rows.groupby(["distribution", "samples"])["mean_gain"].idxmax()
    caption = (
        "Where selection helps and where it harms: in how many distributions of a kind the gain is "
        "more than two standard errors above 0, or below. Samples are per class, “all” "
        "means all sizes together; the best mean of each kind and size is marked."
    )
    columns = ["method", "distribution", "samples", "cases", "helps", "harms"]
    columns += ["least_gain", "mean_gain", "greatest_gain"]
    marked = frozenset((int(i), "mean_gain") for i in best)
    return tables.show("verdicts", caption, columns, rows, best=marked)


def _of_the_claim(risk: pd.DataFrame) -> str:
    """Return where the paper's claim of up to 20% holds."""
    papers = risk["distribution"].isin(_PAPERS)
    rule = risk["method"] == EQ22
    text = "The paper finds “up to 20%” lower risk for uniform and non-central chi-square scores."
    if (papers & rule).any():
        text += f" Here Eq. 22 gains at most {_at_most(risk[papers & rule])} there, "
        text += f"and {_reached(risk[papers & rule])}; "
        own = risk[papers & (risk["method"] == TRUE_SCORES)]
        text += f"a threshold at the true scores would gain at most {_at_most(own)}."
    if (~papers & rule).any():
        weights = risk[~papers & (risk["method"] == ESTIMATED_WEIGHTS)]
        text += f" Where a share of the blocks is useless, Eq. 22 {_reached(risk[~papers & rule])}."
        text += f" Weighting with estimated H {_reached(weights)}."
    return text


def _at_most(rows: pd.DataFrame) -> str:
    best = rows.loc[rows["gain"].idxmax()]
    return f"{_percent(best['gain'])} ({_case(best)})"


def _reached(rows: pd.DataFrame) -> str:
    """Return in which cases the gain is as great as the paper claims."""
    good = rows[rows["gain"] >= _CLAIM]
    if good.empty:
        return f"reaches {_CLAIM:.0%} nowhere"
    cases = [
        f"with {n:,} samples per class {'; '.join(own['setting'])}"
        for n, own in good.groupby("samples")
    ]
    return f"reaches {_CLAIM:.0%} in {len(good)} of {len(rows)} cases ({'. '.join(cases)})"


def _numbers(tables: StudyTables, rows: pd.DataFrame, n: int) -> Table:
    """Return D, D~, R, R~ and the gain of every method on every distribution."""
    whole = rows[rows["method"] == ALL_BLOCKS].set_index("setting")
    rows = rows[rows["method"] != ALL_BLOCKS].reset_index(drop=True)
    rows = rows.assign(
        D=rows["setting"].map(whole["separation"]), R=rows["setting"].map(whole["risk"])
    )
    best = rows[rows["method"].isin(REAL)].groupby("setting")["gain"].idxmax()
    caption = (
        f"{n:,} samples per class. R is the mean over training sets of a risk that is exact given "
        "each; sets harmed are training sets in which the method errs more often than all blocks "
        "do. The greatest gain that needs no truth is marked."
    )
    columns = ["setting", "method", "kept", "D", "separation", "R", "risk", "gain", "gain_error"]
    columns += ["asymptotic_gain", "sets_harmed"]
    marked = frozenset((int(i), "gain") for i in best)
    own = {"D": ".3f", "R": "#.3g"}
    return tables.show("risk", caption, columns, rows, own=own, best=marked)


def _formula(tables: StudyTables, by_size: dict[int, pd.DataFrame]) -> list[Block]:
    """Return how far the simulated risk is from the asymptotic one."""
    texts, figures = [], []
    for n, rows in by_size.items():
        exact = rows["method"].isin([ALL_BLOCKS, *BY_TRUTH])
        known, others = rows[exact], rows[~exact]
        difference = known["risk_difference"].abs()
        at = known.loc[difference.idxmax()]
        above = len(others[others["risk_difference"] > 0])
        texts.append(
            f"With {n:,} samples per class they differ by at most {difference.max():.4f} (standard "
            f"error {at['risk_error']:.4f}; {at['method']}, {at['setting']}), and methods that "
            f"estimate H err more than the formula says in {above} of {len(others)} cases."
        )
        parts = {m: rows[rows["method"] == m] for m in STYLES if (rows["method"] == m).any()}
        series = [
            Marks(m, own["risk_difference"].to_numpy(), own["risk_error"].to_numpy(), STYLES[m])
            for m, own in parts.items()
        ]
        figures.append(
            Figure(
                f"separation-formula-{n}",
                draw_differences,
                {
                    "title": f"{n:,} samples per class",
                    "series": series,
                    "expected": [own["asymptotic_risk"].to_numpy() for own in parts.values()],
                    "band": _TOLERANCES.get(n, _TOLERANCE),
                },
                "",
                f"Points: simulated risk less the formula’s, by method, {n} samples per class.",
            )
        )
    explained = (
        "The formula, Eq. 9 and Eqs. 15 and 16, is the limit of many blocks. It knows H and so "
        "forgets what estimating H costs; for methods that need no estimate it should hold within "
        f"chance. {' '.join(texts)}"
    )
    shades = "; ".join(
        f"{_TOLERANCES.get(n, _TOLERANCE):g} with {n:,} samples per class" for n in by_size
    )
    caption = (
        "Simulated risk less that of the formula, with one standard error to either side: the "
        f"nearer to the line, the better the formula. The shade is {shades}."
    )
    sources = tables.sources("risk")
    return [Prose(explained, sources=sources), Gallery(figures, caption, sources)]


def _theorem1(tables: StudyTables) -> list[Block]:
    """Return Theorem 1 as printed, corrected and simulated."""
    table, sources = tables["theorem1"], tables.sources("theorem1")
    worst = {form: 100 * table[f"{form}_off"].abs().max() for form in _FORMS}
    error = 100 * table["relative_error"].max()
    explained = (
        "Theorem 1 gives the mean signal of a classifier that keeps blocks from a threshold t on. "
        "As printed it is the sum of score − M over the kept blocks of M features. That forgets "
        "that chance lifts some blocks over the threshold: Stein’s identity has a boundary term, "
        "−2 t b(t) per block, with b the density of the scores. "
        f"As printed it is off by up to {worst['printed']:.0f}% of the simulated signal; with the "
        f"boundary term by up to {worst['corrected']:.2g}% where H is known (the simulation’s own "
        f"standard error is up to {error:.2g}%, and the formula’s sum "
        "over the same training sets varies by chance too), and by up to "
        f"{worst['corrected_estimated']:.2g}% where H is estimated."
    )
    rows = table[table["rule"] == EQ22]
    errors = 100 * rows["relative_error"].to_numpy()
    figure = Figure(
        "separation-theorem1",
        draw_marks,
        {
            "title": "Theorem 1, threshold of Eq. 22",
            "rows": rows["setting"].tolist(),
            "series": [
                Marks(name, 100 * rows[f"{form}_off"].to_numpy(), errors, style)
                for style, (form, name) in enumerate(_FORMS.items())
            ],
            "xlabel": "above the simulated signal, per cent (logarithmic beyond 1)",
            "band": 1.0,
            "logarithmic": True,
        },
        "How far the theorem is off: right of the line it promises too much. Within the shade "
        "(1%) the axis is even, beyond logarithmic.",
        "Points: per cent by which the forms of Theorem 1 exceed the simulated signal.",
        sources,
    )
    caption = "The signal n E, simulated and by the three forms of Theorem 1."
    columns = ["setting", "rule", "threshold", "kept", "simulated", "simulated_error", *_FORMS]
    return [
        Prose(explained, sources=sources),
        figure,
        tables.show("theorem1", caption, columns),
    ]


_FORMS = {
    "printed": "as printed",
    "corrected": "with boundary term",
    "corrected_estimated": "with it, estimated H",
}


def _weights(tables: StudyTables) -> Gallery:
    """Return a small picture of the weights per distribution."""
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
        figures.append(Figure(f"separation-weights-{i}", draw_weights, arguments, "", alt))
    caption = (
        "The weight of a block by its score: solid with H known, dashed the median of the weights "
        "with H estimated, the band from their 5% to their 95% quantile over training sets. The "
        "dotted line is the threshold of Eq. 20: a threshold steps there from 0 to 1, where "
        "weights rise slowly. Only ratios of weights matter: a curve that is nearly level where "
        "most scores are says that selection has nothing to gain. Left of the threshold curves may "
        "leave the picture at the top; blocks with such scores are rare there."
    )
    return Gallery(figures, caption, tables.sources("weights"))


def _fitted(tables: StudyTables) -> list[Block]:
    """Return BlockNB, its covariances estimated, beside the simulation with known ones."""
    texts, figures = [_SHRINKAGE], []
    for row in tables["fitted_means"].itertuples():
        known, exact = (
            f"{abs(share):.1%} {'below' if share < 0 else 'above'}"
            for share in (row.above_known, row.above_exact)
        )
        texts.append(
            f"With {row.samples:,} samples per class the mean shrinkage is {row.shrinkage:.2f}, "
            f"the risk is in the median {known} that with known covariances, and what BlockNB "
            f"expects of itself is {exact} its exact risk."
        )
    for n, rows in tables["fitted"].groupby("samples", sort=False):
        settings = rows["setting"].unique()
        series = []
        for method in (m for m in REAL if (rows["method"] == m).any()):
            series.append(_marks(rows, settings, method, "gain", "gain_error"))
            series.append(_marks(rows, settings, method, "known_gain", "", hollow=True, label=""))
        figures.append(
            Figure(
                f"separation-fitted-{n}",
                draw_marks,
                {
                    "title": f"{n:,} samples per class",
                    "rows": settings.tolist(),
                    "series": series,
                    "xlabel": "gain in per cent",
                },
                "",
                f"Points: gains of fitted BlockNB and, as rings, with known covariances, {n} "
                "samples per class.",
            )
        )
    caption = (
        "Gain over BlockNB with all blocks, in per cent: full marks BlockNB fitted to normal data, "
        "its covariances estimated, with standard errors as if methods had been fitted to "
        "different data, so rather too wide; hollow ones the simulation with known covariances. "
        "Marks near their hollow ones show that the simulation’s advice holds for the real "
        "classifier."
    )
    explained = (
        "Exact risk of BlockNB given each training set; the risk it expects of itself, from the "
        "training samples alone, where less than the exact one is too hopeful; and the risk with "
        "known covariances. Means over fits; samples are per class."
    )
    columns = ["setting", "samples", "method", "risk", "risk_error", "expected_risk"]
    columns += ["known_covariance_risk", "kept", "shrinkage"]
    return [
        Prose(" ".join(texts), sources=tables.sources("fitted_means")),
        Gallery(figures, caption, tables.sources("fitted")),
        tables.show("fitted", explained, columns),
    ]


_SHRINKAGE = (
    "Covariances of blocks with few samples are shrunk: where a correlation matrix is singular or "
    "has fewer than ten degrees of freedom per feature, it is moved towards independence by the "
    "share that Ledoit and Wolf’s rule (2004) gives, 0 not at all, 1 all the way. The features of "
    "a block are independent in these simulated data, as shrinkage supposes: where they are not, "
    "few samples may cost more than here."
)
