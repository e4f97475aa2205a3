"""Selection by separation score: where it helps, where it harms (Pavlenko and von Rosen)."""

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from xnbflow.report.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.drawings.separation import Marks, draw_differences, draw_marks, draw_weights
from xnbflow.report.results import StudyResults

__all__ = ["section"]

#: The methods of `xnbflow.studies.separation_simulation`; those of `_BY_TRUTH` cannot be had.
_ALL, _EQ22, _ESTIMATED = "all blocks", "Eq. 22 as printed", "weights, estimated H"
_REAL = (_EQ22, "Eq. 22, bias removed", "best threshold, estimated H", _ESTIMATED)
_BY_TRUTH = ("weights, known H", "threshold at the true scores")
_STYLES = {method: i for i, method in enumerate((*_REAL, *_BY_TRUTH, _ALL))}
#: Methods whose formula forgets no cost of estimating H.
_WITHOUT_ESTIMATES = (_ALL, *_BY_TRUTH)
#: The paper's own distributions, and the gain it claims on them.
_PAPERS, _CLAIM = ("uniform", "non-central chi-square"), 0.2
#: A gain is told from none where it is this many standard errors away.
_SURE = 2.0
#: How near to Eq. 9 the simulated risk ought to be.
_TOLERANCE = {1200: 0.001, 60: 0.002}


def section(results: StudyResults) -> Section | None:
    """Return what selection by separation score gains; None where there is no risk to reduce.

    Parameters
    ----------
    results : StudyResults
        Has the tables of the analysis `xnbflow.studies.separation`.
    """
    tables = results.analysis("separation")
    risk = tables["risk"]
    if risk.empty:
        return None
    samples = list(risk["samples"].unique())
    blocks: list[Block] = [
        Prose(_advice(risk), "headline"),
        Prose(_HOW_TO_READ),
        Gallery([_gains(risk, n) for n in samples], _GAINS_CAPTION),
        *_where(risk),
        Prose(_of_the_claim(risk)),
        _verdicts(risk),
        Group("All numbers", [_numbers(risk, tables["gains"], n) for n in samples], "D, D~, R, R~"),
        Group("Simulated risk beside the formula", _formula(risk, samples), "Eq. 9"),
        Group("Theorem 1", _theorem1(tables["theorem1"]), "printed, corrected, simulated"),
        Group("Weights", [_weights(tables["weights"])], "what a score is worth"),
    ]
    if len(tables["fitted"]):
        note = "covariances estimated or known"
        blocks.append(Group("BlockNB fitted", _fitted(tables["fitted"]), note))
    if len(tables["blocks"]):
        blocks.append(Group("Blocks found in data sets", _found(tables["blocks"]), "shrinkage"))
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


def _advice(risk: pd.DataFrame) -> str:
    """Return which method to use: that of the greatest mean gain among those that can be had."""
    gains = risk.pivot_table("gain", ["setting", "samples"], "method", sort=False)
    gains = gains[[_ALL, *_REAL]]
    best = str(gains.mean().idxmax())
    own, printed = gains[best], gains[_EQ22]
    if best == _ALL:
        return f"Use all blocks: over {len(own)} cases no kind of selection gains on average."
    name = {_ESTIMATED: "weights with H estimated from the scores"}.get(best, f"“{best}”")
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


def _parts(setting: str) -> tuple[str, str]:
    """Return the kind of a distribution and its parameters, for a heading and a row.

    Examples
    --------
    >>> _parts("10% useless, others uniform on [0, 20]")
    ('10% useless, others uniform on', '[0, 20]')
    """
    found = re.fullmatch(r"(.*\S) ([\[(].*)", setting)
    return (found[1], found[2]) if found else ("distribution", setting)


