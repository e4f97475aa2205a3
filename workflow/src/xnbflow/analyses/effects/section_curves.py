"""Effects of single features: curves, strengths, scorecard (Larsen 2005, Figures 1-2)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.analyses.effects.drawings import draw_effect
from xnbflow.analyses.effects.section_tables import EffectTables
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Links, Prose, Table

__all__ = ["curves", "effect_strengths", "scorecard"]

#: Columns of the scorecard that are drawn.
_EFFECTS = ["naive_effect", "adjustment", "sum"]

#: A value that more than this share of the observations hold is smoothed apart from the others.
_ATOM = 0.1
#: The axis ends where this share of the observations lies on either side of it.
_BEYOND = 0.01
_POINTS = 120
_BINS = 50

#: The features of the paper's Figures 1 and 2; others are shown large where these are absent.
_PAPER_FIGURES = ["capLengthMAX", "wordFreqOUR"]
#: Features, and quantiles of their observations, in the excerpt of the scorecard.
_EXCERPT_FEATURES = 5
_EXCERPT_QUANTILES = (0.0, 0.5, 0.75, 0.9, 0.99)


def curves(found: EffectTables) -> list[Block]:
    """Return the effects of the features of the set that is shown."""
    card = found.card(found.shown)
    strengths = effect_strengths(card)
    of_paper = set(_PAPER_FIGURES) <= set(found.paper_features) & set(found.features(found.shown))
    first = _PAPER_FIGURES if of_paper else strengths["feature"].head(2).tolist()
    others = [name for name in strengths["feature"] if name not in first]
    figures = _figures(card, f"effect-{found.dataset}", first, others)
    caption = _CAPTION.format(event=found.classes[1])
    caption = f"Figures 1 and 2 of the paper. {caption} {_shapes(card)}" if of_paper else caption
    blocks: list[Block] = [Prose(_taken_back(strengths)), Gallery(figures[: len(first)], caption)]
    if others:
        small = Gallery(figures[len(first) :], _SMALL_CAPTION)
        blocks.append(Group("The other features", [small], f"{len(others)} effects", opened=True))
    strengths = Group("Strength of each effect", [_strengths_table(strengths)], "as a table")
    return [*blocks, strengths]


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


def _shapes(card: pd.DataFrame) -> str:
    """Return whether the paper's two curves have the shapes that it describes."""
    cards = dict(_features(card))
    stick, bowl = (cards[name] for name in _PAPER_FIGURES)
    return (
        f"The paper describes {_PAPER_FIGURES[0]} as a hockey stick, which climbs at once and then "
        f"stays: here it {_climb(stick)}. It describes {_PAPER_FIGURES[1]} as a U: here it "
        f"{_dip(bowl)}."
    )


def _climb(card: pd.DataFrame) -> str:
    """Return in words whether a curve climbs early and then stays, over the training samples."""
    effect, share = card["sum"].to_numpy(), card["count"].cumsum() / card["count"].sum()
    rise = effect.max() - effect[0]
    top = int(np.argmax(effect >= effect[0] + _MOST_OF_IT * rise))
    numbers = (
        f"goes from {effect[0]:+.2f} to {effect[top]:+.2f} over the lowest {share.iloc[top]:.0%} "
        f"of the samples and is between {effect[top:].min():+.2f} and "
        f"{effect[top:].max():+.2f} beyond"
    )
    stays = rise > 0 and np.ptp(effect[top:]) <= _LITTLE_OF_IT * rise
    return f"{numbers}, as described" if stays else f"{numbers}, which is another shape"


def _dip(card: pd.DataFrame) -> str:
    """Return in words whether a curve is lower in between than at both ends."""
    effect = card["sum"].to_numpy()
    lowest = int(effect.argmin())
    at = f"starts at {effect[0]:+.2f}, is lowest with {effect[lowest]:+.2f} at a value of "
    numbers = f"{at}{card['value'].iloc[lowest]:g}, and ends at {effect[-1]:+.2f}"
    inside = 0 < lowest < len(effect) - 1
    return f"{numbers}, as described" if inside else f"{numbers}, which is no U"


#: A curve that has made this share of its climb has climbed; one that varies less than that share
#: of it afterwards stays.
_MOST_OF_IT, _LITTLE_OF_IT = 0.8, 0.5


def _taken_back(strengths: pd.DataFrame) -> str:
    back = strengths["taken_back"].dropna()
    return (
        f"In {int((back > 0).sum())} of {len(strengths)} features the adjustment works against the "
        f"naive effect; half of the features lose {back.median():.0%} or more of it. The paper "
        "finds most adjustment where the naive effect peaks: compare the curves."
    )


def _strengths_table(strengths: pd.DataFrame) -> Table:
    columns = ["feature", "naive spread", "spread", "taken back", "least", "greatest"]
    frame = strengths.set_axis(columns, axis=1)
    formats = dict.fromkeys(columns[1:], ".2f") | {"taken back": ".0%"}
    caption = (
        "How far each feature moves the log odds. Spread: standard deviation over the training "
        "samples, of the naive effect and of the sum. Taken back: the share of the naive effect "
        "that the adjustment removes; below 0 it adds to it. Least and greatest: range of the sum, "
        "rare values included."
    )
    return Table(frame, caption, formats)


