"""Whether the features of a list differ between the classes in other samples, too.

Where hundreds of features separate the classes equally well, two studies list different ones, and
either list is right. What a user asks of a list is that its features differ in other samples. Lists
are therefore tested in the half of the samples that they were not made from, and the share of their
features with a difference is corrected for that of all features, as kappa is for chance (J. Cohen,
"A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20
(1960), 37-46).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr

from xnbflow.core.significance import TEST_LEVEL


def class_differences(
    values: np.ndarray, codes: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return Welch's t of each class against the others, and its degrees of freedom.

    Both have shape (n_classes, n_features). They are missing for a feature of which the class, or
    the others, have fewer than two values, and where neither varies.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        Missing values are left out.
    codes : ndarray of int, shape (n_samples,)
    n_classes : int

    Examples
    --------
    >>> t, df = class_differences(np.array([[1.0, 2.0, 4.0, 7.0]]), np.array([0, 0, 1, 1]), 2)
    >>> t.round(3).tolist(), df.round(2).tolist()
    ([[-2.53], [2.53]], [[1.22], [1.22]])
    """
    present = ~np.isnan(values)
    # Values are centred, so that the sums of squares lose no digits.
    n_present = np.maximum(present.sum(axis=1, keepdims=True), 1)
    centred = np.where(present, values, 0.0)
    centred = np.where(present, values - centred.sum(axis=1, keepdims=True) / n_present, 0.0)
    members = np.eye(n_classes)[codes]
    n = present.astype(float) @ members
    sums = centred @ members
    squares = centred**2 @ members
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, error = _mean_and_error(n, sums, squares)
        total = [column.sum(axis=1, keepdims=True) - column for column in (n, sums, squares)]
        other_mean, other_error = _mean_and_error(*total)
        variance = error + other_error
        t = (mean - other_mean) / np.sqrt(variance)
        df = variance**2 / (error**2 / (n - 1) + other_error**2 / (total[0] - 1))
    undefined = (n < 2) | (total[0] < 2) | ~(variance > 0)
    t[undefined] = np.nan
    df[undefined] = np.nan
    return t.T, df.T


def _mean_and_error(
    n: np.ndarray, sums: np.ndarray, squares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return means and squared standard errors of means, from numbers, sums and sums of squares."""
    mean = sums / n
    variance = np.maximum(squares - n * mean**2, 0.0) / (n - 1)
    return mean, variance / n


def replication(
    listed: Sequence[int] | np.ndarray, first: np.ndarray, second: tuple[np.ndarray, np.ndarray]
) -> float:
    """Return the share of listed features that differ in other samples, corrected for chance.

    A feature *replicates* if its one-sided test in the second samples, in the direction of its
    difference in the first, has p below .05. With the share ``o`` of the listed features that
    replicate, and the mean share ``e`` of all features of the same direction that do, the result is
    ``(o - e) / (1 - e)``: 1 if all do, about 0 for features that are listed by chance. It is
    missing if no listed feature has a direction.

    Parameters
    ----------
    listed : sequence of int
        Positions of the features of the list.
    first : ndarray of shape (n_features,)
        T of a class in the samples that the list was made from.
    second : tuple of ndarray of shape (n_features,)
        T and its degrees of freedom in the others; see `class_differences`.

    Examples
    --------
    Of ten features the first two are listed, and one of them differs in the other samples:

    >>> first = np.ones(10)
    >>> second = np.array([4.0, 0.0, 3.0] + [0.0] * 7), np.full(10, 20.0)
    >>> round(replication([0, 1], first, second), 3)
    0.375
    """
    t, df = second
    direction = np.sign(np.nan_to_num(first))
    with np.errstate(invalid="ignore"):
        replicates = stdtr(df, -direction * t) < TEST_LEVEL
    has_direction = direction != 0
    listed = np.asarray(listed, dtype=int)
    listed = listed[has_direction[listed]]
    if not len(listed):
        return np.nan
    by_chance = np.mean([replicates[direction == sign].mean() for sign in direction[listed]])
    if by_chance == 1:
        return 1.0
    return float((replicates[listed].mean() - by_chance) / (1 - by_chance))
