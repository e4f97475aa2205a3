"""Effects: generalized naive Bayes fitted, priced, taken apart and tuned (Larsen 2005)."""

import numpy as np
import pandas as pd

from xnbflow.data.contract import Column
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.studies.effects import GENERALIZED, LINEAR, NAIVE
from xnbflow.studies.effects.section_curves import (
    EffectTables,
    convergence,
    curves,
    scorecard,
    stepwise,
    tuning,
)

__all__ = ["section"]

_STATISTICS = {
    "log_likelihood": ("log-likelihood", ",.1f"),
    "mean_square_error": ("mean square error", ".4f"),
    "c_statistic": ("C-statistic", ".4f"),
    "misclassification": ("misclassified", ".2%"),
}
_GREATER_IS_BETTER = {"log_likelihood", "c_statistic"}
#: Columns of a share misclassified and its interval.
_INTERVAL = ["misclassification", "misclassification_lower", "misclassification_upper"]


def section(results: StudyResults) -> Section | None:
    """Return what the study found of naive and generalized effects; None without data sets.

    Parameters
    ----------
    results : StudyResults
        Has the tables of the analysis `xnbflow.studies.effects.compute`.
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
    fit: list[Block] = [Prose(_STATISTICS_EXPLAINED)]
    fit += [_fit_table(found, name) for name in found.sets]
    blocks: list[Block] = [
        Prose(_headline(found), "headline", found.whole.sources("fit", "published")),
        Prose(_HOW_TO_READ),
        _errors(found),
        Group("Fit statistics", fit, "log-likelihood, errors, ranking", opened=True),
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
    share, error = fit["misclassification"], fit["misclassification_error"]
    text = (
        f"Of {fit['n_samples'].iloc[0]:,} {found.part} samples of {found.dataset}, with the "
        f"features of set “{found.shown}”, generalized naive Bayes misclassifies "
        f"{share[GENERALIZED]:.1%} (standard error {error[GENERALIZED]:.1%}), naive Bayes "
        f"{share[NAIVE]:.1%} and logistic regression {share[LINEAR]:.1%}."
    )
    for row in found.published.itertuples():
        if row.features == found.shown:
            text += (
                f" The paper prints {row.paper:.1%}, but on a random split of its own, and with a "
                f"standard error of {row.paper_error:.1%}: the two differ by "
                f"{'' if row.differs else 'no '}more than chance."
            )
    return text


def _errors(found: EffectTables) -> Figure:
    """Return the share misclassified by every model on every set, with intervals."""
    fits = [found.fit(name, found.part) for name in found.sets]
    groups = [
        _interval(model, [fit.loc[model, _INTERVAL].to_list() for fit in fits], style)
        for style, model in enumerate(found.models)
    ]
    printed = found.published.set_index("features")[["paper", "paper_lower", "paper_upper"]]
    if len(printed):
        rows = printed.reindex(list(found.sets)).to_numpy().tolist()
        groups.append(_interval("paper, on another split", rows, -1))
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
        found.whole.sources("fit", "published"),
    )


def _interval(label: str, rows: list[list[float]], style: int) -> Points:
    """Return points of shares, each with the ends of its interval, in per cent."""
    value, lower, upper = ([100 * share for share in column] for column in zip(*rows, strict=True))
    return Points(label, value, lower, upper, style)


_STATISTICS_EXPLAINED = (
    "Log-likelihood: how probable the model held what did happen; nearer to 0 is better, and being "
    "sure of what is wrong costs most. Mean square error: of the probability; less is better. "
    "C-statistic: how often an event gets a higher probability than a non-event; 1 is best. A "
    "model that counts features twice can have the right order and wrong probabilities: then the "
    "first two suffer. A model much better in training than in the test knows its samples by heart."
)


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
    return found.whole.show("fit", caption, rows=frame, own=formats, best=frozenset(best))


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
    counts = found.tables["confusion"]
    shown = counts[(counts["features"] == found.shown) & (counts["part"] == found.part)]
    figures = [
        _matrix(f"confusion-effects-{found.dataset}-{i}", model, shown, (other, event))
        for i, model in enumerate(found.models)
    ]
    caption = (
        f"Set “{found.sets[found.shown]}”, {found.part} part. Rows: what a case is; columns: what "
        "it is called. Right ones are on the diagonal; shades are shares of a row."
    )
    return [
        Prose(meaning, sources=found.whole.sources("fit")),
        Gallery(figures, caption, found.whole.sources("confusion")),
        Group("All sets and both parts", [_costs(found)], "errors and losses"),
    ]


def _matrix(name: str, model: str, shown: pd.DataFrame, classes: tuple[str, str]) -> Figure:
    cells = shown[shown["model"] == model].set_index(["actual", "predicted"])
    other, event = classes
    alarms, missed = cells["count"][other, event], cells["count"][event, other]
    return Figure(
        name,
        draw_matrix,
        {
            "values": np.array([[cells["share"][a, b] for b in classes] for a in classes]),
            "rows": classes,
            "columns": classes,
            "title": model,
            "texts": [[f"{cells['count'][a, b]:,}" for b in classes] for a in classes],
            "xlabel": "called",
            "ylabel": "is",
            "cell": (0.6, 0.35),
        },
        "",
        f"{model}: {alarms} of “{other}” called “{event}”, {missed} of “{event}” called “{other}”.",
    )


def _costs(found: EffectTables) -> Table:
    """Return both kinds of errors and what they cost, for all sets, parts and models."""
    costs = found.tables["costs"]
    order = {name: place for place, name in enumerate([*found.models, *found.sets])}
    ranks = [costs["features"].map(order), costs["part"] != "test", costs["model"].map(order)]
    costs = costs.iloc[np.lexsort(ranks[::-1])]
    other, event = found.classes
    caption = (
        "Both kinds of error, and what they cost per 1,000 samples, with losses scaled such that "
        "L1 + L2 = 2: where they are equal it is the number of errors."
    )
    called = {
        "false_alarms": Column("integer", label=f"{other} called {event}"),
        "missed": Column("integer", label=f"{event} called {other}"),
    }
    columns = ["model", "features", "part", *called, "loss_per_1000"]
    return found.whole.show("costs", caption, columns, costs, own=called)


def _linear_loss(found: EffectTables) -> Table:
    """Return how much worse straight lines are in every statistic."""
    table = found.tables["linear_loss"]
    wide = table.set_index(["features", "part", "statistic"])["loss"].unstack(sort=False)
    wide = wide.rename(index=found.sets, level="features").reset_index()
    own = {
        statistic: Column("number", "", label, f"+{spec}")
        for statistic, (label, spec) in _STATISTICS.items()
    }
    caption = (
        "How much worse logistic regression, whose effects are straight lines, is than generalized "
        "naive Bayes in each statistic: the log-likelihood and the C-statistic that are lost, the "
        "errors that are added. Above 0 the curves pay; they pay in truth only where they do so in "
        "the test part."
    )
    return found.whole.show("linear_loss", caption, ["features", "part", *own], wide, own=own)