def scorecard(found: EffectTables) -> list[Block]:
    """Return where the look-up table is, and a few of its lines."""
    card = found.card(found.shown)
    strongest = effect_strengths(card)["feature"].head(_EXCERPT_FEATURES)
    parts = [card[card["kind"] == "intercept"]]
    parts += [_excerpt(card[card["feature"] == feature]) for feature in strongest]
    frame = pd.concat(parts)[["feature", "value", "count", *_EFFECTS]]
    frame = frame.rename(columns={"count": "samples", "naive_effect": "naive effect"})
    formats = {"value": ",.6g", "samples": ",.0f"}
    formats |= dict.fromkeys(["naive effect", "adjustment", "sum"], "+.3f")
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
    return [links, Table(frame, caption, formats)]


def _excerpt(card: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of a feature that hold given quantiles of its observations."""
    card = card.sort_values("value")
    below = (card["count"].cumsum() / card["count"].sum()).to_numpy()
    return card.iloc[np.unique(np.searchsorted(below, _EXCERPT_QUANTILES))]


def effect_strengths(scorecard: pd.DataFrame) -> pd.DataFrame:
    """Return how far each feature moves the log odds, strongest first.

    Parameters
    ----------
    scorecard : DataFrame
        Of one model, with ``feature``, ``kind``, ``count`` and the effects.

    Returns
    -------
    DataFrame
        Per ``feature``, over the training observations: ``naive``, ``adjusted``: standard deviation
        of the naive effect and of the sum; ``taken_back``: share of the naive effect that the
        adjustment removes (1 minus the slope of the sum on it; missing without an effect);
        ``least``, ``greatest``: range of the sum.
    """
    rows = []
    for feature, card in _features(scorecard):
        weights = card["count"].to_numpy() / card["count"].sum()
        effects = card[_EFFECTS].to_numpy().T
        covariance = (
            np.cov(effects, aweights=weights, ddof=0) if len(card) > 1 else np.zeros((3, 3))
        )
        naive = covariance[0, 0]
        rows.append(
            {
                "feature": feature,
                "naive": np.sqrt(naive),
                "adjusted": np.sqrt(covariance[2, 2]),
                "taken_back": 1 - covariance[0, 2] / naive if naive > 0 else np.nan,
                "least": effects[2].min(),
                "greatest": effects[2].max(),
            }
        )
    return pd.DataFrame(rows).sort_values("adjusted", ascending=False, kind="stable")


def _figures(
    scorecard: pd.DataFrame, prefix: str, first: Sequence[str], others: Sequence[str]
) -> list[Figure]:
    """Return a figure per feature; the first ones are large."""
    cards = dict(_features(scorecard))
    return [
        Figure(
            f"{prefix}-{i:02d}",
            draw_effect,
            _arguments(name, cards[name], large=name in first),
            "",
            _alt(name, cards[name]),
        )
        for i, name in enumerate([*first, *others], 1)
    ]


def _features(scorecard: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each feature by ascending value, without the intercept."""
    rows = scorecard[scorecard["kind"] != "intercept"]
    groups = rows.groupby("feature", sort=False)
    return [(name, card.sort_values("value")) for name, card in groups]


def _arguments(name: str, card: pd.DataFrame, *, large: bool) -> dict[str, object]:
    """Return what is drawn of a feature."""
    values, counts = card["value"].to_numpy(), card["count"].to_numpy()
    total = counts.sum()
    categorical = (card["kind"] == "categorical").all()
    apart = (counts > _ATOM * total) | categorical
    low, high = _limits(values, counts)
    inside = (values >= low) & (values <= high)
    shown = inside & (apart | _thinned(values, low, high))
    edges = np.linspace(low, high, _BINS + 1)
    others = inside & ~apart
    beyond = 1 - counts[inside].sum() / total
    return {
        "feature": name,
        "values": values[shown],
        "effects": card[_EFFECTS].to_numpy()[shown].T,
        "separate": [
            (float(v), float(n / total))
            for v, n in zip(values[apart & inside], counts[apart & inside], strict=True)
        ],
        "edges": edges,
        "counts": np.histogram(values[others], edges, weights=counts[others])[0],
        "note": f"{beyond:.1%} lie outside" if beyond > 0 else "",
        "large": large,
    }


def _limits(values: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """Return where the axis begins and ends: long thin tails are left out."""
    below = np.cumsum(counts) / counts.sum()
    low = values[np.searchsorted(below, _BEYOND)]
    high = values[np.searchsorted(below, 1 - _BEYOND)]
    return (float(low), float(high)) if low < high else (float(values[0]), float(values[-1]))


def _thinned(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Mark the first value in each of many equal steps: more cannot be told apart."""
    steps = np.floor((values - low) / ((high - low) or 1.0) * _POINTS)
    return np.diff(steps, prepend=-np.inf) > 0


def _alt(name: str, card: pd.DataFrame) -> str:
    low, high = card.loc[card["sum"].idxmin()], card.loc[card["sum"].idxmax()]
    return (
        f"Effect of {name} on the log odds: least {low['sum']:.2f} at {low['value']:g}, "
        f"greatest {high['sum']:.2f} at {high['value']:g}."
    )
