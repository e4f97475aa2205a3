"""Effects: generalized naive Bayes fitted, priced, taken apart and tuned (Larsen 2005)."""

import numpy as np
import pandas as pd

from xnbflow.analyses.effects.names import GENERALIZED, LINEAR, NAIVE
from xnbflow.analyses.effects.section_choices import convergence, stepwise, tuning
from xnbflow.analyses.effects.section_curves import curves, scorecard
from xnbflow.analyses.effects.section_tables import EffectTables
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults

__all__ = ["section"]

_STATISTICS = {
    "log_likelihood": ("log-likelihood", ",.1f"),
    "mean_square_error": ("mean square error", ".4f"),
    "c_statistic": ("C-statistic", ".4f"),
    "misclassification": ("misclassified", ".2%"),
}
_GREATER_IS_BETTER = {"log_likelihood", "c_statistic"}
#: What the paper prints, and on how many samples.
_PAPER_ERROR, _PAPER_TESTED = 0.053, 1536
#: Standard errors to either side that chance explains in 95 of 100 cases.
_CHANCE = 1.96


def section(results: StudyResults) -> Section | None:
    """Return what the study found of naive and generalized effects; None without data sets.

    Parameters
    ----------
    results : StudyResults
        Has the tables of the analysis `xnbflow.analyses.effects.compute`.
    """
    found = EffectTables.read(results)
    if not found:
        return None
    blocks: list[Block] = []
    for i, one in enumerate(found):
        content = _dataset(one)
        blocks += content if len(found) == 1 else [Group(one.dataset, content, opened=i == 0)]
    return Section(
        "effects",
        "Naive and generalized effects",
        "What each feature says by itself, how much of that must be taken back because features "
        "repeat one another, and what the correction gains.",
        blocks,
    )


def _dataset(found: EffectTables) -> list[Block]:
    """Return what is shown of one data set."""
    blocks: list[Block] = [
        Prose(_headline(found), "headline"),
        Prose(_HOW_TO_READ),
        _errors(found),
        Group("Fit statistics", _fit(found), "log-likelihood, errors, ranking", opened=True),
        Group(f"Effects of single features, set “{found.shown}”", curves(found), opened=True),
        Group("Decisions and what they cost", _decisions(found), "confusion matrices", opened=True),
        Group("Loss against linear effects", [_linear_loss(found)], "beside logistic regression"),
        Group("Convergence", [convergence(found)], "log-likelihood by pass"),
    ]
    if "stepwise" in found.tables:
        blocks.append(Group("Stepwise selection", stepwise(found), "which features entered"))
    if "tuning" in found.tables:
        blocks.append(Group("Tuning", tuning(found), "chosen inside the training part"))
    return [*blocks, Group("Scorecard", scorecard(found), "the model as a look-up table")]


_HOW_TO_READ = (
    "Naive Bayes adds up what each feature says about a case, in log odds: 0 says nothing, +1 "
    "makes the odds of the event 2.7 times as high, −1 divides them by 2.7. These are the naive "
    "effects. Features that tell the same story are counted more than once, so probabilities come "
    "out too near to 0 or 1. Generalized naive Bayes corrects each effect by an adjustment. Both "
    "may take any shape; in logistic regression every effect is a straight line."
)


def _headline(found: EffectTables) -> str:
    """Return the finding: errors on the set that is shown, beside the paper's."""
    fit = found.fit(found.shown, found.part)
    error, n = fit["misclassification"], int(fit["n_samples"].iloc[0])
    text = (
        f"Of {n:,} {found.part} samples of {found.dataset}, with the features of set "
        f"“{found.shown}”, generalized naive Bayes misclassifies {error[GENERALIZED]:.1%} "
        f"(standard error {_standard_error(error[GENERALIZED], n):.1%}), naive Bayes "
        f"{error[NAIVE]:.1%} and logistic regression {error[LINEAR]:.1%}."
    )
    own = found.is_papers(found.shown)
    return f"{text} {_beside_the_paper(error[GENERALIZED], n)}" if own else text


