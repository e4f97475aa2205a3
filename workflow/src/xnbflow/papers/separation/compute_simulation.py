"""Simulated risk of block selection, the covariances known (Pavlenko and von Rosen, section 4).

Only the scores of the blocks and their real parts are drawn; given these the risk is exact.
`xnbflow.papers.separation.separation_scores` has the notation.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import ncx2

from xnbflow.core.seeds import derive_seed
from xnbflow.papers.separation import (
    ALL_BLOCKS,
    BEST_THRESHOLD,
    EQ22,
    ESTIMATED_WEIGHTS,
    KNOWN_WEIGHTS,
    TRUE_SCORES,
)
from xnbflow.papers.separation.mixing import MixingDistribution, estimate_mixing
from xnbflow.papers.separation.separation_scores import (
    Moments,
    kept_moments,
    optimal_cut,
    printed_cut,
    weighted_moments,
)

#: Least risk with all blocks for a comparison.
LEAST_RISK = 1e-6
#: Number of training sets by which estimates of H are described.
_SHOWN_ESTIMATES = 50
#: Training sets for Theorem 1, which needs no estimate of H, per training set for the rest.
_THEOREM1_DRAWS = 20


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A distribution H of true scores gamma², as equally probable scores of the blocks.

    Attributes
    ----------
    name, distribution : str
        The columns ``setting`` and ``distribution`` of the table ``risk``; the latter is the kind.
    true : ndarray of shape (n_blocks,)
        The true score of each block.
    size : int
        Features of a block.
    useless : float
        The share of the blocks that have score 0.
    """

    name: str
    distribution: str
    true: np.ndarray
    size: int
    useless: float = 0.0

    @cached_property
    def mixing(self) -> MixingDistribution:
        """H, known."""
        values, counts = np.unique(self.true, return_counts=True)
        return MixingDistribution(values, counts / len(self.true))

    @cached_property
    def degrees(self) -> np.ndarray:
        """Degrees of freedom of each block's score."""
        return np.full(len(self.true), float(self.size))

    @cached_property
    def cut(self) -> float:
        """The threshold of Eq. 20, where scores have their expectations."""
        return self.size * printed_cut(self.true + self.degrees, self.degrees)

    def rng(self, purpose: str) -> np.random.Generator:
        """Return random numbers that depend on the setting and the purpose alone."""
        return np.random.default_rng(derive_seed("separation", self.name, purpose))


class Trials(NamedTuple):
    """Training sets, as far as the risk depends on them; arrays (n_sets, n_blocks).

    Attributes
    ----------
    observed : ndarray
        Scores u = |T|².
    signal : ndarray
        gamma'T, the agreement of the estimated difference with the true one.
    offset : ndarray
        T's, with s the noise of the midpoint between the class means, which shifts the boundary.
    """

    observed: np.ndarray
    signal: np.ndarray
    offset: np.ndarray


def draw_trials(true: np.ndarray, size: int, rng: np.random.Generator) -> Trials:
    """Draw training sets from blocks of ``size`` features with ``true`` scores (n_sets, n_blocks).

    Only the part of T along gamma and the squared length of the part across it are drawn: a normal
    and a chi-square with size - 1 degrees of freedom.
    """
    along = np.sqrt(true) + rng.normal(size=true.shape)
    across = rng.chisquare(size - 1, size=true.shape) if size > 1 else 0.0
    observed = along**2 + across
    signal = np.sqrt(true) * along
    offset = np.sqrt(observed) * rng.normal(size=true.shape)
    return Trials(observed, signal, offset)


def make_settings(params: dict[str, Any]) -> list[Setting]:
    """Return the distributions that the study's parameters name; see `analyse`."""
    n_blocks = params["blocks"]
    size = params["size"]
    settings = []
    for high in params["uniform"]:
        name = f"uniform on [0, {high:g}]"
        true = high * equal_probabilities(n_blocks)
        settings.append(Setting(name=name, distribution="uniform", true=true, size=size))
    kind = "non-central chi-square"
    for degrees, shift in params["noncentral"]:
        name = f"{kind} ({degrees:g}, {shift:g})"
        true = ncx2.ppf(equal_probabilities(n_blocks), degrees, shift)
        settings.append(Setting(name=name, distribution=kind, true=true, size=size))
    kind = "useless and uniform"
    for share, (low, high) in itertools.product(params["useless"], params["useful"]):
        n_useless = round(share * n_blocks)
        useful = low + (high - low) * equal_probabilities(n_blocks - n_useless)
        name = f"{share:.0%} useless, others uniform on [{low:g}, {high:g}]"
        true = np.append(np.zeros(n_useless), useful)
        settings.append(Setting(name=name, distribution=kind, true=true, size=size, useless=share))
    return settings


