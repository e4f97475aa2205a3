"""CICA at widths given and chosen against a target, and naive Bayes regression against sums.

CICA has 2 inputs of 200 samples, and 10 of 2,000. The regression has 2 inputs, and its peer sums
over all training samples where ours reads tables.
"""

from unittest.mock import patch

import numba
import numpy as np
from rows import row
from timing import alternate, compile_seconds, median_seconds

from xnbflow.papers.cica.joint_tables import JointTables
from xnbflow.papers.cica.regression import KernelNBRegressor
from xnbflow.papers.cica.transformer import CICA

SIZES = {(2, 200): 1.0, (10, 2000): 10.0}
WIDTHS = ("paper", 0.25, "cv")
REGRESSION_SAMPLES = 2000
#: Least ratio of the time of direct sums to ours.
FASTER_THAN_SUMS = 3.0
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
    cica = [
        fit_row(n_inputs, n_samples, width=width, allowed=allowed, compiling=compiling)
        for (n_inputs, n_samples), allowed in SIZES.items()
        for width in WIDTHS
    ]
    return [*cica, regression_row(REGRESSION_SAMPLES)]


def regression_row(n_samples: int) -> dict:
    """Choose a width, fit and predict, with tables and with sums over all samples."""
    rng = np.random.default_rng(0)
    y = rng.uniform(-3, 3, n_samples)
    X = np.column_stack([y, y**2]) + rng.uniform(-1, 1, (n_samples, 2))

    def tabulate() -> np.ndarray:
        return KernelNBRegressor().fit(X, y).predict(X)

    def sum_directly() -> np.ndarray:
        with patch.object(JointTables, "tabulate", return_value=None):
            return tabulate()

    difference = np.abs(tabulate() - sum_directly()).max()  # compiles as well
    ours, sums = alternate(tabulate, sum_directly, 3)
    return row(
        f"fit and predict by KernelNBRegressor, 2 inputs x {n_samples:,}",
        "direct sums over all samples",
        ours,
        sums,
        target=FASTER_THAN_SUMS,
        note=f"predictions differ by at most {difference:.0e}",
    )


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
