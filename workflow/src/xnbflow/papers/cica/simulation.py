"""The simulation of the CICA paper, section 6, and the recovery error of Eq. 12."""

from typing import NamedTuple

import numpy as np

#: Sources that depend on the target.
N_SOURCES = 2
#: The paper's mixing matrix: x1 = s1 + s2 / 2, x2 = s1 / 2 + s2.
PAPERS_MIXING = ((1.0, 0.5), (0.5, 1.0))


class Simulation(NamedTuple):
    """Samples of section 6, with ``inputs = [sources, nuisance] @ mixing.T``.

    Inputs have the shape (n_samples, n_inputs), the mixing (n_inputs, n_inputs); the two sources
    come first.
    """

    inputs: np.ndarray
    target: np.ndarray
    mixing: np.ndarray


def simulate(
    n_samples: int,
    random: np.random.Generator,
    *,
    n_nuisance: int = 0,
    least_target: float = -3.0,
    n_normal: int = 0,
) -> Simulation:
    """Draw samples as in section 6: sources ``y + e1`` and ``y² + e2``, the e uniform on [-1, 1].

    The target y is uniform from ``least_target`` to 3: with the paper's -3 the sources are
    uncorrelated, with 0 they are not, though still independent given y. ``n_nuisance`` standard
    normal variables do not depend on y; with them the mixing is a random matrix, without them the
    paper's.

    The e of the first ``n_normal`` sources are normal, of the same variance 1/3. With two normal
    sources the paper's condition is not met (section 3.1: at most one is Gaussian given y): every
    rotation of them is independent given y, too, and none can be preferred.

    Examples
    --------
    >>> simulate(5, np.random.default_rng(0)).inputs.shape
    (5, 2)
    """
    mixing = np.array(PAPERS_MIXING)
    if n_nuisance:
        mixing = random.normal(size=(N_SOURCES + n_nuisance, N_SOURCES + n_nuisance))
    target = random.uniform(least_target, 3.0, n_samples)
    noise = random.uniform(-1.0, 1.0, (n_samples, N_SOURCES))
    nuisance = random.normal(size=(n_samples, n_nuisance))
    noise[:, :n_normal] = random.normal(scale=np.sqrt(1 / 3), size=(n_samples, n_normal))
    sources = np.column_stack([target, target**2]) + noise
    return Simulation(
        inputs=np.hstack([sources, nuisance]) @ mixing.T, target=target, mixing=mixing
    )


def recovery_error(demixed: np.ndarray) -> float:
    """Return the deviation of P = W A (sources to components) from a scaled permutation, Eq. 12.

    Examples
    --------
    >>> recovery_error(np.array([[0.0, 2.0], [-1.0, 0.0]]))
    0.0
    >>> recovery_error(np.array([[1.0, 0.5], [0.5, 1.0]]))
    2.0
    """
    size = np.abs(demixed)
    rows = size / size.max(axis=1, keepdims=True)
    columns = size / size.max(axis=0)
    return float(rows.sum() - len(size) + columns.sum() - len(size))
