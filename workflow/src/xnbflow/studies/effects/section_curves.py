"""What was found of one data set: its tables, curves, and choices (Larsen 2005, section 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Links, Prose
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.studies.effects import ANALYSIS, GENERALIZED, MODELS, PAPERS_EXAMPLE, TUNED
from xnbflow.studies.effects.drawings import draw_convergence, draw_effect, draw_path

__all__ = ["EffectTables", "convergence", "curves", "scorecard", "stepwise", "tuning"]

_PRINTED = ["paper", "paper_lower", "paper_upper"]


@dataclass(frozen=True)
class EffectTables:
    """What `xnbflow.studies.effects.compute` found on one data set.

    Attributes
    ----------
    dataset : str
        Its name.
    tables : dict of str to DataFrame
        Its rows of every table, by name; tables without any are absent.
    whole : StudyTables
        The tables of all data sets.
    """

    dataset: str
    tables: dict[str, pd.DataFrame]
    whole: StudyTables

    @classmethod
    def read(cls, results: StudyResults) -> list["EffectTables"]:
        """Return what was found on each data set of a study."""
        tables = results.analysis(ANALYSIS)
        whole = {name: tables[name] for name in tables.present()}
        return [
            cls(
                dataset,
                {
                    name: rows[rows["dataset"] == dataset].drop(columns="dataset")
                    for name, rows in whole.items()
                    if (rows["dataset"] == dataset).any()
                },
                tables,
            )
            for dataset in whole["fit"]["dataset"].unique()
        ]

    @property
    def sets(self) -> dict[str, str]:
        """Each set of features, in the study's order, with what it is called: with its size."""
        sizes = self.tables["fit"].drop_duplicates("features").set_index("features")["n_features"]
        return {name: f"{name} ({size} features)" for name, size in sizes.items()}

    @property
    def published(self) -> pd.DataFrame:
        """The paper's error; without rows where this is not its example."""
        return self.tables.get("published", pd.DataFrame(columns=["features", *_PRINTED]))

    @property
    def shown(self) -> str:
        """The set that is shown in detail: the one with the fewest features."""
        fit = self.tables["fit"]
        return fit["features"].loc[fit["n_features"].idxmin()]

    @property
    def models(self) -> list[str]:
        """The models that were fitted."""
        fitted = set(self.tables["fit"]["model"])
        return [model for model in MODELS if model in fitted]

    @property
    def part(self) -> str:
        """The part that counts: ``test`` where there is one."""
        return "test" if (self.tables["fit"]["part"] == "test").any() else "train"

    @property
    def classes(self) -> tuple[str, str]:
        """The class that is no event, and the event."""
        other, event = sorted(self.tables["confusion"]["actual"].unique())
        return other, event

    @property
    def paper_features(self) -> list[str]:
        """Features of the paper's set; none where this is not its example."""
        dataset, name = PAPERS_EXAMPLE
        return self.features(name) if self.dataset == dataset and name in self.sets else []

    def is_papers(self, name: str) -> bool:
        """Return whether a set is that of the paper's example."""
        return (self.dataset, name) == PAPERS_EXAMPLE

    def of_set(self, table: str, name: str) -> pd.DataFrame:
        """Return the rows of a set in a table."""
        rows = self.tables[table]
        return rows[rows["features"] == name]

    def fit(self, name: str, part: str) -> pd.DataFrame:
        """Return the fit statistics of a set in a part, a row per model; empty without the part."""
        rows = self.of_set("fit", name)
        rows = rows[rows["part"] == part].set_index("model")
        return rows.reindex(self.models) if len(rows) else rows

    def features(self, name: str) -> list[str]:
        """Return the features of a set."""
        card = self.of_set("scorecard", name)
        return card.loc[card["kind"] != "intercept", "feature"].unique().tolist()


#: Columns of the scorecard that are drawn.
_EFFECTS = ["naive_effect", "adjustment", "sum"]

#: The features of the paper's Figures 1 and 2; others are shown large where these are absent.
_PAPER_FIGURES = ["capLengthMAX", "wordFreqOUR"]
#: Features, and quantiles of their observations, in the excerpt of the scorecard.
_EXCERPT_FEATURES = 5
_EXCERPT_QUANTILES = (0.0, 0.5, 0.75, 0.9, 0.99)