def equal_probabilities(n: int) -> np.ndarray:
    """Return the middles of n equally probable parts of [0, 1].

    Examples
    --------
    >>> equal_probabilities(4).tolist()
    [0.125, 0.375, 0.625, 0.875]
    """
    return (np.arange(n) + 0.5) / n


def simulate_setting(setting: Setting, params: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables ``risk``, ``theorem1`` and ``weights`` of one distribution.

    Only the study's parameters ``samples`` and ``repeats`` are used.
    """
    trials = _draw(setting, params["repeats"], "training samples")
    estimates = [estimate_mixing(scores, setting.degrees) for scores in trials.observed]

    # The weights (n_sets, n_blocks) that each method gives.
    observed = trials.observed
    degrees = setting.degrees
    size = setting.size
    estimated = np.empty(observed.shape)
    best = np.empty(observed.shape)
    for row, (scores, mixing) in enumerate(zip(observed, estimates, strict=True)):
        estimated[row] = mixing.weights(scores, size)
        best[row] = scores >= size * optimal_cut(scores, degrees, estimated[row])
    true_score_is_kept = (setting.true + size >= setting.cut).astype(float)
    known = setting.mixing.weights(observed.reshape(-1), size).reshape(observed.shape)
    methods = {
        ALL_BLOCKS: np.ones(observed.shape),
        EQ22: printed_selection(observed, size),
        BEST_THRESHOLD: best,
        KNOWN_WEIGHTS: known,
        ESTIMATED_WEIGHTS: estimated,
        TRUE_SCORES: np.broadcast_to(true_score_is_kept, observed.shape),
    }

    asymptotic = _asymptotic_moments(setting)
    risk = []
    for n in params["samples"]:
        risk += _compare(setting, trials, methods=methods, asymptotic=asymptotic, n=n)
    return {
        "risk": pd.DataFrame(risk),
        "theorem1": pd.DataFrame([_theorem1(setting, trials, estimates[:_SHOWN_ESTIMATES])]),
        "weights": _weight_curves(setting, estimates[:_SHOWN_ESTIMATES]),
    }


def _draw(setting: Setting, n_sets: int, purpose: str) -> Trials:
    """Draw training sets of a setting, by random numbers that the purpose names."""
    true = np.broadcast_to(setting.true, (n_sets, len(setting.true)))
    return draw_trials(true, setting.size, setting.rng(purpose))


def printed_selection(observed: np.ndarray, size: int) -> np.ndarray:
    """Return 1 for the blocks that Eq. 22 keeps in each training set, else 0.

    ``observed`` scores have shape (n_sets, n_blocks).
    """
    degrees = np.full(observed.shape[1], size)
    selected = [scores >= size * printed_cut(scores, degrees) for scores in observed]
    return np.array(selected, dtype=float)


def _compare(
    setting: Setting,
    trials: Trials,
    methods: dict[str, np.ndarray],
    asymptotic: dict[str, Moments],
    n: int,
) -> list[dict[str, Any]]:
    """Return rows of the table ``risk`` for one sample size."""
    risk_of_all = exact_risk(trials, methods[ALL_BLOCKS], n)
    rows: list[dict[str, Any]] = []
    if risk_of_all.mean() < LEAST_RISK:
        return rows
    limits = {method: Moments(m.mean / n, m.variance / n) for method, m in asymptotic.items()}
    for method, weights in methods.items():
        risk = exact_risk(trials, weights, n)
        limit = limits[method]
        ratio = risk.mean() / risk_of_all.mean()
        moments = weighted_moments(trials.observed, weights, trials.signal, n)
        rows.append(
            {
                "setting": setting.name,
                "distribution": setting.distribution,
                "samples": n,
                "method": method,
                "separation": moments.separation.mean(),
                "risk": risk.mean(),
                "risk_error": standard_error(risk),
                "asymptotic_separation": float(limit.separation),
                "asymptotic_risk": float(limit.risk),
                "gain": 1 - ratio,
                "gain_error": standard_error(risk - ratio * risk_of_all) / risk_of_all.mean(),
                "asymptotic_gain": float(1 - limit.risk / limits[ALL_BLOCKS].risk),
                "kept": (weights > 0).mean(),
                "sets_harmed": np.nan if method == ALL_BLOCKS else (risk > risk_of_all).mean(),
            }
        )
    return rows


def exact_risk(trials: Trials, weights: np.ndarray, n: int) -> np.ndarray:
    """Return the misclassification risk given each training set, equal priors, (n_sets,).

    The midpoint between the estimated means is off by s / sqrt(2 n) in each direction, which moves
    both classes' scores by the same T's / n.
    """
    mean, variance = weighted_moments(trials.observed, weights, trials.signal, n)
    shift = (weights * trials.offset).sum(axis=1) / n
    sd = np.sqrt(np.where(variance > 0, variance, 1.0))
    risk = (ndtr(-(mean + shift) / sd) + ndtr(-(mean - shift) / sd)) / 2
    return np.where(variance > 0, risk, 0.5)


def standard_error(values: np.ndarray) -> float:
    """Return the standard error of the mean; not a number for a single value."""
    if len(values) < 2:
        return np.nan
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _asymptotic_moments(setting: Setting) -> dict[str, Moments]:
    """Return E and V of each method, times n, from Eqs. 15 and 16 with the known H.

    Thresholds are those at the expectation of all scores, as they become with many blocks.
    """
    cuts = np.linspace(0, ncx2.ppf(0.999, setting.size, setting.true.max()), 400)
    best = max(
        (_moments_above(setting, cut) for cut in cuts), key=lambda moments: moments.separation
    )
    true = setting.true[setting.true + setting.degrees >= setting.cut]
    # With optimal weights V = 2 E, E the mean of u w(u)²; the integral is over the root of u.
    largest_root = np.sqrt(setting.true.max()) + np.sqrt(setting.size) + 8
    roots = np.linspace(0, largest_root, 4001)[1:]
    scores = roots**2
    density = setting.mixing.density(scores, setting.size) * 2 * roots
    weights = setting.mixing.weights(scores, setting.size)
    mean = len(setting.true) * np.trapezoid(scores * weights**2 * density, roots)
    weighted = Moments(mean, 2 * mean)
    return {
        ALL_BLOCKS: _moments_above(setting, 0.0),
        EQ22: _moments_above(setting, setting.cut),
        BEST_THRESHOLD: best,
        KNOWN_WEIGHTS: weighted,
        ESTIMATED_WEIGHTS: weighted,
        TRUE_SCORES: Moments(true.sum(), 2 * (true + setting.size).sum()),
    }


def _moments_above(setting: Setting, cut: float) -> Moments:
    """Return n E and n V if blocks are kept from a score on.

    ``u chi(u; m, g) = m chi(u; m + 2, g) + g chi(u; m + 4, g)`` leaves tails of the chi-square.
    """
    true = setting.true
    size = setting.size
    tail = ncx2.sf(cut, size + 2, true)
    mean = (true * tail).sum()
    return Moments(mean, 2 * (size * tail + true * ncx2.sf(cut, size + 4, true)).sum())


def _theorem1(
    setting: Setting, trials: Trials, estimates: list[MixingDistribution]
) -> dict[str, Any]:
    """Return the mean signal n E of the classifier with Eq. 20's threshold, four ways."""
    degrees = setting.degrees
    cut = setting.cut
    # The simulated signal needs more training sets than the estimates of H.
    many = _draw(setting, _THEOREM1_DRAWS * len(trials.observed), "Theorem 1")
    n_draws = len(many.observed)
    selected = many.observed >= cut
    simulated = (many.signal * selected).sum(axis=1)
    cuts = np.full(len(degrees), cut)
    by_estimate = []
    for scores, mixing in zip(trials.observed, estimates, strict=False):
        moments = kept_moments(scores, degrees, threshold=cuts, mixing=mixing, n=1)
        by_estimate.append(moments.mean)
    all_degrees = np.tile(degrees, n_draws)
    all_cuts = np.tile(cuts, n_draws)
    corrected = kept_moments(
        many.observed.reshape(-1), all_degrees, threshold=all_cuts, mixing=setting.mixing, n=n_draws
    )
    return {
        "setting": setting.name,
        "threshold": cut,
        "kept": selected.mean(),
        "simulated": simulated.mean(),
        "simulated_error": standard_error(simulated),
        "printed": ((many.observed - setting.size) * selected).sum(axis=1).mean(),
        "corrected": corrected.mean,
        "corrected_estimated": float(np.mean(np.array(by_estimate))),
    }


def _weight_curves(setting: Setting, estimates: list[MixingDistribution]) -> pd.DataFrame:
    """Return the weight of scores: under the known H and under those estimated."""
    top = np.sqrt(setting.true.max()) + np.sqrt(setting.size) + 2
    scores = np.linspace(0.5, top, 60) ** 2
    curves = np.array([mixing.weights(scores, setting.size) for mixing in estimates])
    low, median, high = np.quantile(curves, [0.05, 0.5, 0.95], axis=0)
    return pd.DataFrame(
        {
            "setting": setting.name,
            "score": scores,
            "known": setting.mixing.weights(scores, setting.size),
            "estimated_5_percent": low,
            "estimated_median": median,
            "estimated_95_percent": high,
            "threshold": setting.cut,
        }
    )
