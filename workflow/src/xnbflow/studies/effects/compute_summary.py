"""What the page tells of fitted models: intervals, costs, strengths and shapes of effects."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from xnbflow.studies.effects.contract import GENERALIZED, PAPERS_EXAMPLE

__all__ = ["summarise"]

_SET = ["dataset", "features"]
#: Columns of the scorecard that are drawn.
_EFFECTS = ["naive_effect", "adjustment", "sum"]
#: What the paper prints, and on how many samples.
_PAPER_ERROR, _PAPER_TESTED = 0.053, 1536
#: Standard errors to either side that chance explains in 95 of 100 cases.
_CHANCE = 1.96

#: A value that more than this share of the observations hold is smoothed apart from the others.
_ATOM = 0.1
#: A picture's axis ends where this share of the observations lies on either side of it.
_BEYOND = 0.01
_BINS = 50

#: A curve that has made this share of its climb has climbed; one that varies less than that share
#: of it afterwards stays.
_MOST_OF_IT, _LITTLE_OF_IT = 0.8, 0.5


def summarise(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Complete the tables of `xnbflow.studies.effects.compute`, and add those made of them.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        ``fit``, ``confusion``, ``scorecard``, ``convergence`` and, where there is one,
        ``stepwise``, each with ``dataset`` and ``features``.

    Returns
    -------
    dict of str to DataFrame
        The given tables with the columns that `xnbflow.studies.effects.contract` declares beyond
        the given ones, and ``published``, ``costs``, ``strengths``, ``adjustments``, ``shapes``,
        ``observations`` and ``passes``.
    """
    fit = _with_interval(tables["fit"])
    confusion = _with_shares(tables["confusion"])
    card = _with_observations(tables["scorecard"])
    curves = card[card["kind"] != "intercept"]
    strengths = _each(curves, "feature", _strength).sort_values(
        [*_SET, "adjusted"], ascending=[True, True, False], kind="stable", ignore_index=True
    )
    made = {
        "fit": fit,
        "confusion": confusion,
        "scorecard": card,
        "published": _published(fit),
        "costs": _costs(confusion),
        "strengths": strengths,
        "adjustments": _each(strengths, None, _adjustment),
        "shapes": _each(curves, "feature", _shape),
        "observations": _observations(curves, strengths),
        "passes": _each(tables["convergence"], None, _passes),
    }
    if "stepwise" in tables:
        steps = tables["stepwise"]
        gain = steps.groupby(_SET, sort=False)["log_likelihood"].diff()
        made["stepwise"] = steps.assign(gain=gain)
    return {**tables, **made}


def _each(
    table: pd.DataFrame, key: str | None, row: Callable[[pd.DataFrame], dict[str, object]]
) -> pd.DataFrame:
    """Return what a function makes of each set, or of each value of ``key`` in it, as rows."""
    keys = [*_SET, key] if key else _SET
    groups = table.groupby(keys, sort=False)
    return pd.DataFrame([dict(zip(keys, names, strict=True)) | row(rows) for names, rows in groups])


def _standard_error(share: pd.Series | float, n: pd.Series | int) -> pd.Series | float:
    return np.sqrt(share * (1 - share) / n)


def _with_interval(fit: pd.DataFrame) -> pd.DataFrame:
    share = fit["misclassification"]
    error = _standard_error(share, fit["n_samples"])
    return fit.assign(
        misclassification_error=error,
        misclassification_lower=share - _CHANCE * error,
        misclassification_upper=share + _CHANCE * error,
    )


