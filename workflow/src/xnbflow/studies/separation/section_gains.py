"""What selection by separation score gains: advice, pictures and numbers of the simulated risk."""

import pandas as pd

from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Table
from xnbflow.report.results import StudyTables
from xnbflow.studies.separation.contract import (
    ALL,
    ALL_BLOCKS,
    BY_TRUTH,
    EQ22,
    ESTIMATED_WEIGHTS,
    REAL,
    STYLES,
    setting_rows,
)
from xnbflow.studies.separation.drawings import Marks, draw_marks

__all__ = ["gain_blocks"]

#: The paper's own distributions, and the gain it claims on them.
_PAPERS, _CLAIM = ("uniform", "non-central chi-square"), 0.2


def gain_blocks(tables: StudyTables) -> list[Block]:
    """Return where selection helps and where it harms."""
    risk, verdicts = tables["risk"], tables["verdicts"]
    samples = list(risk["samples"].unique())
    return [
        Prose(_advice(risk, verdicts), "headline", tables.sources("verdicts", "risk")),
        Prose(_HOW_TO_READ),
        Gallery([_gains(risk, n) for n in samples], _GAINS_CAPTION, tables.sources("risk")),
        *_where(tables),
        Prose(_of_the_claim(risk), sources=tables.sources("risk")),
        _verdicts(tables),
        Group("All numbers", [_numbers(tables, n) for n in samples], "D, D~, R, R~"),
    ]


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


def _advice(risk: pd.DataFrame, verdicts: pd.DataFrame) -> str:
    """Return which method to use: that of the greatest mean gain among those that can be had."""
    whole = verdicts[(verdicts["distribution"] == ALL) & (verdicts["samples"] == ALL)]
    whole = whole.set_index("method").loc[[ALL_BLOCKS, *REAL]]
    best = str(whole["mean_gain"].idxmax())
    own, printed = whole.loc[best], whole.loc[EQ22]
    if best == ALL_BLOCKS:
        return (
            f"Use all blocks: over {own['cases']:.0f} cases no kind of selection gains on average."
        )
    name = {ESTIMATED_WEIGHTS: "weights with H estimated from the scores"}.get(best, f"“{best}”")
    return (
        f"Use {name}: over {own['cases']:.0f} distributions and sample sizes it gains "
        f"{_percent(own['mean_gain'])} on average, {_percent(own['greatest_gain'])} at best, and "
        f"at worst {_percent(own['least_gain'])} ({_worst(risk, best)}). The paper’s rule, Eq. 22 "
        f"as printed, gains {_percent(printed['mean_gain'])} on average and "
        f"{_percent(printed['least_gain'])} at worst ({_worst(risk, EQ22)}). Gains below 0 are "
        "losses."
    )


def _worst(risk: pd.DataFrame, method: str) -> str:
    """Return the case with the least gain of a method."""
    own = risk[risk["method"] == method]
    return _case(own.loc[own["gain"].idxmin()])


def _percent(share: float) -> str:
    """Return a gain with a true minus sign."""
    return f"{share:.1%}".replace("-", "−")


def _case(row: pd.Series) -> str:
    return f"{row['setting']}, {row['samples']:,} samples per class"


def _gains(risk: pd.DataFrame, n: int) -> Figure:
    chosen = risk[risk["samples"] == n]
    settings = chosen["setting"].unique()
    series = []
    for method in (*REAL, *BY_TRUTH):
        own = chosen[chosen["method"] == method].set_index("setting").loc[settings]
        values, errors = 100 * own["gain"].to_numpy(), 100 * own["gain_error"].to_numpy()
        series.append(Marks(method, values, errors, STYLES[method], method in BY_TRUTH))
    return Figure(
        f"separation-gains-{n}",
        draw_marks,
        {
            "title": f"{n:,} samples per class",
            "rows": setting_rows(settings),
            "series": series,
            "xlabel": "gain 1 − R~/R in per cent",
        },
        "",
        f"Points with standard errors: the gain of each method on each distribution, {n} samples "
        "per class.",
    )


