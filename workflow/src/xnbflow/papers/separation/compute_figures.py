"""Figures 1 and 2 of Pavlenko and von Rosen: D, D~, R and R~ as curves, and the gains 1 - R~/R.

Both have 1,200 training samples per class, 100 blocks of 12 features, and Eq. 22 as the selection.
True scores n J / 2 of the blocks are drawn at random for each training set.

Figure 1: uniform on [0, n b / 2], for b up to 1.3; the axis is n b / 2.

Figure 2 as printed: non-central chi-square with m degrees of freedom, m uniform on [1, 1200] (the
number of all features), and non-centrality uniform on [0, 10], both drawn for each training set.
The axis is the mean true score. (Drawn for each block instead, scores spread to 1,200 and the risk
with all blocks is below 1e-6: there is nothing to reduce.)

Figure 2, ours: the same with the non-centrality 5, and the degrees of freedom on a grid instead of
at random, so that each point of the curve is one distribution.

Each figure is made twice: with the risk that is exact given the training set, and by the paper's
own formula, D~ = D + eps(D) of Eq. 19 and R = Phi(-D / 2), at the mean score of the blocks that Eq.
22 leaves out. By the formula the gains reach the paper's "up to 20%"; the exact risk shows none.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from xnbflow.core.seeds import derive_seed
from xnbflow.papers.separation import AS_PRINTED, EXACT, FIGURE_1, FIGURE_2, FIGURE_2_FIXED
from xnbflow.papers.separation.compute_simulation import (
    LEAST_RISK,
    draw_trials,
    exact_risk,
    printed_selection,
)
from xnbflow.papers.separation.separation_scores import printed_change, weighted_moments

_N_SAMPLES = 1200
_N_BLOCKS = 100
_SIZE = 12
#: The paper's range of b, by steps of .02.
_RANGES = np.arange(1, 66) / 50
#: Degrees of freedom of our curve: dense where scores are small.
_DEGREES = np.unique(np.round(np.geomspace(1, _N_BLOCKS * _SIZE, 60)))
_NONCENTRALITY = 5.0
_MOST_NONCENTRALITY = 10.0
#: Points of the curve of Figure 2 as printed, between 0 and the largest mean score.
_N_BINS = 60
#: Intervals of half a per cent; the middle one contains 0.
_GAIN_EDGES = (np.arange(-20, 22) - 0.5) * 0.005
#: Intervals of one per cent for the gains by formula, of which none is below 0.
_FORMULA_EDGES = (np.arange(-2, 32) - 0.5) * 0.01
#: The readings of Eq. 19: added to D as printed, or, as its derivation has it, to D².
_OF_SQUARE = "Eq. 19 added to D²"


class _TrainingSets(NamedTuple):
    """Training sets at one place of the axis, or with places of their own.

    Attributes
    ----------
    figure : str
    scale : ndarray of shape (n_sets,)
        The place on the paper's axis.
    true : ndarray of shape (n_sets, n_blocks)
        True scores.
    """

    figure: str
    scale: np.ndarray
    true: np.ndarray


def figure_tables(n_sets: int) -> dict[str, pd.DataFrame]:
    """Return the curves of both figures, their histograms of gains, and a summary of these.

    There are ``n_sets`` training sets at each of the 65 ranges of Figure 1, as many in all for
    Figure 2, and ``n_sets`` at each point of our Figure 2. Training sets whose risk with all blocks
    is below one in a million have no gain.

    Returns
    -------
    dict of str to DataFrame
        ``figures`` and ``figure_gains`` of the exact risk and by Eq. 19 as printed, and
        ``figure_summary``, the gains by every reading.
    """
    parts = [_selection_rows(sets) for sets in _draw_true_scores(n_sets)]
    sets = pd.concat(parts, ignore_index=True)
    curves = sets.groupby(["figure", "scale"], sort=False).agg(
        separation=("separation", "mean"),
        separation_selected=("separation_selected", "mean"),
        risk=("risk", "mean"),
        risk_selected=("risk_selected", "mean"),
        kept=("kept", "mean"),
        training_sets=("kept", "size"),
    )
    curves = curves.reset_index().sort_values(["figure", "scale"], ignore_index=True)
    by_formula = sets.groupby(["figure", "scale"], sort=False).agg(
        separation=("formula_separation", "mean"),
        separation_selected=("formula_separation_selected", "mean"),
        risk=("formula_risk", "mean"),
        risk_selected=("formula_risk_selected", "mean"),
        training_sets=("kept", "size"),
    )
    by_formula = by_formula.reset_index().sort_values(["figure", "scale"], ignore_index=True)

    # The gain of each training set by each reading of Eq. 19, and by the exact risk.
    readings = {
        AS_PRINTED: ("formula_risk", "formula_risk_selected"),
        _OF_SQUARE: ("formula_risk", "formula_risk_of_square"),
        EXACT: ("risk", "risk_selected"),
    }
    parts = []
    for reading, (risk, risk_selected) in readings.items():
        compared = sets[sets[risk] >= LEAST_RISK]
        gain = 1 - compared[risk_selected] / compared[risk]
        part = pd.DataFrame({"figure": compared["figure"], "reading": reading, "gain": gain})
        parts.append(part)
    gains = pd.concat(parts, ignore_index=True)

    drawn = {EXACT: (curves, _GAIN_EDGES), AS_PRINTED: (by_formula, _FORMULA_EDGES)}
    all_curves = []
    histograms = []
    for reading, (curves_of_reading, edges) in drawn.items():
        all_curves.append(curves_of_reading.assign(reading=reading))
        histogram = _gain_histograms(gains[gains["reading"] == reading], edges)
        histograms.append(histogram.assign(reading=reading))
    return {
        "figures": pd.concat(all_curves, ignore_index=True),
        "figure_gains": pd.concat(histograms, ignore_index=True),
        "figure_summary": _summarise_gains(gains),
    }


def _draw_true_scores(n_sets: int) -> Iterator[_TrainingSets]:
    """Yield training sets whose true scores of blocks are drawn at random."""
    rng = np.random.default_rng(derive_seed("separation", "figures", "true scores"))
    shape = (n_sets, _N_BLOCKS)
    for range_of_j in _RANGES:
        largest = _N_SAMPLES * range_of_j / 2
        yield _TrainingSets(FIGURE_1, np.full(n_sets, largest), rng.uniform(0, largest, shape))
    for degrees in _DEGREES:
        scale = np.full(n_sets, degrees + _NONCENTRALITY)
        true = rng.noncentral_chisquare(degrees, _NONCENTRALITY, shape)
        yield _TrainingSets(FIGURE_2_FIXED, scale, true)
    n_sets *= len(_RANGES)
    degrees = rng.uniform(1, _N_BLOCKS * _SIZE, n_sets)
    noncentrality = rng.uniform(0, _MOST_NONCENTRALITY, n_sets)
    true = rng.noncentral_chisquare(degrees[:, None], noncentrality[:, None], (n_sets, _N_BLOCKS))
    # The middle of the bin in which the mean score is.
    width = (_N_BLOCKS * _SIZE + _MOST_NONCENTRALITY) / _N_BINS
    scale = (np.floor((degrees + noncentrality) / width) + 0.5) * width
    yield _TrainingSets(FIGURE_2, scale, true)


def _selection_rows(sets: _TrainingSets) -> pd.DataFrame:
    """Return separation and risk of each training set, with all blocks and by Eq. 22."""
    purpose = f"{sets.figure}, {sets.scale[0]:g}"
    rng = np.random.default_rng(derive_seed("separation", "figures", purpose))
    trials = draw_trials(sets.true, _SIZE, rng)
    all_blocks = np.ones(sets.true.shape)
    selected = printed_selection(trials.observed, _SIZE)
    moments = weighted_moments(trials.observed, all_blocks, trials.signal, _N_SAMPLES)
    moments_selected = weighted_moments(trials.observed, selected, trials.signal, _N_SAMPLES)

    # D and R by Eq. 9, and D~ and R~ by Eq. 19, of each training set. J is estimated: the sum of
    # the estimated distances less its bias 2 rho m.
    bias = 2 * _SIZE * _N_BLOCKS / _N_SAMPLES
    distance = np.maximum(2 * trials.observed.sum(axis=1) / _N_SAMPLES - bias, 0.0)
    is_excluded = selected == 0
    n_excluded = is_excluded.sum(axis=1)
    score = (trials.observed * is_excluded).sum(axis=1) / np.maximum(n_excluded, 1)
    change = printed_change(
        distance, n_excluded / _N_BLOCKS, score, size=_SIZE, n=_N_SAMPLES, total=_N_BLOCKS
    )
    separation = distance / np.sqrt(distance + bias)
    of_square = np.sqrt(np.maximum(separation**2 + change, 0.0))
    formula = {
        "formula_separation": separation,
        "formula_separation_selected": separation + change,
        "formula_risk": ndtr(-separation / 2),
        "formula_risk_selected": ndtr(-(separation + change) / 2),
        "formula_risk_of_square": ndtr(-of_square / 2),
    }

    return pd.DataFrame(
        {
            "figure": sets.figure,
            "scale": sets.scale,
            "separation": moments.separation,
            "separation_selected": moments_selected.separation,
            "risk": exact_risk(trials, all_blocks, _N_SAMPLES),
            "risk_selected": exact_risk(trials, selected, _N_SAMPLES),
            "kept": selected.mean(axis=1),
            **formula,
        }
    )


def _gain_histograms(compared: pd.DataFrame, edges: np.ndarray) -> pd.DataFrame:
    """Return how many training sets of a figure have a gain 1 - R~/R in each interval.

    Gains beyond the first and the last edge count in the first and the last interval.
    """
    histograms = []
    for figure, rows in compared.groupby("figure", sort=False):
        gain = rows["gain"].clip(edges[0], edges[-1])
        counts, _ = np.histogram(gain, edges)
        histograms.append(
            pd.DataFrame(
                {
                    "figure": figure,
                    "gain_from": edges[:-1],
                    "gain_to": edges[1:],
                    "training_sets": counts,
                }
            )
        )
    return pd.concat(histograms, ignore_index=True)


def _summarise_gains(compared: pd.DataFrame) -> pd.DataFrame:
    """Return in which share of training sets the selection helps and harms, and by how much."""
    gains = compared.assign(helped=compared["gain"] > 0, harmed=compared["gain"] < 0)
    return (
        gains.groupby(["figure", "reading"], sort=False)
        .agg(
            training_sets=("gain", "size"),
            helped=("helped", "mean"),
            harmed=("harmed", "mean"),
            least_gain=("gain", "min"),
            mean_gain=("gain", "mean"),
            greatest_gain=("gain", "max"),
        )
        .reset_index()
    )