def _published(fit: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's error beside ours, for the part that counts; no row for other data."""
    dataset, features = PAPERS_EXAMPLE
    own = fit[(fit["dataset"] == dataset) & (fit["features"] == features)]
    own = own[own["model"] == GENERALIZED]
    if (own["part"] == "test").any():
        own = own[own["part"] == "test"]
    error = _standard_error(_PAPER_ERROR, _PAPER_TESTED)
    together = np.hypot(error, own["misclassification_error"])
    return pd.DataFrame(
        {
            "dataset": own["dataset"],
            "features": own["features"],
            "part": own["part"],
            "ours": own["misclassification"],
            "paper": _PAPER_ERROR,
            "paper_samples": _PAPER_TESTED,
            "paper_error": error,
            "paper_lower": _PAPER_ERROR - _CHANCE * error,
            "paper_upper": _PAPER_ERROR + _CHANCE * error,
            "differs": (own["misclassification"] - _PAPER_ERROR).abs() >= _CHANCE * together,
        }
    ).reset_index(drop=True)


def _with_shares(confusion: pd.DataFrame) -> pd.DataFrame:
    keys = [*_SET, "model", "part", "actual"]
    total = confusion.groupby(keys, sort=False)["count"].transform("sum")
    return confusion.assign(share=confusion["count"] / total.clip(lower=1))


def _costs(confusion: pd.DataFrame) -> pd.DataFrame:
    """Return both kinds of errors and what they cost, of every model and part of every set."""
    event = confusion.groupby("dataset")["actual"].transform("max")
    wrong = confusion["actual"] != confusion["predicted"]
    counts = confusion["count"]
    parts = confusion.assign(
        false_alarms=counts.where(wrong & (confusion["predicted"] == event), 0),
        missed=counts.where(wrong & (confusion["actual"] == event), 0),
    )
    keys = [*_SET, "model", "part", "cutoff"]
    sums = parts.groupby(keys, sort=False)[["false_alarms", "missed", "count"]].sum().reset_index()
    sums = sums.rename(columns={"count": "samples"})
    # With L1 + L2 = 2 the loss is the number of errors where both cost the same.
    loss = 2 * (sums["cutoff"] * sums["false_alarms"] + (1 - sums["cutoff"]) * sums["missed"])
    return sums.assign(loss_per_1000=1000 * loss / sums["samples"])


def _with_observations(card: pd.DataFrame) -> pd.DataFrame:
    """Add the share of the training samples at each value and up to it, and what stands apart."""
    ordered = card.sort_values("value", kind="stable")
    groups = ordered.groupby([*_SET, "feature"], sort=False)["count"]
    total = groups.transform("sum")
    share = ordered["count"] / total
    card = card.assign(share=share, below=groups.cumsum() / total)
    apart = (card["share"] > _ATOM) | (card["kind"] == "categorical")
    return card.assign(apart=apart & (card["kind"] != "intercept"))


def _strength(card: pd.DataFrame) -> dict[str, object]:
    """Return how far a feature moves the log odds, and where its observations are."""
    card = card.sort_values("value")
    effects, values = card[_EFFECTS].to_numpy().T, card["value"].to_numpy()
    weights = card["share"].to_numpy()
    covariance = np.cov(effects, aweights=weights, ddof=0) if len(card) > 1 else np.zeros((3, 3))
    naive, total = covariance[0, 0], effects[2]
    low, high = _limits(values, card["below"].to_numpy())
    inside = (values >= low) & (values <= high)
    return {
        "naive": np.sqrt(naive),
        "adjusted": np.sqrt(covariance[2, 2]),
        "taken_back": 1 - covariance[0, 2] / naive if naive > 0 else np.nan,
        "least": total.min(),
        "least_at": values[total.argmin()],
        "greatest": total.max(),
        "greatest_at": values[total.argmax()],
        "low": low,
        "high": high,
        "beyond": weights[~inside].sum(),
    }


def _limits(values: np.ndarray, below: np.ndarray) -> tuple[float, float]:
    """Return where the axis begins and ends: long thin tails are left out."""
    low = values[np.searchsorted(below, _BEYOND)]
    high = values[np.searchsorted(below, 1 - _BEYOND)]
    return (float(low), float(high)) if low < high else (float(values[0]), float(values[-1]))


def _adjustment(strengths: pd.DataFrame) -> dict[str, object]:
    back = strengths["taken_back"].dropna()
    return {"effects": len(strengths), "against": (back > 0).sum(), "median": back.median()}


def _shape(card: pd.DataFrame) -> dict[str, object]:
    """Return whether a curve climbs early and then stays, and whether it dips in between."""
    card = card.sort_values("value")
    effect = card["sum"].to_numpy()
    rise = effect.max() - effect[0]
    top = int(np.argmax(effect >= effect[0] + _MOST_OF_IT * rise))
    lowest = int(effect.argmin())
    return {
        "start": effect[0],
        "end": effect[-1],
        "climbed": effect[top],
        "climbed_share": card["below"].iloc[top],
        "least_beyond": effect[top:].min(),
        "greatest_beyond": effect[top:].max(),
        "stays": bool(rise > 0 and np.ptp(effect[top:]) <= _LITTLE_OF_IT * rise),
        "lowest": effect[lowest],
        "lowest_at": card["value"].iloc[lowest],
        "dips": 0 < lowest < len(effect) - 1,
    }


def _observations(curves: pd.DataFrame, strengths: pd.DataFrame) -> pd.DataFrame:
    """Return histograms of the values that do not stand apart, between the ends of the axes."""
    ends = strengths.set_index([*_SET, "feature"])[["low", "high"]]
    parts = []
    for key, card in curves.groupby([*_SET, "feature"], sort=False):
        low, high = ends.loc[key]
        edges = np.linspace(low, high, _BINS + 1)
        shown = card[card["value"].between(low, high) & ~card["apart"]]
        counts, _ = np.histogram(shown["value"], edges, weights=shown["count"])
        about = dict(zip([*_SET, "feature"], key, strict=True))
        bins = {"lower": edges[:-1], "upper": edges[1:], "count": counts.astype(int)}
        parts.append(pd.DataFrame(about | bins))
    return pd.concat(parts, ignore_index=True)


def _passes(convergence: pd.DataFrame) -> dict[str, object]:
    path = convergence["log_likelihood"].to_numpy()
    gain = path[-1] - path[0]
    return {
        "passes": len(path) - 1,
        "naive": path[0],
        "last": path[-1],
        "greatest": path.max(),
        "greatest_after": path.argmax(),
        "first_share": (path[1] - path[0]) / gain if len(path) > 2 and gain > 0 else np.nan,
    }