def _verdicts(tables: StudyTables) -> Table:
    """Return in how many distributions of each kind a method helps and harms."""
    rows = tables["verdicts"]
    rows = rows[(rows["samples"] != ALL) & rows["method"].isin(REAL)].reset_index(drop=True)
    for column in _ENDS:
        rows[column] = 100 * rows[column]
    best = {
        (int(own["mean_gain"].idxmax()), "mean_gain")
        for _, own in rows.groupby(["distribution", "samples"])
    }
    caption = (
        "Where selection helps and where it harms: in how many distributions of a kind the gain is "
        "more than two standard errors above 0, or below. Samples are per class; the best "
        "mean of each kind and sample size is marked."
    )
    columns = ["method", "distribution", "samples", "cases", "helps", "harms", *_ENDS]
    return tables.show("verdicts", caption, columns, rows, best=frozenset(best))


_ENDS = ("least_gain", "mean_gain", "greatest_gain")


def _where(tables: StudyTables) -> list[Block]:
    """Return, for each kind of distribution, where the paper's rule and the weights help."""
    verdicts = tables["verdicts"]
    kinds = verdicts[(verdicts["samples"] == ALL) & (verdicts["distribution"] != ALL)]
    blocks: list[Block] = []
    for kind, rows in kinds.groupby("distribution", sort=False):
        of_kind = rows.set_index("method")
        parts = [_counted(of_kind.loc[method]) for method in (EQ22, ESTIMATED_WEIGHTS)]
        text = f"{_KINDS.get(str(kind), str(kind))}: {'; '.join(parts)}."
        blocks.append(Prose(text, sources=tables.sources("verdicts")))
    return blocks


_KINDS = {
    "uniform": "Uniform true scores",
    "non-central chi-square": "Non-central chi-square true scores",
    "useless and uniform": "A share of the blocks useless",
}


def _counted(row: pd.Series) -> str:
    weights = row.name == ESTIMATED_WEIGHTS
    name = "the weights with estimated H" if weights else row.name
    verb = ("help", "harm") if weights else ("helps", "harms")
    return (
        f"{name} {verb[0]} in {row['helps']} and {verb[1]} in {row['harms']} of {row['cases']} "
        f"cases (gains from {_percent(row['least_gain'])} to {_percent(row['greatest_gain'])})"
    )


def _of_the_claim(risk: pd.DataFrame) -> str:
    """Return where the paper's claim of up to 20% holds."""
    papers = risk["distribution"].isin(_PAPERS)
    rule = risk["method"] == EQ22
    text = "The paper finds “up to 20%” lower risk for uniform and non-central chi-square scores."
    if (papers & rule).any():
        text += f" Here Eq. 22 gains at most {_at_most(risk[papers & rule])} there, "
        text += f"and {_reached(risk[papers & rule])}; "
        own = risk[papers & (risk["method"] == BY_TRUTH[1])]
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


def _numbers(tables: StudyTables, n: int) -> Table:
    """Return D, D~, R, R~ and the gain of every method on every distribution."""
    chosen = tables.rows("risk", samples=n)
    whole = chosen[chosen["method"] == ALL_BLOCKS].set_index("setting")
    rows = chosen[chosen["method"] != ALL_BLOCKS].reset_index(drop=True)
    rows = rows.assign(
        D=rows["setting"].map(whole["separation"]), R=rows["setting"].map(whole["risk"])
    )
    real = rows[rows["method"].isin(REAL)]
    best = {(int(i), "gain") for i in real.groupby("setting")["gain"].idxmax()}
    caption = (
        f"{n:,} samples per class. R is the mean over training sets of a risk that is exact given "
        "each; sets harmed are training sets in which the method errs more often than all blocks "
        "do. The greatest gain that needs no truth is marked."
    )
    columns = ["setting", "method", "kept", "D", "separation", "R", "risk", "gain", "gain_error"]
    columns += ["asymptotic_gain", "sets_harmed"]
    formats = {"D": ".3f", "R": "#.3g"}
    return tables.show("risk", caption, columns, rows, own=formats, best=frozenset(best))
