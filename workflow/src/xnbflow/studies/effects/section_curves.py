"""Effects of single features: curves, strengths, scorecard (Larsen 2005, Figures 1-2)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Links, Prose
from xnbflow.studies.effects.drawings import draw_effect
from xnbflow.studies.effects.section_tables import EffectTables

__all__ = ["curves", "scorecard"]

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
    return [
        Figure(
            f"effect-{found.dataset}-{i:02d}",
            draw_effect,
            _arguments(card[name], bars[name], strengths.loc[name], large=name in first),
            "",
            _alt(name, strengths.loc[name]),
        )
        for i, name in enumerate([*first, *others], 1)
    ]


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


def _alt(name: str, strength: pd.Series) -> str:
    return (
        f"Effect of {name} on the log odds: least {strength['least']:.2f} at "
        f"{strength['least_at']:g}, greatest {strength['greatest']:.2f} at "
        f"{strength['greatest_at']:g}."
    )
