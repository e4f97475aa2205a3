"""Simulations of block selection by separation score (Pavlenko and von Rosen, section 4).

Figures 1 and 2 of the paper, where true scores of blocks are uniform or non-central chi-square, and
a third kind, where a share of the blocks is useless. Given the training samples the risk is exact:
nothing is classified. See `xnbflow.selection.separation` for the notation.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import ncx2

from xnbflow.errors import InputError
from xnbflow.naive_bayes.block import BlockNB
from xnbflow.seeds import derive_seed
from xnbflow.selection.mixing import MixingDistribution, estimate_mixing
from xnbflow.selection.separation import (
    Moments,
    bias_removed_cut,
    kept_moments,
    optimal_cut,
    printed_cut,
    weighted_moments,
)
from xnbflow.series import Series

__all__ = ["DEFAULTS", "analyse"]

#: The study's parameters; `analyse` explains them.
DEFAULTS = {
    "blocks": 100,
    "size": 12,
    "samples": [1200, 60],
    "uniform": [2.5, 5, 10, 20, 40, 80, 160, 390, 780],
    "noncentral": [[1, 5], [3, 5], [6, 5], [12, 5], [24, 5], [48, 5], [120, 5]],
    "useless": [0.1, 0.5, 0.95],
    "useful": [[0, 20], [0, 40], [40, 80]],
    "repeats": 300,
    "fits": 5,
}

_EQ22 = "Eq. 22 as printed"
_BIAS_REMOVED = "Eq. 22, bias removed"
_ALL = "all blocks"
_OPTIMAL_CUT = "best threshold, estimated H"
_KNOWN = "weights, known H"
_ESTIMATED = "weights, estimated H"
_TRUE_SCORES = "threshold at the true scores"

#: BlockNB's parameters for the methods that need not know the truth.
_FITTED = {
    _ALL: {},
    _EQ22: {"selection": "threshold", "cut": "printed"},
    _OPTIMAL_CUT: {"selection": "threshold", "cut": "optimal"},
    _ESTIMATED: {"selection": "weights"},
}

#: Where less than this is misclassified with all blocks there is nothing to gain.
_LEAST_RISK = 1e-6
_GAIN_EDGES = np.linspace(-0.5, 1.0, 61)
_SHOWN_ESTIMATES = 50
#: Training sets for Theorem 1, which needs no estimate of H, per training set for the rest.
_THEOREM1_DRAWS = 20


@dataclass(frozen=True)
class _Setting:
    """A distribution H of true scores, as equally probable true scores of the blocks."""

    about: dict
    true: np.ndarray
    size: int

    @property
    def name(self) -> str:
        return self.about["setting"]

    @cached_property
    def mixing(self) -> MixingDistribution:
        values, counts = np.unique(self.true, return_counts=True)
        return MixingDistribution(values, counts / len(self.true))

    @cached_property
    def degrees(self) -> np.ndarray:
        return np.full(len(self.true), float(self.size))

    def rng(self, purpose: str) -> np.random.Generator:
        return np.random.default_rng(derive_seed("separation", self.name, purpose))


@dataclass(frozen=True)
class _Trials:
    """Training samples, as far as the risk depends on them; arrays (n_repeats, n_blocks).

    Attributes
    ----------
    observed : scores u = |T|²
    signal : gamma'T
    offset : T's, s the noise of the midpoint between the class means, which shifts the boundary
    """

    observed: np.ndarray
    signal: np.ndarray
    offset: np.ndarray


def analyse(series: dict[str, Series], params: dict, threads: int) -> dict[str, pd.DataFrame]:  # noqa: ARG001
    """Simulate selection by separation score.

    Parameters
    ----------
    series : dict
        Not used: the study has no data.
    params : dict
        All optional. ``blocks`` (100), their ``size`` (12) and the ``samples`` per class (1200 and
        60). Distributions of the true scores: ``uniform`` on [0, each of these]; ``noncentral``
        chi-square with each pair of degrees of freedom and non-centrality; ``useless`` shares of
        blocks of score 0, the others uniform on each of the intervals ``useful``. ``repeats``:
        training sets per distribution (300). ``fits``: data sets on which `BlockNB` is fitted,
        per distribution with useless blocks and sample size (5).
    threads : int
        Distributions simulated at a time.

    Returns
    -------
    dict of str to DataFrame
        ``risk``: per distribution, sample size and method the simulated D and risk (R), with the
        standard error of R, the same by the asymptotic formulas, the gain 1 - R~/R with its
        standard error, and the mean share of blocks kept. Combinations in which all blocks
        together misclassify less than one sample in a million are left out. ``gains``: how many
        training sets have which gain (the paper's histograms); beyond the outer edges counts
        into the outer bins. ``theorem1``: mean signal (n E) of a classifier with a threshold,
        simulated, by Theorem 1 as printed, and with the boundary term, for known and estimated H.
        ``weights``: the weight of a score, under the known and under estimated H. ``fitted``:
        `BlockNB` fitted to normal data, its covariances estimated: exact risk, the risk the
        classifier expects of itself, and the simulated risk with known covariances.

    Raises
    ------
    InputError
        If a parameter is unknown.
    """
    for key in params:
        if key not in DEFAULTS:
            msg = (
                f"the analysis 'separation' has no parameter {key!r}; it has {', '.join(DEFAULTS)}"
            )
            raise InputError(msg)
    params = DEFAULTS | params
    settings = _settings(params)
    with ThreadPoolExecutor(max(1, threads)) as pool:
        parts = list(pool.map(lambda setting: _simulate(setting, params), settings))
    tables = {
        name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]
    }
    tables["fitted"] = _fitted(settings, params, tables["risk"])
    return tables


def _settings(params: dict) -> list[_Setting]:
    n, size = params["blocks"], params["size"]
    blank = {"low": np.nan, "high": np.nan, "degrees": np.nan, "noncentrality": np.nan}
    found = []
    for high in params["uniform"]:
        about = {"setting": f"uniform on [0, {high:g}]", "distribution": "uniform"}
        about |= blank | {"low": 0.0, "high": float(high), "useless": 0.0}
        found.append(_Setting(about, high * _quantiles(n), size))
    for degrees, noncentrality in params["noncentral"]:
        name = f"non-central chi-square ({degrees:g}, {noncentrality:g})"
        about = {"setting": name, "distribution": "non-central chi-square"}
        about |= blank | {"degrees": float(degrees), "noncentrality": float(noncentrality)}
        true = ncx2.ppf(_quantiles(n), degrees, noncentrality)
        found.append(_Setting(about | {"useless": 0.0}, true, size))
    for share in params["useless"]:
        for low, high in params["useful"]:
            about = {
                "setting": f"{share:.0%} useless, others uniform on [{low:g}, {high:g}]",
                "distribution": "useless and uniform",
            }
            about |= blank | {"low": float(low), "high": float(high), "useless": share}
            n_useless = round(share * n)
            useful = low + (high - low) * _quantiles(n - n_useless)
            found.append(_Setting(about, np.append(np.zeros(n_useless), useful), size))
    return found


def _quantiles(n: int) -> np.ndarray:
    return (np.arange(n) + 0.5) / n


def _simulate(setting: _Setting, params: dict) -> dict[str, pd.DataFrame]:
    trials = _draw(setting, params["repeats"], "training samples")
    estimates = [estimate_mixing(scores, setting.degrees) for scores in trials.observed]
    methods = _method_weights(setting, trials, estimates)
    asymptotic = _asymptotic_moments(setting)
    risks, gains = [], []
    for n in params["samples"]:
        rows, histograms = _compare(setting, trials, methods, asymptotic, n)
        risks += rows
        gains += histograms
    return {
        "risk": pd.DataFrame(risks),
        "gains": pd.concat(gains) if gains else pd.DataFrame(),
        "theorem1": pd.DataFrame(_theorem1(setting, trials, estimates[:_SHOWN_ESTIMATES])),
        "weights": _weight_curves(setting, estimates[:_SHOWN_ESTIMATES]),
    }


def _draw(setting: _Setting, repeats: int, purpose: str) -> _Trials:
    rng = setting.rng(purpose)
    shape = (repeats, len(setting.true))
    along = np.sqrt(setting.true) + rng.normal(size=shape)
    across = rng.chisquare(setting.size - 1, size=shape) if setting.size > 1 else 0.0
    observed = along**2 + across
    signal = np.sqrt(setting.true) * along
    return _Trials(observed, signal, np.sqrt(observed) * rng.normal(size=shape))


def _method_weights(
    setting: _Setting, trials: _Trials, estimates: list[MixingDistribution]
) -> dict[str, np.ndarray]:
    """Return the weights (n_repeats, n_blocks) that each method gives."""
    observed, degrees, size = trials.observed, setting.degrees, setting.size

    def kept(cut: Callable[[np.ndarray, np.ndarray], float]) -> np.ndarray:
        return np.array([scores >= size * cut(scores, degrees) for scores in observed], dtype=float)

    weights = np.array(
        [mixing.weights(scores, size) for scores, mixing in zip(observed, estimates, strict=True)]
    )
    best = [
        scores >= size * optimal_cut(scores, degrees, own)
        for scores, own in zip(observed, weights, strict=True)
    ]
    truly_kept = (setting.true + size >= _eq20(setting)).astype(float)
    known = setting.mixing.weights(observed.reshape(-1), size).reshape(observed.shape)
    return {
        _ALL: np.ones(observed.shape),
        _EQ22: kept(printed_cut),
        _BIAS_REMOVED: kept(bias_removed_cut),
        _OPTIMAL_CUT: np.array(best, dtype=float),
        _KNOWN: known,
        _ESTIMATED: weights,
        _TRUE_SCORES: np.broadcast_to(truly_kept, observed.shape),
    }


def _eq20(setting: _Setting) -> float:
    """Return Eq. 20's threshold: Eq. 22's where scores have their expectations."""
    return setting.size * printed_cut(setting.true + setting.degrees, setting.degrees)


def _compare(
    setting: _Setting,
    trials: _Trials,
    methods: dict[str, np.ndarray],
    asymptotic: dict[str, Moments],
    n: int,
) -> tuple[list[dict], list[pd.DataFrame]]:
    """Return rows of the tables ``risk`` and ``gains`` for one sample size."""
    risks = {method: _exact_risk(trials, weights, n) for method, weights in methods.items()}
    whole = risks[_ALL]
    rows, histograms = [], []
    if whole.mean() < _LEAST_RISK:
        return rows, histograms
    about = setting.about | {"mean_score": setting.true.mean(), "samples": n}
    limit_whole = _scaled(asymptotic[_ALL], n).risk
    for method, weights in methods.items():
        risk, limit = risks[method], _scaled(asymptotic[method], n)
        moments = weighted_moments(trials.observed, weights, trials.signal, n)
        rows.append(
            about
            | {
                "method": method,
                "separation": moments.separation.mean(),
                "risk": risk.mean(),
                "risk_error": _standard_error(risk),
                "asymptotic_separation": float(limit.separation),
                "asymptotic_risk": float(limit.risk),
                "gain": 1 - risk.mean() / whole.mean(),
                "gain_error": _standard_error(risk - risk.mean() / whole.mean() * whole)
                / whole.mean(),
                "asymptotic_gain": float(1 - limit.risk / limit_whole),
                "kept": (weights > 0).mean(),
            }
        )
        if method != _ALL:
            gain = np.clip(1 - risk / whole, _GAIN_EDGES[0], _GAIN_EDGES[-1])
            counts, _ = np.histogram(gain, _GAIN_EDGES)
            histogram = {"gain_from": _GAIN_EDGES[:-1], "gain_to": _GAIN_EDGES[1:]}
            about_method = {"setting": setting.name, "samples": n, "method": method}
            table = pd.DataFrame(about_method | histogram | {"training_sets": counts})
            histograms.append(table[counts > 0])
    return rows, histograms


def _exact_risk(trials: _Trials, weights: np.ndarray, n: int) -> np.ndarray:
    """Return the misclassification risk given each training set, equal priors, (n_repeats,).

    The midpoint between the estimated means is off by s / sqrt(2 n) in each direction, which moves
    both classes' scores by the same T's / n.
    """
    mean, variance = weighted_moments(trials.observed, weights, trials.signal, n)
    shift = (weights * trials.offset).sum(axis=1) / n
    sd = np.sqrt(np.where(variance > 0, variance, 1.0))
    risk = (ndtr(-(mean + shift) / sd) + ndtr(-(mean - shift) / sd)) / 2
    return np.where(variance > 0, risk, 0.5)


def _standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _scaled(moments: Moments, n: int) -> Moments:
    return Moments(moments.mean / n, moments.variance / n)


def _asymptotic_moments(setting: _Setting) -> dict[str, Moments]:
    """Return E and V of each method, times n, from Eqs. 15 and 16 with the known H.

    Thresholds are those at the expectation of all scores, as they become with many blocks.
    """
    expected = setting.true + setting.degrees
    printed = _eq20(setting)
    unbiased = setting.size * bias_removed_cut(expected, setting.degrees)
    candidates = np.linspace(0, ncx2.ppf(0.999, setting.size, setting.true.max()), 400)
    best = max((_above(setting, cut) for cut in candidates), key=lambda m: m.separation)
    true = setting.true[expected >= printed]
    weighted = _limit_of_weights(setting)
    return {
        _ALL: _above(setting, 0.0),
        _EQ22: _above(setting, printed),
        _BIAS_REMOVED: _above(setting, unbiased),
        _OPTIMAL_CUT: best,
        _KNOWN: weighted,
        _ESTIMATED: weighted,
        _TRUE_SCORES: Moments(true.sum(), 2 * (true + setting.size).sum()),
    }


def _above(setting: _Setting, cut: float) -> Moments:
    """Return n E and n V if blocks are kept from a score on.

    ``u chi(u; m, g) = m chi(u; m + 2, g) + g chi(u; m + 4, g)`` leaves tails of the chi-square.
    """
    true, size = setting.true, setting.size
    tail = ncx2.sf(cut, size + 2, true)
    mean = (true * tail).sum()
    return Moments(mean, 2 * (size * tail + true * ncx2.sf(cut, size + 4, true)).sum())


def _limit_of_weights(setting: _Setting) -> Moments:
    """Return n E and n V with optimal weights: V = 2 E, E the mean of u w(u)²."""
    top = np.sqrt(setting.true.max()) + np.sqrt(setting.size) + 8
    roots = np.linspace(0, top, 4001)[1:]
    scores = roots**2
    density = setting.mixing.density(scores, setting.size) * 2 * roots
    weights = setting.mixing.weights(scores, setting.size)
    mean = len(setting.true) * np.trapezoid(scores * weights**2 * density, roots)
    return Moments(mean, 2 * mean)


def _theorem1(
    setting: _Setting, trials: _Trials, estimates: list[MixingDistribution]
) -> list[dict]:
    """Return the mean signal n E of classifiers with a fixed threshold, four ways."""
    degrees = setting.degrees
    many = _draw(setting, _THEOREM1_DRAWS * len(trials.observed), "Theorem 1")
    n_draws = len(many.observed)
    unbiased = setting.size * bias_removed_cut(setting.true + degrees, degrees)
    rows = []
    for rule, cut in ((_EQ22, _eq20(setting)), (_BIAS_REMOVED, unbiased)):
        kept = many.observed >= cut
        simulated = (many.signal * kept).sum(axis=1)
        threshold = np.full(len(degrees), cut)
        by_estimate = [
            kept_moments(scores, degrees, threshold, mixing, 1).mean
            for scores, mixing in zip(trials.observed, estimates, strict=False)
        ]
        corrected = kept_moments(
            many.observed.reshape(-1),
            np.tile(degrees, n_draws),
            np.tile(threshold, n_draws),
            setting.mixing,
            n_draws,
        )
        rows.append(
            {
                "setting": setting.name,
                "rule": rule,
                "threshold": cut,
                "kept": kept.mean(),
                "simulated": simulated.mean(),
                "simulated_error": _standard_error(simulated),
                "printed": ((many.observed - setting.size) * kept).sum(axis=1).mean(),
                "corrected": corrected.mean,
                "corrected_estimated": np.mean(by_estimate),
            }
        )
    return rows


def _weight_curves(setting: _Setting, estimates: list[MixingDistribution]) -> pd.DataFrame:
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
            "threshold": _eq20(setting),
        }
    )


def _fitted(settings: list[_Setting], params: dict, risk: pd.DataFrame) -> pd.DataFrame:
    """Fit BlockNB where some blocks are useless, covariances unknown."""
    known = risk.set_index(["setting", "samples", "method"])["risk"]
    rows = []
    for setting in settings:
        for n in params["samples"]:
            if setting.about["useless"] == 0 or (setting.name, n, _ALL) not in known.index:
                continue
            results = _fit_all(setting, n, params["fits"])
            rows += [
                {"setting": setting.name, "samples": n, "method": method}
                | {column: np.mean(values) for column, values in columns.items()}
                | {"risk_error": _standard_error(np.array(columns["risk"]))}
                | {"known_covariance_risk": known[setting.name, n, method]}
                for method, columns in results.items()
            ]
    return pd.DataFrame(rows)


def _fit_all(setting: _Setting, n: int, fits: int) -> dict[str, dict[str, list[float]]]:
    """Return for each method the risk, expected risk, share kept and shrinkage of each fit."""
    rng = setting.rng(f"data sets of {n} samples")
    labels = np.repeat([0, 1], n)
    difference = np.zeros((len(setting.true), setting.size))
    difference[:, 0] = np.sqrt(2 * setting.true / n)
    difference = difference.reshape(-1)
    results = {
        method: {"risk": [], "expected_risk": [], "kept": [], "shrinkage": []} for method in _FITTED
    }
    for _ in range(fits):
        features = rng.normal(size=(len(difference), 2 * n))
        features[:, :n] += difference[:, None]
        for method, options in _FITTED.items():
            model = BlockNB(blocks=setting.size, **options).fit(features.T, labels)
            into = results[method]
            into["risk"].append(_linear_risk(model, difference))
            into["expected_risk"].append(float(model.asymptotic_risk_[0]))
            into["kept"].append(float(model.selected_blocks_.mean()))
            into["shrinkage"].append(float(model.shrinkage_.mean()))
    return results


def _linear_risk(model: BlockNB, difference: np.ndarray) -> float:
    """Return the exact risk of a linear classifier between N(difference, I) and N(0, I)."""
    points = np.vstack([np.zeros(len(difference)), np.eye(len(difference))])
    joint = model.predict_joint_log_proba(points)
    odds = joint[:, 0] - joint[:, 1]
    slope, at_zero = odds[1:] - odds[0], odds[0]
    length = np.linalg.norm(slope)
    if length == 0:
        return 0.5
    wrong = ndtr(-(slope @ difference + at_zero) / length) + ndtr(at_zero / length)
    return float(wrong / 2)
