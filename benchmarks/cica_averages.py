"""The three averages of the CICA algorithm (section 3.3), and its cost (Eq. 5).

``python -m benchmarks.cica_averages`` descends on simulations of the paper's section 6 from the
mixture, by Eq. 8 with each of the paper's averages: over the training samples, over the estimated
density, and one sample at a time. It prints the recovery error (Eq. 12) and the cost at the end,
medians with tenth and ninetieth percentile, the median of the least recovery error of a descent,
and the seconds of a pass; for comparison the rows of the mixture and of the true sources. Then it
prints the recovery error of `CICA` where none, one or both sources are normal given the target. The
tables are written to results/benchmarks. It takes about four minutes of processor time.
"""

import sys
import time
import warnings
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from xnbflow.papers.cica.averages import Average, descend
from xnbflow.papers.cica.cost import conditional_divergence
from xnbflow.papers.cica.simulation import N_SOURCES, Simulation, recovery_error, simulate
from xnbflow.papers.cica.transformer import CICA

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks"
#: Simulations by their number of samples; integration takes the square of the samples.
SIMULATIONS = {20: 50, 200: 10}
#: Kernel widths in units of the paper's.
WIDTHS = (1.0, 0.25)
N_STEPS = 100
NORMAL_SAMPLES = 1000
NORMAL_SIMULATIONS = 20
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL = {
    "SIMULATIONS": {20: 1},
    "N_STEPS": 5,
    "NORMAL_SAMPLES": 50,
    "NORMAL_SIMULATIONS": 1,
}
SMALL_WORDS = ()


def row_of(simulation: Simulation, demixing: np.ndarray) -> dict[str, float]:
    """Return the recovery error and the cost of one W."""
    components = demixing @ simulation.inputs.T
    return {
        "recovery_error": recovery_error(demixing @ simulation.mixing),
        "cost": conditional_divergence(components, simulation.target),
    }


def measure_averages() -> pd.DataFrame:
    """Return a row for each simulation, kernel width and average, and for both references."""
    rows = []
    for n_samples, n_simulations in SIMULATIONS.items():
        for seed in range(n_simulations):
            simulation = simulate(n_samples, np.random.default_rng(20_000 + seed))
            inputs = (simulation.inputs - simulation.inputs.mean(axis=0)).T
            references = {
                "mixture": np.eye(N_SOURCES),
                "true sources": np.linalg.inv(simulation.mixing),
            }
            for name, demixing in references.items():
                about = {"samples": n_samples, "width": "", "average": name}
                rows.append({**about, **row_of(simulation, demixing)})
            for width in WIDTHS:
                for average in get_args(Average):
                    start = time.perf_counter()
                    path = descend(
                        inputs, simulation.target, average, n_steps=N_STEPS, factor=width
                    )
                    seconds = (time.perf_counter() - start) / N_STEPS
                    errors = [recovery_error(W @ simulation.mixing) for W in path]
                    about = {"samples": n_samples, "width": f"{width:g}", "average": average}
                    rows.append(
                        {
                            **about,
                            **row_of(simulation, path[-1]),
                            "least_error": min(errors),
                            "seconds_of_a_pass": seconds,
                        }
                    )
    return pd.DataFrame(rows)


def measure_normal_sources() -> pd.DataFrame:
    """Return the recovery error of CICA by the number of sources that are normal given y."""
    rows = []
    for n_normal in range(N_SOURCES + 1):
        for seed in range(NORMAL_SIMULATIONS):
            random = np.random.default_rng(30_000 + seed)
            simulation = simulate(NORMAL_SAMPLES, random, n_normal=n_normal)
            cica = CICA(random_state=seed).fit(simulation.inputs, simulation.target)
            error = recovery_error(cica.components_ @ simulation.mixing)
            rows.append({"normal_sources": n_normal, "recovery_error": error})
    return pd.DataFrame(rows)


def quantiles(table: pd.DataFrame, keys: list[str], values: list[str]) -> pd.DataFrame:
    """Return tenth percentile, median and ninetieth percentile of some columns over the runs."""
    groups = table.groupby(keys, sort=False)
    levels = groups[values].quantile([0.1, 0.5, 0.9]).unstack()
    levels.columns = [f"{name}_{level:.0%}" for name, level in levels.columns]
    return levels


def main(_words: list[str]) -> None:
    """Measure, print both tables, and write them to results/benchmarks."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        averages = measure_averages()
        normal = measure_normal_sources()
    keys = ["samples", "width", "average"]
    summary = quantiles(averages, keys, ["recovery_error", "cost"])
    others = averages.groupby(keys, sort=False)[["least_error", "seconds_of_a_pass"]].median()
    summary = summary.join(others)
    of_normal = quantiles(normal, ["normal_sources"], ["recovery_error"])
    RESULTS.mkdir(parents=True, exist_ok=True)
    summary.reset_index().to_csv(RESULTS / "cica_averages.tsv", sep="\t", index=False)
    of_normal.reset_index().to_csv(RESULTS / "cica_normal_sources.tsv", sep="\t", index=False)
    print(summary.round(4).to_string())
    print(of_normal.round(2).to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
