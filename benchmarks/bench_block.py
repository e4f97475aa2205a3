"""Block naive Bayes on 54,675 features, against the five seconds allowed."""

import numba
from rows import row
from timing import alternate, compile_seconds

from xnbflow.naive_bayes import BlockNB
from xnbflow.preprocessing import CorrelationBlocks
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 2
ALLOWED = 5.0
PEER = f"{ALLOWED:.0f} seconds on two cores"
COMPILE = """
import numpy
from xnbflow.naive_bayes import BlockNB
from xnbflow.preprocessing import CorrelationBlocks
X = numpy.random.default_rng(0).normal(size=(20, 4))
BlockNB(blocks=CorrelationBlocks(size=2)).fit(X, numpy.arange(20) % 2)
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    series = simulate_series("big", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1)[
        0
    ]
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    X = series.values.T
    y = series.labels
    plain = BlockNB(blocks=2)
    weighted = BlockNB(blocks=2, selection="weights")
    plain_seconds, weighted_seconds = alternate(lambda: plain.fit(X, y), lambda: weighted.fit(X, y))
    finder = CorrelationBlocks(size=2)
    finding, _ = alternate(lambda: finder.fit(X, y), lambda: None, 1)
    work = f"fit BlockNB, blocks of 2, {N_FEATURES} x {N_SAMPLES}"
    note = f"finding the blocks by correlation: {finding:.1f} s"
    weights = "with the estimate of H"
    compiling = compile_seconds(COMPILE)
    return [
        row(work, PEER, plain_seconds, ALLOWED, compiling=compiling, note=note),
        row(f"{work}, weights", PEER, weighted_seconds, ALLOWED, compiling=compiling, note=weights),
    ]