def _standard_error(share: float, n: int) -> float:
    return float(np.sqrt(share * (1 - share) / n))


def _beside_the_paper(error: float, n: int) -> str:
    spread = _standard_error(_PAPER_ERROR, _PAPER_TESTED)
    apart = abs(error - _PAPER_ERROR)
    chance = apart < _CHANCE * np.hypot(spread, _standard_error(error, n))
    return (
        f"The paper prints {_PAPER_ERROR:.1%}, but on a random split of its own, and with a "
        f"standard error of {spread:.1%}: the two differ by {'no ' if chance else ''}more than "
        "chance."
    )


def _errors(found: EffectTables) -> Figure:
    """Return the share misclassified by every model on every set, with intervals."""
    fits = [found.fit(name, found.part) for name in found.sets]
    n = int(fits[0]["n_samples"].iloc[0])
    groups = [
        _interval(model, [fit.loc[model, "misclassification"] for fit in fits], n, style)
        for style, model in enumerate(found.models)
    ]
    if found.paper_features:
        printed = [_PAPER_ERROR if found.is_papers(name) else np.nan for name in found.sets]
        groups.append(_interval("paper, on another split", printed, _PAPER_TESTED, -1))
    return Figure(
        f"effects-errors-{found.dataset}",
        draw_points,
        {
            "rows": list(found.sets.values()),
            "groups": groups,
            "xlabel": f"per cent of the {found.part} part misclassified",
        },
        "Share misclassified, with its 95 % interval (1.96 standard errors to either side): the "
        "further left, the better. All models see the same samples, so differences between them "
        "are surer than the intervals suggest; the paper’s samples were others.",
        f"Points with intervals: share of the {found.part} part that each model misclassifies.",
    )


def _interval(label: str, shares: list[float], n: int, style: int) -> Points:
    half = [100 * _CHANCE * _standard_error(share, n) for share in shares]
    percent = [100 * share for share in shares]
    lower = [value - reach for value, reach in zip(percent, half, strict=True)]
    upper = [value + reach for value, reach in zip(percent, half, strict=True)]
    return Points(label, percent, lower, upper, style)


_STATISTICS_EXPLAINED = (
    "Log-likelihood: how probable the model held what did happen; nearer to 0 is better, and being "
    "sure of what is wrong costs most. Mean square error: of the probability; less is better. "
    "C-statistic: how often an event gets a higher probability than a non-event; 1 is best. A "
    "model that counts features twice can have the right order and wrong probabilities: then the "
    "first two suffer. A model much better in training than in the test knows its samples by heart."
)


def _fit(found: EffectTables) -> list[Block]:
    return [Prose(_STATISTICS_EXPLAINED), *(_fit_table(found, name) for name in found.sets)]


def _fit_table(found: EffectTables, name: str) -> Table:
    """Return the fit statistics of a set, those of the test part first."""
    parts = [p for p in ("test", "train") if len(found.fit(name, p))]
    frame, formats, best = pd.DataFrame({"model": found.models}), {}, set()
    for part in parts:
        fit = found.fit(name, part)
        for statistic, (label, spec) in _STATISTICS.items():
            column, values = f"{label}, {part}", fit[statistic].to_numpy()
            frame[column], formats[column] = values, spec
            good = values if statistic in _GREATER_IS_BETTER else -values
            best |= {(int(i), column) for i in np.flatnonzero(good == good.max())}
    sizes = " and ".join(f"{found.fit(name, p)['n_samples'].iloc[0]:,} {p}" for p in parts)
    caption = f"Set “{found.sets[name]}”, {sizes} samples; the best of each column is marked."
    return Table(frame, caption, formats, frozenset(best))


