"""What was found by trying: convergence, stepwise selection, tuning (Larsen 2005, section 3)."""

from typing import Any

import pandas as pd

from xnbflow.report.page.blocks import Block, Figure, Group, Prose
from xnbflow.studies.effects.contract import GENERALIZED, TUNED
from xnbflow.studies.effects.drawings import draw_convergence, draw_path
from xnbflow.studies.effects.section_tables import EffectTables

__all__ = ["convergence", "stepwise", "tuning"]

_PAPER_PASSES = 6


def convergence(found: EffectTables) -> Figure:
    """Return the log-likelihood by pass over the features, for every set."""
    table = found.tables["convergence"]
    paths = [
        table.loc[table["features"] == name, "log_likelihood"].to_numpy() for name in found.sets
    ]
    told = found.tables["passes"].set_index("features").loc[list(found.sets)]
    passes = ", ".join(
        f"{name} {number}{f' (the paper: {_PAPER_PASSES})' * found.is_papers(name)}"
        for name, number in told["passes"].items()
    )
    return Figure(
        f"convergence-{found.dataset}",
        draw_convergence,
        {"names": list(found.sets.values()), "paths": paths},
        "Each pass over the features corrects every curve once, until the curves hardly change any "
        "more; curves are smoothed and not fitted as closely as can be, so that a pass may lower "
        f"the log-likelihood of the training part. {_gains(told)} Passes made: {passes}.",
        f"Lines of log-likelihood by pass. Passes made: {passes}.",
        found.whole.sources("convergence", "passes"),
    )


def _gains(told: pd.DataFrame) -> str:
    """Return from where to where the log-likelihood goes, and how much the first pass brings."""
    texts = []
    for row in told.itertuples():
        text = f"{row.Index}: {row.naive:,.0f} with naive Bayes, {row.last:,.0f} in the end"
        if pd.notna(row.first_share):
            text += f", {row.first_share:.0%} of it by the first pass"
        if row.last < row.greatest:
            text += f"; the greatest was {row.greatest:,.0f} after {row.greatest_after} passes"
        texts.append(text)
    return f"{'. '.join(texts)}."


def stepwise(found: EffectTables) -> list[Block]:
    """Return how the stepwise selection of features went."""
    groups = found.tables["stepwise"].groupby("features", sort=False)
    return [block for name, path in groups for block in _path(found, name, path)]


def _path(found: EffectTables, name: str, path: pd.DataFrame) -> list[Block]:
    given = found.paper_features
    shared = ""
    if given:
        both = len(set(found.features(name)) & set(given))
        shared = f" Full marks are the paper’s features too: {both} of its {len(given)} are here."
    n_selected = int(path["n_selected"].iloc[-1])
    figure = Figure(
        f"stepwise-{found.dataset}-{name}",
        draw_path,
        {
            "steps": [
                f"{'+' if row.action == 'enter' else '−'} {row.feature}"
                for row in path.itertuples()
            ],
            "log_likelihood": path["log_likelihood"].to_numpy(),
            "filled": (path["feature"].isin(given) | (not given)).to_numpy(),
        },
        "Read from top to bottom: at each step the feature that improves a logistic regression on "
        "the naive effects most enters (+), and one that has lost its weight leaves (−). "
        f"{_last_step(path)}{shared}",
        f"Line of log-likelihood by step; {n_selected} features in the end.",
        found.whole.sources("stepwise"),
    )
    caption = (
        "The same steps in numbers: score chi-square of a feature that entered, or Wald’s of one "
        "that left, and its p-value. Of many features tried, some enter by chance."
    )
    columns = ["feature", "step", "action", "chi_square", "p_value", "log_likelihood"]
    table = found.whole.show("stepwise", caption, columns, path)
    return [figure, Group(f"Steps of “{name}”", [table], "as a table")]


def _last_step(path: pd.DataFrame) -> str:
    """Return what the last step gained, beside the first."""
    if len(path) < 3:
        return ""
    return (
        f"The second step gains {path['gain'].iloc[1]:,.1f} of log-likelihood, the last "
        f"{path['gain'].iloc[-1]:,.1f} (p = {path['p_value'].iloc[-1]:.2g}, not adjusted for the "
        "features tried)."
    )


def tuning(found: EffectTables) -> list[Block]:
    """Return what was tried inside the training part, what was chosen, and what it brought."""
    table = found.tables["tuning"]
    tuned = [c for c in table.columns if c not in {"features", "mean_log_likelihood", "chosen"}]
    tried = [", ".join(map(_setting, tuned, row)) for row in table[tuned].to_numpy().tolist()]
    table = table.assign(tried=tried)
    chosen = table[table["chosen"]].to_dict("records")
    wide = table.set_index(["tried", "features"])["mean_log_likelihood"].unstack(sort=False)
    frame = wide[[name for name in found.sets if name in wide]].rename(columns=found.sets)
    frame = frame.rename_axis(columns=None).reset_index()
    best = {(wide.index.get_loc(row["tried"]), found.sets[row["features"]]) for row in chosen}
    caption = (
        "Every combination tried, with its log-likelihood per sample in stratified ten-fold "
        "cross-validation of the training part (nearer to 0 is better); the chosen one is marked. "
        "The test part had no say in it."
    )
    formats = dict.fromkeys(frame.columns[1:], ".4f") | {"tried": ""}
    sources = found.whole.sources("tuning", "fit")
    sentences = [Prose(_chosen(found, row, table[tuned]), sources=sources) for row in chosen]
    wide_table = found.whole.show("tuning", caption, rows=frame, own=formats, best=frozenset(best))
    return [*sentences, wide_table]


def _chosen(found: EffectTables, row: dict[str, Any], tried: pd.DataFrame) -> str:
    """Return a sentence on what was chosen and what came of it."""
    fit = found.fit(row["features"], found.part)
    before, after = fit.loc[GENERALIZED], fit.loc[TUNED]
    verdict = "better" if after["log_likelihood"] > before["log_likelihood"] else "worse"
    text = (
        f"{found.sets[row['features']]}: {row['tried']} was chosen. On the {found.part} part its "
        f"log-likelihood is {verdict} than that of the untuned model "
        f"({after['log_likelihood']:,.1f} against {before['log_likelihood']:,.1f}); it "
        f"misclassifies {after['misclassification']:.2%} against {before['misclassification']:.2%}."
    )
    ends = " and ".join(name for name in tried if _at_an_end(tried[name], row[name]))
    return f"{text} At an end of what was tried: {ends}." if ends else text


def _setting(name: str, value: object) -> str:
    return f"{name} {value:g}" if isinstance(value, int | float) else f"{name} {value}"


def _at_an_end(tried: pd.Series, chosen: object) -> bool:
    """Return whether a number is the least or the greatest of three or more tried."""
    several = tried.dtype.kind in "iuf" and len(tried.unique()) >= 3
    return several and chosen in (tried.min(), tried.max())