def curves(found: EffectTables) -> list[Block]:
    """Return the effects of the features of the set that is shown."""
    strengths = found.of_set("strengths", found.shown)
    of_paper = set(_PAPER_FIGURES) <= set(found.paper_features) & set(found.features(found.shown))
    first = _PAPER_FIGURES if of_paper else strengths["feature"].head(2).tolist()
    others = [name for name in strengths["feature"] if name not in first]
    figures = _figures(found, first, others)
    caption = _CAPTION.format(event=found.classes[1])
    if of_paper:
        caption = f"Figures 1 and 2 of the paper. {caption} {_shapes(found)}"
    drawn = found.whole.sources("scorecard", "observations", "strengths")
    shapes = found.whole.sources("shapes") if of_paper else []
    large = Gallery(figures[: len(first)], caption, [*drawn, *shapes])
    adjusted = Prose(_taken_back(found), sources=found.whole.sources("adjustments"))
    blocks: list[Block] = [adjusted, large]
    if others:
        small = Gallery(figures[len(first) :], _SMALL_CAPTION, drawn)
        blocks.append(Group("The other features", [small], f"{len(others)} effects", opened=True))
    columns = ["feature", "naive", "adjusted", "taken_back", "least", "greatest"]
    table = found.whole.show("strengths", _STRENGTHS, columns, strengths)
    return [*blocks, Group("Strength of each effect", [table], "as a table")]


_CAPTION = (
    "Blue dashes: the naive effect. Orange dots: the adjustment. Green line: their sum, which the "
    "model uses. Above 0 a value speaks for “{event}”, below 0 against it. Grey bars: where the "
    "training samples are (heights by square root); where there are hardly any, do not trust the "
    "curve. A value that more than a tenth of the samples share stands apart, as round marks, with "
    "its share written in the strip. The outermost 1 % on either side is left out."
)
_SMALL_CAPTION = (
    "Drawn in the same way; the feature that moves the log odds most, over all samples, comes "
    "first. Every vertical axis is of its own: read the numbers before comparing heights."
)


def _shapes(found: EffectTables) -> str:
    """Return whether the paper's two curves have the shapes that it describes."""
    shapes = found.of_set("shapes", found.shown).set_index("feature")
    stick, bowl = (shapes.loc[name] for name in _PAPER_FIGURES)
    return (
        f"The paper describes {_PAPER_FIGURES[0]} as a hockey stick, which climbs at once and then "
        f"stays: here it {_climb(stick)}. It describes {_PAPER_FIGURES[1]} as a U: here it "
        f"{_dip(bowl)}."
    )


def _climb(shape: pd.Series) -> str:
    """Return in words whether a curve climbs early and then stays, over the training samples."""
    return (
        f"goes from {shape['start']:+.2f} to {shape['climbed']:+.2f} over the lowest "
        f"{shape['climbed_share']:.0%} of the samples and is between {shape['least_beyond']:+.2f} "
        f"and {shape['greatest_beyond']:+.2f} beyond, "
        f"{'as described' if shape['stays'] else 'which is another shape'}"
    )


def _dip(shape: pd.Series) -> str:
    """Return in words whether a curve is lower in between than at both ends."""
    return (
        f"starts at {shape['start']:+.2f}, is lowest with {shape['lowest']:+.2f} at a value of "
        f"{shape['lowest_at']:g}, and ends at {shape['end']:+.2f}, "
        f"{'as described' if shape['dips'] else 'which is no U'}"
    )


def _taken_back(found: EffectTables) -> str:
    (row,) = found.of_set("adjustments", found.shown).itertuples()
    return (
        f"In {row.against} of {row.effects} features the adjustment works against the naive "
        f"effect; half of the features lose {row.median:.0%} or more of it. The paper finds most "
        "adjustment where the naive effect peaks: compare the curves."
    )


_STRENGTHS = (
    "How far each feature moves the log odds. Spread: standard deviation over the training "
    "samples, of the naive effect and of the sum. Taken back: the share of the naive effect "
    "that the adjustment removes; below 0 it adds to it. Least and greatest: range of the sum, "
    "rare values included."
)