def _decisions(found: EffectTables) -> list[Block]:
    """Return confusion matrices of the set that is shown, and all of them as a table."""
    other, event = found.classes
    cutoff = found.tables["fit"]["cutoff"].iloc[0]
    meaning = (
        f"A case is called “{event}” where its probability exceeds L1 / (L1 + L2) = {cutoff:.3g}. "
        f"L1 is the loss of calling “{event}” what is “{other}”, L2 that of the reverse: equal "
        "losses give one half, and the dearer a false alarm, the higher the cut-off. The study’s "
        "parameter losses sets them."
    )
    counts = _counts(found)
    shown = counts[(counts["features"] == found.shown) & (counts["part"] == found.part)]
    figures = [
        _matrix(f"confusion-effects-{found.dataset}-{i}", row, (other, event))
        for i, row in enumerate(shown.to_dict("records"))
    ]
    caption = (
        f"Set “{found.sets[found.shown]}”, {found.part} part. Rows: what a case is; columns: what "
        "it is called. Right ones are on the diagonal; shades are shares of a row."
    )
    table = Group("All sets and both parts", [_costs(counts, other, event)], "errors and losses")
    return [Prose(meaning), Gallery(figures, caption), table]


def _counts(found: EffectTables) -> pd.DataFrame:
    """Return a row per set, part and model, with a column per actual and predicted class."""
    keys = ["features", "part", "model", "cutoff"]
    long = found.tables["confusion"]
    cells = list(zip(long["actual"], long["predicted"], strict=True))
    wide = long.assign(cell=cells).pivot_table("count", keys, "cell", sort=False).reset_index()
    order = {model: place for place, model in enumerate(found.models)}
    places = {name: place for place, name in enumerate(found.sets)}
    ranks = [wide["features"].map(places), wide["part"] != "test", wide["model"].map(order)]
    return wide.iloc[np.lexsort(ranks[::-1])]


def _matrix(name: str, row: dict[object, object], classes: tuple[str, str]) -> Figure:
    counts = np.array([[row[actual, called] for called in classes] for actual in classes], float)
    (_, alarms), (missed, _) = counts
    other, event = classes
    return Figure(
        name,
        draw_matrix,
        {
            "values": counts / np.maximum(counts.sum(axis=1, keepdims=True), 1),
            "rows": classes,
            "columns": classes,
            "title": row["model"],
            "texts": [[f"{n:,.0f}" for n in line] for line in counts],
            "xlabel": "called",
            "ylabel": "is",
            "cell": (0.6, 0.35),
        },
        "",
        f"{row['model']}: {alarms:.0f} of “{other}” called “{event}”, {missed:.0f} of “{event}” "
        f"called “{other}”.",
    )


def _costs(counts: pd.DataFrame, other: str, event: str) -> Table:
    """Return both kinds of errors and what they cost, for all sets, parts and models."""
    alarms, missed = counts[other, event], counts[event, other]
    total = alarms + missed + counts[other, other] + counts[event, event]
    # With L1 + L2 = 2 the loss is the number of errors where both cost the same.
    loss = 2 * (counts["cutoff"] * alarms + (1 - counts["cutoff"]) * missed)
    frame = pd.DataFrame(
        {
            "model": counts["model"],
            "set": counts["features"],
            "part": counts["part"],
            f"{other} called {event}": alarms.astype(int),
            f"{event} called {other}": missed.astype(int),
            "loss per 1,000": 1000 * loss / total,
        }
    )
    caption = (
        "Both kinds of error, and what they cost per 1,000 samples, with losses scaled such that "
        "L1 + L2 = 2: where they are equal it is the number of errors."
    )
    return Table(frame, caption, {"loss per 1,000": ".1f"})


def _linear_loss(found: EffectTables) -> Table:
    """Return how much worse straight lines are in every statistic."""
    table = found.tables["linear_loss"]
    wide = table.pivot_table("loss", ["features", "part"], "statistic", sort=False).reset_index()
    frame = pd.DataFrame({"set": wide["features"].map(found.sets), "part": wide["part"]})
    formats = {}
    for statistic, (label, spec) in _STATISTICS.items():
        frame[label], formats[label] = wide[statistic], f"+{spec}"
    caption = (
        "How much worse logistic regression, whose effects are straight lines, is than generalized "
        "naive Bayes in each statistic: the log-likelihood and the C-statistic that are lost, the "
        "errors that are added. Above 0 the curves pay; they pay in truth only where they do so in "
        "the test part."
    )
    return Table(frame, caption, formats)
