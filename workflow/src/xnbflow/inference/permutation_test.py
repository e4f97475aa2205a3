"""The permutation test of a score, and the limits within which its p-value is known.

*Idea.* If labels carry no information, the score of the true labels is one more draw of the scores
of permuted labels. The one-sided p is the share of draws, the true one among them, that reach it:

    p = (1 + #{b : T_b >= T_0}) / (1 + B)

for B permutations, the observed score T_0 and the scores T_b of permuted labels. The test is exact
if true and permuted labels go through the same steps, and only exchangeable labels are exchanged
(`xnbflow.inference.label_exchange`). When it stops early, and its p then, is in
`xnbflow.inference.sequential`.

B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Statistical Applications in
Genetics and Molecular Biology 9 (2010), article 39. C. J. Clopper and E. S. Pearson, "The use of
confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26 (1934),
404-413: the limits.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from xnbflow.core.errors import InputError
from xnbflow.core.progress import track
from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.inference.sequential import MOST_PERMUTATIONS, sequential_test

#: Equal scores differ by rounding at most: sums in single precision.
SCORE_ROUNDING = 1e-6
#: Probability on each side of a 95% interval.
_TAIL = 0.025

#: The score of labels, of shape (n_samples,), with the folds that a seed draws.
Score = Callable[[np.ndarray, int], float]
#: Permuted labels, of shape (n_samples,), by a random generator.
Permute = Callable[[np.random.Generator], np.ndarray]


class PermutationTest(NamedTuple):
    """Score of true labels, one-sided p, permutations that reached it, and all their scores."""

    observed: float
    p_value: float
    at_least: int
    null: tuple[float, ...]


def permutation_test(
    score: Score,
    labels: np.ndarray,
    permute: Permute,
    *,
    n_permutations: int = MOST_PERMUTATIONS,
    seed: int = 0,
) -> PermutationTest:
    """Test whether labels are predicted better than permuted ones.

    ``score`` gives the score of labels, of shape (n_samples,), and a seed for its folds, another
    for each permutation; ``permute`` gives permuted labels, see `label_exchange`. Each permutation
    has a random generator of its own. The rule for stopping and its p are in
    `xnbflow.inference.sequential`.
    """
    if n_permutations < 1:
        msg = f"n_permutations is {n_permutations}; use 1 or more"
        raise InputError(msg)
    observed = score(labels, seed)
    null: list[float] = []

    def scores() -> Iterator[float]:
        """Yield the score of one permutation after another, and keep it."""
        seeds = itertools.count(seed + 1)
        for permutation_seed in track(seeds, "permutations", n_permutations, may_end_early=True):
            permuted = permute(np.random.default_rng(permutation_seed))
            null.append(score(permuted, permutation_seed))
            yield null[-1]

    test = sequential_test(
        observed, scores(), ONE_SIDED_LEVEL, n_permutations, rounding=SCORE_ROUNDING
    )
    return PermutationTest(observed, test.p_value, test.at_least, tuple(null))


def limits_of_p(null: Sequence[float], observed: float, error: float = 0.0) -> tuple[float, float]:
    """Return the least and greatest p that other permutations and draws of folds may give.

    They are the limits of the 95% interval (Clopper and Pearson) of the share of permutations that
    reach the ``observed`` score, with the score an ``error`` higher and lower. A test that stopped
    because its decision is certain has both on one side of its level unless the error moves them.

    Examples
    --------
    >>> lower, upper = limits_of_p([0.1] * 90 + [0.9] * 10, 0.5)
    >>> round(lower, 3), round(upper, 3)
    (0.049, 0.176)
    """
    scores = np.array(null)
    n = len(scores)
    fewest = int(np.sum(scores >= observed + error - SCORE_ROUNDING))
    most = int(np.sum(scores >= observed - error - SCORE_ROUNDING))
    # quantiles of beta distributions; scipy.stats.binomtest has the same, and imports in .8 s
    lower = betaincinv(fewest, n - fewest + 1, _TAIL) if fewest else 0.0
    upper = betaincinv(most + 1, n - most, 1 - _TAIL) if most < n else 1.0
    return float(lower), float(upper)