def _rows(settings: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return headings with the labels of their rows, in the order of the settings."""
    rows: list[tuple[str, list[str]]] = []
    for heading, label in map(_parts, settings):
        if not rows or rows[-1][0] != heading:
            rows.append((heading, []))
        rows[-1][1].append(label)
    return rows


def _gains(risk: pd.DataFrame, n: int) -> Figure:
    chosen = risk[risk["samples"] == n]
    settings = chosen["setting"].unique()
    series = []
    for method in (*_REAL, *_BY_TRUTH):
        own = chosen[chosen["method"] == method].set_index("setting").loc[settings]
        values, errors = 100 * own["gain"].to_numpy(), 100 * own["gain_error"].to_numpy()
        series.append(Marks(method, values, errors, _STYLES[method], method in _BY_TRUTH))
    return Figure(
        f"separation-gains-{n}",
        draw_marks,
        {
            "title": f"{n:,} samples per class",
            "rows": _rows(settings),
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
        if method == _ALL or method in _BY_TRUTH:
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
        parts = [_counted(rows, method) for method in (_EQ22, _ESTIMATED)]
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
    name = "the weights with estimated H" if method == _ESTIMATED else method
    verb = ("help", "harm") if method == _ESTIMATED else ("helps", "harms")
    return (
        f"{name} {verb[0]} in {helps.sum()} and {verb[1]} in {harms.sum()} of {len(own)} cases "
        f"(gains from {_percent(own['gain'].min())} to {_percent(own['gain'].max())})"
    )


def _of_the_claim(risk: pd.DataFrame) -> str:
    """Return where the paper's claim of up to 20% holds."""
    papers = risk["distribution"].isin(_PAPERS)
    rule = risk["method"] == _EQ22
    text = "The paper finds “up to 20%” lower risk for uniform and non-central chi-square scores."
    if (papers & rule).any():
        text += f" Here Eq. 22 gains at most {_at_most(risk[papers & rule])} there, "
        text += f"and {_reached(risk[papers & rule])}; "
        own = risk[papers & (risk["method"] == _BY_TRUTH[1])]
        text += f"a threshold at the true scores would gain at most {_at_most(own)}."
    if (~papers & rule).any():
        weights = risk[~papers & (risk["method"] == _ESTIMATED)]
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
    whole = chosen[chosen["method"] == _ALL].set_index("setting")
    rows = chosen[chosen["method"] != _ALL].reset_index(drop=True)
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
    own = frame[frame["method"].isin(_REAL)]
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


def _formula(risk: pd.DataFrame, samples: list[int]) -> list[Block]:
    """Return how far the simulated risk is from the asymptotic one."""
    explained = (
        "The formula, Eq. 9 and Eqs. 15 and 16, is the limit of many blocks. It knows H and so "
        "forgets what estimating H costs: methods that estimate it lie above. For the others it "
        "should hold within chance. "
        + " ".join(_greatest_difference(risk[risk["samples"] == n], n) for n in samples)
    )
    caption = (
        "Simulated risk less that of the formula, with one standard error to either side: the "
        "nearer to the line, the better the formula. The shade is 0.001 with 1,200 samples per "
        "class, else 0.002."
    )
    figures = [_difference_figure(risk[risk["samples"] == n], n) for n in samples]
    return [Prose(explained), Gallery(figures, caption)]


def _greatest_difference(chosen: pd.DataFrame, n: int) -> str:
    rows = chosen[chosen["method"].isin(_WITHOUT_ESTIMATES)]
    difference = (rows["risk"] - rows["asymptotic_risk"]).abs()
    at = rows.loc[difference.idxmax()]
    return (
        f"With {n:,} samples per class they differ by at most {difference.max():.4f} (standard "
        f"error {at['risk_error']:.4f}; {at['method']}, {at['setting']})."
    )


def _difference_figure(chosen: pd.DataFrame, n: int) -> Figure:
    methods = [method for method in _STYLES if (chosen["method"] == method).any()]
    rows = [chosen[chosen["method"] == method] for method in methods]
    return Figure(
        f"separation-formula-{n}",
        draw_differences,
        {
            "title": f"{n:,} samples per class",
            "names": methods,
            "styles": [_STYLES[method] for method in methods],
            "expected": [own["asymptotic_risk"].to_numpy() for own in rows],
            "differences": [(own["risk"] - own["asymptotic_risk"]).to_numpy() for own in rows],
            "errors": [own["risk_error"].to_numpy() for own in rows],
            "band": _TOLERANCE.get(n, 0.002),
        },
        "",
        f"Points: simulated risk less the formula’s, by method, {n} samples per class.",
    )


_THEOREM_EXPLAINED = (
    "Theorem 1 tells the mean signal of a classifier that keeps blocks from a threshold t on. As "
    "printed it is the sum of score − M over the kept blocks of M features. That forgets that "
    "chance lifts some blocks over the threshold: Stein’s identity has a boundary term, −2 t b(t) "
    "per block, with b the density of the scores. "
)


def _theorem1(table: pd.DataFrame) -> list[Block]:
    """Return Theorem 1 as printed, corrected and simulated."""
    off = {c: 100 * (table[c] / table["simulated"] - 1) for c in _FORMS}
    worst = {c: float(values.abs().max()) for c, values in off.items()}
    said = (
        f"As printed it is off by up to {worst['printed']:.0f}% of the simulated signal; with the "
        f"boundary term by up to {worst['corrected']:.2g}% where H is known (the simulation’s own "
        f"standard error is up to {100 * _relative_error(table).max():.2g}%), and by up to "
        f"{worst['corrected_estimated']:.2g}% where H is estimated."
    )
    frame = pd.DataFrame({"true scores": table["setting"], "threshold by": table["rule"]})
    frame["t"], frame["blocks kept"] = table["threshold"], table["kept"]
    frame["simulated"], frame["standard error"] = table["simulated"], table["simulated_error"]
    formats = {"t": ".2f", "blocks kept": ".0%", "simulated": ",.1f", "standard error": ",.2f"}
    for column, name in _FORMS.items():
        frame[name], formats[name] = table[column], ",.1f"
    caption = "The signal n E, simulated and by the three forms of Theorem 1."
    return [
        Prose(_THEOREM_EXPLAINED + said),
        _theorem_figure(table[table["rule"] == _EQ22]),
        Table(frame, caption, formats),
    ]


_FORMS = {
    "printed": "as printed",
    "corrected": "with boundary term",
    "corrected_estimated": "with it, estimated H",
}


def _relative_error(table: pd.DataFrame) -> pd.Series:
    return table["simulated_error"] / table["simulated"]


def _theorem_figure(table: pd.DataFrame) -> Figure:
    error = 100 * _relative_error(table).to_numpy()
    series = [
        Marks(name, 100 * (table[c] / table["simulated"] - 1).to_numpy(), error, style)
        for style, (c, name) in enumerate(_FORMS.items())
    ]
    return Figure(
        "separation-theorem1",
        draw_marks,
        {
            "title": "Theorem 1, threshold of Eq. 22",
            "rows": _rows(table["setting"]),
            "series": series,
            "xlabel": "above the simulated signal, per cent (logarithmic beyond 1)",
            "band": 1.0,
            "logarithmic": True,
        },
        "How far the theorem is off: on the line it tells the signal rightly, right of it it "
        "promises too much. Within the shade (1%) the axis is even, beyond logarithmic.",
        "Points: per cent by which the forms of Theorem 1 exceed the simulated signal.",
    )


def _weights(table: pd.DataFrame) -> Gallery:
    """Return a small picture of the weights per distribution."""
    figures = []
    for i, (setting, rows) in enumerate(table.groupby("setting", sort=False)):
        quantiles = ["estimated_5_percent", "estimated_median", "estimated_95_percent"]
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
    return Gallery(figures, caption)


def _fitted(table: pd.DataFrame) -> list[Block]:
    """Return BlockNB, its covariances estimated, beside the simulation with known ones."""
    samples = list(table["samples"].unique())
    caption = (
        "Gain over BlockNB with all blocks, in per cent: full marks BlockNB fitted to normal data, "
        "its covariances estimated, with standard errors as if methods had been fitted to "
        "different data, so rather too wide; hollow ones the simulation with known covariances. "
        "Marks near their hollow ones say that the simulation’s advice holds for the real "
        "classifier."
    )
    figures = [_fitted_figure(table[table["samples"] == n], n) for n in samples]
    texts = [_of_shrinkage(table[table["samples"] == n], n) for n in samples]
    numbers = table.rename(columns=_FITTED_NAMES)[list(_FITTED_NAMES.values())]
    formats = dict.fromkeys(("risk", "standard error", *_FITTED_RISKS), "#.3g")
    formats |= {"blocks kept": ".0%", "mean shrinkage": ".2f"}
    explained = (
        "Exact risk of BlockNB given each training set; the risk it expects of itself, from the "
        "training samples alone, where less than the exact one is too hopeful; and the risk with "
        "known covariances. Means over fits; samples are per class."
    )
    return [
        Prose(" ".join([_SHRINKAGE, *texts])),
        Gallery(figures, caption),
        Table(numbers, explained, formats),
    ]


_FITTED_RISKS = ("expected by itself", "covariances known")
_FITTED_NAMES = {
    "setting": "true scores",
    "samples": "samples",
    "method": "method",
    "risk": "risk",
    "risk_error": "standard error",
    "expected_risk": _FITTED_RISKS[0],
    "known_covariance_risk": _FITTED_RISKS[1],
    "kept": "blocks kept",
    "shrinkage": "mean shrinkage",
}
_SHRINKAGE = (
    "Covariances of blocks with few samples are shrunk: where a correlation matrix is singular or "
    "has fewer than ten degrees of freedom per feature, it is moved towards independence by the "
    "share that Ledoit and Wolf’s rule (2004) gives, 0 not at all, 1 all the way. The features of "
    "a block are independent in these simulated data, as shrinkage supposes: where they are not, "
    "few samples may cost more than here."
)


def _of_shrinkage(rows: pd.DataFrame, n: int) -> str:
    known = (rows["risk"] / rows["known_covariance_risk"] - 1).median()
    hope = (rows["expected_risk"] / rows["risk"] - 1).median()
    return (
        f"With {n:,} samples per class the mean shrinkage is {rows['shrinkage'].mean():.2f}, the "
        f"risk is in the median {_change(known)} that with known covariances, and what BlockNB "
        f"expects of itself is {_change(hope)} its exact risk."
    )


def _change(share: float) -> str:
    return f"{abs(share):.1%} {'below' if share < 0 else 'above'}"


def _fitted_figure(rows: pd.DataFrame, n: int) -> Figure:
    settings = rows["setting"].unique()
    wide = rows.pivot(index="setting", columns="method").loc[settings]
    series = []
    for method in (m for m in _REAL if m in wide["risk"]):
        ratio = wide["risk"][method] / wide["risk"][_ALL]
        spread = np.hypot(wide["risk_error"][method], ratio * wide["risk_error"][_ALL])
        error = (100 * spread / wide["risk"][_ALL]).to_numpy()
        known = 1 - wide["known_covariance_risk"][method] / wide["known_covariance_risk"][_ALL]
        style = _STYLES[method]
        series.append(Marks(method, 100 * (1 - ratio).to_numpy(), error, style))
        none = np.zeros(len(settings))
        series.append(Marks("", 100 * known.to_numpy(), none, style, hollow=True))
    return Figure(
        f"separation-fitted-{n}",
        draw_marks,
        {
            "title": f"{n:,} samples per class",
            "rows": _rows(settings),
            "series": series,
            "xlabel": "gain in per cent",
        },
        "",
        f"Points: gains of fitted BlockNB and, as rings, with known covariances, {n} samples per "
        "class.",
    )


def _found(table: pd.DataFrame) -> list[Block]:
    """Return the blocks found in data sets."""
    names = {
        "dataset": "data set",
        "size": "features per block",
        "samples": "samples",
        "blocks": "blocks",
        "mean_abs_r": "mean |r|",
        "shrunk": "blocks shrunk",
        "mean_shrinkage": "mean shrinkage",
    }
    caption = (
        "Blocks of the features whose residuals within classes correlate most. Mean |r|: how "
        "strongly, between features of one block. Blocks shrunk: the share whose covariance has "
        "too few samples; mean shrinkage: how far these are moved towards independence (Ledoit "
        "and Wolf), 1 being all the way, where blocks are as good as none."
    )
    formats = {"mean |r|": ".2f", "blocks shrunk": ".0%", "mean shrinkage": ".2f"}
    return [Table(table.rename(columns=names)[list(names.values())], caption, formats)]
