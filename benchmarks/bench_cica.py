"""CICA at widths given and chosen: 2 inputs of 200 samples, 10 of 2,000, against a target."""

import numba
import numpy as np
from rows import row
from timing import compile_seconds, median_seconds

from xnbflow.papers.cica.transformer import CICA

SIZES = {(2, 200): 1.0, (10, 2000): 10.0}
WIDTHS = ("paper", 0.25, "cv")
COMPILE = """
import numpy
from xnbflow.papers.cica.transformer import CICA
X = numpy.random.default_rng(0).normal(size=(50, 2))
CICA(width=1.0, tol=1.0).fit(X, X[:, 0])
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    compiling = compile_seconds(COMPILE)
    return [
        fit_row(n_inputs, n_samples, width, allowed, compiling)
        for (n_inputs, n_samples), allowed in SIZES.items()
        for width in WIDTHS
    ]


def fit_row(
    n_inputs: int, n_samples: int, width: str | float, allowed: float, compiling: float
) -> dict:
    """Fit as many smooth functions of a target as there are inputs, with noise, mixed."""
    rng = np.random.default_rng(0)
    y = rng.uniform(-3, 3, n_samples)
    functions = rng.normal(size=(n_inputs, 3)) @ np.stack([y, y**2 / 3, np.sin(2 * y)])
    sources = functions + rng.uniform(-1, 1, size=(n_inputs, n_samples))
    X = (rng.normal(size=(n_inputs, n_inputs)) @ sources).T
    cica = CICA(width=width, random_state=0)
    cica.fit(X[:50], y[:50])
    seconds = median_seconds(lambda: cica.fit(X, y), 3)
    return row(
        f"fit CICA, {n_inputs} components x {n_samples}, width {width}",
        f"{allowed:.0f} seconds on two cores",
        seconds,
        allowed,
        compiling=compiling,
        note=f"{cica.n_iter_} steps from the best of {1 + cica.n_restarts} starts",
    )