def scorecard(found: EffectTables) -> list[Block]:
    """Return where the look-up table is, and a few of its lines."""
    card, strengths = (found.of_set(t, found.shown) for t in ("scorecard", "strengths"))
    strongest = strengths["feature"].head(_EXCERPT_FEATURES)
    parts = [card[card["kind"] == "intercept"]]
    parts += [_excerpt(card[card["feature"] == feature]) for feature in strongest]
    caption = (
        "An excerpt: the strongest features at their least value, median and upper quantiles. To "
        "score a case by hand, start from the intercept and add the sum of every feature at the "
        "case’s value (between two lines in proportion, beyond the last as the last). Of the "
        f"result s, the probability of “{found.classes[1]}” is 1 / (1 + exp(−s))."
    )
    what = (
        f"the whole look-up table of all sets, {len(found.tables['scorecard']):,} lines, one per "
        "value seen in training; xnbflow.naive_bayes.scorecard.score scores by it alone"
    )
    links = Links([("Scorecard", what, ["effects/scorecard.parquet", "effects/scorecard.tsv"])])
    columns = ["feature", "value", "count", *_EFFECTS]
    return [links, found.whole.show("scorecard", caption, columns, pd.concat(parts))]


def _excerpt(card: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of a feature that hold given quantiles of its observations."""
    card = card.sort_values("value")
    return card.iloc[np.unique(np.searchsorted(card["below"], _EXCERPT_QUANTILES))]


def _figures(found: EffectTables, first: Sequence[str], others: Sequence[str]) -> list[Figure]:
    """Return a figure per feature; the first ones are large."""
    strengths = found.of_set("strengths", found.shown).set_index("feature")
    card, bars = (
        dict(iter(found.of_set(table, found.shown).groupby("feature")))
        for table in ("scorecard", "observations")
    )
    figures = []
    for i, name in enumerate([*first, *others], 1):
        strength = strengths.loc[name]
        arguments = _arguments(card[name], bars[name], strength, large=name in first)
        alt = (
            f"Effect of {name} on the log odds: least {strength['least']:.2f} at "
            f"{strength['least_at']:g}, greatest {strength['greatest']:.2f} at "
            f"{strength['greatest_at']:g}."
        )
        figure = Figure(f"effect-{found.dataset}-{i:02d}", draw_effect, arguments, "", alt)
        figures.append(figure)
    return figures


def _arguments(
    card: pd.DataFrame, bars: pd.DataFrame, strength: pd.Series, *, large: bool
) -> dict[str, object]:
    """Return what is drawn of a feature."""
    low, high, beyond = strength[["low", "high", "beyond"]]
    card = card[card["value"].between(low, high)].sort_values("value")
    apart = card[card["apart"]]
    return {
        "feature": strength.name,
        "values": card["value"].to_numpy(),
        "effects": card[_EFFECTS].to_numpy().T,
        "separate": list(zip(apart["value"].tolist(), apart["share"].tolist(), strict=True)),
        "edges": np.append(bars["lower"], bars["upper"].iloc[-1]),
        "counts": bars["count"].to_numpy(),
        "note": f"{beyond:.1%} lie outside" if beyond > 0 else "",
        "large": large,
    }


_PAPER_PASSES = 6


def convergence(found: EffectTables) -> Figure:
    """Return the log-likelihood by pass over the features, for every set."""
    table = found.tables["convergence"]
    paths = [
        table.loc[table["features"] == name, "log_likelihood"].to_numpy() for name in found.sets
    ]
    made = found.tables["passes"].set_index("features").loc[list(found.sets)]
    passes = ", ".join(
        f"{name} {number}{f' (the paper: {_PAPER_PASSES})' * found.is_papers(name)}"
        for name, number in made["passes"].items()
    )
    return Figure(
        f"convergence-{found.dataset}",
        draw_convergence,
        {"names": list(found.sets.values()), "paths": paths},
        "Each pass over the features corrects every curve once, until the curves hardly change any "
        "more; curves are smoothed and not fitted as closely as can be, so that a pass may lower "
        f"the log-likelihood of the training part. {_gains(made)} Passes made: {passes}.",
        f"Lines of log-likelihood by pass. Passes made: {passes}.",
        found.whole.sources("convergence", "passes"),
    )


def _gains(passes: pd.DataFrame) -> str:
    """Return from where to where the log-likelihood goes, and how much the first pass brings."""
    texts = []
    for row in passes.itertuples():
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
    ends = [
        name
        for name, values in tried.items()
        if values.dtype.kind in "iuf"
        and len(values.unique()) >= 3
        and row[name] in (values.min(), values.max())
    ]
    return f"{text} At an end of what was tried: {' and '.join(ends)}." if ends else text


def _setting(name: str, value: object) -> str:
    return f"{name} {value:g}" if isinstance(value, int | float) else f"{name} {value}"
