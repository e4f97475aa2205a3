"""The formulas behind selection by separation score, beside what was simulated."""

import pandas as pd

from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose
from xnbflow.report.results import StudyTables
from xnbflow.studies.separation.contract import ALL_BLOCKS, BY_TRUTH, EQ22, STYLES, setting_rows
from xnbflow.studies.separation.drawings import Marks, draw_differences, draw_marks, draw_weights

__all__ = ["theory_groups"]

#: Methods whose formula forgets no cost of estimating H.
_WITHOUT_ESTIMATES = (ALL_BLOCKS, *BY_TRUTH)
#: How near to Eq. 9 the simulated risk ought to be.
_TOLERANCE = {1200: 0.001, 60: 0.002}


def _tolerance(samples: int) -> float:
    return _TOLERANCE.get(samples, 0.002)


def theory_groups(tables: StudyTables) -> list[Block]:
    """Return the risk of Eq. 9, the signal of Theorem 1 and the optimal weights."""
    return [
        Group("Simulated risk beside the formula", _formula(tables), "Eq. 9"),
        Group("Theorem 1", _theorem1(tables), "printed, corrected, simulated"),
        Group("Weights", [_weights(tables)], "what a score is worth"),
    ]


def _formula(tables: StudyTables) -> list[Block]:
    """Return how far the simulated risk is from the asymptotic one."""
    risk, sources = tables["risk"], tables.sources("risk")
    samples = list(risk["samples"].unique())
    explained = (
        "The formula, Eq. 9 and Eqs. 15 and 16, is the limit of many blocks. It knows H and so "
        "forgets what estimating H costs; for methods that need no estimate it should hold within "
        "chance. " + " ".join(_greatest_difference(risk[risk["samples"] == n], n) for n in samples)
    )
    shades = "; ".join(f"{_tolerance(n):g} with {n:,} samples per class" for n in samples)
    caption = (
        "Simulated risk less that of the formula, with one standard error to either side: the "
        f"nearer to the line, the better the formula. The shade is {shades}."
    )
    figures = [_difference_figure(risk[risk["samples"] == n], n) for n in samples]
    return [Prose(explained, sources=sources), Gallery(figures, caption, sources)]


def _greatest_difference(chosen: pd.DataFrame, n: int) -> str:
    rows = chosen[chosen["method"].isin(_WITHOUT_ESTIMATES)]
    difference = rows["risk_difference"].abs()
    at = rows.loc[difference.idxmax()]
    others = chosen[~chosen["method"].isin(_WITHOUT_ESTIMATES)]
    above = len(others[others["risk_difference"] > 0])
    return (
        f"With {n:,} samples per class they differ by at most {difference.max():.4f} (standard "
        f"error {at['risk_error']:.4f}; {at['method']}, {at['setting']}), and methods that "
        f"estimate H err more than the formula says in {above} of {len(others)} cases."
    )


def _difference_figure(chosen: pd.DataFrame, n: int) -> Figure:
    methods = [method for method in STYLES if (chosen["method"] == method).any()]
    rows = [chosen[chosen["method"] == method] for method in methods]
    return Figure(
        f"separation-formula-{n}",
        draw_differences,
        {
            "title": f"{n:,} samples per class",
            "names": methods,
            "styles": [STYLES[method] for method in methods],
            "expected": [own["asymptotic_risk"].to_numpy() for own in rows],
            "differences": [own["risk_difference"].to_numpy() for own in rows],
            "errors": [own["risk_error"].to_numpy() for own in rows],
            "band": _tolerance(n),
        },
        "",
        f"Points: simulated risk less the formula’s, by method, {n} samples per class.",
    )


_THEOREM_EXPLAINED = (
    "Theorem 1 gives the mean signal of a classifier that keeps blocks from a threshold t on. As "
    "printed it is the sum of score − M over the kept blocks of M features. That forgets that "
    "chance lifts some blocks over the threshold: Stein’s identity has a boundary term, −2 t b(t) "
    "per block, with b the density of the scores. "
)


def _theorem1(tables: StudyTables) -> list[Block]:
    """Return Theorem 1 as printed, corrected and simulated."""
    table, sources = tables["theorem1"], tables.sources("theorem1")
    worst = {form: 100 * table[f"{form}_off"].abs().max() for form in _FORMS}
    error = 100 * table["relative_error"].max()
    errors = (
        f"As printed it is off by up to {worst['printed']:.0f}% of the simulated signal; with the "
        f"boundary term by up to {worst['corrected']:.2g}% where H is known (the simulation’s own "
        f"standard error is up to {error:.2g}%, and the formula’s sum "
        "over the same training sets varies by chance too), and by up to "
        f"{worst['corrected_estimated']:.2g}% where H is estimated."
    )
    columns = ["setting", "rule", "threshold", "kept", "simulated", "simulated_error", *_FORMS]
    caption = "The signal n E, simulated and by the three forms of Theorem 1."
    return [
        Prose(_THEOREM_EXPLAINED + errors, sources=sources),
        _theorem_figure(table[table["rule"] == EQ22], sources),
        tables.show("theorem1", caption, columns),
    ]


_FORMS = {
    "printed": "as printed",
    "corrected": "with boundary term",
    "corrected_estimated": "with it, estimated H",
}


def _theorem_figure(table: pd.DataFrame, sources: list[str]) -> Figure:
    error = 100 * table["relative_error"].to_numpy()
    series = [
        Marks(name, 100 * table[f"{form}_off"].to_numpy(), error, style)
        for style, (form, name) in enumerate(_FORMS.items())
    ]
    return Figure(
        "separation-theorem1",
        draw_marks,
        {
            "title": "Theorem 1, threshold of Eq. 22",
            "rows": setting_rows(table["setting"]),
            "series": series,
            "xlabel": "above the simulated signal, per cent (logarithmic beyond 1)",
            "band": 1.0,
            "logarithmic": True,
        },
        "How far the theorem is off: on the line it gives the right signal, right of it too large "
        "a one. Within the shade (1%) the axis is even, beyond logarithmic.",
        "Points: per cent by which the forms of Theorem 1 exceed the simulated signal.",
        sources,
    )


def _weights(tables: StudyTables) -> Gallery:
    """Return a small picture of the weights per distribution."""
    figures = []
    for i, (setting, rows) in enumerate(tables["weights"].groupby("setting", sort=False)):
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
    return Gallery(figures, caption, tables.sources("weights"))
