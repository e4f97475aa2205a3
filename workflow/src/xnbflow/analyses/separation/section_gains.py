"""What selection by separation score gains: advice, pictures and numbers of the simulated risk."""

import pandas as pd

from xnbflow.analyses.separation.drawings import Marks, draw_marks
from xnbflow.analyses.separation.names import (
    ALL_BLOCKS,
    BY_TRUTH,
    EQ22,
    ESTIMATED_WEIGHTS,
    REAL,
    STYLES,
    setting_rows,
)
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Table

__all__ = ["gain_blocks"]

#: The paper's own distributions, and the gain it claims on them.
_PAPERS, _CLAIM = ("uniform", "non-central chi-square"), 0.2
#: A gain is told from none where it is this many standard errors away.
_SURE = 2.0


def gain_blocks(risk: pd.DataFrame, gains: pd.DataFrame) -> list[Block]:
    """Return where selection helps and where it harms.

    Parameters
    ----------
    risk, gains : DataFrame
        As made by `xnbflow.analyses.separation.compute.analyse`.
    """
    samples = list(risk["samples"].unique())
    return [
        Prose(_advice(risk), "headline"),
        Prose(_HOW_TO_READ),
        Gallery([_gains(risk, n) for n in samples], _GAINS_CAPTION),
        *_where(risk),
        Prose(_of_the_claim(risk)),
        _verdicts(risk),
        Group("All numbers", [_numbers(risk, gains, n) for n in samples], "D, D~, R, R~"),
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


def _advice(risk: pd.DataFrame) -> str:
    """Return which method to use: that of the greatest mean gain among those that can be had."""
    gains = risk.pivot_table("gain", ["setting", "samples"], "method", sort=False)
    gains = gains[[ALL_BLOCKS, *REAL]]
    best = str(gains.mean().idxmax())
    own, printed = gains[best], gains[EQ22]
    if best == ALL_BLOCKS:
        return f"Use all blocks: over {len(own)} cases no kind of selection gains on average."
    name = {ESTIMATED_WEIGHTS: "weights with H estimated from the scores"}.get(best, f"“{best}”")
    return (
        f"Use {name}: over {len(own)} distributions and sample sizes it gains "
        f"{_percent(own.mean())} on average, {_percent(own.max())} at best, and at worst "
        f"{_percent(own.min())} ({_case(own.idxmin())}). The paper’s rule, Eq. 22 as printed, "
        f"gains {_percent(printed.mean())} on average and {_percent(printed.min())} at worst "
        f"({_case(printed.idxmin())}). Gains below 0 are losses."
    )


def _percent(share: float) -> str:
    """Return a gain with a true minus sign."""
    return f"{share:.1%}".replace("-", "−")


def _case(key: tuple[str, int]) -> str:
    setting, n = key
    return f"{setting}, {n:,} samples per class"


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


def _tell(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return where selection surely helps, and where it surely harms."""
    margin = _SURE * rows["gain_error"].fillna(0.0)
    return rows["gain"] > margin, rows["gain"] < -margin


def _verdicts(risk: pd.DataFrame) -> Table:
    """Return in how many distributions of each kind a method helps and harms."""
    lines = []
    keys = ["distribution", "samples", "method"]
    for (kind, n, method), rows in risk.groupby(keys, sort=False):
        if method == ALL_BLOCKS or method in BY_TRUTH:
            continue
        helps, harms = _tell(rows)
        gain = 100 * rows["gain"]
        span = (gain.min(), gain.mean(), gain.max())
        lines.append((method, kind, n, len(rows), helps.sum(), harms.sum(), *span))
    columns = ["method", "true scores", "samples", "cases", "helps in", "harms in"]
    ends = ["least gain, %", "mean gain, %", "greatest gain, %"]
    frame = pd.DataFrame(lines, columns=[*columns, *ends])
    best = {
        (int(rows["mean gain, %"].idxmax()), "mean gain, %")
        for _, rows in frame.groupby(["true scores", "samples"])
    }
    caption = (
        "Where selection helps and where it harms: in how many distributions of a kind the gain is "
        f"more than {_SURE:.0f} standard errors above 0, or below. Samples are per class; the best "
        "mean of each kind and sample size is marked."
    )
    return Table(frame, caption, dict.fromkeys(ends, "+z.2f"), frozenset(best))


def _where(risk: pd.DataFrame) -> list[Block]:
    """Return, for each kind of distribution, where the paper's rule and the weights help."""
    said: list[Block] = []
    for kind, rows in risk.groupby("distribution", sort=False):
        parts = [_counted(rows, method) for method in (EQ22, ESTIMATED_WEIGHTS)]
        said.append(Prose(f"{_KINDS.get(str(kind), str(kind))}: {'; '.join(parts)}."))
    return said


_KINDS = {
    "uniform": "Uniform true scores",
    "non-central chi-square": "Non-central chi-square true scores",
    "useless and uniform": "A share of the blocks useless",
}


def _counted(rows: pd.DataFrame, method: str) -> str:
    own = rows[rows["method"] == method]
    helps, harms = _tell(own)
    name = "the weights with estimated H" if method == ESTIMATED_WEIGHTS else method
    verb = ("help", "harm") if method == ESTIMATED_WEIGHTS else ("helps", "harms")
    return (
        f"{name} {verb[0]} in {helps.sum()} and {verb[1]} in {harms.sum()} of {len(own)} cases "
        f"(gains from {_percent(own['gain'].min())} to {_percent(own['gain'].max())})"
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
    return f"{_percent(best['gain'])} ({_case((best['setting'], best['samples']))})"


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


def _numbers(risk: pd.DataFrame, gains: pd.DataFrame, n: int) -> Table:
    """Return D, D~, R, R~ and the gain of every method on every distribution."""
    chosen = risk[risk["samples"] == n]
    whole = chosen[chosen["method"] == ALL_BLOCKS].set_index("setting")
    rows = chosen[chosen["method"] != ALL_BLOCKS].reset_index(drop=True)
    harmed = _harmed(gains[gains["samples"] == n])
    keys = pd.MultiIndex.from_frame(rows[["setting", "method"]])
    frame = pd.DataFrame(
        {
            "true scores": rows["setting"],
            "method": rows["method"],
            "blocks kept": rows["kept"],
            "D": rows["setting"].map(whole["separation"]),
            "D~": rows["separation"],
            "R": rows["setting"].map(whole["risk"]),
            "R~": rows["risk"],
            "gain": rows["gain"],
            "standard error": rows["gain_error"],
            "gain by formula": rows["asymptotic_gain"],
            "sets harmed": harmed.reindex(keys).to_numpy(),
        }
    )
    shares = ["blocks kept", "gain", "standard error", "gain by formula", "sets harmed"]
    formats = dict.fromkeys(shares, "z.1%") | dict.fromkeys(["D", "D~"], ".3f")
    formats |= dict.fromkeys(["R", "R~"], "#.3g") | {"blocks kept": ".0%", "sets harmed": ".0%"}
    own = frame[frame["method"].isin(REAL)]
    best = {(int(i), "gain") for i in own.groupby("true scores")["gain"].idxmax()}
    caption = (
        f"{n:,} samples per class. R is the mean over training sets of a risk that is exact given "
        "each; sets harmed are training sets in which the method errs more often than all blocks "
        "do. The greatest gain that needs no truth is marked."
    )
    return Table(frame, caption, formats, frozenset(best))


def _harmed(gains: pd.DataFrame) -> pd.Series:
    """Return the share of training sets with a gain below 0, by distribution and method."""
    below = gains["training_sets"].where(gains["gain_to"] < 1e-9, 0)
    sums = gains.assign(below=below).groupby(["setting", "method"])[["below", "training_sets"]]
    counts = sums.sum()
    return counts["below"] / counts["training_sets"]
