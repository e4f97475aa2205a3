"""The study of separation scores (Pavlenko and von Rosen, section 4): which blocks to trust.

Figures 1 and 2 of the paper, where true scores of blocks are uniform or non-central chi-square, and
a third kind, where a share of the blocks is useless; then BlockNB itself, on such data and on
microarrays.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.studies.defaults import with_defaults
from xnbflow.studies.separation.compute_fits import fit_microarrays, fit_settings
from xnbflow.studies.separation.compute_simulation import make_settings, simulate
from xnbflow.studies.separation.compute_summary import summarise

__all__ = ["DEFAULTS", "analyse"]

#: The study's parameters; `analyse` explains them.
DEFAULTS: dict[str, Any] = {
    "blocks": 100,
    "size": 12,
    "samples": [1200, 60],
    "uniform": [2.5, 5, 10, 20, 40, 80, 160, 390, 780],
    "noncentral": [[1, 5], [3, 5], [6, 5], [12, 5], [24, 5], [48, 5], [120, 5]],
    "useless": [0.1, 0.5, 0.95],
    "useful": [[0, 20], [0, 40], [40, 80]],
    "repeats": 300,
    "fits": 5,
    "sizes": [2, 4],
}


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Simulate selection by separation score.

    Parameters
    ----------
    series : dict of str to DataSet
        Microarrays in which blocks are found; may be empty, as the simulations need no data.
    params : dict
        All optional. ``blocks`` (100), their ``size`` (12) and the ``samples`` per class (1200 and
        60). Distributions of the true scores: ``uniform`` on [0, each of these]; ``noncentral``
        chi-square with each pair of degrees of freedom and non-centrality; ``useless`` shares of
        blocks of score 0, the others uniform on each of the intervals ``useful``. ``repeats``:
        training sets per distribution (300). ``fits``: data sets on which `BlockNB` is fitted,
        per distribution with useless blocks and sample size (5). ``sizes`` of the blocks found in
        microarrays (2 and 4).
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
        classifier expects of itself, and the simulated risk with known covariances. ``blocks``:
        the blocks of `CorrelationBlocks` in each series, see `separation_fits`. Columns and tables
        that follow from these: see `compute_summary.summarise`.

    Raises
    ------
    InputError
        If a parameter is unknown or there is no distribution of scores.
    """
    params = with_defaults("separation", params, DEFAULTS)
    settings = make_settings(params)
    if not settings:
        msg = "the analysis 'separation' has no distribution: give uniform, noncentral or useless"
        raise InputError(msg)
    with ThreadPoolExecutor(max(1, threads)) as pool:
        parts = list(pool.map(lambda setting: simulate(setting, params), settings))
    tables = {
        name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]
    }
    tables["fitted"] = fit_settings(settings, params, tables["risk"])
    tables["blocks"] = fit_microarrays(series, params["sizes"])
    return summarise(tables)
